"""How easily chance would do as well as a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from fivefold.errors import InputError
from fivefold.inputs.options import one_of, positive_int
from fivefold.learners.rules._clause_kernels import log_tails

STATISTICS = ("binomial", "hypergeometric")
# Logarithms that differ by no more than this are equal: the rest is rounding.
TIE = 1e-9
_MOST_CASES = 100_000_000


def chance_of_rule(
    correct: int, covered: int, wanted: int, total: int, *, statistic: str = "binomial"
) -> float:
    r"""Give the probability r that cases drawn at random are of a rule's class as often as those it covers.

    A rule covers t of T cases, and p of these are of its class, as are P of all T. With replacement (binomial)
    and without (hypergeometric)

    .. math::

        r = \sum_{i=p}^{t} \binom{t}{i} q^i (1-q)^{t-i}, \quad q = \frac{P}{T}; \qquad
        r = \sum_{i=p}^{\min(t,P)} \binom{P}{i} \binom{T-P}{t-i} \Big/ \binom{T}{t}.

    Parameters
    ----------
    correct, covered : int
        p and t.
    wanted, total : int
        P and T.
    statistic : {"binomial", "hypergeometric"}
        How the cases are drawn.

    Returns
    -------
    float
        The smaller, the better the rule.

    References
    ----------
    B. R. Gaines (1991). Refining induction into knowledge. AAAI Workshop on Knowledge Discovery in Databases,
    1-10.

    Examples
    --------
    >>> from fivefold.learners import chance_of_rule
    >>> round(chance_of_rule(2, 2, 4, 24), 6)  # (4/24)**2
    0.027778
    >>> round(chance_of_rule(2, 2, 4, 24, statistic="hypergeometric"), 6)  # 4/24 * 3/23
    0.021739
    """
    p, t = positive_int(correct, "correct", least=0), positive_int(covered, "covered", least=0)
    wanted, total = positive_int(wanted, "wanted", least=0), positive_int(total, "total", most=_MOST_CASES)
    if not (p <= t <= total and p <= wanted <= total and t - p <= total - wanted):
        raise InputError(
            "correct <= covered <= total, correct <= wanted <= total, and no more others than there are",
            f"{p} correct of {t} covered, {wanted} wanted of {total}",
        )
    chance = Chance.for_cases(total, statistic)
    return float(np.exp(chance.logs(np.array([p]), np.array([t]), wanted, total))[0])


@dataclass(frozen=True, eq=False)
class Chance:
    """The measure r of rules among up to so many cases, drawn with replacement or without."""

    replace: bool
    log_factorials: NDArray[np.float64]

    @classmethod
    def for_cases(cls, n: int, statistic: str) -> Self:
        """Prepare for so many cases."""
        replace = one_of(statistic, STATISTICS, "statistic") == "binomial"
        return cls(replace, np.asarray(gammaln(np.arange(n + 1) + 1.0)))

    def logs(
        self, correct: NDArray[np.int64], covered: NDArray[np.int64], wanted: int, total: int
    ) -> NDArray[np.float64]:
        """Give ln r of several rules for a class with `wanted` of `total` cases."""
        return log_tails(correct, covered, wanted, total, self.replace, self.log_factorials)
