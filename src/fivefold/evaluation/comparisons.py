"""Models beside each other: which is better in each view, and where the views disagree."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from fivefold.errors import InputError, InputTypeError
from fivefold.evaluation.bets_view import BetsView
from fivefold.evaluation.bits_view import BitsView
from fivefold.evaluation.findings import Finding, Importance
from fivefold.evaluation.slices_view import SlicesView
from fivefold.evaluation.truth_view import TruthView
from fivefold.formulas import holm
from fivefold.inputs.columns import Column, read_columns
from fivefold.inputs.predictions import Predictions
from fivefold.results import say_p, say_rows
from fivefold.truth.paired_tests import McNemar, exact_p, from_wrong
from fivefold.truth.rows_needed import RowsNeeded, rows_needed_for_difference, rows_needed_to_compare

if TYPE_CHECKING:
    from fivefold.evaluation.borders_view import BordersView


VIEWS = ("bits", "bets", "truth", "slices", "borders")


@dataclass(frozen=True, eq=False)
class ModelViews:
    """All views of one model.

    Parameters
    ----------
    name : str
        The model's name.
    predictions : Predictions
        What it said.
    bits : BitsView
        How much it learned.
    bets : BetsView or None
        What its probabilities are worth.
    absent : mapping of view to reason
        Views that do not apply, and why.
    slices : SlicesView or None
        Where it errs.
    borders : BordersView or None
        The shape of its regions.
    truth : TruthView or None
        How far its error can be trusted.
    """

    name: str
    predictions: Predictions = field(repr=False)
    bits: BitsView = field(repr=False)
    bets: BetsView | None = field(repr=False)
    absent: Mapping[str, str]
    slices: SlicesView | None = field(default=None, repr=False)
    borders: BordersView | None = field(default=None, repr=False)
    truth: TruthView | None = field(default=None, repr=False)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which cases it answered with the true class and nothing else."""
        said = self.predictions
        if said.answers.ndim == 1:
            return np.asarray(said.answers == said.truth)
        alone = said.answers.sum(axis=1) == 1
        return np.asarray(alone & said.answers[np.arange(said.n_cases), said.truth])


Floats = NDArray[np.float64]
# Mean difference, its standard error, and the two-sided p-value of no difference.
Test = Callable[[Floats, Floats], tuple[float, float, float]]
POINTS = "points"


@dataclass(frozen=True)
class Comparison:
    """The best model of a view against another, case by case.

    Parameters
    ----------
    view : str
        The view.
    better, worse : str
        The two models.
    difference : float
        Mean advantage of the better one for each case, in ``unit``.
    standard_error : float
        Its standard error over the paired cases.
    p_value : float
        Two-sided, of no difference; adjusted by Holm's method for all pairs of models.
    unit : str
        Unit of the difference; a point is a hundredth of the cases.
    test : str
        The test.
    """

    view: str
    better: str
    worse: str
    difference: float
    standard_error: float
    p_value: float
    unit: str
    test: str = "normal, paired over cases"

    @property
    def proven(self) -> bool:
        """Whether chance is ruled out at the 5 % level."""
        return self.p_value < 0.05

    @property
    def told_apart(self) -> bool:
        """Whether the two differ beyond chance, or without limit because one called the truth impossible."""
        return self.proven or self.difference == np.inf

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the difference, not adjusted."""
        return self.difference - 1.96 * self.standard_error, self.difference + 1.96 * self.standard_error

    def finding(self) -> Finding:
        """Say which model is better, or that it cannot be told."""
        measured = self.measured()
        if np.isnan(self.difference):
            told = f"{self.better} and {self.worse} cannot be compared: each called the truth impossible"
        elif np.isinf(self.difference):
            told = f"{self.better} is better without limit, for {self.worse} called the truth impossible"
        elif np.isnan(self.standard_error):
            told = f"{self.better} and {self.worse} cannot be told apart by one case"
        elif self.proven:
            told = f"{self.better} is better than {self.worse} by {measured}"
        else:
            told = f"{self.better} and {self.worse} cannot be told apart: the difference is {measured}"
        importance = Importance.VERDICT if self.told_apart else Importance.DETAIL
        sentence = f"By {self.view}, {told}."
        return Finding(self.view, (self.better, self.worse), sentence, self.evidence(), importance)

    def measured(self) -> str:
        """Write the difference with its interval and its p-value."""
        digits = 1 if self.unit == POINTS else 3
        low, high = (f"{end:+.{digits}f}" for end in self.interval)
        return (
            f"{self.difference:.{digits}f} {self.unit} (95% interval {low} to {high}, "
            f"adjusted {say_p(self.p_value)})"
        )

    def evidence(self) -> dict[str, object]:
        """Give the numbers behind the sentence."""
        return {
            "difference": self.difference,
            "interval": self.interval,
            "adjusted_p_value": self.p_value,
            "unit": self.unit,
            "test": self.test,
        }


def comparison_findings(comparisons: Sequence[Comparison]) -> list[Finding]:
    """Say what was proven one by one, and what was not in a single sentence."""
    told = [each.finding() for each in comparisons if each.proven or not np.isfinite(each.difference)]
    open_ones = [each for each in comparisons if not each.proven and np.isfinite(each.difference)]
    if len(open_ones) < 2 or np.isnan(open_ones[0].standard_error):
        return told + [each.finding() for each in open_ones]
    best, others = open_ones[0].better, [each.worse for each in open_ones]
    least = min(each.p_value for each in open_ones)
    sentence = (
        f"By {open_ones[0].view}, {best} cannot be told apart from {', '.join(others[:-1])} and {others[-1]} "
        f"(adjusted {say_p(least)} at the least)."
    )
    evidence = {each.worse: each.evidence() for each in open_ones}
    return [*told, Finding(open_ones[0].view, (best, *others), sentence, evidence, Importance.DETAIL)]


def compare_with_best(
    view: str, names: Sequence[str], scores: Sequence[Floats], unit: str
) -> tuple[Comparison, ...]:
    """Compare the model of the highest mean score with every other, on the same cases.

    The best is only known from the same cases, so the p-values are adjusted for all pairs of models, not only
    for those that are shown.
    """
    return _with_best(Comparison(view, "", "", 0.0, 0.0, 1.0, unit), names, scores, _paired)


def compare_accuracy(names: Sequence[str], right: Sequence[NDArray[np.bool_]]) -> tuple[Comparison, ...]:
    """Compare the model that is right most often with every other, by McNemar's exact test, in points."""
    like = Comparison("accuracy", "", "", 0.0, 0.0, 1.0, POINTS, "McNemar's, exact")
    return _with_best(like, names, [100.0 * each.astype(np.float64) for each in right], _mcnemar)


def _with_best(
    like: Comparison, names: Sequence[str], scores: Sequence[Floats], test: Test
) -> tuple[Comparison, ...]:
    best = int(np.argmax([score.mean() for score in scores]))
    pairs = list(combinations(range(len(names)), 2))
    raw = [test(scores[one], scores[other]) for one, other in pairs]
    adjusted = holm(np.array([p_value for *_, p_value in raw]))
    return tuple(
        _turned(like, names, best, pair, row, float(p_value))
        for pair, row, p_value in zip(pairs, raw, adjusted, strict=True)
        if best in pair
    )


def _turned(
    like: Comparison,
    names: Sequence[str],
    best: int,
    pair: tuple[int, int],
    row: tuple[float, float, float],
    p_value: float,
) -> Comparison:
    other = pair[1] if pair[0] == best else pair[0]
    difference, error, _ = row
    signed = difference if pair[0] == best else -difference
    return replace(
        like,
        better=names[best],
        worse=names[other],
        difference=signed,
        standard_error=error,
        p_value=p_value,
    )


def _mcnemar(one: Floats, other: Floats) -> tuple[float, float, float]:
    mean, error, _ = _paired(one, other)
    return mean, error, exact_p(int(np.sum(one > other)), int(np.sum(one < other)))


def _paired(one: Floats, other: Floats) -> tuple[float, float, float]:
    """Mean difference, its standard error, and the two-sided p-value of no difference."""
    with np.errstate(invalid="ignore"):
        difference = one - other
    difference[np.isneginf(one) & np.isneginf(other)] = 0.0
    limits = set(difference[np.isinf(difference)].tolist())
    if limits:
        return (limits.pop() if len(limits) == 1 else float("nan")), float("nan"), float("nan")
    mean = float(difference.mean())
    error = float(difference.std(ddof=1) / np.sqrt(difference.size)) if difference.size > 1 else float("nan")
    if error == 0.0:
        return mean, 0.0, 1.0 if mean == 0.0 else 0.0
    return mean, error, float(2 * norm.sf(abs(mean) / error))


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


MOST_ROWS = 10_000_000


def find_rows_needed(models: Sequence[ModelViews], comparisons: Sequence[Comparison]) -> tuple[Finding, ...]:
    """Say whether the two most accurate models are told apart, and if not, how many rows it would take."""
    if len(models) < 2:
        return ()
    first, second = sorted(models, key=lambda model: -model.bits.accuracy)[:2]
    found = from_wrong(~first.right, ~second.right)
    adjusted = _adjusted(comparisons, first.name, second.name)
    measured = (
        f"{first.name} alone is wrong on {found.only_a_wrong:,} of {found.n:,} cases, {second.name} alone on "
        f"{found.only_b_wrong:,} (McNemar's exact test, adjusted {say_p(adjusted)})"
    )
    evidence: dict[str, object] = {
        "only_first_wrong": found.only_a_wrong,
        "only_second_wrong": found.only_b_wrong,
        "adjusted_p_value": adjusted,
        "n_cases": found.n,
    }
    names = first.name, second.name
    if adjusted < 0.05:
        sentence = f"The cases suffice to call {first.name} more accurate than {second.name}: {measured}."
        return (Finding("truth", names, sentence, evidence, Importance.DETAIL),)
    rows = rows_needed_to_compare(found.only_a_wrong, found.only_b_wrong, found.n)
    in_bits = _rows_in_bits(first, second)
    sentence = (
        f"Accuracy does not tell {first.name} and {second.name}, the two best, apart: {measured}. "
        f"{_say_rows_needed(rows, found, in_bits)}"
    )
    evidence |= {"rows_needed": rows.n_rows, "rows_needed_in_bits": in_bits, "power": rows.power}
    return (Finding("truth", names, sentence, evidence, Importance.VERDICT),)


def _adjusted(comparisons: Sequence[Comparison], first: str, second: str) -> float:
    pairs = (
        each
        for each in comparisons
        if each.view == "accuracy" and {each.better, each.worse} == {first, second}
    )
    return next(pairs).p_value


def _rows_in_bits(first: ModelViews, second: ModelViews) -> int | None:
    """Find how many rows would show the difference of the bits saved; None where there is none."""
    gains = first.bits.encoding.mean_per_example - second.bits.encoding.mean_per_example
    sd = float(gains.std(ddof=1)) if gains.size > 1 else 0.0
    if sd == 0.0:
        return None
    mean = float(gains.mean())
    # a difference of rounding errors would ask for more rows than there are
    return None if abs(mean) < 1e-4 * sd else rows_needed_for_difference(mean, sd).n_rows


def _say_rows_needed(rows: RowsNeeded, found: McNemar, in_bits: int | None) -> str:
    if rows.n_rows is None:
        return "They err equally often, so these cases do not tell how many would settle it."
    if rows.n_rows > MOST_ROWS:
        return f"{MOST_ROWS:,} cases would not settle it."
    bits = f" (by bits with {in_bits:,})" if in_bits is not None and in_bits > found.n else ""
    return (
        f"If they differ by {100 * abs(found.difference):.1f} points, as here, four tests of five would show it "
        f"with about {rows.n_rows:,} cases{bits}."
    )


Keys = NDArray[np.uint64]

LEAST_SHARE = 0.01
LARGE_CHANGE = 1.25
_MISSING = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_ROWS = 65_536


def find_repeats(models: Sequence[ModelViews], X_train: Any) -> tuple[Finding, ...]:
    """Say how many test cases equal a training case in every attribute, and what the errors are without them.

    Parameters
    ----------
    models : sequence of ModelViews
        The models that were trained, all on the same cases.
    X_train : table
        The cases that they were trained on.
    """
    said = models[0].predictions
    try:
        seen = np.isin(row_keys(said.features), row_keys(X_train))
    except (InputError, InputTypeError):
        return ()
    n_seen = int(np.count_nonzero(seen))
    if n_seen < LEAST_SHARE * seen.size or n_seen == seen.size:
        return ()
    errors = {model.name: _errors(model, seen) for model in models}
    told = "; ".join(f"{name} {new:.1%} instead of {all_:.1%}" for name, (all_, new) in errors.items())
    rows = np.flatnonzero(seen) if said.rows is None else said.rows[seen]
    sentence = (
        f"{n_seen:,} of {seen.size:,} test cases ({n_seen / seen.size:.0%}) equal a training case in every "
        f"attribute, such as {say_rows(rows[:3])}. On those that are new, the errors are: {told}."
    )
    evidence = {
        "repeated": n_seen,
        "n_cases": int(seen.size),
        "errors_on_new_cases": {name: new for name, (_, new) in errors.items()},
        "rows": rows[:100].tolist(),
    }
    grave = any(new > LARGE_CHANGE * all_ for all_, new in errors.values())
    importance = Importance.VERDICT if grave else Importance.DETAIL
    return (Finding("truth", tuple(errors), sentence, evidence, importance),)


def _errors(model: ModelViews, seen: NDArray[np.bool_]) -> tuple[float, float]:
    wrong = ~model.right
    return float(wrong.mean()), float(wrong[~seen].mean())


def row_keys(X: Any) -> Keys:
    """Give a number for each row that is the same for equal rows, in any two tables of the same columns.

    Examples
    --------
    >>> import polars as pl
    >>> one = row_keys(pl.DataFrame({"a": ["x", "y", None], "b": [1, 2, 3]}))
    >>> two = row_keys(pl.DataFrame({"a": ["w", "y"], "b": [9.0, 2.0]}))
    >>> [int(key in one) for key in two]
    [0, 1]
    """
    columns = read_columns(X)
    keys = np.zeros(len(columns[0]) if columns else 0, dtype=np.uint64)
    for start in range(0, keys.size, _ROWS):
        part = slice(start, start + _ROWS)
        for column in columns:
            keys[part] = _stir(keys[part] + _codes(column, part))
    return keys


def _codes(column: Column, part: slice) -> Keys:
    values = column.values[part]
    if column.categories is None:
        # adding zero makes the two zeros one
        bits = (values.astype(np.float64) + 0.0).view(np.uint64)
        return np.where(np.isnan(values), _MISSING, bits)
    table = np.array([*(_digest(label) for label in column.categories), _MISSING], dtype=np.uint64)
    return np.asarray(table[values])


def _digest(label: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(label).encode(), digest_size=8).digest(), "little")


def _stir(keys: Keys) -> Keys:
    """Spread every bit over all others (the finish of splitmix64; overflow is meant)."""
    first, second = _MIX
    keys = keys + _MISSING
    keys = (keys ^ (keys >> np.uint64(30))) * first
    keys = (keys ^ (keys >> np.uint64(27))) * second
    return np.asarray(keys ^ (keys >> np.uint64(31)))
