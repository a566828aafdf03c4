"""The models in the order in which one view prefers them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fivefold.evaluate.compare import Comparison
from fivefold.evaluate.model_views import ModelViews

Interval = tuple[float, float]


@dataclass(frozen=True)
class Standing:
    """One model's place in one view.

    Parameters
    ----------
    model : str
        The model.
    place : int
        Its place, from 1; equal values share one.
    value : float
        What it is ranked by.
    interval : (float, float) or None
        The 95% interval of the value, where there is one.
    apart : bool or None
        Whether chance is ruled out as the reason why it stands below the best; None for the best, and where no
        test was made.
    """

    model: str
    place: int
    value: float
    interval: Interval | None
    apart: bool | None


@dataclass(frozen=True)
class Ranking:
    """All models that a view can judge, the best first.

    Parameters
    ----------
    view : str
        The view; "accuracy" beside the five.
    measure : str
        What the models are ranked by.
    unit : str
        Its unit.
    standings : tuple of Standing
        The best first.
    """

    view: str
    measure: str
    unit: str
    standings: tuple[Standing, ...]

    @property
    def best(self) -> tuple[str, ...]:
        """The model in the first place, or several."""
        return tuple(each.model for each in self.standings if each.place == 1)


@dataclass(frozen=True)
class _Row:
    model: str
    value: float
    interval: Interval | None = None


def rank_models(models: Sequence[ModelViews], comparisons: Sequence[Comparison]) -> tuple[Ranking, ...]:
    """Rank the models in every view that can judge at least two of them."""
    ranked = []
    for view, (measure, unit, row_of) in _MEASURES.items():
        judged = [row for row in map(row_of, models) if row is not None]
        if len(judged) >= 2:
            ranked.append(Ranking(view, measure, unit, _standings(view, judged, comparisons)))
    return tuple(ranked)


def _standings(view: str, rows: Sequence[_Row], comparisons: Sequence[Comparison]) -> tuple[Standing, ...]:
    # errors are the only thing of which less is better
    sign = -1 if view == "truth" else 1
    ordered = sorted(rows, key=lambda row: -sign * row.value)
    values = np.array([sign * row.value for row in ordered])
    apart = {(each.better, each.worse): each.told_apart for each in comparisons if each.view == view}
    return tuple(
        Standing(
            row.model,
            1 + int(np.count_nonzero(values > sign * row.value)),
            row.value,
            row.interval,
            apart.get((ordered[0].model, row.model)),
        )
        for row in ordered
    )


def _by_accuracy(model: ModelViews) -> _Row:
    return _Row(model.name, model.bits.accuracy, model.bits.accuracy_interval)


def _by_bits(model: ModelViews) -> _Row:
    return _Row(model.name, model.bits.saved, _finite(model.bits.interval))


def _by_bets(model: ModelViews) -> _Row | None:
    if model.bets is None:
        return None
    found = model.bets.log_reward
    margin = 1.96 * found.standard_error
    return _Row(model.name, found.mean, _finite((found.mean - margin, found.mean + margin)))


def _by_truth(model: ModelViews) -> _Row | None:
    estimate = model.truth.estimate if model.truth else None
    if estimate is None:
        return None
    found = estimate.interval
    return _Row(model.name, estimate.best_guess, (found.low, found.high) if found else None)


def _by_slices(model: ModelViews) -> _Row | None:
    if model.slices is None:
        return None
    worst = model.slices.worst
    return _Row(model.name, worst.difference, worst.interval) if worst else _Row(model.name, 0.0)


def _by_borders(model: ModelViews) -> _Row | None:
    return _Row(model.name, model.borders.measure.value) if model.borders else None


def _finite(interval: Interval) -> Interval | None:
    return interval if np.all(np.isfinite(interval)) else None


_MEASURES: Mapping[str, tuple[str, str, Callable[[ModelViews], _Row | None]]] = {
    "accuracy": ("right answers", "share of cases", _by_accuracy),
    "bits": ("bits saved", "bits", _by_bits),
    "bets": ("reward of one who bets on all classes", "bits a case", _by_bets),
    "truth": ("error in cross-validation", "share of cases", _by_truth),
    "slices": ("costliest group of cases against the average", "share of cases", _by_slices),
    "borders": ("measure of the borders", "", _by_borders),
}
