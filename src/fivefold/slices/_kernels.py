"""Compiled loops of slices.

Counting, extending, testing, permuting and explaining conjunctions of bitsets.
"""

from __future__ import annotations

from math import exp, lgamma, log, sqrt

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.data.bit_words import count_word

Bits = NDArray[np.uint64]

_ONE = np.uint64(1)


@numba.njit(cache=True, nogil=True)
def count_common(a: Bits, b: Bits) -> int:
    """Count the common members of two sets."""
    total = 0
    for w in range(a.size):
        total += count_word(a[w] & b[w])
    return total


@numba.njit(cache=True, nogil=True)
def interval_codes(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """Number the intervals (.., c1], (c1, c2], …, (cm, ..) from 0; missing is -1."""
    codes = np.empty(values.size, dtype=np.int32)
    for row in range(values.size):
        value = values[row]
        if value != value:
            codes[row] = -1
            continue
        code = 0
        for cut in cuts:
            code += value > cut
        codes[row] = code
    return codes


@numba.njit(cache=True, nogil=True)
def totals(codes: NDArray[np.int32], n_terms: int, missing_item: int) -> NDArray[np.int64]:
    """Count the cases of each code; missing goes to `missing_item`, or nowhere if that is -1."""
    counted = np.zeros(n_terms + 1, dtype=np.int64)
    for code in codes:
        counted[code if code >= 0 else missing_item] += 1
    return counted[:n_terms]


@numba.njit(cache=True, nogil=True)
def pack(
    codes: NDArray[np.int32],
    order: NDArray[np.int64],
    sizes: NDArray[np.int64],
    first_words: NDArray[np.int64],
    missing_item: int,
    rows: NDArray[np.int32],
    bits: Bits,
) -> None:
    """Set one bit for each case in the set of its code, whose row of `bits` is in `rows` (-1: none).

    The cases of a group share no word with another group.
    """
    place = 0
    for group in range(sizes.size):
        first = first_words[group]
        for i in range(sizes[group]):
            code = codes[order[place]]
            place += 1
            row = rows[code if code >= 0 else missing_item]
            if row >= 0:
                bits[row, first + (i >> 6)] |= _ONE << np.uint64(i & 63)


@numba.njit(cache=True, nogil=True)
def count_terms(bits: Bits, first_words: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Count the cases of every single term in every group."""
    for item in range(bits.shape[0]):
        for group in range(counts.shape[1]):
            for w in range(first_words[group], first_words[group + 1]):
                counts[item, group] += count_word(bits[item, w])


@numba.njit(cache=True, nogil=True)
def count_extensions(
    bits: Bits,
    prefixes: NDArray[np.int32],
    starts: NDArray[np.int64],
    items: NDArray[np.int32],
    blocks: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Count each prefix with each of its further terms, block of words after block.

    `starts` says where the further terms of each prefix begin in `items`. A block is (group, first word,
    end): short enough that the words of all terms stay in the cache while every conjunction passes by.
    """
    width = 0
    for block in range(blocks.shape[0]):
        width = max(width, blocks[block, 2] - blocks[block, 1])
    buffer = np.empty(width, dtype=np.uint64)
    for block in range(blocks.shape[0]):
        group, low, high = blocks[block]
        common = buffer[: high - low]
        for prefix in range(prefixes.shape[0]):
            if starts[prefix] == starts[prefix + 1]:
                continue
            common[:] = bits[prefixes[prefix, 0], low:high]
            for term in range(1, prefixes.shape[1]):
                other = bits[prefixes[prefix, term], low:high]
                for w in range(common.size):
                    common[w] &= other[w]
            for place in range(starts[prefix], starts[prefix + 1]):
                counts[place, group] += count_common(common, bits[items[place], low:high])


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
    terms: NDArray[np.int32], last: int, keys: NDArray[np.int64], sizes: NDArray[np.int64], n_items: int
) -> int:
    """Give the size of the smallest part among those without one of the first terms; -1 if a part is gone."""
    least = np.iinfo(np.int64).max
    for left_out in range(terms.size - 1):
        key = 0
        for term in range(terms.size):
            if term != left_out:
                key = key * n_items + terms[term]
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
    n_found = 0
    for a in range(n_sets):
        starts[a] = n_found
        for b in range(a + 1, n_sets):
            if not np.array_equal(sets[a, : length - 1], sets[b, : length - 1]):
                break
            last = sets[b, length - 1]
            if attributes[last] == attributes[sets[a, length - 1]]:
                continue
            smallest = _least_part(sets[a], last, keys, sizes, n_items)
            if smallest < 0:
                continue
            if n_found == room:
                room *= 2
                items = np.append(items, np.empty(room - n_found, dtype=np.int32))
                least = np.append(least, np.empty(room - n_found, dtype=np.int64))
            items[n_found], least[n_found] = last, min(smallest, sizes[a], sizes[b])
            n_found += 1
    starts[n_sets] = n_found
    return starts, items[:n_found].copy(), least[:n_found].copy()


@numba.njit(cache=True)
def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


@numba.njit(cache=True)
def _log_tail(seen: int, drawn: int, marked: int, total: int, step: int) -> float:
    """Log of the probability of `seen` marked cases or further in the direction of `step`.

    The terms fall ever faster away from the middle, so their ratio to the first is summed until it is lost.
    """
    first = _log_choose(marked, seen) + _log_choose(total - marked, drawn - seen) - _log_choose(total, drawn)
    low, high = max(0, drawn + marked - total), min(drawn, marked)
    ratio, tail, x = 1.0, 1.0, seen
    while low <= x + step <= high and ratio > 1e-17 * tail:
        up = x if step > 0 else x - 1
        odds = (marked - up) * (drawn - up) / ((up + 1.0) * (total - marked - drawn + up + 1.0))
        ratio *= odds if step > 0 else 1.0 / odds
        tail += ratio
        x += step
    return min(0.0, first + log(tail))


@numba.njit(cache=True)
def exact_p_values(counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Test each group against the rest: twice the smaller tail, times the number of groups beyond two."""
    n_sets, n_groups = counts.shape
    total = sizes.sum()
    p_values = np.ones(n_sets)
    for place in range(n_sets):
        drawn = counts[place].sum()
        # of two groups one says all: the other's table is the same
        for group in range(n_groups if n_groups > 2 else 1):
            seen, marked = counts[place, group], sizes[group]
            step = 1 if seen * total >= drawn * marked else -1
            p_value = 2.0 * exp(_log_tail(seen, drawn, marked, total, step))
            p_values[place] = min(p_values[place], p_value if n_groups == 2 else p_value * n_groups)
    return p_values


TOLERANCE = 1e-10
MOST_ROUNDS = 10_000


@numba.njit(cache=True)
def fit_margins(table: NDArray[np.float64], margins: NDArray[np.int64]) -> NDArray[np.float64]:
    """Fit the log-linear model with the given margins to a 2^k table by iterative proportional fitting.

    Bit i of a cell's index says whether term i holds; a margin is the set of its terms, as bits.
    """
    n_cells = table.size
    total = table.sum()
    fitted = np.full(n_cells, total / n_cells)
    wanted, present = np.empty(n_cells), np.empty(n_cells)
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for margin in margins:
            wanted[:] = 0.0
            present[:] = 0.0
            for cell in range(n_cells):
                wanted[cell & margin] += table[cell]
                present[cell & margin] += fitted[cell]
            for cell in range(n_cells):
                have, want = present[cell & margin], wanted[cell & margin]
                worst = max(worst, abs(have - want))
                fitted[cell] *= want / have if have > 0.0 else 0.0
        if worst <= TOLERANCE * max(total, 1.0):
            break
    return fitted


@numba.njit(cache=True)
def _cells(inside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn counts of "at least these terms hold" into counts of "these terms hold and no others"."""
    cells = inside.copy()
    bit = 1
    while bit < cells.size:
        for cell in range(cells.size):
            if not cell & bit:
                cells[cell] -= cells[cell | bit]
        bit *= 2
    return cells


@numba.njit(cache=True)
def _largest_shown(shown: NDArray[np.bool_], n_terms: int) -> NDArray[np.int64]:
    """List the shown parts that lie in no other shown part; single terms always count as shown."""
    kept = np.empty(shown.size, dtype=np.int64)
    n_kept = 0
    for part in range(1, shown.size - 1):
        single = part & (part - 1) == 0
        if not (shown[part] or single):
            continue
        covered = False
        for other in range(1, shown.size - 1):
            if other != part and shown[other] and other & part == part:
                covered = True
        if not covered:
            kept[n_kept] = part
            n_kept += 1
    return kept[:n_kept]


@numba.njit(cache=True)
def surprises(
    sets: NDArray[np.int32],
    sizes: NDArray[np.int64],
    keys: NDArray[np.int64],
    level_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    shown: NDArray[np.bool_],
    n_items: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compare each conjunction of one level with the model of its shown parts.

    `keys`, `counts` and `shown` hold all counted conjunctions, level after level, sorted within a level.
    Gives the largest difference of support from the model over the groups, and the chi-square statistic.
    """
    n_sets, n_terms = sets.shape
    full = 1 << n_terms
    gap, statistic = np.zeros(n_sets), np.zeros(n_sets)
    places = np.empty(full, dtype=np.int64)
    seen = np.zeros(full, dtype=np.bool_)
    inside = np.empty(full)
    for place in range(n_sets):
        for part in range(1, full):
            key, length = 0, 0
            for term in range(n_terms):
                if part >> term & 1:
                    key = key * n_items + sets[place, term]
                    length += 1
            low, high = level_starts[length - 1], level_starts[length]
            places[part] = low + find_key(keys[low:high], key)
            seen[part] = shown[places[part]]
        margins = _largest_shown(seen, n_terms)
        for group in range(sizes.size):
            inside[0] = sizes[group]
            for part in range(1, full):
                inside[part] = counts[places[part], group]
            expected = fit_margins(_cells(inside), margins)[full - 1]
            off = inside[full - 1] - expected
            gap[place] = max(gap[place], abs(off) / sizes[group])
            if abs(off) > TOLERANCE * sizes[group]:
                statistic[place] += off * off / expected if expected > 0.0 else np.inf
                statistic[place] += off * off / (sizes[group] - expected)
    return gap, statistic


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
    values = np.zeros(counts.shape[0])
    for place in range(counts.shape[0]):
        if is_large(counts[place], sizes, difference):
            values[place] = likelihood_ratio(counts[place], sizes, x_log_x)
    return values


@numba.njit(cache=True, nogil=True)
def fill_common(bits: Bits, terms: NDArray[np.int32], common: Bits) -> None:
    """Write the cases of a conjunction into `common`; a term of -1 is none."""
    common[:] = bits[terms[0]]
    for term in range(1, terms.size):
        if terms[term] >= 0:
            other = bits[terms[term]]
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


@numba.njit(cache=True, nogil=True)
def list_members(common: Bits, members: NDArray[np.int64]) -> int:
    """Write the members of a set into `members` and give their number."""
    n_found = 0
    for w in range(common.size):
        word = common[w]
        while word:
            lowest = word & (~word + _ONE)
            members[n_found] = 64 * w + count_word(lowest - _ONE)
            n_found += 1
            word ^= lowest
    return n_found


@numba.njit(cache=True, nogil=True)
def sums(
    bits: Bits, sets: NDArray[np.int32], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the numbers, and their squares, over the cases of each conjunction."""
    first, second = np.zeros(sets.shape[0]), np.zeros(sets.shape[0])
    common = np.empty(bits.shape[1], dtype=np.uint64)
    members = np.empty(values.size, dtype=np.int64)
    for place in range(sets.shape[0]):
        fill_common(bits, sets[place], common)
        for i in range(list_members(common, members)):
            value = values[members[i]]
            first[place] += value
            second[place] += value * value
    return first, second


@numba.njit(cache=True, nogil=True)
def standard(effect: float, n: int, total: int, sd: float) -> float:
    """Divide a sum of deviations by its standard deviation under random dealing."""
    return abs(effect) / (sd * sqrt(n * (total - n) / (total - 1.0)))


@numba.njit(cache=True, nogil=True)
def score_exceedances(
    bits: Bits,
    sets: NDArray[np.int32],
    observed: NDArray[np.float64],
    dealt: NDArray[np.float64],
    sd: float,
    least_effect: float,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Count the permutations that reach each statistic, as for labels; `dealt` has a column for each.

    The deviations in `dealt` have mean 0; effects below `least_effect` count as nothing.
    """
    total, n_draws = dealt.shape
    most, plain_most = np.zeros(n_draws), np.zeros(n_draws)
    reached = np.zeros(sets.shape[0], dtype=np.int64)
    common = np.empty(bits.shape[1], dtype=np.uint64)
    members = np.empty(total, dtype=np.int64)
    effects = np.empty(n_draws)
    for place in range(sets.shape[0]):
        fill_common(bits, sets[place], common)
        n = list_members(common, members)
        effects[:] = 0.0
        for i in range(n):
            effects += dealt[members[i]]
        for draw in range(n_draws):
            value = standard(effects[draw], n, total, sd)
            plain_most[draw] = max(plain_most[draw], value)
            if value > most[draw] and abs(effects[draw]) >= least_effect:
                most[draw] = value
            reached[place] += most[draw] >= observed[place]
    return reached, plain_most
