"""What the cases of a slice are like, beside all other cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Equals, Within
from fivefold.inputs.columns import Column, plain_value
from fivefold.slices.items import Bins, CodedColumn, code_column, cut_points

OTHER, MISSING = "other values", "missing"


@dataclass(frozen=True)
class FeatureProfile:
    r"""How often a column has each value among the cases of a slice, and among all others.

    Parameters
    ----------
    name : str
        The column.
    values : tuple of str
        Its values or intervals; the rarer ones together, and missing if any is.
    inside, outside : tuple of int
        Cases in the slice, and not in it.
    """

    name: str
    values: tuple[str, ...]
    inside: tuple[int, ...]
    outside: tuple[int, ...]

    @property
    def distance(self) -> float:
        r"""Half of :math:`\sum_v |p_v - q_v|` for the shares inside and outside; 0 where one has no case."""
        inside, outside = np.array(self.inside, dtype=float), np.array(self.outside, dtype=float)
        if not inside.sum() or not outside.sum():
            return 0.0
        return float(np.abs(inside / inside.sum() - outside / outside.sum()).sum() / 2)


class Profiler:
    """Describe slices of one table.

    Parameters
    ----------
    columns : sequence of Column
        The table.
    bins : int, "quantile", mapping or None
        How numeric columns become intervals, as in `find_errors`.
    most : int
        Values of a nominal column to tell apart.

    Examples
    --------
    >>> import numpy as np
    >>> from fivefold.inputs.columns import read_columns
    >>> columns = read_columns([["a", 1], ["a", 2], ["b", 3], ["b", 4]])
    >>> told = Profiler(columns, bins=2).describe(np.array([True, True, False, True]))
    >>> [(one.name, one.values, one.inside, one.outside) for one in told]
    [('x0', ('a', 'b'), (2, 1), (0, 1)), ('x1', ('<= 2.5', '> 2.5'), (2, 1), (0, 1))]
    """

    def __init__(self, columns: Sequence[Column], *, bins: Bins = None, most: int = 5) -> None:
        cuts = cut_points(columns, bins)
        self._coded = [(column.name, code_column(column, cuts, True)) for column in columns]
        self._most = most

    def describe(self, inside: NDArray[np.bool_]) -> tuple[FeatureProfile, ...]:
        """Describe the cases of a slice, column by column; first those that differ most from all others."""
        told = [self._feature(name, coded, inside) for name, coded in self._coded]
        return tuple(sorted(told, key=lambda one: -one.distance))

    def _feature(self, name: str, coded: CodedColumn, inside: NDArray[np.bool_]) -> FeatureProfile:
        codes = np.where(coded.codes < 0, coded.missing_item, coded.codes)
        counts = np.bincount(codes[inside], minlength=len(coded.terms))
        chosen = self._chosen(coded)
        values = [_label(coded, place) for place in chosen]
        told = [counts[chosen], coded.totals[chosen] - counts[chosen]]
        rest = np.array([counts.sum() - told[0].sum(), (coded.totals - counts).sum() - told[1].sum()])
        if rest.any():
            values.append(OTHER)
            told = [np.append(told[0], rest[0]), np.append(told[1], rest[1])]
        return FeatureProfile(name, tuple(values), tuple(told[0].tolist()), tuple(told[1].tolist()))

    def _chosen(self, coded: CodedColumn) -> NDArray[np.intp]:
        present = np.flatnonzero(coded.totals)
        if not isinstance(coded.terms[0], Equals):
            return present
        frequent = present[np.argsort(-coded.totals[present], kind="stable")]
        return frequent if frequent.size <= self._most + 1 else frequent[: self._most]


def _label(coded: CodedColumn, place: int) -> str:
    if place == coded.missing_item:
        return MISSING
    match coded.terms[place]:
        case Equals(value=value):
            return plain_value(value)
        case Within(low=low, high=high):
            ends = [f"> {plain_value(low)}"] * isfinite(low) + [f"<= {plain_value(high)}"] * isfinite(high)
            return ", ".join(ends) or "known"
    raise AssertionError(f"a term that is no value: {coded.terms[place]!r}")
