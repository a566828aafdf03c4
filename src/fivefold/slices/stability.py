"""Stability: do other cases of the same kind give the same slices?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results.metric import Direction
from fivefold.results.result import Result


@dataclass(frozen=True, eq=False)
class Stability(Result):
    r"""The mean agreement :math:`|X \cap Y| / |X \cup Y|` of the slices of two samples, over all pairs.

    Two samples without any slice agree: their agreement is 1. Where this happens it is said.

    Parameters
    ----------
    mean : float
        The mean over the pairs.
    agreements : ndarray
        The agreement of each pair.
    n_slices : tuple of int
        How many slices each sample gave.
    sample_size : int
        Cases in each sample.
    n_both_empty : int
        Pairs of samples without any slice.
    """

    title: ClassVar[str] = "Stability"
    unit: ClassVar[str] = "share of slices in common"
    direction: ClassVar[Direction] = "higher is better"

    mean: float
    agreements: NDArray[np.float64] = field(repr=False)
    n_slices: tuple[int, ...]
    sample_size: int
    n_both_empty: int

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each pair of samples."""
        return {"agreement": self.agreements}

    def __str__(self) -> str:
        empty = f"; {self.n_both_empty} pairs agree in having none" if self.n_both_empty else ""
        return (
            f"Stability: {self.mean:.2f} over {len(self.n_slices)} samples of {self.sample_size:,} cases "
            f"({np.median(self.n_slices):.0f} slices each{empty})"
        )


def measure_stability(
    find: Callable[[NDArray[np.intp]], frozenset[frozenset[Any]]],
    n_cases: int,
    n_samples: int,
    sample_size: int,
    random_state: RandomState,
) -> Stability:
    """Search samples of the rows and compare what was found, pair by pair."""
    rng = as_generator(random_state)
    positive_int(n_samples, "n_samples", least=2)
    positive_int(sample_size, "sample_size")
    if sample_size > n_cases:
        raise InputError(f"sample_size of at most {n_cases}, the number of cases", f"{sample_size}")
    found = [find(np.sort(rng.permutation(n_cases)[:sample_size])) for _ in range(n_samples)]
    pairs = list(combinations(found, 2))
    agreements = np.array([len(x & y) / len(x | y) if x | y else 1.0 for x, y in pairs])
    empty = sum(not (x | y) for x, y in pairs)
    return Stability(float(agreements.mean()), agreements, tuple(map(len, found)), sample_size, empty)
