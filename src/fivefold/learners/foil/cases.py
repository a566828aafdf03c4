"""From columns to the arrays that propositional FOIL works on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.data.columns import Column
from fivefold.learners.foil.packing._kernels import pack_codes
from fivefold.learners.foil.scoring._kernels import factorial_table, log_table
from fivefold.learners.foil.structures import Cases, Ints, Singles


class Attributes(NamedTuple):
    """Which columns are nominal and which numeric, and how many categories the nominal ones have."""

    nominal: tuple[int, ...]
    numeric: tuple[int, ...]
    sizes: Ints


class Values(NamedTuple):
    """Cases as numbers: codes of the nominal attributes, -1 for missing, and numbers, NaN for missing."""

    codes: NDArray[np.int32]
    numbers: Singles


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


def values_of(columns: Sequence[Column], attributes: Attributes) -> Values:
    """Read the columns as matrices, one row an attribute; numbers in 32 bits, as FOIL has them."""
    n = len(columns[0])
    codes = np.empty((len(attributes.nominal), n), dtype=np.int32)
    for row, place in enumerate(attributes.nominal):
        codes[row] = columns[place].values
    numbers = np.empty((len(attributes.numeric), n), dtype=np.float32)
    for row, place in enumerate(attributes.numeric):
        # adding zero makes -0 a 0, so that no cut is written as -0
        numbers[row] = columns[place].values + 0.0
    return Values(codes, numbers)


def cases_of(values: Values, sizes: Ints) -> tuple[Cases, Ints]:
    """Make the cases from which definitions are learnt; also give the code of each constant.

    Constants are the categories that occur: one that is only declared is no constant of the task.
    """
    codes, numbers = values
    starts, constants, tests, known, whole = pack_codes(codes, sizes)
    logs, factorials = TABLES.up_to(codes.shape[1] + 2)
    sorted_rows = np.argsort(numbers, axis=1, kind="stable").astype(np.int32)
    n_known = np.count_nonzero(~np.isnan(numbers), axis=1)
    return Cases(tests, starts, known, whole, numbers, sorted_rows, n_known, logs, factorials), constants
