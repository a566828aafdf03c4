"""The SuperParent estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import IsMissing, Term
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int
from fivefold.learners.absent import Absent
from fivefold.learners.amounts import amount
from fivefold.learners.base import Learner
from fivefold.learners.binning import Binning
from fivefold.learners.evidence import Evidence
from fivefold.learners.naive_bayes import equivalent_sizes
from fivefold.learners.posteriors import class_probabilities
from fivefold.learners.super_parent.searching import (
    Score,
    cross_validation_score,
    find_network,
    leave_one_out_score,
)
from fivefold.learners.super_parent.tables import NO_PARENT, Cases, Tables


class SuperParent(Learner):
    r"""Naive Bayes in which an attribute may depend on one other attribute besides the class.

    .. math::

        P(c \mid x) \propto P(c) \prod_a P(x_a \mid c, x_{\pi(a)}), \qquad
        P(v \mid c, u) = \frac{n_{vcu} + m/k}{n_{cu} + m},

    where :math:`\pi(a)` is the parent of a, if it has one, and k the number of its values. Starting from naive
    Bayes, each round finds the attribute that is best as the parent of all attributes without one, and then
    its favourite child: the one whose arc alone is best. The arc is added if it puts more training cases
    right, each left out in turn; otherwise the search ends.

    Parameters
    ----------
    m : float, "k" or "n"
        The equivalent sample size of each distribution; ``"k"`` stands for the number of values,
        ``"n"`` for the number of training cases.
    class_m : float
        The same for the classes: :math:`P(c) = (n_c + m/K) / (n + m)` with K classes.
    cv : "loo" or int
        How accuracy is estimated: each case left out in turn, or this many stratified folds.
    numeric : {"mdlp", "equal_width"}
        How numbers become intervals: once, by all training cases.
    n_bins : int
        The number of intervals of equal width.
    random_state : int, Generator, RandomState or None
        For the folds; not used with ``cv="loo"``.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
    parents_ : dict of str to str
        The parent of each attribute that has one.
    arcs_ : tuple of (str, str)
        Parent and child, in the order in which they were found.
    accuracy_ : float
        The share of training cases that the network puts right when they are left out.
    cut_points_ : dict of str to tuple of float
        Where the numeric columns are cut.

    Notes
    -----
    A missing value is skipped; a value whose parent is missing depends on the class alone. Of equally good
    attributes the first is taken. Leaving a case out takes it from the counts, which is exact; the intervals
    and the numbers of values stay as they are.

    References
    ----------
    E. J. Keogh and M. J. Pazzani (1999). Learning augmented Bayesian classifiers: a comparison of
    distribution-based and classification-based approaches. AI & Statistics, 225-230.

    Examples
    --------
    The class is the exclusive or of a and b, which naive Bayes cannot see.

    >>> import polars as pl
    >>> from itertools import product
    >>> from fivefold.learners import SuperParent
    >>> cases = list(product([False, True], repeat=3)) * 3
    >>> X = pl.DataFrame(cases, schema=["a", "b", "c"], orient="row")
    >>> y = ["odd" if a != b else "even" for a, b, c in cases]
    >>> model = SuperParent().fit(X, y)
    >>> print(model)
    even 0.5, odd 0.5
    each attribute depends on the class, and
    b on a
    >>> model.accuracy_
    1.0
    """

    parents_: dict[str, str]
    arcs_: tuple[tuple[str, str], ...]
    accuracy_: float
    rules = Absent("a Bayesian network weighs all attributes; evidence() gives what each value adds")
    # None is how a class says to a protocol that it lacks a method: there is no code for these probabilities
    theory: Any = None

    def __init__(
        self,
        *,
        m: float | str = 1.0,
        class_m: float = 0.0,
        cv: str | int = "loo",
        numeric: str = "mdlp",
        n_bins: int = 10,
        random_state: RandomState = 0,
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.m = m
        self.class_m = class_m
        self.cv = cv
        self.numeric = numeric
        self.n_bins = n_bins
        self.random_state = random_state
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        method = one_of(self.numeric, ("mdlp", "equal_width"), "numeric")
        n_bins = positive_int(self.n_bins, "n_bins", least=2)
        self._binning = Binning.learn(columns, classes, None, method, n_bins)
        self.cut_points_ = self._binning.cut_points
        cases = self._cases(columns, classes)
        network = find_network(self._score(cases), len(columns))
        self._parents = network.parents
        self.accuracy_ = network.correct / classes.size
        self.arcs_ = tuple((columns[p].name, columns[a].name) for p, a in network.arcs)
        self.parents_ = {child: parent for parent, child in self.arcs_}
        used = {(a, p) for a, parent in enumerate(network.parents.tolist()) for p in (NO_PARENT, parent)}
        self._tables = Tables.estimate(cases, sorted(used))

    def _score(self, cases: Cases) -> Score:
        if isinstance(self.cv, str):
            one_of(self.cv, ("loo",), "cv, if not a number,")
            return leave_one_out_score(cases)
        n_folds = positive_int(self.cv, "cv", least=2)
        return cross_validation_score(cases, n_folds, as_generator(self.random_state))

    def _cases(self, columns: Sequence[Column], classes: NDArray[np.int32]) -> Cases:
        sizes = self._binning.sizes
        return Cases(
            self._binning.codes(columns),
            classes,
            self.classes_.size,
            sizes,
            equivalent_sizes(self.m, sizes, float(classes.size)),
            amount(self.class_m, "class_m"),
        )

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        logs = self._tables.joint(self._binning.codes(columns), self._parents)
        return class_probabilities(logs, self._prior())

    def _prior(self) -> NDArray[np.float64]:
        shares = np.exp(self._tables.prior[0])
        return np.asarray(shares / shares.sum())

    def to_text(self) -> str:
        """Write the probabilities of the classes, and which attribute depends on which."""
        check_is_fitted(self)
        shares = zip(self.classes_.tolist(), self._prior(), strict=True)
        lines = [", ".join(f"{label} {p:.4g}" for label, p in shares)]
        lines.append("each attribute depends on the class" + (", and" if self.arcs_ else ""))
        return "\n".join([*lines, *(f"{child} on {parent}" for parent, child in self.arcs_)])

    def evidence(self) -> list[Evidence]:
        """Give what each value adds to each class, in terms that can be applied to other tables.

        The first holds for every case: the classes' own probabilities. A value that depends on another attribute
        has one for each value of that attribute, and one for where that is missing.
        """
        check_is_fitted(self)
        parts = [Evidence.from_logs((), self.classes_, np.log(self._prior()))]
        for a, parent in enumerate(self._parents.tolist()):
            for above, table in self._given(a, parent):
                pairs = zip(self._binning.terms(a), table, strict=True)
                parts += [Evidence.from_logs((*above, term), self.classes_, logs) for term, logs in pairs]
        return parts

    def _given(self, a: int, parent: int) -> list[tuple[tuple[Term, ...], NDArray[np.float64]]]:
        alone: NDArray[np.float64] = self._tables.logs[a, NO_PARENT][0][0]
        if parent == NO_PARENT:
            return [((), alone)]
        tables = self._tables.logs[a, parent][0]
        known = [((term,), table) for term, table in zip(self._binning.terms(parent), tables, strict=True)]
        return [*known, ((IsMissing(self.columns_[parent].name),), alone)]
