"""What propositional FOIL has learnt: which clauses hold for which cases, and what they say in terms."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Above, AtMost, Equals, NotEquals, Rule, Term
from fivefold.inputs.columns import Column
from fivefold.learners.foil.cases import Attributes, Values, cases_of
from fivefold.learners.foil.kernels.covering import define_classes
from fivefold.learners.foil.kernels.firing import addresses, fire
from fivefold.learners.foil.structures import Clauses, Ints, Options


@dataclass(frozen=True, eq=False)
class Definitions:
    """The clauses of some classes, one class after the other.

    Parameters
    ----------
    attributes : Attributes
        Which columns are nominal and which numeric.
    clauses : Clauses
        The literals of the clauses.
    outcomes : ndarray of int
        The class of each clause.
    rows : ndarray of int
        For each literal the place of its attribute among the nominal or the numeric ones.
    codes : ndarray of int
        For each literal the code of the category that it asks for; -1 if it compares a number with a cut.
    cuts : ndarray of float
        The cuts in full, as numbers of the training cases; those of the clauses are rounded to 32 bits.
    """

    attributes: Attributes
    clauses: Clauses
    outcomes: NDArray[np.int32]
    rows: Ints
    codes: Ints
    cuts: NDArray[np.float64]

    @classmethod
    def learn(
        cls,
        values: Values,
        attributes: Attributes,
        classes: NDArray[np.int32],
        wanted: Ints,
        options: Options,
    ) -> Self:
        """Learn the clauses of each wanted class against all other cases."""
        cases, constants = cases_of(values, attributes.sizes)
        firsts, clauses = define_classes(cases, options, classes, wanted, not cases.whole.all())
        rows, codes = addresses(clauses, cases.starts, constants)
        outcomes = np.repeat(wanted, firsts[1:] - firsts[:-1]).astype(np.int32)
        cuts = clauses.cuts.astype(np.float64)
        for k in np.flatnonzero(codes < 0):
            cuts[k] = values.full[rows[k], values.numbers[rows[k]] == clauses.cuts[k]].max()
        return cls(attributes, clauses, outcomes, rows, codes, cuts)

    def hold(self, values: Values) -> NDArray[np.bool_]:
        """Tell which clause, in a row, holds for which case."""
        return fire(self.clauses, self.rows, self.codes, values.codes, values.numbers)

    def rules(self, columns: Sequence[Column], labels: NDArray[Any]) -> list[Rule]:
        """Write the clauses as rules, given the columns and the labels of the classes."""
        starts = self.clauses.starts.tolist()
        return [
            Rule(tuple(self._term(k, columns) for k in range(start, end)), label)
            for start, end, label in zip(starts, starts[1:], labels[self.outcomes].tolist(), strict=False)
        ]

    def _term(self, k: int, columns: Sequence[Column]) -> Term:
        row, code, sign = self.rows[k], int(self.codes[k]), self.clauses.signs[k]
        if code < 0:
            name = columns[self.attributes.numeric[row]].name
            return (Above if sign else AtMost)(name, float(self.cuts[k]))
        column = columns[self.attributes.nominal[row]]
        value: Hashable = (column.categories or ())[code]
        return (Equals if sign else NotEquals)(column.name, value)
