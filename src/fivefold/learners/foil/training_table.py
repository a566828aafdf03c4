"""What FOIL's search is given: the table as arrays, the options, and logarithms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column, round_to
from fivefold.inputs.options import fraction, one_of, yes_or_no
from fivefold.learners.foil.kernels.cases import FoilTable, pack_codes
from fivefold.learners.foil.kernels.literals import Ints, Logs, Options, Singles

# The program's defaults; its manual says 5 alternatives and 4 weak literals, its code has 4 and 3.
ALTERNATIVES = 4
CHECKPOINTS = 20
WEAK = 3
ALTERNATIVE_FRACTION = 0.8


def search_options(info: object, negation: object, pruning: object, min_accuracy: object) -> Options:
    """Check what a user may choose and write it as the kernels take it."""
    options = Options()
    options.added = int(one_of(info, ("foil6", "paper"), "info") == "foil6")
    options.negation = yes_or_no(negation, "negation")
    options.pruning = yes_or_no(pruning, "pruning")
    options.min_accuracy = float(np.float32(fraction(min_accuracy, "min_accuracy")))
    options.fraction = float(np.float32(ALTERNATIVE_FRACTION))
    options.weak, options.alternatives, options.checkpoints = WEAK, ALTERNATIVES, CHECKPOINTS
    options.sample = 1.0
    return options


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


def logarithms(n: int) -> Logs:
    """Give the logarithms of whole numbers and of factorials up to `n` at least."""
    return _logarithms(max(10, n.bit_length()))


@lru_cache(maxsize=64)
def _logarithms(n_bits: int) -> Logs:
    return Logs(1 << n_bits)


def attributes_of(columns: Sequence[Column]) -> Attributes:
    """Part the columns into nominal and numeric ones."""
    nominal = tuple(place for place, column in enumerate(columns) if column.categories is not None)
    numeric = tuple(place for place, column in enumerate(columns) if column.categories is None)
    sizes = np.array([len(columns[place].categories or ()) for place in nominal], dtype=np.int64)
    return Attributes(nominal, numeric, sizes)


def as_singles(full: NDArray[np.float64]) -> tuple[Singles, NDArray[np.float64]]:
    """Give numbers in 32 bits and in full; -0 becomes 0, so that no cut is written as -0."""
    full = full + 0.0
    return round_to(full, np.float32), full


def values_of(columns: Sequence[Column], attributes: Attributes) -> Values:
    """Read columns as matrices."""
    n = len(columns[0])
    codes = np.array([columns[place].values for place in attributes.nominal], dtype=np.int32)
    full = np.array([columns[place].values for place in attributes.numeric], dtype=np.float64)
    return Values(codes.reshape(-1, n), *as_singles(full.reshape(-1, n)))


def training_table_of(values: Values, sizes: Ints) -> tuple[FoilTable, Ints, Ints]:
    """Make the table from which definitions are learnt; also give where constants start, and the code of each.

    Constants are the categories that occur: one that is only declared is no constant of the task.
    """
    codes, numbers, _ = values
    starts, constants, tests, known, whole = pack_codes(codes, sizes)
    logs = logarithms(codes.shape[1] + 2)
    return FoilTable(tests, starts, known, whole, numbers, *_by_number(numbers), logs), starts, constants


def _by_number(numbers: Singles) -> tuple[NDArray[np.int32], Ints]:
    """Give the cases by rising number, missing ones last, and how many have one, for each attribute."""
    if not len(numbers):
        return np.empty(numbers.shape, dtype=np.int32), np.empty(0, dtype=np.int64)
    sorted_rows = np.argsort(numbers, axis=1, kind="stable").astype(np.int32)
    return sorted_rows, np.count_nonzero(~np.isnan(numbers), axis=1)
