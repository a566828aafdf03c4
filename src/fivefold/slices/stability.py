"""Stability: how far the slices of fresh samples would agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs.options import positive_int
from fivefold.results import HIGHER, Result

Found = frozenset[frozenset[Any]]
FindAgain = Callable[[NDArray[np.intp]], Found]


@dataclass(frozen=True, eq=False)
class Stability(Result, title="Stability", unit="share of slices in common", direction=HIGHER):
    r"""The agreement :math:`|X \cap Y| / |X \cup Y|` to expect of the slices X and Y of two fresh samples.

    These have `sample_size` cases each, half of those here at most: nothing is said of samples as large as here.
    Two without any slice agree: their agreement is 1, and the sentence says where this happens.

    Parameters
    ----------
    mean : float
        The mean over the pairs.
    agreements : ndarray
        The agreement of each pair of samples without a case in common.
    n_slices : tuple of int
        How many slices each sample gave.
    sample_size : int
        Cases in each sample, or groups of cases.
    n_both_empty : int
        Pairs of samples without any slice.
    drawn : str
        What was drawn: "cases" or "groups".
    n_here : int
        How many of these the slices come from; samples as large may agree more or less.
    """

    mean: float
    agreements: NDArray[np.float64] = field(repr=False)
    n_slices: tuple[int, ...]
    sample_size: int
    n_both_empty: int
    drawn: str
    n_here: int

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each pair of samples."""
        return {"agreement": self.agreements}

    def __str__(self) -> str:
        agree = "pair agrees" if self.n_both_empty == 1 else "pairs agree"
        empty = f"; {self.n_both_empty} {agree} in having none" if self.n_both_empty else ""
        low, high = np.quantile(self.agreements, (0.05, 0.95))
        few, many = min(self.n_slices), max(self.n_slices)
        found = f"{few:,} slice{'' if few == 1 else 's'}" if few == many else f"{few:,} to {many:,} slices"
        return (
            f"Stability: two fresh samples of {self.sample_size:,} {self.drawn}, not of {self.n_here:,} as here, "
            f"would share {self.mean:.2f} of their slices ({low:.2f} to {high:.2f} in nine of ten pairs; "
            f"{found} each{empty})"
        )


def measure_stability(
    find: FindAgain,
    n_units: int,
    n_samples: int,
    sample_size: int,
    rng: np.random.Generator,
    drawn: str = "cases",
) -> Stability:
    """Search samples of the cases, or of groups, and compare what was found in those that have none in common."""
    positive_int(n_samples, "n_samples", least=2)
    if positive_int(sample_size, "sample_size") > n_units // 2:
        raise InputError(
            f"sample_size of at most {n_units // 2}, half of the {drawn}",
            f"{sample_size}",
            "larger samples would share cases, and agree too well",
        )
    samples, pairs = list[Found](), list[tuple[Found, Found]]()
    while len(samples) < n_samples:
        order = rng.permutation(n_units)
        n_apart = min(n_units // sample_size, max(n_samples - len(samples), 2))
        parts = order[: n_apart * sample_size].reshape(n_apart, sample_size)
        apart = [find(np.sort(places)) for places in parts]
        samples += apart
        pairs += combinations(apart, 2)
    agreements = np.array([len(x & y) / len(x | y) if x | y else 1.0 for x, y in pairs])
    empty = sum(not (x | y) for x, y in pairs)
    sizes = tuple(map(len, samples))
    return Stability(float(agreements.mean()), agreements, sizes, sample_size, empty, drawn, n_units)
