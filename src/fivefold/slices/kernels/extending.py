"""Candidates: conjunctions with one more term, all of whose parts are still alive."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True)
def find_key(keys: NDArray[np.int64], key: int) -> int:
    """Give the place of a key among sorted ones; -1 if it is not there."""
    place = np.searchsorted(keys, key)
    return int(place) if place < keys.size and keys[place] == key else -1


@numba.njit(cache=True)
def keys_of(sets: NDArray[np.int32], n_items: int) -> NDArray[np.int64]:
    """Write each conjunction as one number; in lexical order the numbers ascend."""
    keys = np.zeros(sets.shape[0], dtype=np.int64)
    for place in range(sets.shape[0]):
        for term in range(sets.shape[1]):
            keys[place] = keys[place] * n_items + sets[place, term]
    return keys


@numba.njit(cache=True)
def _least_part(
    one: NDArray[np.int32], last: int, keys: NDArray[np.int64], sizes: NDArray[np.int64], n_items: int
) -> int:
    """Give the size of the smallest part among those without one of the first terms; -1 if a part is gone."""
    least = np.iinfo(np.int64).max
    for left_out in range(one.size - 1):
        key = 0
        for term in range(one.size):
            if term != left_out:
                key = key * n_items + one[term]
        place = find_key(keys, key * n_items + last)
        if place < 0:
            return -1
        least = min(least, sizes[place])
    return least


@numba.njit(cache=True)
def extend(
    sets: NDArray[np.int32], sizes: NDArray[np.int64], attributes: NDArray[np.int32], n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Join conjunctions that differ in their last term only, if no other part has been pruned.

    Returns where the candidates of each conjunction start, their last terms, and the size of the smallest
    part of each.
    """
    keys = keys_of(sets, n_items)
    n_sets, length = sets.shape
    starts = np.zeros(n_sets + 1, dtype=np.int64)
    room = max(1024, 4 * n_sets)
    items, least = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64)
    found = 0
    for a in range(n_sets):
        starts[a] = found
        for b in range(a + 1, n_sets):
            if not np.array_equal(sets[a, : length - 1], sets[b, : length - 1]):
                break
            last = sets[b, length - 1]
            if attributes[last] == attributes[sets[a, length - 1]]:
                continue
            smallest = _least_part(sets[a], last, keys, sizes, n_items)
            if smallest < 0:
                continue
            if found == room:
                room *= 2
                items = np.append(items, np.empty(room - found, dtype=np.int32))
                least = np.append(least, np.empty(room - found, dtype=np.int64))
            items[found], least[found] = last, min(smallest, sizes[a], sizes[b])
            found += 1
    starts[n_sets] = found
    return starts, items[:found].copy(), least[:found].copy()
