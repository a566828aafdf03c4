"""Cut points of numbers: at given places, at quantiles, between classes (MDLP), written in few digits."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import ceil, floor, isfinite, log10
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import Column
from fivefold.inputs.few_numbers import FewNumbers
from fivefold.inputs.frames import as_few
from fivefold.inputs.options import close_names, positive_int

Bins: TypeAlias = int | str | Mapping[str, Sequence[Any]] | None
Cuts: TypeAlias = Mapping[str, NDArray[np.float64]]
FindQuantiles: TypeAlias = Callable[[Column, int], NDArray[np.float64]]

DEFAULT_BINS, MOST_BINS = 4, 1_000_000
# the share of the numbers that may change sides when a quantile is rounded
ROUNDING = 0.01
LEAST_PLACE = -300  # powers of ten below are not numbers of full precision


def tidy(cut: float) -> float:
    """Drop the digits of a computed cut that are only rounding noise: 0.15000000000000002 is 0.15.

    Examples
    --------
    >>> tidy((0.1 + 0.2) / 2)
    0.15
    """
    return float(f"{cut:.15g}")


def midpoint(low: float, high: float) -> float:
    """Give a number c with low <= c < high: the middle, unless rounding makes it leave that range.

    Examples
    --------
    >>> midpoint(0.1, 0.2), midpoint(1.0, 1.0000000000000002)
    (0.15, 1.0)
    """
    middle = tidy(low / 2 + high / 2)
    # neighbouring floats have no number between them: then the lower one itself separates, by <=
    return middle if low <= middle < high else low


def given_cuts(cuts: Sequence[float], name: str) -> NDArray[np.float64]:
    """Check the cut points that somebody gave for the column `name`.

    Examples
    --------
    >>> given_cuts([30, 45.5], "age")
    array([30. , 45.5])
    """
    try:
        points = np.asarray(cuts, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InputTypeError(f"numbers as cut points of {show(name)}", show(cuts)) from problem
    if points.ndim != 1 or not np.isfinite(points).all() or (np.diff(points) <= 0).any():
        raise InputError(f"finite cut points in ascending order for {show(name)}", show(cuts))
    return points


def quantile_cuts(values: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Cut numbers, of which some may be missing, into bins that hold equally many; see `Quantiles`.

    Examples
    --------
    >>> quantile_cuts(np.array([1.0, 2.0, np.nan, 3.0, 40.0]), 2)
    array([2.5])
    """
    known = values[~np.isnan(values)]
    if known.size == 0:
        return known
    levels = np.arange(1, n_bins) / n_bins
    return separating_cuts(
        np.quantile(known, levels, method="averaged_inverted_cdf"), known.min(), known.max()
    )


def equal_width_cuts(values: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Cut numbers, of which some may be missing, into bins of equal width; see `EqualWidth`.

    Examples
    --------
    >>> equal_width_cuts(np.array([0.0, 1.0, np.nan, 9.0]), 3)
    array([3., 6.])
    """
    known = values[~np.isnan(values)]
    if known.size == 0:
        return known
    levels, least, most = np.arange(1, n_bins) / n_bins, known.min(), known.max()
    return separating_cuts(least * (1 - levels) + most * levels, least, most)


_CUTS: dict[tuple[int, int], tuple[weakref.ref[Any], NDArray[np.float64]]] = {}


def readable_cuts(values: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Cut numbers as `quantile_cuts` does, at the numbers nearby that a person would write.

    Each cut has as few digits as it can while no more than 1 % of the numbers change sides. It is a cut like any
    other: whatever counts, tells or selects the cases uses the number that is written. Numbers that are the same
    are passed on the side that is nearer: most may be the largest there is, and what is below tells the more.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> numbers = rng.normal(45.5, 12, 1000)
    >>> quantile_cuts(numbers, 4).round(3).tolist(), readable_cuts(numbers, 4).tolist()
    ([37.213, 44.602, 52.905], [37.2, 44.6, 53.0])
    >>> readable_cuts(np.repeat([3.0, 4.0, 5.0], [6, 4, 90]), 4)
    array([4.])
    """
    if (few := as_few(values)) is not None:
        return _counted_cuts(few, n_bins)
    key = id(values), n_bins
    of, cuts = _CUTS.get(key, (None, values))
    if of is None or of() is not values:
        known = values[~np.isnan(values)]
        if known.size == 0:
            return known
        ends = np.quantile(known, quantile_levels(n_bins), method="averaged_inverted_cdf")
        ends = pass_ties(ends, known.size, around(known, ends[0, tied(ends)]))
        cuts = round_cuts(ends, known.min(), known.max())
        # the same columns are cut for each model; what can be written to may change
        if not values.flags.writeable:
            _CUTS[key] = weakref.ref(values, lambda _: _CUTS.pop(key, None)), cuts
    return cuts.copy()


def _counted_cuts(few: FewNumbers, n_bins: int) -> NDArray[np.float64]:
    """Cut few different numbers; quantiles are those of numpy, to the last bit."""
    counts = few.counts
    there = np.flatnonzero((counts > 0) & ~np.isnan(few.levels))
    there = there[np.argsort(few.levels[there])]
    levels, upto = few.levels[there], np.cumsum(counts[there])
    if levels.size == 0:
        return levels
    places = upto[-1] * quantile_levels(n_bins) - 1
    before = np.clip(np.floor(places), 0, upto[-1] - 1)
    after = np.clip(np.floor(places) + 1, 0, upto[-1] - 1)
    low, high = (levels[np.searchsorted(upto, place, side="right")] for place in (before, after))
    ends = np.where(places == np.floor(places), high - (high - low) * 0.5, high)
    ends = pass_ties(ends, int(upto[-1]), around(levels, ends[0, tied(ends)], counts[there]))
    return round_cuts(ends, float(levels[0]), float(levels[-1]))


def quantile_levels(n_bins: int) -> NDArray[np.float64]:
    """Give the levels of the cuts between bins, and in two more rows how far each may be rounded down and up."""
    levels = np.arange(1, n_bins) / n_bins
    slack = min(ROUNDING, 0.25 / n_bins)
    return np.stack([levels, levels - slack, levels + slack])


def tied(ends: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say at which quantiles so many numbers are the same that rounding would not pass them."""
    return np.asarray((ends[0] == ends[1]) | (ends[0] == ends[2]))


def around(
    values: NDArray[np.float64], points: NDArray[np.float64], counts: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Give for each point how many numbers are below it and up to it, and the largest below, in three rows."""
    many = np.ones(values.size, dtype=np.int64) if counts is None else counts
    found = [
        (many[below].sum(), many[values <= point].sum(), values[below].max(initial=-np.inf))
        for point in points
        for below in (values < point,)
    ]
    return np.array(found, dtype=np.float64).reshape(-1, 3).T


def pass_ties(ends: NDArray[np.float64], n: int, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let a cut pass numbers that are the same on the side that is nearer to its level, as `around` found them."""
    places = np.flatnonzero(tied(ends))
    below, upto, before = found
    rank = n * (places + 1) / (ends.shape[1] + 1)
    lower = (below > 0) & (rank - below < upto - rank)
    ends = ends.copy()
    # any number from the one before to the ties separates them: the shortest of these is taken
    ends[:2, places[lower]] = before[lower]
    return ends


def round_cuts(ends: NDArray[np.float64], least: float, most: float) -> NDArray[np.float64]:
    """Round quantiles of `quantile_levels` to numbers with few digits."""
    rounded = [_shortest(*three) for three in ends.T.tolist()]
    return separating_cuts(rounded, least, most)


def _shortest(cut: float, low: float, high: float) -> float:
    """Find the number with the fewest digits from `low` to below `high`, or `cut`; of several the nearest."""
    if not low < high or not isfinite(high - low):
        return cut
    first = ceil(log10(high - low)) + 1
    for place in range(first, max(first - 18, LEAST_PLACE), -1):
        near = (_multiple(cut, place, 0), _multiple(cut, place, 1))
        fitting = [number for number in near if low <= number < high or number == cut]
        if fitting:
            return min(fitting, key=lambda number: abs(number - cut))
    return cut


def _multiple(cut: float, place: int, above: int) -> float:
    # read as it is written: 3 * 0.1 is not 0.3
    return float(f"{floor(cut / 10.0**place) + above}e{place}")


def separating_cuts(ends: Iterable[float], least: float, most: float) -> NDArray[np.float64]:
    """Tidy the ends of bins; keep those with values on both sides, as rounding or ties may leave others."""
    # 0 is added lest one be called -0
    cuts = np.unique([tidy(end) + 0.0 for end in ends])
    return np.asarray(cuts[(cuts >= least) & (cuts < most)])


def mdlp_cuts(values: NDArray[np.float64], classes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Cut numbers where that tells more about the classes (numbers from 0) than it costs; see `MDLP`.

    Examples
    --------
    >>> mdlp_cuts(np.array([1.0, 1.2, 1.4, 1.5, 3.0, 3.1, 3.3, 3.7]), np.repeat(np.int32([0, 1]), 4))
    array([2.25])
    """
    from fivefold.data._kernels import mdlp_places

    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    values, codes = values[order], classes[order]
    places = mdlp_places(values, codes, int(classes.max()) + 1)
    pairs = zip(values[places - 1], values[places], strict=True)
    return np.array([midpoint(low, high) for low, high in pairs], dtype=np.float64)


def cut_points(
    columns: Sequence[Column],
    bins: Bins,
    groups: NDArray[Any] | None = None,
    quantiles: FindQuantiles | None = None,
) -> Cuts:
    """Find the cut points of every numeric column.

    columns: The attributes.
    bins: How to cut. None and ``"quantile"``: at the quartiles, which look at no group, rounded as a person would
        write them. A mapping cuts the columns that it names at its points, and the others at the quartiles.
    groups: The number of each row's group, for ``"mdlp"``.
    quantiles: Takes a column and a number of bins and gives the cuts at its quantiles, for columns without
        values here.

    Examples
    --------
    >>> from fivefold.inputs.columns import read_columns
    >>> cut_points(read_columns([[1.0], [2.0], [3.0], [40.0]]), 2)
    {'x0': array([2.])}
    """
    given = bins if isinstance(bins, Mapping) else {}
    _check_names(given, columns)
    n_bins = _number_of_bins(bins)

    def into(column: Column, many: int) -> NDArray[np.float64]:
        return readable_cuts(column.values, many) if quantiles is None else quantiles(column, many)

    def cut(column: Column) -> NDArray[np.float64]:
        if column.name in given:
            points = column.derived.given(given[column.name]) if column.derived else None
            return given_cuts(given[column.name], column.name) if points is None else points
        if groups is not None and bins == "mdlp":
            points = mdlp_cuts(column.values, groups.astype(np.int32))
            return column.derived.between(points) if column.derived else points
        if column.derived is not None:
            return column.derived.cut(n_bins if isinstance(bins, int) else None, partial(into, column))
        return into(column, n_bins)

    if isinstance(bins, str) and bins == "mdlp":
        _warn_of_mdlp(groups)
    return {column.name: cut(column) for column in columns if column.categories is None}


def _number_of_bins(bins: Bins) -> int:
    if bins is None or isinstance(bins, Mapping) or (isinstance(bins, str) and bins in ("quantile", "mdlp")):
        return DEFAULT_BINS
    if isinstance(bins, str | bool):
        hint = "give a number of bins, 'quantile', 'mdlp', or cut points by column: {'age': [25, 45]}"
        raise InputError("bins that can be understood", show(bins), hint)
    return positive_int(bins, "bins", least=2, most=MOST_BINS)


def _check_names(given: Mapping[str, Sequence[float]], columns: Sequence[Column]) -> None:
    kinds = {column.name: column.kind for column in columns}
    numeric = [name for name, kind in kinds.items() if kind == "numeric"]
    for name in given:
        if name not in numeric:
            parts = [
                c.name for c in columns if c.derived and c.derived.source == name and c.kind == "numeric"
            ]
            what = "text" if parts else kinds.get(name, "not a column")
            raise InputError(
                "cut points for columns of numbers or dates",
                f"{show(name)}, which is {what}",
                f"cut {' or '.join(map(show, parts))}" if parts else close_names(name, numeric),
            )


def _warn_of_mdlp(groups: NDArray[Any] | None) -> None:
    if groups is None:
        raise InputError(
            "bins that look at no groups", "'mdlp'", "there are none here: use 'quantile', or cut points"
        )
    warnings.warn(
        "bins='mdlp' looks at the labels before the tests do: the tests are no longer fresh, and more than a "
        "share alpha of pure noise will be reported. Cut on other cases, or use quantiles.",
        stacklevel=5,
    )
