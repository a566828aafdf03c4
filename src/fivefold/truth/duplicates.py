"""Does a learner notice that a case stands in its training set twice?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results.metric import Direction
from fivefold.results.result import Result
from fivefold.truth.asking import Asking
from fivefold.truth.cases import check_learner, read_cases
from fivefold.truth.measures import ERROR
from fivefold.truth.training_sets import OutOfBag

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
    asking = Asking(learner, read_cases(X, y), ERROR, n_jobs, as_generator(random_state))
    n = len(asking.cases)
    drawn = OutOfBag(asking.rng.multinomial(n, np.full(n, 1 / n), size=n_resamples))
    return measure_duplicates(asking, drawn)


def measure_duplicates(asking: Asking, drawn: OutOfBag) -> DuplicateSensitivity:
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
