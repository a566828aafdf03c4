"""Cendrowska's PRISM: modular rules for one class after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import one_of, positive_int
from fivefold.learners.base import Columns, Ints, Weights, cases_and_errors
from fivefold.learners.numeric_bins import Binning
from fivefold.learners.rules._clause_kernels import ATTRIBUTE, LOW
from fivefold.learners.rules.clauses import (
    Clauses,
    ClauseSet,
    Pool,
    RuleLearner,
    Terms,
    Values,
    grow,
    most_accurate,
)
from fivefold.learners.theories import RuleSet


def rules_for(pool: Pool, wanted: NDArray[np.bool_]) -> Iterator[Terms]:
    """Learn the rules of one class."""
    while wanted[pool.rows].any():
        rule = grow(pool, wanted, _next_term)[1:]
        if not rule.size and not wanted[pool.rows].all():
            return
        yield rule
        pool = pool.failing(rule)


def _next_term(terms: Terms, path: Terms) -> int | None:
    used = terms[:, ATTRIBUTE, np.newaxis] == path[:, ATTRIBUTE]
    return most_accurate(terms, ~used.any(axis=1))


@dataclass(kw_only=True, eq=False, repr=False)
class Prism(RuleLearner):
    r"""PRISM: rules for one class after the other, each grown until it is right about every case it covers.

    A rule starts without terms and gets the term :math:`a = v` with the greatest share of cases of its class
    among those that it then covers,

    .. math:: \arg\max_{a, v} \frac{p}{t}, \qquad \text{which has the greatest gain}\quad \lg \frac{p/t}{P/T},

    until it covers no other case or has a term for every attribute. The cases that it covers are put aside, and
    further rules are learnt while there are cases of the class. Each class starts again with all cases.

    Parameters
    ----------
    numeric : {"mdlp", "equal_width"}
        How numeric columns are cut into intervals: by Fayyad and Irani's criterion, or into intervals of equal
        width. Only training cases are looked at. A column in which no cut is worth its cost is not used.
    n_bins : int
        The number of intervals of equal width.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
    n_rules_ : int
        How many rules there are.
    covered_, correct_ : ndarray of int
        How many training cases each rule covers, and how many of them are of its class.

    Notes
    -----
    Of equal terms the one that covers more of the class is taken, then that of the first attribute, then that of
    the first value. A missing value meets no term. Where cases of different classes have the same values, a rule
    ends with a term for every attribute and is wrong about some of its cases. Cases of which no value is known
    get no rule.

    Rules of several classes may hold for a case, or none: `predict_sets` says which. `predict` takes the class of
    the rule with the greatest Laplace precision on the training cases, (correct + 1) / (covered + number of
    classes), or the most frequent class where no rule holds. `predict_proba` gives the class frequencies, with
    one added to each count, of the training cases that the rules of the same class alone cover; or, where rules
    of several classes hold, of those that the deciding rule covers; where no rule holds, the class frequencies of
    all training cases. As no term holds for a missing value, ``missing_test`` makes no difference.

    References
    ----------
    J. Cendrowska (1987). PRISM: An algorithm for inducing modular rules. International Journal of Man-Machine
    Studies 27, 349-370.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import Prism
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> model = Prism().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"])
    >>> print(model)
    if outlook = sunny then no (2)
    if windy = True and outlook = rain then no (1)
    if outlook = overcast then yes (2)
    if outlook = rain and windy = False then yes (2)
    >>> model.predict_sets(pl.DataFrame({"outlook": ["sunny", "rain"], "windy": [True, None]})).tolist()
    [[True, False], [False, False]]
    """

    numeric: str = "mdlp"
    n_bins: int = 10
    categorical_features: CategoricalFeatures = "from_dtype"
    _model: ClauseSet = field(init=False)

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        method = one_of(self.numeric, ("mdlp", "equal_width"), "numeric")
        n_bins, n_classes = positive_int(self.n_bins, "n_bins", least=2), self.classes_.size
        self._binning = Binning.learn(columns, classes, None, method, n_bins)
        codes = self._binning.codes(columns)
        used = [
            c.categories is not None or len(cuts) for c, cuts in zip(columns, self._binning.cuts, strict=True)
        ]
        pool = Pool.of(codes, np.where(used, self._binning.sizes, 0))
        by_class = [list(rules_for(pool, classes == c)) for c in range(n_classes)]
        self._rules = [terms[:, [ATTRIBUTE, LOW]].tolist() for terms in chain.from_iterable(by_class)]
        clauses = [{a: (v - 1.0, float(v)) for a, v in rule} for rule in self._rules]
        outcomes = np.repeat(np.arange(n_classes, dtype=np.int32), [len(rules) for rules in by_class])
        values = codes.astype(np.float64)
        self._model = ClauseSet(Clauses.of(clauses), outcomes, values, classes, n_classes)
        self.n_rules_ = outcomes.size
        answers = self._model.answers
        self.covered_, self.correct_ = answers.covered.sum(axis=1), answers.correct

    def _ask(self, columns: Columns) -> Values:
        return self._binning.codes(columns).astype(np.float64)

    def to_text(self) -> str:
        """Write the rules, one a line, each with its training cases and its errors among them."""
        lines = zip(self.rules(), self.covered_, self.correct_, strict=True)
        return "\n".join(f"{rule} ({cases_and_errors(*n)})" for rule, *n in lines) or "no rule is good enough"

    def rules(self) -> list[Rule]:
        """Give the rules, class by class; all that hold for a case speak."""
        check_is_fitted(self)
        names = [self._binning.terms(a) for a in range(len(self.columns_))]
        labels = self.classes_[self._model.answers.outcomes].tolist()
        return [
            Rule(tuple(names[a][v] for a, v in rule), label)
            for rule, label in zip(self._rules, labels, strict=True)
        ]

    def theory(self) -> RuleSet:
        """Describe the rules in the form whose length in bits is defined."""
        return RuleSet(tuple(self.rules()), tuple(self.classes_.tolist()))
