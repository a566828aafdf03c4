"""C4.5 trees, release 8: grown, pruned, and answering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures, check_held, round_to
from fivefold.inputs.options import amount, one_of, yes_or_no
from fivefold.learners.base import Columns, Floats, Ints, WeightedLearner, Weights, sizes_of
from fivefold.learners.trees import _c45_double, _c45_single
from fivefold.learners.trees.nodes import LEAF, NUMERIC, GrowthOptions, Nodes, TrainingTable, new_nodes
from fivefold.learners.trees.tree_text import TreeLearner

_PENALTIES: dict[str | Literal[False], int] = {False: 0, "release8": 1, "paper": 2}
_CONFIDENCE = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATE = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def check_growth_options(min_cases: object, cf: object, cut_penalty: object, dtype: object) -> None:
    """Check what trees and rules have in common."""
    if cut_penalty is not False:
        one_of(cut_penalty, ("release8", "paper"), "cut_penalty, unless False,")
    one_of(dtype, ("float32", "float64"), "dtype")
    check_pruning(min_cases, cf)


def check_pruning(min_cases: object, cf: object) -> None:
    """Check the least number of cases in a branch, and the confidence level of pruning."""
    if not 0 < amount(cf, "cf") <= 1:
        raise InputError("cf above 0 and at most 1", show(cf))
    if not amount(min_cases, "min_cases") > 0:
        raise InputError("min_cases above 0", show(min_cases))


def make_growth_options(
    min_cases: float, cut_penalty: str | Literal[False], cases: TrainingTable, total: float
) -> GrowthOptions:
    """Write the options as the kernels take them; `total` is the weight of all cases."""
    many = 0.3 * total
    all_many = bool(np.all(~cases.numeric & (cases.forks >= many)))
    return GrowthOptions(float(min_cases), many, all_many, _PENALTIES[cut_penalty])


def attributes_of(columns: Columns, own_branch: NDArray[np.bool_] | None = None) -> tuple[Floats, Ints, Ints]:
    """Stack columns as `values`, `codes` and `place` of `TrainingTable`, with numbers in full precision.

    A missing value is 0, or the code after the last where the attribute has a branch of its own for it.
    """
    n, is_numeric = len(columns[0]), sizes_of(columns) < 0
    numeric = [column.values for column in columns if column.categories is None]
    nominal = [(a, column) for a, column in enumerate(columns) if column.categories is not None]
    values = np.array(numeric, dtype=np.float64).reshape(-1, n)
    codes = np.empty((len(nominal), n), dtype=np.int32)
    for row, (a, column) in enumerate(nominal):
        np.add(column.values, 1, out=codes[row])
        if own_branch is not None and own_branch[a]:
            codes[row, column.values < 0] = len(column.categories or ()) + 1
    place = np.where(is_numeric, np.cumsum(is_numeric), np.cumsum(~is_numeric)).astype(np.int32) - np.int32(1)
    return values, codes, place


def make_training_table(
    columns: Columns, classes: Ints, n_classes: int, real: Any, own_branch: NDArray[np.bool_] | None = None
) -> TrainingTable:
    """Make the training cases, numbers rounded to the scoring precision `real`."""
    numbers, codes, place = attributes_of(columns, own_branch)
    numeric = sizes_of(columns) < 0
    forks = np.where(numeric, 2, sizes_of(columns))
    values = round_to(numbers, real)
    check_held(values, numbers)
    different = map(np.unique, values)
    distinct = [row[: row.size - int(np.isnan(row[-1:]).any())] for row in different]
    return TrainingTable(
        values,
        codes,
        classes,
        numeric,
        place,
        (forks if own_branch is None else forks + own_branch).astype(np.int32),
        np.concatenate(distinct) if distinct else np.empty(0, dtype=real),
        np.cumsum([0, *map(len, distinct)]),
        n_classes,
    )


def kernels_of(real: Any) -> Any:
    """Give the kernels for counts of one precision."""
    return _c45_single if real == np.float32 else _c45_double


def grow_tree(cases: TrainingTable, weights: NDArray[Any], options: GrowthOptions) -> tuple[Nodes, Ints]:
    """Grow a tree; give it with the order in which growing left the cases."""
    capacity = cases.classes.size + 256
    while True:
        items = np.arange(cases.classes.size, dtype=np.int32)
        nodes = new_nodes(capacity, cases.n_classes, weights.dtype)
        kernels_of(weights.dtype).grow(cases, items, weights, options, nodes)
        if nodes.used[0] > 0:
            return _select(nodes, np.arange(nodes.used[0]), nodes.child[: nodes.used[0]]), items
        capacity *= 2


def prune_tree(cases: TrainingTable, items: Ints, weights: NDArray[Any], grown: Nodes, cf: float) -> Nodes:
    """Prune a grown tree, which stays as it is, on the cases that it was grown from."""
    nodes = Nodes._make(field.copy() for field in grown)
    # Release 8 prunes with the cases in the order in which growing left them.
    kernels_of(weights.dtype).prune(cases, items, weights, nodes, error_limit(cf, weights.dtype))
    return reached_nodes(nodes)


def reached_nodes(nodes: Nodes) -> Nodes:
    """Leave out the nodes that pruning has cut off; list the others level by level."""
    used = int(nodes.used[0])
    kind, first, forks = (field[:used].tolist() for field in (nodes.kind, nodes.child, nodes.forks))
    listed, child = [0], []
    for node in listed:
        child.append(0 if kind[node] == LEAF else len(listed))
        if kind[node] != LEAF:
            listed.extend(range(first[node], first[node] + forks[node]))
    return _select(nodes, np.array(listed), np.array(child, dtype=np.int32))


def error_limit(cf: float, real: Any) -> NDArray[Any]:
    """Give CF and the square of its normal deviate, read off a short table by linear interpolation."""
    confidence, deviate = np.array(_CONFIDENCE, dtype=real), np.array(_DEVIATE, dtype=real)
    level = confidence.dtype.type(cf)
    i = int(np.searchsorted(confidence, level))
    step = (deviate[i] - deviate[i - 1]) * (level - confidence[i - 1])
    z = deviate[i - 1] + step / (confidence[i] - confidence[i - 1])
    return np.array([level, z * z], dtype=real)


def with_full_cuts(nodes: Nodes, columns: Columns) -> Nodes:
    """Write each cut as the number of the training data that it stands for, in full precision."""
    cuts = nodes.cut.astype(np.float64)
    for a in np.unique(nodes.attribute[nodes.kind == NUMERIC]):
        values = np.unique(columns[a].values[~columns[a].missing])
        here = (nodes.kind == NUMERIC) & (nodes.attribute == a)
        rounded = values.astype(nodes.cut.dtype)
        cuts[here] = values[np.searchsorted(rounded, nodes.cut[here], side="right") - 1]
    return nodes._replace(cut=cuts)


def _select(nodes: Nodes, listed: NDArray[Any], child: Ints) -> Nodes:
    chosen = Nodes._make([*(field[listed] for field in nodes[:-1]), np.array([listed.size])])
    return chosen._replace(child=child)


@dataclass(kw_only=True, eq=False, repr=False)
class C45Tree(TreeLearner, WeightedLearner):
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
    min_cases : float
        The least number of cases that at least two branches of a test must have.
    cf : float
        The confidence level of pruning, above 0 and at most 1; a smaller one prunes more.
    cut_penalty : {"release8", "paper"} or False
        What the choice of a cut costs: lg of the number of cuts tried, as in the program, or lg of the number
        of different values less one, as in Quinlan (1996); divided by the number of cases. False: nothing, as
        before release 8, which brought the penalty.
    missing : {"fractional", "value"}
        What a missing value means. ``"value"``: a value of its own, with its own branch in attributes that have
        missing values among the training cases, as in MLC++'s MC4.
    leaf_alpha : float
        Added to each class count of a leaf for its probabilities.
    dtype : {"float32", "float64"}
        The precision of counts, gains and estimates. The program has 32 bits, and near-ties between tests
        depend on them.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
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

    prune: bool = True
    min_cases: float = 2
    cf: float = 0.25
    cut_penalty: str | Literal[False] = "release8"
    missing: str = "fractional"
    leaf_alpha: float = 0.0
    dtype: str = "float32"
    categorical_features: CategoricalFeatures = "from_dtype"

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        check_growth_options(self.min_cases, self.cf, self.cut_penalty, self.dtype)
        one_of(self.missing, ("fractional", "value"), "missing")
        yes_or_no(self.prune, "prune")
        amount(self.leaf_alpha, "leaf_alpha")
        own_branch = [self.missing == "value" and bool(column.missing.any()) for column in columns]
        self._own_branch, self._missing_has_branches = np.array(own_branch), any(own_branch)
        real = np.dtype(self.dtype)
        cases = make_training_table(columns, classes, self.classes_.size, real, self._own_branch)
        shares = np.ones(classes.size, dtype=real) if weights is None else weights.astype(real)
        total = float(shares.sum(dtype=np.float64))
        nodes, items = grow_tree(
            cases, shares, make_growth_options(self.min_cases, self.cut_penalty, cases, total)
        )
        if self.prune:
            nodes = prune_tree(cases, items, shares, nodes, self.cf)
            self.estimated_errors_ = float(nodes.errors[0])
        self.nodes_ = with_full_cuts(nodes, columns)
        self.n_nodes_ = int(np.count_nonzero((nodes.kind != LEAF) | (nodes.items > 0)))

    def _probabilities(self, columns: Columns) -> Floats:
        shares, wholes = self._leaf_shares()
        attributes = attributes_of(columns, self._own_branch)
        sums = kernels_of(shares.dtype).class_weights(self.nodes_, shares, wholes, *attributes)
        return np.asarray(sums, dtype=np.float64)

    def _sets(self, columns: Columns, missing_fails: bool) -> NDArray[np.bool_]:
        if not missing_fails:
            return super()._sets(columns, missing_fails)
        attributes = attributes_of(columns, self._own_branch)
        leaves = kernels_of(self.nodes_.items.dtype).leaves_reached(self.nodes_, *attributes)
        return self._single(np.where(leaves < 0, -1, self._answers()[leaves]))

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
