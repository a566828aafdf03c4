"""The bootstrap and its mixtures with resubstitution, and whether an estimator notices repeated rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fivefold.errors import InputError
from fivefold.inputs.options import RandomState, as_generator, positive_int, yes_or_no
from fivefold.results import Result
from fivefold.training.fit_predict import check_fits_and_predicts, read_labelled_table
from fivefold.training.splits import Resamples, Rows
from fivefold.truth.error_estimate import ErrorEstimate, Floats
from fivefold.truth.refits import ERROR, RefitAnswers, Refits

RESUBSTITUTION = (
    "Resubstitution tests the learner on the very cases it was trained on: it says how well they are "
    "remembered, not how it will do on new ones."
)
NO_TRAINING_ERROR = (
    "The learner makes no error on its own training cases, so the .632 estimate is just 0.632 times the "
    "out-of-bag error. That is too low where the true error is large and too high where it is small; which one "
    "depends on the learning curve (in Bailey and Elkan's experiments the turn was near 20 to 25%)."
)
N_CHECKED = 20
# an estimator ignores duplicates if its rules change on less than this, or on less than this share of its errors
LEAST_CHANGE = 0.01
LEAST_SHARE = 1 / 5


def resubstitution(refits: Refits) -> ErrorEstimate:
    """Give the measure on the training rows."""
    answers, name = _remembered(refits), "resubstitution"
    warnings = (RESUBSTITUTION, *answers.warnings())
    return answers.estimate(float(answers.scores()[0]), name, name, warnings=warnings)


def _remembered(refits: Refits) -> RefitAnswers:
    """Learn from all rows and ask all of them."""
    return refits.run(Resamples(np.ones((1, len(refits.table)), dtype=np.int64), out_of_bag=False))


def bootstrap(refits: Refits, *, n_resamples: int = 50, duplicates: bool = True) -> ErrorEstimate:
    """Average the error out of the bag over resamples."""
    yes_or_no(duplicates, "duplicates")
    copies = draw_resamples(refits, n_resamples)
    return _out_of_bag(refits, copies if duplicates else np.minimum(copies, 1))


def draw_resamples(refits: Refits, n_resamples: int) -> Rows:
    """Draw as many rows (or groups) as there are, with replacement; give how often each row was drawn."""
    groups = refits.table.groups
    n = len(refits.table) if groups is None else groups.n_groups
    copies = refits.rng.multinomial(n, np.full(n, 1 / n), size=positive_int(n_resamples, "n_resamples"))
    return copies if groups is None else copies[:, groups.codes]


def with_rows_left_out(copies: Rows) -> Resamples:
    """Give only those resamples that leave a row to be asked."""
    asked = copies[np.any(copies == 0, axis=1)]
    if not len(asked):
        raise InputError(
            "at least one resample that leaves out a case",
            f"{len(copies)} that hold all {copies.shape[1]} cases",
            "ask for more resamples",
        )
    return Resamples(asked, out_of_bag=True)


def _out_of_bag(refits: Refits, copies: Rows) -> ErrorEstimate:
    splits = with_rows_left_out(copies)
    answers = refits.run(splits)
    scores, skipped = answers.scores(), len(copies) - len(splits)
    sd = float(scores.std(ddof=1)) if len(scores) > 1 else None
    warnings = answers.warnings()
    if skipped:
        word = "resample" if skipped == 1 else "resamples"
        warnings = [f"{skipped} {word} of {len(copies)} held every case and left none to ask.", *warnings]
    return answers.estimate(
        float(scores.mean()),
        "bootstrap",
        f"the out-of-bag cases of {len(splits)} resamples",
        scores=scores,
        sd_folds=sd,
        standard_error=None if sd is None else sd / float(np.sqrt(len(scores))),
        warnings=tuple(warnings),
    )


def bootstrap_632(refits: Refits, *, n_resamples: int = 50, check_duplicates: bool = True) -> ErrorEstimate:
    """Mix the out-of-bag error with the resubstitution error, 632 parts to 368."""
    outside, inside = _both(refits, n_resamples, check_duplicates)
    e_r = float(inside.scores()[0])
    return _mixed(outside, "632", e_r, 0.632, 0.632, {"resubstitution": e_r, "bootstrap": outside.value})


def bootstrap_632_plus(
    refits: Refits, *, n_resamples: int = 50, check_duplicates: bool = True
) -> ErrorEstimate:
    """Mix them by how far the estimator overfits."""
    if refits.measure.kind != "error":
        raise InputError(
            'metric="error" with method="632+"',
            f'metric="{refits.measure.name}"',
            "its weights need the error of a learner without information, which other measures do not have",
        )
    outside, inside = _both(refits, n_resamples, check_duplicates)
    e_r, gamma = float(inside.scores()[0]), no_information_rate(inside)
    overfitting, weight, slope = weight_632_plus(e_r, outside.value, gamma)
    parts = {
        "resubstitution": e_r,
        "bootstrap": outside.value,
        "no_information": gamma,
        "relative_overfitting": overfitting,
        "weight": weight,
    }
    capped = replace(outside, value=min(outside.value, gamma))
    return _mixed(capped, "632+", e_r, weight, slope, parts)


def no_information_rate(remembered: RefitAnswers) -> float:
    r"""Give the error :math:`\gamma = \sum_k p_k (1 - q_k)` of these answers if they were dealt at random."""
    codes, answers = remembered.table.codes, remembered.answers[0]
    k = remembered.table.classes.size
    p = np.bincount(codes, minlength=k) / codes.size
    q = np.bincount(answers[answers >= 0], minlength=k) / codes.size
    return float(p @ (1 - q))


def weight_632_plus(e_r: float, e_b: float, gamma: float) -> tuple[float, float, float]:
    """Give the relative overfitting, the weight of the out-of-bag error, and the slope of the estimate in it."""
    capped = min(e_b, gamma)
    if capped <= e_r or gamma <= e_r:
        return 0.0, 0.632, 0.632
    overfitting = (capped - e_r) / (gamma - e_r)
    weight = 0.632 / (1 - 0.368 * overfitting)
    if e_b >= gamma:
        return overfitting, weight, 0.0
    return overfitting, weight, weight + overfitting * 0.368 * weight / (1 - 0.368 * overfitting)


def _both(refits: Refits, n_resamples: int, check_duplicates: bool) -> tuple[ErrorEstimate, RefitAnswers]:
    """Give the out-of-bag estimate, with all warnings, and the answers of resubstitution."""
    yes_or_no(check_duplicates, "check_duplicates")
    if refits.measure.unit == "bits":
        raise InputError(
            "a measure of the average case with the .632 bootstrap",
            f"{refits.measure.name}, a sum over cases",
            "training cases and out-of-bag cases are not equally many",
        )
    copies = draw_resamples(refits, n_resamples)
    outside, inside = _out_of_bag(refits, copies), _remembered(refits)
    if refits.measure.kind != "error":
        return outside, inside
    warnings = list(outside.warnings)
    if inside.scores()[0] == 0 and outside.value > 0:
        warnings.append(NO_TRAINING_ERROR)
    if check_duplicates:
        sensitivity = _measure_duplicates(refits, copies[:N_CHECKED])
        if sensitivity.ignores_duplicates:
            warnings.append(_about_duplicates(sensitivity))
    return replace(outside, warnings=tuple(warnings)), inside


def _mixed(
    outside: ErrorEstimate, method: str, e_r: float, weight: float, slope: float, parts: dict[str, float]
) -> ErrorEstimate:
    error = outside.standard_error
    return replace(
        outside,
        value=(1 - weight) * e_r + weight * outside.value,
        method=method,
        description=f"the .{method} bootstrap of {len(outside.scores)} resamples",
        n_fits=outside.n_fits + 1,
        standard_error=None if error is None else slope * error,
        parts=parts,
    )


def _about_duplicates(sensitivity: DuplicateSensitivity) -> str:
    """Say that repeated cases teach this estimator nothing."""
    return (
        f"This learner hardly notices repeated cases: trained with and without them, its rules differ on "
        f"{100 * sensitivity.disagreement:.1f}% of the out-of-bag cases ({sensitivity.n_resamples} resamples, "
        f"out-of-bag error {100 * sensitivity.out_of_bag:.1f}%). The out-of-bag error is then that of about "
        "0.632 n cases, and the weights of .632 were made for learners that do notice. Where the learning curve "
        "is steep, prefer cross-validation."
    )


@dataclass(frozen=True, eq=False)
class DuplicateSensitivity(
    Result, title="Disagreement with and without duplicates", unit="share of out-of-bag cases"
):
    """How much the rules of an estimator change when repeated cases are taken out of its training sets.

    Parameters
    ----------
    disagreement : float
        D: share of out-of-bag cases on which the rules learnt with and without duplicates differ, averaged over
        resamples.
    out_of_bag : float
        Error of the rules learnt with duplicates.
    out_of_bag_without : float
        Error of the rules learnt without.
    n_distinct : float
        Mean number of different cases in a resample: the size at which `out_of_bag` belongs on a learning curve
        of an estimator that ignores duplicates.
    per_resample : ndarray
        The disagreement in each resample.
    """

    disagreement: float
    out_of_bag: float
    out_of_bag_without: float
    n_distinct: float
    per_resample: Floats = field(repr=False)

    @property
    def n_resamples(self) -> int:
        """How many resamples were compared."""
        return self.per_resample.size

    @property
    def ignores_duplicates(self) -> bool:
        """Whether D is below 1% or below a fifth of the out-of-bag error: .632 is then not to be trusted."""
        return self.disagreement < LEAST_CHANGE or self.disagreement < LEAST_SHARE * self.out_of_bag

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each resample."""
        return {"disagreement": self.per_resample}

    def __str__(self) -> str:
        verdict = (
            f"it hardly notices them, so its out-of-bag error is that of about {self.n_distinct:.0f} cases"
            if self.ignores_duplicates
            else "it notices them"
        )
        return (
            f"With and without duplicates the rules differ on {100 * self.disagreement:.1f}% of out-of-bag cases "
            f"(out-of-bag error {100 * self.out_of_bag:.1f}%): {verdict}."
        )


def duplicate_sensitivity(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 50,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> DuplicateSensitivity:
    r"""Find out whether an estimator notices repeated cases, as the .632 bootstrap takes for granted.

    Each resample of n cases with replacement is learnt twice, as it is and with every case once:

    .. math:: D = \frac{1}{B} \sum_b \frac{1}{|O_b|} \sum_{i \in O_b} [r_b(x_i) \ne r'_b(x_i)],

    where :math:`O_b` are the cases that were not drawn. For a nearest neighbour D = 0.

    Parameters
    ----------
    estimator, X, y, n_jobs, random_state
        As in `estimate_error`.
    n_resamples : int
        How many resamples are learnt twice.

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = X[:, 0] > 0
    >>> sensitivity = duplicate_sensitivity(KNeighborsClassifier(1), X, y, random_state=0)
    >>> sensitivity.disagreement, sensitivity.ignores_duplicates
    (0.0, True)
    """
    check_fits_and_predicts(estimator)
    refits = Refits(estimator, read_labelled_table(X, y), ERROR, n_jobs, as_generator(random_state))
    return _measure_duplicates(refits, draw_resamples(refits, n_resamples))


def _measure_duplicates(refits: Refits, copies: Rows) -> DuplicateSensitivity:
    """Learn each resample with and without duplicates and compare the rules out of the bag."""
    splits = with_rows_left_out(copies)
    state = refits.rng.bit_generator.state
    with_them = refits.run(splits)
    # an estimator that draws must draw alike both times, or its whims would pass for a sense of duplicates
    refits.rng.bit_generator.state = state
    without = refits.run(Resamples(np.minimum(splits.copies, 1), out_of_bag=True))
    apart = [float(np.mean(a != b)) for a, b in zip(with_them.answers, without.answers, strict=True)]
    return DuplicateSensitivity(
        disagreement=float(np.mean(apart)),
        out_of_bag=float(with_them.scores().mean()),
        out_of_bag_without=float(without.scores().mean()),
        n_distinct=float(np.count_nonzero(splits.copies, axis=1).mean()),
        per_resample=np.array(apart),
    )
