"""An evaluation as a plain dictionary: what JSON holds, and what the page and the terminal show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fivefold import __version__
from fivefold.evaluation.bets_view import BetsView
from fivefold.evaluation.bits_view import BitsView
from fivefold.evaluation.comparisons import Comparison, ModelViews, Ranking
from fivefold.evaluation.evaluation import Evaluation
from fivefold.evaluation.findings import Finding
from fivefold.evaluation.slices_view import SliceRows, SlicesView
from fivefold.evaluation.truth_view import TruthView
from fivefold.report import formats
from fivefold.report.schema import SCHEMA_VERSION
from fivefold.slices.slice_set import Slice, SliceSet
from fivefold.truth.error_estimate import ErrorEstimate

if TYPE_CHECKING:
    from fivefold.evaluation.borders_view import BordersView, RegionMap


def standing(each: Mapping[str, Any], ranking: Mapping[str, Any]) -> str:
    """Write the value by which a model is ranked, and its interval.

    Examples
    --------
    >>> standing({"value": 0.952, "interval": [0.9, 0.98]}, {"view": "accuracy", "unit": "share of cases"})
    '95.2% (90.0% to 98.0%)'
    >>> standing({"value": -0.121, "interval": None}, {"view": "slices", "unit": "share of cases"})
    '−12.1 points'
    """
    if ranking["view"] == "slices":
        return _slices(each)
    if ranking["unit"] == "share of cases":
        text, ends = formats.percent(each["value"]), _ends(each["interval"], formats.percent)
    else:
        digits = 1 if ranking["view"] == "bits" else 3

        def write(value: float) -> str:
            return formats.number(value, digits)

        text, ends = write(each["value"]), _ends(each["interval"], write)
    return f"{text} ({ends})" if ends else text


def _slices(each: Mapping[str, Any]) -> str:
    if each["value"] == 0 and each["interval"] is None:
        return "no group below average beyond chance"
    text = f"{formats.number(100 * each['value'], 1)} points"
    ends = _ends(each["interval"], lambda value: formats.number(100 * value, 1))
    return f"{text} ({ends})" if ends else text


def _ends(interval: Any, write: Any) -> str:
    return "" if interval is None or None in interval else " to ".join(write(end) for end in interval)


Rectangle = tuple[int, int, int, int, int]


def rectangles(grid: Sequence[Sequence[int]]) -> list[Rectangle]:
    """Cover a grid with rectangles: (value, first column, end, first row, end).

    Runs of equal cells in a row are joined with equal runs in the next rows.

    Examples
    --------
    >>> rectangles([[0, 0, 1], [0, 0, 1], [1, 1, 1]])
    [(0, 0, 2, 0, 2), (1, 2, 3, 0, 2), (1, 0, 3, 2, 3)]
    """
    done: list[Rectangle] = []
    open_runs: dict[tuple[int, int, int], int] = {}
    for row, cells in enumerate(grid):
        runs = _runs(cells)
        for run in [run for run in open_runs if run not in runs]:
            done.append((*run, open_runs.pop(run), row))
        for run in runs:
            open_runs.setdefault(run, row)
    done += [(*run, start, len(grid)) for run, start in open_runs.items()]
    return sorted(done, key=lambda found: (found[3], found[1]))


def _runs(cells: Sequence[int]) -> list[tuple[int, int, int]]:
    starts = [0, *(i for i in range(1, len(cells)) if cells[i] != cells[i - 1])]
    ends = [*starts[1:], len(cells)]
    return [(cells[start], start, end) for start, end in zip(starts, ends, strict=True)]


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


def summarise_slices(view: SlicesView | None) -> dict[str, Any] | None:
    """Turn the slices of a model, or of two, into plain numbers, texts, lists and dictionaries.

    Examples
    --------
    >>> summarise_slices(None) is None
    True
    """
    if view is None:
        return None
    found = view.found
    rows = [*map(_rows, view.rows), *[None] * (len(found) - len(view.rows))]
    return {
        "models": list(view.models),
        "pair": list(view.names_of_pair),
        "rate": found.rate,
        "n_agree": found.n_agree,
        "n_cases": found.n_cases,
        "n_tests": found.tests.total,
        "correction": found.tests.correction,
        "alpha": found.tests.alpha,
        "told": str(found),
        "left_out": list(view.left_out),
        "slices": [_slice(one, found, told) for one, told in zip(found, rows, strict=True)],
    }


def _slice(one: Slice, found: SliceSet, rows: dict[str, Any] | None) -> dict[str, Any]:
    return {
        **one.row(),
        "interval": one.interval,
        "python": one.to_python(),
        "known_before": not any(term.column in found.afterwards for term in one.terms),
        "sentence": one.sentence,
        "rows": rows,
    }


def _rows(rows: SliceRows) -> dict[str, Any]:
    return {
        "features": [
            {"name": one.name, "values": one.values, "inside": one.inside, "outside": one.outside}
            for one in rows.features
        ],
        "pairs": [
            {"first": one.first, "second": one.second, "inside": one.inside, "outside": one.outside}
            for one in rows.pairs
        ],
        "measures": [
            {"name": one.name, "unit": one.unit, "inside": one.inside, "outside": one.outside}
            for one in rows.measures
        ],
    }


def shares(feature: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give a row for each value of a feature: its share inside and outside of a slice, in per cent.

    Examples
    --------
    >>> shares({"values": ["a", "b"], "inside": [1, 3], "outside": [0, 0]})
    [{'value': 'a', 'inside': 25.0, 'outside': 0.0}, {'value': 'b', 'inside': 75.0, 'outside': 0.0}]
    """
    inside, outside = sum(feature["inside"]), sum(feature["outside"])
    return [
        {"value": value, "inside": 100 * here / max(inside, 1), "outside": 100 * there / max(outside, 1)}
        for value, here, there in zip(feature["values"], feature["inside"], feature["outside"], strict=True)
    ]


def pair_shares(pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give a row for each pair of truth and answer, as `shares` does for values, with the counts."""
    names = ("inside", "outside")
    table = shares(
        {"values": [pair["first"] for pair in pairs]} | {n: [pair[n] for pair in pairs] for n in names}
    )
    return [
        {**row, "second": pair["second"], "n_inside": pair["inside"], "n_outside": pair["outside"]}
        for row, pair in zip(table, pairs, strict=True)
    ]


def points(pair: Sequence[float]) -> str:
    """Write an interval of shares in points.

    Examples
    --------
    >>> points([-0.1253, 0.02])
    '−12.5 to +2.0'
    """
    return formats.interval([100 * end for end in pair], 1, signed=True)


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


def summarise(evaluation: Evaluation, *, source: str = "", target: str = "") -> dict[str, Any]:
    """Turn an evaluation into plain numbers, texts, lists and dictionaries.

    Numbers that JSON cannot write become texts ("-Infinity", "Infinity") or None (not a number).

    Parameters
    ----------
    evaluation : Evaluation
        What was found.
    source : str
        Where the predictions came from.
    target : str
        Name of the true class's column.
    """
    told: dict[str, Any] = plain(
        {
            "fivefold": __version__,
            "schema": SCHEMA_VERSION,
            "source": source,
            "target": target or evaluation.target,
            "protocol": evaluation.protocol,
            "n_cases": evaluation.n_cases,
            "classes": [str(label) for label in evaluation.classes],
            "random_state": evaluation.random_state,
            "findings": [_finding(finding) for finding in evaluation.findings],
            "models": [_model(model) for model in evaluation.models],
            "rankings": [_ranking(ranking) for ranking in evaluation.rankings],
            "comparisons": [_comparison(comparison) for comparison in evaluation.comparisons],
            "differences": summarise_slices(evaluation.differences),
        }
    )
    return told


def to_json(summary: Mapping[str, Any]) -> str:
    """Write a summary as JSON."""
    return json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "view": finding.view,
        "importance": finding.importance.name.lower(),
        "models": list(finding.models),
        "sentence": finding.sentence,
        "evidence": dict(finding.evidence),
    }


def _model(model: ModelViews) -> dict[str, Any]:
    return {
        "name": model.name,
        "answers_given": model.predictions.answers_given,
        "bits": _bits(model.bits),
        "bets": _bets(model.bets) if model.bets else None,
        "truth": summarise_truth(model.truth),
        "slices": summarise_slices(model.slices),
        "borders": summarise_borders(model.borders),
        "absent": dict(model.absent),
    }


def _bits(view: BitsView) -> dict[str, Any]:
    answers = view.encoding.answers
    return {
        "code": view.encoding.code,
        "saved": view.saved,
        "standard_error": view.standard_error,
        "interval": view.interval,
        "null": view.encoding.null,
        "share": view.share,
        "per_case": view.saved / view.n_cases,
        "orders": view.encoding.shuffled.size,
        "order_sd": view.encoding.sd,
        "given_order": view.encoding.significance,
        "order_matters": view.order_matters,
        "as_printed": view.printed,
        "expected_from_accuracy": view.expected,
        "learned": view.learned,
        "accuracy": view.accuracy,
        "accuracy_interval": view.accuracy_interval,
        "default_class": view.default_class,
        "default_rate": view.default_rate,
        "coverage": answers.coverage,
        "mean_size": answers.mean_size,
        "share_empty": answers.share_empty,
        "share_single": answers.share_single,
        "share_several": answers.share_several,
        "share_full": answers.share_full,
    }


def _bets(view: BetsView) -> dict[str, Any]:
    found = view.reliability
    return {
        "reward": view.reward.mean,
        "reward_standard_error": view.reward.standard_error,
        "reward_interval": view.interval,
        "log_reward": view.log_reward.mean,
        "impossible_rows": view.impossible_rows[:100],
        "n_impossible": view.reward.impossible.size,
        "miscalibration": found.miscalibration,
        "draws": found.floor.draws,
        "noise_floor": found.floor.mean,
        "noise_floor_q95": found.floor.q95,
        "p_value": found.floor.p_value,
        "rms": found.rms,
        "signed": found.signed,
        "signed_standard_error": found.signed_standard_error,
        "advice": found.advice,
        "brier": view.brier,
        "auc": view.area,
        "diagram": dict(view.diagram.columns()),
        "recalibration": _recalibration(view),
    }


def _recalibration(view: BetsView) -> dict[str, Any]:
    if view.recalibration is None:
        return {"maps": None, "note": view.recalibration_note}
    best = view.recalibration.best
    return {
        "maps": view.recalibration.frame().to_dicts(),
        "lost": view.recalibration.lost,
        "best": best.method if best else None,
        "n_folds": view.recalibration.n_splits,
        "note": view.recalibration_note,
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "view": comparison.view,
        "better": comparison.better,
        "worse": comparison.worse,
        "difference": comparison.difference,
        "interval": comparison.interval,
        "adjusted_p_value": comparison.p_value,
        "unit": comparison.unit,
        "test": comparison.test,
        "proven": comparison.proven,
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "view": ranking.view,
        "measure": ranking.measure,
        "unit": ranking.unit,
        "standings": [
            {
                "model": each.model,
                "place": each.place,
                "value": each.value,
                "interval": each.interval,
                "apart_from_best": each.apart,
            }
            for each in ranking.standings
        ],
    }


def plain(value: Any) -> Any:
    """Replace arrays and numpy numbers by what JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        return _number(float(value))
    return int(value) if isinstance(value, np.integer) else value


def _number(value: float) -> float | str | None:
    if np.isnan(value):
        return None
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
