"""The trust in an error as a plain dictionary: what JSON holds, and what the page shows."""

from __future__ import annotations

from typing import Any

from fivefold.evaluate.truth_view import TruthView
from fivefold.truth.error_estimate import ErrorEstimate


def summarise_truth(view: TruthView | None) -> dict[str, Any] | None:
    """Turn what is known of a model's error into plain numbers, texts, lists and dictionaries.

    Examples
    --------
    >>> summarise_truth(None) is None
    True
    """
    if view is None:
        return None
    return {
        "n_wrong": view.n_wrong,
        "n_cases": view.n_cases,
        "error": view.error,
        "interval": view.interval,
        "n_trained": view.n_trained,
        "cross_validation": None if view.estimate is None else _estimate(view.estimate),
        "note": view.learner.note,
        "at_odds": view.at_odds,
    }


def _estimate(estimate: ErrorEstimate) -> dict[str, Any]:
    limits = estimate.interval
    return {
        "error": estimate.best_guess,
        "method": estimate.description,
        "n_fits": estimate.n_fits,
        "interval": None if limits is None else (limits.low, limits.high),
        "interval_by": None if limits is None else limits.kind,
    }
