"""C4.5 trees, release 8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import one_of, yes_or_no
from fivefold.learners.amounts import amount
from fivefold.learners.base import WeightedLearner
from fivefold.learners.c45.cases import attributes_of, cases_of
from fivefold.learners.c45.describing import tree_rules, tree_text, tree_theory
from fivefold.learners.c45.kernels.deciding import class_weights, leaves_reached
from fivefold.learners.c45.options import check_growing, growing_options
from fivefold.learners.c45.structures import LEAF, Nodes
from fivefold.learners.c45.trees import grow_tree, prune_tree, with_full_cuts
from fivefold.learners.theories import DecisionTree


class C45Tree(WeightedLearner):
    r"""A decision tree as Quinlan's C4.5, release 8, grows and prunes it.

    A test is chosen by its gain ratio, gain / split information, among the tests whose gain is at least the
    average gain. With :math:`W` cases at a node, :math:`K` of them with a known value,

    .. math::

        \text{gain} = \frac{K}{W} \Bigl( H(K) - \sum_v \frac{W_v}{K} H(W_v) \Bigr)
            - \Bigl[ \frac{\lg(\text{cuts tried})}{W} \text{ for a numeric attribute} \Bigr]

    and the split information is the entropy of the branches, unknown values counting as one more. Cases
    with an unknown value go down every branch in part. A tree is pruned from the leaves up: a node becomes a
    leaf, or gives way to its largest branch, where the upper limit of the errors at confidence `cf` is not
    worse by more than 0.1.

    Parameters
    ----------
    prune : bool
        Whether to prune the tree.
    min_objs : float
        The least number of cases that at least two branches of a test must have.
    cf : float
        The confidence level of pruning, above 0 and at most 1; a smaller one prunes more.
    cut_penalty : {"release8", "paper"}
        What the choice of a cut costs: lg of the number of cuts tried, as in the program, or lg of the number
        of different values less one, as in Quinlan (1996); divided by the number of cases.
    missing : {"fractional", "value"}
        What a missing value means. ``"value"``: a value of its own, with its own branch in attributes that have
        missing values among the training cases, as in MLC++'s MC4.
    leaf_alpha : float
        Added to each class count of a leaf for its probabilities.
    dtype : {"float32", "float64"}
        The precision of counts, gains and estimates. The program has 32 bits, and near-ties between tests
        depend on them.
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
        The size of the tree as C4.5 prints it: leaves that no training case reaches are not counted.
    estimated_errors_ : float
        The errors to expect on as many new cases as there were for training; only if pruned.

    Notes
    -----
    Given the same cases in the same order, classes and values in sorted order, the class probabilities are
    those of the program, bit for bit. Sums of fractional cases are rounded, so where there are missing values
    the choice between equally good tests may depend on the order of the cases; otherwise it does not.

    References
    ----------
    J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
    J. R. Quinlan (1996). Improved use of continuous attributes in C4.5. JAIR 4, 77-90.
    E. Bauer and R. Kohavi (1999). An empirical comparison of voting classification algorithms: bagging,
    boosting, and variants. Machine Learning 36, 105-139.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import C45Tree
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(C45Tree().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    outlook = overcast: yes (2)
    outlook = rain: yes (3/1)
    outlook = sunny: no (2)
    """

    nodes_: Nodes

    def __init__(
        self,
        *,
        prune: bool = True,
        min_objs: float = 2,
        cf: float = 0.25,
        cut_penalty: str = "release8",
        missing: str = "fractional",
        leaf_alpha: float = 0.0,
        dtype: str = "float32",
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.prune = prune
        self.min_objs = min_objs
        self.cf = cf
        self.cut_penalty = cut_penalty
        self.missing = missing
        self.leaf_alpha = leaf_alpha
        self.dtype = dtype
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        self._check_options()
        own_branch = [self.missing == "value" and bool(column.missing.any()) for column in columns]
        self._own_branch = np.array(own_branch)
        real = np.dtype(self.dtype)
        cases = cases_of(columns, classes, self.classes_.size, self._own_branch, real)
        shares = np.ones(classes.size, dtype=real) if weights is None else weights.astype(real)
        total = float(shares.sum(dtype=np.float64))
        nodes, order = grow_tree(
            cases, shares, growing_options(self.min_objs, self.cut_penalty, cases, total)
        )
        if self.prune:
            nodes = prune_tree(cases, order, shares, nodes, self.cf)
            self.estimated_errors_ = float(nodes.errors[0])
        self.nodes_ = with_full_cuts(nodes, columns)
        self.n_nodes_ = int(np.count_nonzero((nodes.kind != LEAF) | (nodes.items > 0)))

    def _check_options(self) -> None:
        check_growing(self.min_objs, self.cf, self.cut_penalty, self.dtype)
        one_of(self.missing, ("fractional", "value"), "missing")
        yes_or_no(self.prune, "prune")
        amount(self.leaf_alpha, "leaf_alpha")

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        shares, wholes = self._leaf_shares()
        attributes = attributes_of(columns, self._own_branch)
        return class_weights(self.nodes_, shares, wholes, *attributes, len(columns[0])).astype(np.float64)

    def _sets(self, columns: Sequence[Column], missing_fails: bool) -> NDArray[np.bool_]:
        if not missing_fails:
            return super()._sets(columns, missing_fails)
        attributes = attributes_of(columns, self._own_branch)
        leaves = leaves_reached(self.nodes_, *attributes, len(columns[0]))
        answers = np.where(leaves < 0, -1, self._answers()[leaves])
        return np.asarray(answers[:, np.newaxis] == np.arange(self.classes_.size))

    def _leaf_shares(self) -> tuple[NDArray[Any], NDArray[Any]]:
        nodes, real = self.nodes_, self.nodes_.counts.dtype.type
        if self.leaf_alpha:
            shares = nodes.counts + real(self.leaf_alpha)
            return shares, shares.sum(axis=1)
        # A leaf that no training case reaches answers with the commonest class of the node above.
        empty = nodes.items == 0
        shares = np.where(
            empty[:, np.newaxis], np.eye(self.classes_.size, dtype=real)[nodes.leaf], nodes.counts
        )
        return shares, np.where(empty, real(1), nodes.items)

    def _answers(self) -> NDArray[np.intp]:
        return np.asarray(np.argmax(self._leaf_shares()[0], axis=1))

    def _labels(self) -> list[Any]:
        labels: list[Any] = self.classes_[self._answers()].tolist()
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
        placed = bool(self._own_branch.any())
        return tree_theory(self.nodes_, self.columns_, self._labels(), self.classes_, placed)
