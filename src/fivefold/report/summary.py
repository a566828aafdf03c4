"""An evaluation as a plain dictionary: what JSON holds, and what the page and the terminal show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from fivefold import __version__
from fivefold.evaluate.bets_view import BetsView
from fivefold.evaluate.bits_view import BitsView
from fivefold.evaluate.compare import Comparison
from fivefold.evaluate.evaluation import Evaluation
from fivefold.evaluate.finding import Finding
from fivefold.evaluate.model_views import ModelViews
from fivefold.evaluate.ranking import Ranking
from fivefold.report.borders import summarise_borders
from fivefold.report.schema import SCHEMA_VERSION
from fivefold.report.slices import summarise_slices
from fivefold.report.truth import summarise_truth


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
        "n_folds": view.recalibration.n_folds,
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
