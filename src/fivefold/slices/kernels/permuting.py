"""How large do the statistics get when chance alone deals out the group labels?"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.slices.kernels.counting import Bits, count_common


@numba.njit(cache=True, nogil=True)
def times_log(number: int, x_log_x: NDArray[np.float64]) -> float:
    """Give x log x, from the table as far as it goes."""
    if number < x_log_x.size:
        return float(x_log_x[number])
    return float(number * np.log(number))


@numba.njit(cache=True, nogil=True)
def likelihood_ratio(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], x_log_x: NDArray[np.float64]
) -> float:
    """Give the likelihood-ratio statistic of a conjunction's 2 x G table."""
    inside, total, value = 0, 0, 0.0
    for group in range(counts.size):
        seen, size = counts[group], sizes[group]
        inside += seen
        total += size
        value += times_log(seen, x_log_x) + times_log(size - seen, x_log_x) - times_log(size, x_log_x)
    outside = total - inside
    value += times_log(total, x_log_x) - times_log(inside, x_log_x) - times_log(outside, x_log_x)
    return float(max(0.0, 2.0 * value))


@numba.njit(cache=True, nogil=True)
def is_large(counts: NDArray[np.int64], sizes: NDArray[np.int64], difference: float) -> bool:
    """Say whether the supports of two groups differ enough to be reported."""
    least, most = np.inf, -np.inf
    for group in range(counts.size):
        support = counts[group] / sizes[group]
        least, most = min(least, support), max(most, support)
    return most - least >= difference


@numba.njit(cache=True, nogil=True)
def statistics(
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    x_log_x: NDArray[np.float64],
    difference: float,
) -> NDArray[np.float64]:
    """Give the statistic of each conjunction, 0 for those too small to be reported."""
    told = np.zeros(counts.shape[0])
    for place in range(counts.shape[0]):
        if is_large(counts[place], sizes, difference):
            told[place] = likelihood_ratio(counts[place], sizes, x_log_x)
    return told


@numba.njit(cache=True, nogil=True)
def fill_common(bits: Bits, one: NDArray[np.int32], common: Bits) -> None:
    """Write the cases of a conjunction into `common`; a term of -1 is none."""
    common[:] = bits[one[0]]
    for term in range(1, one.size):
        if one[term] >= 0:
            other = bits[one[term]]
            for w in range(common.size):
                common[w] &= other[w]


@numba.njit(cache=True, nogil=True)
def count_labels(
    bits: Bits, sets: NDArray[np.int32], labels: NDArray[np.uint64], counts: NDArray[np.int64]
) -> None:
    """Count each conjunction under each draw of the labels, in every group but the last."""
    common = np.empty(labels.shape[2], dtype=np.uint64)
    for place in range(sets.shape[0]):
        fill_common(bits, sets[place], common)
        for draw in range(labels.shape[0]):
            for label in range(labels.shape[1]):
                counts[place, draw, label] = count_common(common, labels[draw, label])


@numba.njit(cache=True, nogil=True)
def exceedances(
    permuted: NDArray[np.int64],
    inside: NDArray[np.int64],
    observed: NDArray[np.float64],
    sizes: NDArray[np.int64],
    x_log_x: NDArray[np.float64],
    difference: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count, for conjunctions in ascending order of their statistic, the permutations that reach it.

    A permutation reaches the statistic of a conjunction if any conjunction up to it in this order does: the
    step-down maximum of Westfall and Young. Also gives the plain maximum of each permutation.
    """
    n_sets, n_draws, n_labels = permuted.shape
    most, plain_most = np.zeros(n_draws), np.zeros(n_draws)
    reached = np.zeros(n_sets, dtype=np.int64)
    counts = np.empty(n_labels + 1, dtype=np.int64)
    for place in range(n_sets):
        for draw in range(n_draws):
            counts[n_labels] = inside[place]
            for label in range(n_labels):
                counts[label] = permuted[place, draw, label]
                counts[n_labels] -= counts[label]
            value = likelihood_ratio(counts, sizes, x_log_x)
            plain_most[draw] = max(plain_most[draw], value)
            if value > most[draw] and is_large(counts, sizes, difference):
                most[draw] = value
            reached[place] += most[draw] >= observed[place]
    return reached, plain_most


@numba.njit(cache=True, nogil=True)
def deal_labels(
    order: NDArray[np.int64],
    split: NDArray[np.int64],
    first_case: int,
    spans: NDArray[np.int64],
    bits: NDArray[np.uint64],
) -> None:
    """Give the first cases of a block's `order` to the first group, the next to the second, and so on.

    The last group has no bits. Only cases within the spans (first case, end, first bit) are written.
    """
    place = 0
    for label in range(bits.shape[0]):
        for _ in range(split[label]):
            case = first_case + order[place]
            place += 1
            for span in range(spans.shape[0]):
                if spans[span, 0] <= case < spans[span, 1]:
                    bit = spans[span, 2] + case - spans[span, 0]
                    bits[label, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
