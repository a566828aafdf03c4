"""How many test rows would settle a question?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from fivefold.errors import InputError
from fivefold.formulas import binomial_limits
from fivefold.inputs.groups import Groups, crowd_at_worst
from fivefold.inputs.options import amount, finite, open_fraction, positive_int
from fivefold.progress import part, shows_progress

# beyond so many deciding rows the normal approximation is exact for every purpose
MOST_EXACT = 200_000


@dataclass(frozen=True)
class RowsNeeded:
    """How many test rows it takes to see a difference of the size that was seen.

    Parameters
    ----------
    n_rows : int or None
        Rows needed in all, or groups of them; None if there is no difference to be seen.
    n_tested : int
        Rows or groups at hand.
    alpha : float
        Level of the two-sided test (after correction for several tests).
    power : float
        Probability that the test then finds the difference.
    sentence : str
        The same in words.
    interval : (float, float) or None
        Rows needed if the difference is as large, and as small, as the rows at hand allow, with confidence
        1 - alpha; up to infinity if it may be zero. None for slices, and where no rows are at hand.
    unit : str
        What is counted: "rows", or "groups" of rows that belong together.
    """

    n_rows: int | None
    n_tested: int
    alpha: float
    power: float
    sentence: str
    interval: tuple[float, float] | None = None
    unit: str = "rows"

    @property
    def perhaps_never(self) -> bool:
        """Whether the difference may be zero, so that perhaps no number of rows would do."""
        return self.interval is not None and math.isinf(self.interval[1])

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
    exactly one rule gets wrong is binomial, and so is the part of it that the first rule gets wrong. The exact
    intervals of these two shares, put together as Zou and Donner do on the scale of :math:`\log n`, give the
    interval of the rows needed. It has no upper end where the test at this level does not reject.

    Parameters
    ----------
    only_a_wrong, only_b_wrong : int
        How many of the rows at hand exactly one of the rules got wrong.
    n_tested : int
        How many rows there are.
    alpha : float
        Level of the test: for one of several comparisons the adjusted one, such as 0.05 / 3 for three models.
    power : float
        The probability with which the difference is to be found, if it is as large as it was.
    progress : bool, optional
        Whether to tell on standard error what is being done; by default on a terminal and in a notebook.

    References
    ----------
    G. Y. Zou and A. Donner (2008). Construction of confidence limits about effect measures: a general approach.
    Statistics in Medicine 27, 1693-1702.

    Examples
    --------
    >>> print(rows_needed_to_compare(6, 14, 141))
    365 rows would do if the difference is 5.7 points, as in these 141 (at least 92; power 80%, level 0.05). It may
    be zero, and then no number would do.
    """
    b = positive_int(only_a_wrong, "only_a_wrong", least=0)
    c = positive_int(only_b_wrong, "only_b_wrong", least=0)
    n = positive_int(n_tested, "n_tested")
    if b + c > n:
        raise InputError("no more rows with one wrong answer than rows", f"{b} + {c} of {n}")
    level, wanted = open_fraction(alpha, "alpha"), open_fraction(power, "power")
    with part() as step:
        rows, interval = _rows_and_interval(max(b, c), b + c, n, level, wanted, step.begin)
    if b == c:
        return _in_words(rows, interval, n, level, wanted, f"Each model alone is wrong {b} times")
    return _in_words(rows, interval, n, level, wanted, f"{100 * abs(b - c) / n:.1f} points")


def _rows_and_interval(
    more: int, apart: int, n: int, level: float, power: float, tell: Callable[[str], None]
) -> tuple[float, tuple[float, float]]:
    """Find the rows needed from the part that one rule has of the rows that tell the rules apart."""
    near, far = binomial_limits(more, apart, 1 - level) if apart else (0.0, 1.0)
    rare, frequent = binomial_limits(apart, n, 1 - level)
    if 2 * more == apart:
        return math.inf, (_rows_to_compare(far, frequent, level, power, tell), math.inf)
    share = apart / n
    rows, fewest = (_rows_to_compare(part, share, level, power, tell) for part in (more / apart, far))
    most = _rows_to_compare(near, share, level, power, tell) if near > 0.5 else math.inf
    below = math.hypot(math.log(rows / fewest), math.log(frequent / share))
    above = math.hypot(math.log(most / rows), math.log(share / rare))
    return rows, (float(np.floor(rows * np.exp(-below))), float(np.ceil(rows * np.exp(above))))


def _rows_to_compare(
    part: float, apart: float, level: float, power: float, tell: Callable[[str], None]
) -> float:
    """Find the rows needed if a share of rows tells the rules apart, and a part of these is one rule's."""
    difference = apart * abs(2 * part - 1)
    reach = ndtri(1 - level / 2) * np.sqrt(apart) + ndtri(power) * np.sqrt(apart - difference**2)
    start = int(np.ceil((reach / difference) ** 2))
    if start * apart > MOST_EXACT:
        return float(start)

    def power_with(rows: int) -> float:
        tell(f"the power of a test with {rows:,} rows")
        return mcnemar_power(rows, apart * part, apart * (1 - part), level)

    return float(_least(power_with, power, start))


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

    and the interval of n follows from that of the mean difference by Student's t.

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

    Examples
    --------
    >>> rows_needed_for_difference(0.1, 0.5, n_tested=150).n_more
    47
    """
    gap, spread = finite(difference, "difference"), amount(sd, "sd")
    n = positive_int(n_tested, "n_tested", least=0)
    level, wanted = open_fraction(alpha, "alpha"), open_fraction(power, "power")
    half = float(stdtrit(n - 1, 1 - level / 2)) * spread / math.sqrt(n) if n > 1 else math.nan
    rows, interval = _rows_for_means(gap, half, spread, level, wanted)
    words = f"{abs(gap):.3g}" if gap else "The mean difference is zero"
    return _in_words(rows, interval if n > 1 else None, n, level, wanted, words)


def _rows_for_means(
    gap: float, half: float, sd: float, level: float, power: float, pull: float = 0.0
) -> tuple[float, tuple[float, float]]:
    """Find the rows needed for a mean difference, and for those at the ends of its interval."""
    ends = (gap, abs(gap) + half, max(0.0, abs(gap) - half))
    rows, fewest, most = (_rows_for_mean(end, sd, level, power, pull) for end in ends)
    return rows, (fewest, most)


def _rows_for_mean(difference: float, sd: float, level: float, power: float, pull: float) -> float:
    if difference == 0 or math.isnan(difference):
        return math.inf
    reach, size = sd * float(ndtri(1 - level / 2) + ndtri(power)), abs(difference)
    root = (reach + math.sqrt(reach * reach + 4 * size * pull)) / (2 * size)
    # few groups are tested against a wider law than the normal one
    few = float(ndtri(1 - level / 2)) ** 2 / 2 if pull else 0.0
    return max(2.0, float(np.ceil(root * root + few)))


def groups_needed_to_compare(
    gaps: NDArray[np.float64], groups: Groups, alpha: float = 0.05, power: float = 0.8
) -> RowsNeeded:
    r"""Find how many groups like these would show that two fitted rules differ, where only groups are independent.

    With the mean gap d, the standard deviation s of the sums of groups around it, in mean sizes of a group, and
    the pull u of a group that was not seen (`mean_interval`), n solves :math:`n d - u = z s \sqrt n`.
    """
    alpha, power = open_fraction(alpha, "alpha"), open_fraction(power, "power")
    n, gap = groups.n_groups, float(gaps.mean())
    size = len(groups) / n
    spread = float(groups.totals(gaps - gap).std(ddof=1)) / size
    pull = crowd_at_worst(gaps, groups) / size * (1 + abs(gap))
    half = float(stdtrit(n - 1, 1 - alpha / 2)) * spread / math.sqrt(n) + pull / n
    needed, interval = _rows_for_means(gap, half, spread, alpha, power, pull)
    words = f"{100 * abs(gap):.1f} points" if gap else "The models err equally often"
    return _in_words(needed, interval, n, alpha, power, words, "groups")


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
        return _in_words(
            math.inf, None, n, level, wanted, f"The error is {100 * inside:.1f}% inside and outside"
        )
    mean = (inside + r * outside) / (r + 1)
    null = ndtri(1 - level / 2) * np.sqrt((r + 1) * mean * (1 - mean))
    other = ndtri(wanted) * np.sqrt(r * inside * (1 - inside) + outside * (1 - outside))
    plain = (null + other) ** 2 / (r * gap**2)
    corrected = plain / 4 * (1 + np.sqrt(1 + 2 * (r + 1) / (plain * r * gap))) ** 2
    rows = float(np.ceil(corrected * (1 + r)))
    return _in_words(rows, None, n, level, wanted, f"{100 * gap:.1f} points")


def _rate(n: Any, wrong: Any, where: str) -> float:
    rows, bad = positive_int(n, f"n_{where}"), positive_int(wrong, f"wrong_{where}", least=0)
    if bad > rows:
        raise InputError(f"no more wrong rows than rows {where}", f"{bad} of {rows}")
    return bad / rows


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


def _in_words(
    rows: float,
    interval: tuple[float, float] | None,
    n: int,
    level: float,
    power: float,
    seen: str,
    unit: str = "rows",
) -> RowsNeeded:
    """Say how many rows it takes, given in words the difference that was seen, or that there was none."""
    promise = f"power {100 * power:g}%, level {level:.2g}"
    least = f"at least {interval[0]:,.0f}; " if interval else ""
    if math.isinf(rows):
        text = f"{seen}, so perhaps no number of {unit} would do ({least}{promise})."
        return RowsNeeded(None, n, level, power, text, interval, unit)
    here = f"in these {n:,}" if n else "stated"
    if interval and math.isinf(interval[1]):
        text = (
            f"{rows:,.0f} {unit} would do if the difference is {seen}, as {here} ({least}{promise}). It may be "
            "zero, and then no number would do."
        )
    else:
        more = f", {rows - n:,.0f} more," if rows > n > 0 else ""
        limits = f"{interval[0]:,.0f} to {interval[1]:,.0f} by its interval; " if interval else ""
        text = (
            f"{rows:,.0f} {unit}{more} would do if the difference is {seen}, as {here} ({limits}{promise})."
        )
    return RowsNeeded(int(rows), n, level, power, text, interval, unit)
