"""The MML tree estimator."""

from __future__ import annotations

from dataclasses import dataclass

from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import positive_int
from fivefold.learners.mml.draft import Code, Draft, Members, grow_tree
from fivefold.learners.mml.learner import MMLLearner
from fivefold.learners.trees.tree_text import TreeLearner


@dataclass(kw_only=True, eq=False, repr=False)
class MMLTree(MMLLearner, TreeLearner):
    r"""A decision tree that makes the shortest message, as in Wallace and Patrick.

    The message sends the tree and then, leaf by leaf, the classes of the training cases to one who knows their
    attributes. A tree is grown while that makes the message shorter, so that it needs no pruning and no level of
    confidence. The bits are

    * at the root of n attributes :math:`\lg n` for a leaf and :math:`-\lg(1 - 1/n)` for a test; at one of b
      branches :math:`\lg \frac b{b-1}` for a leaf and :math:`\lg b` for a test;
    * at a test :math:`\lg` of the number of attributes that may be tested there, which a nominal one tested
      above may not;
    * at a cut of a numeric attribute 1 for the median of its different values, 3 for a quartile, 5 for an
      octile, and so on;
    * at a leaf with :math:`n_m` cases of each of M classes, N in all,

      .. math::

          \lg \frac{\Gamma(N + M\alpha)}{\Gamma(M\alpha)} -
          \sum_m \lg \frac{\Gamma(n_m + \alpha)}{\Gamma(\alpha)},

      an adaptive code in which class m has the probability :math:`(n_m + \alpha) / (N + M\alpha)` next. Those
      are also the probabilities of the model.

    Parameters
    ----------
    alpha : float or "auto"
        What is expected of leaves: 1 for any frequencies of the classes alike, less for leaves that are nearly
        pure. ``"auto"`` takes that of 1, 0.5, 0.3, 0.2, 0.1 and 0.05 which makes the message shortest, and pays
        lg 6 bits to say which.
    lookahead : int
        How many levels of tests to look at before one is taken; 2 finds an exclusive or of two attributes. A tree
        is grown for each number of levels up to this one, and the shortest is kept. Each further level takes as
        many times longer as there are tests to choose from; 4 is the most.
    root : {"n", "n+1"}
        Whether the root is a leaf with probability 1/n, or 1/(n+1) as in Needham and Dowe.
    cut_code : {"hierarchical", "uniform"}
        The code of cuts; ``"uniform"`` takes lg(number of different values - 1) bits for each.
    empty : {"parent", "uniform"}
        What a leaf without training cases answers: the probabilities of the node above, or all classes alike.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
    nodes_ : Nodes
        The tree as arrays.
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
    A nominal attribute has a branch for each of its values. A case without a value goes down every branch, in the
    proportions of the cases with one. Of equally long messages that without a test is taken, then that of the
    first attribute, then that with the cheapest and lowest cut.

    References
    ----------
    C. S. Wallace and J. D. Patrick (1993). Coding decision trees. Machine Learning 11, 7-22.
    S. L. Needham and D. L. Dowe (2001). Message length as an effective Ockham's razor in decision tree
    induction. AISTATS 2001, 253-260.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import MMLTree
    >>> weather = pl.DataFrame({"windy": [True, False] * 10, "warm": [True] * 10 + [False] * 10})
    >>> model = MMLTree().fit(weather, ["in", "out"] * 10)
    >>> print(model)
    windy = False: out (10) p=0.917
    windy = True: in (10) p=0.917
    10.9 bits: structure 3.0, attributes 1.0, leaves 6.9; 12.0 bits shorter than one leaf
    """

    alpha: float | str = 1.0
    lookahead: int = 1
    root: str = "n"
    cut_code: str = "hierarchical"
    empty: str = "parent"
    categorical_features: CategoricalFeatures = "from_dtype"

    _is_graph = _missing_has_branches = False

    def _search(self, code: Code, members: Members) -> Draft:
        most = MOST_LEVELS if code.cases.classes.size > FEW_CASES else FEW_CASES
        return grow_tree(code, members, positive_int(self.lookahead, "lookahead", most=most))


# each level multiplies the work by the number of tests; of a few cases there are few trees
MOST_LEVELS, FEW_CASES = 4, 10
