"""Compiled loops of slices.

Counting, extending, testing, permuting and explaining conjunctions of bitsets.
"""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import exp, inf, lgamma, log, sqrt

    def lowest_member(word: int) -> int:
        """Give the place of the lowest one of a word."""
        return (int(word) & -int(word)).bit_length() - 1


Bits = NDArray[np.uint64]

_ONE = np.uint64(1)


def interval_codes(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """Number the intervals (.., c1], (c1, c2], …, (cm, ..) from 0; missing is -1."""
    codes = np.empty(values.shape[0], dtype=np.int32)
    _fill_codes(values, cuts, codes)
    return codes


def _fill_codes(
    values: NDArray[np.float64], cuts: NDArray[np.float64], codes: NDArray[np.int32]
) -> None:
    with cython.nogil:
        for row in range(values.shape[0]):
            value = values[row]
            code = 0
            for cut in range(cuts.shape[0]):
                code += value > cuts[cut]
            codes[row] = code if value == value else -1


def totals(codes: NDArray[np.int32], n_terms: int, missing_item: int) -> NDArray[np.int64]:
    """Count the cases of each code; missing goes to `missing_item`, or nowhere if that is -1."""
    counted = np.zeros(n_terms + 1, dtype=np.int64)
    _count_codes(codes, missing_item if missing_item >= 0 else n_terms, counted)
    return counted[:n_terms]


def _count_codes(codes: NDArray[np.int32], missing_item: int, counted: NDArray[np.int64]) -> None:
    with cython.nogil:
        for row in range(codes.shape[0]):
            code = codes[row]
            counted[code if code >= 0 else missing_item] += 1


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

    The cases of a group share no word with another group. The last of `rows` is that of missing values, if
    `missing_item` is -1.
    """
    missing = missing_item if missing_item >= 0 else rows.shape[0] - 1
    with cython.nogil:
        place = 0
        for group in range(sizes.shape[0]):
            first = first_words[group]
            for i in range(sizes[group]):
                code = codes[order[place]]
                place += 1
                row = rows[code if code >= 0 else missing]
                if row >= 0:
                    bits[row, first + (i >> 6)] |= _ONE << (i & 63)


def _count_row(bits: Bits, row: int, low: int, high: int) -> int:
    """Count the members of a set within some of its words."""
    total = 0
    if high > low:
        if cython.compiled:
            total = count_words(cython.address(bits[row, low]), high - low)
        else:
            total = int(np.bitwise_count(bits[row, low:high]).sum())
    return total


def _count_common(common: Bits, bits: Bits, row: int, low: int, width: int) -> int:
    """Count the members of `common` that are also in so many words of a set."""
    total = 0
    if width > 0:
        if cython.compiled:
            total = count_common_words(cython.address(common[0]), cython.address(bits[row, low]), width)
        else:
            total = int(np.bitwise_count(common[:width] & bits[row, low : low + width]).sum())
    return total


def _fill_common(bits: Bits, sets: NDArray[np.int32], place: int, low: int, width: int, common: Bits) -> None:
    """Write so many words of a conjunction into `common`; a term of -1 is none."""
    row = sets[place, 0]
    for w in range(width):
        common[w] = bits[row, low + w]
    for term in range(1, sets.shape[1]):
        row = sets[place, term]
        if row >= 0:
            for w in range(width):
                common[w] &= bits[row, low + w]


def count_terms(bits: Bits, first_words: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Count the cases of every single term in every group."""
    with cython.nogil:
        for item in range(bits.shape[0]):
            for group in range(counts.shape[1]):
                counts[item, group] = _count_row(bits, item, first_words[group], first_words[group + 1])


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
    common = np.empty(bits.shape[1], dtype=np.uint64)
    with cython.nogil:
        for block in range(blocks.shape[0]):
            group, low = blocks[block, 0], blocks[block, 1]
            width = blocks[block, 2] - low
            for prefix in range(prefixes.shape[0]):
                if starts[prefix] == starts[prefix + 1]:
                    continue
                _fill_common(bits, prefixes, prefix, low, width, common)
                for place in range(starts[prefix], starts[prefix + 1]):
                    counts[place, group] += _count_common(common, bits, items[place], low, width)


def keys_of(sets: NDArray[np.int32], n_items: int) -> NDArray[np.int64]:
    """Write each conjunction as one number; in lexical order the numbers ascend."""
    keys = np.zeros(sets.shape[0], dtype=np.int64)
    for term in range(sets.shape[1]):
        keys = keys * n_items + sets[:, term]
    return keys


def _find_key(keys: NDArray[np.int64], low: int, high: int, key: int) -> int:
    """Give the place of a key among the sorted ones from `low` to `high`; -1 if it is not there."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


def _least_part(
    sets: NDArray[np.int32],
    place: int,
    last: int,
    keys: NDArray[np.int64],
    sizes: NDArray[np.int64],
    n_items: int,
) -> int:
    """Give the size of the smallest part of a set and a last term that holds this term; -1 if one is gone."""
    least = sizes[place]
    for left_out in range(sets.shape[1] - 1):
        key = 0
        for term in range(sets.shape[1]):
            if term != left_out:
                key = key * n_items + sets[place, term]
        part = _find_key(keys, 0, keys.shape[0], key * n_items + last)
        if part < 0:
            return -1
        least = min(least, sizes[part])
    return least


def extend(
    sets: NDArray[np.int32], sizes: NDArray[np.int64], attributes: NDArray[np.int32], n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Join conjunctions that differ in their last term only, if no other part has been pruned.

    Returns where the candidates of each conjunction start, their last terms, and the size of the smallest
    part of each.
    """
    keys = keys_of(sets, n_items)
    n_sets = sets.shape[0]
    starts = np.zeros(n_sets + 1, dtype=np.int64)
    items, least = np.empty(4 * n_sets, dtype=np.int32), np.empty(4 * n_sets, dtype=np.int64)
    place = 0
    while place < n_sets:
        place = _join(sets, sizes, attributes, keys, n_items, place, starts, items, least)
        if place < n_sets:
            items = np.append(items, np.empty_like(items))
            least = np.append(least, np.empty_like(least))
    n_found = starts[n_sets]
    return starts, items[:n_found].copy(), least[:n_found].copy()


def _join(
    sets: NDArray[np.int32],
    sizes: NDArray[np.int64],
    attributes: NDArray[np.int32],
    keys: NDArray[np.int64],
    n_items: int,
    place: int,
    starts: NDArray[np.int64],
    items: NDArray[np.int32],
    least: NDArray[np.int64],
) -> int:
    """Join the conjunctions from a place on; give the first whose candidates may not fit into `items`."""
    n_sets, last = sets.shape[0], sets.shape[1] - 1
    with cython.nogil:
        n_found = starts[place]
        while place < n_sets and n_found + n_sets - place <= items.shape[0]:
            end = (keys[place] // n_items + 1) * n_items
            for other in range(place + 1, n_sets):
                if keys[other] >= end:
                    break
                item = sets[other, last]
                if attributes[item] == attributes[sets[place, last]]:
                    continue
                smallest = _least_part(sets, place, item, keys, sizes, n_items)
                if smallest >= 0:
                    items[n_found], least[n_found] = item, min(smallest, sizes[other])
                    n_found += 1
            place += 1
            starts[place] = n_found
    return place


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0)


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


def exact_p_values(counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Test each group against the rest: twice the smaller tail, times the number of groups beyond two."""
    p_values = np.ones(counts.shape[0])
    _fill_exact(counts, sizes, int(sizes.sum()), p_values)
    return p_values


def _fill_exact(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], total: int, p_values: NDArray[np.float64]
) -> None:
    n_groups = sizes.shape[0]
    with cython.nogil:
        for place in range(counts.shape[0]):
            drawn = 0
            for group in range(n_groups):
                drawn += counts[place, group]
            # of two groups one says all: the other's table is the same
            for group in range(n_groups if n_groups > 2 else 1):
                seen, marked = counts[place, group], sizes[group]
                step = 1 if seen * total >= drawn * marked else -1
                p_value = 2.0 * exp(_log_tail(seen, drawn, marked, total, step))
                p_values[place] = min(p_values[place], p_value if n_groups == 2 else p_value * n_groups)


_TOLERANCE = 1e-10
_MOST_ROUNDS = 10_000


class Cells:
    """Work space for tables with a cell for each set of terms; bit i of its number says whether term i is in it.

    places: Where the counts of each part of the conjunction are.
    shown: Whether each part is shown.
    margins: The margins of a model, each the set of its terms, as bits.
    inside: How many cases have at least the terms of each cell.
    table: How many have these terms and no others.
    fitted, wanted, present: What a model expects in each cell, and the margins of both.
    """

    def __init__(self, n_cells: int) -> None:
        self.n_cells = n_cells
        self.places, self.margins = np.zeros((2, n_cells), dtype=np.int64)
        self.shown = np.zeros(n_cells, dtype=np.bool_)
        self.inside, self.table, self.fitted, self.wanted, self.present = np.zeros((5, n_cells))


def fit_margins(table: NDArray[np.float64], margins: NDArray[np.int64]) -> NDArray[np.float64]:
    """Fit the log-linear model with the given margins to a 2^k table by iterative proportional fitting.

    Bit i of a cell's index says whether term i holds; a margin is the set of its terms, as bits.
    """
    cells = Cells(table.shape[0])
    cells.table[:] = table
    cells.margins[: margins.shape[0]] = margins
    _fit(cells, margins.shape[0])
    return np.asarray(cells.fitted)


def _fit(cells: Cells, n_margins: int) -> None:
    total = 0.0
    for cell in range(cells.n_cells):
        total += cells.table[cell]
    for cell in range(cells.n_cells):
        cells.fitted[cell] = total / cells.n_cells
    for _ in range(_MOST_ROUNDS):
        worst = 0.0
        for place in range(n_margins):
            worst = max(worst, _fit_margin(cells, cells.margins[place]))
        if worst <= _TOLERANCE * max(total, 1.0):
            break


def _fit_margin(cells: Cells, margin: int) -> float:
    """Give the cells a margin of the table; tell by how much it was off."""
    for cell in range(cells.n_cells):
        cells.wanted[cell] = 0.0
        cells.present[cell] = 0.0
    for cell in range(cells.n_cells):
        cells.wanted[cell & margin] += cells.table[cell]
        cells.present[cell & margin] += cells.fitted[cell]
    worst = 0.0
    for cell in range(cells.n_cells):
        have, want = cells.present[cell & margin], cells.wanted[cell & margin]
        worst = max(worst, abs(have - want))
        cells.fitted[cell] *= want / have if have > 0.0 else 0.0
    return worst


def _fill_table(cells: Cells) -> None:
    """Turn counts of "at least these terms hold" into counts of "these terms hold and no others"."""
    for cell in range(cells.n_cells):
        cells.table[cell] = cells.inside[cell]
    bit = 1
    while bit < cells.n_cells:
        for cell in range(cells.n_cells):
            if not cell & bit:
                cells.table[cell] -= cells.table[cell | bit]
        bit *= 2


def _find_margins(cells: Cells) -> int:
    """List the shown parts that lie in no other shown part; single terms always count as shown."""
    n_kept = 0
    for part in range(1, cells.n_cells - 1):
        single = part & (part - 1) == 0
        if not (cells.shown[part] or single):
            continue
        covered = False
        for other in range(1, cells.n_cells - 1):
            if other != part and cells.shown[other] and other & part == part:
                covered = True
        if not covered:
            cells.margins[n_kept] = part
            n_kept += 1
    return n_kept


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
    gap, statistic = np.zeros(sets.shape[0]), np.zeros(sets.shape[0])
    cells = Cells(1 << sets.shape[1])
    _fill_surprises(sets, sizes, keys, level_starts, counts, shown, n_items, cells, gap, statistic)
    return gap, statistic


def _fill_surprises(
    sets: NDArray[np.int32],
    sizes: NDArray[np.int64],
    keys: NDArray[np.int64],
    level_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    shown: NDArray[np.bool_],
    n_items: int,
    cells: Cells,
    gap: NDArray[np.float64],
    statistic: NDArray[np.float64],
) -> None:
    full = cells.n_cells - 1
    with cython.nogil:
        for place in range(sets.shape[0]):
            for part in range(1, cells.n_cells):
                cells.places[part] = _find_part(sets, place, part, keys, level_starts, n_items)
                cells.shown[part] = shown[cells.places[part]]
            n_margins = _find_margins(cells)
            for group in range(sizes.shape[0]):
                cells.inside[0] = sizes[group]
                for part in range(1, cells.n_cells):
                    cells.inside[part] = counts[cells.places[part], group]
                _fill_table(cells)
                _fit(cells, n_margins)
                expected = cells.fitted[full]
                off = cells.inside[full] - expected
                gap[place] = max(gap[place], abs(off) / sizes[group])
                if abs(off) > _TOLERANCE * sizes[group]:
                    statistic[place] += off * off / expected if expected > 0.0 else inf
                    statistic[place] += off * off / (sizes[group] - expected)


def _find_part(
    sets: NDArray[np.int32],
    place: int,
    part: int,
    keys: NDArray[np.int64],
    level_starts: NDArray[np.int64],
    n_items: int,
) -> int:
    """Give the place of a part of a conjunction among all that were counted."""
    key, length = 0, 0
    for term in range(sets.shape[1]):
        if part >> term & 1:
            key = key * n_items + sets[place, term]
            length += 1
    return _find_key(keys, level_starts[length - 1], level_starts[length], key)


def _times_log(number: int, x_log_x: NDArray[np.float64]) -> float:
    """Give x log x, from the table as far as it goes."""
    return x_log_x[number] if number < x_log_x.shape[0] else number * log(number)


def _likelihood_ratio(
    counts: NDArray[np.int64], sizes: NDArray[np.int64], x_log_x: NDArray[np.float64]
) -> float:
    """Give the likelihood-ratio statistic of a conjunction's 2 x G table."""
    inside, total, value = 0, 0, 0.0
    for group in range(sizes.shape[0]):
        seen, size = counts[group], sizes[group]
        inside += seen
        total += size
        value += _times_log(seen, x_log_x) + _times_log(size - seen, x_log_x) - _times_log(size, x_log_x)
    outside = total - inside
    value += _times_log(total, x_log_x) - _times_log(inside, x_log_x) - _times_log(outside, x_log_x)
    return max(0.0, 2.0 * value)


def _is_large(counts: NDArray[np.int64], sizes: NDArray[np.int64], difference: float) -> bool:
    """Say whether the supports of two groups differ enough to be reported."""
    least, most = inf, -inf
    for group in range(sizes.shape[0]):
        support = float(counts[group]) / sizes[group]
        least, most = min(least, support), max(most, support)
    return most - least >= difference


def statistics(
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    x_log_x: NDArray[np.float64],
    difference: float,
) -> NDArray[np.float64]:
    """Give the statistic of each conjunction, 0 for those too small to be reported."""
    values = np.zeros(counts.shape[0])
    _fill_statistics(counts, sizes, x_log_x, difference, np.empty_like(sizes), values)
    return values


def _fill_statistics(
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    x_log_x: NDArray[np.float64],
    difference: float,
    row: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    with cython.nogil:
        for place in range(counts.shape[0]):
            for group in range(sizes.shape[0]):
                row[group] = counts[place, group]
            if _is_large(row, sizes, difference):
                values[place] = _likelihood_ratio(row, sizes, x_log_x)


def count_labels(
    bits: Bits, sets: NDArray[np.int32], labels: NDArray[np.uint64], counts: NDArray[np.int64]
) -> None:
    """Count each conjunction under each draw of the labels, in every group but the last."""
    n_sets, n_draws, n_labels = counts.shape
    n_rows, n_words = n_draws * n_labels, labels.shape[2]
    common = np.empty(n_words, dtype=np.uint64)
    _count_rows(bits, sets, labels.reshape(n_rows, n_words), common, counts.reshape(n_sets, n_rows))


def _count_rows(
    bits: Bits, sets: NDArray[np.int32], labels: Bits, common: Bits, counts: NDArray[np.int64]
) -> None:
    with cython.nogil:
        for place in range(sets.shape[0]):
            _fill_common(bits, sets, place, 0, common.shape[0], common)
            for row in range(labels.shape[0]):
                counts[place, row] = _count_common(common, labels, row, 0, common.shape[0])


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
    n_sets, n_draws, _ = permuted.shape
    most, plain_most = np.zeros(n_draws), np.zeros(n_draws)
    reached = np.zeros(n_sets, dtype=np.int64)
    counts = np.empty_like(sizes)
    _exceed(permuted, inside, observed, sizes, x_log_x, difference, counts, most, plain_most, reached)
    return reached, plain_most


def _exceed(
    permuted: NDArray[np.int64],
    inside: NDArray[np.int64],
    observed: NDArray[np.float64],
    sizes: NDArray[np.int64],
    x_log_x: NDArray[np.float64],
    difference: float,
    counts: NDArray[np.int64],
    most: NDArray[np.float64],
    plain_most: NDArray[np.float64],
    reached: NDArray[np.int64],
) -> None:
    n_labels = permuted.shape[2]
    with cython.nogil:
        for place in range(permuted.shape[0]):
            for draw in range(permuted.shape[1]):
                counts[n_labels] = inside[place]
                for label in range(n_labels):
                    counts[label] = permuted[place, draw, label]
                    counts[n_labels] -= counts[label]
                value = _likelihood_ratio(counts, sizes, x_log_x)
                plain_most[draw] = max(plain_most[draw], value)
                if value > most[draw] and _is_large(counts, sizes, difference):
                    most[draw] = value
                reached[place] += most[draw] >= observed[place]


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
    with cython.nogil:
        place = 0
        for label in range(bits.shape[0]):
            for _ in range(split[label]):
                case = first_case + order[place]
                place += 1
                for span in range(spans.shape[0]):
                    if spans[span, 0] <= case < spans[span, 1]:
                        bit = spans[span, 2] + case - spans[span, 0]
                        bits[label, bit >> 6] |= _ONE << (bit & 63)


def _list_members(common: Bits, members: NDArray[np.int64]) -> int:
    """Write the members of a set into `members` and give their number."""
    n_found = 0
    for w in range(common.shape[0]):
        word = common[w]
        while word:
            members[n_found] = 64 * w + lowest_member(word)
            n_found += 1
            word &= word - _ONE
    return n_found


def sums(
    bits: Bits, sets: NDArray[np.int32], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the numbers, and their squares, over the cases of each conjunction."""
    first, second = np.zeros(sets.shape[0]), np.zeros(sets.shape[0])
    common = np.empty(bits.shape[1], dtype=np.uint64)
    _fill_sums(bits, sets, values, common, np.empty(values.shape[0], dtype=np.int64), first, second)
    return first, second


def _fill_sums(
    bits: Bits,
    sets: NDArray[np.int32],
    values: NDArray[np.float64],
    common: Bits,
    members: NDArray[np.int64],
    first: NDArray[np.float64],
    second: NDArray[np.float64],
) -> None:
    with cython.nogil:
        for place in range(sets.shape[0]):
            _fill_common(bits, sets, place, 0, common.shape[0], common)
            total, squares = 0.0, 0.0
            for i in range(_list_members(common, members)):
                value = values[members[i]]
                total += value
                squares += value * value
            first[place], second[place] = total, squares


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
    total, n_draws = dealt.shape[0], dealt.shape[1]
    most, plain_most, effects = np.zeros((3, n_draws))
    reached = np.zeros(sets.shape[0], dtype=np.int64)
    common = np.empty(bits.shape[1], dtype=np.uint64)
    members = np.empty(total, dtype=np.int64)
    with cython.nogil:
        for place in range(sets.shape[0]):
            _fill_common(bits, sets, place, 0, bits.shape[1], common)
            n = _list_members(common, members)
            _add_up(dealt, members, n, effects)
            # the standard deviation of a sum of deviations under random dealing
            spread = sd * sqrt(n * (total - n) / (total - 1.0))
            for draw in range(n_draws):
                value = abs(effects[draw]) / spread
                plain_most[draw] = max(plain_most[draw], value)
                if value > most[draw] and abs(effects[draw]) >= least_effect:
                    most[draw] = value
                reached[place] += most[draw] >= observed[place]
    return np.asarray(reached), np.asarray(plain_most)


def _add_up(
    dealt: NDArray[np.float64], members: NDArray[np.int64], n_members: int, effects: NDArray[np.float64]
) -> None:
    """Sum the numbers that each draw deals to some cases."""
    for draw in range(effects.shape[0]):
        effects[draw] = 0.0
    for i in range(n_members):
        if cython.compiled:
            add_into(cython.address(effects[0]), cython.address(dealt[members[i], 0]), effects.shape[0])
        else:
            effects += dealt[members[i]]
