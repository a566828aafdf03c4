"""Naive Bayes, and what each value says about the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Term
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import amount, one_of, positive_int
from fivefold.learners.base import Absent, Columns, Floats, Ints, WeightedLearner, Weights
from fivefold.learners.bayes._kernels import count_classes
from fivefold.learners.numeric_bins import Binning

# Sums of logarithms that should be equal may differ in their last bits: then the first class wins, as in any tie.
TIE = 1e-10
_FLOOR = 1e-9


@dataclass(frozen=True)
class Evidence:
    r"""For a case in which all terms hold, the bits that they add to each class.

    The bits are logarithms of probabilities, :math:`\lg P(v \mid c)`; without terms :math:`\lg P(c)`. All the
    evidence that holds for a case, added up and normalised, is its class probability:

    .. math::

        P(c \mid x) = \frac{2^{b_c(x)}}{\sum_k 2^{b_k(x)}}, \qquad b_c(x) = \sum_{\text{evidence that holds}} b_c.

    Parameters
    ----------
    terms : tuple of Term
        The conditions, as in rules and slices.
    classes : tuple of label
        The classes.
    bits : tuple of float
        What the conditions add to each class.

    Examples
    --------
    >>> from fivefold.data.conditions import Equals
    >>> print(Evidence((Equals("windy", True),), ("no", "yes"), (-1.0, -2.0)))
    windy = True: 1 bit for no against yes
    >>> print(Evidence((), ("a", "b", "c"), (-2.0, -1.0, -2.0)))
    always: 1 bit for b against a
    """

    terms: tuple[Term, ...]
    classes: tuple[Any, ...]
    bits: tuple[float, ...]

    @classmethod
    def from_logs(cls, terms: Sequence[Term], classes: NDArray[Any], logs: Floats) -> Self:
        """Make evidence from natural logarithms of probabilities."""
        bits = np.where(np.isneginf(logs), -np.inf, logs / np.log(2))
        return cls(tuple(terms), tuple(classes.tolist()), tuple(bits.tolist()))

    @property
    def favourite(self) -> Any:
        """The class that gains most, the first among equals."""
        return self.classes[int(np.argmax(self.bits))]

    def __str__(self) -> str:
        condition = " and ".join(term.to_text() for term in self.terms) or "always"
        least = int(np.argmin(self.bits))
        if max(self.bits) == self.bits[least]:
            return f"{condition}: the same for all classes"
        gap = max(self.bits) - self.bits[least]
        unit = "bit" if gap == 1 else "bits"
        return f"{condition}: {gap:.3g} {unit} for {self.favourite} against {self.classes[least]}"


def class_probabilities(logs: Floats, prior: Floats) -> Floats:
    """Normalise the joint probabilities of each case; where all are zero, give the prior.

    Examples
    --------
    >>> class_probabilities(np.log([[0.1, 0.3]]), np.array([0.5, 0.5])).round(4).tolist()
    [[0.25, 0.75]]
    """
    top = logs.max(axis=1, keepdims=True)
    impossible = np.isneginf(top)
    gaps = np.where(impossible, 0.0, logs) - np.where(impossible, 0.0, top)
    joint = np.where(gaps > -TIE, 1.0, np.exp(gaps))
    posterior = joint / joint.sum(axis=1, keepdims=True)
    return np.asarray(np.where(impossible, prior, posterior))


@dataclass(frozen=True, eq=False)
class Normals:
    """Means and variances of attributes, in rows, in classes; zero for an attribute that has only one value."""

    means: Floats
    variances: Floats

    @classmethod
    def learn(cls, attributes: Sequence[Floats], classes: Ints, weights: Floats, n_classes: int) -> Self:
        """Estimate from weighted cases, skipping missing values."""
        means, variances = np.zeros((2, len(attributes), n_classes))
        for place, values in enumerate(attributes):
            known = ~np.isnan(values)
            moments = _moments(values[known], classes[known], weights[known], n_classes)
            means[place], variances[place] = moments
        return cls(means, variances)

    def log_densities(self, attributes: Sequence[Floats], n_cases: int) -> Floats:
        """Sum the logarithms of the densities over the attributes, skipping missing values."""
        sums = np.zeros((n_cases, self.means.shape[1]))
        for values, mean, variance in zip(attributes, self.means, self.variances, strict=True):
            if variance.any():
                logs = -0.5 * ((values[:, np.newaxis] - mean) ** 2 / variance + np.log(2 * np.pi * variance))
                sums += np.where(np.isnan(logs), 0.0, logs)
        return sums

    def text(self, place: int, classes: NDArray[Any]) -> str:
        """Write the mean and the standard deviation of an attribute in each class."""
        spreads = np.sqrt(self.variances[place])
        named = zip(classes.tolist(), self.means[place], spreads, strict=True)
        return ", ".join(f"{label} {mean:.4g} ± {spread:.4g}" for label, mean, spread in named)


def _moments(values: Floats, classes: Ints, weights: Floats, n_classes: int) -> tuple[Floats, Floats]:
    if not values.size:
        return np.zeros(n_classes), np.zeros(n_classes)
    mean = np.average(values, weights=weights)
    variance = np.average((values - mean) ** 2, weights=weights)
    totals = np.bincount(classes, weights, n_classes)
    # a class without any known value is taken to be like all cases together
    divisors = np.where(totals > 0, totals, 1.0)
    means = np.where(totals > 0, np.bincount(classes, weights * values, n_classes) / divisors, mean)
    squares = np.bincount(classes, weights * (values - means[classes]) ** 2, n_classes) / divisors
    return means, np.where(totals > 0, squares, variance) + _FLOOR * variance


@dataclass(kw_only=True, eq=False, repr=False)
class NaiveBayes(WeightedLearner):
    r"""Naive Bayes: attributes that are independent once the class is known.

    .. math::

        P(c \mid x) \propto P(c) \prod_{a \text{ known}} P(x_a \mid c), \qquad
        P(v \mid c) = \frac{n_{vc} + m p}{n_c + m}, \qquad p = \frac{1}{\text{number of values}},

    where :math:`n_{vc}` of the :math:`n_c` training cases of class c whose value is known have value v, and m
    is the equivalent sample size: so many more cases, spread evenly over the values. A missing value is
    skipped, in training and in prediction, and so is a value that was never seen in training.

    Parameters
    ----------
    m : float, "k" or "n"
        The equivalent sample size of each attribute; ``"k"`` stands for its number of values, which gives
        Laplace's rule, ``"n"`` for the number of training cases, which is what Korb, Hope and Hughes (2001) seem
        to have used. With 0 probabilities are plain frequencies, and may be zero.
    class_m : float
        The same for the classes: :math:`P(c) = (n_c + m/K) / (n + m)` with K classes.
    numeric : {"mdlp", "equal_width", "gaussian"}
        What becomes of numbers: intervals by Fayyad and Irani's criterion, intervals of equal width, or a
        normal distribution in each class. Only training cases are looked at.
    n_bins : int
        The number of intervals of equal width.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
    class_counts_ : ndarray of shape (n_classes,)
        How many training cases each class has.
    cut_points_ : dict of str to tuple of float
        Where the numeric columns are cut.

    Notes
    -----
    A case that is impossible for every class, as may happen with ``m=0``, gets the probabilities of the classes
    alone. Where a class has no known value of an attribute and m is 0, all its values are equally probable.
    The variance of a normal distribution has one thousand millionth of the variance of all cases added. With
    ``numeric="mdlp"`` weights must be whole numbers.

    References
    ----------
    T. M. Mitchell (1997). Machine Learning, chapter 6. McGraw-Hill.

    U. M. Fayyad and K. B. Irani (1993). Multi-interval discretization of continuous-valued attributes for
    classification learning. IJCAI-93, 1022-1027.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import NaiveBayes
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> model = NaiveBayes().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"])
    >>> print(model)
    always: no 0.4286, yes 0.5714
    outlook = overcast: no 0.08333, yes 0.4667
    outlook = rain: no 0.3333, yes 0.4667
    outlook = sunny: no 0.5833, yes 0.06667
    windy = False: no 0.375, yes 0.7
    windy = True: no 0.625, yes 0.3
    >>> model.predict_proba(pl.DataFrame({"outlook": ["rain", None], "windy": [True, True]})).round(3).tolist()
    [[0.527, 0.473], [0.61, 0.39]]
    """

    m: float | str = 1.0
    class_m: float = 0.0
    numeric: str = "mdlp"
    n_bins: int = 10
    categorical_features: CategoricalFeatures = "from_dtype"

    rules = Absent("a naive Bayes model weighs all attributes; evidence() gives what each value adds")
    # None is how a class says to a protocol that it lacks a method: there is no code for these probabilities
    theory: ClassVar[Any] = None

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        method = one_of(self.numeric, ("mdlp", "equal_width", "gaussian"), "numeric")
        n_bins, n_classes = positive_int(self.n_bins, "n_bins", least=2), self.classes_.size
        shares = np.ones(classes.size) if weights is None else weights
        numbers = [a for a, column in enumerate(columns) if column.categories is None]
        self._normal = numbers if method == "gaussian" else []
        self._binned = [a for a in range(len(columns)) if a not in self._normal]
        chosen = [columns[a] for a in self._binned]
        self._binning = Binning.learn(chosen, classes, weights, method, n_bins)
        self._normals = Normals.learn([columns[a].values for a in self._normal], classes, shares, n_classes)
        self._count(chosen, classes, shares)
        self.cut_points_ = self._binning.cut_points

    def _count(self, columns: Columns, classes: Ints, shares: Floats) -> None:
        n_classes, sizes = self.classes_.size, self._binning.sizes
        class_m = amount(self.class_m, "class_m")
        self.class_counts_ = np.bincount(classes, shares, n_classes).astype(np.float64)
        self._prior = (self.class_counts_ + class_m / n_classes) / (self.class_counts_.sum() + class_m)
        sizes_m = equivalent_sizes(self.m, sizes, float(shares.sum()))
        attributes = zip(self._binning.codes(columns), sizes.tolist(), sizes_m, strict=True)
        self._tables = [
            _frequencies(count_classes(codes, classes, shares, k, n_classes)[:k], m)
            for codes, k, m in attributes
        ]

    def _probabilities(self, columns: Columns) -> Floats:
        codes = self._binning.codes([columns[a] for a in self._binned])
        logs = self._normals.log_densities([columns[a].values for a in self._normal], len(columns[0]))
        with np.errstate(divide="ignore"):
            logs += np.log(self._prior)
            for own, table in zip(codes, self._tables, strict=True):
                # the code -1 takes the last row, which says nothing about the class
                logs += np.log(np.vstack([table, np.ones_like(self._prior)]))[own]
        return class_probabilities(logs, self._prior)

    def to_text(self) -> str:
        """Write the probabilities of the classes, and in each class those of the values of each attribute.

        Attributes that have only one value say nothing and are left out.
        """
        check_is_fitted(self)
        lines = [f"always: {self._named(self._prior)}"]
        for place, table in enumerate(self._tables):
            terms = self._binning.terms(place) if len(table) > 1 else []
            lines += [f"{term}: {self._named(row)}" for term, row in zip(terms, table, strict=False)]
        for place, a in enumerate(self._normal):
            lines.append(f"{self.columns_[a].name}: {self._normals.text(place, self.classes_)}")
        return "\n".join(lines)

    def evidence(self) -> list[Evidence]:
        """Give what each value adds to each class, in terms that can be applied to other tables.

        The first holds for every case: the classes' own probabilities. Attributes with a normal distribution have
        no values to list.
        """
        check_is_fitted(self)
        if self._normal:
            raise InputError(
                "attributes with values or intervals",
                f"a normal distribution of {show(self.columns_[self._normal[0]].name)}",
                'choose numeric="mdlp" or "equal_width"',
            )
        with np.errstate(divide="ignore"):
            parts = [Evidence.from_logs((), self.classes_, np.log(self._prior))]
            for place, table in enumerate(self._tables):
                pairs = zip(self._binning.terms(place), np.log(table), strict=True)
                parts += [Evidence.from_logs((term,), self.classes_, logs) for term, logs in pairs]
        return parts

    def _named(self, row: Floats) -> str:
        return ", ".join(f"{label} {p:.4g}" for label, p in zip(self.classes_.tolist(), row, strict=True))


def equivalent_sizes(m: float | str, sizes: NDArray[np.int64], n_cases: float) -> Floats:
    """Give the equivalent sample size of each attribute."""
    if m == "k":
        return sizes.astype(np.float64)
    return np.full(sizes.size, n_cases if m == "n" else amount(m, 'm, if not "k" or "n",'))


def _frequencies(counts: Floats, m: float) -> Floats:
    """Estimate P(v|c) for the values v in rows and the classes c in columns."""
    k = counts.shape[0]
    known = counts.sum(axis=0) + m
    nothing = known == 0
    return np.asarray((counts + (m + nothing) / max(k, 1)) / (known + nothing))
