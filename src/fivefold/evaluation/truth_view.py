"""The truth view of one model: how far its error can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np

from fivefold.errors import InputError, InputTypeError
from fivefold.evaluation.bits_view import BitsView, share_interval
from fivefold.evaluation.findings import CAME_FITTED, Finding, Importance
from fivefold.evaluation.models import CameFitted, LabelledCases, Trained, fit_cases, is_fitted
from fivefold.formulas import binomial_limits
from fivefold.plain_text import counted, listed
from fivefold.progress import Step, part
from fivefold.results import ANSWERS_ONLY, LOWER, Count, Interval, Share, View, declared, forwarded, number
from fivefold.training.fit_predict import holds_fitted, take_rows
from fivefold.training.seeds import seeded
from fivefold.training.splits import draw
from fivefold.truth.cross_validation import FINER, ErrorBySize, error_by_size
from fivefold.truth.error_estimate import ErrorEstimate
from fivefold.truth.estimation import estimate_error

FOLDS = 5
DEALS = 10
# one fold or two left out of each deal, and small ones
NESTED_FITS = FOLDS + DEALS * (FOLDS + FOLDS * (FOLDS - 1) // 2) + FINER * FOLDS
# seconds that the fits of all models together may take, if nobody says otherwise
BUDGET = 30.0
# fits of parts of the training cases are worth about so many fits of all of them
CURVE_FITS = 40
# the share of errors up to which a fitted model may have learned the cases by heart
NEARLY_PERFECT = 0.01


@dataclass
class Budget:
    """How many seconds the fits of some models may still take: the first may take its share, and so on."""

    seconds: float
    n_models: int
    least: float = field(init=False)

    def __post_init__(self) -> None:
        # a busy machine may spend it all before the last model, whose fits take no time worth saving
        self.least = min(1.0, self.seconds)

    def share(self) -> float:
        """Give the seconds for the next model."""
        return max(self.least, self.seconds / max(self.n_models, 1))

    def spend(self, seconds: float) -> None:
        """Count what a model has taken."""
        self.seconds, self.n_models = max(0.0, self.seconds - seconds), self.n_models - 1


class CrossValidation(TypedDict):
    """The error of the learner, on its training cases."""

    error: Share
    method: str
    n_fits: Count
    interval: Interval | None
    interval_by: str | None


class LearningCurve(TypedDict):
    """The error of the learner by the size of its training set."""

    sizes: list[Count]
    errors: list[Share]
    gain: float
    gain_interval: tuple[float, float]
    sentence: str


@dataclass(frozen=True, eq=False)
class TruthView(View, view="truth"):
    """How often a model errs on new cases, in two readings.

    The error of *this fitted rule* is known from test cases; that of the *learner*, which another training set
    would have led to another rule, from cross-validation among the training cases.

    Parameters
    ----------
    model : str
        The model's name.
    n_cases, n_wrong : int
        Test cases, and how many of them it did not answer with the true class alone.
    rule_interval : (float, float)
        95% interval of the error of this rule: exact, of all cases or of as many cases as groups are worth.
    estimate : ErrorEstimate or None
        The estimate for the learner.
    note : str
        What of it is missing, and why; empty if nothing is.
    n_trained : int or None
        How many cases the model was trained on, if that is known.
    one_class_each : bool
        Whether it answered every case with one class, as it must in cross-validation.
    n_missed : int or None
        Test cases in which the true class was not among its answers, if it answered with sets.
    n_silent : int
        Test cases in which it named no class, which is not right either.
    n_worth : (float, float) or (None, None)
        How many independent cases tell as much, where cases belong together.
    by_size : ErrorBySize or None
        The error after training sets of several sizes, where the learner was fitted to parts of its cases.
    hurried : bool
        Whether there was no time for what is missing.
    """

    model: str
    n_cases: Count = field(metadata=declared(meaning="Test cases."))
    n_wrong: Count = field(
        metadata=declared(meaning="Test cases that it did not answer with the true class alone.")
    )
    rule_interval: Interval
    estimate: ErrorEstimate | None = field(repr=False)
    note: str = field(metadata=declared(meaning="What is missing, and why."))
    n_trained: Annotated[int, (1, None)] | None = field(
        default=None,
        metadata=declared(
            "Training cases",
            format=",d",
            meaning="How many cases the model was trained on, if that is known.",
            tables=("page",),
        ),
    )
    one_class_each: bool = True
    n_missed: Count | None = None
    n_silent: Count = 0
    n_worth: tuple[float | None, float | None] = field(default=(None, None), repr=False)
    by_size: ErrorBySize | None = field(default=None, repr=False)
    hurried: bool = False

    @number(
        "Truth missed",
        format=",d",
        direction=LOWER,
        tables=("page", "terminal"),
        key=None,
        reads=("n_without_truth", "n_cases"),
    )
    def wrong(self) -> tuple[int, int]:
        """Test cases in which the true class is not among its answers, of how many."""
        return self.n_without_truth, self.n_cases

    @number()
    def n_without_truth(self) -> Count:
        """Test cases in which the true class is not among its answers."""
        return self.n_wrong if self.n_missed is None else self.n_missed

    @number(
        "Error of this model",
        direction=LOWER,
        format=".1%",
        tables=("page", "terminal"),
        heading="this model",
        below=("interval",),
    )
    def error(self) -> Share:
        """Share of the test cases that it did not answer with the true class alone."""
        return self.n_wrong / self.n_cases

    interval = forwarded(
        "rule_interval",
        Interval,
        "95% interval of the error of this fitted model.",
        "95% interval",
        format=".1%",
        tables=("terminal",),
    )

    @number()
    def cross_validation(self) -> CrossValidation | None:
        """The error of the learner, on its training cases."""
        if self.estimate is None:
            return None
        limits = self.estimate.interval
        return {
            "error": self.estimate.best_guess,
            "method": self.estimate.description,
            "n_fits": self.estimate.n_fits,
            "interval": None if limits is None else (limits.low, limits.high),
            "interval_by": None if limits is None else limits.kind,
        }

    @number(
        "Error if trained anew",
        direction=LOWER,
        format=".1%",
        tables=("page", "terminal"),
        heading="trained anew",
        below=("learner_interval",),
        column="cv_error",
        key=None,
        reads=("cross_validation.error",),
    )
    def learner_error(self) -> Share | None:
        """Error of the same learner, trained on other cases, by cross-validation."""
        return self.cross_validation["error"] if self.cross_validation else None

    @number(
        "95% interval",
        format=".1%",
        tables=("terminal",),
        column="cv_error",
        key=None,
        reads=("cross_validation.interval",),
    )
    def learner_interval(self) -> Interval | None:
        """Interval of the error of the learner."""
        return self.cross_validation["interval"] if self.cross_validation else None

    @number("Found by", format="text", tables=("page",), key=None, reads=("cross_validation.method",))
    def found_by(self) -> str | None:
        """How the error of the learner was estimated."""
        return self.cross_validation["method"] if self.cross_validation else None

    @number()
    def learning_curve(self) -> LearningCurve | None:
        """Errors after training sets of several sizes, and what twice the cases brought."""
        curve = self.by_size
        if curve is None:
            return None
        return {
            "sizes": list(curve.sizes),
            "errors": list(curve.errors),
            "gain": curve.gain,
            "gain_interval": curve.gain_interval,
            "sentence": curve.sentence,
        }

    @number()
    def at_odds(self) -> bool:
        """Whether the two readings exclude each other: their 99% intervals have nothing in common."""
        limits = self.estimate.interval if self.estimate else None
        if limits is None or not self.one_class_each:
            return False
        # however unequal the two sets of cases are, no more than 1% of such pairs are apart by chance
        low, high = limits.at(0.99)
        cases = self.n_worth[0] or float(self.n_cases)
        least, most = binomial_limits(self.error * cases, cases, 0.99)
        return high < least or low > most

    def finding(self) -> Finding:
        """Say how far the error can be trusted."""
        importance = Importance.ALARM if self.at_odds else Importance.DETAIL
        by_size = f" {self.by_size.sentence}" if self.by_size else ""
        sentence = f"{self._about_rule()}{self._about_learner()}{by_size}"
        claims = ("other cases",) if self.at_odds else ()
        return Finding("truth", (self.model,), sentence, self._evidence(), importance, claims)

    def _about_rule(self) -> str:
        if self.n_missed is not None:
            low, high = share_interval(self.n_cases - self.n_missed, self.n_cases, self.n_worth[1])
            return (
                f"{self.model}: its sets hold the truth in {1 - self.n_missed / self.n_cases:.1%} of "
                f"{self.n_cases:,} cases (95% interval {low:.1%} to {high:.1%}), and nothing else in "
                f"{1 - self.error:.1%}."
            )
        low, high = self.interval
        wrong = "not right" if self.n_silent else "wrong"
        silent = f" (in {self.n_silent:,} it names no class)" if self.n_silent else ""
        cases = counted(self.n_cases, "case")
        return (
            f"{self.model}: {wrong} on {self.n_wrong:,} of {cases}{silent}, {self.error:.1%} "
            f"(95% interval {low:.1%} to {high:.1%}, for this fitted model on cases like these)."
        )

    def _about_learner(self) -> str:
        estimate = self.estimate
        if estimate is None:
            if self.n_trained is None:
                return ""
            return f" How it would do if trained on other cases was not estimated: {self.note}."
        errs = "it errs" if self.one_class_each else "and made to name one class for every case, it errs"
        if estimate.interval is None:
            return (
                f" Trained anew on parts of the {self.n_trained:,} training cases, {errs} on "
                f"{estimate.value:.1%} of the others; no interval: {self.note}."
            )
        low, high = estimate.interval.low, estimate.interval.high
        sentence = (
            f" Trained anew on {self.n_trained:,} such cases, {errs} on about {estimate.best_guess:.1%} of others "
            f"(95% interval {low:.1%} to {high:.1%}, nested cross-validation)."
        )
        if self.at_odds:
            why = "differ from the training cases"
            if self.rule_interval[1] < low:
                why = "were easier than the training cases, or among them"
            sentence += f" The two contradict each other: the test cases {why}."
        return sentence

    def _evidence(self) -> dict[str, object]:
        evidence: dict[str, object] = {"error": self.error, "error_interval": self.interval}
        evidence["wrong"] = self.n_wrong - self.n_silent
        if self.n_missed is not None:
            evidence = {"truth_missed": self.n_missed, "right_alone": self.n_cases - self.n_wrong}
        evidence |= {"no_class_named": self.n_silent} if self.n_silent else {}
        evidence["n_cases"] = self.n_cases
        known, curve = self.cross_validation, self.by_size
        if known is not None:
            evidence |= {"cross_validated_error": known["error"], "method": known["method"]}
            evidence["training_cases"] = self.n_trained
            if known["interval"] is not None:
                evidence["cross_validated_error_interval"] = known["interval"]
                evidence["interval_by"] = known["interval_by"]
        if curve is not None:
            evidence |= {"gain_of_twice_the_cases": curve.gain, "gain_interval": curve.gain_interval}
        return evidence | ({"not_estimated_because": self.note} if self.note else {})


def look_at_truth(
    bits: BitsView,
    origin: Trained | CameFitted | None,
    random_state: int,
    budget: Budget,
    *,
    n_jobs: int | None = None,
) -> TruthView:
    """Find how far the error of a model can be trusted."""
    n, answers = bits.n_cases, bits.encoding.answers
    low, high = bits.accuracy_interval
    learner = LearnerError(None, None, CAME_FITTED if origin else ANSWERS_ONLY)
    n_trained = None
    if isinstance(origin, Trained) and not holds_fitted(origin.model):
        start = perf_counter()
        learner = estimate_learner_error(origin, random_state, n_jobs=n_jobs, seconds=budget.share())
        budget.spend(perf_counter() - start)
        n_trained = len(origin.y)
    return TruthView(
        bits.model,
        n,
        n - int(answers.right_by_size[1]),
        (1 - high, 1 - low),
        learner.estimate,
        learner.note,
        n_trained,
        answers.share_single == 1,
        n - int(answers.right_by_size.sum()) if answers.share_several else None,
        round(answers.share_empty * n),
        bits.n_worth,
        learner.by_size,
        learner.hurried,
    )


class LearnerError(NamedTuple):
    """What fits to parts of the training cases tell of a learner, and what is missing, and why."""

    estimate: ErrorEstimate | None
    by_size: ErrorBySize | None
    note: str
    hurried: bool = False


def estimate_learner_error(
    trained: Trained, random_state: int, *, n_jobs: int | None = None, seconds: float = BUDGET
) -> LearnerError:
    """Cross-validate a learner on its training cases, by sizes and nested, as far as there is time.

    A longer budget adds what a shorter one leaves out; nested, the error is that of ten deals instead of one. The
    first fit may have had to load a library, and those of cross-validation to start workers: another one tells
    better what a fit takes.
    """
    options: dict[str, Any] = {"groups": trained.groups, "n_jobs": n_jobs, "random_state": random_state}
    start, learner = perf_counter(), (trained.model, trained.X, trained.y)
    estimate = by_size = None
    if left_out := too_long(FOLDS, "cross-validation", trained.seconds, seconds):
        return LearnerError(None, None, left_out, hurried=True)
    try:
        with _costing(FOLDS, "cross-validation", trained.seconds):
            estimate = estimate_error(*learner, n_splits=FOLDS, **options)
        fit = min(trained.seconds, (perf_counter() - start) / FOLDS)
        if (NESTED_FITS + CURVE_FITS) * fit > seconds:
            fit = min(fit, _time_fit(trained.model, LabelledCases(trained.X, trained.y, trained.groups)))
        if left_out := too_long(CURVE_FITS + FOLDS, "the learning curve", fit, seconds):
            return LearnerError(estimate, None, left_out, hurried=True)
        with suppress(InputError, InputTypeError), _costing(CURVE_FITS, "learning curve", fit):
            by_size = error_by_size(*learner, **options)
        if left_out := too_long(NESTED_FITS + CURVE_FITS, "nested cross-validation", fit, seconds):
            return LearnerError(estimate, by_size, left_out, hurried=True)
        with _costing(NESTED_FITS, "nested cross-validation", fit):
            options |= {"n_splits": FOLDS, "interval": "nested-cv", "nested_repeats": DEALS}
            return LearnerError(estimate_error(*learner, **options), by_size, "")
    except (InputError, InputTypeError) as error:
        what = "cross-validation" if estimate is None else "nested cross-validation"
        return LearnerError(estimate, by_size, f"{what} needs {error.expected}, but got {error.got}")


def _costing(n_fits: int, what: str, fit: float) -> AbstractContextManager[Step]:
    """Tell what is being done and how long it may take."""
    return part(f"{what}, about {_words(n_fits * fit)}")


def too_long(n_fits: int, what: str, fit: float, seconds: float) -> str:
    """Say that fits would take longer than there is time; nothing if they would not."""
    if n_fits * fit <= seconds:
        return ""
    return f"the {n_fits} fits of {what} would take about {_words(n_fits * fit)}, with {_words(seconds)} left"


def _words(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def find_doubts(origins: Sequence[Trained | CameFitted]) -> tuple[Finding, ...]:
    """Say what cannot be known about models that came fitted, or in part, which stays so in clones."""
    findings, n_cases = [], origins[0].predictions.n_cases if origins else 0
    for kind, how, quiet in ((CameFitted, "", Importance.DETAIL), (Trained, " in part", Importance.ALARM)):
        given = [o for o in origins if isinstance(o, kind) and (not how or holds_fitted(o.model))]
        if not given:
            continue
        names, alone = tuple(origin.predictions.name for origin in given), len(given) == len(origins)
        it, was, its = ("it", "was", "its") if len(given) == 1 else ("they", "were", "their")
        beside = "" if alone else ", and the comparison with models that saw none of them is not fair"
        sentence = (
            f"{listed(names)} came already fitted{how}, on cases that are not known here: if {it} {was} trained "
            f"on some of those asked about, {its} figures are too good{beside}."
        )
        evidence = {"cases_asked": n_cases, "trained_on": f"unknown{how}"}
        findings.append(Finding("truth", names, sentence, evidence, quiet if alone else Importance.ALARM))
    return tuple(findings)


def find_memories(
    views: Sequence[TruthView],
    origins: Sequence[Trained | CameFitted],
    random_state: int,
    budget: Budget,
    *,
    n_jobs: int | None = None,
) -> list[Finding]:
    """Find models that came fitted and do better on the cases than their learner can do on cases left out.

    Only those that are all but perfect are suspected, for the answer takes fits.
    """
    given = {origin.predictions.name: origin for origin in origins if isinstance(origin, CameFitted)}
    findings = []
    for view in views:
        if view.model in given and view.error <= NEARLY_PERFECT:
            learner = _estimate_of_clones(given[view.model], random_state, n_jobs, budget.share())
            if learner is not None and view.interval[1] < learner[1][0]:
                findings.append(_memory(view, *learner))
    return findings


def _estimate_of_clones(
    origin: CameFitted, random_state: int, n_jobs: int | None, seconds: float
) -> tuple[float, Interval] | None:
    """Cross-validate clones of a fitted model on the cases given beside the test, or on those it was asked about.

    A test is often far smaller than what a model was trained on, and clones trained on so few would err more.
    """
    from sklearn.base import clone

    if not hasattr(origin.model, "fit") or not hasattr(origin.model, "get_params"):
        return None
    try:
        learner = clone(origin.model)
        if is_fitted(learner):
            return None
        answers = origin.predictions
        cases = origin.given or LabelledCases(origin.asked, answers.y_true, answers.groups)
        anew = Trained(answers, learner, cases.X, cases.y, None, cases.groups, _time_fit(learner, cases, 0.1))
        estimate = estimate_learner_error(anew, random_state, n_jobs=n_jobs, seconds=seconds).estimate
    except Exception:  # a model of any origin may refuse to learn from these cases; then nothing is known
        return None
    if estimate is None:
        return None
    limits, n = estimate.interval, len(cases)
    interval = (limits.low, limits.high) if limits else share_interval(round(estimate.value * n), n)
    return estimate.best_guess, interval


def _time_fit(model: Any, cases: LabelledCases, share: float = 1.0) -> float:
    """Time a fit and its answers; to a share of the cases, guess from it how long a fit to all takes."""
    n = len(cases)
    rows = draw(n, max(round(share * n), min(n, 50)), np.random.default_rng(0))
    start = perf_counter()
    rule = fit_cases(seeded(model, 0), cases.rows(rows))
    rule.predict(take_rows(cases.X, rows[: n // FOLDS]))
    return (perf_counter() - start) * n / rows.size


def _memory(view: TruthView, error: float, interval: Interval) -> Finding:
    low, high = interval
    sentence = (
        f"{view.model} is right on {view.n_cases - view.n_wrong:,} of {view.n_cases:,} cases, but its clones err "
        f"on {error:.1%} ({low:.1%} to {high:.1%}) of cases left out: it was trained on these, or on far more."
    )
    evidence = {
        "wrong": view.n_wrong,
        "n_cases": view.n_cases,
        "error_interval": view.interval,
        "cross_validated_error": error,
        "cross_validated_error_interval": interval,
    }
    return Finding("truth", (view.model,), sentence, evidence, Importance.NO_TEST, ("known cases",))
