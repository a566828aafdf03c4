"""Clauses on a table of cases: packed as bits, grown, trimmed, put together, and asked."""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word
from fivefold.learners.foil.kernels.literals import (
    BITS,
    CUT,
    GAIN,
    LITERAL,
    POSITIVE,
    SIGN,
    TOTAL,
    WEAK,
    Bits,
    Checkpoints,
    Clauses,
    FoilTable,
    Ints,
    Logs,
    Noted,
    Options,
    Shortlist,
    Singles,
    State,
    all_in_row,
    allowance,
    arrange,
    best_cut,
    best_gain,
    charge,
    count,
    count_both,
    count_row,
    first_of,
    gain,
    gather,
    has,
    information,
    judge,
    least_kept,
    least_saved,
    lg,
    most_negatives,
    new_checkpoints,
    new_noted,
    new_shortlist,
    pack_rows,
    plain_counts,
    ratio,
    remember,
    remove,
    take_checkpoint,
    useful_gain,
)


@numba.njit(cache=True)
def _constants(codes: NDArray[np.int32], sizes: Ints) -> tuple[Ints, Ints, NDArray[np.int32]]:
    """List the codes that occur in each attribute, and give each its place among all constants."""
    places = np.full((codes.shape[0], max(sizes.max(), 1) if sizes.size else 1), -1, dtype=np.int32)
    starts = np.zeros(sizes.size + 1, dtype=np.int64)
    for a in range(codes.shape[0]):
        for i in range(codes.shape[1]):
            if codes[a, i] >= 0:
                places[a, codes[a, i]] = 0
        starts[a + 1] = starts[a] + (places[a] == 0).sum()
    constants = np.empty(starts[-1], dtype=np.int64)
    k = 0
    for a in range(codes.shape[0]):
        for code in range(sizes[a]):
            if places[a, code] == 0:
                constants[k], places[a, code] = code, k
                k += 1
    return starts, constants, places


@numba.njit(cache=True)
def pack_codes(codes: NDArray[np.int32], sizes: Ints) -> tuple[Ints, Ints, Bits, Bits, NDArray[np.bool_]]:
    """Give the constants of each attribute with their cases, the cases with a value, and whether all have one.

    Only codes that occur become constants: `starts` says where those of each attribute begin.
    """
    n_attributes, n = codes.shape
    words = (n + 63) // 64
    starts, constants, places = _constants(codes, sizes)
    tests = np.zeros((constants.size, words), dtype=np.uint64)
    known = np.zeros((n_attributes, words), dtype=np.uint64)
    whole = np.ones(n_attributes, dtype=np.bool_)
    for a in range(n_attributes):
        for i in range(n):
            code = codes[a, i]
            if code < 0:
                whole[a] = False
            else:
                bit = np.uint64(1) << np.uint64(i & 63)
                tests[places[a, code], i >> 6] |= bit
                known[a, i >> 6] |= bit
    return starts, constants, tests, known, whole


@numba.njit(cache=True, nogil=True)
def _transpose(block: Bits) -> None:
    """Turn 64 words of 64 bits about their diagonal, in six rounds of ever smaller squares."""
    size, mask = 32, np.uint64(0x00000000FFFFFFFF)
    while size:
        shift = np.uint64(size)
        row = 0
        while row < 64:
            turned = ((block[row] >> shift) ^ block[row + size]) & mask
            block[row + size] ^= turned
            block[row] ^= turned << shift
            row = (row + size + 1) & ~size
        size >>= 1
        mask ^= mask << np.uint64(size)


@numba.njit(cache=True, nogil=True)
def pack_copies(rows: Bits, n_attributes: int, copies: Any) -> Bits:
    """Give the sets of a boolean table in which case `i` stands ``copies[i]`` times: False, True, False, ….

    `rows` has the attributes of each case as bits.
    """
    total = copies.sum()
    words = (total + 63) // 64
    tests = np.empty((2 * n_attributes, words), dtype=np.uint64)
    block = np.empty(64, dtype=np.uint64)
    for part in range(rows.shape[1]):
        case, used = 0, 0
        for w in range(words):
            filled = min(64, total - 64 * w)
            for j in range(filled):
                while used == copies[case]:
                    case, used = case + 1, 0
                block[j] = rows[case, part]
                used += 1
            block[filled:] = 0
            _transpose(block)
            full = ~np.uint64(0) >> np.uint64(64 - filled)
            for a in range(64 * part, min(64 * part + 64, n_attributes)):
                word = block[a - 64 * part]
                tests[2 * a, w], tests[2 * a + 1, w] = ~word & full, word
    return tests


@numba.njit(cache=True)
def _missing_before(tests: Bits, known: Bits, test: int, attribute: int, order: Ints, n: int) -> Any:
    """Count the missing values before the last of the first `n` cases that lacks the constant, and that has it.

    FOIL gives a side up while it scans the cases, so that only the missing values seen by then count.
    """
    missing, before_false, before_true = 0, 0, 0
    for i in range(n):
        row = order[i]
        if not has(known[attribute], row):
            missing += 1
        elif has(tests[test], row):
            before_true = missing
        else:
            before_false = missing
    return before_false, before_true


@numba.njit(cache=True)
def _too_few(n: int, excluded: int, missing: int, min_positive: Any, least: int) -> bool:
    """Tell whether a side that excludes positives is dropped: too few to gain, and too few to be saved."""
    left = n - excluded
    return excluded > 0 and bool(left - missing < np.float64(min_positive) - 1e-3) and left + 1 < least


@numba.njit(cache=True)
def _too_little(
    logs: Logs, base: Any, useful: Any, margin: Any, positive: int, negative: int, added: int
) -> bool:
    """Tell whether a side keeps no positives, or too many negatives to have the useful gain."""
    if positive == 0 or negative == 0:
        return positive == 0
    gained = gain(base, information(logs, positive, positive + negative, added), positive, 0)
    # far from the limit the gain alone tells; near it the program's own inverse formula has to
    if gained > useful + margin or gained < useful - margin:
        return bool(gained < useful)
    most = most_negatives(base, useful, positive, positive, added, np.float32(1.0))
    return bool(negative > np.float64(most) + 1e-3)


@numba.njit(cache=True)
def _examine_nominal(
    state: State, options: Options, cases: FoilTable, positive: Bits, negative: Bits, order: Ints,
    fixed: Any, best: Shortlist, noted: Noted, bits: Any, new_bits: Any,
) -> None:  # fmt: skip
    # Nearly all literals end in this loop, so it touches plain arrays and numbers only.
    tests, starts, known = cases.tests, cases.starts, cases.known
    logs, factorials, world = cases.logs, cases.factorials, state.world
    base, added, n_pos, n_neg = state.base, options.added, state.positive, state.total - state.positive
    both_sides, no_cut = options.negation, np.float32(0.0)
    margin = np.float32(0.01 + 1e-5 * state.total)
    useful = useful_gain(best, options.fraction)
    kept, least = least_kept(useful, base), least_saved(state, noted, logs, factorials, new_bits)
    for a in range(starts.size - 1):
        if fixed[a]:
            continue
        known_pos, known_neg = n_pos, n_neg
        if not cases.whole[a]:
            known_pos, known_neg = count_row(known, a, positive), count_row(known, a, negative)
        rest_pos, rest_neg = known_pos, known_neg
        last = starts[a + 1] - 1
        for k in range(starts[a], last + 1):
            # what the other constants have not is left for the last one
            t_pos = rest_pos if k == last else count_row(tests, k, positive)
            t_neg = rest_neg if k == last else count_row(tests, k, negative)
            rest_pos, rest_neg = rest_pos - t_pos, rest_neg - t_neg
            f_pos, f_neg = known_pos - t_pos, known_neg - t_neg
            can_true = not _too_little(logs, base, useful, margin, t_pos, t_neg, added)
            can_false = both_sides and not _too_little(logs, base, useful, margin, f_pos, f_neg, added)
            if not (can_true or can_false):
                if both_sides and last - k == 1 and k == starts[a]:
                    break  # of two constants the second is the negation of the first
                continue
            m_false, m_true = 0, 0
            if known_pos < n_pos:
                m_false, m_true = _missing_before(tests, known, k, a, order, n_pos)
            can_true = can_true and not _too_few(n_pos, f_pos, m_false, kept, least)
            can_false = can_false and not _too_few(n_pos, t_pos, m_true, kept, least)
            can_true = can_true and allowance(logs, factorials, world, t_pos) > new_bits
            can_false = can_false and allowance(logs, factorials, world, f_pos) > new_bits
            if can_true or can_false:
                counts = plain_counts(t_pos, t_neg, f_pos, f_neg)
                judge(state, options, logs, best, noted, counts, can_true, can_false, k, bits, no_cut)
                useful = useful_gain(best, options.fraction)
                kept = least_kept(useful, base)
                least = least_saved(state, noted, logs, factorials, new_bits)


@numba.njit(cache=True)
def _examine_numeric(
    state: State, options: Options, cases: FoilTable, positive: Bits, negative: Bits, order: Ints,
    best: Shortlist, noted: Noted, bits: Any, new_bits: Any,
) -> None:  # fmt: skip
    places = np.empty(state.total, dtype=np.int64)
    flags = np.empty(state.total, dtype=np.bool_)
    for m in range(cases.numbers.shape[0]):
        values = cases.numbers[m]
        if order.size:
            arrange(order, 0, state.positive - 1, values)
            arrange(order, state.positive, state.total - 1, values)
        total = gather(positive, negative, cases.sorted_rows[m], cases.n_known[m], places, flags)
        cut = best_cut(state, options, cases.logs, values, places, flags, total)
        if cut.gained < 0:
            continue
        t_pos, true = cut.true_positive, cut.true_total
        f_pos, false = cut.known_positive - t_pos, cut.known_total - true
        allowed_true = allowance(cases.logs, cases.factorials, state.world, t_pos) > new_bits
        allowed_false = allowance(cases.logs, cases.factorials, state.world, f_pos) > new_bits
        can_true, can_false = allowed_true and t_pos > 0, allowed_false and f_pos > 0
        if can_true or can_false:
            whole = np.float32(np.float64(bits) + cases.logs[cut.n_values - 1])
            counts = plain_counts(t_pos, true - t_pos, f_pos, false - f_pos)
            literal = cases.tests.shape[0] + m
            judge(
                state, options, cases.logs, best, noted, counts, can_true, can_false, literal, whole, cut.at
            )


@numba.njit(cache=True)
def relation_bits(n_relations: int, n_trials: int) -> Any:
    """Give the bits that name a relation, its arguments and a sign."""
    bits = np.float32(lg(np.float64(n_relations)) + lg(n_trials + 1e-3))
    return np.float32(np.float64(bits) + 1.0)


@numba.njit(cache=True)
def _affordable(state: State, cases: FoilTable, bits: Any) -> bool:
    most = allowance(cases.logs, cases.factorials, state.world, state.original_positive)
    available = np.float32(most - np.float64(state.clause_bits))
    return bool(np.float64(bits) - lg(state.n_literals + 1.001) <= available)


@numba.njit(cache=True)
def examine(
    state: State, options: Options, cases: FoilTable, positive: Bits, negative: Bits, order: Ints,
    fixed: Any, best: Shortlist, noted: Noted,
) -> None:  # fmt: skip
    """Put the best literals on the shortlist and note the one that completes the best clause.

    `fixed` marks the nominal attributes that a literal of the clause has bound to a constant.
    """
    best.used[0], noted.used[0] = 0, 0
    n_tests, n_numeric = 0, cases.numbers.shape[0]
    for a in range(cases.starts.size - 1):
        n_tests += 0 if fixed[a] else cases.starts[a + 1] - cases.starts[a]
    n_relations = int(n_tests > 0) + int(n_numeric > 0)
    if n_tests:
        bits = relation_bits(n_relations, n_tests)
        if _affordable(state, cases, bits):
            new_bits = np.float32(state.clause_bits + charge(bits, state.n_literals))
            _examine_nominal(
                state, options, cases, positive, negative, order, fixed, best, noted, bits, new_bits
            )
    if n_numeric and best_gain(best) < state.most:
        bits = relation_bits(n_relations, n_numeric)
        if _affordable(state, cases, bits):
            new_bits = np.float32(state.clause_bits + charge(bits, state.n_literals))
            _examine_numeric(state, options, cases, positive, negative, order, best, noted, bits, new_bits)


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
def attribute_of(cases: FoilTable, literal: int) -> int:
    """Give the nominal attribute whose constant a literal asks for."""
    return int(np.searchsorted(cases.starts, literal, side="right")) - 1


@numba.njit(cache=True)
def restrict(cases: FoilTable, literal: int, sign: bool, cut: Any, bits: Bits) -> None:
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
def _advance(cases: FoilTable, node: Any, positive: Bits, negative: Bits, fixed: Any) -> None:
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
    cases: FoilTable, options: Options, positive: int, total: int, start: Any, spent: Any,
    saved: Any,
) -> State:  # fmt: skip
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
def _replay(cases: FoilTable, nodes: Any, node: int, positive: Bits, negative: Bits, fixed: Any) -> Any:
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
    cases: FoilTable, options: Options, search: Search, start_positive: Bits, all_negative: Bits,
    order: Ints, n_all: int,
) -> Grown:  # fmt: skip
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
        if noted.used[0]:
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


@numba.njit(cache=True)
def covered_by(cases: FoilTable, clause: Grown, bits: Bits) -> Bits:
    """Give the members of a set for which all literals of a clause hold."""
    held = bits.copy()
    for i in range(clause.literals.size):
        restrict(cases, clause.literals[i], clause.signs[i], clause.cuts[i], held)
    return held


@numba.njit(cache=True)
def _implied(cases: FoilTable, positive: Bits, literals: Any, signs: Any) -> Any:
    """List the constants that all positive cases of a clause share although it does not ask for them."""
    n_tests = cases.tests.shape[0]
    asked = np.zeros(cases.starts.size - 1, dtype=np.bool_)
    for i in range(literals.size):
        if signs[i] and literals[i] < n_tests:
            asked[attribute_of(cases, literals[i])] = True
    shared = [0 for _ in range(0)]
    first = first_of(positive)
    word, bit = first >> 6, np.uint64(first & 63)
    for a in range(asked.size):
        if asked[a]:
            continue
        for k in range(cases.starts[a], cases.starts[a + 1]):
            if (cases.tests[k, word] >> bit) & np.uint64(1):
                if all_in_row(positive, cases.tests, k):
                    shared.append(k)
                break
    return shared


@numba.njit(cache=True)
def _with_equalities_first(cases: FoilTable, clause: Grown, positive: Bits) -> Grown:
    """Put the implied constants first, then those that the clause asks for, later ones before earlier ones."""
    n_tests = cases.tests.shape[0]
    shared = _implied(cases, positive, clause.literals, clause.signs)
    n, size = len(shared), clause.literals.size
    literals = np.empty(n + size, dtype=np.int64)
    signs = np.ones(n + size, dtype=np.bool_)
    cuts = np.zeros(n + size, dtype=np.float32)
    for i in range(n):
        literals[i] = shared[n - 1 - i]
    place = n
    for i in range(size - 1, -1, -1):
        if clause.signs[i] and clause.literals[i] < n_tests:
            literals[place] = clause.literals[i]
            place += 1
    for i in range(size):
        if not (clause.signs[i] and clause.literals[i] < n_tests):
            literals[place], signs[place] = clause.literals[i], clause.signs[i]
            cuts[place] = clause.cuts[i]
            place += 1
    return Grown(literals, signs, cuts)


@numba.njit(cache=True)
def trim(cases: FoilTable, clause: Grown, start_positive: Bits, all_negative: Bits) -> Grown:
    """Drop literals from the last to the first as long as no more negative cases are covered.

    Constants that all covered positive cases share are put in first, so that one of them may take the place of
    several literals.
    """
    errors = count(covered_by(cases, clause, all_negative))
    full = _with_equalities_first(cases, clause, covered_by(cases, clause, start_positive))
    n = full.literals.size
    # those that pass all literals before the i-th, and those that pass the needed ones after it
    before = np.empty((n + 1, all_negative.size), dtype=np.uint64)
    before[0] = all_negative
    for i in range(n):
        before[i + 1] = before[i]
        restrict(cases, full.literals[i], full.signs[i], full.cuts[i], before[i + 1])
    needed, after = np.zeros(n, dtype=np.bool_), all_negative.copy()
    for i in range(n - 1, -1, -1):
        if count_row(before, i, after) > errors:
            needed[i] = True
            restrict(cases, full.literals[i], full.signs[i], full.cuts[i], after)
    return Grown(full.literals[needed], full.signs[needed], full.cuts[needed])


@numba.njit(cache=True)
def _covers_alone(covers: Any, kept: Any, clause: int, positive: Bits) -> bool:
    """Tell whether a clause covers a positive case that none of the other kept ones does."""
    for w in range(positive.size):
        own = covers[clause][w] & positive[w]
        for j in range(kept.size):
            if kept[j] and j != clause:
                own &= ~covers[j][w]
        if own:
            return True
    return False


@numba.njit(cache=True)
def needed_clauses(covers: Any, n: int, positive: Bits) -> Any:
    """Mark the clauses to keep: the last one goes that alone covers no positive case, then again."""
    kept = np.ones(n, dtype=np.bool_)
    needed = np.zeros(n, dtype=np.bool_)
    while True:
        last = -1
        for j in range(n):
            if kept[j] and not needed[j]:
                needed[j] = _covers_alone(covers, kept, j, positive)
                if not needed[j]:
                    last = j
        if last < 0:
            return kept
        kept[last] = False


@numba.njit(cache=True)
def _good_enough(positive: int, negative: int, min_accuracy: Any) -> bool:
    least = np.float32(min_accuracy * np.float32(positive + negative))
    return bool(positive + 1e-3 >= np.float64(least))


@numba.njit(cache=True)
def _together(clauses: Any, kept: Any) -> Clauses:
    starts = np.zeros(kept.sum() + 1, dtype=np.int64)
    size, place = 0, 0
    for i in range(kept.size):
        size += clauses[i].literals.size if kept[i] else 0
    literals = np.empty(size, dtype=np.int64)
    signs = np.empty(size, dtype=np.bool_)
    cuts = np.empty(size, dtype=np.float32)
    for i in range(kept.size):
        if kept[i]:
            clause = clauses[i]
            start, end = starts[place], starts[place] + clause.literals.size
            literals[start:end], signs[start:end], cuts[start:end] = (
                clause.literals,
                clause.signs,
                clause.cuts,
            )
            place += 1
            starts[place] = end
    return Clauses(starts, literals, signs, cuts)


@numba.njit(cache=True)
def _nothing() -> Grown:
    return Grown(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.float32))


@numba.njit(cache=True)
def define(cases: FoilTable, options: Options, positive: Bits, negative: Bits, order: Ints) -> Clauses:
    """Learn the clauses of one class: `positive` are its cases, `negative` all others."""
    clauses = [_nothing() for _ in range(0)]
    covers = [positive for _ in range(0)]
    left, n_all, search = positive.copy(), count(positive), new_search(options)
    while count(left) > 0:
        clause = grow(cases, options, search, left, negative, order, n_all)
        if options.pruning:
            clause = trim(cases, clause, left, negative)
        if clause.literals.size == 0:
            break
        held, errors = covered_by(cases, clause, positive), covered_by(cases, clause, negative)
        if not _good_enough(count_both(held, left), count(errors), options.min_accuracy):
            break
        clauses.append(clause)
        covers.append(held)
        remove(left, held)
        if order.size:
            order = members(order, left, negative)
    kept = np.ones(len(clauses), dtype=np.bool_)
    if options.pruning:
        kept = needed_clauses(covers, len(clauses), positive)
    return _together(clauses, kept)


@numba.njit(cache=True)
def join(definitions: Any) -> tuple[Ints, Clauses]:
    """Put definitions one after the other: the i-th has the clauses from ``firsts[i]`` up to ``firsts[i + 1]``."""
    n_clauses, n_literals = 0, 0
    for definition in definitions:
        n_clauses += definition.starts.size - 1
        n_literals += definition.literals.size
    firsts = np.zeros(len(definitions) + 1, dtype=np.int64)
    starts = np.zeros(n_clauses + 1, dtype=np.int64)
    literals = np.empty(n_literals, dtype=np.int64)
    signs = np.empty(n_literals, dtype=np.bool_)
    cuts = np.empty(n_literals, dtype=np.float32)
    clause, place = 0, 0
    for i in range(len(definitions)):
        definition = definitions[i]
        end = place + definition.literals.size
        literals[place:end], signs[place:end], cuts[place:end] = (
            definition.literals,
            definition.signs,
            definition.cuts,
        )
        for c in range(1, definition.starts.size):
            clause += 1
            starts[clause] = place + definition.starts[c]
        place, firsts[i + 1] = end, clause
    return firsts, Clauses(starts, literals, signs, cuts)


@numba.njit(cache=True)
def define_classes(
    cases: FoilTable, options: Options, classes: Any, wanted: Ints, in_order: bool
) -> tuple[Ints, Clauses]:
    """Learn the clauses of each wanted class against all other cases.

    `in_order` says that the order of the cases matters, as it does where nominal values are missing.
    """
    definitions = []
    flags = np.empty((2, classes.size), dtype=np.bool_)
    for c in wanted:
        flags[0] = classes == c
        flags[1] = ~flags[0]
        sides = pack_rows(flags)
        order = np.empty(0, dtype=np.int64)
        if in_order:
            order = np.concatenate((np.flatnonzero(flags[0]), np.flatnonzero(flags[1])))
        definitions.append(define(cases, options, sides[0], sides[1], order))
    return join(definitions)


@numba.njit(cache=True, nogil=True)
def _sides(y: NDArray[np.bool_], copies: Ints, words: int) -> Bits:
    sides = np.zeros((2, words), dtype=np.uint64)
    place = 0
    for i in range(y.size):
        for _ in range(copies[i]):
            sides[0 if y[i] else 1, place >> 6] |= np.uint64(1) << np.uint64(place & 63)
            place += 1
    return sides


@numba.njit(cache=True, nogil=True)
def _occurring(tests: Bits) -> tuple[Bits, Ints, Ints]:
    """Keep the constants that some case has; say where those of each attribute start, and which they are."""
    constants = np.empty(tests.shape[0], dtype=np.int64)
    starts = np.zeros(tests.shape[0] // 2 + 1, dtype=np.int64)
    kept = 0
    for k in range(tests.shape[0]):
        if tests[k].any():
            constants[kept] = k
            kept += 1
        starts[k // 2 + 1] = kept
    if kept == tests.shape[0]:
        return tests, starts, constants
    return tests[constants[:kept]], starts, constants[:kept]


@numba.njit(cache=True, nogil=True)
def define_all(
    X: NDArray[np.bool_], y: NDArray[np.bool_], copies: Ints, logs: Any, factorials: Any, options: Options
) -> tuple[Ints, Clauses]:
    """Learn the concept of the true cases of `y` from each resample: case `i` stands in it ``copies[r, i]`` times.

    Clauses of resample `r` are those from ``firsts[r]`` up to ``firsts[r + 1]``. Literal ``2 a`` asks whether
    attribute `a` is false, ``2 a + 1`` whether it is true.
    """
    n_attributes = X.shape[1]
    whole = np.ones(n_attributes, dtype=np.bool_)
    numbers = np.empty((0, 0), dtype=np.float32)
    sorted_rows = np.empty((0, 0), dtype=np.int32)
    nothing = np.empty(0, dtype=np.int64)
    rows = pack_rows(X)
    definitions = []
    for r in range(copies.shape[0]):
        tests, starts, constants = _occurring(pack_copies(rows, n_attributes, copies[r]))
        known = np.full((n_attributes, tests.shape[1]), ~np.uint64(0))
        cases = FoilTable(tests, starts, known, whole, numbers, sorted_rows, nothing, logs, factorials)
        sides = _sides(y, copies[r], tests.shape[1])
        definition = define(cases, options, sides[0], sides[1], nothing)
        definitions.append(
            Clauses(definition.starts, constants[definition.literals], definition.signs, definition.cuts)
        )
    return join(definitions)


@numba.njit(cache=True, nogil=True)
def _holds(X: NDArray[np.bool_], i: int, clauses: Clauses, clause: int) -> bool:
    for k in range(clauses.starts[clause], clauses.starts[clause + 1]):
        literal = clauses.literals[k]
        if (X[i, literal >> 1] == bool(literal & 1)) != clauses.signs[k]:
            return False
    return True


@numba.njit(cache=True, nogil=True)
def cover_all(X: NDArray[np.bool_], firsts: Ints, clauses: Clauses) -> NDArray[np.bool_]:
    """Tell for each concept which cases it covers."""
    covered = np.zeros((firsts.size - 1, X.shape[0]), dtype=np.bool_)
    for r in range(covered.shape[0]):
        for i in range(X.shape[0]):
            for c in range(firsts[r], firsts[r + 1]):
                if _holds(X, i, clauses, c):
                    covered[r, i] = True
                    break
    return covered


@numba.njit(cache=True)
def addresses(clauses: Clauses, starts: Ints, constants: Ints) -> tuple[Ints, Ints]:
    """Give for each literal the row of its attribute and the code that it asks for, -1 for a comparison."""
    rows, codes = np.empty_like(clauses.literals), np.empty_like(clauses.literals)
    for k in range(clauses.literals.size):
        literal = clauses.literals[k]
        if literal < constants.size:
            rows[k] = np.searchsorted(starts, literal, side="right") - 1
            codes[k] = constants[literal]
        else:
            rows[k], codes[k] = literal - constants.size, -1
    return rows, codes


@numba.njit(cache=True)
def _restrict(
    truth: NDArray[np.bool_], codes: Any, numbers: Singles, row: int, code: int, sign: bool, cut: Any
) -> None:
    """Leave a clause true only for the cases that satisfy one more literal."""
    if code < 0:
        own = numbers[row]
        for i in range(truth.size):
            truth[i] &= (own[i] > cut) if sign else (own[i] <= cut)
    else:
        values = codes[row]
        for i in range(truth.size):
            truth[i] &= (values[i] == code) if sign else (values[i] >= 0 and values[i] != code)


@numba.njit(cache=True)
def fire(
    clauses: Clauses, rows: Ints, constants: Ints, codes: NDArray[np.int32], numbers: Singles
) -> NDArray[np.bool_]:
    """Tell which clause holds for which case.

    For each literal, `constants` has the code that it asks for, or -1 if it compares a number with a cut; `rows`
    has the row of its attribute in `codes` or in `numbers`. A missing value, -1 or NaN, satisfies no literal.
    """
    fired = np.ones((clauses.starts.size - 1, codes.shape[1]), dtype=np.bool_)
    for c in range(fired.shape[0]):
        for k in range(clauses.starts[c], clauses.starts[c + 1]):
            _restrict(fired[c], codes, numbers, rows[k], constants[k], clauses.signs[k], clauses.cuts[k])
    return fired
