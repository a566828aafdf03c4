"""The FOIL estimator for tables, and the clauses that it has learnt."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Above, AtMost, Equals, NotEquals, Rule, Term
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures, Column, check_held, read_columns
from fivefold.inputs.options import one_of
from fivefold.learners.foil import training_table as tables
from fivefold.learners.foil.kernels.clauses import cover, define_classes
from fivefold.learners.foil.kernels.literals import Ints, Options
from fivefold.learners.foil.training_table import Values
from fivefold.learners.labels import encode_classes
from fivefold.learners.rule_answers import RuleAnswers, count_classes
from fivefold.learners.rules.clauses import RuleLearner
from fivefold.learners.theories import RuleSet


@dataclass(kw_only=True, eq=False, repr=False)
class Foil(RuleLearner):
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
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
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
    Laplace precision on the training cases; where no clause holds, the most frequent class. `predict_proba` gives
    the class frequencies of like cases, as in `Prism`. With a `target` there is always one answer: the target
    where a clause holds, otherwise the other class.

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

    target: Any = None
    info: str = "foil6"
    negation: bool = True
    pruning: bool = True
    min_accuracy: float = 0.8
    unknown: str = "constant"
    categorical_features: CategoricalFeatures = "from_dtype"
    _model: RuleAnswers = field(init=False)

    _poor_score = True  # where no clause is accurate enough there is none, however many cases are left

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        by_type = isinstance(self.categorical_features, str) and self.categorical_features == "from_dtype"
        values = _array_values(X) if by_type else None
        if values is None:
            self._array_type: tuple[str, int] | None = None
            return super()._fit(X, y, sample_weight)
        self._note_names(X, reset=True)
        self.classes_, classes = encode_classes(y, len(X))
        # what has to be the same in answering: the kind of values, and how many columns
        self._array_type = X.dtype.kind, X.shape[1]
        self.columns_ = _array_columns(*self._array_type)
        self._learn_values(values, classes)
        return self

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        self._learn_values(tables.values_of(columns, tables.attributes_of(columns)), classes)

    def _learn_values(self, values: Values, classes: NDArray[np.int32]) -> None:
        options = tables.search_options(self.info, self.negation, self.pruning, self.min_accuracy)
        one_of(self.unknown, ("constant", "missing"), "unknown")
        check_held(values.numbers, values.full)
        n_classes, self._concept = self.classes_.size, self._target_and_other()
        wanted = np.arange(n_classes) if self._concept is None else np.array(self._concept[:1])
        self._attributes = tables.attributes_of(self.columns_)
        self._learn_clauses(values, classes, wanted, options)
        held, outcomes = self._held(values), self._outcomes
        if self._concept is None:
            self._model = RuleAnswers.learn(held, outcomes, classes, n_classes)
            covered = self._model.covered
        else:
            both = np.array(self._concept, dtype=np.int32)
            self._model = RuleAnswers.learn(_some_and_none(held), both, classes, n_classes)
            covered = count_classes(held, classes, n_classes)
        self.n_rules_ = outcomes.size
        self.covered_ = covered.sum(axis=1)
        self.correct_ = covered[np.arange(outcomes.size), outcomes]

    def _learn_clauses(
        self, values: Values, classes: NDArray[np.int32], wanted: Ints, options: Options
    ) -> None:
        """Learn the clauses of each wanted class against all other cases, and keep them one class after the other.

        For each literal, `_rows` has the place of its attribute among the nominal or the numeric ones, and
        `_codes` the category that it asks for, -1 if it compares a number with one of `_cuts`: these are numbers
        of the training cases in full, those of the clauses are rounded to 32 bits.
        """
        table, starts, constants = tables.training_table_of(values, self._attributes.sizes)
        firsts, clauses = define_classes(table, options, classes, wanted)
        nominal = clauses.literals < constants.size
        asked = clauses.literals[nominal]
        self._clauses, self._rows = clauses, clauses.literals - constants.size
        self._rows[nominal] = starts.searchsorted(asked, side="right") - 1
        self._codes = np.full(nominal.size, -1)
        self._codes[nominal] = constants[asked]
        self._outcomes = np.repeat(wanted, firsts[1:] - firsts[:-1]).astype(np.int32)
        self._cuts = clauses.cuts.astype(np.float64)
        for k in np.flatnonzero(self._codes < 0):
            same = values.numbers[self._rows[k]] == clauses.cuts[k]
            self._cuts[k] = values.full[self._rows[k], same].max()

    def _held(self, values: Values) -> NDArray[np.bool_]:
        """Tell which clause, in a row, holds for which case."""
        starts, _, signs, cuts = self._clauses
        clauses = np.arange(starts.size)
        return cover(clauses, starts, signs, cuts, self._rows, self._codes, values.codes, values.numbers)

    def _target_and_other(self) -> tuple[int, int] | None:
        """Give the target class and the other one, which is the target itself if there is no other."""
        if self.target is None:
            return None
        places = np.flatnonzero(self.classes_ == self.target)
        if not places.size or self.classes_.size > 2:
            raise InputError(
                "the target to be one of two classes",
                f"{show(self.target)} with the classes {show(self.classes_.tolist())}",
                "leave target out to learn every class",
            )
        return int(places[0]), self.classes_.size - 1 - int(places[0])

    def _read(self, X: Any) -> Any:
        """Read columns, or values at once where fitting did: there are no names then to be compared."""
        check_is_fitted(self)
        if self._array_type is not None:
            values = _array_values(X)
            if values is not None and (X.dtype.kind, X.shape[1]) == self._array_type:
                return values
        columns = super()._read(X)
        return columns if self.unknown == "missing" else _with_unknowns(X, columns)

    def _ask(self, columns: Sequence[Column] | Values) -> NDArray[np.bool_]:
        if not isinstance(columns, Values):
            columns = tables.values_of(columns, self._attributes)
        held = self._held(columns)
        return held if self._concept is None else _some_and_none(held)

    def to_text(self) -> str:
        """Write the clauses, one a line, each with its training cases and its errors among them."""
        lines = [
            f"{rule} ({covered}/{covered - correct})" if covered > correct else f"{rule} ({covered})"
            for rule, covered, correct in zip(self.rules(), self.covered_, self.correct_, strict=True)
        ]
        if self._concept is not None:
            lines.append(f"otherwise {self.classes_[self._concept[1]]}")
        return "\n".join(lines) or "no clause is good enough"

    def rules(self) -> list[Rule]:
        """Give the clauses as rules, class by class; all that hold for a case speak."""
        check_is_fitted(self)
        starts, labels = self._clauses.starts.tolist(), self.classes_[self._outcomes].tolist()
        return [
            Rule(tuple(map(self._term, range(start, end))), label)
            for (start, end), label in zip(pairwise(starts), labels, strict=True)
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
        if self._concept is None:
            return RuleSet(rules, classes)
        target, other = self._concept
        return RuleSet(rules, classes, default=classes[other], target=classes[target])


def _some_and_none(held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell where some clause holds and where none does: a concept and the other class, as two rules."""
    covered = held.any(axis=0)
    return np.stack([covered, ~covered])


@lru_cache(maxsize=64)
def _array_columns(kind: str, n_columns: int) -> tuple[Column, ...]:
    """Give the columns that an array stands for, without values."""
    example: NDArray[Any] = np.zeros((1, n_columns), dtype=bool if kind == "b" else float)
    return tuple(column.schema() for column in read_columns(example))


def _array_values(X: Any) -> Values | None:
    """Read a 2-D array of booleans or of finite floats; None for all else, which has to be looked at in detail.

    Estimators of error fit a hundred thousand small tables, and reading fifty columns takes longer than learning.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size:
        return None
    if X.dtype.kind == "b":
        return Values(np.ascontiguousarray(X.T, dtype=np.int32), *tables.as_singles(np.empty((0, len(X)))))
    if X.dtype.kind == "f" and not np.isinf(X).any():
        numbers = np.ascontiguousarray(X.T, dtype=np.float64)
        return Values(np.empty((0, len(X)), dtype=np.int32), *tables.as_singles(numbers))
    return None


def _with_unknowns(X: Any, columns: Sequence[Column]) -> tuple[Column, ...]:
    """Tell unknown categories from missing values, which reading by an old schema makes alike.

    In columns with unknown categories these get one more code, after those of the known ones.
    """
    doubtful = [c.categories is not None and bool((c.values < 0).any()) for c in columns]
    if not any(doubtful):
        return tuple(columns)
    anew = read_columns(X, categorical_features=[c.categories is not None for c in columns])
    return tuple(
        _with_unknown(old, new) if doubt else old
        for old, new, doubt in zip(columns, anew, doubtful, strict=True)
    )


def _with_unknown(old: Column, new: Column) -> Column:
    categories = old.categories or ()
    values = np.where((old.values < 0) & ~new.missing, np.int32(len(categories)), old.values)
    return Column(old.name, old.kind, values, (*categories, object()))
