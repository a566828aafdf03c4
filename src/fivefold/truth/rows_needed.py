"""How many test rows would settle a question?"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import open_fraction, positive_int
from fivefold.progress import part, shows_progress

# beyond so many deciding rows the normal approximation is exact for every purpose
MOST_EXACT = 200_000


@dataclass(frozen=True)
class RowsNeeded:
    """How many test rows it takes to see a difference of the size that was seen.

    Parameters
    ----------
    n_rows : int or None
        Rows needed in all; None if there is no difference to be seen.
    n_tested : int
        Rows at hand.
    alpha : float
        Level of the two-sided test (after correction for several tests).
    power : float
        Probability that the test then finds the difference.
    sentence : str
        The same in words.
    """

    n_rows: int | None
    n_tested: int
    alpha: float
    power: float
    sentence: str

    @property
    def n_more(self) -> int | None:
        """How many rows are missing; None if no number would do."""
        return None if self.n_rows is None else max(0, self.n_rows - self.n_tested)

    def __str__(self) -> str:
        return self.sentence


@shows_progress
def rows_needed_to_compare(
    only_a_wrong: int,
    only_b_wrong: int,
    n_tested: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    progress: bool | None = None,
) -> RowsNeeded:
    r"""Find how many test rows would show that two fitted rules differ, by McNemar's exact test.

    The power with n rows is :math:`\sum_m P(M = m) P(\text{reject} \mid m)`, where the number M of rows that
    exactly one rule gets wrong is binomial, and so is the part of it that the first rule gets wrong.

    Parameters
    ----------
    only_a_wrong, only_b_wrong : int
        How many of the rows at hand exactly one of the rules got wrong.
    n_tested : int
        How many rows there are.
    alpha : float
        Level of the test.
    power : float
        The probability with which the difference is to be found, if it is as large as it was.
    progress : bool, optional
        Whether to tell on standard error what is being done; by default on a terminal and in a notebook.

    Returns
    -------
    RowsNeeded

    Examples
    --------
    >>> print(rows_needed_to_compare(6, 14, 141))
    A test of 365 rows (224 more than the 141 at hand) would find a difference of 5.7 points with probability 80%
    at level 0.05, if it is as large as it was in these rows.
    """
    b = positive_int(only_a_wrong, "only_a_wrong", least=0)
    c = positive_int(only_b_wrong, "only_b_wrong", least=0)
    n = positive_int(n_tested, "n_tested")
    if b + c > n:
        raise InputError("no more rows with one wrong answer than rows", f"{b} + {c} of {n}")
    level, wanted = open_fraction(alpha, "alpha"), open_fraction(power, "power")
    apart, difference = (b + c) / n, abs(b - c) / n
    if b == c:
        return _none(n, level, wanted, f"Each rule is wrong alone {b} times")
    reach = ndtri(1 - level / 2) * np.sqrt(apart) + ndtri(wanted) * np.sqrt(apart - difference**2)
    start = int(np.ceil((reach / difference) ** 2))
    if start * apart > MOST_EXACT:
        return _needed(start, n, level, wanted, difference)
    with part() as step:

        def power_with(rows: int) -> float:
            step.begin(f"the power of a test with {rows:,} rows")
            return mcnemar_power(rows, b / n, c / n, level)

        rows = _least(power_with, wanted, start)
    return _needed(rows, n, level, wanted, difference)


def mcnemar_power(n: int, share_a: float, share_b: float, alpha: float) -> float:
    """Give the probability that McNemar's exact test rejects with n rows."""
    from scipy.stats import binom

    apart = share_a + share_b
    m = np.arange(int(binom.ppf(1e-10, n, apart)), int(binom.isf(1e-10, n, apart)) + 1)
    least = binom.ppf(alpha / 2, m, 0.5)
    # the largest count whose tail has at most alpha / 2
    edge = np.where(binom.cdf(least, m, 0.5) > alpha / 2, least - 1, least)
    share = share_a / apart
    rejects = binom.cdf(edge, m, share) + binom.sf(m - edge - 1, m, share)
    return float(np.sum(binom.pmf(m, n, apart) * np.where(edge >= 0, rejects, 0.0)))


def rows_needed_for_difference(
    difference: float, sd: float, *, n_tested: int = 0, alpha: float = 0.05, power: float = 0.8
) -> RowsNeeded:
    r"""Find how many test rows would show a mean difference of two rules in a score of each case.

    .. math:: n = \left(\frac{(z_{1 - \alpha/2} + z_{\text{power}})\, s}{\bar d}\right)^2

    Parameters
    ----------
    difference : float
        The mean difference that is to be found, in the unit of the score.
    sd : float
        Standard deviation of the differences of the cases.
    n_tested : int
        How many rows there are.
    alpha, power : float
        As in `rows_needed_to_compare`.

    Returns
    -------
    RowsNeeded

    Examples
    --------
    >>> rows_needed_for_difference(0.1, 0.5, n_tested=150).n_more
    47
    """
    gap, spread = _number(difference, "difference"), _number(sd, "sd")
    n = positive_int(n_tested, "n_tested", least=0)
    level, wanted = open_fraction(alpha, "alpha"), open_fraction(power, "power")
    if spread < 0:
        raise InputError("sd of at least 0", show(sd))
    if gap == 0:
        return _none(n, level, wanted, "The mean difference is zero")
    rows = int(np.ceil(((ndtri(1 - level / 2) + ndtri(wanted)) * spread / gap) ** 2))
    return _needed(max(rows, 2), n, level, wanted, abs(gap), points=False)


def rows_needed_for_slice(
    n_inside: int,
    wrong_inside: int,
    n_outside: int,
    wrong_outside: int,
    *,
    n_tests: int = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> RowsNeeded:
    r"""Find how many test rows would show that errors are more frequent inside a slice than outside.

    With r rows outside for each inside, error rates p and q, and their mean weighted by rows :math:`\bar p`,

    .. math::

        n_{\text{inside}} = \frac{\bigl(z_{1-\alpha/2} \sqrt{(r+1) \bar p (1 - \bar p)}
        + z_{\text{power}} \sqrt{r p (1-p) + q (1-q)}\bigr)^2}{r (p - q)^2},

    enlarged by Casagrande, Pike and Smith's correction, so that it holds for exact tests, too.

    Parameters
    ----------
    n_inside, wrong_inside : int
        Rows in the slice at hand, and how many of them were answered wrongly.
    n_outside, wrong_outside : int
        The same outside.
    n_tests : int
        How many slices are tested: each is tested at the level alpha / n_tests.
    alpha : float
        Level of all tests together.
    power : float
        As in `rows_needed_to_compare`.

    Returns
    -------
    RowsNeeded
        Rows in all, inside and outside in the same proportion as at hand.

    References
    ----------
    J. L. Fleiss, B. Levin and M. C. Paik (2003). Statistical methods for rates and proportions, chapter 4. Wiley.

    Examples
    --------
    >>> rows_needed_for_slice(50, 15, 450, 90, n_tests=20).n_rows
    3000
    """
    inside, outside = _rate(n_inside, wrong_inside, "inside"), _rate(n_outside, wrong_outside, "outside")
    level = open_fraction(alpha, "alpha") / positive_int(n_tests, "n_tests")
    wanted, n = open_fraction(power, "power"), n_inside + n_outside
    gap, r = abs(inside - outside), n_outside / n_inside
    if gap == 0:
        return _none(n, level, wanted, f"The error is {100 * inside:.1f}% inside and outside")
    mean = (inside + r * outside) / (r + 1)
    null = ndtri(1 - level / 2) * np.sqrt((r + 1) * mean * (1 - mean))
    other = ndtri(wanted) * np.sqrt(r * inside * (1 - inside) + outside * (1 - outside))
    plain = (null + other) ** 2 / (r * gap**2)
    corrected = plain / 4 * (1 + np.sqrt(1 + 2 * (r + 1) / (plain * r * gap))) ** 2
    return _needed(int(np.ceil(corrected * (1 + r))), n, level, wanted, gap)


def _rate(n: Any, wrong: Any, where: str) -> float:
    rows, bad = positive_int(n, f"n_{where}"), positive_int(wrong, f"wrong_{where}", least=0)
    if bad > rows:
        raise InputError(f"no more wrong rows than rows {where}", f"{bad} of {rows}")
    return bad / rows


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputTypeError(f"{name} to be a number", f"{show(value)} ({type(value).__name__})")
    if not -sys.float_info.max <= value <= sys.float_info.max:  # numpy asks no integers beyond 64 bits
        raise InputError(f"{name} to be a finite number", show(value))
    return float(value)


def _least(power_with: Callable[[int], float], wanted: float, start: int) -> int:
    """Find the least number of rows with enough power, near a first guess."""
    low, high = max(1, start // 2), max(2, start)
    while power_with(high) < wanted:
        low, high = high, 2 * high
    while low > 1 and power_with(low) >= wanted:
        low, high = low // 2, low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_with(middle) >= wanted else (middle, high)
    return high


def _needed(
    rows: int, n: int, level: float, power: float, difference: float, *, points: bool = True
) -> RowsNeeded:
    size = f"{100 * difference:.1f} points" if points else f"{difference:.3g}"
    more = f" ({rows - n:,} more than the {n:,} at hand)" if rows > n else f" (there are {n:,})" if n else ""
    sentence = (
        f"A test of {rows:,} rows{more} would find a difference of {size} with probability "
        f"{100 * power:g}% at level {level:.2g}, if it is as large as it was in these rows."
    )
    return RowsNeeded(rows, n, level, power, sentence)


def _none(n: int, level: float, power: float, why: str) -> RowsNeeded:
    return RowsNeeded(None, n, level, power, f"{why}: there is no difference that more rows could confirm.")
