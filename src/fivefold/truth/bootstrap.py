"""The bootstrap and its mixtures with resubstitution, and whether an estimator notices repeated rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results import Direction, Result
from fivefold.training.labelled_table import check_learner, read_labelled_table
from fivefold.training.splits import Copies, OutOfBag
from fivefold.truth.error_estimate import (
    RESUBSTITUTION,
    ErrorEstimate,
    about_answers,
    about_duplicates,
    about_memory,
    about_skipped,
)
from fivefold.truth.options import BootstrapOptions, CorrectedBootstrapOptions, NoOptions
from fivefold.truth.refits import ERROR, RefitAnswers, Refits

LEAST = 0.01
SHARE = 1 / 5


@dataclass(frozen=True, eq=False)
class DuplicateSensitivity(Result):
    """How much the rules of a learner change when repeated cases are taken out of its training sets.

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
        of a learner that ignores duplicates.
    per_resample : ndarray
        The disagreement in each resample.
    """

    title: ClassVar[str] = "Disagreement with and without duplicates"
    unit: ClassVar[str] = "share of out-of-bag cases"
    direction: ClassVar[Direction] = "neither"

    disagreement: float
    out_of_bag: float
    out_of_bag_without: float
    n_distinct: float
    per_resample: NDArray[np.float64] = field(repr=False)

    @property
    def n_resamples(self) -> int:
        """How many resamples were compared."""
        return self.per_resample.size

    @property
    def ignores_duplicates(self) -> bool:
        """Whether D is below 1% or below a fifth of the out-of-bag error: .632 is then not to be trusted."""
        return self.disagreement < LEAST or self.disagreement < SHARE * self.out_of_bag

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
    learner: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 50,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> DuplicateSensitivity:
    r"""Find out whether a learner notices repeated cases, as the .632 bootstrap takes for granted.

    Each resample of n cases with replacement is learnt twice, as it is and with every case once:

    .. math:: D = \frac{1}{B} \sum_b \frac{1}{|O_b|} \sum_{i \in O_b} [r_b(x_i) \ne r'_b(x_i)],

    where :math:`O_b` are the cases that were not drawn. For a nearest neighbour D = 0.

    Parameters
    ----------
    learner : classifier
        An object with `fit` and `predict`.
    X : dataframe or 2-D array-like
        The cases.
    y : array-like
        Their classes.
    n_resamples : int
        How many resamples are learnt twice.
    n_jobs : int, optional
        How many fits run at the same time; the result does not depend on it.
    random_state : int, Generator or None
        The source of the resamples, and of the seeds of a learner that has none.

    Returns
    -------
    DuplicateSensitivity

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = X[:, 0] > 0
    >>> found = duplicate_sensitivity(KNeighborsClassifier(1), X, y, random_state=0)
    >>> found.disagreement, found.ignores_duplicates
    (0.0, True)
    """
    check_learner(learner)
    n_resamples = positive_int(n_resamples, "n_resamples")
    asking = Refits(learner, read_labelled_table(X, y), ERROR, n_jobs, as_generator(random_state))
    n = len(asking.cases)
    drawn = OutOfBag(asking.rng.multinomial(n, np.full(n, 1 / n), size=n_resamples))
    return measure_duplicates(asking, drawn)


def measure_duplicates(asking: Refits, drawn: OutOfBag) -> DuplicateSensitivity:
    """Learn each resample with and without duplicates and compare the rules out of the bag."""
    drawn = drawn.with_test()
    state = asking.rng.bit_generator.state
    with_them = asking.judge(drawn)
    # a learner that draws must draw alike both times, or its whims would pass for a sense of duplicates
    asking.rng.bit_generator.state = state
    without = asking.judge(drawn.without_duplicates())
    apart = [float(np.mean(a != b)) for a, b in zip(with_them.said, without.said, strict=True)]
    return DuplicateSensitivity(
        disagreement=float(np.mean(apart)),
        out_of_bag=float(with_them.scores().mean()),
        out_of_bag_without=float(without.scores().mean()),
        n_distinct=float(np.count_nonzero(drawn.copies, axis=1).mean()),
        per_resample=np.array(apart),
    )


def remember(asking: Refits) -> RefitAnswers:
    """Learn from all cases and ask all of them."""
    return asking.judge(Copies(np.ones((1, len(asking.cases)), dtype=np.int64)))


def resubstitution(asking: Refits, options: NoOptions) -> ErrorEstimate:
    """Give the measure on the training cases."""
    judged = remember(asking)
    scores = judged.scores()
    return ErrorEstimate(
        value=float(scores[0]),
        method="resubstitution",
        description="resubstitution",
        metric=asking.measure.name,
        metric_direction=asking.measure.direction,
        scores=scores,
        n_tested=np.array([len(asking.cases)]),
        repetition=np.zeros(1, dtype=np.int64),
        n_fits=1,
        per_example=judged.per_example(),
        warnings=(RESUBSTITUTION, *about_answers(judged)),
    )


CHECKED = 20


def bootstrap(asking: Refits, options: BootstrapOptions) -> ErrorEstimate:
    """Average the error out of the bag over resamples."""
    drawn = resamples(asking, options.n_resamples)
    return _out_of_bag(asking, drawn if options.duplicates else drawn.without_duplicates())


def resamples(asking: Refits, n_resamples: int) -> OutOfBag:
    """Draw as many cases as there are, with replacement."""
    n = len(asking.cases)
    return OutOfBag(asking.rng.multinomial(n, np.full(n, 1 / n), size=n_resamples))


def _out_of_bag(asking: Refits, drawn: OutOfBag) -> ErrorEstimate:
    asked = drawn.with_test()
    judged = asking.judge(asked)
    scores, tested = judged.scores(), np.count_nonzero(asked.copies == 0, axis=1)
    sd = float(scores.std(ddof=1)) if len(scores) > 1 else None
    skipped = len(drawn) - len(asked)
    return ErrorEstimate(
        value=float(scores.mean()),
        method="bootstrap",
        description=f"the out-of-bag cases of {len(asked)} resamples",
        metric=asking.measure.name,
        metric_direction=asking.measure.direction,
        scores=scores,
        n_tested=tested.astype(np.int64),
        repetition=np.zeros(len(scores), dtype=np.int64),
        n_fits=len(asked),
        per_example=judged.per_example(),
        sd_folds=sd,
        standard_error=None if sd is None else sd / float(np.sqrt(len(scores))),
        warnings=tuple(about_skipped(skipped, len(drawn)) + about_answers(judged)),
    )


def point_632(asking: Refits, options: CorrectedBootstrapOptions) -> ErrorEstimate:
    """Mix the out-of-bag error with the resubstitution error, 632 parts to 368."""
    outside, inside, said = _both(asking, options)
    e_r, e_b = _value(inside), outside.value
    return _mixed(outside, "632", e_r, 0.632, 0.632, {"resubstitution": e_r, "bootstrap": e_b}, said)


def point_632_plus(asking: Refits, options: CorrectedBootstrapOptions) -> ErrorEstimate:
    """Mix them by how far the learner overfits."""
    if asking.measure.kind != "error":
        raise InputError(
            'metric="error" with method="632+"',
            f'metric="{asking.measure.name}"',
            "its weights need the error of a learner without information, which other measures do not have",
        )
    outside, inside, said = _both(asking, options)
    e_r = _value(inside)
    gamma = no_information_rate(inside)
    overfitting, weight, slope = weight_632_plus(e_r, outside.value, gamma)
    parts = {
        "resubstitution": e_r,
        "bootstrap": outside.value,
        "no_information": gamma,
        "relative_overfitting": overfitting,
        "weight": weight,
    }
    capped = replace(outside, value=min(outside.value, gamma))
    return _mixed(capped, "632+", e_r, weight, slope, parts, said)


def no_information_rate(remembered: RefitAnswers) -> float:
    r"""Give the error :math:`\gamma = \sum_k p_k (1 - q_k)` of these answers if they were dealt at random."""
    codes, said = remembered.cases.codes, remembered.said[0]
    k = remembered.cases.classes.size
    p = np.bincount(codes, minlength=k) / codes.size
    q = np.bincount(said[said >= 0], minlength=k) / codes.size
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


def _both(
    asking: Refits, options: CorrectedBootstrapOptions
) -> tuple[ErrorEstimate, RefitAnswers, tuple[str, ...]]:
    if asking.measure.unit == "bits":
        raise InputError(
            "a measure of the average case with the .632 bootstrap",
            f"{asking.measure.name}, a sum over cases",
            "training cases and out-of-bag cases are not equally many",
        )
    drawn = resamples(asking, options.n_resamples)
    outside, inside = _out_of_bag(asking, drawn), remember(asking)
    said = list(outside.warnings)
    if asking.measure.kind == "error":
        said += about_memory(_value(inside), outside.value)
        if options.check_duplicates:
            found = measure_duplicates(asking, OutOfBag(drawn.copies[:CHECKED]))
            if found.ignores_duplicates:
                said.append(about_duplicates(found.disagreement, found.out_of_bag, found.n_resamples))
    return outside, inside, tuple(said)


def _value(remembered: RefitAnswers) -> float:
    return float(remembered.scores()[0])


def _mixed(
    outside: ErrorEstimate,
    method: str,
    e_r: float,
    weight: float,
    slope: float,
    parts: dict[str, float],
    said: tuple[str, ...],
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
        warnings=said,
    )
