"""The MML decision graph estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import positive_int
from fivefold.learners.mml._kernels import JOIN
from fivefold.learners.mml.cases import Cases, Members
from fivefold.learners.mml.code import Code
from fivefold.learners.mml.draft import Draft
from fivefold.learners.mml.graph_search import JoinOptions, search_graph
from fivefold.learners.mml.learner import MMLLearner
from fivefold.learners.mml.unfolding import unfold
from fivefold.learners.theories import DecisionTree
from fivefold.learners.trees.nodes import Nodes
from fivefold.learners.trees.tree_text import tree_rules, tree_theory


class MMLGraph(MMLLearner):
    r"""A decision graph that makes the shortest message: a tree in which branches may meet again.

    A tree has to repeat itself to say (a and b) or (c and d): what follows a false a and what follows a false b
    is the same. In a graph these two branches meet in a join, which is then a leaf, or tested further, like any
    other node. The cases of both are pooled, so that fewer are needed to see what follows.

    The message is that of `MMLTree` with these additions. The tree below the root is sent with joins as ends, then
    the trees below joins whose ends are all known, and so on; each as a tree with a root of its own, at which the
    attributes may be tested that could be tested at one of its ends. Each end says whether it is a leaf or a join:
    with l leaves and j joins that is :math:`\lg \frac{(l+j+1)!}{l!\,j!}` bits. Which ends meet is sent after each
    such batch of trees, by the code of Tan and Dowe.

    The search takes again and again the test of a leaf, or the join of two leaves, which shortens the message
    most. As a rule a join pays only after further tests below it. So there is a second search, in which a join is
    made first if the message would become shorter by it when only tests followed; the shorter message is taken.

    Parameters
    ----------
    alpha : float or "auto"
        What is expected of leaves: 1 for any frequencies of the classes alike, less for leaves that are nearly
        pure. ``"auto"`` takes that of 1, 0.5, 0.3, 0.2, 0.1 and 0.05 which makes the message shortest, and pays
        lg 6 bits to say which.
    max_join : int
        How many branches may meet in one join. A leaf below a join may be joined again; where there is room, the
        other branch is added to the join, and otherwise the join leads to another.
    join_filter : bool
        Whether to consider only joins of leaves at both of which a test of the same attribute would save bits.
        That takes less time, and leaves pure leaves apart.
    grow_joins : bool
        Whether to search in the second way, too.
    root : {"n", "n+1"}
        Whether the root is a leaf with probability 1/n, or 1/(n+1) as in Needham and Dowe.
    cut_code : {"hierarchical", "uniform"}
        The code of cuts; ``"uniform"`` takes lg(number of different values - 1) bits for each.
    empty : {"parent", "uniform"}
        What a leaf without training cases answers: the probabilities of the node above, or all classes alike.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
    nodes_ : Nodes
        The graph as arrays; a node of kind 3 is an end that leads to the node `child`.
    n_joins_ : int
        How many joins there are.
    alpha_ : float
        The alpha of the leaves.
    message_ : MessageLength
        What the bits of the message are spent on.
    message_length_ : float
        All of them.
    leaf_message_length_ : float
        The bits of the message without any test.

    Notes
    -----
    A case without a value goes down every branch, in the proportions of the cases with one; its parts are put
    together again where branches meet. Of equally good steps a test goes before a join, and then the leaf that was
    made first.

    ``rules()`` and ``theory()`` are of the tree that gives the same answers to complete cases: what is below a
    join is repeated below each of its ends, without tests that are settled there. So ``theory_length`` is that of
    this tree, which is longer than the graph; the graph's own length is in ``message_``. The tree may be twice as
    large for every join, if they follow each other.

    References
    ----------
    J. J. Oliver (1993). Decision graphs - an extension of decision trees. AISTATS 1993, 343-350.
    P. J. Tan and D. L. Dowe (2002). MML inference of decision graphs with multi-way joins. AI 2002, LNAI 2557,
    131-142.

    Examples
    --------
    >>> import itertools
    >>> import polars as pl
    >>> from fivefold.learners import MMLGraph
    >>> cases = list(itertools.product([False, True], repeat=4)) * 4
    >>> X = pl.DataFrame(cases, schema=["a", "b", "c", "d"], orient="row")
    >>> print(MMLGraph().fit(X, [(a and b) or (c and d) for a, b, c, d in cases]))
    a = False: join A
    a = True:
    |   b = False: join A
    |   b = True: True (16) p=0.944
    join A, where a = False; or a = True and b = False:
    |   c = False: join B
    |   c = True:
    |   |   d = False: join B
    |   |   d = True: True (12) p=0.929
    join B, where A and c = False; or A and c = True and d = False: False (36) p=0.974
    37.3 bits: structure 10.0, attributes 6.2, leaves 13.0, ends 8.1; 31.7 bits shorter than one leaf
    """

    _is_graph = True

    def __init__(
        self,
        *,
        alpha: float | str = 1.0,
        max_join: int = 2,
        join_filter: bool = False,
        grow_joins: bool = True,
        root: str = "n",
        cut_code: str = "hierarchical",
        empty: str = "parent",
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.alpha = alpha
        self.max_join = max_join
        self.join_filter = join_filter
        self.grow_joins = grow_joins
        self.root = root
        self.cut_code = cut_code
        self.empty = empty
        self.categorical_features = categorical_features

    def _check_search(self) -> None:
        positive_int(self.max_join, "max_join", least=2)

    def _search(self, cases: Cases, members: Members, code: Code) -> Draft:
        options = JoinOptions(int(self.max_join), bool(self.join_filter), bool(self.grow_joins))
        return search_graph(cases, members, code, options)

    @property
    def n_joins_(self) -> int:
        """How many joins there are."""
        return int(np.unique(self.nodes_.child[self.nodes_.kind == JOIN]).size)

    def rules(self) -> list[Rule]:
        """Give one rule for each way to a leaf; on complete cases exactly one of them holds."""
        check_is_fitted(self)
        return tree_rules(*self._unfolded())

    def theory(self) -> DecisionTree:
        """Describe the tree that gives the same answers in the form whose length in bits is defined."""
        check_is_fitted(self)
        nodes, columns, labels = self._unfolded()
        return tree_theory(nodes, columns, labels, self.classes_, False)

    def _unfolded(self) -> tuple[Nodes, Any, list[Any]]:
        tree, origins = unfold(self.nodes_)
        labels = self._labels()
        return tree, self.columns_, [labels[origin] for origin in origins]
