"""Keogh and Pazzani's SuperParent: naive Bayes with arcs between attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import IsMissing, Term
from fivefold.errors import InputError
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import RandomState, amount, as_generator, one_of, positive_int
from fivefold.learners.base import Absent, Columns, Floats, Ints, Learner, Weights
from fivefold.learners.bayes._kernels import add_logs, count_correct, count_pairs
from fivefold.learners.bayes.naive_bayes import TIE, Evidence, class_probabilities, equivalent_sizes
from fivefold.learners.numeric_bins import Binning

NO_PARENT = -1
_LIMIT = 10**8
# so many folds are always allowed, though some of them may be empty
FEW_FOLDS = 10

Parents: TypeAlias = NDArray[np.int64]
Pair: TypeAlias = tuple[Floats, Floats]
Score: TypeAlias = Callable[[Parents], int]


@dataclass(frozen=True, eq=False)
class CodedCases:
    """Training cases as codes, one row an attribute, -1 for missing; and how probabilities are estimated.

    `sizes` has the number of values of each attribute, `m` their equivalent sample sizes, `class_m` that of the
    classes.
    """

    codes: Ints
    classes: Ints
    n_classes: int
    sizes: NDArray[np.int64]
    m: Floats
    class_m: float

    def take(self, rows: NDArray[np.int64]) -> CodedCases:
        """Give some of the cases."""
        codes = np.ascontiguousarray(self.codes[:, rows])
        return CodedCases(codes, self.classes[rows], self.n_classes, self.sizes, self.m, self.class_m)

    @property
    def all_pairs(self) -> list[tuple[int, int]]:
        """Each attribute with each parent that it may have, or none."""
        n = self.sizes.size
        return [(a, p) for a in range(n) for p in range(NO_PARENT, n) if a != p]


@dataclass(frozen=True, eq=False)
class Tables:
    """Logarithms of probabilities.

    `logs` has for an attribute and its parent a pair of arrays of shape (parent values, values, classes), of which
    the second is for a case that does not count itself: its class and values occur once less. `prior` is the same
    for the classes, up to a constant.
    """

    logs: dict[tuple[int, int], Pair]
    prior: Pair

    @classmethod
    def estimate(cls, cases: CodedCases, pairs: Iterable[tuple[int, int]]) -> Self:
        r"""Estimate :math:`P(v | c, u) = (n_{vcu} + m/k) / (n_{cu} + m)` for pairs of attribute and parent."""
        pairs = list(pairs)
        _check_total(cases, pairs)
        counts = np.bincount(cases.classes, minlength=cases.n_classes)
        more = cases.class_m / cases.n_classes
        with np.errstate(divide="ignore"):
            prior = np.log(counts + more), np.log(np.maximum(counts - 1, 0) + more)
            return cls({pair: _pair_logs(cases, *pair) for pair in pairs}, prior)

    def joint(self, codes: Ints, parents: Parents, own_classes: Ints | None = None) -> Floats:
        """Give the logarithm of the joint probability of each case and class, up to a constant.

        `own_classes` are the classes of cases that the tables count, and that are not to count themselves.
        """
        plain, own = self.prior
        logs = np.tile(plain, (codes.shape[1], 1))
        if own_classes is not None:
            logs[np.arange(own_classes.size), own_classes] = own[own_classes]
        else:
            own_classes = np.full(codes.shape[1], -1, dtype=np.int32)
        no_values = np.zeros_like(own_classes)
        for a, p in enumerate(parents.tolist()):
            above = no_values if p == NO_PARENT else codes[p]
            add_logs(logs, *self.logs[a, p], *self.logs[a, NO_PARENT], codes[a], above, own_classes)
        return logs


def _pair_logs(cases: CodedCases, a: int, p: int) -> Pair:
    above = np.zeros_like(cases.classes) if p == NO_PARENT else cases.codes[p]
    shape = (1 if p == NO_PARENT else int(cases.sizes[p]), int(cases.sizes[a]), cases.n_classes)
    counts = count_pairs(cases.codes[a], above, cases.classes, shape)
    whole = counts.sum(axis=1, keepdims=True)
    # where a case is taken away there is at least one
    others, other_whole = np.maximum(counts - 1, 0), np.maximum(whole - 1, 0)
    return _logs(counts, whole, cases.m[a]), _logs(others, other_whole, cases.m[a])


def _logs(counts: Floats, whole: Floats, m: float) -> Floats:
    # without any case and with m = 0 all values are equally probable, as they are for every m above 0
    nothing = whole + m == 0
    k = max(counts.shape[1], 1)
    return np.asarray(np.log((counts + (m + nothing) / k) / (whole + m + nothing)))


def _check_total(cases: CodedCases, pairs: list[tuple[int, int]]) -> None:
    sizes = cases.sizes.tolist()
    total = cases.n_classes * sum(sizes[a] * (1 if p == NO_PARENT else sizes[p]) for a, p in pairs)
    if total > _LIMIT:
        raise InputError(
            "attributes with fewer values",
            f"attributes with up to {max(sizes)} values, whose pairs make {total} probabilities",
            "leave out columns that name each case, or put rare values together",
        )


def leave_one_out_score(cases: CodedCases) -> Score:
    """Count the training cases that a network puts right when each is left out in turn."""
    tables = Tables.estimate(cases, cases.all_pairs)

    def score(parents: Parents) -> int:
        return int(count_correct(tables.joint(cases.codes, parents, cases.classes), cases.classes, TIE))

    return score


def cross_validation_score(cases: CodedCases, n_folds: int, rng: np.random.Generator) -> Score:
    """Count the training cases put right by networks of other folds; the folds have like shares of classes."""
    order = rng.permutation(cases.classes.size)
    order = order[np.argsort(cases.classes[order], kind="stable")]
    parts = []
    for first in range(n_folds):
        fold = order[first::n_folds]
        others = cases.take(np.setdiff1d(order, fold))
        parts.append((Tables.estimate(others, cases.all_pairs), cases.take(fold)))

    def score(parents: Parents) -> int:
        return sum(
            int(count_correct(tables.joint(fold.codes, parents), fold.classes, TIE)) for tables, fold in parts
        )

    return score


def find_network(score: Score, n_attributes: int) -> tuple[Parents, list[tuple[int, int]], int]:
    """Add arcs to naive Bayes, one at a time; give the parents, the arcs in order, and the cases put right.

    Each is from the best parent of all attributes that can still have one to the best child of that parent.
    """
    parents = np.full(n_attributes, NO_PARENT, dtype=np.int64)
    best, arcs = score(parents), []
    while np.count_nonzero(parents == NO_PARENT) > 1:
        of_all = [score(with_arcs(parents, a, possible_children(parents, a))) for a in range(n_attributes)]
        parent = int(np.argmax(of_all))
        children = possible_children(parents, parent)
        single = [score(with_arcs(parents, parent, [child])) for child in children]
        if max(single) <= best:
            break
        best, child = max(single), children[int(np.argmax(single))]
        parents = with_arcs(parents, parent, [child])
        arcs.append((parent, child))
    return parents, arcs, best


def possible_children(parents: Parents, parent: int) -> list[int]:
    """Give the orphans to which an arc from `parent` makes no circle."""
    root = parent
    while parents[root] != NO_PARENT:
        root = int(parents[root])
    return [a for a in range(parents.size) if parents[a] == NO_PARENT and a not in (parent, root)]


def with_arcs(parents: Parents, parent: int, children: Iterable[int]) -> Parents:
    """Give the network with arcs from `parent` to `children` added."""
    more = parents.copy()
    more[list(children)] = parent
    return more


@dataclass(kw_only=True, eq=False, repr=False)
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
    m, class_m : as in `NaiveBayes`
    cv : "loo" or int
        How accuracy is estimated: each case left out in turn, or this many stratified folds.
    numeric : {"mdlp", "equal_width"}
        How numbers become intervals: once, by all training cases.
    n_bins : int
        The number of intervals of equal width.
    random_state : int, Generator, RandomState or None
        For the folds; not used with ``cv="loo"``.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
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

    m: float | str = 1.0
    class_m: float = 0.0
    cv: str | int = "loo"
    numeric: str = "mdlp"
    n_bins: int = 10
    random_state: RandomState = None
    categorical_features: CategoricalFeatures = "from_dtype"

    rules = Absent("a Bayesian network weighs all attributes; evidence() gives what each value adds")
    # None is how a class says to a protocol that it lacks a method: there is no code for these probabilities
    theory: ClassVar[Any] = None

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        method = one_of(self.numeric, ("mdlp", "equal_width"), "numeric")
        n_bins = positive_int(self.n_bins, "n_bins", least=2)
        self._binning = Binning.learn(columns, classes, None, method, n_bins)
        self.cut_points_ = self._binning.cut_points
        codes, sizes = self._binning.codes(columns), self._binning.sizes
        m = equivalent_sizes(self.m, sizes, float(classes.size))
        cases = CodedCases(codes, classes, self.classes_.size, sizes, m, amount(self.class_m, "class_m"))
        self._parents, arcs, n_correct = find_network(self._score(cases), len(columns))
        self.accuracy_ = n_correct / classes.size
        self.arcs_ = tuple((columns[p].name, columns[a].name) for p, a in arcs)
        self.parents_ = {child: parent for parent, child in self.arcs_}
        used = {(a, p) for a, parent in enumerate(self._parents.tolist()) for p in (NO_PARENT, parent)}
        self._tables = Tables.estimate(cases, sorted(used))

    def _score(self, cases: CodedCases) -> Score:
        if isinstance(self.cv, str):
            one_of(self.cv, ("loo",), "cv, if not a number,")
            return leave_one_out_score(cases)
        n_folds = positive_int(self.cv, "cv", least=2, most=max(FEW_FOLDS, cases.classes.size))
        return cross_validation_score(cases, n_folds, as_generator(self.random_state))

    def _probabilities(self, columns: Columns) -> Floats:
        logs = self._tables.joint(self._binning.codes(columns), self._parents)
        return class_probabilities(logs, self._prior())

    def _prior(self) -> Floats:
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

    def _given(self, a: int, parent: int) -> list[tuple[tuple[Term, ...], Floats]]:
        alone: Floats = self._tables.logs[a, NO_PARENT][0][0]
        if parent == NO_PARENT:
            return [((), alone)]
        tables = self._tables.logs[a, parent][0]
        known = [((term,), table) for term, table in zip(self._binning.terms(parent), tables, strict=True)]
        return [*known, ((IsMissing(self.columns_[parent].name),), alone)]
