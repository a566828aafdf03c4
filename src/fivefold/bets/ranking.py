"""Ranking: does the model put the cases of a class on top? Blind to calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fivefold.bets.calibration import Events, count_alarms, pick_events, read_events
from fivefold.errors import InputError
from fivefold.formulas import Floats
from fivefold.inputs.answers import as_probabilities
from fivefold.inputs.labels import plain_item
from fivefold.inputs.options import as_weights, fraction, positive_int, refuse_weights
from fivefold.results import HIGHER, Result, metric

_NO_WEIGHTS = "the depth of a ranking counts whole cases; repeat the rows instead"


@dataclass(frozen=True, eq=False)
class RankingAreas(Result, title="AUC", unit="probability", direction=HIGHER):
    """The area under the ROC curve of each class against the rest.

    Parameters
    ----------
    value : float
        Their plain mean.
    classes : tuple
        The classes that were ranked: the second of two, or all that occur.
    areas : ndarray
        The area of each.
    """

    value: float
    classes: tuple[Any, ...]
    areas: Floats

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each class."""
        return {"class": [str(label) for label in self.classes], "area": self.areas}

    def __str__(self) -> str:
        return f"AUC {self.value:.4f}, the mean of {self.areas.size} class{'es'[: 2 * (self.areas.size > 1)]}"


@dataclass(frozen=True, eq=False)
class TopOfRanking(Result, title="Lift", unit="times the base rate", direction=HIGHER):
    """How often an event happens among the cases that are ranked highest.

    Parameters
    ----------
    value : float
        The lift.
    depth : float
        Share of the cases taken from the top.
    n_top : int
        Their number.
    rate, base_rate : float
        Share of them whose event happened, and of all cases.
    taken : ndarray of shape (n,)
        What share of each case was taken: 1, 0, or between them where cases tie at the border.
    """

    value: float
    depth: float
    n_top: int
    rate: float
    base_rate: float
    taken: Floats = field(repr=False)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each case."""
        return {"taken": self.taken}

    def __str__(self) -> str:
        return f"lift {self.value:.2f} in the top {self.depth:.0%} of the ranking"


@dataclass(frozen=True, eq=False)
class LiftCurve(Result, title="Lift", unit="times the base rate", direction=HIGHER):
    """Lift at several depths of the ranking.

    Parameters
    ----------
    depth : ndarray
        Shares of the cases taken from the top.
    lift : ndarray
        Lift at each depth.
    """

    depth: Floats
    lift: Floats

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each depth."""
        return {"depth": self.depth, "lift": self.lift}

    def __str__(self) -> str:
        return f"lift {self.lift[0]:.2f} in the top {self.depth[0]:.0%} of the ranking"


@dataclass(frozen=True, eq=False)
class RocCurve(Result, title="ROC curve", unit="share of cases", direction=HIGHER):
    """The trade of false alarms for hits as the threshold falls.

    Parameters
    ----------
    false_alarms, hits : ndarray
        Share of other cases and of the event's cases at or above each threshold.
    threshold : ndarray
        The thresholds, falling.
    area : float
        Area under the curve.
    """

    false_alarms: Floats
    hits: Floats
    threshold: Floats
    area: float

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each threshold."""
        return {"threshold": self.threshold, "false_alarms": self.false_alarms, "hits": self.hits}

    def __str__(self) -> str:
        return f"area under the ROC curve {self.area:.4f}"


@metric(RankingAreas, reads="probabilities", weighted=True, view="bets", place=2)
def auc(y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None) -> float:
    r"""Probability that a case of a class is ranked above a case of another, ties counting one half.

    For two classes the second is ranked; for more it is the plain mean over the classes that occur, each
    against the rest. Any monotone change of the scores leaves it as it is, so it sees no calibration.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.auc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.9])
    0.875
    """
    return auc_details(y_true, y_prob, classes=classes, sample_weight=sample_weight).value


def auc_details(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> RankingAreas:
    """Give `auc` with the area of each class; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.auc_details([0, 1, 2], [[0.6, 0.2, 0.2], [0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]).areas
    array([1., 1., 1.])
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    weights = as_weights(sample_weight, truth.shape[0])
    heard = truth if weights is None else truth[weights > 0]
    if np.all(heard == heard[0]):
        raise InputError(
            "cases of at least two classes in y_true",
            f"only {plain_item(universe[heard[0]])!r}",
            "nothing can be ranked",
        )
    labels = [1] if universe.size == 2 else np.unique(heard).tolist()
    names = tuple(plain_item(universe[label]) for label in labels)
    events = [pick_events(truth, prob, universe, name) for name in names]
    areas = [_area(event, weights) for event in events]
    return RankingAreas(float(np.mean(areas)), names, np.array(areas))


def _area(events: Events, weights: Floats | None) -> float:
    """Share of pairs in which a case of the event is above another; without weights from whole numbers."""
    if weights is not None:
        from sklearn.metrics import roc_auc_score

        return float(roc_auc_score(events.happened, events.p, sample_weight=weights))
    _, alarms, hits = count_alarms(events)
    n_others, n_events = int(alarms[-1]), int(hits[-1])
    halves = 2 * (n_others - alarms) + np.diff(alarms, prepend=0)
    return int(np.diff(hits, prepend=0) @ halves) / (2 * n_others * n_events)


@metric(TopOfRanking, reads="probabilities", two_classes_only=True)
def lift(
    y_true: object,
    y_prob: object,
    *,
    depth: float = 0.1,
    event: object = None,
    classes: object = None,
    sample_weight: None = None,
) -> float:
    r"""How many times more often the event happens among the cases ranked highest than among all.

    .. math:: \frac{\text{share of the event in the top } \lceil \text{depth} \cdot N \rceil}{\text{share in all}}

    Cases that tie at the border count by their share, so the order of the rows does not matter.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `information_reward`.
    depth : float
        Share of the cases that is taken from the top.
    event : a class, optional
        The event that is ranked; by default the second of two classes.
    sample_weight : None
        Refused: the depth counts whole cases.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.lift([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.9], depth=0.25)
    4.0
    """
    return lift_details(
        y_true, y_prob, depth=depth, event=event, classes=classes, sample_weight=sample_weight
    ).value


def lift_details(
    y_true: object,
    y_prob: object,
    *,
    depth: float = 0.1,
    event: object = None,
    classes: object = None,
    sample_weight: None = None,
) -> TopOfRanking:
    """Give `lift` with the cases that stand on top; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.lift_details([0, 0, 0, 1], [0.1, 0.3, 0.3, 0.9], depth=0.5).taken
    array([0. , 0.5, 0.5, 1. ])
    """
    refuse_weights(sample_weight, _NO_WEIGHTS)
    depth = fraction(depth, "depth")
    return _lift(read_events(y_true, y_prob, classes, event), depth)


def lift_curve(
    y_true: object, y_prob: object, *, event: object = None, classes: object = None, points: int = 20
) -> LiftCurve:
    """Lift at evenly spaced depths.

    Parameters
    ----------
    y_true, y_prob, event, classes
        As in `lift`.
    points : int
        Number of depths, from 1/points to 1.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.lift_curve([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.9], points=2).lift
    array([2., 1.])
    """
    depths = np.arange(1, positive_int(points, "points", most=1_000_000) + 1) / points
    events = read_events(y_true, y_prob, classes, event)
    return LiftCurve(depths, np.array([_lift(events, float(depth)).value for depth in depths]))


def roc(y_true: object, y_prob: object, *, event: object = None, classes: object = None) -> RocCurve:
    """Trade of false alarms for hits for one event; `auc` gives the area.

    Parameters
    ----------
    y_true, y_prob, event, classes
        As in `lift`.

    Examples
    --------
    >>> import fivefold as ff
    >>> print(ff.bets.roc([0, 0, 1, 1], [0.1, 0.4, 0.4, 0.9]))
    area under the ROC curve 0.8750
    """
    from sklearn.metrics import roc_curve

    events = read_events(y_true, y_prob, classes, event)
    if events.happened.all() or not events.happened.any():
        raise InputError("an event that happens in some cases and not in others", "one outcome only")
    false_alarms, hits, threshold = roc_curve(events.happened, events.p)
    return RocCurve(false_alarms, hits, threshold, _area(events, None))


def _lift(events: Events, depth: float) -> TopOfRanking:
    p, happened = events.p, events.happened
    base = float(happened.mean())
    if depth == 0 or base == 0:
        raise InputError(
            "a depth above 0 and an event that happens", f"depth={depth}, event in {base:.1%} of cases"
        )
    top = max(1, int(np.ceil(depth * p.size - 1e-9)))
    border = np.partition(p, p.size - top)[p.size - top]
    above, tied = p > border, p == border
    fill = (top - np.count_nonzero(above)) / np.count_nonzero(tied)
    rate = float((np.count_nonzero(happened[above]) + fill * np.count_nonzero(happened[tied])) / top)
    return TopOfRanking(rate / base, depth, top, rate, base, above + fill * tied)
