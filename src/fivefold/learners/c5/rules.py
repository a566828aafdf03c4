"""Rules as C5.0 makes them: a set of rules for all classes that vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import yes_or_no
from fivefold.learners.amounts import amount
from fivefold.learners.base import WeightedLearner
from fivefold.learners.c5.candidates import Candidates, find_candidates
from fivefold.learners.c5.costs import Costs, cheapest_class, check_costs, costs_for
from fivefold.learners.c5.kernels.voting import count_votes
from fivefold.learners.c5.sift import default_class, question_bits, sift_rules
from fivefold.learners.c5.trees import leaf_errors, pruned_tree, root_errors, simplified_tree, thresholds_for
from fivefold.learners.c45.candidates import population_of
from fivefold.learners.c45.cases import attributes_of, cases_of
from fivefold.learners.c45.rule_lists import conditions_of, terms_of
from fivefold.learners.c45.structures import Cases, Nodes
from fivefold.learners.c45.trees import with_full_cuts
from fivefold.learners.theories import RuleSet


class Count(NamedTuple):
    """For each case: the sum of votes for each class, that of its most specific rule, and the rules that hold."""

    sums: NDArray[np.float64]
    specific: NDArray[np.float64]
    fired: NDArray[np.int64]


class C5Rules(WeightedLearner):
    r"""Rules that vote, as Quinlan's C5.0, release 2.07, makes them.

    The path to every node of a pruned tree becomes a rule, which loses conditions as long as that does not
    raise its Laplace error, :math:`(e+1)/(n+2)` for :math:`e` errors in :math:`n` cases. Of all rules, those
    are kept that shorten the message

    .. math::

        0.23 \max\Bigl(0, \sum_r \text{bits}(r) - \lg R!\Bigr)
            + E \lg \frac{k-1}{q} + (N - E) \lg \frac1{1-q}

    of :math:`R` rules with :math:`E` errors in :math:`N` cases, where :math:`q` is the error rate of the tree.
    Every rule that holds votes for its class with its accuracy :math:`(n-e+1)/(n+2)`; the class with the
    greatest sum wins. A condition on a missing value is not met.

    Parameters
    ----------
    min_cases : float
        The least number of cases that at least two branches of a test must have.
    cf : float
        The confidence level of pruning, above 0 and at most 1; a smaller one prunes more.
    global_pruning : bool
        Whether to prune the tree as a whole too, before rules are made from it; never done with costs.
    costs : array-like of shape (n_classes, n_classes), optional
        What it costs to answer with class p where r is right, in row p and column r; classes in sorted order.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
    default_ : label
        The class of cases for which no rule holds.
    votes_ : ndarray
        The vote of each rule.
    n_rules_ : int
        How many rules there are, without the default.

    Notes
    -----
    For two classes, costs become weights of cases; for more, they weigh errors. The probability of the winner
    is the larger of the vote of its most specific rule and the mean of its votes over all rules that hold, that
    of another class the smaller; they are divided by their sum. Where no rule holds, all classes are equal, and
    the answer is the default class.

    References
    ----------
    J. R. Quinlan. C5.0: an informal tutorial. RuleQuest Research.
    J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import C5Rules
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(C5Rules().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    if outlook = sunny then no (2) [0.750]
    if outlook = overcast then yes (2) [0.750]
    default yes
    """

    def __init__(
        self,
        *,
        min_cases: float = 2,
        cf: float = 0.25,
        global_pruning: bool = True,
        costs: Any = None,
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.min_cases = min_cases
        self.cf = cf
        self.global_pruning = global_pruning
        self.costs = costs
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        matrix = self._check_options()
        own = np.ones(classes.size) if weights is None else weights
        cases = cases_of(columns, classes, self.classes_.size, np.zeros(len(columns), dtype=bool), np.float64)
        sizes = np.bincount(classes, weights=own, minlength=self.classes_.size)
        costs = costs_for(matrix, sizes.astype(np.float64))
        scaled = own * costs.scale[classes] if costs.scale.size else own
        min_cases = self.min_cases * float(costs.scale.min(initial=1.0))
        nodes = self._tree(cases, scaled, costs, min_cases)
        cuts = with_full_cuts(nodes, columns).cut
        bits = question_bits(cases)
        found = find_candidates(cases, population_of(cases, scaled), costs, own, nodes, cuts, bits)
        errors = root_errors(nodes) if matrix.size else leaf_errors(nodes)
        chosen = sift_rules(found, bits, cases, scaled, costs, errors, min_cases)
        self._keep(found, chosen, default_class(found, chosen, cases, scaled, costs))

    def _check_options(self) -> NDArray[np.float64]:
        if not 0 < amount(self.cf, "cf") <= 1:
            raise InputError("cf above 0 and at most 1", show(self.cf))
        if not amount(self.min_cases, "min_cases") > 0:
            raise InputError("min_cases above 0", show(self.min_cases))
        yes_or_no(self.global_pruning, "global_pruning")
        return check_costs(self.costs, self.classes_.size)

    def _tree(self, cases: Cases, weights: NDArray[np.float64], costs: Costs, min_cases: float) -> Nodes:
        thresholds = thresholds_for(cases, float(weights.sum()), min_cases)
        nodes = pruned_tree(cases, weights, thresholds, self.cf, costs.scale)
        if costs.matrix.size:
            counts = nodes.counts / costs.scale if costs.scale.size else nodes.counts
            leaf = cheapest_class(counts, costs.matrix).astype(np.int32)
            # An empty leaf keeps the counts of its parent, but is empty still.
            items = np.where(nodes.items > 0, counts.sum(axis=1), 0.0)
            return nodes._replace(counts=counts, items=items, leaf=leaf)
        return simplified_tree(nodes, cases, weights) if self.global_pruning else nodes

    def _keep(self, candidates: Candidates, chosen: NDArray[np.intp], default: int) -> None:
        self._conditions = conditions_of(candidates.branches, [candidates.conditions[r] for r in chosen])
        self._outcomes = candidates.outcomes[chosen]
        self._covered, self._right = candidates.covered[chosen], candidates.right[chosen]
        self._default = default
        self.votes_ = candidates.votes[chosen] / 1000
        self.n_rules_ = int(chosen.size)
        self.default_ = self.classes_[default]

    def _count(self, columns: Sequence[Column]) -> Count:
        attributes = attributes_of(columns, np.zeros(len(columns), dtype=bool))
        rules = (self._conditions, self._outcomes, self.votes_, self._covered)
        return Count(*count_votes(*rules, self.classes_.size, *attributes, len(columns[0])))

    def _choices(self, columns: Sequence[Column]) -> NDArray[np.intp]:
        return self._winners(self._count(columns).sums)

    def _winners(self, sums: NDArray[np.float64]) -> NDArray[np.intp]:
        best = np.argmax(sums, axis=1)
        tied = sums[:, self._default] == sums.max(axis=1)
        return np.where(tied, self._default, best)

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        sums, specific, fired = self._count(columns)
        winners, rows = self._winners(sums), np.arange(len(sums))
        means = sums / np.maximum(fired, 1)[:, np.newaxis]
        shares = np.minimum(means, specific)
        shares[rows, winners] = np.maximum(means, specific)[rows, winners]
        shares[fired == 0] = 1.0
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def to_text(self) -> str:
        """Write the rules, each with its training cases, its errors among them, and its vote."""
        check_is_fitted(self)
        lines = []
        for rule, covered, right, vote in zip(
            self.rules(), self._covered, self._right, self.votes_, strict=True
        ):
            errors = f"/{covered - right:.6g}" if covered > right else ""
            lines.append(f"{rule} ({covered:.6g}{errors}) [{vote:.3f}]")
        return "\n".join([*lines, f"default {self.default_}"])

    def rules(self) -> list[Rule]:
        """Give the rules, which vote; by class, and by falling vote within a class."""
        check_is_fitted(self)
        labels = self.classes_[self._outcomes].tolist()
        return [Rule(terms_of(self._conditions, r, self.columns_), labels[r]) for r in range(self.n_rules_)]

    def theory(self) -> RuleSet:
        """Describe the rules in the form whose length in bits is defined."""
        return RuleSet(
            tuple(self.rules()), tuple(self.classes_.tolist()), self.classes_.tolist()[self._default]
        )
