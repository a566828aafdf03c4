"""What significance to expect from a given accuracy."""

from __future__ import annotations

import numpy as np
from scipy.special import entr, gammaln

from fivefold.errors import InputError
from fivefold.inputs.options import fraction, positive_int, yes_or_no


def expected_significance(n: int, default_rate: float, accuracy: float, *, exact: bool = True) -> float:
    r"""Bits saved by a model of two classes that always answers one of them.

    With :math:`i` = ``default_rate`` x n cases of the larger class and :math:`j` = ``accuracy`` x n right
    answers,

    .. math:: S = f(i) - f(j), \qquad f(k) = \lg\frac{(n + 1)!}{k!\,(n - k)!},

    or by Stirling's formula, with :math:`p = i/n`, :math:`q = j/n` and the entropy :math:`E`,

    .. math:: S \approx n (E(p) - E(q)) - \tfrac12 \left(\lg\frac{p}{q} + \lg\frac{1-p}{1-q}\right).

    :math:`f(j)` is the cost under the simple Laplace code, which the frequency-weighted code only follows
    when the classes are about equally frequent. On skewed data the curve is far off both ways: it promises too
    much to a model that mostly repeats the larger class, and too little to one that is as good on the smaller.

    Parameters
    ----------
    n : int
        Number of cases.
    default_rate : float
        Share of the most frequent class.
    accuracy : float
        Share of right answers.
    exact : bool
        Whether to use the factorials or Stirling's formula (undefined at rates of 0 and 1).

    References
    ----------
    J. G. Cleary, S. Legg and I. H. Witten, "An MDL estimate of the significance of rules", 1996, section 4.

    Examples
    --------
    >>> import fivefold as ff
    >>> round(ff.bits.expected_significance(1598, 0.527, 0.992), 1)
    1484.7
    >>> ff.bits.expected_significance(100, 0.7, 0.7)
    0.0
    """
    positive_int(n, "n")
    p, q = fraction(default_rate, "default_rate"), fraction(accuracy, "accuracy")
    if yes_or_no(exact, "exact"):
        return float(_laplace_bits(n, p) - _laplace_bits(n, q))
    if not (0 < p < 1 and 0 < q < 1):
        raise InputError(
            "rates strictly between 0 and 1 for Stirling's formula",
            f"default_rate={p}, accuracy={q}",
            "use exact=True",
        )
    return float(n * (_entropy(p) - _entropy(q)) - 0.5 * (np.log2(p / q) + np.log2((1 - p) / (1 - q))))


def expected_set_gain(n_classes: int, size: int, coverage: float) -> float:
    r"""Long-run bits saved per case by sets of one size, for classes that are equally frequent.

    .. math:: \lg n - \left[E(h) + h \lg m + (1 - h) \lg(n - m)\right]

    for sets of :math:`m` of :math:`n` classes that hold the truth with rate :math:`h`: coverage and size in
    one currency.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    size : int
        Number of classes in every answer.
    coverage : float
        Share of answers that hold the truth.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bits.expected_set_gain(4, 2, 1.0)   # half of the classes ruled out: one bit
    1.0
    >>> ff.bits.expected_set_gain(4, 2, 0.5)   # a coin would have done
    0.0
    """
    n = positive_int(n_classes, "n_classes", least=2)
    m = positive_int(size, "size", least=0)
    h = fraction(coverage, "coverage")
    if m > n or (m == 0 and h > 0) or (m == n and h < 1):
        raise InputError(
            "a size up to n_classes and a coverage that it can have", f"size={m}, n_classes={n}, coverage={h}"
        )
    inside = h * np.log2(m) if h > 0 else 0.0
    outside = (1 - h) * np.log2(n - m) if h < 1 else 0.0
    return float(np.log2(n) - (_entropy(h) + inside + outside))


def _laplace_bits(n: int, rate: float) -> float:
    k = rate * n
    return float((gammaln(n + 2) - gammaln(k + 1) - gammaln(n - k + 1)) / np.log(2))


def _entropy(rate: float) -> float:
    return float((entr(rate) + entr(1 - rate)) / np.log(2))
