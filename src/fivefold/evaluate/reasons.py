"""Why one view prefers another model than accuracy does: the class on which the two differ most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from fivefold.evaluate.model_views import ModelViews
from fivefold.results.wording import say_rows

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reason:
    """A clause that follows "because", and its numbers."""

    clause: str
    evidence: dict[str, Any]


def why_bits(better: ModelViews, worse: ModelViews) -> Reason:
    """Find the true class on which the better model saves most bits more, and how often each names it."""
    gains = worse.bits.encoding.mean_per_example - better.bits.encoding.mean_per_example
    truth = better.predictions.truth
    by_class = np.bincount(truth, gains, minlength=better.predictions.n_classes)
    place = int(by_class.argmax())
    cases = truth == place
    label = better.predictions.classes[place]
    named = [float(_named(model)[cases].mean()) for model in (better, worse)]
    alone = "names" if all(model.predictions.answers.ndim == 1 for model in (better, worse)) else "includes"
    clause = (
        f"on the {int(cases.sum()):,} cases of {_say(label)} it saves {by_class[place]:,.1f} bits more: it "
        f"{alone} that class in {named[0]:.1%} of them, {worse.name} in {named[1]:.1%}"
    )
    evidence = {
        "class": str(label),
        "cases_of_class": int(cases.sum()),
        "bits_more_on_class": float(by_class[place]),
        "named": {better.name: named[0], worse.name: named[1]},
    }
    return Reason(clause, evidence)


def why_bets(better: ModelViews, worse: ModelViews) -> Reason:
    """Find the class on which the worse model loses most, and whether it is too sure of it."""
    assert better.bets is not None
    assert worse.bets is not None
    ruined = worse.bets.log_reward.impossible
    if ruined.size and not better.bets.log_reward.impossible.size:
        said = worse.predictions.rows
        rows = ruined if said is None else said[ruined]
        clause = f"{worse.name} gave probability 0 to the true class of {say_rows(rows, 3)}"
        return Reason(clause, {"n_ruled_out": int(ruined.size), "ruled_out_rows": rows[:100].tolist()})
    gains = better.bets.log_reward.per_example - worse.bets.log_reward.per_example
    likely = _most_likely(worse)
    by_class = np.bincount(
        likely, np.where(np.isfinite(gains), gains, 0.0), minlength=worse.predictions.n_classes
    )
    return _confidence(worse, int(by_class.argmax()), likely, float(by_class.max()))


def _confidence(model: ModelViews, place: int, likely: NDArray[np.int64], gain: float) -> Reason:
    said = model.predictions
    cases = likely == place
    label, n = said.classes[place], int(cases.sum())
    stated = _probability_of(model, place)[cases]
    happened = said.truth[cases] == place
    gap = float(stated.mean() - happened.mean())
    # under the stated probabilities, the share that happens has this standard error
    error = float(np.sqrt(np.sum(stated * (1 - stated)))) / n
    p_value = float(2 * norm.sf(abs(gap) / error)) if error > 0 else float(gap == 0)
    evidence = {
        "class": str(label),
        "cases": n,
        "mean_probability": float(stated.mean()),
        "happened": float(happened.mean()),
        "p_value": p_value,
        "bits_lost_on_class": gain,
    }
    measured = f"{stated.mean():.1%} stated, {happened.mean():.1%} happened in {n:,} cases"
    if p_value < 0.05 / said.n_classes:
        way = "over-confident" if gap > 0 else "under-confident"
        return Reason(f"{model.name} is {way} where it expects {_say(label)} ({measured})", evidence)
    clause = f"{model.name} loses {gain:,.1f} bits where it expects {_say(label)} ({measured})"
    return Reason(clause, evidence)


def _named(model: ModelViews) -> NDArray[np.bool_]:
    """Say in which cases the true class is among the answers."""
    said = model.predictions
    if said.answers.ndim == 1:
        return model.right
    return np.asarray(said.answers[np.arange(said.n_cases), said.truth])


def _most_likely(model: ModelViews) -> NDArray[np.int64]:
    prob = model.predictions.probabilities
    assert prob is not None
    return np.asarray(prob > 0.5 if prob.ndim == 1 else prob.argmax(axis=1), dtype=np.int64)


def _probability_of(model: ModelViews, place: int) -> Floats:
    prob = model.predictions.probabilities
    assert prob is not None
    if prob.ndim == 2:
        return np.asarray(prob[:, place], dtype=np.float64)
    return np.asarray(prob if place == 1 else 1 - prob, dtype=np.float64)


def _say(label: Any) -> str:
    return repr(label.item() if isinstance(label, np.generic) else label)
