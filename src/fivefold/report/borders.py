"""Borders as plain dictionaries: what JSON holds, and what the page and the charts show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fivefold.report.rectangles import rectangles

if TYPE_CHECKING:
    from fivefold.evaluate.borders_view import BordersView
    from fivefold.evaluate.region_maps import RegionMap


_STEP = 0.04


def summarise_borders(view: BordersView | None) -> dict[str, Any] | None:
    """Turn the borders of a model into plain numbers, texts, lists and dictionaries.

    Classes are positions in ``classes``; distances are below zero for wrong cases.

    Examples
    --------
    >>> summarise_borders(None) is None
    True
    """
    if view is None:
        return None
    found, classes = view.measure, _classes(view)
    shown = view.rows
    place = {label: i for i, label in enumerate(classes)}
    return {
        "measure": found.value,
        "fit": found.fit,
        "similarity_right": found.similarity_right,
        "similarity_wrong": found.similarity_wrong,
        "border_size": found.border_size,
        "border_size_error": found.error,
        "border_size_method": found.method,
        "distance_method": found.distance_method,
        "weights": {name: getattr(found.weights, name) for name in ("a0", "a1", "a2", "k1", "k2")},
        "b": found.b,
        "n_cases": view.n_cases,
        "n_trained": view.n_trained,
        "times_plain_cuts": view.cuts,
        "right_near_border": view.near,
        "spacing": view.spacing,
        "classes": classes,
        "features": list(found.window.names),
        "maps": [_map(each, place) for each in view.maps],
        "cases": {
            "places": view.points,
            "classes": [place[str(label)] for label in found.truth[shown].tolist()],
            "right": found.right[shown],
            "distances": found.distances[shown],
        },
        "histogram": _histogram(view),
    }


def _classes(view: BordersView) -> list[str]:
    """All classes among cases and answers, as text, in their own order."""
    answered = [label for each in view.maps for label in each.classes]
    return [str(label) for label in sorted({*view.measure.truth.tolist(), *answered}, key=_rank)]


def _rank(label: Any) -> tuple[bool, Any]:
    return (not isinstance(label, (int, float)), label if isinstance(label, (int, float)) else str(label))


def _map(each: RegionMap, place: dict[str, int]) -> dict[str, Any]:
    """Describe a map by rectangles of one class each, in the features' own units."""
    codes = np.array([place[str(label)] for label in each.classes])
    (left, bottom), (right, top) = (_two(ends, other) for ends, other in ((each.low, 0.0), (each.high, 1.0)))
    rows, columns = each.answers.shape
    across, up = np.linspace(left, right, columns + 1), np.linspace(bottom, top, rows + 1)
    return {
        "columns": each.columns,
        "names": each.names,
        "low": [left, bottom],
        "high": [right, top],
        "regions": [
            {"class": value, "x": across[x], "x2": across[x2], "y": up[y], "y2": up[y2]}
            for value, x, x2, y, y2 in rectangles(codes[each.answers].tolist())
        ],
        "lines": each.lines,
        "middle": each.middle,
    }


def _two(ends: NDArray[np.float64], other: float) -> tuple[float, float]:
    """Ends across and up; where there is one feature, the picture is from 0 to 1 high."""
    return float(ends[0]), float(ends[1]) if ends.size > 1 else other


def _histogram(view: BordersView) -> dict[str, Any]:
    """Count the cases by their signed distance; the first and the last step hold all that is beyond."""
    bins = np.clip(np.floor(view.measure.distances / _STEP), -10, 19)
    # A right case upon the border belongs to the right ones, whatever the sign of its zero.
    bins = np.where(view.measure.right, np.maximum(bins, 0), np.minimum(bins, -1)).astype(int)
    found, counts = np.unique(bins, return_counts=True)
    return {"step": _STEP, "bins": found, "counts": counts}
