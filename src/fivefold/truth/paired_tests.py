"""Tests of a difference: over folds (corrected t, Bayesian), or of two rules on the same test cases (McNemar)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, stdtr, stdtrit

from fivefold.errors import InputError, show
from fivefold.formulas import mean_p_value, sign_test
from fivefold.inputs.frames import as_numbers
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.labels import encode_together, read_labels, refuse_missing, refuse_strange_answers
from fivefold.inputs.options import amount, open_fraction, positive_int
from fivefold.results import say_p
from fivefold.truth.rows_needed import RowsNeeded, groups_needed_to_compare, rows_needed_to_compare

# degrees of freedom of the variance by the data set learnt from: 3 to 6 in simulations
LUCK_DF = 4


@dataclass(frozen=True)
class CorrectedT:
    """The corrected resampled t test.

    Parameters
    ----------
    difference : float
        Mean difference.
    standard_error : float
        Its corrected standard error.
    t, df, p_value : float
        The statistic, its degrees of freedom and the two-sided p-value.
    low, high : float
        Interval for the difference.
    confidence : float
        Of that interval.
    """

    difference: float
    standard_error: float
    t: float
    df: int
    p_value: float
    low: float
    high: float
    confidence: float

    question = "Would the mean difference between the two learners be zero over all data sets like this one?"

    def __str__(self) -> str:
        return f"corrected resampled t({self.df}) = {self.t:.2f}, {say_p(self.p_value)}"


@dataclass(frozen=True)
class CorrelatedBayes:
    """The Bayesian correlated t test, so called: how probable each conclusion is, given a flat prior.

    It is no test: nothing bounds how often two equal learners are given a high probability of a difference.

    Parameters
    ----------
    p_below, p_equivalent, p_above : float
        Probability that the mean difference lies below, inside and above the region of practical equivalence.
    rope : float
        Half the width of that region: differences up to it make no practical difference.
    location, scale : float
        Of the posterior Student t distribution.
    df : int
        Its degrees of freedom.
    """

    p_below: float
    p_equivalent: float
    p_above: float
    rope: float
    location: float
    scale: float
    df: int

    question = (
        "How probable is it that the one is better, that the other is, and that it makes no difference?"
    )

    def __str__(self) -> str:
        return (
            f"P(difference < -{self.rope:g}) = {self.p_below:.3f}, P(within ±{self.rope:g}) = "
            f"{self.p_equivalent:.3f}, P(> {self.rope:g}) = {self.p_above:.3f} (beliefs, not a test)"
        )


def corrected_t(
    differences: Any,
    *,
    test_share: float,
    luck: float = 0.0,
    freedom: int | None = None,
    confidence: float = 0.95,
) -> CorrectedT:
    r"""Test the mean difference of two learners over folds or random splits of one data set.

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + \rho / (1 - \rho))\, s^2}}, \qquad \text{df} = J - 1,

    with J differences in all, their variance :math:`s^2`, and the share :math:`\rho` of the cases that is tested
    at a time, so that :math:`\rho / (1 - \rho)` is test cases over training cases. The plain t test leaves this
    term out and finds differences where there are none.

    All folds may find what another data set would not show. If the variance by the data set learnt from is
    :math:`\lambda` times that by the cases asked, then the factor of :math:`s^2` is
    :math:`\rho (1 + \lambda)`, where that is more, with Satterthwaite's degrees of freedom.

    Parameters
    ----------
    differences : array-like
        The difference of the two learners in each fold or split.
    test_share : float
        The share of the cases that is tested at a time: 1/k with k folds.
    luck : float
        :math:`\lambda`, which the differences do not show, and `compare` estimates.
    freedom : int, optional
        The most degrees of freedom: few groups remain few, however often they are dealt into folds.
    confidence : float
        Of the interval.

    Returns
    -------
    CorrectedT
        Where all differences are equal there is no spread to judge by, and folds of few cases often agree: then
        p is that of the sign test of the folds of one deal, 1 if they are zero.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> print(corrected_t([0.02, 0.05, 0.01, 0.04, 0.03, 0.0, 0.06, 0.02, 0.03, 0.04], test_share=0.1))
    corrected resampled t(9) = 3.58, p = 0.006
    """
    mean, scale, df = _read_differences(differences, test_share, luck, freedom)
    confidence = open_fraction(confidence, "confidence")
    t = mean / scale if scale > 0 else 0.0
    half = float(stdtrit(df, 0.5 + confidence / 2)) * scale
    p_value = float(2 * stdtr(df, -abs(t)))
    return CorrectedT(mean, scale, t, df, p_value, mean - half, mean + half, confidence)


def correlated_bayes(
    differences: Any, *, test_share: float, rope: float = 0.01, luck: float = 0.0, freedom: int | None = None
) -> CorrelatedBayes:
    r"""Give the probabilities that one learner is better, that the other is, and that both are equivalent.

    The posterior of the mean difference is a Student t distribution around :math:`\bar d`, with the standard error
    and the degrees of freedom of `corrected_t`: the correlation between folds is taken to be :math:`\rho`, the
    share of the cases that is tested at a time.

    Parameters
    ----------
    differences, test_share, luck, freedom
        As in `corrected_t`.
    rope : float
        Differences from -rope to rope make no practical difference.

    References
    ----------
    G. Corani and A. Benavoli (2015). A Bayesian approach for comparing cross-validated algorithms on multiple data
    sets. Machine Learning 100, 285-304.

    Examples
    --------
    >>> print(correlated_bayes([0.02, 0.05, 0.01, 0.04, 0.03, 0.0, 0.06, 0.02, 0.03, 0.04], test_share=0.1))
    P(difference < -0.01) = 0.001, P(within ±0.01) = 0.020, P(> 0.01) = 0.980 (beliefs, not a test)
    """
    mean, scale, df = _read_differences(differences, test_share, luck, freedom)
    rope = amount(rope, "rope")
    below, above = _below(-rope, mean, scale, df), _below(-rope, -mean, scale, df)
    return CorrelatedBayes(below, 1.0 - below - above, above, rope, mean, scale, df)


def _below(limit: float, mean: float, scale: float, df: int) -> float:
    if scale == 0:
        return float(mean < limit)
    return float(stdtr(df, (limit - mean) / scale))


def _read_differences(differences: Any, share: Any, luck: Any, freedom: Any) -> tuple[float, float, int]:
    values = as_numbers(differences, "differences").astype(np.float64)
    if values.ndim != 1 or values.size < 2:
        raise InputError("at least two differences", f"an array of shape {values.shape}")
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError("finite differences", f"{values[bad[0]]} in place {bad[0]}")
    share, luck = open_fraction(share, "test_share"), amount(luck, "luck")
    mean, df = float(values.mean()), values.size - 1
    if freedom is not None:
        df = min(df, positive_int(freedom, "freedom"))
    with np.errstate(over="ignore"):
        spread = float(values.std(ddof=1))
    if not np.isfinite(spread):
        raise InputError("differences whose spread is a number", f"up to {show(np.abs(values).max())}")
    # nothing but rounding: let t say what the signs of the folds of one deal say
    if spread <= 1e-9 * abs(mean):
        folds = min(values.size, max(2, round(1 / share)))
        return mean, abs(mean) / float(-stdtrit(df, max(0.5**folds, 1e-300))), df
    factor, more = 1 / values.size + share / (1 - share), share * (1 + luck)
    if more > factor:
        factor, df = more, min(df, int((1 + luck) ** 2 / (1 / df + luck**2 / LUCK_DF)))
    return mean, spread * float(np.sqrt(factor)), df


RULES_NOT_LEARNERS = (
    "This tests these two fitted models, not the algorithms that trained them: with another training set the "
    "result may reverse."
)
PERHAPS_PAIRED = (
    "Both counts are of equally many cases. If these were the same cases, the chi-square test of the table is the "
    "wrong one: find out which cases each model got wrong, and use McNemar's test."
)


@dataclass(frozen=True)
class McNemar:
    """McNemar's exact test.

    Parameters
    ----------
    only_a_wrong, only_b_wrong : int
        How many cases the one rule gets wrong and the other right.
    both_wrong, both_right : int
        The other cases.
    p_value : float
        Two-sided exact p-value; where cases belong together, that of sums over groups.
    grouped : (ndarray of shape (n,), Groups) or None
        Which cases belong together, after the error of the first rule less that of the second in each case.
    """

    only_a_wrong: int
    only_b_wrong: int
    both_wrong: int
    both_right: int
    p_value: float
    grouped: tuple[NDArray[np.float64], Groups] | None = field(default=None, repr=False, compare=False)

    question = "Do these two fitted models err equally often on cases like the test cases?"

    @property
    def n(self) -> int:
        """The number of test cases."""
        return self.only_a_wrong + self.only_b_wrong + self.both_wrong + self.both_right

    @property
    def difference(self) -> float:
        """The error of the first rule less that of the second."""
        return (self.only_a_wrong - self.only_b_wrong) / self.n

    def rows_needed(self, alpha: float = 0.05, power: float = 0.8) -> RowsNeeded:
        """Find how many rows, or groups of them where they belong together, would show that the rules differ."""
        if self.grouped is not None:
            return groups_needed_to_compare(*self.grouped, alpha, power)
        return rows_needed_to_compare(self.only_a_wrong, self.only_b_wrong, self.n, alpha=alpha, power=power)

    def __str__(self) -> str:
        test = "exact McNemar" if self.grouped is None else f"sums over {self.grouped[1]}"
        return (
            f"only the first wrong {self.only_a_wrong}, only the second {self.only_b_wrong}, of {self.n}: "
            f"{test} {say_p(self.p_value)}"
        )


@dataclass(frozen=True)
class CountsComparison:
    """What right and wrong counts of two rules can tell.

    Parameters
    ----------
    chi_square, p_value : float
        Pearson's test of the 2 x 2 table, which takes the two rules to have been asked different cases.
    yates, yates_p_value : float
        The same with Yates' correction.
    paired_p_values : (float, float) or None
        The least and the largest p-value of McNemar's exact test that these counts allow if both rules were asked
        the same cases; None if they were asked different numbers of cases.
    warnings : tuple of str
        What must be known, in sentences.
    """

    chi_square: float
    p_value: float
    yates: float
    yates_p_value: float
    paired_p_values: tuple[float, float] | None
    warnings: tuple[str, ...]

    question = "Do these two fitted models err equally often?"

    def __str__(self) -> str:
        text = f"chi-square {self.chi_square:.3f}, {say_p(self.p_value)} (Yates {self.yates:.3f})"
        if self.paired_p_values is None:
            return text
        low, high = self.paired_p_values
        return f"{text}; if the same cases were asked, {say_p(low)} to {say_p(high)}"


def mcnemar(y_true: Any, y_pred_a: Any, y_pred_b: Any, *, groups: Any = None) -> McNemar:
    r"""Compare two fitted rules on the same test cases by McNemar's exact test.

    Of the b + c cases that exactly one rule gets wrong, b would be binomial with probability 1/2:

    .. math:: p = \min\Bigl(1,\; 2 \sum_{i=0}^{\min(b, c)} \binom{b+c}{i} 2^{-(b+c)}\Bigr).

    Parameters
    ----------
    y_true : array-like
        The classes of the test cases.
    y_pred_a, y_pred_b : array-like
        What the rules answered; None and NaN are no answer, which is wrong.
    groups : array-like, optional
        Which cases belong together; then b - c is tested by its sums over groups.

    References
    ----------
    Q. McNemar (1947). Note on the sampling error of the difference between correlated proportions or percentages.
    Psychometrika 12, 153-157.

    Examples
    --------
    >>> truth = ["yes"] * 10
    >>> print(mcnemar(truth, ["no"] * 8 + ["yes"] * 2, ["yes"] * 9 + ["no"]))
    only the first wrong 8, only the second 1, of 10: exact McNemar p = 0.039
    """
    truth, answers_a, answers_b = _read_answers(y_true, y_pred_a, y_pred_b)
    return from_wrong(answers_a != truth, answers_b != truth, read_groups(groups, len(truth)))


def from_wrong(wrong_a: Any, wrong_b: Any, groups: Groups | None = None) -> McNemar:
    """Compare two rules by which cases each gets wrong; cases of a group are not independent trials."""
    cells = wrong_a & ~wrong_b, ~wrong_a & wrong_b, wrong_a & wrong_b
    b, c, both = (int(np.count_nonzero(cell)) for cell in cells)
    counts = b, c, both, int(wrong_a.size) - b - c - both
    if groups is None:
        return McNemar(*counts, sign_test(b, c))
    gaps = np.subtract(wrong_a, wrong_b, dtype=np.float64)
    return McNemar(*counts, mean_p_value(gaps, -1.0, 1.0, groups=groups), (gaps, groups))


def compare_counts(right_a: int, wrong_a: int, right_b: int, wrong_b: int) -> CountsComparison:
    """Judge two rules by printed counts of right and wrong answers alone.

    Parameters
    ----------
    right_a, wrong_a, right_b, wrong_b : int
        The counts.

    Examples
    --------
    The example in Bailey and Elkan (1993), there quoted as a significant difference:

    >>> print(compare_counts(129, 12, 121, 20))
    chi-square 2.256, p = 0.13 (Yates 1.727); if the same cases were asked, p = 0.0078 to p = 0.22
    """
    names = ("right_a", "wrong_a", "right_b", "wrong_b")
    given = (right_a, wrong_a, right_b, wrong_b)
    a, b, c, d = (positive_int(value, name, least=0) for value, name in zip(given, names, strict=True))
    n = a + b + c + d
    if not (a + b and c + d):
        raise InputError("both rules to have been asked something", f"{a + b} and {c + d} cases")
    scale = (a + b) * (c + d) * (a + c) * (b + d)
    gap = abs(a * d - b * c)
    plain, yates = ((n * g**2 / scale if scale else 0.0) for g in (gap, max(0.0, gap - n / 2)))
    paired = _paired_range(a, b, d) if a + b == c + d else None
    warnings = (RULES_NOT_LEARNERS,) if paired is None else (RULES_NOT_LEARNERS, PERHAPS_PAIRED)
    return CountsComparison(plain, float(chdtrc(1, plain)), yates, float(chdtrc(1, yates)), paired, warnings)


def _paired_range(right_a: int, wrong_a: int, wrong_b: int) -> tuple[float, float]:
    """Let the two rules share as many errors as they can, and as few."""
    shared = (min(wrong_a, wrong_b), max(0, wrong_b - right_a))
    low, high = (sign_test(wrong_a - both, wrong_b - both) for both in shared)
    return low, high


def _read_answers(*columns: Any) -> list[NDArray[Any]]:
    """Read the labels of all three columns; what is missing differs from everything, itself too."""
    names = ("y_true", "y_pred_a", "y_pred_b")
    arrays = [read_labels(column, name) for column, name in zip(columns, names, strict=True)]
    lengths = list(map(len, arrays))
    if len(set(lengths)) > 1 or 0 in lengths:
        got = f"{', '.join(map(str, lengths))} rows"
        raise InputError("y_true and both predictions of equal length, of one case or more", got)
    (truth, *answers), classes = encode_together(arrays, names)
    refuse_missing(truth, "y_true")
    true, *said = ([classes[code] for code in set(codes.tolist()) - {-1}] for codes in (truth, *answers))
    for given, name in zip(said, names[1:], strict=True):
        # of cases of one class all may be answered wrongly
        refuse_strange_answers(true if len(true) > 1 else (), given, name, "")
    return [truth, *answers]
