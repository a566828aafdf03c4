"""The FOIL estimator for tables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.checks.options import one_of
from fivefold.data.columns import CategoricalFeatures, Column
from fivefold.data.terms import Above, AtMost, Equals, NotEquals, Rule, Term
from fivefold.errors import InputError, show
from fivefold.learners.base import Learner
from fivefold.learners.foil.cases import attributes_of, cases_of, values_of
from fivefold.learners.foil.covering._kernels import define_classes
from fivefold.learners.foil.firing._kernels import addresses, fire
from fivefold.learners.foil.options import search_options
from fivefold.learners.foil.unknowns import with_unknowns
from fivefold.learners.rule_answers import RuleAnswers
from fivefold.learners.theories import RuleSet

__all__ = ["Foil"]


class Foil(Learner):
    r"""FOIL on a table: for each class a list of clauses, any of which claims the case for its class.

    A clause is grown from nothing by the literal with the greatest gain,

    .. math:: s \, \bigl(I(p, t) - I(p', t')\bigr), \qquad I(p, t) = \lg \frac{t + 1}{p + 1},

    where :math:`t` cases meet the clause so far, :math:`p` of them of the class, and :math:`t'`, :math:`p' = s`
    do with the literal. Literals are ``a = v`` and ``a != v`` for nominal attributes, ``a > x`` and ``a <= x`` for
    numeric ones. A clause that covers :math:`c` of all :math:`U` cases correctly may not cost more bits than
    :math:`1.1\,(\lg U + \lg \binom{U}{c})`. When a clause ends in nothing, the search goes back to an alternative
    that came near the best literal. A finished clause loses the literals that keep nothing out; if it is not
    accurate enough, the search for its class ends. The cases of the class that it covers are put aside, all
    others stay, and the next clause is grown. At the end clauses go that are not needed.

    Parameters
    ----------
    target : label, optional
        Learn this one of two classes as a concept: only clauses for it, and the other class is the answer where
        none of them holds. By default every class has its own clauses.
    info : {"foil6", "paper"}
        The information: :math:`\lg((t + 1) / (p + 1))` as in Quinlan's program, or :math:`\lg(t / p)` as in his
        papers.
    negation : bool
        Whether ``a != v`` may stand in a clause; ``a <= x`` always may.
    pruning : bool
        Whether to drop literals and clauses that are not needed.
    min_accuracy : float
        The least share of cases of its class among those that a clause covers.
    unknown : {"constant", "missing"}
        What a category is that was not there at fitting time: one more constant, which differs from all others
        and so satisfies ``a != v``, as in the program; or a missing value.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
    n_rules_ : int
        How many clauses there are.
    covered_, correct_ : ndarray of int
        How many training cases each clause covers, and how many of them are of its class.

    Notes
    -----
    What is learnt is what FOIL 6.4 learns when each class is a target relation over attributes of different types,
    whose values are theory constants: sums are rounded to 32 bits where that program does, numbers are compared in
    32 bits, and near-ties fall alike. A cut is a number of the training cases.

    A missing value satisfies no literal, so ``missing_test`` makes no difference. Clauses of several classes may
    hold for a case, or none: `predict_sets` says which. `predict` takes the class of the clause with the greatest
    Laplace precision on the training cases; where no clause holds, the most frequent class of the training cases
    for which none does.

    References
    ----------
    J. R. Quinlan (1990). Learning logical definitions from relations. Machine Learning 5, 239-266.

    J. R. Quinlan and R. M. Cameron-Jones (1993). FOIL: a midterm report. ECML-93, 3-20.

    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import Foil
    >>> golf = pl.DataFrame({
    ...     "outlook": "sunny sunny overcast rain rain rain overcast sunny sunny rain".split(),
    ...     "humidity": [85, 90, 78, 96, 80, 70, 65, 95, 70, 80],
    ...     "windy": [False, True, False, False, False, True, True, False, False, False],
    ... })
    >>> model = Foil().fit(golf, "no no yes yes yes no yes no yes yes".split())
    >>> print(model)
    if outlook = sunny and humidity > 70 then no (3)
    if outlook = rain and windy = True then no (1)
    if windy = False and outlook != sunny then yes (4)
    if humidity <= 70 and outlook != rain then yes (2)
    >>> model.predict_sets(pl.DataFrame({"outlook": ["rain"], "humidity": [90], "windy": [None]})).tolist()
    [[False, False]]
    """

    n_rules_: int
    covered_: NDArray[np.int64]
    correct_: NDArray[np.int64]

    def __init__(
        self,
        *,
        target: Any = None,
        info: str = "foil6",
        negation: bool = True,
        pruning: bool = True,
        min_accuracy: float = 0.8,
        unknown: str = "constant",
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.target = target
        self.info = info
        self.negation = negation
        self.pruning = pruning
        self.min_accuracy = min_accuracy
        self.unknown = unknown
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        options = search_options(self.info, self.negation, self.pruning, self.min_accuracy)
        one_of(self.unknown, ("constant", "missing"), "unknown")
        wanted = self._wanted()
        self._attributes = attributes_of(columns)
        values = values_of(columns, self._attributes)
        cases, constants = cases_of(values, self._attributes.sizes)
        firsts, self._clauses = define_classes(cases, options, classes, wanted, not cases.whole.all())
        self._rows, self._codes = addresses(self._clauses, cases.starts, constants)
        self._cuts = self._full_cuts(columns)
        outcomes = np.repeat(wanted, np.diff(firsts)).astype(np.int32)
        fired = fire(self._clauses, self._rows, self._codes, *values)
        self._answers = RuleAnswers.learn(fired, outcomes, classes, self.classes_.size)
        self.n_rules_ = outcomes.size
        self.covered_, self.correct_ = self._answers.covered.sum(axis=1), self._answers.correct

    def _full_cuts(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        """Give each cut as the number of the training cases that it was before it was rounded to 32 bits."""
        full = self._clauses.cuts.astype(np.float64)
        for k in np.flatnonzero(self._codes < 0):
            values = columns[self._attributes.numeric[self._rows[k]]].values
            full[k] = values[values.astype(np.float32) == self._clauses.cuts[k]].max()
        return full

    def _wanted(self) -> NDArray[np.int64]:
        """Give the classes to learn clauses for."""
        every = np.arange(self.classes_.size)
        if self.target is None:
            return every
        wanted: NDArray[np.int64] = every[self.classes_ == self.target]
        if not wanted.size or every.size > 2:
            raise InputError(
                "the target to be one of two classes",
                f"{show(self.target)} with the classes {show(self.classes_.tolist())}",
                "leave target out to learn every class",
            )
        return wanted

    def _read(self, X: Any) -> tuple[Column, ...]:
        columns = super()._read(X)
        # a table of booleans is read often, and has no other categories
        if self.unknown == "missing" or (isinstance(X, np.ndarray) and X.dtype.kind == "b"):
            return columns
        return with_unknowns(X, columns)

    def _fired(self, columns: Sequence[Column]) -> NDArray[np.bool_]:
        return fire(self._clauses, self._rows, self._codes, *values_of(columns, self._attributes))

    def _choices(self, columns: Sequence[Column]) -> NDArray[np.intp]:
        fired = self._fired(columns)
        if self.target is None:
            # Where no clause holds, scikit-learn wants the most probable class and not the most frequent one.
            likely = self._answers.probabilities(fired).argmax(axis=1)
            return np.where(fired.any(axis=0), self._answers.choices(fired), likely)
        return np.where(fired.any(axis=0), *self._concept())

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        return self._answers.probabilities(self._fired(columns))

    def _sets(self, columns: Sequence[Column], missing_fails: bool) -> NDArray[np.bool_]:
        if self.target is not None:
            return super()._sets(columns, missing_fails)
        return self._answers.sets(self._fired(columns))

    def _concept(self) -> tuple[int, int]:
        """Give the target class and the other one, which is the target itself if there is no other."""
        (target,) = self._wanted()
        return int(target), self.classes_.size - 1 - int(target)

    def to_text(self) -> str:
        """Write the clauses, one a line, each with its training cases and its errors among them."""
        lines = [
            f"{rule} ({covered}/{covered - correct})" if covered > correct else f"{rule} ({covered})"
            for rule, covered, correct in zip(self.rules(), self.covered_, self.correct_, strict=True)
        ]
        if self.target is not None:
            lines.append(f"otherwise {self.classes_[self._concept()[1]]}")
        return "\n".join(lines) or "no clause is good enough"

    def rules(self) -> list[Rule]:
        """Give the clauses as rules, class by class; all that hold for a case speak."""
        check_is_fitted(self)
        labels = self.classes_[self._answers.outcomes].tolist()
        starts = self._clauses.starts.tolist()
        return [
            Rule(tuple(self._term(k) for k in range(start, end)), label)
            for start, end, label in zip(starts, starts[1:], labels, strict=False)
        ]

    def _term(self, k: int) -> Term:
        row, code, sign = self._rows[k], int(self._codes[k]), self._clauses.signs[k]
        if code < 0:
            name = self.columns_[self._attributes.numeric[row]].name
            return (Above if sign else AtMost)(name, float(self._cuts[k]))
        column = self.columns_[self._attributes.nominal[row]]
        value: Hashable = (column.categories or ())[code]
        return (Equals if sign else NotEquals)(column.name, value)

    def theory(self) -> RuleSet:
        """Describe the clauses in the form whose length in bits is defined."""
        rules, classes = tuple(self.rules()), tuple(self.classes_.tolist())
        if self.target is None:
            return RuleSet(rules, classes)
        target, other = self._concept()
        return RuleSet(rules, classes, default=classes[other], target=classes[target])
