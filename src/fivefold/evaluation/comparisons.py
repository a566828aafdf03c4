"""Models beside each other: which is better in each view, and where the views disagree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from fivefold.bits.codes import Encoding
from fivefold.bits.coverage import cover
from fivefold.errors import InputError
from fivefold.evaluation.evaluation import ModelViews
from fivefold.evaluation.findings import (
    ALPHA,
    MOST_ROWS,
    OFTEN,
    POINTS,
    Advantage,
    Finding,
    Importance,
    Ranking,
    Standing,
    decimals,
    few,
    roughly,
)
from fivefold.evaluation.models import CameFitted, Trained
from fivefold.formulas import Pooled, joint_level, mean_interval, mean_p_value, sign_test
from fivefold.inputs._kernels import AT_ONCE
from fivefold.inputs.answers import of_all_classes
from fivefold.inputs.groups import Groups
from fivefold.inputs.labels import plain_item
from fivefold.inputs.options import open_fraction
from fivefold.plain_text import counted
from fivefold.results import Interval, say_p, say_rows
from fivefold.training.repeats import CHANCE, find_seen
from fivefold.truth.paired_tests import from_wrong
from fivefold.truth.rows_needed import RowsNeeded

Floats = NDArray[np.float64]
# A clause that follows "because", and its numbers.
Reason = tuple[str, dict[str, Any]]

_NO_INTERVAL = float("nan"), float("nan")
MOST_NAMED = 12
MOST_PAIRS = 400  # of 20 models in two views; their correlations are a matrix of this size
MOST_CORRELATED = 20_000
LEAST_SHARE = 0.01  # of the cases: fewer change the accuracy by less than a point
SELDOM = 0.01


@dataclass(frozen=True, eq=False)
class _Scores:
    """A number of every model for each case, the more the better, and how two of them are compared.

    Numbers are made when they are asked for, so that no model's are kept.
    """

    like: Advantage
    models: Sequence[ModelViews]
    score: Callable[[ModelViews, Any], Floats]
    bounds: Callable[[int, int], Interval]

    @property
    def n_cases(self) -> int:
        return self.models[0].predictions.n_cases

    @property
    def groups(self) -> Groups | None:
        return self.models[0].predictions.groups

    def differences(self) -> Iterator[Floats]:
        """Give the differences of all pairs of models, case by case or group by group; of very many cases some."""
        rows: Any = ...
        if self.groups is None and self.n_cases > MOST_CORRELATED:
            rows = np.random.default_rng(0).choice(self.n_cases, MOST_CORRELATED, replace=False)
        for first, second in combinations(self.models, 2):
            with np.errstate(invalid="ignore"):
                difference = self.score(first, rows) - self.score(second, rows)
                yield difference if self.groups is None else self.groups.totals(difference)

    def parts(self) -> Iterator[slice]:
        """Give all cases in parts, so that a number of them is never there for all at once."""
        return (slice(start, start + AT_ONCE) for start in range(0, self.n_cases, AT_ONCE))

    def mean(self, model: ModelViews) -> float:
        """Give the mean score of a model over all cases."""
        return sum(float(self.score(model, rows).sum()) for rows in self.parts()) / self.n_cases

    def test(self, first: int, second: int, alpha: float) -> tuple[float, Interval, float]:
        """Give the mean difference of two models by their places, its interval, and the p-value of none."""
        bounds = self.bounds(first, second)
        if np.isnan(bounds[0]):
            return float("nan"), _NO_INTERVAL, float("nan")

        def difference(rows: Any) -> Floats:
            return self.score(self.models[first], rows) - self.score(self.models[second], rows)

        values: Pooled | Floats
        if self.groups is None:
            values = Pooled.of(lambda: map(difference, self.parts()))
            mean = values.mean
        else:
            values = difference(...)
            mean = float(values.mean())
        interval = mean_interval(values, *bounds, alpha, self.groups)
        if isinstance(values, Pooled) and self.like.view == "accuracy":
            more, fewer = values.times[values.points > 0].sum(), values.times[values.points < 0].sum()
            p_value = sign_test(int(more), int(fewer))
            return mean, _as_tested(interval, mean, p_value < alpha), p_value
        return mean, interval, mean_p_value(values, *bounds, groups=self.groups)

    def compare(self, level: float) -> list[Advantage]:
        """Compare the best with every other; each test may err with a given probability."""
        best = int(np.argmax([self.mean(model) for model in self.models]))
        advantages = []
        for place, other in enumerate(self.models):
            if place == best:
                continue
            difference, interval, p_value = self.test(best, place, level)
            pair = (self.models[best], other)
            ruined = [model.name for model in pair if self.like.view == "bets" and _is_ruined(model)]
            advantage = replace(
                self.like,
                better=pair[0].name,
                worse=other.name,
                difference=difference,
                interval=interval,
                adjusted_p_value=float(np.minimum(1.0, p_value * ALPHA / level)),
                ruined=tuple(ruined),
                level=level,
            )
            advantages.append(advantage)
        return advantages


def _as_tested(interval: Interval, mean: float, proven: bool) -> Interval:
    """Let an interval leave 0 out where the exact test does, and only there: its law is approximate."""
    (low, high), beside = interval, float(np.nextafter(0.0, mean))
    if not proven:
        return min(low, 0.0), max(high, 0.0)
    return (max(low, beside), high) if mean > 0 else (low, min(high, beside))


def best_first(models: Sequence[ModelViews]) -> list[ModelViews]:
    """Sort models by what they reach, so that what is said does not depend on the order in which they came."""
    won = {model.name: model.bets.mean_log_reward if model.bets else -math.inf for model in models}
    return sorted(models, key=lambda one: (-one.bits.accuracy, -one.bits.saved, -won[one.name], one.name))


def compare_models(models: Sequence[ModelViews]) -> tuple[Advantage, ...]:
    """Compare the best model of accuracy, bits and bets with every other, on the same cases.

    The best is only known from the same cases, and a model is called better whichever view proves it. So p-values
    and intervals are adjusted for all pairs of models in all views, not only for those that are shown.
    """
    if len(models) < 2:
        return ()
    models = best_first(models)
    views = [_accuracy(models), _bits(models), *_rewards(models)]
    level = _level_together(views)
    return tuple(pair for view in views for pair in view.compare(level))


def say_hurried(models: Sequence[ModelViews]) -> str:
    """Say for which models there was no time, of which the same seed may tell more elsewhere."""
    late = [model.truth for model in models if model.truth and model.truth.hurried]
    if not late:
        return ""
    names = few([truth.model for truth in late]) + (":" if len(late) == 1 else f"; of {late[0].model},")
    return (
        f"No time for all fits of {names} {late[0].note}. What there is time for depends on the machine "
        "and what else it does; --budget all (budget=float('inf')) leaves out nothing."
    )


def say_many(models: Sequence[ModelViews]) -> str:
    """Say how very many models are compared; empty of fewer."""
    n_stating = sum(model.bets is not None for model in models)
    if 2 * math.comb(len(models), 2) + math.comb(n_stating, 2) <= MOST_PAIRS:
        return ""
    return (
        f"With {len(models):,} models, the best of each view is compared with every other; p-values are adjusted "
        "for the number of all pairs, not for their correlation."
    )


def _accuracy(models: Sequence[ModelViews]) -> _Scores:
    """Give 100 for each right answer."""
    test = "McNemar's, exact" if models[0].predictions.groups is None else "of sums over groups"
    like = Advantage("accuracy", "", "", 0.0, _NO_INTERVAL, 1.0, POINTS, test)

    def score(model: ModelViews, rows: Any) -> Floats:
        return np.asarray(100.0 * model.right[rows].astype(np.float64))

    return _Scores(like, models, score, lambda first, second: (-100.0, 100.0))


def _bits(models: Sequence[ModelViews]) -> _Scores:
    """Give the bits of each case, below zero; they differ by at most what the dearest case of a model costs."""
    dearest = [_dearest(model.bits.encoding) for model in models]

    def score(model: ModelViews, rows: Any) -> Floats:
        encoding = model.bits.encoding
        return np.asarray(-encoding.mean_by_cell[encoding.cells.codes[rows]])

    like = Advantage("bits", "", "", 0.0, _NO_INTERVAL, 1.0, "bits a case")
    return _Scores(like, models, score, lambda first, second: (-dearest[first], dearest[second]))


def _dearest(encoding: Encoding) -> float:
    """Give the bits of the dearest case, be it one that was not seen: an answer and a class that never met.

    Such a case costs what it costs without any answer, and all the trust that the answer has won. Without it one
    error would be proof against none: it makes every case of the model dearer.
    """
    cells = encoding.cells
    seen = float(encoding.mean_by_cell[cells.counts > 0].max())
    return max(seen, encoding.null / cells.n_cases + math.log2(cells.trusted + 1)) if cells.trusted else seen


def _level_together(views: Sequence[_Scores]) -> float:
    """Give the level of each comparison at which all pairs in all views together err in at most 5 % of samples.

    Tests of the same cases go together, so this takes less than dividing by their number. How far they do is
    known only from the cases in which models differ: the fewer these are, the less of the correlation counts.
    Of very many pairs nobody counts it: there the level is divided by their number.
    """
    n_pairs = sum(math.comb(len(view.models), 2) for view in views)
    if n_pairs > MOST_PAIRS:
        return ALPHA / n_pairs
    weighed = [_weigh(difference) for view in views for difference in view.differences()]
    correlation = np.array([[first @ second for second in weighed] for first in weighed])
    np.fill_diagonal(correlation, 1.0)
    return joint_level(correlation, ALPHA)


def _weigh(difference: Floats) -> Floats:
    """Scale differences so that the products of two rows of them are the correlation that counts."""
    square = difference**2
    centred = difference - difference.mean()
    length = math.sqrt(float(centred @ centred))
    if not np.isfinite(length) or length == 0.0:
        return np.zeros(difference.size)
    n_telling = float(square.sum() ** 2 / (square @ square))
    return np.asarray(centred * (math.sqrt(max(0.0, 1 - 2 / math.sqrt(n_telling))) / length))


def _rewards(models: Sequence[ModelViews]) -> list[_Scores]:
    """Give what is won by betting on all classes, where two models or more state probabilities."""
    judged = [model for model in models if model.bets]
    if len(judged) < 2:
        return []

    def bounds(first: int, second: int) -> Interval:
        if _is_ruined(judged[first]) or _is_ruined(judged[second]):
            return _NO_INTERVAL
        return _bounds_of_difference(judged[first], judged[second])

    def score(model: ModelViews, rows: Any) -> Floats:
        assert model.bets is not None
        return np.asarray(model.bets.log_reward.per_example[rows])

    like = Advantage("bets", "", "", 0.0, _NO_INTERVAL, 1.0, "bits a case")
    return [_Scores(like, judged, score, bounds)]


def _is_ruined(model: ModelViews) -> bool:
    return model.bets is not None and model.bets.log_reward.impossible.size > 0


def _bounds_of_difference(first: ModelViews, second: ModelViews) -> Interval:
    """Give the least and the most by which the rewards can differ in a case, whichever class is true there."""
    low, high = np.inf, -np.inf
    for start in range(0, first.predictions.n_cases, AT_ONCE):
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = slice(start, start + AT_ONCE)
            logs = [np.log2(_probabilities(model, rows)) for model in (first, second)]
            # where both rule out the same class, it ruins both alike
            difference = np.nan_to_num(logs[0] - logs[1], nan=0.0, posinf=np.inf, neginf=-np.inf)
        low, high = min(low, float(difference.min())), max(high, float(difference.max()))
    return low, high


def advantage_findings(advantages: Sequence[Advantage], view: str) -> list[Finding]:
    """Say what a view proves one by one, and what it does not in a single sentence."""
    shown = [advantage for advantage in advantages if advantage.view == view]
    unproven = [pair for pair in shown if not pair.proven and not pair.ruined]
    findings = [pair.finding() for pair in shown if pair.proven or pair.ruined]
    if len(unproven) < 2:
        return findings + [pair.finding() for pair in unproven]
    best, others = unproven[0].better, [pair.worse for pair in unproven]
    least = min(pair.adjusted_p_value for pair in unproven)
    apart = f"{best} cannot be told apart from {few(others, MOST_NAMED)}"
    sentence = f"By {view}, {apart} (smallest adjusted {say_p(least)})."
    evidence = {pair.worse: pair.evidence() for pair in unproven}
    return [*findings, Finding(view, (best, *others), sentence, evidence, Importance.DETAIL)]


def rank_models(models: Sequence[ModelViews], advantages: Sequence[Advantage]) -> tuple[Ranking, ...]:
    """Rank the models in every view that can judge at least two of them."""
    rankings = []
    for view, (measure, unit, measured) in _MEASURES.items():
        values = {model.name: measured(model) for model in best_first(models)}
        judged = {name: value for name, value in values.items() if value is not None}
        if len(judged) >= 2:
            standings = _standings(view, judged, advantages)
            if view == "slices":
                about = {model.name: model.slices.worst_conditions or "" for model in models if model.slices}
                standings = tuple(replace(row, about=about[row.model]) for row in standings)
            rankings.append(Ranking(view, measure, unit, standings))
    return tuple(rankings)


Measured = tuple[float, Interval | None]


def _standings(
    view: str, judged: Mapping[str, Measured], advantages: Sequence[Advantage]
) -> tuple[Standing, ...]:
    # errors are the only thing of which less is better
    sign = -1 if view == "truth" else 1
    order = sorted(judged, key=lambda name: -sign * judged[name][0])
    apart = {
        (pair.better, pair.worse): pair.proven for pair in advantages if pair.view == view and not pair.ruined
    }
    worse_first = np.sort([sign * value for value, _ in judged.values()])
    return tuple(
        Standing(
            name,
            1 + len(judged) - int(np.searchsorted(worse_first, sign * judged[name][0], side="right")),
            *judged[name],
            apart.get((order[0], name)),
        )
        for name in order
    )


def _by_bets(model: ModelViews) -> Measured | None:
    if model.bets is None:
        return None
    interval = model.bets.log_reward.interval
    return model.bets.mean_log_reward, None if np.isnan(interval[0]) else interval


def _by_truth(model: ModelViews) -> Measured | None:
    if model.truth is None or model.truth.learner_error is None:
        return None
    return model.truth.learner_error, model.truth.learner_interval


def _by_slices(model: ModelViews) -> Measured | None:
    if model.slices is None:
        return None
    worst, n_cases = model.slices.worst, model.slices.found.n_cases
    if worst is None:
        return 0.0, None
    low, high = (worst.n * end / n_cases for end in worst.interval)
    return worst.effect_size / n_cases, (low, high)


_MEASURES: Mapping[str, tuple[str, str, Callable[[ModelViews], Measured | None]]] = {
    "accuracy": ("right answers", "share of cases", attrgetter("bits.accuracy", "bits.accuracy_interval")),
    "bits": (
        "share of all bits saved",
        "share of bits",
        attrgetter("bits.share", "bits.saved_share_interval"),
    ),
    "bets": ("reward for betting on all classes", "bits a case", _by_bets),
    "truth": ("error in cross-validation", "share of cases", _by_truth),
    "slices": ("accuracy lost in the costliest group of cases", "share of cases", _by_slices),
    "borders": (
        "measure of the borders",
        "",
        lambda model: (model.borders.measure, None) if model.borders else None,
    ),
}


def find_disagreements(models: Sequence[ModelViews], advantages: Sequence[Advantage]) -> list[Finding]:
    """Report each model that bits or bets prove better than the one that accuracy prefers."""
    if len(models) < 2:
        return []
    by_name = {model.name: model for model in models}
    favourite = best_first(models)[0]
    preferred: dict[str, list[Advantage]] = {}
    for pair in advantages:
        less_often_right = by_name[pair.better].bits.accuracy < favourite.bits.accuracy
        if pair.view in _WHY and pair.worse == favourite.name and pair.proven and less_often_right:
            preferred.setdefault(pair.better, []).append(pair)
    return [_disagreement(by_name[name], favourite, proofs, advantages) for name, proofs in preferred.items()]


def _disagreement(
    other: ModelViews, favourite: ModelViews, proofs: Sequence[Advantage], advantages: Sequence[Advantage]
) -> Finding:
    pairs = [one for one in advantages if {one.better, one.worse} == {other.name, favourite.name}]
    accuracy = next(one for one in pairs if one.view == "accuracy")
    agreeing = [one.view for one in pairs if one.view in _WHY and one.proven and one.better == favourite.name]
    reasons = {proof.view: _WHY[proof.view](other, favourite) for proof in proofs}
    for_it = f"Accuracy and {' and '.join(agreeing)} prefer" if agreeing else "Accuracy prefers"
    doubt = ", " if accuracy.proven else ", which could be chance: "
    because = [
        f" By {proof.view}, {other.name} is better by {proof.measured()}, because {reasons[proof.view][0]}."
        for proof in proofs
    ]
    sentence = (
        f"{for_it} {favourite.name} (accuracy {favourite.bits.accuracy:.1%} against "
        f"{other.bits.accuracy:.1%}{doubt}adjusted {say_p(accuracy.adjusted_p_value)}), but "
        f"{' and '.join(reasons)} prefer {other.name}.{''.join(because)}"
    )
    evidence = {
        "accuracy": {favourite.name: favourite.bits.accuracy, other.name: other.bits.accuracy},
        "accuracy_adjusted_p_value": accuracy.adjusted_p_value,
        **{proof.view: proof.evidence() | reasons[proof.view][1] for proof in proofs},
    }
    # who is right more often by chance may be right less often on other cases
    about, claims = (other.name, favourite.name), ("disagreement",) if accuracy.proven or agreeing else ()
    return Finding("views", about, sentence, evidence, Importance.DISAGREEMENT, claims)


def _why_bits(better: ModelViews, worse: ModelViews) -> Reason:
    """Find the true class on which the better model saves most bits more, and how often both name it."""
    truth = better.predictions.truth
    by_class = _bits_by_class(worse) - _bits_by_class(better)
    place = int(by_class.argmax())
    cases = truth == place
    label = plain_item(better.predictions.classes[place])
    named = [float(model.predictions.covered()[cases].mean()) for model in (better, worse)]
    alone = "names" if all(model.predictions.answers.ndim == 1 for model in (better, worse)) else "includes"
    tells = "its answers tell that class, though it" if named[0] < named[1] else "it"
    clause = (
        f"on the {counted(int(cases.sum()), 'case')} of {label!r} it saves {by_class[place]:,.1f} bits more: "
        f"{tells} {alone} that class in {named[0]:.1%} of them, {worse.name} in {named[1]:.1%}"
    )
    return clause, {
        "class": str(label),
        "cases_of_class": int(cases.sum()),
        "bits_more_on_class": float(by_class[place]),
        "named": {better.name: named[0], worse.name: named[1]},
    }


def _bits_by_class(model: ModelViews) -> Floats:
    encoding, cells = model.bits.encoding, model.bits.encoding.cells
    bits = encoding.mean_by_cell * cells.counts
    return np.bincount(cells.labels, bits, minlength=cells.n_classes).astype(np.float64)


def _why_bets(better: ModelViews, worse: ModelViews) -> Reason:
    """Find the class on which the worse model loses most, and whether it is too sure of it."""
    assert better.bets is not None
    assert worse.bets is not None
    wins, losses = better.bets.log_reward.per_example, worse.bets.log_reward.per_example
    n, k = worse.predictions.n_cases, worse.predictions.n_classes
    likely, by_class = np.empty(n, dtype=np.min_scalar_type(k)), np.zeros(k)
    for start in range(0, n, AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        likely[rows] = _probabilities(worse, rows).argmax(axis=1)
        by_class += np.bincount(likely[rows], np.asarray(wins[rows]) - losses[rows], minlength=k)
    return _confidence(worse, int(by_class.argmax()), likely, float(by_class.max()))


def _confidence(model: ModelViews, place: int, likely: NDArray[Any], gain: float) -> Reason:
    predictions, prob = model.predictions, model.predictions.probabilities
    assert prob is not None
    cases = likely == place
    label, n = plain_item(predictions.classes[place]), int(cases.sum())
    column = prob[:, place] if prob.ndim == 2 else prob if place else 1 - prob
    stated = np.asarray(column[cases], dtype=np.float64)
    happened = predictions.truth[cases] == place
    gap = float(stated.mean() - happened.mean())
    # however unequal what is stated, so few (so many) are hardly more probable than by its mean (Hoeffding, 1956)
    hits, mean = int(np.count_nonzero(happened)), min(float(stated.mean()), 1.0)
    p_value = min(1.0, 2 * float(bdtr(hits, n, mean) if gap > 0 else bdtr(n - hits, n, 1 - mean)))
    if predictions.groups is not None:
        p_value = mean_p_value(stated - happened, -1.0, 1.0, groups=predictions.groups.part(cases))
    evidence = {
        "class": str(label),
        "cases": n,
        "mean_probability": float(stated.mean()),
        "happened": float(happened.mean()),
        "p_value": p_value,
        "bits_lost_on_class": gain,
    }
    measured = f"{stated.mean():.1%} stated, {happened.mean():.1%} happened in {counted(n, 'case')}"
    assert model.bets is not None
    if model.bets.miscalibrated and p_value < ALPHA / predictions.n_classes:
        way = "over-confident" if gap > 0 else "under-confident"
        return f"{model.name} is {way} where it expects {label!r} ({measured})", evidence
    return f"{model.name} loses {gain:,.1f} bits where it expects {label!r} ({measured})", evidence


_WHY: Mapping[str, Callable[[ModelViews, ModelViews], Reason]] = {"bits": _why_bits, "bets": _why_bets}


def _probabilities(model: ModelViews, rows: slice = slice(None)) -> Floats:
    """Give the stated probabilities of all classes, in some of the cases."""
    assert model.predictions.probabilities is not None
    return of_all_classes(model.predictions.probabilities[rows])


def cover_sets(models: Sequence[ModelViews], promised: float | None) -> tuple[ModelViews, ...]:
    """Measure the coverage of models that answer with sets, and refuse a promise that no model can have given."""
    if promised is not None:
        open_fraction(promised, "coverage")
    with_sets = [model.name for model in models if model.bits.share_single < 1]
    if promised is not None and not with_sets:
        raise InputError(
            "a model that answers with sets, whose coverage can be checked",
            f"one class in every answer of {', '.join(model.name for model in models)}",
            "leave coverage out, or give sets such as 'cat|dog'",
        )
    level = ALPHA / max(1, len(with_sets))

    def judged(model: ModelViews) -> ModelViews:
        said = model.predictions
        sets = cover(said.truth, said.covered(), said.classes.tolist(), promised, level, said.groups)
        return replace(model, bits=replace(model.bits, sets=sets))

    return tuple(judged(model) if model.name in with_sets else model for model in models)


def find_coverage(models: Sequence[ModelViews]) -> list[Finding]:
    """Say of each model that answers with sets whether these hold the truth as often as was promised."""
    findings, n_judged = [], sum(model.bits.sets is not None for model in models)
    together = f"; intervals hold for all {n_judged} models at once" if n_judged > 1 else ""
    for model in models:
        sets = model.bits.sets
        if sets is None or sets.promised is None:
            continue
        broken = sets.whole.against_promise == "less"
        evidence = {
            "promised": sets.promised,
            "held": sets.whole.n_held,
            "n_cases": sets.whole.n_cases,
            "interval": sets.whole.interval,
            "classes": {held.label: (held.n_held, held.n_cases, *held.interval) for held in sets.by_class},
        }
        importance = Importance.ALARM if broken or sets.short else Importance.VERDICT
        sentence = f"{model.name}: its {sets}{together}."
        claims = ("promise",) if sets.whole.against_promise or sets.short else ()
        findings.append(Finding("bits", (model.name,), sentence, evidence, importance, claims))
    return findings


def find_rows_needed(models: Sequence[ModelViews], advantages: Sequence[Advantage]) -> list[Finding]:
    """Say whether the two most accurate models are told apart, and if not, how many rows it would take."""
    if len(models) < 2:
        return []
    first, second = best_first(models)[:2]
    if max(first.bits.share_several, second.bits.share_several) > OFTEN:
        return []  # a set that holds the truth is not wrong
    groups = first.predictions.groups
    test = from_wrong(~first.right, ~second.right, groups)
    names = first.name, second.name
    pair = next(one for one in advantages if one.view == "accuracy" and {one.better, one.worse} == set(names))
    evidence: dict[str, object] = {
        "only_first_wrong": test.only_a_wrong,
        "only_second_wrong": test.only_b_wrong,
        "adjusted_p_value": pair.adjusted_p_value,
        "n_cases": test.n,
    }
    tested = "McNemar's exact test" if groups is None else f"test of sums over {groups}"
    wrong = "wrong" if first.bits.share_single == second.bits.share_single == 1 else "not right"
    measured = (
        f"{names[0]} alone is {wrong} on {test.only_a_wrong:,} of {test.n:,} cases, {names[1]} alone on "
        f"{test.only_b_wrong:,} ({tested}, adjusted {say_p(pair.adjusted_p_value)})"
    )
    if pair.adjusted_p_value < ALPHA:
        (low, high), digits = pair.interval, decimals(pair.difference, 1)
        sentence = (
            f"There are enough cases to call {first.name} more accurate than {second.name}, by "
            f"{pair.difference:.{digits}f} points (95% interval {low:+.{digits}f} to {high:+.{digits}f}): "
            f"{measured}."
        )
        return [Finding("truth", names, sentence, evidence, Importance.DETAIL, ("better",))]
    rows = test.rows_needed(pair.level)
    assert rows.interval is not None
    sentence = (
        f"By accuracy, the two best, {first.name} and {second.name}, cannot be told apart: {measured}. "
        f"{_say_rows_needed(rows, rows.interval[0], test.difference)}"
    )
    evidence |= {
        f"{rows.unit}_needed": rows.n_rows,
        f"{rows.unit}_needed_at_least": int(rows.interval[0]),
        "power": rows.power,
        "level": pair.level,
    }
    return [Finding("truth", names, sentence, evidence, Importance.VERDICT)]


def _say_rows_needed(rows: RowsNeeded, least: float, difference: float) -> str:
    """Say it of models that were not told apart, so that they may be equal; as many as are here do not do."""
    unit = "cases" if rows.unit == "rows" else f"{rows.unit} as large as here"
    many = f"at least {least:,.0f} {unit}" if least <= MOST_ROWS else f"more than {MOST_ROWS:,} {unit}"
    needed = [many] if least > rows.n_tested else []
    if rows.n_rows is not None and rows.n_tested < rows.n_rows <= MOST_ROWS:
        about = f"about {roughly(rows.n_rows)}{'' if needed else f' {unit}'}"
        points = 100 * abs(difference)
        needed.append(f"{about} if they truly differ by {points:.{decimals(points, 1)}f} points, as here")
    if not needed:
        return f"They may be equal: then no number of {unit} would tell them apart."
    return f"Telling them apart would take {', and '.join(needed)}. If they are equal, no number would do."


def find_known_groups(origins: Sequence[Trained | CameFitted]) -> list[Finding]:
    """Say how many groups of test cases that were given are called as groups of the training cases are."""
    trained = [one for one in origins if isinstance(one, Trained)]
    learnt, asked = (trained[0].groups, trained[0].predictions.groups) if trained else (None, None)
    known = len(learnt.values & asked.values) if learnt and asked else 0
    if not known:
        return []
    of_all = f"{known:,} of the {asked} in the test have names of groups in the training"
    sentence = f"{of_all}: if they are the same, this tells little of new ones."
    names = tuple(one.predictions.name for one in trained)
    return [Finding("truth", names, sentence, {"known_groups": known}, Importance.ALARM)]


def find_repeats(models: Sequence[ModelViews], origins: Sequence[Trained | CameFitted]) -> list[Finding]:
    """Say how many test cases equal a training case in every attribute, and what the errors are without them."""
    known = {origin.predictions.name: origin for origin in origins if origin.X is not None}
    judged = [model for model in models if model.name in known]
    if not judged:
        return []
    tables = known[judged[0].name]
    seen, p_value = find_seen(tables.asked, tables.X)
    n_seen = int(np.count_nonzero(seen))
    if n_seen == 0 or (n_seen < LEAST_SHARE * seen.size and p_value >= CHANCE):
        return []
    if n_seen == seen.size:
        here = [model.name for model in judged if isinstance(known[model.name], Trained)]
        return [_all_seen([model.name for model in judged], not here, n_seen, p_value)]
    return [_some_seen(judged, seen, p_value)]


def _all_seen(names: Sequence[str], fitted: bool, n: int, p_value: float) -> Finding:
    evidence = {"repeated": n, "n_cases": n, "p_value_of_chance": p_value}
    if p_value >= CHANCE:
        sentence = (
            f"All {n:,} test cases equal a training case in every attribute, as happens by chance where few kinds "
            f"of cases exist; new kinds of cases were not tested."
        )
        return Finding("truth", tuple(names), sentence, evidence)
    where = "are in X too. For a model trained on X, " if fitted else "are training cases, so "
    sentence = f"This is not a test: all {n:,} test cases {where}the figures say nothing about new cases."
    return Finding("truth", tuple(names), sentence, evidence, Importance.NO_TEST, ("known cases",))


def _some_seen(models: Sequence[ModelViews], seen: NDArray[np.bool_], p_value: float) -> Finding:
    predictions, n_seen = models[0].predictions, int(np.count_nonzero(seen))
    errors = {
        model.name: (float((~model.right).mean()), float((~model.right[~seen]).mean())) for model in models
    }
    changed = "; ".join(f"{name} {new:.1%} ({all_:.1%} on all)" for name, (all_, new) in errors.items())
    rows = np.flatnonzero(seen) if predictions.rows is None else predictions.rows[seen]
    planted, share = p_value < CHANCE, n_seen / seen.size
    too_many = "more than chance explains, " if planted else ""
    sentence = (
        f"{n_seen:,} of {seen.size:,} test cases ({share:.{decimals(100 * share, 0)}%}) equal a training case in "
        f"every attribute, {too_many}such as {say_rows(rows[:3])}. Errors on the others alone: {changed}."
    )
    evidence = {
        "repeated": n_seen,
        "n_cases": int(seen.size),
        "p_value_of_chance": p_value,
        "errors_on_new_cases": {name: new for name, (_, new) in errors.items()},
        "rows": rows[:100].tolist(),
    }
    by_heart = [model.name for model in models if _luck_on_new(model.right, seen) < SELDOM / len(models)]
    importance = Importance.VERDICT if planted or by_heart else Importance.DETAIL
    importance = Importance.ALARM if planted and share >= LEAST_SHARE else importance
    evidence |= {"better_on_these": by_heart}
    claims = ("known cases",) if planted or by_heart else ()
    return Finding("truth", tuple(errors), sentence, evidence, importance, claims)


def _luck_on_new(right: NDArray[np.bool_], seen: NDArray[np.bool_]) -> float:
    """Give the probability that chance puts so many of the errors among the cases that are new."""
    from scipy.stats import hypergeom

    on_new, wrong, new = (np.count_nonzero(cases) for cases in (~right & ~seen, ~right, ~seen))
    return float(hypergeom.sf(on_new - 1, seen.size, wrong, new))
