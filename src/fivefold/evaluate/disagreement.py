"""Where the views disagree about which model is better: said first, for it is what accuracy hides."""

from __future__ import annotations

from collections.abc import Sequence

from fivefold.evaluate.compare import Comparison
from fivefold.evaluate.finding import Finding
from fivefold.evaluate.model_views import ModelViews

_WHY = {
    "bits": "its answers, single or several, tell more about the truth",
    "bets": "its probabilities are worth more",
}


def find_disagreements(
    models: Sequence[ModelViews], comparisons: Sequence[Comparison]
) -> tuple[Finding, ...]:
    """Report each view that proves another model better than the one that accuracy prefers."""
    if len(models) < 2:
        return ()
    favourite = max(models, key=lambda model: model.bits.accuracy)
    return tuple(
        _finding(models, favourite, comparison)
        for comparison in comparisons
        if comparison.worse == favourite.name
        and (comparison.proven or comparison.difference == float("inf"))
        and _accuracy(models, comparison.better) < favourite.bits.accuracy
    )


def _accuracy(models: Sequence[ModelViews], name: str) -> float:
    return next(model.bits.accuracy for model in models if model.name == name)


def _finding(models: Sequence[ModelViews], favourite: ModelViews, comparison: Comparison) -> Finding:
    other = _accuracy(models, comparison.better)
    sentence = (
        f"Accuracy prefers {favourite.name} ({favourite.bits.accuracy:.1%} against {other:.1%}); "
        f"{comparison.view} prefers {comparison.better}, because {_WHY[comparison.view]}: "
        f"{comparison.finding().sentence}"
    )
    evidence = {
        "accuracy": {favourite.name: favourite.bits.accuracy, comparison.better: other},
        **comparison.finding().evidence,
    }
    return Finding("views", (comparison.better, favourite.name), sentence, evidence)
