"""Random splits of a table, and what its rows are known by."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fivefold.data.sources import load
from fivefold.data.table import Table
from fivefold.errors import DataUnavailableError
from fivefold.study.fingerprints import fingerprint
from fivefold.study.seeds import generator

# Holte's files, which the papers took, are older than some of today's: 54.5 % of his HD have no disease.
_OLDER_COPIES = {"HD": "HD-holte"}


@lru_cache(maxsize=32)
def table_of(name: str) -> Table:
    """Load a data set once in each process, in the copy that the papers had."""
    return load(_OLDER_COPIES.get(name, name))


@lru_cache(maxsize=32)
def is_available(name: str) -> bool:
    """Tell whether a data set can be loaded here: not all are bundled."""
    try:
        table_of(name)
    except DataUnavailableError:
        return False
    return True


@lru_cache(maxsize=32)
def known_as(name: str) -> str:
    """Give the fingerprint of a data set, so that jobs on other rows are other jobs."""
    return fingerprint(table_of(name))


def split_rows(name: str, n_train: int, seed: int, split: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw the training and the test rows of one split, without looking at the classes; all learners share it.

    Returns
    -------
    tuple of ndarray
        Row numbers of training and test cases, both in random order.
    """
    rows = generator(seed, name, split).permutation(len(table_of(name).y))
    return rows[:n_train], rows[n_train:]
