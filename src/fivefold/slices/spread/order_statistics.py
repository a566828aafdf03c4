"""Quantiles of columns that no machine holds: exact, digit by digit, from counts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.discretise import tidy
from fivefold.inputs.columns import Column

# the 64 bits of a number in five digits, from the left
SHIFTS = (51, 38, 25, 12, 0)
WIDTHS = (13, 13, 13, 13, 12)

Prefixes: TypeAlias = Mapping[str, tuple[int, ...]]
Counts: TypeAlias = list[NDArray[np.int64]]
CountDigits: TypeAlias = Callable[[Prefixes, int], Counts]


def count_digits(columns: Sequence[Column], prefixes: Prefixes, digit: int) -> Counts:
    """Count each value of a digit among the known numbers that begin with each prefix, column after column."""
    named = {column.name: column for column in columns}
    shift, width = np.uint64(SHIFTS[digit]), WIDTHS[digit]
    counts = []
    for name, several in prefixes.items():
        keys = _keys(named[name].values)
        digits = ((keys >> shift) & np.uint64((1 << width) - 1)).astype(np.int64)
        before = np.zeros(keys.size, dtype=np.uint64) if digit == 0 else keys >> (shift + np.uint64(width))
        counts.append(
            np.stack(
                [np.bincount(digits[before == one], minlength=1 << width) for one in map(np.uint64, several)]
            )
        )
    return counts


def select(ranks: Mapping[str, Sequence[int]], count: CountDigits) -> dict[str, NDArray[np.float64]]:
    """Give the numbers of these ranks (from 0, in ascending order) of each column."""
    found = {name: [(0, rank) for rank in several] for name, several in ranks.items()}
    for digit, width in enumerate(WIDTHS):
        prefixes = {name: tuple(sorted({prefix for prefix, _ in several})) for name, several in found.items()}
        for (name, several), table in zip(prefixes.items(), count(prefixes, digit), strict=True):
            ends = dict(zip(several, np.cumsum(table, axis=1), strict=True))
            found[name] = [_step(prefix, rank, ends[prefix], width) for prefix, rank in found[name]]
    return {
        name: _numbers(np.array([key for key, _ in several], dtype=np.uint64))
        for name, several in found.items()
    }


def _step(prefix: int, rank: int, ends: NDArray[np.int64], width: int) -> tuple[int, int]:
    value = int(np.searchsorted(ends, rank, side="right"))
    return (prefix << width) | value, rank - (int(ends[value - 1]) if value else 0)


def quantile_cuts(
    n_known: Mapping[str, int], n_bins: int, count: CountDigits
) -> dict[str, NDArray[np.float64]]:
    """Cut columns as `fivefold.data.discretise.Quantiles` does, by the averaged inverse of the distribution."""
    levels = np.arange(1, n_bins) / n_bins
    ranks = {name: _ranks(n, levels) for name, n in n_known.items() if n > 0}
    selected = select(ranks, count)
    return {
        name: _cuts(selected[name], n, levels) if name in selected else np.empty(0)
        for name, n in n_known.items()
    }


def _ranks(n: int, levels: NDArray[np.float64]) -> list[int]:
    """The smallest number, the largest, and those on both sides of each quantile."""
    below = np.floor(n * levels - 1).astype(np.int64)
    return [0, n - 1, *np.clip([below, below + 1], 0, n - 1).ravel().tolist()]


def _cuts(selected: NDArray[np.float64], n: int, levels: NDArray[np.float64]) -> NDArray[np.float64]:
    least, most = selected[:2]
    if least == most:
        return selected[:0]
    below, above = selected[2:].reshape(2, -1)
    between = (n * levels - 1) % 1 == 0
    ends = np.where(between, above - (above - below) * 0.5, above)
    cuts = np.unique([tidy(end) for end in ends])
    return np.asarray(cuts[(cuts >= least) & (cuts < most)])


def _keys(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Give whole numbers in the order of the known values."""
    bits = (values[~np.isnan(values)] + 0.0).view(np.uint64)
    negative = (bits >> np.uint64(63)).astype(bool)
    return np.where(negative, ~bits, bits | np.uint64(1 << 63))


def _numbers(keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    positive = (keys >> np.uint64(63)).astype(bool)
    return np.where(positive, keys & np.uint64((1 << 63) - 1), ~keys).view(np.float64)
