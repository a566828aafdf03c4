"""Orders of the constants of a type, along which recursion may go, as far as the relations suggest one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.relational.kernels.joining import MISSING, OUTSIDE, Values
from fivefold.learners.foil.relational.relations import Type

Pairs = list[tuple[int, int]]


def find_orders(
    types: Sequence[Type],
    members: list[list[int]],
    compatible: list[list[bool]],
    positive: list[Values],
    negative: list[Values | None],
    types_of: list[tuple[int, ...]],
    relations: list[int],
) -> tuple[list[bool], NDArray[np.int32]]:
    """Give which types have an order, and the rank of each constant in it, from 1; 0 if it is not of the type.

    `relations` is the order in which relations are looked at.
    """
    n_constants = max((max(own, default=0) for own in members), default=0)
    ranks = np.zeros((len(types), max(n_constants, OUTSIDE) + 1), dtype=np.int32)
    ordered = []
    for t, (kind, own) in enumerate(zip(types, members, strict=True)):
        order: list[int] | None = own
        if kind.order == "discover" and not kind.continuous:
            order = _discover(t, own, compatible, positive, negative, types_of, relations)
        ordered.append(order is not None and kind.order != "none" and not kind.continuous)
        ranks[t, order or own] = np.arange(1, len(own) + 1)
        ranks[t, MISSING] = len(own) + 1
    return ordered, ranks


def _discover(
    kind: int,
    members: list[int],
    compatible: list[list[bool]],
    positive: list[Values],
    negative: list[Values | None],
    types_of: list[tuple[int, ...]],
    relations: list[int],
) -> list[int] | None:
    """Give the order that agrees with most of the consistent pairs of arguments; None if there is no such pair."""
    place = {constant: i for i, constant in enumerate(members)}
    found: list[Pairs] = []
    for r in relations:
        fitting = [a for a, t in enumerate(types_of[r]) if compatible[t][kind]]
        for rows in (positive[r], negative[r]):
            for i, a in enumerate(fitting):
                for b in fitting[i + 1 :] if rows is not None else ():
                    pairs = _pairs(rows, a, b, place)
                    if pairs is not None and _Partial(len(members)).add(pairs):
                        found.append(pairs)
    if not found:
        return None
    best = _largest(found, len(members))
    return [members[i] for i in sorted(range(len(members)), key=lambda i: (best.below[i].bit_count(), i))]


def _pairs(rows: Values | None, a: int, b: int, place: dict[int, int]) -> Pairs | None:
    """List the pairs of constants that two arguments have; None if one is not of the type."""
    pairs = []
    for first, second in [] if rows is None else rows[:, [a, b]].tolist():
        if {first, second} & {MISSING, OUTSIDE}:
            continue
        if first not in place or second not in place:
            return None
        pairs.append((place[first], place[second]))
    return pairs


class _Partial:
    """A partial order of constants, as the sets of those on either side of each, written as bits."""

    def __init__(self, n: int) -> None:
        self.below = [0] * n
        self.above = [0] * n

    def copy(self) -> _Partial:
        twin = _Partial(0)
        twin.below, twin.above = list(self.below), list(self.above)
        return twin

    def add(self, pairs: Pairs) -> bool:
        """Take the first of each pair as the greater one, and all that follows; False if that cannot be."""
        return all(self._add(a, b) for a, b in pairs)

    def _add(self, a: int, b: int) -> bool:
        if self.below[a] >> b & 1:
            return True
        if a == b or self.below[b] >> a & 1:
            return False
        greater, smaller = self.above[a] | 1 << a, self.below[b] | 1 << b
        for i in _bits(greater):
            self.below[i] |= smaller
        for i in _bits(smaller):
            self.above[i] |= greater
        return True


def _bits(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]


def _largest(found: list[Pairs], n: int) -> _Partial:
    """Find the order with which most of the pairs agree, each one way round or the other."""
    best, most = _Partial(n), 0

    def search(included: int, following: int, order: _Partial) -> None:
        nonlocal best, most
        if included > most:
            best, most = order.copy(), included
        if following >= len(found) or included + len(found) - following <= most:
            return
        pairs = found[following]
        # of the first pair one way is enough: the other gives the same orders turned round
        ways = [pairs, [(b, a) for a, b in pairs]] if included else [pairs]
        for way in ways:
            twin = order.copy()
            if twin.add(way):
                search(included + 1, following + 1, twin)
        search(included, following + 1, order)

    search(0, 0, _Partial(n))
    return best
