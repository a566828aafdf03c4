"""The best literals found in a state, and the checkpoints to which a search may come back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

GAIN, BITS, CUT = range(3)
LITERAL, SIGN, POSITIVE, TOTAL, WEAK = range(5)


class Shortlist(NamedTuple):
    """The best literals, one a row: gain, bits and cut in `reals`; the rest in `whole`; their number in `used`.

    `POSITIVE` and `TOTAL` count the original tuples that are left if the literal is taken, `WEAK` the weak
    literals in a row that this makes.
    """

    reals: NDArray[np.float32]
    whole: NDArray[np.int64]
    used: NDArray[np.int64]


@numba.njit(cache=True)
def new_shortlist(room: int) -> Shortlist:
    """Make an empty list with room for so many literals."""
    return Shortlist(
        np.zeros((room, 3), dtype=np.float32),
        np.zeros((room, 5), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@numba.njit(cache=True)
def best_gain(best: Shortlist) -> Any:
    """Give the gain of the first literal; 0 if there is none."""
    return best.reals[0, GAIN] if best.used[0] else np.float32(0.0)


@numba.njit(cache=True)
def useful_gain(best: Shortlist, fraction: Any) -> Any:
    """Give the least gain that could still matter: enough to become an alternative."""
    reals, n = best.reals, best.used[0]
    least = np.float64(fraction) * np.float64(reals[0, GAIN]) if n else 0.0
    if n == reals.shape[0]:
        least = max(least, np.float64(reals[n - 1, GAIN]))
    return np.float32(least)


@numba.njit(cache=True)
def propose(
    best: Shortlist,
    literal: int,
    sign: int,
    gained: Any,
    bits: Any,
    cut: Any,
    positive: int,
    total: int,
    weak: int,
) -> None:
    """Put a literal into the list if it is among the best; of equal ones the earlier stays ahead.

    Of literals with the very same gain an unnegated one goes before a negated one.
    """
    reals, whole, used = best.reals, best.whole, best.used
    room, place = reals.shape[0], used[0]
    while place > 0:
        above = reals[place - 1, GAIN]
        better = np.float64(gained) > np.float64(above) + 1e-3
        if not better and not (gained == above and sign and not whole[place - 1, SIGN]):
            break
        place -= 1
    if place >= room:
        return
    n = min(used[0] + 1, room)
    used[0] = n
    for j in range(n - 1, place, -1):
        for k in range(3):
            reals[j, k] = reals[j - 1, k]
        for k in range(5):
            whole[j, k] = whole[j - 1, k]
    reals[place, GAIN], reals[place, BITS], reals[place, CUT] = gained, bits, cut
    whole[place, LITERAL], whole[place, SIGN], whole[place, WEAK] = literal, sign, weak
    whole[place, POSITIVE], whole[place, TOTAL] = positive, total


class Checkpoints(NamedTuple):
    """Clauses to go back to: what each is worth, where it is kept, and their number in `used`."""

    values: NDArray[np.float32]
    clauses: NDArray[np.int64]
    used: NDArray[np.int64]


@numba.njit(cache=True)
def new_checkpoints(room: int) -> Checkpoints:
    """Make an empty list with room for so many checkpoints."""
    return Checkpoints(
        np.zeros(room, dtype=np.float32), np.zeros(room, dtype=np.int64), np.zeros(1, dtype=np.int64)
    )


@numba.njit(cache=True)
def remember(points: Checkpoints, clause: int, value: Any) -> bool:
    """Keep a clause if there is room, or if it is worth more than one that is kept."""
    room = points.values.size
    place = points.used[0]
    while place > 0 and points.values[place - 1] < value:
        place -= 1
    if place >= room:
        return False
    points.used[0] = min(points.used[0] + 1, room)
    for j in range(points.used[0] - 1, place, -1):
        points.values[j], points.clauses[j] = points.values[j - 1], points.clauses[j - 1]
    points.values[place], points.clauses[place] = value, clause
    return True


@numba.njit(cache=True)
def take_checkpoint(points: Checkpoints) -> int:
    """Take the clause that is worth most off the list."""
    clause = points.clauses[0]
    for j in range(1, points.used[0]):
        points.values[j - 1], points.clauses[j - 1] = points.values[j], points.clauses[j]
    points.used[0] -= 1
    return int(clause)
