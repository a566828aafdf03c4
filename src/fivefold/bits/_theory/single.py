"""The code of a single-attribute rule."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fivefold.bits._theory.ledger import HINT, Ledger
from fivefold.bits._theory.questions import distinct_values
from fivefold.data.conditions import category_code, find_column, numeric_values
from fivefold.errors import InputError, show
from fivefold.formulas.adaptive import AdaptiveCoder
from fivefold.formulas.integers import log2_binomial, universal_integer_length
from fivefold.inputs.columns import Column
from fivefold.learners.theories import NominalCells, NumericCells, SingleAttributeRule


def code_single_attribute_rule(rule: SingleAttributeRule, columns: Sequence[Column]) -> Ledger:
    """Price the attribute, its cells and their classes."""
    column = find_column(columns, rule.column)
    ledger = Ledger(attributes=math.log2(len(columns)))
    coder = AdaptiveCoder(len(rule.classes))
    cells = rule.cells
    if isinstance(cells, NominalCells):
        _code_nominal(cells, column, rule, coder, ledger)
    else:
        _code_numeric(cells, column, rule, coder, ledger)
    if column.missing.any():
        ledger.structure += 1.0
        if rule.missing is not None:
            ledger.classes += coder.cost(rule.classes.index(rule.missing))
            ledger.size += 1
    elif rule.missing is not None:
        ledger.unsent += 1
    return ledger


def _code_nominal(
    cells: NominalCells, column: Column, rule: SingleAttributeRule, coder: AdaptiveCoder, ledger: Ledger
) -> None:
    outcomes = {category_code(column, value): label for value, label in cells.outcomes}
    taken = np.unique(column.values[column.values >= 0]).tolist()
    for code in taken:
        if code not in outcomes:
            raise InputError(
                f"a class for every value of {show(column.name)}",
                f"none for {show((column.categories or ())[code])}",
                HINT,
            )
        ledger.classes += coder.cost(rule.classes.index(outcomes[code]))
    ledger.size = len(taken)
    ledger.unsent += len(cells.outcomes) - len(taken)


def _code_numeric(
    cells: NumericCells, column: Column, rule: SingleAttributeRule, coder: AdaptiveCoder, ledger: Ledger
) -> None:
    distinct = distinct_values(column) if numeric_values(column).size else np.empty(0)
    if not distinct.size:  # no question has a known value, so there are no cells to send
        ledger.unsent += len(cells.outcomes)
        return
    labels = [cells.outcomes[i] for i in np.searchsorted(cells.cuts, distinct, side="left").tolist()]
    merged = [label for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]
    ledger.counts += universal_integer_length(len(merged))
    ledger.values += log2_binomial(distinct.size - 1, len(merged) - 1)
    allowed = np.ones(len(rule.classes), dtype=bool)
    for label in merged:
        symbol = rule.classes.index(label)
        ledger.classes += coder.cost(symbol, allowed)
        allowed[:] = True
        allowed[symbol] = False
    ledger.size = len(merged)
    ledger.unsent += len(cells.outcomes) - len(merged)
