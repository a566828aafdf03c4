"""Growing an ID3 tree, node by node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.discretise import tidy
from fivefold.learners.c45.structures import LEAF, NOMINAL, NUMERIC, Nodes
from fivefold.learners.id3._kernels import EPSILON, best_test


@dataclass(frozen=True, eq=False)
class Cases:
    """Training cases: a row of `values` for each attribute, as the kernels read them.

    `forks` is the number of branches of a test: one for each category, one more where values are missing in
    training, two for a number.
    """

    values: NDArray[np.float64]
    sizes: NDArray[np.int64]
    forks: NDArray[np.int64]
    classes: NDArray[np.int32]
    n_classes: int

    def count(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Count the classes of some cases."""
        return np.bincount(self.classes[rows], minlength=self.n_classes).astype(np.float64)

    def part(self, rows: NDArray[np.int64], attribute: int, cut: float) -> list[NDArray[np.int64]]:
        """Give the cases of each branch of a test."""
        values = self.values[attribute, rows]
        missing = np.isnan(values)
        if self.sizes[attribute] < 0:
            left = values <= cut
            more_left = np.count_nonzero(left) >= np.count_nonzero(~left & ~missing)
            left |= missing & more_left
            return [rows[left], rows[~left]]
        branches = np.where(missing, self.sizes[attribute], values).astype(np.int64)
        in_branch_order = rows[np.argsort(branches, kind="stable")]
        ends = np.cumsum(np.bincount(branches, minlength=self.forks[attribute]))
        return np.split(in_branch_order, ends[:-1])


@dataclass
class _Tree:
    """The nodes so far, one list a property; children stand together, after their parent."""

    n_classes: int
    rows: list[tuple[int, int, int, int, int, float]] = field(default_factory=list)
    counts: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, counts: NDArray[np.float64], items: int) -> None:
        self.rows.append((LEAF, 0, 0, 0, items, 0.0))
        self.counts.append(counts)

    def split(self, node: int, numeric: bool, attribute: int, forks: int, cut: float) -> int:
        child = len(self.rows)
        kind = NUMERIC if numeric else NOMINAL
        self.rows[node] = (kind, attribute, child, forks, self.rows[node][4], cut)
        return child

    def finish(self) -> Nodes:
        kind, attribute, child, forks, items, cut = (
            np.array(column) for column in zip(*self.rows, strict=True)
        )
        counts = np.array(self.counts)
        whole: list[Any] = [kind, counts.argmax(axis=1), attribute, child, forks]
        errors = items - np.where(items > 0, counts.max(axis=1), 0.0)
        broken = [cut, items.astype(np.float64), errors]
        used = np.array([kind.size])
        return Nodes._make([*(column.astype(np.int32) for column in whole), *broken, counts, used])


def grow_tree(cases: Cases, *, allow_zero_gain: bool) -> Nodes:
    """Grow a tree until its leaves are pure, or no test parts their cases or has a gain.

    A branch without cases is a leaf with the class counts of the node above it.
    """
    all_rows = np.arange(cases.classes.size)
    tree = _Tree(cases.n_classes)
    tree.add(cases.count(all_rows), all_rows.size)
    waiting = [(0, all_rows, np.ones(cases.sizes.size, dtype=bool))]
    while waiting:
        node, rows, usable = waiting.pop()
        counts = tree.counts[node]
        if np.count_nonzero(counts) < 2:
            continue
        attribute, gain, cut = best_test(cases.values, cases.sizes, usable, cases.classes, rows, counts)
        if attribute < 0 or (gain <= EPSILON and not allow_zero_gain):
            continue
        cut = _readable(cut, cases.values[attribute, rows])
        parts = cases.part(rows, attribute, cut)
        first = tree.split(node, bool(cases.sizes[attribute] < 0), attribute, len(parts), cut)
        still_usable = usable.copy()
        still_usable[attribute] = False
        for place, part in enumerate(parts):
            tree.add(cases.count(part) if part.size else counts, part.size)
            if part.size:
                waiting.append((first + place, part, still_usable))
    return tree.finish()


def _readable(cut: float, values: NDArray[np.float64]) -> float:
    """Drop rounding noise from a cut, if that moves no value to the other side."""
    neat = tidy(cut)
    low, high = min(cut, neat), max(cut, neat)
    return cut if ((values > low) & (values <= high)).any() else neat
