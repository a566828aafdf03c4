"""Holte's 1R, and the decision stump: one attribute decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Equals, IsMissing, Rule, Term, Within
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import amount
from fivefold.learners.base import Columns, Floats, Ints, WeightedLearner, Weights, cases_and_errors
from fivefold.learners.bayes._kernels import count_classes, interval_starts
from fivefold.learners.theories import NominalCells, NumericCells, SingleAttributeRule


def cells_of(
    column: Column, classes: Ints, weights: Floats, n_classes: int, small: float
) -> tuple[Floats, Floats]:
    """Part the cases by a column: a cell for each category, or for each of Holte's intervals.

    Give the first number of each interval but the lowest, none for categories; and the weight of each class in
    each cell, the last row for missing values.
    """
    if column.categories is not None:
        n_cells = len(column.categories)
        return np.empty(0), count_classes(column.values, classes, weights, n_cells, n_classes)
    order = np.argsort(column.values)  # missing values come last
    known = order[: order.size - np.count_nonzero(column.missing)]
    values = column.values[known]
    starts = interval_starts(values, classes[known], weights[known], n_classes, small)
    intervals = np.full(column.values.size, -1, dtype=np.int32)
    intervals[known] = np.searchsorted(starts, np.arange(known.size), side="right")
    low, high = values[starts - 1], values[starts]
    middle = low / 2 + high / 2
    # neighbouring floats have no number between them: then the higher one itself starts its interval
    cuts = np.where((low < middle) & (middle <= high), middle, high)
    return cuts, count_classes(intervals, classes, weights, starts.size + 1, n_classes)


@dataclass(kw_only=True, eq=False, repr=False)
class OneR(WeightedLearner):
    r"""1R: the one attribute whose values alone tell most about the class.

    Each attribute parts the training cases into cells: one for each value of a nominal attribute, one for
    each interval of a numeric one, and one for its missing values. A cell answers with its most frequent
    class, and the attribute is chosen whose cells are right most often,

    .. math:: \arg\max_a \sum_{\text{cells } z \text{ of } a} \max_c n_{zc}.

    Intervals are found from left to right. The next value is joined to the interval so far unless each of
    the two has a most frequent class without a tie, these differ, and the interval has more than `small`
    cases of its own. A cut lies midway between two values; a number that equals it belongs to the right.

    Parameters
    ----------
    small : float
        Every interval but the rightmost has more than this many cases of its class. Holte took 6, and 3 for
        his two smallest data sets.
    leaf_alpha : float
        Added to each class count of a cell for its probabilities, :math:`(n_c + \alpha) / (n + \alpha K)`.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_, columns_ : ndarray, tuple of Column
        The classes in sorted order; the attributes, without their values.
    attribute_ : str
        The name of the chosen attribute.
    cuts_ : ndarray of float
        Where its intervals begin, but for the lowest; empty for a nominal attribute.
    cell_counts_ : ndarray of shape (n_cells + 1, n_classes)
        How many training cases of each class each cell has; the last row is the cell of missing values.
    n_correct_ : float
        How many training cases the rule has right.

    Notes
    -----
    Of equal attributes the first is taken, and of equal classes the first. A value without training cases,
    and a missing value where none was missing in training, get the class and the frequencies of all
    training cases. With ``leaf_alpha=0`` probabilities may be 0 or 1.

    ``predict_sets(X, missing_test="fails")`` gives no answer to a case whose value is missing.

    References
    ----------
    R. C. Holte (1993). Very simple classification rules perform well on most commonly used datasets.
    Machine Learning 11, 63-91.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import OneR
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(OneR().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    outlook = overcast: yes (2)
    outlook = rain: yes (3/1)
    outlook = sunny: no (2)
    """

    small: float = 6
    leaf_alpha: float = 0.0
    categorical_features: CategoricalFeatures = "from_dtype"

    _poor_score = True  # one attribute cannot tell apart what takes two

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        small, n_classes = amount(self.small, "small"), self.classes_.size
        amount(self.leaf_alpha, "leaf_alpha")
        shares = np.ones(classes.size) if weights is None else weights
        parted = [cells_of(column, classes, shares, n_classes, small) for column in columns]
        correct = [float(counts.max(axis=1).sum()) for _, counts in parted]
        self._place = int(np.argmax(correct))
        self.attribute_ = columns[self._place].name
        self.cuts_, self.cell_counts_ = parted[self._place]
        self.n_correct_ = correct[self._place]
        self._class_counts = np.bincount(classes, shares, n_classes)

    def _probabilities(self, columns: Columns) -> Floats:
        return self._cell_probabilities()[self._cells(columns)]

    def _choices(self, columns: Columns) -> NDArray[np.intp]:
        return self._answers()[self._cells(columns)]

    def _sets(self, columns: Columns, missing_fails: bool) -> NDArray[np.bool_]:
        sets = super()._sets(columns, missing_fails)
        if missing_fails:
            sets[columns[self._place].missing] = False
        return sets

    def _cells(self, columns: Columns) -> NDArray[np.intp]:
        """Give the cell of each case; -1 for a missing value."""
        column = columns[self._place]
        if column.categories is not None:
            return column.values.astype(np.intp)
        # the right side: a number that equals a cut belongs to the interval above it
        places = np.searchsorted(self.cuts_, column.values, side="right")
        places[column.missing] = -1
        return places

    def _shares(self) -> Floats:
        """Give the class counts that each cell answers by; those of all cases where it has none."""
        empty = ~self.cell_counts_.any(axis=1, keepdims=True)
        return np.asarray(np.where(empty, self._class_counts, self.cell_counts_))

    def _cell_probabilities(self) -> Floats:
        shares = self._shares() + self.leaf_alpha
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _answers(self) -> NDArray[np.intp]:
        return np.asarray(np.argmax(self._shares(), axis=1))

    def _labels(self) -> list[Any]:
        labels: list[Any] = self.classes_[self._answers()].tolist()
        return labels

    def to_text(self) -> str:
        """Write the model, one line a cell; after each answer its training cases and its errors among them."""
        check_is_fitted(self)
        lines = zip(self._conditions(), self._answer_texts(), strict=False)
        return "\n".join(f"{condition}: {answer}" for condition, answer in lines)

    def _answer_texts(self) -> list[str]:
        """Write the answer of each cell."""
        cells = zip(self._labels(), self.cell_counts_, strict=True)
        return [f"{label} ({cases_and_errors(counts.sum(), counts.max())})" for label, counts in cells]

    def rules(self) -> list[Rule]:
        """Give one rule for each cell; the last is for missing values, if there were any in training."""
        check_is_fitted(self)
        return [Rule((term,), label) for term, label in zip(self._terms(), self._labels(), strict=False)]

    def theory(self) -> SingleAttributeRule:
        """Describe the rule in the form whose length in bits is defined."""
        check_is_fitted(self)
        *labels, missing = self._labels()
        categories: tuple[Any, ...] | None = self.columns_[self._place].categories
        cells: NominalCells | NumericCells
        if categories is None:
            cells = NumericCells(tuple(_closed(self.cuts_).tolist()), tuple(labels))
        else:
            cells = NominalCells(tuple(zip(categories, labels, strict=True)))
        return SingleAttributeRule(self.attribute_, cells, tuple(self.classes_.tolist()), missing)

    def _terms(self) -> Iterator[Term]:
        """Give the condition of each cell, without that of missing values where there were none."""
        categories: tuple[Any, ...] | None = self.columns_[self._place].categories
        if categories is None:
            ends = [-np.inf, *_closed(self.cuts_).tolist(), np.inf]
            yield from (Within(self.attribute_, low, high) for low, high in pairwise(ends))
        else:
            yield from (Equals(self.attribute_, category) for category in categories)
        if self.cell_counts_[-1].any():
            yield IsMissing(self.attribute_)

    def _conditions(self) -> Iterator[str]:
        terms = self._terms()
        if self.cuts_.size:
            name, cuts = self.attribute_, [f"{cut:.15g}" for cut in self.cuts_]
            yield f"{name} < {cuts[0]}"
            yield from (f"{low} <= {name} < {high}" for low, high in pairwise(cuts))
            yield f"{name} >= {cuts[-1]}"
            terms = (term for term in terms if isinstance(term, IsMissing))
        yield from map(str, terms)


def _closed(cuts: Floats) -> Floats:
    # terms are closed above: x < cut is x <= the greatest number below the cut
    return np.asarray(np.nextafter(cuts, -np.inf))


class DecisionStump(OneR):
    r"""1R read as a model of probabilities: one attribute, and the class frequencies in each of its cells.

    The attribute and its cells are those of :class:`OneR`. A case in cell z has class c with probability

    .. math:: P(c \mid z) = \frac{n_{zc} + \alpha}{n_z + \alpha K}

    for K classes. The model is written with these probabilities instead of counts and errors.

    Parameters
    ----------
    small, leaf_alpha, categorical_features : as in `OneR`
        With ``leaf_alpha=0`` a probability may be 0, and a log score of it infinite.

    Attributes
    ----------
    classes_, columns_, attribute_, cuts_, cell_counts_, n_correct_ : as in `OneR`

    Notes
    -----
    This is not the stump of Weka or of boosting, which chooses one binary split by its entropy.

    References
    ----------
    R. C. Holte (1993). Very simple classification rules perform well on most commonly used datasets.
    Machine Learning 11, 63-91.
    K. B. Korb, L. R. Hope and M. J. Hughes (2001). The evaluation of predictive learners: some theoretical
    and empirical results. ECML 2001, LNAI 2167, 276-287.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import DecisionStump
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(DecisionStump(leaf_alpha=1).fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    outlook = overcast: yes 0.75, no 0.25
    outlook = rain: yes 0.6, no 0.4
    outlook = sunny: no 0.75, yes 0.25
    """

    def _answer_texts(self) -> list[str]:
        labels = self.classes_.tolist()
        likeliest_first = [
            sorted(zip(-row, labels, strict=True), key=lambda pair: float(pair[0]))
            for row in self._cell_probabilities()
        ]
        return [", ".join(f"{label} {-p:.4g}" for p, label in row if p) for row in likeliest_first]
