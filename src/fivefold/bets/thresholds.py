"""Thresholds: what an alarm from some probability upwards catches, misses and costs, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from fivefold.bets.calibration import Events, count_alarms, pick_events
from fivefold.errors import InputError, show
from fivefold.formulas import (
    Floats,
    Pooled,
    binomial_limits,
    binomial_quantile,
    design_effect,
    mean_interval,
    share_limits,
    worth,
)
from fivefold.inputs.answers import as_probabilities
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import positive_int
from fivefold.results import HIGHER, Count, Interval, Result, Share, declared, number

POINTS = 120
# each end of a band errs with 2.5 %: half where the threshold lies, half what it catches
_TAIL = 0.0125
_ROUNDING = 1e-12
# so many cases come unseen in 2.5 of 100 samples
_UNSEEN = -math.log(0.025)
# shares of cases at whose thresholds it is asked how much the cases of a group are alike
_SHARES = np.linspace(0.1, 0.9, 9)


Belonging = tuple[Groups, NDArray[np.bool_], NDArray[np.intp]]
"""Which cases belong together, which are of the event, and the place of each among the falling thresholds."""


class ThresholdPoints(TypedDict):
    """What an alarm from each threshold upwards would catch; the bands hold at each point with 95 %."""

    threshold: list[float]
    false_alarms: list[Count]
    hits: list[Count]
    recall_low: list[Share]
    recall_high: list[Share]
    precision_low: list[Share]
    precision_high: list[Share]


@dataclass(frozen=True, eq=False)
class ThresholdCurve(Result, title="Threshold curve", unit="cases", direction=HIGHER):
    """The trade of false alarms for hits, as the threshold falls, in a few points.

    Parameters
    ----------
    event : str
        The class that is announced by an alarm.
    n_events, n_others : int
        Cases of that class, and all others.
    area, area_interval : float, (float, float)
        Area under the ROC curve of all thresholds, and its 95% interval.
    average_precision, average_precision_interval : float, (float, float)
        Mean precision over the cases of the class, which is the area under the precision-recall curve of all
        thresholds, and its 95% interval.
    threshold : ndarray
        Thresholds, falling; the first is infinite, for no alarm at all.
    false_alarms, hits : ndarray
        Other cases, and cases of the class, at or above each threshold.
    recall_band : (ndarray, ndarray)
        Limits of the share that is caught where the share of false alarms is as large as here.
    precision_band : (ndarray, ndarray)
        Limits of the precision where the share that is caught is as large as here.
    worth : float
        How much of an independent case each case is worth for bands and costs; 1 unless cases belong together.
    """

    event: str = field(metadata=declared(meaning="The class that is announced by an alarm."))
    n_events: Count = field(metadata=declared(meaning="Cases of the class."))
    n_others: Count = field(metadata=declared(meaning="Cases of other classes."))
    area: Share = field(metadata=declared(meaning="Area under the ROC curve."))
    area_interval: Interval = field(metadata=declared(meaning="Its 95% interval."))
    average_precision: Share = field(metadata=declared(meaning="Area under the precision-recall curve."))
    average_precision_interval: Interval = field(metadata=declared(meaning="Its 95% interval."))
    threshold: Floats = field(repr=False)
    false_alarms: NDArray[np.int64] = field(repr=False)
    hits: NDArray[np.int64] = field(repr=False)
    recall_band: tuple[Floats, Floats] = field(repr=False)
    precision_band: tuple[Floats, Floats] = field(repr=False)
    worth: Share = field(
        default=1.0, metadata=declared(meaning="How much of an independent case each case is worth.")
    )

    @number()
    def points(self) -> ThresholdPoints:
        """Thresholds, falling, with what they catch and the limits of recall and precision."""
        return cast(ThresholdPoints, {name: column.tolist() for name, column in self.columns().items()})

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each threshold."""
        numbers = (self.threshold, self.false_alarms, self.hits, *self.recall_band, *self.precision_band)
        return dict(zip(ThresholdPoints.__annotations__, numbers, strict=True))

    def cost(self, false_alarm: float = 1.0, miss: float = 1.0) -> Floats:
        """Give the mean cost of a case at each threshold, if a false alarm and a miss cost so much.

        Examples
        --------
        >>> import fivefold as ff
        >>> curve = ff.bets.threshold_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.9])
        >>> curve.threshold, curve.cost(miss=5.0)
        (array([inf, 0.9, 0.4, 0.1]), array([2.5 , 1.25, 0.25, 0.5 ]))
        """
        missed = self.n_events - self.hits
        return (false_alarm * self.false_alarms + miss * missed) / (self.n_events + self.n_others)

    def cost_interval(self, false_alarm: float = 1.0, miss: float = 1.0) -> tuple[Floats, Floats]:
        """Give the ends of 95% intervals of the cost at each threshold, for thresholds chosen beforehand.

        Exact limits of both kinds of errors, put together as standard errors are.
        """
        n = self.n_events + self.n_others
        cost, squares = self.cost(false_alarm, miss), np.zeros((2, self.hits.size))
        for price, errors in ((false_alarm, self.false_alarms), (miss, self.n_events - self.hits)):
            limits = share_limits(self.worth * errors, self.worth * n)
            squares += (price * (errors / n - np.array(limits))) ** 2
        down, up = np.sqrt(squares)
        return np.maximum(0.0, cost - down), cost + up

    def cheapest(self, false_alarm: float = 1.0, miss: float = 1.0) -> float:
        """Give the threshold of the least cost on these cases; on new ones it costs a little more.

        Examples
        --------
        >>> import fivefold as ff
        >>> ff.bets.threshold_curve([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.9]).cheapest(miss=5.0)
        0.4
        """
        for name, value in (("false_alarm", false_alarm), ("miss", miss)):
            if not value >= 0:
                raise InputError(f"a cost of a {name} that is not below 0", show(value))
        return float(self.threshold[self.cost(false_alarm, miss).argmin()])

    def __str__(self) -> str:
        low, high = self.area_interval
        least, most = self.average_precision_interval
        return (
            f"{self.event}: area under the ROC curve {self.area:.3f} (95% interval {low:.3f} to {high:.3f}), "
            f"average precision {self.average_precision:.3f} ({least:.3f} to {most:.3f})"
        )


def threshold_curve(
    y_true: object,
    y_prob: object,
    *,
    event: object = None,
    classes: object = None,
    points: int = POINTS,
    groups: object = None,
) -> ThresholdCurve:
    r"""ROC and precision-recall curve of one event in a few points, with bands, areas and their intervals.

    With :math:`a` hits and :math:`b` false alarms at a threshold, of :math:`P` cases of the event and :math:`N`
    others, the ROC curve is :math:`(b/N, a/P)` and the precision-recall curve :math:`(a/P, a/(a+b))`.

    Parameters
    ----------
    y_true, y_prob, event, classes
        As in `lift`.
    points : int
        About so many thresholds are kept, and those that are cheapest at some prices; areas are those of all.
    groups : array-like, optional
        Which cases belong together; areas, bands and costs then have limits of as many cases as groups are worth.

    Notes
    -----
    Bands hold at each point with 95 % or more, whatever the scores are like: exact limits of where the threshold
    lies, and exact binomial limits of what it catches. The area is a mean over the cases of the event, of the
    share of others below each, and likewise a mean over the others; the limits of both means of bounded numbers
    (Gaffke) are put together as standard errors are (Zou and Donner's method of variance estimates recovery). The
    interval of the average precision has exact limits for as many cases as its variance is worth, but no more than
    there are of the event, and reaches down to what it would be with as many others above all events as a sample
    can hide. With groups, variances are those of sums over groups, with Student's quantiles, and bands count each
    case for what it is worth where groups agree most; whole groups above all events, as if wrongly labelled, of
    which the sample has none, are not reckoned with.

    References
    ----------
    G. Y. Zou and A. Donner, Construction of confidence limits about effect measures: a general approach,
    Statistics in Medicine 27, 2008.

    Examples
    --------
    >>> import fivefold as ff
    >>> print(ff.bets.threshold_curve([0, 0, 1, 1] * 5, [0.1, 0.4, 0.4, 0.9] * 5))
    1: area under the ROC curve 0.875 (95% interval 0.482 to 0.986), average precision 0.833 (0.479 to 0.985)
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    events = pick_events(truth, prob, universe, event)
    if events.happened.all() or not events.happened.any():
        raise InputError("an event that happens in some cases and not in others", "one outcome only")
    second = universe[1] if universe.size == 2 else "the selected class"
    belonging = read_groups(groups, truth.size)
    name = str(second if event is None else event)
    return trace_thresholds(events, name, positive_int(points, "points"), belonging)


def trace_thresholds(
    events: Events, name: str, points: int = POINTS, groups: Groups | None = None
) -> ThresholdCurve:
    """Give `threshold_curve` of checked events that happen in some cases and not in others."""
    threshold, alarms, hits = (
        np.concatenate([[first], column])
        for first, column in zip((np.inf, 0.0, 0.0), count_alarms(events), strict=True)
    )
    kept = _thin(threshold, alarms, hits, points)
    belonging = None
    if groups is not None:
        rising = np.searchsorted(threshold[:0:-1], events.p)
        belonging = (groups, events.happened, threshold.size - 2 - rising)
    case = _worth(events, groups)
    return ThresholdCurve(
        name,
        int(hits[-1]),
        int(alarms[-1]),
        *area_under(alarms, hits, belonging),
        *average_precision(alarms, hits, belonging),
        threshold[kept],
        alarms[kept].astype(np.int64),
        hits[kept].astype(np.int64),
        recall_band(case * alarms, case * hits, kept),
        precision_band(case * alarms, case * hits, kept),
        case,
    )


def _worth(events: Events, groups: Groups | None) -> float:
    """Give how much of an independent case a case is worth for shares above thresholds, where that is least."""
    if groups is None:
        return 1.0
    least = 1.0
    for side in (events.happened, ~events.happened):
        stated, part = events.p[side], groups.part(side)
        for threshold in np.unique(np.quantile(stated, _SHARES)):
            least = min(least, worth(stated >= threshold, part) / stated.size)
    return least


def _spread(by_event: Floats, by_other: Floats, belonging: Belonging | None) -> float:
    """By how much groups make a variance larger: that of sums over groups against that of single cases."""
    if belonging is None:
        return 1.0
    groups, happened, places = belonging
    changes = np.where(happened, by_event[places], by_other[places])
    if float(changes @ changes) <= _ROUNDING:
        return float((len(groups) / groups.n_groups) ** 2)
    return max(1.0, design_effect(changes, groups))


def _thin(threshold: Floats, alarms: Floats, hits: Floats, points: int) -> NDArray[np.intp]:
    """Choose points at even steps along the ROC curve, the corners of its hull, and the threshold of one half.

    The cheapest threshold is such a corner, whatever the prices.
    """
    from scipy.optimize import isotonic_regression

    along, cases = alarms / alarms[-1] + hits / hits[-1], np.diff(alarms + hits)
    even = np.searchsorted(along, np.linspace(0, 2, points))
    corners = isotonic_regression(np.diff(hits) / cases, weights=cases, increasing=False).blocks
    half = np.count_nonzero(threshold > 0.5) - 1
    return np.unique(np.concatenate([np.minimum(even, along.size - 1), corners, [half]])).astype(np.intp)


def area_under(alarms: Floats, hits: Floats, belonging: Belonging | None = None) -> tuple[float, Interval]:
    """Area under the ROC curve, from counts at falling thresholds, with its interval."""
    n_others, n_events = alarms[-1], hits[-1]
    others, happened = np.diff(alarms), np.diff(hits)
    # share of the others below a case of the event, and of the event's cases above another, ties by half
    below = 1 - (alarms[1:] - others / 2) / n_others
    above = (hits[1:] - happened / 2) / n_events
    sides = (
        mean_interval(Pooled.counted(below, happened.astype(np.int64)), 0.0, 1.0),
        mean_interval(Pooled.counted(above, others.astype(np.int64)), 0.0, 1.0),
    )
    area = float(min(1.0, happened @ below / n_events))
    wider = math.sqrt(_spread((below - area) / n_events, (above - area) / n_others, belonging))
    down, up = (wider * math.hypot(*(area - side[end] for side in sides)) for end in (0, 1))
    return area, (max(0.0, area - down), min(1.0, area + up))


def average_precision(
    alarms: Floats, hits: Floats, belonging: Belonging | None = None
) -> tuple[float, Interval]:
    """Mean precision over the cases of the event, from counts at falling thresholds, with its interval."""
    n, n_events = alarms[-1] + hits[-1], hits[-1]
    happened, others = np.diff(hits), np.diff(alarms)
    all_alarms = hits[1:] + alarms[1:]
    precision = hits[1:] / all_alarms
    mean = float(min(1.0, happened @ precision / n_events))
    # what a case more of either kind would change, at its own threshold and at all below
    changes = happened / all_alarms**2
    by_event = n * (precision + np.cumsum((alarms[1:] * changes)[::-1])[::-1] - mean) / n_events
    by_other = n * np.cumsum((hits[1:] * changes)[::-1])[::-1] / n_events
    variance = float(happened @ by_event**2 + others @ by_other**2) / n**2
    cases = min(float(n_events), mean * (1 - mean) / variance if variance > _ROUNDING else np.inf)
    spread = _spread(by_event, -by_other, belonging)
    cases = max(1.0, cases / spread)
    low, high = binomial_limits(mean * cases, cases)
    # a few others above all events, as wrong labels put them there, take more than all that varies elsewhere
    hiding = float(happened @ (hits[1:] / (all_alarms + _UNSEEN * spread)) / n_events)
    return mean, (min(low, hiding), high)


def recall_band(alarms: Floats, hits: Floats, kept: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Limits of the share of the event that is caught, at the shares of false alarms of some points.

    So many of the others lie above the true threshold that a binomial number of them is likely; the thresholds at
    both ends of these have binomial limits themselves.
    """
    some, spare, stricter, laxer = _likely(alarms, kept)
    low, _ = share_limits(hits[stricter], hits[-1], 1 - 2 * _TAIL)
    _, high = share_limits(hits[laxer], hits[-1], 1 - 2 * _TAIL)
    return np.where(some, low, 0.0), np.where(spare, high, 1.0)


def precision_band(alarms: Floats, hits: Floats, kept: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Limits of the precision, at the shares of the event that are caught at some points."""
    some, _, stricter, laxer = _likely(hits, kept)
    recall = hits[kept] / hits[-1]
    # false alarms as a share of themselves and all cases of the event have binomial limits
    _, worse = share_limits(alarms[laxer], alarms[laxer] + hits[-1], 1 - 2 * _TAIL)
    better, _ = share_limits(alarms[stricter], alarms[stricter] + hits[-1], 1 - 2 * _TAIL)
    low, high = (recall * (1 - share) / (recall * (1 - share) + share + 1e-300) for share in (worse, better))
    return np.where(recall > 0, low, 0.0), np.where(some & (recall > 0), high, 1.0)


def _likely(counts: Floats, kept: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
    """Say whether some, and not all, are likely to be above the true threshold of each point.

    Then give the next stricter threshold, and the next laxer one, than those that have as many as is likely.
    """
    n, whole = counts[-1], np.floor(counts[-1] + _ROUNDING)
    levels = (binomial_quantile(level, whole, counts[kept] / n) for level in (_TAIL, 1 - _TAIL))
    least, most = (np.clip(number, 0, whole) for number in levels)
    stricter = np.maximum(np.searchsorted(counts, least - 1, side="right") - 1, 0)
    laxer = np.where(most < n, np.searchsorted(counts, np.minimum(most + 1, n)), counts.size - 1)
    return least > 0, most < n, stricter, laxer
