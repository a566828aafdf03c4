"""One propositional clause, literal by literal, with a few places to come back to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from fivefold.data.bit_words import count_word
from fivefold.learners.foil.kernels.bitsets import count, has
from fivefold.learners.foil.kernels.examining import examine
from fivefold.learners.foil.kernels.judging import new_noted, ratio
from fivefold.learners.foil.kernels.scoring import charge, information, lg
from fivefold.learners.foil.kernels.shortlist import (
    BITS,
    CUT,
    GAIN,
    LITERAL,
    POSITIVE,
    SIGN,
    TOTAL,
    WEAK,
    Checkpoints,
    Shortlist,
    new_checkpoints,
    new_shortlist,
    remember,
    take_checkpoint,
)
from fivefold.learners.foil.structures import Bits, Cases, Ints, Noted, Options, Singles, State

# A clause in the making is a path in a tree of nodes, so that checkpoints share what they have in common.
PARENT, OWN_LITERAL, OWN_SIGN, OWN_CUT, OWN_BITS, OWN_WEAK = range(6)


class Search(NamedTuple):
    """The lists that growing a clause fills; made once for all clauses."""

    best: Shortlist
    noted: Noted
    points: Checkpoints


class Grown(NamedTuple):
    """A clause as it was grown."""

    literals: Ints
    signs: Any
    cuts: Singles


@numba.njit(cache=True)
def new_search(options: Options) -> Search:
    """Make empty lists."""
    best, points = new_shortlist(options.alternatives + 1), new_checkpoints(options.checkpoints)
    return Search(best, new_noted(), points)


@numba.njit(cache=True)
def attribute_of(cases: Cases, literal: int) -> int:
    """Give the nominal attribute whose constant a literal asks for."""
    return int(np.searchsorted(cases.starts, literal, side="right")) - 1


@numba.njit(cache=True)
def restrict(cases: Cases, literal: int, sign: bool, cut: Any, bits: Bits) -> None:
    """Keep the members for which a literal holds; a missing value satisfies none."""
    n_tests = cases.tests.shape[0]
    if literal < n_tests:
        a = -1 if sign else attribute_of(cases, literal)
        for w in range(bits.size):
            bits[w] &= cases.tests[literal, w] if sign else cases.known[a, w] & ~cases.tests[literal, w]
        return
    values = cases.numbers[literal - n_tests]
    for w in range(bits.size):
        left = bits[w]
        while left:
            lowest = left & (~left + np.uint64(1))
            value = values[64 * w + count_word(lowest - np.uint64(1))]
            if not ((value > cut) if sign else (value <= cut)):
                bits[w] ^= lowest
            left ^= lowest


@numba.njit(cache=True)
def _advance(cases: Cases, node: Any, positive: Bits, negative: Bits, fixed: Any) -> None:
    """Keep the cases for which one more literal holds, and mark the attribute that it binds."""
    literal, sign = node[OWN_LITERAL], node[OWN_SIGN]
    restrict(cases, literal, sign == 1, node[OWN_CUT], positive)
    restrict(cases, literal, sign == 1, node[OWN_CUT], negative)
    if sign and literal < cases.tests.shape[0]:
        fixed[attribute_of(cases, literal)] = True


@numba.njit(cache=True)
def members(order: Ints, positive: Bits, negative: Bits) -> Ints:
    """Keep the cases of two sets, in their order."""
    kept = np.empty_like(order)
    n = 0
    for i in order:
        if has(positive, i) or has(negative, i):
            kept[n] = i
            n += 1
    return kept[:n]


@numba.njit(cache=True)
def _path(nodes: Any, node: int) -> Any:
    """Give the literals of a clause from the first to the last, as places among the nodes."""
    path = [0 for _ in range(0)]
    while node > 0:
        path.append(node)
        node = nodes[node][PARENT]
    return path[::-1]


@numba.njit(cache=True)
def _cost(nodes: Any, node: int) -> Any:
    """Give what a clause costs when it is compared with another."""
    total = np.float32(0.0)
    for place, step in enumerate(_path(nodes, node)):
        part = np.float32(np.float64(nodes[step][OWN_BITS]) - lg(np.float64(place + 1)))
        if part > 0:
            total = np.float32(total + part)
    return total


@numba.njit(cache=True)
def _grown(nodes: Any, node: int) -> Grown:
    path = _path(nodes, node)
    literals = np.empty(len(path), dtype=np.int64)
    signs = np.empty(len(path), dtype=np.bool_)
    cuts = np.empty(len(path), dtype=np.float32)
    for i in range(len(path)):
        own = nodes[path[i]]
        literals[i], signs[i], cuts[i] = own[OWN_LITERAL], own[OWN_SIGN] == 1, own[OWN_CUT]
    return Grown(literals, signs, cuts)


@numba.njit(cache=True)
def _state(
    cases: Cases,
    options: Options,
    positive: int,
    total: int,
    start: Any,
    spent: Any,
    saved: Any,
) -> State:
    base = information(cases.logs, positive, total, options.added)
    most = np.float32(np.float32(positive) * base)
    start_positive, all_positive, world = start
    bits, n_literals, weak = spent
    node, cover, accuracy = saved
    return State(
        positive, total, positive, total, base, most, world, start_positive, all_positive, bits,
        n_literals, weak, node > 0, cover, accuracy,
    )  # fmt: skip


@numba.njit(cache=True)
def _add_alternatives(
    best: Shortlist, points: Checkpoints, nodes: Any, node: int, options: Options, logs: Any, base: Any
) -> None:
    """Keep the other listed literals that come near the best one as checkpoints."""
    least = np.float32(options.fraction * best.reals[0, GAIN])
    for i in range(1, best.used[0]):
        if best.reals[i, GAIN] < least:
            continue
        row = best.whole[i]
        after = information(logs, row[POSITIVE], row[TOTAL], options.added)
        value = np.float32(np.float32(row[POSITIVE]) * np.float32(base - after))
        if remember(points, len(nodes), value):
            _add_node(nodes, node, row, best.reals[i], row[WEAK])


@numba.njit(cache=True)
def _add_node(nodes: Any, parent: int, whole: Ints, reals: Singles, weak: int) -> int:
    nodes.append((parent, whole[LITERAL], whole[SIGN], reals[CUT], reals[BITS], weak))
    return len(nodes) - 1


@numba.njit(cache=True)
def _saved_is_better(nodes: Any, saved: Any, node: int, positive: int, total: int) -> bool:
    """Tell whether the saved clause is more accurate than the one grown, or equally so and wider or cheaper."""
    other, cover, accuracy = saved
    own = ratio(positive, total)
    if other == 0 or accuracy != own:
        return bool(other > 0 and accuracy > own)
    return bool(cover > positive or (cover == positive and _cost(nodes, other) < _cost(nodes, node)))


@numba.njit(cache=True)
def _spend(spent: Any, bits: Any, weak: int) -> Any:
    """Charge one more literal: give the bits of the clause, its literals, and the weak ones in a row."""
    return np.float32(spent[0] + charge(bits, spent[1])), spent[1] + 1, weak


@numba.njit(cache=True)
def _replay(cases: Cases, nodes: Any, node: int, positive: Bits, negative: Bits, fixed: Any) -> Any:
    """Take the steps that lead to a node, from the cases at the start; give what they cost."""
    fixed[:] = False
    spent = (np.float32(0.0), 0, 0)
    for step in _path(nodes, node):
        own = nodes[step]
        spent = _spend(spent, own[OWN_BITS], own[OWN_WEAK])
        _advance(cases, own, positive, negative, fixed)
    return spent


@numba.njit(cache=True)
def grow(
    cases: Cases,
    options: Options,
    search: Search,
    start_positive: Bits,
    all_negative: Bits,
    order: Ints,
    n_all: int,
) -> Grown:
    """Grow a clause for the positive cases that no clause covers yet, against all negative ones.

    `n_all` is the number of all positive cases. `order` is the order of the cases, which is kept up only if some
    nominal value is missing; it is empty otherwise.
    """
    n_pos, n_neg = count(start_positive), count(all_negative)
    total, start = n_pos + n_neg, (n_pos, n_all, n_all + n_neg)
    base = information(cases.logs, n_pos, total, options.added)
    best, noted, points, recoveries = search.best, search.noted, search.points, options.checkpoints
    points.used[0] = 0
    nodes = [(0, 0, 0, np.float32(0.0), np.float32(0.0), 0)]
    node, spent, saved = 0, (np.float32(0.0), 0, 0), (0, 0, np.float32(0.0))
    positive, negative, here = start_positive.copy(), all_negative.copy(), order
    fixed = np.zeros(cases.starts.size - 1, dtype=np.bool_)
    while n_pos < total:
        state = _state(cases, options, n_pos, total, start, spent, saved)
        examine(state, options, cases, positive, negative, here, fixed, best, noted)
        if noted.found[0]:
            cover, place = noted.whole[POSITIVE], _add_node(nodes, node, noted.whole, noted.reals, 0)
            saved = (place, cover, ratio(cover, noted.whole[TOTAL]))
        if best.used[0]:
            _add_alternatives(best, points, nodes, node, options, cases.logs, base)
            weak = best.whole[0, WEAK]
            node = _add_node(nodes, node, best.whole[0], best.reals[0], weak)
            spent = _spend(spent, best.reals[0, BITS], weak)
            _advance(cases, nodes[node], positive, negative, fixed)
            here = members(here, positive, negative)
        elif saved[0] == 0 and points.used[0] > 0 and recoveries > 0:
            recoveries, node = recoveries - 1, take_checkpoint(points)
            positive[:], negative[:] = start_positive, all_negative
            spent = _replay(cases, nodes, node, positive, negative, fixed)
            here = members(order, positive, negative)
        else:
            break
        n_pos = count(positive)
        total = n_pos + count(negative)
    if _saved_is_better(nodes, saved, node, n_pos, total):
        node = saved[0]
    return _grown(nodes, node)
