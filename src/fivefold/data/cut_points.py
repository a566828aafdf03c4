"""Cut points of numbers: at given places, at quantiles, between classes (MDLP), written in few digits."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from math import ceil, floor, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.few_numbers import FewNumbers
from fivefold.inputs.frames import as_few

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


_CUTS: dict[tuple[int, int], tuple[weakref.ref[Any], NDArray[np.float64]]] = {}


def readable_cuts(values: NDArray[np.float64], n_bins: int) -> NDArray[np.float64]:
    """Cut numbers as `quantile_cuts` does, at the numbers nearby that a person would write.

    Each cut has as few digits as it can while no more than 1 % of the numbers change sides. It is a cut like any
    other: whatever counts, tells or selects the cases uses the number that is written.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> numbers = rng.normal(45.5, 12, 1000)
    >>> quantile_cuts(numbers, 4).round(3).tolist(), readable_cuts(numbers, 4).tolist()
    ([37.213, 44.602, 52.905], [37.2, 44.6, 53.0])
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
    return round_cuts(ends, float(levels[0]), float(levels[-1]))


def quantile_levels(n_bins: int) -> NDArray[np.float64]:
    """Give the levels of the cuts between bins, and in two more rows how far each may be rounded down and up."""
    levels = np.arange(1, n_bins) / n_bins
    slack = min(ROUNDING, 0.25 / n_bins)
    return np.stack([levels, levels - slack, levels + slack])


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
