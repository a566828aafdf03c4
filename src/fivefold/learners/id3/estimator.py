"""The ID3 estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns
from fivefold.inputs.options import yes_or_no
from fivefold.learners.base import Learner
from fivefold.learners.c45.describing import tree_rules, tree_text, tree_theory
from fivefold.learners.c45.structures import LEAF, Nodes
from fivefold.learners.id3._kernels import nodes_reached
from fivefold.learners.id3.growing import Cases, grow_tree
from fivefold.learners.theories import DecisionTree

_UNKNOWN = -2


class ID3(Learner):
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
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
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

    nodes_: Nodes
    n_nodes_: int

    def __init__(
        self, *, allow_zero_gain: bool = True, categorical_features: CategoricalFeatures = "from_dtype"
    ) -> None:
        self.allow_zero_gain = allow_zero_gain
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        sizes = _sizes(columns)
        own_branch = [bool(column.missing.any()) for column in columns]
        forks = np.where(sizes < 0, 2, sizes + own_branch)
        cases = Cases(_values(columns), sizes, forks, classes, self.classes_.size)
        self.nodes_ = grow_tree(cases, allow_zero_gain=yes_or_no(self.allow_zero_gain, "allow_zero_gain"))
        self.n_nodes_ = int(np.count_nonzero((self.nodes_.kind != LEAF) | (self.nodes_.items > 0)))

    def _read(self, X: Any) -> tuple[Column, ...]:
        """Read as all learners do, but tell categories that were not there in training from missing values."""
        columns = super()._read(X)
        if not any(column.categories is not None and column.missing.any() for column in columns):
            return columns
        again = read_columns(X, categorical_features=self.categorical_features)
        return tuple(_mark_unknown(old, new.missing) for old, new in zip(columns, again, strict=True))

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        counts = self.nodes_.counts[self._reach(columns, missing_fails=False)]
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def _sets(self, columns: Sequence[Column], missing_fails: bool) -> NDArray[np.bool_]:
        reached = self._reach(columns, missing_fails)
        answers = np.where(reached < 0, -1, self.nodes_.leaf[reached])
        return np.asarray(answers[:, np.newaxis] == np.arange(self.classes_.size))

    def _reach(self, columns: Sequence[Column], missing_fails: bool) -> NDArray[np.int32]:
        reached: NDArray[np.int32] = nodes_reached(
            self.nodes_, _values(columns), _sizes(columns), missing_fails
        )
        return reached

    def _labels(self) -> list[Any]:
        labels: list[Any] = self.classes_[self.nodes_.leaf].tolist()
        return labels

    def to_text(self) -> str:
        """Write the tree, one line a branch; after each leaf its training cases and its errors among them."""
        check_is_fitted(self)
        return tree_text(self.nodes_, self.columns_, self._labels())

    def rules(self) -> list[Rule]:
        """Give one rule for each leaf; on complete cases exactly one of them holds."""
        check_is_fitted(self)
        return tree_rules(self.nodes_, self.columns_, self._labels())

    def theory(self) -> DecisionTree:
        """Describe the tree in the form whose length in bits is defined."""
        check_is_fitted(self)
        return tree_theory(self.nodes_, self.columns_, self._labels(), self.classes_, True)


def _sizes(columns: Sequence[Column]) -> NDArray[np.int64]:
    return np.array([-1 if c.categories is None else len(c.categories) for c in columns], dtype=np.int64)


def _values(columns: Sequence[Column]) -> NDArray[np.float64]:
    values = np.array([column.values for column in columns], dtype=np.float64)
    for row, column in zip(values, columns, strict=True):
        if column.categories is not None:
            row[row == -1] = np.nan
    return values


def _mark_unknown(column: Column, missing: NDArray[np.bool_]) -> Column:
    if column.categories is None:
        return column
    return replace(column, values=np.where((column.values < 0) & ~missing, _UNKNOWN, column.values))
