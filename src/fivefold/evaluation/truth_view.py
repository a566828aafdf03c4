"""The truth view of one model: how far its error can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from fivefold.errors import InputError, InputTypeError
from fivefold.evaluation.bits_view import BitsView, share_interval
from fivefold.evaluation.findings import CAME_FITTED, Finding, Importance
from fivefold.evaluation.models import CameFitted, Trained, is_fitted
from fivefold.formulas import binomial_limits
from fivefold.results import ANSWERS_ONLY, LOWER, Count, Interval, Share, View, declared, forwarded, number
from fivefold.truth.error_estimate import ErrorEstimate
from fivefold.truth.estimation import estimate_error

FOLDS = 5
DEALS = 10
# one fold or two left out of each deal
NESTED_FITS = FOLDS + DEALS * (FOLDS + FOLDS * (FOLDS - 1) // 2)
# cells of training cases that all fits together may read; a clock would give other results on another day
PATIENCE = 1_000_000.0
# the share of errors up to which a fitted model may have learned the cases by heart
NEARLY_PERFECT = 0.01


class CrossValidation(TypedDict):
    """The error of the learner, on its training cases."""

    error: Share
    method: str
    n_fits: Count
    interval: Interval | None
    interval_by: str | None


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
        95% interval of the error of this rule: Wilson's, or of as many cases as groups are worth.
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
    n_worth : (float, float) or (None, None)
        How many independent cases tell as much, where cases belong together.
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
    n_worth: tuple[float | None, float | None] = field(default=(None, None), repr=False)

    @number(
        "Wrong",
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
        "Error of this rule",
        direction=LOWER,
        format=".1%",
        tables=("page", "terminal"),
        heading="this rule",
        below=("interval",),
    )
    def error(self) -> Share:
        """Share of the test cases that it did not answer with the true class alone."""
        return self.n_wrong / self.n_cases

    interval = forwarded(
        "rule_interval",
        Interval,
        "95% interval of the error of this fitted rule.",
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
        "Error of the learner",
        direction=LOWER,
        format=".1%",
        tables=("page", "terminal"),
        heading="the learner",
        below=("learner_interval",),
        column="cv_error",
        key=None,
        reads=("cross_validation.error",),
    )
    def learner_error(self) -> Share | None:
        """Error of rules that the same learner makes of other training cases, by cross-validation."""
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
        return Finding(
            "truth",
            (self.model,),
            f"{self._about_rule()}{self._about_learner()}",
            self._evidence(),
            importance,
        )

    def _about_rule(self) -> str:
        if self.n_missed is not None:
            low, high = share_interval(self.n_cases - self.n_missed, self.n_cases, self.n_worth[1])
            return (
                f"{self.model}: its sets hold the truth in {1 - self.n_missed / self.n_cases:.1%} of "
                f"{self.n_cases:,} cases (95% interval {low:.1%} to {high:.1%}), alone in {1 - self.error:.1%}."
            )
        low, high = self.interval
        return (
            f"{self.model}: wrong on {self.n_wrong:,} of {self.n_cases:,} cases, {self.error:.1%} "
            f"(95% interval {low:.1%} to {high:.1%}, for this fitted rule on cases like these)."
        )

    def _about_learner(self) -> str:
        estimate = self.estimate
        if estimate is None:
            if self.n_trained is None:
                return ""
            return f" How a rule from other training cases would do was not estimated: {self.note}."
        forced = " Made to answer every case with one class, rules" if not self.one_class_each else " Rules"
        if estimate.interval is None:
            return (
                f"{forced} that the same learner makes of parts of the {self.n_trained:,} training cases err on "
                f"{estimate.value:.1%} of the others; no interval: {self.note}."
            )
        low, high = estimate.interval.low, estimate.interval.high
        sentence = (
            f"{forced} that the same learner makes of {self.n_trained:,} such cases err on about "
            f"{estimate.best_guess:.1%} of others (95% interval {low:.1%} to {high:.1%}, nested cross-validation)."
        )
        if self.at_odds:
            easier = self.rule_interval[1] < low
            why = (
                "were easier than the training cases, or among them"
                if easier
                else "differ from the training cases"
            )
            sentence += f" The two exclude each other: the test cases {why}."
        return sentence

    def _evidence(self) -> dict[str, object]:
        evidence: dict[str, object] = {
            "error": self.error,
            "error_interval": self.interval,
            "wrong": self.n_wrong,
            "n_cases": self.n_cases,
        }
        if self.cross_validation is not None:
            evidence["cross_validated_error"] = self.learner_error
            evidence["method"] = self.found_by
            evidence["training_cases"] = self.n_trained
            if self.learner_interval is not None:
                evidence["cross_validated_error_interval"] = self.learner_interval
                evidence["interval_by"] = self.cross_validation["interval_by"]
        if self.note:
            evidence["not_estimated_because"] = self.note
        return evidence


def look_at_truth(
    bits: BitsView,
    origin: Trained | CameFitted | None,
    random_state: int,
    *,
    n_jobs: int | None = None,
    patience: float = PATIENCE,
) -> TruthView:
    """Find how far the error of a model can be trusted."""
    n = bits.n_cases
    wrong = n - int(bits.encoding.answers.right_by_size[1])
    low, high = bits.accuracy_interval
    rule = (bits.model, n, wrong, (1 - high, 1 - low))
    one_class_each = bits.encoding.answers.share_single == 1
    missed = (
        None
        if bits.encoding.answers.share_several == 0
        else n - int(bits.encoding.answers.right_by_size.sum())
    )
    if not isinstance(origin, Trained):
        note = CAME_FITTED if origin else ANSWERS_ONLY
        return TruthView(*rule, None, note, None, one_class_each, missed, bits.n_worth)
    learner = estimate_learner_error(origin, random_state, n_jobs=n_jobs, patience=patience)
    return TruthView(*rule, *learner, len(origin.y), one_class_each, missed, bits.n_worth)


def estimate_learner_error(
    trained: Trained, random_state: int, *, n_jobs: int | None = None, patience: float = PATIENCE
) -> tuple[ErrorEstimate | None, str]:
    """Cross-validate a learner on its training cases, nested for an interval; or say what is missing, and why.

    How much is done depends on the size of the training cases alone, so that the same call gives the same result
    on every machine. A longer patience adds what a shorter one leaves out, and changes nothing else.
    """
    if FOLDS * trained.n_cells > patience:
        return None, f"the {FOLDS} fits of cross-validation {_too_much(patience)}"
    options: dict[str, Any] = {"n_splits": FOLDS, "n_jobs": n_jobs, "random_state": random_state}
    try:
        options["groups"] = trained.groups
        plain = estimate_error(trained.model, trained.X, trained.y, **options)
        if NESTED_FITS * trained.n_cells > patience:
            return plain, f"the {NESTED_FITS} fits of nested cross-validation {_too_much(patience)}"
        options |= {"interval": "nested-cv", "nested_repeats": DEALS}
        return estimate_error(trained.model, trained.X, trained.y, **options), ""
    except (InputError, InputTypeError) as error:
        return None, f"cross-validation needs {error.expected}, and there is {error.got}"


def _too_much(patience: float) -> str:
    return f"would read more than {patience:,.0f} cells"


def find_memories(
    views: Sequence[TruthView],
    origins: Sequence[Trained | CameFitted],
    random_state: int,
    *,
    n_jobs: int | None = None,
    patience: float = PATIENCE,
) -> list[Finding]:
    """Find models that came fitted and do better on the cases than their learner can do on cases left out.

    Only those that are all but perfect are suspected, for the answer takes fits.
    """
    given = {origin.predictions.name: origin for origin in origins if isinstance(origin, CameFitted)}
    findings = []
    for view in views:
        if view.model in given and view.error <= NEARLY_PERFECT:
            learner = _estimate_on_asked(given[view.model], random_state, n_jobs, patience)
            if learner is not None and view.interval[1] < learner[1][0]:
                findings.append(_memory(view, *learner))
    return findings


def _estimate_on_asked(
    origin: CameFitted, random_state: int, n_jobs: int | None, patience: float
) -> tuple[float, Interval] | None:
    """Cross-validate clones of a fitted model on the cases that it was asked about."""
    from sklearn.base import clone

    if not hasattr(origin.model, "fit") or not hasattr(origin.model, "get_params"):
        return None
    try:
        learner = clone(origin.model)
        if is_fitted(learner):
            return None
        y, groups = origin.predictions.y_true, origin.predictions.groups
        fresh = Trained(origin.predictions, learner, origin.asked, y, groups=groups)
        estimate, _ = estimate_learner_error(fresh, random_state, n_jobs=n_jobs, patience=patience)
    except Exception:  # a model of any origin may refuse to learn from these cases; then nothing is known
        return None
    if estimate is None:
        return None
    n = origin.predictions.n_cases
    limits = estimate.interval
    interval = (limits.low, limits.high) if limits else share_interval(round(estimate.value * n), n)
    return estimate.best_guess, interval


def _memory(view: TruthView, error: float, interval: Interval) -> Finding:
    low, high = interval
    sentence = (
        f"{view.model} is right on {view.n_cases - view.n_wrong:,} of {view.n_cases:,} cases; clones err on "
        f"{error:.1%} ({low:.1%} to {high:.1%}) of cases left out: it was trained on these, or on far more."
    )
    evidence = {
        "wrong": view.n_wrong,
        "n_cases": view.n_cases,
        "error_interval": view.interval,
        "cross_validated_error": error,
        "cross_validated_error_interval": interval,
    }
    return Finding("truth", (view.model,), sentence, evidence, Importance.NO_TEST)
