"""Conditions of rules as words that the receiver, who knows the questions, can read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.bits._theory.ledger import NoCodeError, no_word
from fivefold.bits._theory.questions import distinct_values
from fivefold.data.conditions import (
    Above,
    AtMost,
    Equals,
    IsMissing,
    NotEquals,
    OneOf,
    Term,
    Within,
    category_code,
    find_column,
    numeric_values,
)
from fivefold.inputs.columns import Column

FIRST, SECOND = 0, 1  # the operators: = and <=, != and >


class Word(NamedTuple):
    """One condition: which column, which operator, and which of the column's values or gaps."""

    place: int
    operator: int
    choice: int


class NeverHoldsError(Exception):
    """A condition that holds for none of the questions and has no word."""


class Vocabulary:
    """The words that the questions allow.

    Parameters
    ----------
    columns : sequence of Column
        The questions.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = {column.name: column for column in columns}
        self._places = {column.name: place for place, column in enumerate(columns)}
        self._distinct = {c.name: distinct_values(c) for c in columns if c.categories is None}
        self.nominal = np.array([column.categories is not None for column in columns])
        # numeric: the gaps between values; nominal: the values
        self.choices = [
            len(self._distinct[c.name]) - 1 if c.categories is None else len(c.categories) for c in columns
        ]
        least = np.where(self.nominal, 2, 1)
        self.usable: NDArray[np.bool_] = np.asarray(self.choices) >= least

    def words(self, terms: Sequence[Term]) -> tuple[list[Word], int]:
        """Write a conjunction in words, and count the conditions that need none because they always hold."""
        words: list[Word] = []
        unsent = 0
        for term in terms:
            for simple in self._simple(term):
                word = self._word(simple)
                if word is None:
                    unsent += 1
                else:
                    words.append(word)
        return words, unsent

    def _simple(self, term: Term) -> list[Term]:
        if isinstance(term, IsMissing):
            raise NoCodeError
        if isinstance(term, OneOf):
            return self._one_of(term)
        if isinstance(term, Within):
            low = [Above(term.column, term.low)] if math.isfinite(term.low) else []
            high = [AtMost(term.column, term.high)] if math.isfinite(term.high) else []
            return [*low, *high] or self._known(term)
        return [term]

    def _one_of(self, term: OneOf) -> list[Term]:
        column = find_column(self._columns, term.column)
        codes = {category_code(column, value) for value in term.values} - {-2}
        categories = column.categories or ()
        others = [value for code, value in enumerate(categories) if code not in codes]
        if not codes:
            raise NeverHoldsError
        if len(codes) == 1:
            return [Equals(term.column, categories[codes.pop()])]
        if not others:
            return self._known(term)
        if len(others) == 1:
            return [NotEquals(term.column, others[0])]
        raise NoCodeError

    def _word(self, term: Term) -> Word | None:
        column = find_column(self._columns, term.column)
        place = self._places[term.column]
        if isinstance(term, AtMost | Above):
            numeric_values(column)
            distinct = self._distinct[term.column]
            below = int(np.searchsorted(distinct, term.cut, side="right"))
            upwards = isinstance(term, Above)
            if below == (len(distinct) if upwards else 0):
                raise NeverHoldsError
            if below in (0, len(distinct)):
                self._known(term)
                return None
            return Word(place, SECOND if upwards else FIRST, below - 1)
        if isinstance(term, Equals | NotEquals):
            return self._nominal_word(term, column, place)
        raise NoCodeError

    def _nominal_word(self, term: Equals | NotEquals, column: Column, place: int) -> Word | None:
        code = category_code(column, term.value)
        if self.usable[place] and code >= 0:
            return Word(place, FIRST if isinstance(term, Equals) else SECOND, code)
        if (code >= 0) != isinstance(term, Equals):
            raise NeverHoldsError
        self._known(term)
        return None

    def _known(self, term: Term) -> list[Term]:
        # The condition holds for every known value: it says nothing, unless it tells known from missing.
        if find_column(self._columns, term.column).missing.any():
            raise no_word(str(term), term.column)
        return []
