"""Westfall and Young's step-down test: what would chance alone have found in this very table?"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.slices.items import Items
from fivefold.slices.kernels.permuting import exceedances, statistics
from fivefold.slices.permuted_labels import permute_labels
from fivefold.slices.search import Family

Reached: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64]]
CountReached: TypeAlias = Callable[[NDArray[np.intp], np.random.Generator, int], Reached]

# so many permutations at a time keep their labels in the cache while all conjunctions pass by
DRAWS_AT_ONCE = 64
# logarithms of larger numbers are taken when they are needed
LARGEST_TABLE = 1 << 22


@dataclass(frozen=True, eq=False)
class Permuted:
    """What the permutations say.

    Parameters
    ----------
    adjusted : ndarray of shape (f,)
        The adjusted p-value of each conjunction; 1 for those too small to be reported.
    maxima : ndarray of shape (n_permutations,)
        The largest statistic of each permutation, however small the conjunction.
    """

    adjusted: NDArray[np.float64]
    maxima: NDArray[np.float64]

    def critical(self, alpha: float) -> NDArray[np.float64]:
        """Give the value that the largest statistic passes in a share alpha of the permutations at most."""
        return np.asarray(np.quantile(self.maxima, 1.0 - alpha, method="higher"))


def step_down(
    observed: NDArray[np.float64],
    count_reached: CountReached,
    n_permutations: int,
    draws_at_once: int,
    rng: np.random.Generator,
    threads: int,
) -> Permuted:
    r"""Adjust statistics for each other by what permutations reach.

    With the statistics in ascending order :math:`t_{(1)} \le … \le t_{(f)}`,

    .. math:: p_{(i)} = \frac{1 + \#\{b : \max_{j \le i} T^b_{(j)} \ge t_{(i)}\}}{B + 1},

    made monotone from the largest statistic down. A statistic of 0 stands for "not to be reported".

    Parameters
    ----------
    observed : ndarray of shape (f,)
        The statistics.
    count_reached : callable
        Takes the order of the statistics, a generator and a number of permutations; gives, in that order, how many
        permutations reach each statistic, and the maximum of each permutation.
    n_permutations, draws_at_once : int
        In all, and in one call.
    rng : Generator
        Spawns one generator for each call, so that threads change nothing.
    threads : int
        Calls at the same time.
    """
    order = np.argsort(observed, kind="stable")
    draws = [min(draws_at_once, n_permutations - done) for done in range(0, n_permutations, draws_at_once)]
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(partial(count_reached, order), rng.spawn(len(draws)), draws))
    reached = np.sum([part for part, _ in parts], axis=0)
    p_values = np.where(observed[order] > 0.0, (1 + reached) / (n_permutations + 1), 1.0)
    adjusted = np.empty(observed.size)
    adjusted[order] = np.maximum.accumulate(p_values[::-1])[::-1]
    return Permuted(adjusted, np.concatenate([maxima for _, maxima in parts]))


def westfall_young(
    items: Items,
    family: Family,
    difference: float,
    n_permutations: int,
    rng: np.random.Generator,
    threads: int,
) -> Permuted:
    """Adjust for all conjunctions at once by permuting the group labels.

    The statistic is the likelihood ratio (whose tails stay honest where counts are small), or 0 where the support
    difference is below `difference`: what would never be reported spends nothing.
    """
    sizes = items.sizes
    x_log_x = _x_log_x(int(sizes.sum()))
    observed = statistics(family.counts, sizes, x_log_x, difference)
    inside = family.counts.sum(axis=1)

    def count_reached(order: NDArray[np.intp], stream: np.random.Generator, draws: int) -> Reached:
        sets = np.ascontiguousarray(family.sets[order])
        permuted = items.count_permuted(sets, permute_labels(stream, draws, sizes))
        reached, maxima = exceedances(permuted, inside[order], observed[order], sizes, x_log_x, difference)
        return reached, maxima

    return step_down(observed, count_reached, n_permutations, DRAWS_AT_ONCE, rng, threads)


def _x_log_x(largest: int) -> NDArray[np.float64]:
    numbers = np.arange(min(largest + 1, LARGEST_TABLE), dtype=np.float64)
    numbers[1:] *= np.log(numbers[1:])
    return numbers
