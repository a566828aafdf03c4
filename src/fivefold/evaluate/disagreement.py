"""Where the views disagree about which model is better: said first, for it is what accuracy hides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fivefold.evaluate.compare import Comparison
from fivefold.evaluate.finding import Finding, Importance
from fivefold.evaluate.model_views import ModelViews
from fivefold.evaluate.reasons import Reason, why_bets, why_bits
from fivefold.results.wording import say_p

_WHY: Mapping[str, Callable[[ModelViews, ModelViews], Reason]] = {"bits": why_bits, "bets": why_bets}


def find_disagreements(
    models: Sequence[ModelViews], comparisons: Sequence[Comparison]
) -> tuple[Finding, ...]:
    """Report each model that bits or bets prove better than the one that accuracy prefers."""
    if len(models) < 2:
        return ()
    by_name = {model.name: model for model in models}
    favourite = max(models, key=lambda model: model.bits.accuracy)
    preferred: dict[str, list[Comparison]] = {}
    for each in comparisons:
        less_often_right = by_name[each.better].bits.accuracy < favourite.bits.accuracy
        if each.view in _WHY and each.worse == favourite.name and each.told_apart and less_often_right:
            preferred.setdefault(each.better, []).append(each)
    accuracy = {each.worse: each for each in comparisons if each.view == "accuracy"}
    agreeing = {
        each.view: None for each in comparisons if each.view in _WHY and each.better == favourite.name
    }
    return tuple(
        _finding(by_name[name], favourite, proofs, accuracy[name], list(agreeing))
        for name, proofs in preferred.items()
    )


def _finding(
    other: ModelViews,
    favourite: ModelViews,
    proofs: Sequence[Comparison],
    accuracy: Comparison,
    agreeing: Sequence[str],
) -> Finding:
    reasons = {each.view: _WHY[each.view](other, favourite) for each in proofs}
    views = " and ".join(reasons)
    for_it = f"Accuracy and {' and '.join(agreeing)} prefer" if agreeing else "Accuracy prefers"
    doubt = ", " if accuracy.proven else ", which could be chance: "
    because = "; ".join(
        f"{f'in {each.view}, ' if len(proofs) > 1 else ''}{reasons[each.view].clause}" for each in proofs
    )
    sentence = (
        f"{for_it} {favourite.name} (accuracy {favourite.bits.accuracy:.1%} against "
        f"{other.bits.accuracy:.1%}{doubt}adjusted {say_p(accuracy.p_value)}); {views} "
        f"prefer {other.name}, because {because}. {_proof(proofs)}"
    )
    evidence = {
        "accuracy": {favourite.name: favourite.bits.accuracy, other.name: other.bits.accuracy},
        "accuracy_adjusted_p_value": accuracy.p_value,
    }
    for each in proofs:
        evidence[each.view] = {**each.evidence(), **reasons[each.view].evidence}
    return Finding("views", (other.name, favourite.name), sentence, evidence, Importance.DISAGREEMENT)


def _proof(proofs: Sequence[Comparison]) -> str:
    told = [f"{each.measured()} in {each.view}" for each in proofs if each.difference != float("inf")]
    better = [f"{proofs[0].better} is better by {' and by '.join(told)}."] if told else []
    ruin = [f"One who bets by {proofs[0].worse} loses everything."] if len(told) < len(proofs) else []
    return " ".join([*better, *ruin])
