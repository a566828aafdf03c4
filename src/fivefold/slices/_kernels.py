"""Compiled loops of slices.

Counting, extending, testing, permuting and explaining conjunctions of bitsets.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import exp, inf, lgamma, log

    from fivefold.data.bitsets import (
        add_members,
        add_rows,
        count_common_row,
        count_row,
        lowest_member,
        read_numbers,
        turn,
    )

    def bits_of(rng: Any) -> Any:
        """Give what the generator draws from."""
        return rng

    def draw_hypergeometric(bits: Any, good: int, bad: int, sample: int) -> int:
        """Draw how many of a sample are good."""
        return int(bits.hypergeometric(good, bad, sample))


Bits = NDArray[np.uint64]
Codes = NDArray[np.int32]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]

_ONE, _ALL = np.uint64(1), ~np.uint64(0)
_WORD = 0xFFFFFFFF
# the labels of so many words of cases stay in the cache; at most as many as in bitsets.h
BLOCK_WORDS = 256
# sets of labels in one table, as in bitsets.h
COLUMNS = 512


def _wide(number: int) -> int:
    return number


def interval_codes(values: Numbers, cuts: Numbers) -> Codes:
    """Number the intervals (.., c1], (c1, c2], …, (cm, ..) from 0; missing is -1."""
    codes = np.empty(values.shape[0], dtype=np.int32)
    with cython.nogil:
        for row in range(values.shape[0]):
            value = values[row]
            code = 0
            for cut in range(cuts.shape[0]):
                code += value > cuts[cut]
            codes[row] = code if value == value else -1
    return np.asarray(codes)


def pack(codes: Codes, groups: Codes, next_bits: Counts, missing_item: int, rows: Codes, bits: Bits) -> None:
    """Set one bit for each case in the set of its code, whose row of `bits` is in `rows` (-1: none).

    A case takes the next bit of its group, and moves `next_bits` on. The last of `rows` is that of missing values,
    if `missing_item` is -1.
    """
    missing = missing_item if missing_item >= 0 else rows.shape[0] - 1
    with cython.nogil:
        for place in range(codes.shape[0]):
            bit = next_bits[groups[place]]
            next_bits[groups[place]] = bit + 1
            row = rows[codes[place] if codes[place] >= 0 else missing]
            if row >= 0:
                bits[row, bit >> 6] |= _ONE << (bit & 63)


def _fill_common(bits: Bits, sets: Codes, place: int, low: int, width: int, common: Bits) -> None:
    """Write so many words of a conjunction into `common`; a term of -1 is none."""
    row = other = sets[place, 0]
    if sets.shape[1] > 1 and sets[place, 1] >= 0:
        other = sets[place, 1]
    for w in range(width if row >= 0 else 0):
        common[w] = bits[row, low + w] & bits[other, low + w]
    for w in range(width if row < 0 else 0):
        common[w] = _ALL
    for term in range(2, sets.shape[1]):
        row = sets[place, term]
        if row >= 0:
            for w in range(width):
                common[w] &= bits[row, low + w]


def count_extensions(
    bits: Bits, prefixes: Codes, starts: Counts, items: Codes, blocks: Counts, counts: Counts
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
                    counts[place, group] += count_common_row(common, bits, items[place], low, width)


def keys_of(sets: Codes, n_items: int) -> Counts:
    """Write each conjunction as one number; in lexical order the numbers ascend."""
    keys = np.zeros(sets.shape[0], dtype=np.int64)
    for term in range(sets.shape[1]):
        keys = keys * n_items + sets[:, term]
    return keys


def _find_key(keys: Counts, low: int, high: int, key: int) -> int:
    """Give the place of a key among the sorted ones from `low` to `high`; -1 if it is not there."""
    end = high
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


def _least_part(sets: Codes, place: int, last: int, keys: Counts, sizes: Counts, n_items: int) -> int:
    """Give the size of the smallest part of a set and a last term that holds this term; -1 if one is gone."""
    least: int = sizes[place]
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
    sets: Codes, sizes: Counts, attributes: Codes, n_items: int, most: int
) -> tuple[Counts, Codes, Counts]:
    """Join conjunctions that differ in their last term only, if no other part has been pruned.

    Returns where the candidates of each conjunction start, their last terms, and the size of the smallest
    part of each; where there are more than `most` candidates, only some of them, but more than `most`.
    """
    keys = keys_of(sets, n_items)
    n_sets = sets.shape[0]
    starts = np.zeros(n_sets + 1, dtype=np.int64)
    items, least = np.empty(4 * n_sets, dtype=np.int32), np.empty(4 * n_sets, dtype=np.int64)
    place = 0
    while place < n_sets and starts[place] <= most:
        place = _join(sets, sizes, attributes, keys, n_items, place, starts, items, least)
        if place < n_sets:
            items = np.append(items, np.empty_like(items))
            least = np.append(least, np.empty_like(least))
    n_found = starts[place]
    return starts, items[:n_found].copy(), least[:n_found].copy()


def _join(
    sets: Codes,
    sizes: Counts,
    attributes: Codes,
    keys: Counts,
    n_items: int,
    place: int,
    starts: Counts,
    items: Codes,
    least: Counts,
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


def exact_p_values(counts: Counts, sizes: Counts) -> Numbers:
    """Test each group against the rest: twice the smaller tail, times the number of groups beyond two."""
    p_values = np.ones(counts.shape[0])
    n_groups, total = sizes.shape[0], int(np.sum(sizes))
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
    return np.asarray(p_values)


_TOLERANCE = 1e-10
_MOST_ROUNDS = 10_000


class PartTables:
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


def fit_margins(table: Numbers, margins: Counts) -> Numbers:
    """Fit the log-linear model with the given margins to a 2^k table by iterative proportional fitting.

    Bit i of a cell's index says whether term i holds; a margin is the set of its terms, as bits.
    """
    tables = PartTables(table.shape[0])
    tables.table[:] = table
    tables.margins[: margins.shape[0]] = margins
    _fit(tables, margins.shape[0])
    return np.asarray(tables.fitted)


def _fit(tables: PartTables, n_margins: int) -> None:
    total = 0.0
    for cell in range(tables.n_cells):
        total += tables.table[cell]
    for cell in range(tables.n_cells):
        tables.fitted[cell] = total / tables.n_cells
    for _ in range(_MOST_ROUNDS):
        worst = 0.0
        for place in range(n_margins):
            worst = max(worst, _fit_margin(tables, tables.margins[place]))
        if worst <= _TOLERANCE * max(total, 1.0):
            break


def _fit_margin(tables: PartTables, margin: int) -> float:
    """Give the cells a margin of the table; tell by how much it was off."""
    for cell in range(tables.n_cells):
        tables.wanted[cell] = 0.0
        tables.present[cell] = 0.0
    for cell in range(tables.n_cells):
        tables.wanted[cell & margin] += tables.table[cell]
        tables.present[cell & margin] += tables.fitted[cell]
    worst = 0.0
    for cell in range(tables.n_cells):
        have, want = tables.present[cell & margin], tables.wanted[cell & margin]
        worst = max(worst, abs(have - want))
        tables.fitted[cell] *= want / have if have > 0.0 else 0.0
    return worst


def _fill_table(tables: PartTables) -> None:
    """Turn counts of "at least these terms hold" into counts of "these terms hold and no others"."""
    for cell in range(tables.n_cells):
        tables.table[cell] = tables.inside[cell]
    bit = 1
    while bit < tables.n_cells:
        for cell in range(tables.n_cells):
            if not cell & bit:
                tables.table[cell] -= tables.table[cell | bit]
        bit *= 2


def _find_margins(tables: PartTables) -> int:
    """List the shown parts that lie in no other shown part; single terms always count as shown."""
    n_kept = 0
    for part in range(1, tables.n_cells - 1):
        single = part & (part - 1) == 0
        if not (tables.shown[part] or single):
            continue
        covered = False
        for other in range(1, tables.n_cells - 1):
            if other != part and tables.shown[other] and other & part == part:
                covered = True
        if not covered:
            tables.margins[n_kept] = part
            n_kept += 1
    return n_kept


def surprises(
    sets: Codes, sizes: Counts, keys: Counts, level_starts: Counts, counts: Counts, shown: Flags, n_items: int
) -> tuple[Numbers, Numbers]:
    """Compare each conjunction of one level with the model of its shown parts.

    `keys`, `counts` and `shown` hold all counted conjunctions, level after level, sorted within a level.
    Gives the largest difference of support from the model over the groups, and the chi-square statistic.
    """
    gap, statistic = np.zeros((2, sets.shape[0]))
    tables = PartTables(1 << sets.shape[1])
    full = tables.n_cells - 1
    with cython.nogil:
        for place in range(sets.shape[0]):
            for part in range(1, tables.n_cells):
                tables.places[part] = _find_part(sets, place, part, keys, level_starts, n_items)
                tables.shown[part] = shown[tables.places[part]]
            n_margins = _find_margins(tables)
            for group in range(sizes.shape[0]):
                tables.inside[0] = sizes[group]
                for part in range(1, tables.n_cells):
                    tables.inside[part] = counts[tables.places[part], group]
                _fill_table(tables)
                _fit(tables, n_margins)
                expected = tables.fitted[full]
                off = tables.inside[full] - expected
                gap[place] = max(gap[place], abs(off) / sizes[group])
                if abs(off) > _TOLERANCE * sizes[group]:
                    statistic[place] += off * off / expected if expected > 0.0 else inf
                    statistic[place] += off * off / (sizes[group] - expected)
    return np.asarray(gap), np.asarray(statistic)


def _find_part(sets: Codes, place: int, part: int, keys: Counts, level_starts: Counts, n_items: int) -> int:
    """Give the place of a part of a conjunction among all that were counted."""
    key, length = 0, 0
    for term in range(sets.shape[1]):
        if part >> term & 1:
            key = key * n_items + sets[place, term]
            length += 1
    return _find_key(keys, level_starts[length - 1], level_starts[length], key)


class GroupSizes:
    """What the statistic of a conjunction needs beside its counts, and room for these.

    sizes: The number of cases in each group.
    x_log_x: A table of x log x, from 0 on.
    difference: The least difference of supports that is reported.
    """

    def __init__(self, sizes: Counts, x_log_x: Numbers, difference: float) -> None:
        self.sizes, self.x_log_x, self.difference = sizes, x_log_x, difference
        self.counts = np.empty_like(sizes)


def _times_log(groups: GroupSizes, number: int) -> float:
    """Give x log x, from the table as far as it goes."""
    return groups.x_log_x[number] if number < groups.x_log_x.shape[0] else number * log(number)


def _likelihood_ratio(groups: GroupSizes) -> float:
    """Give the likelihood-ratio statistic of a conjunction's 2 x G table."""
    inside, total, value = 0, 0, 0.0
    for group in range(groups.sizes.shape[0]):
        seen, size = groups.counts[group], groups.sizes[group]
        inside += seen
        total += size
        value += _times_log(groups, seen) + _times_log(groups, size - seen) - _times_log(groups, size)
    value += _times_log(groups, total) - _times_log(groups, inside) - _times_log(groups, total - inside)
    return max(0.0, 2.0 * value)


def _is_large(groups: GroupSizes) -> bool:
    """Say whether the supports of two groups differ enough to be reported."""
    least, most = inf, -inf
    for group in range(groups.sizes.shape[0]):
        support = float(groups.counts[group]) / groups.sizes[group]
        least, most = min(least, support), max(most, support)
    return most - least >= groups.difference


def statistics(
    counts: Counts, sizes: Counts, allowance: Numbers, x_log_x: Numbers, difference: float
) -> Numbers:
    """Give the statistic of each conjunction and its allowance, 0 for those too small to be reported."""
    values = np.zeros(counts.shape[0])
    groups = GroupSizes(sizes, x_log_x, difference)
    with cython.nogil:
        for place in range(counts.shape[0]):
            for group in range(counts.shape[1]):
                groups.counts[group] = counts[place, group]
            if _is_large(groups):
                values[place] = _likelihood_ratio(groups) + allowance[place]
    return np.asarray(values)


class CellTables:
    """Work space for the table of a conjunction, its cases and all others by group, added up over cells.

    counts, totals: The conjunction's cases and all cases of each cell in each group.
    observed, expected, whole: The conjunction's cases, those due to it and all cases in the cells that tell.
    variance: That of the observed, if each cell deals its cases at random.
    """

    def __init__(self, n_cells: int, n_groups: int) -> None:
        self.counts, self.totals = np.zeros((2, n_cells, n_groups))
        self.observed, self.expected, self.whole, self.variance = np.zeros((4, n_groups))


def compare_within(counts: Counts, totals: Counts, cell_of: Counts, n_cells: int) -> tuple[Numbers, Numbers]:
    """Compare conjunctions with the rest of their cells: the excess in each group, and the statistic of a test.

    `cell_of` says in which cell each of the counted ones lies; -1 leaves it out. The statistic is the likelihood
    ratio of the cells taken together, brought to the scale of Cochran, Mantel and Haenszel's test.
    """
    excess, statistic = np.zeros((counts.shape[0], counts.shape[2])), np.zeros(counts.shape[0])
    tables = CellTables(n_cells, counts.shape[2])
    with cython.nogil:
        _add_cells(totals, cell_of, tables.totals)
        for place in range(counts.shape[0]):
            _add_cells(counts[place], cell_of, tables.counts)
            _add_telling(tables)
            statistic[place] = _compare(tables)
            for group in range(excess.shape[1]):
                excess[place, group] = tables.observed[group] - tables.expected[group]
    return np.asarray(excess), np.asarray(statistic)


def _add_cells(counts: Counts, cell_of: Counts, table: Numbers) -> None:
    for cell in range(table.shape[0]):
        for group in range(table.shape[1]):
            table[cell, group] = 0.0
    for row in range(cell_of.shape[0]):
        if cell_of[row] >= 0:
            for group in range(table.shape[1]):
                table[cell_of[row], group] += counts[row, group]


def _add_telling(tables: CellTables) -> None:
    """Add up the cells with cases inside and outside of the conjunction."""
    for group in range(tables.observed.shape[0]):
        tables.observed[group] = tables.expected[group] = tables.whole[group] = tables.variance[group] = 0.0
    for cell in range(tables.totals.shape[0]):
        inside, size = 0.0, 0.0
        for group in range(tables.observed.shape[0]):
            inside += tables.counts[cell, group]
            size += tables.totals[cell, group]
        if 0.0 < inside < size:
            for group in range(tables.observed.shape[0]):
                share = tables.totals[cell, group] / size
                tables.observed[group] += tables.counts[cell, group]
                tables.expected[group] += inside * share
                tables.whole[group] += tables.totals[cell, group]
                tables.variance[group] += inside * (size - inside) / (size - 1.0) * share * (1.0 - share)


def _compare(tables: CellTables) -> float:
    inside, size, value, pooled, within = 0.0, 0.0, 0.0, 0.0, 0.0
    for group in range(tables.observed.shape[0]):
        inside += tables.expected[group]
        size += tables.whole[group]
    for group in range(tables.observed.shape[0]):
        if tables.variance[group] > 0.0:
            seen, due, whole = tables.observed[group], tables.expected[group], tables.whole[group]
            value += seen * log(seen / due) if seen > 0.0 else 0.0
            value += (whole - seen) * log((whole - seen) / (whole - due)) if seen < whole else 0.0
            corners = (
                1.0 / due + 1.0 / (inside - due) + 1.0 / (whole - due) + 1.0 / (size - inside - whole + due)
            )
            pooled += (seen - due) * (seen - due) * corners
            within += (seen - due) * (seen - due) / tables.variance[group]
    return 2.0 * value * within / pooled if pooled > 0.0 and value > 0.0 else 0.0


def count_labels(
    bits: Bits, sets: Codes, lacking: Codes, labels: Bits, first_word: int, planes: Any, sizes: Codes
) -> None:
    """Add to `planes` the cases of each conjunction in each set of labels, which begin at a word.

    Each case of a conjunction adds its labels in 512 sets at once, as bits of one table that stays in the cache.
    The term at the place `lacking`, unless that is -1, is taken for its opposite. All cases of each set of labels
    are added to `sizes`.
    """
    common, words = np.empty(BLOCK_WORDS, dtype=np.uint64), np.empty(64, dtype=np.uint64)
    table = np.zeros((64 * BLOCK_WORDS + 1, COLUMNS // 64), dtype=np.uint64)
    rows = np.empty(64 * BLOCK_WORDS + 16, dtype=np.int32)
    with cython.nogil:
        for chunk in range(planes.shape[0]):
            for block in range((labels.shape[1] + BLOCK_WORDS - 1) // BLOCK_WORDS):
                low = block * BLOCK_WORDS
                width = min(BLOCK_WORDS, labels.shape[1] - low)
                _turn_labels(labels, chunk * COLUMNS, low, width, words, table)
                for place in range(sets.shape[0]):
                    _fill_lacking(bits, sets, place, lacking[place], first_word + low, width, common)
                    add_members(common, width, table, rows, planes[chunk, place])
        for row in range(labels.shape[0]):
            sizes[row] += count_row(labels, row, 0, labels.shape[1])


def _fill_lacking(
    bits: Bits, sets: Codes, place: int, lacking: int, low: int, width: int, common: Bits
) -> None:
    """Write so many words of a conjunction into `common`, with the opposite of the term at one place."""
    if lacking < 0:
        _fill_common(bits, sets, place, low, width, common)
        return
    row = sets[place, lacking]
    for w in range(width):
        common[w] = ~bits[row, low + w]
    for term in range(sets.shape[1]):
        row = sets[place, term]
        if row >= 0 and term != lacking:
            for w in range(width):
                common[w] &= bits[row, low + w]


def _turn_labels(labels: Bits, first: int, low: int, width: int, words: Bits, table: Bits) -> None:
    """Write some words of up to 512 sets of labels as a table with a row for each case, and an empty one."""
    for w in range(width):
        for column in range(COLUMNS // 64):
            for k in range(64):
                # `read_numbers` reads the columns in this order
                row = first + 256 * (column >> 2) + 8 * (column & 3) + 32 * (k & 7) + (k >> 3)
                words[k] = labels[row, low + w] if row < labels.shape[0] else 0
            turn(words, table, 64 * w, column)
    for column in range(COLUMNS // 64):
        table[64 * width, column] = 0


def read_counts(planes: Any, sets: Codes, wholes: Codes, counts: Codes) -> None:
    """Write the counts of `count_labels`; those beside a whole are subtracted from its own, shorter sets first.

    The last row of counts is that of all cases.
    """
    numbers = np.empty(COLUMNS, dtype=np.int32)
    with cython.nogil:
        for length in range(1, sets.shape[1] + 1):
            for place in range(sets.shape[0]):
                if sets[place, length - 1] < 0 or (length < sets.shape[1] and sets[place, length] >= 0):
                    continue
                for chunk in range(planes.shape[0]):
                    read_numbers(planes[chunk, place], numbers)
                    first, whole = chunk * COLUMNS, wholes[place]
                    for column in range(min(COLUMNS, counts.shape[1] - first)):
                        seen = numbers[column]
                        counts[place, first + column] = (
                            counts[whole, first + column] - seen if whole >= 0 else seen
                        )


def count_cells(bits: Bits, sets: Codes, cells: Bits, first_words: Counts, counts: Counts) -> None:
    """Count each conjunction in each cell and each group."""
    common = np.empty(bits.shape[1], dtype=np.uint64)
    with cython.nogil:
        for place in range(sets.shape[0]):
            for group in range(counts.shape[2]):
                low = first_words[group]
                width = first_words[group + 1] - low
                _fill_common(bits, sets, place, low, width, common)
                for cell in range(cells.shape[0]):
                    counts[place, cell, group] = count_common_row(common, cells, cell, low, width)


def exceedances(
    permuted: Any,
    inside: Counts,
    observed: Numbers,
    allowance: Numbers,
    sizes: Counts,
    x_log_x: Numbers,
    difference: float,
) -> tuple[Counts, Numbers]:
    """Count, for conjunctions in ascending order of their statistic, the permutations that reach it.

    A permutation reaches the statistic of a conjunction if any conjunction up to it in this order does: the
    step-down maximum of Westfall and Young. Also gives the plain maximum of each permutation. The `allowance` is
    added to each statistic. Counts whose statistic stays below all maxima so far are passed over.
    """
    n_draws, n_labels = permuted.shape[1], permuted.shape[2]
    most, plain_most = np.zeros((2, n_draws))
    reached = np.zeros(permuted.shape[0], dtype=np.int64)
    groups, known = GroupSizes(sizes, x_log_x, difference), KnownValues(int(np.max(inside, initial=0)) + 1)
    least, plain_least, largest = 0.0, 0.0, 0.0
    with cython.nogil:
        for place in range(permuted.shape[0]):
            price = allowance[place]
            if n_labels > 1 or _may_pass(groups, permuted, inside, place, least - price, plain_least - price):
                for draw in range(n_draws):
                    seen = permuted[place, draw, 0]
                    if n_labels > 1 or known.places[seen] != place:
                        _fill_counts(groups, permuted, inside, place, draw)
                        value, large = _likelihood_ratio(groups) + price, _is_large(groups)
                        known.places[seen], known.values[seen], known.larges[seen] = place, value, large
                    plain_most[draw] = max(plain_most[draw], known.values[seen])
                    if known.values[seen] > most[draw] and known.larges[seen]:
                        most[draw] = known.values[seen]
                least, plain_least, largest = inf, inf, 0.0
                for draw in range(n_draws):
                    least, largest = min(least, most[draw]), max(largest, most[draw])
                    plain_least = min(plain_least, plain_most[draw])
            if observed[place] <= least:
                reached[place] = n_draws
            elif observed[place] <= largest:
                for draw in range(n_draws):
                    reached[place] += most[draw] >= observed[place]
    return np.asarray(reached), np.asarray(plain_most)


class KnownValues:
    """The statistics of a conjunction that were computed already, by its count in the first of two groups.

    values, larges, places: The statistic, whether it is large enough, and the conjunction it was computed for.
    """

    def __init__(self, n_counts: int) -> None:
        self.values, self.larges = np.zeros(n_counts), np.zeros(n_counts, dtype=np.uint8)
        self.places = np.full(n_counts, -1, dtype=np.int64)


def _may_pass(
    groups: GroupSizes, permuted: Any, inside: Counts, place: int, bar: float, plain_bar: float
) -> bool:
    """Say whether any draw may lift a maximum above the bars, the first for what is large enough to be reported.

    The likelihood ratio is convex in the count of the first of two groups: if neither the smallest nor the largest
    passes, none does.
    """
    low = high = permuted[place, 0, 0]
    for draw in range(1, permuted.shape[1]):
        low, high = min(low, permuted[place, draw, 0]), max(high, permuted[place, draw, 0])
    # so much more than what rounding can do
    slack = 1e-14 * (1.0 + _times_log(groups, groups.sizes[0] + groups.sizes[1]))
    for end in range(2):
        groups.counts[0] = high if end else low
        groups.counts[1] = inside[place] - groups.counts[0]
        value = _likelihood_ratio(groups) + slack
        if value > plain_bar or (value > bar and _is_large(groups)):
            return True
    return False


def _fill_counts(groups: GroupSizes, permuted: Any, inside: Counts, place: int, draw: int) -> None:
    """Write the counts of a conjunction in a draw; the last group has what the others leave."""
    n_labels, rest = permuted.shape[2], inside[place]
    for label in range(n_labels):
        groups.counts[label] = permuted[place, draw, label]
        rest -= permuted[place, draw, label]
    groups.counts[n_labels] = rest


def fill_random(key: Any, draw: int, block: int, words: Any) -> None:
    """Fill an array with random words by counting (Philox 4x32, ten rounds): any part can be made alone."""
    first_key, second_key = int(key[0]), int(key[1])
    with cython.nogil:
        for i in range(words.shape[0] // 4):
            a, b, c, d = _wide(i), _wide(draw), _wide(block), _wide(0)
            first, second = _wide(first_key), _wide(second_key)
            for _ in range(10):
                low, high = a * _wide(0xD2511F53), c * _wide(0xCD9E8D57)
                a, c = (high >> 32) ^ b ^ first, (low >> 32) ^ d ^ second
                b, d = high & _WORD, low & _WORD
                first, second = (first + _wide(0x9E3779B9)) & _WORD, (second + _wide(0xBB67AE85)) & _WORD
            words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3] = a, b, c, d


def deal_block(key: Any, block: int, splits: Counts, places: Codes, labels: Any) -> None:
    """Deal the labels of a block's cases, draw after draw, by `deal_labels`."""
    order, words = np.empty_like(places), np.empty(places.shape[0] + 64, dtype=np.uint32)
    for draw in range(splits.shape[0]):
        largest = 0
        for group in range(splits.shape[1]):
            largest = max(largest, splits[draw, group])
        # fewer than one word in 65,536 is refused; so many more never are
        part = words[: 4 * ((places.shape[0] - largest + 64) // 4)]
        fill_random(key, draw, block, part)
        deal_labels(part, splits[draw], places, order, labels[draw])


def deal_labels(words: Any, split: Counts, places: Codes, order: Codes, bits: Bits) -> None:
    """Deal the labels of a block's cases: as many of each group as the split says; the last group has no bits.

    words: Random, some more than there are cases outside of the largest group.
    places: The bit of each case, -1 for cases that are elsewhere. `order` has room for as many.
    """
    with cython.nogil:
        n_groups, largest, n_cases, taken = split.shape[0], 0, places.shape[0], 0
        for label in range(n_groups):
            largest = label if split[label] > split[largest] else largest
        for case in range(n_cases):
            order[case] = places[case]
            if largest < n_groups - 1 and places[case] >= 0:
                bits[largest, places[case] >> 6] |= _ONE << cython.cast(cython.ulonglong, places[case] & 63)
        used, n_left = 0, n_cases - split[largest]
        for label in range(n_groups):
            for _ in range(split[label] if label != largest else 0):
                # a number below n, each as likely as the others (Lemire)
                n = _wide(n_cases - taken)
                n_left -= 1
                product = _wide(words[used]) * n
                used += 1
                if (product & _WORD) < n:
                    least = (_WORD + 1 - n) % n
                    while (product & _WORD) < least and used < words.shape[0] - n_left:
                        product = _wide(words[used]) * n
                        used += 1
                other = taken + (product >> 32)
                bit = order[other]
                order[other] = order[taken]
                taken += 1
                if bit >= 0:
                    word = _ONE << cython.cast(cython.ulonglong, bit & 63)
                    if label < n_groups - 1:
                        bits[label, bit >> 6] |= word
                    if largest < n_groups - 1:
                        bits[largest, bit >> 6] &= ~word


def split_labels(rng: Any, sizes: Counts, block_cases: int, splits: Counts) -> None:
    """Draw how many labels of each group fall into each block, as numpy's multivariate_hypergeometric does."""
    bits, left = bits_of(rng), np.empty_like(sizes)
    with cython.nogil:
        for draw in range(splits.shape[0]):
            left[:] = sizes
            for block in range(splits.shape[1] - 1):
                _split_block(bits, left, block_cases, splits, draw, block)
            for label in range(sizes.shape[0]):
                splits[draw, splits.shape[1] - 1, label] = left[label]


def _split_block(bits: Any, left: Counts, n_cases: int, splits: Counts, draw: int, block: int) -> None:
    """Take the labels of one block from those that are left; of more than half, those that stay are drawn."""
    rest, last = 0, left.shape[0] - 1
    for label in range(left.shape[0]):
        rest += left[label]
    turned = 2 * n_cases > rest
    n = rest - n_cases if turned else n_cases
    for label in range(last):
        rest -= left[label]
        drawn = draw_hypergeometric(bits, left[label], rest, n) if n > 0 else 0
        splits[draw, block, label] = left[label] - drawn if turned else drawn
        n -= drawn
    splits[draw, block, last] = left[last] - n if turned else n
    for label in range(left.shape[0]):
        left[label] -= splits[draw, block, label]


def fill_times_log(table: Numbers, first: int) -> None:
    """Write x log x into a table, from a number on, as it is computed where tables end."""
    with cython.nogil:
        for number in range(first, table.shape[0]):
            table[number] = number * log(number)


def _list_members(common: Bits, members: Counts) -> int:
    """Write the members of a set into `members` and give their number."""
    n_found = 0
    for w in range(common.shape[0]):
        word = common[w]
        while word:
            members[n_found] = 64 * w + lowest_member(word)
            n_found += 1
            word &= word - _ONE
    return n_found


def sums(bits: Bits, sets: Codes, numbers: Numbers) -> Numbers:
    """Sum each column of numbers over the cases of each conjunction."""
    added = np.zeros((sets.shape[0], numbers.shape[1]))
    common, members = np.empty(bits.shape[1], dtype=np.uint64), np.empty(numbers.shape[0], dtype=np.int64)
    with cython.nogil:
        for place in range(sets.shape[0]):
            _fill_common(bits, sets, place, 0, bits.shape[1], common)
            add_rows(numbers, members, _list_members(common, members), added[place])
    return np.asarray(added)


def add_clusters(bits: Bits, sets: Codes, clusters: Counts, numbers: Numbers, n_clusters: int) -> Numbers:
    """Count the cases of each conjunction in each cluster, and add up their numbers; both are given by bit."""
    added = np.zeros((2, sets.shape[0], n_clusters))
    common, members = np.empty(bits.shape[1], dtype=np.uint64), np.empty(clusters.shape[0], dtype=np.int64)
    with cython.nogil:
        for place in range(sets.shape[0]):
            _fill_common(bits, sets, place, 0, bits.shape[1], common)
            n = _list_members(common, members)
            for i in range(n):
                added[0, place, clusters[members[i]]] += 1
                added[1, place, clusters[members[i]]] += numbers[members[i]]
    return np.asarray(added)
