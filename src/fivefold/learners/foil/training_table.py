"""What FOIL's search is given: the table as arrays, the options, and logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputTypeError, show
from fivefold.inputs.columns import Column
from fivefold.inputs.options import fraction, one_of
from fivefold.learners.base import round_to
from fivefold.learners.foil.kernels.clauses import pack_codes
from fivefold.learners.foil.kernels.literals import (
    Ints,
    Options,
    Singles,
    TrainingTable,
    factorial_table,
    log_table,
)

# The program's defaults; its manual says 5 alternatives and 4 weak literals, its code has 4 and 3.
ALTERNATIVES = 4
CHECKPOINTS = 20
WEAK = 3
ALTERNATIVE_FRACTION = 0.8


def yes_or_no(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputTypeError(f"{name} to be True or False", f"{show(value)} ({type(value).__name__})")


def search_options(info: object, negation: object, pruning: object, min_accuracy: object) -> Options:
    """Check what a user may choose and write it as the kernels take it."""
    return Options(
        added=int(one_of(info, ("foil6", "paper"), "info") == "foil6"),
        negation=yes_or_no(negation, "negation"),
        pruning=yes_or_no(pruning, "pruning"),
        min_accuracy=np.float32(fraction(min_accuracy, "min_accuracy")),
        fraction=np.float32(ALTERNATIVE_FRACTION),
        weak=WEAK,
        alternatives=ALTERNATIVES,
        checkpoints=CHECKPOINTS,
        sample=np.float32(1.0),
    )


class Attributes(NamedTuple):
    """Which columns are nominal and which numeric, and how many categories the nominal ones have."""

    nominal: tuple[int, ...]
    numeric: tuple[int, ...]
    sizes: Ints


class Values(NamedTuple):
    """Cases as numbers, one row an attribute: codes of the nominal ones, -1 for missing, and numbers, NaN for it.

    `numbers` are the `full` numbers in 32 bits, as FOIL has them.
    """

    codes: NDArray[np.int32]
    numbers: Singles
    full: NDArray[np.float64]


class _Tables:
    """The logarithms of whole numbers and of factorials, made once and made longer when needed."""

    def __init__(self) -> None:
        self._logs = np.zeros(0)
        self._factorials = np.zeros(0)

    def up_to(self, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give tables that include `n`."""
        if self._logs.size <= n:
            logs = log_table(max(1024, 2 * n))
            self._logs, self._factorials = logs, factorial_table(logs)
        return self._logs, self._factorials


TABLES = _Tables()


def attributes_of(columns: Sequence[Column]) -> Attributes:
    """Part the columns into nominal and numeric ones."""
    nominal, numeric, sizes = [], [], []
    for place, column in enumerate(columns):
        if column.categories is None:
            numeric.append(place)
        else:
            nominal.append(place)
            sizes.append(len(column.categories))
    return Attributes(tuple(nominal), tuple(numeric), np.array(sizes, dtype=np.int64))


def as_singles(full: NDArray[np.float64]) -> tuple[Singles, NDArray[np.float64]]:
    """Give numbers in 32 bits and in full; -0 becomes 0, so that no cut is written as -0."""
    full = full + 0.0
    return round_to(full, np.float32), full


def values_of(columns: Sequence[Column], attributes: Attributes) -> Values:
    """Read columns as matrices."""
    n = len(columns[0])
    codes = np.empty((len(attributes.nominal), n), dtype=np.int32)
    for row, place in enumerate(attributes.nominal):
        codes[row] = columns[place].values
    full = np.empty((len(attributes.numeric), n))
    for row, place in enumerate(attributes.numeric):
        full[row] = columns[place].values
    return Values(codes, *as_singles(full))


def training_table_of(values: Values, sizes: Ints) -> tuple[TrainingTable, Ints]:
    """Make the cases from which definitions are learnt; also give the code of each constant.

    Constants are the categories that occur: one that is only declared is no constant of the task.
    """
    codes, numbers, _ = values
    starts, constants, tests, known, whole = pack_codes(codes, sizes)
    logs, factorials = TABLES.up_to(codes.shape[1] + 2)
    sorted_rows, n_known = _by_number(numbers)
    return TrainingTable(
        tests, starts, known, whole, numbers, sorted_rows, n_known, logs, factorials
    ), constants


def _by_number(numbers: Singles) -> tuple[NDArray[np.int32], Ints]:
    """Give the cases by rising number, missing ones last, and how many have one, for each attribute."""
    if not len(numbers):
        return np.empty(numbers.shape, dtype=np.int32), np.empty(0, dtype=np.int64)
    sorted_rows = np.argsort(numbers, axis=1, kind="stable").astype(np.int32)
    return sorted_rows, np.count_nonzero(~np.isnan(numbers), axis=1)
