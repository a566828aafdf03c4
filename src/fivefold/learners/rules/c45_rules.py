"""Rules as C4.5, release 8, makes them from a tree: a list, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import yes_or_no
from fivefold.learners.base import WeightedLearner
from fivefold.learners.rules._c45_kernels import drop_harmful, first_to_hold
from fivefold.learners.rules.candidate_rules import (
    Candidates,
    conditions_of,
    decided_counts,
    find_candidates,
    order_rules,
    population_of,
    question_lengths,
    rule_lengths,
    select_rules,
    terms_of,
)
from fivefold.learners.theories import RuleList
from fivefold.learners.trees.c45 import (
    attributes_of,
    check_growth_options,
    error_limit,
    grow_tree,
    make_growth_options,
    make_training_table,
    with_full_cuts,
)


class C45Rules(WeightedLearner):
    r"""Rules as Quinlan's C4.5rules, release 8, makes them from an unpruned tree.

    Each path of the tree becomes a rule, which loses conditions as long as that does not raise the upper limit
    of its error at confidence `cf`. Of the rules of each class, the subset :math:`S` is kept for which

    .. math::

        \tfrac12 \Bigl( \sum_{r \in S} \text{bits}(r) - \lg |S|! \Bigr) + \text{bits of the exceptions to } S

    is least. The classes whose rules are wrong least often come first. A case gets the class of the first
    rule that covers it, or else the default class. A condition on a missing value is not met.

    Parameters
    ----------
    min_objs : float
        The least number of cases that at least two branches of a test must have.
    cf : float
        The confidence level of error estimates, above 0 and at most 1; a smaller one drops more conditions.
    cut_penalty : {"release8", "paper"}
        What the choice of a cut costs, as in `C45Tree`.
    quirks : bool
        Whether two numeric conditions that differ only in their direction count as equal when duplicate
        rules are merged, and conditions are compared as in release 8. False for what was meant.
    dtype : {"float32", "float64"}
        The precision of counts, gains, estimates and code lengths.
    random_state : int, RandomState instance or None
        Where the search for a subset starts, for classes with more than ten rules.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
    default_ : label
        The class of cases that no rule covers.
    errors_ : ndarray
        The pessimistic error estimate of each rule; C4.5 prints one less it as the rule's accuracy.
    n_rules_ : int
        How many rules there are, without the default.

    Notes
    -----
    The probabilities are those of the classes among the training cases that the same rule decides, with one
    added to each count. That is Fivefold's own: C4.5rules gives none.

    References
    ----------
    J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
    J. R. Quinlan (1995). MDL and categorical theories (continued). ICML, 464-470.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import C45Rules
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(C45Rules().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    if outlook = sunny then no (2)
    otherwise yes (5/1)
    """

    def __init__(
        self,
        *,
        min_objs: float = 2,
        cf: float = 0.25,
        cut_penalty: str = "release8",
        quirks: bool = True,
        dtype: str = "float32",
        random_state: Any = 0,
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.min_objs = min_objs
        self.cf = cf
        self.cut_penalty = cut_penalty
        self.quirks = quirks
        self.dtype = dtype
        self.random_state = random_state
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        check_growth_options(self.min_objs, self.cf, self.cut_penalty, self.dtype)
        yes_or_no(self.quirks, "quirks")
        real = np.dtype(self.dtype)
        cases = make_training_table(
            columns, classes, self.classes_.size, np.zeros(len(columns), dtype=bool), real
        )
        shares = np.ones(classes.size) if weights is None else weights
        options = make_growth_options(self.min_objs, self.cut_penalty, cases, float(shares.sum()))
        nodes, _ = grow_tree(cases, shares.astype(real), options)
        population = population_of(cases, shares)
        limit = error_limit(self.cf, real)
        cuts = with_full_cuts(nodes, columns).cut
        candidates = find_candidates(cases, population, nodes, cuts, limit, self.quirks)
        lengths = rule_lengths(candidates, *question_lengths(cases, shares, real))
        rng = check_random_state(self.random_state)
        chosen = select_rules(candidates, lengths, population, rng)
        order, default = order_rules(candidates, chosen, population)
        kept = drop_harmful(candidates.covers[order], candidates.outcomes[order], default, classes, shares)
        self._keep(candidates, order[kept], default)
        self._counts = decided_counts(
            self._deciders(columns), classes, shares, self.n_rules_ + 1, self.classes_.size
        )

    def _keep(self, candidates: Candidates, order: NDArray[np.intp], default: int) -> None:
        self._conditions = conditions_of(candidates.branches, [candidates.conditions[r] for r in order])
        self._outcomes = np.append(candidates.outcomes[order], np.int32(default))
        self.errors_ = candidates.errors[order].astype(np.float64)
        self.n_rules_ = int(order.size)
        self.default_ = self.classes_[default]

    def _deciders(self, columns: Sequence[Column]) -> NDArray[np.int32]:
        attributes = attributes_of(columns, np.zeros(len(columns), dtype=bool))
        fired: NDArray[np.int32] = first_to_hold(self._conditions, *attributes, len(columns[0]))
        return fired

    def _choices(self, columns: Sequence[Column]) -> NDArray[np.intp]:
        return self._outcomes[self._deciders(columns)].astype(np.intp)

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        smoothed = self._counts + 1.0
        shares = smoothed / smoothed.sum(axis=1, keepdims=True)
        return np.asarray(shares[self._deciders(columns)])

    def to_text(self) -> str:
        """Write the rules in order, each with the training cases that it decides and its errors among them."""
        check_is_fitted(self)
        lines = [f"{rule} {self._counted(r)}" for r, rule in enumerate(self.rules()[:-1])]
        return "\n".join([*lines, f"otherwise {self.default_} {self._counted(self.n_rules_)}"])

    def _counted(self, r: int) -> str:
        cases = self._counts[r].sum()
        errors = cases - self._counts[r, self._outcomes[r]]
        return f"({cases:.6g}/{errors:.6g})" if errors else f"({cases:.6g})"

    def rules(self) -> list[Rule]:
        """Give the rules in order; the first that holds decides. The last is the default, which always holds."""
        check_is_fitted(self)
        labels = self.classes_[self._outcomes].tolist()
        own = [Rule(terms_of(self._conditions, r, self.columns_), labels[r]) for r in range(self.n_rules_)]
        return [*own, Rule((), labels[-1])]

    def theory(self) -> RuleList:
        """Describe the rules in the form whose length in bits is defined."""
        *rules, default = self.rules()
        return RuleList(tuple(rules), tuple(self.classes_.tolist()), default.outcome)
