"""The best number with which to compare a variable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.kernels.scoring import allowance
from fivefold.learners.foil.kernels.thresholds import arrange, best_cut
from fivefold.learners.foil.relational.draft import Draft
from fivefold.learners.foil.relational.kernels.joining import MISSING_NUMBER
from fivefold.learners.foil.relational.kernels.scanning import Bindings
from fivefold.learners.foil.structures import Counts, State


@dataclass(frozen=True)
class Threshold:
    """The best cut of a variable, with what lies on either side of it."""

    cut: np.float32
    n_values: int
    counts: Counts
    can_true: bool
    can_false: bool

    @property
    def bits(self) -> int:
        """The cut as the bits of a number."""
        return int(self.cut.view(np.int32))


def best_threshold(draft: Draft, state: State, variable: int, bits: np.float32) -> Threshold | None:
    """Find the best cut; on the way the bindings are sorted by the variable, as the program leaves them."""
    _sort(draft, variable)
    bindings = draft.bindings
    values = _numbers(bindings, variable)
    rows = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    flags = rows < bindings.n_positive
    cut = best_cut(state, draft.settings.options, draft.logs, values, rows, flags, rows.size)
    if cut.gained < 0:
        return None
    counts = _counts(draft, values, np.float32(cut.at))

    def allowed(covered: int) -> bool:
        return bool(allowance(draft.logs, draft.factorials, state.world, covered) > bits)

    return Threshold(
        np.float32(cut.at),
        cut.n_values,
        counts,
        allowed(counts.true_original_positive) and counts.true_kept > 0,
        allowed(counts.false_original_positive) and counts.false_positive > 0,
    )


def _numbers(bindings: Bindings, variable: int) -> NDArray[np.float32]:
    bits = np.ascontiguousarray(bindings.values[:, variable - 1])
    return np.where(bits == MISSING_NUMBER, np.float32(np.nan), bits.view(np.float32))


def _sort(draft: Draft, variable: int) -> None:
    bindings, values = draft.bindings, _numbers(draft.bindings, variable)
    order = np.arange(values.size)
    arrange(order, 0, bindings.n_positive - 1, values)
    arrange(order, bindings.n_positive, values.size - 1, values)
    arranged = Bindings(bindings.values[order], bindings.origin[order], bindings.n_positive)
    if bindings is draft.start:
        draft.start = arranged
    draft.bindings = arranged


def _counts(draft: Draft, values: NDArray[np.float32], cut: np.float32) -> Counts:
    bindings = draft.bindings
    positive = np.arange(values.size) < bindings.n_positive
    true, false = values > cut, values <= cut
    sides = []
    for side in (true, false):
        own = bindings.origin[side & positive]
        sides.append((np.unique(own).size, np.unique(bindings.origin[side]).size))
    (true_positive, true_total), (false_positive, false_total) = sides
    kept = int((true & positive).sum())
    return Counts(
        kept, kept, int(true.sum()), int(true.sum()), true_positive, true_total,
        int((false & positive).sum()), int(false.sum()), false_positive, false_total,
    )  # fmt: skip
