"""Quinlan's ID3: an unpruned tree by information gain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.cut_points import tidy
from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns
from fivefold.inputs.options import yes_or_no
from fivefold.learners.base import Columns, Floats, Ints, Weights, sizes_of, stack_values
from fivefold.learners.trees._id3_kernels import SplitSearch, best_test, nodes_reached
from fivefold.learners.trees.nodes import LEAF, NOMINAL, NUMERIC, Nodes, nodes_of
from fivefold.learners.trees.tree_text import TreeLearner

_UNKNOWN = -2
_NO_TEST = (LEAF, 0, 0, 0, 0.0)


@dataclass(frozen=True, eq=False)
class ID3Table:
    """Training cases: a row of `values` for each attribute, as the kernels read them.

    `forks` is the number of branches of a test: one for each category, one more where values are missing in
    training, two for a number.
    """

    values: Floats
    sizes: NDArray[np.int64]
    forks: NDArray[np.int64]
    classes: Ints
    n_classes: int

    def count(self, rows: NDArray[np.int64]) -> Floats:
        """Count the classes of some cases."""
        return np.bincount(self.classes[rows], minlength=self.n_classes).astype(np.float64)

    def part(self, rows: NDArray[np.int64], attribute: int, cut: float) -> list[NDArray[np.int64]]:
        """Give the cases of each branch of a test."""
        values = self.values[attribute, rows]
        missing = np.isnan(values)
        if self.sizes[attribute] < 0:
            left = values <= cut
            more_left = np.count_nonzero(left) >= np.count_nonzero(~left & ~missing)
            left |= missing & more_left
            return [rows[left], rows[~left]]
        branches = np.where(missing, self.sizes[attribute], values).astype(np.int64)
        in_branch_order = rows[np.argsort(branches, kind="stable")]
        ends = np.cumsum(np.bincount(branches, minlength=self.forks[attribute]))
        return np.split(in_branch_order, ends[:-1])


def grow_tree(cases: ID3Table, *, allow_zero_gain: bool) -> Nodes:
    """Grow a tree until its leaves are pure, or no test parts their cases or has a gain.

    A branch without cases is a leaf with the class counts of the node above it.
    """
    everyone = np.arange(cases.classes.size)
    search = SplitSearch(cases.values, cases.sizes, cases.classes, cases.n_classes)
    # the kind, attribute, first child, number of branches and cut of each node; children stand after their parent
    tests: list[tuple[int, int, int, int, float]] = [_NO_TEST]
    counts, items = [cases.count(everyone)], [everyone.size]
    waiting = [(0, everyone, np.ones(cases.sizes.size, dtype=bool))]
    while waiting:
        node, rows, usable = waiting.pop()
        if np.count_nonzero(counts[node]) < 2:
            continue
        attribute, cut = best_test(search, usable, rows, counts[node], allow_zero_gain)
        if attribute < 0:
            continue
        cut = _readable(cut, cases.values[attribute, rows])
        parts = cases.part(rows, attribute, cut)
        kind = NUMERIC if cases.sizes[attribute] < 0 else NOMINAL
        tests[node] = (kind, attribute, len(tests), len(parts), cut)
        still_usable = usable.copy()
        still_usable[attribute] = False
        for child, part in enumerate(parts, len(tests)):
            tests.append(_NO_TEST)
            counts.append(cases.count(part) if part.size else counts[node])
            items.append(part.size)
            if part.size:
                waiting.append((child, part, still_usable))
    return nodes_of(tests, np.array(items, dtype=np.float64), np.array(counts))


def _readable(cut: float, values: Floats) -> float:
    """Drop rounding noise from a cut, if that moves no value to the other side."""
    neat = tidy(cut)
    low, high = min(cut, neat), max(cut, neat)
    return cut if ((values > low) & (values <= high)).any() else neat


def _mark_unknown(column: Column, missing: NDArray[np.bool_]) -> Column:
    if column.categories is None:
        return column
    return replace(column, values=np.where((column.values < 0) & ~missing, _UNKNOWN, column.values))


@dataclass(kw_only=True, eq=False, repr=False)
class ID3(TreeLearner):
    r"""An unpruned decision tree by information gain, as Quinlan's ID3 grows it.

    At each node the test is taken whose gain

    .. math:: H(S) - \sum_v \frac{|S_v|}{|S|} H(S_v)

    is greatest, the first among equals, until all cases of a node are of one class or no test parts them. A
    nominal attribute has a branch for each value and is tested once on a path. A numeric one is cut in two
    midway between neighbouring values, at the lowest of the best cuts, and may be tested again.

    Parameters
    ----------
    allow_zero_gain : bool
        Whether an impure node is parted even if no test has a gain, as at the root of an exclusive or. Without,
        it becomes a leaf.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
    nodes_ : Nodes
        The tree as arrays.
    n_nodes_ : int
        How many nodes it has, without leaves that no training case reaches.

    Notes
    -----
    Missing is a value of its own in nominal tests. In a numeric test, missing values are with the more known
    ones, for the gain and for the way they take. A case that comes to a branch without training cases, or has
    a category that was not there in training, gets the class frequencies of the node where it stands.

    References
    ----------
    J. R. Quinlan (1986). Induction of decision trees. Machine Learning 1, 81-106.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import ID3
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(ID3().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    outlook = overcast: yes (2)
    outlook = rain:
    |   windy = False: yes (2)
    |   windy = True: no (1)
    outlook = sunny: no (2)
    """

    allow_zero_gain: bool = True
    categorical_features: CategoricalFeatures = "from_dtype"

    _missing_has_branches = True

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        sizes = sizes_of(columns)
        own_branch = [bool(column.missing.any()) for column in columns]
        forks = np.where(sizes < 0, 2, sizes + own_branch)
        cases = ID3Table(stack_values(columns), sizes, forks, classes, self.classes_.size)
        self.nodes_ = grow_tree(cases, allow_zero_gain=yes_or_no(self.allow_zero_gain, "allow_zero_gain"))
        self.n_nodes_ = int(np.count_nonzero((self.nodes_.kind != LEAF) | (self.nodes_.items > 0)))

    def _read(self, X: Any) -> tuple[Column, ...]:
        """Read as all learners do, but tell categories that were not there in training from missing values."""
        columns = super()._read(X)
        if not any(column.categories is not None and column.missing.any() for column in columns):
            return columns
        again = read_columns(X, categorical_features=self.categorical_features)
        return tuple(_mark_unknown(old, new.missing) for old, new in zip(columns, again, strict=True))

    def _probabilities(self, columns: Columns) -> Floats:
        counts = self.nodes_.counts[self._reach(columns, missing_fails=False)]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def _sets(self, columns: Columns, missing_fails: bool) -> NDArray[np.bool_]:
        reached = self._reach(columns, missing_fails)
        return self._single(np.where(reached < 0, -1, self.nodes_.leaf[reached]))

    def _reach(self, columns: Columns, missing_fails: bool) -> Ints:
        return nodes_reached(self.nodes_, stack_values(columns), sizes_of(columns), missing_fails)

    def _answers(self) -> Ints:
        return self.nodes_.leaf
