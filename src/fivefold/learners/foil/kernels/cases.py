"""The cases of a table as sets: packed as bits, resampled, and restricted to those for which a literal holds."""

from __future__ import annotations

import cython
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.foil.kernels.literals import widened

if not cython.compiled:
    from fivefold.data.bitsets import lowest_member, turn
    from fivefold.learners.foil.kernels.literals import Ints, Literals, Logs, Singles

Bits = NDArray[np.uint64]
ONE = np.uint64(1)
ALL = ~np.uint64(0)


class Sets:
    """Sets of cases, one a row."""

    def __init__(self, rows: Bits) -> None:
        self.rows = rows

    def make_room(self, n: int) -> None:
        """Make room for so many sets at least."""
        self.rows = widened(self.rows, 2 * n)


def count_common(a: Sets, i: int, b: Sets, j: int) -> int:
    """Count the common members of a set and another."""
    total = 0
    if cython.compiled:
        total = count_common_words(  # type: ignore[name-defined]  # noqa: F821
            cython.address(a.rows[i, 0]), cython.address(b.rows[j, 0]), a.rows.shape[1]
        )
    else:
        total = int(np.bitwise_count(a.rows[i] & b.rows[j]).sum())
    return total


def count(sets: Sets, i: int) -> int:
    """Count the members of a set."""
    return count_common(sets, i, sets, i)


def has(sets: Sets, i: int, case: int) -> bool:
    """Tell whether a case is a member."""
    return bool((sets.rows[i, case >> 6] >> (case & 63)) & ONE)


def first_of(sets: Sets, i: int) -> int:
    """Give the first member; -1 if there is none."""
    for w in range(sets.rows.shape[1]):
        if sets.rows[i, w]:
            return 64 * w + lowest_member(sets.rows[i, w])
    return -1


def all_in(a: Sets, i: int, b: Sets, j: int) -> bool:
    """Tell whether all members are in another set."""
    outside = ONE ^ ONE
    for w in range(a.rows.shape[1]):
        outside |= a.rows[i, w] & ~b.rows[j, w]
    return not outside


def remove(a: Sets, i: int, b: Sets, j: int) -> None:
    """Take the members of another set out."""
    for w in range(a.rows.shape[1]):
        a.rows[i, w] &= ~b.rows[j, w]


def copy(a: Sets, i: int, b: Sets, j: int) -> None:
    """Make a set equal to another."""
    for w in range(a.rows.shape[1]):
        a.rows[i, w] = b.rows[j, w]


class FoilTable:
    """The training cases; they never change while definitions are made.

    Row `k` of `tests` has the cases for which constant `k` is the value of its attribute. The constants of
    nominal attribute `a` are those from ``starts[a]`` up to ``starts[a + 1]``; `known` has the cases with a
    value of it, and `whole` says whether all have one. `numbers` has a row for each numeric attribute, with
    NaN for missing; `sorted_rows` the cases by rising number, the first `n_known` of them with a value.
    Literal `k` below the number of constants asks for constant `k`, one above for a numeric attribute.
    """

    def __init__(
        self, tests: Bits, starts: Ints, known: Bits, whole: NDArray[np.bool_], numbers: Singles,
        sorted_rows: NDArray[np.int32], n_known: Ints, logs: Logs,
    ) -> None:  # fmt: skip
        self.tests, self.starts, self.known, self.whole = Sets(tests), starts, Sets(known), whole
        self.numbers, self.sorted_rows, self.n_known, self.logs = numbers, sorted_rows, n_known, logs
        self.n_attributes, self.n_cases = whole.shape[0], numbers.shape[1]
        self.n_tests, self.n_words = tests.shape
        # the order of the cases matters where nominal values are missing
        self.in_order = not whole.all()


def attribute_of(cases: FoilTable, literal: int) -> int:
    """Give the nominal attribute whose constant a literal asks for."""
    low, high = 0, cases.n_attributes
    while high - low > 1:
        middle = (low + high) // 2
        if cases.starts[middle] <= literal:
            low = middle
        else:
            high = middle
    return low


def restrict(cases: FoilTable, literals: Literals, k: int, sets: Sets, i: int) -> None:
    """Keep the members for which literal `k` of a list holds; a missing value satisfies none."""
    words, literal, sign = sets.rows.shape[1], literals.rows[k].literal, literals.rows[k].sign
    if literal >= cases.n_tests:
        for w in range(words):
            left = sets.rows[i, w]
            while left:
                value = cases.numbers[literal - cases.n_tests, 64 * w + lowest_member(left)]
                if not (value > literals.rows[k].cut if sign else value <= literals.rows[k].cut):
                    sets.rows[i, w] ^= left & (~left + ONE)
                left &= left - ONE
    elif sign:
        for w in range(words):
            sets.rows[i, w] &= cases.tests.rows[literal, w]
    else:
        a = attribute_of(cases, literal)
        for w in range(words):
            sets.rows[i, w] &= cases.known.rows[a, w] & ~cases.tests.rows[literal, w]


def members(classes: NDArray[np.int32], wanted: int, copies: Ints, r: int, sets: Sets, order: Ints) -> int:
    """Part the cases, each as often as row `r` of `copies` says, into those of a class and all others.

    The first two sets become these. Where there is room, the `order` is written: first the one, then the others;
    how many they are is given.
    """
    sets.rows[:2] = 0
    n_order = 0
    for side in range(2):
        place = 0
        for i in range(classes.shape[0]):
            if (classes[i] == wanted) != (side == 0):
                place += copies[r, i]
                continue
            for _ in range(copies[r, i]):
                sets.rows[side, place >> 6] |= ONE << (place & 63)
                if order.shape[0]:
                    order[n_order] = place
                    n_order += 1
                place += 1
    return n_order


def pack_codes(codes: NDArray[np.int32], sizes: Ints) -> tuple[Ints, Ints, Bits, Bits, NDArray[np.bool_]]:
    """Give the constants of each attribute with their cases, the cases with a value, and whether all have one.

    Only codes that occur become constants: `starts` says where those of each attribute begin.
    """
    n_attributes, words = codes.shape[0], (codes.shape[1] + 63) // 64
    places = np.full((n_attributes, max(sizes.max(initial=0), 1)), -1, dtype=np.int32)
    starts, constants = np.zeros(n_attributes + 1, dtype=np.int64), np.empty(places.size, dtype=np.int64)
    n_constants = _number_constants(codes, places, starts, constants)
    tests = np.zeros((n_constants, words), dtype=np.uint64)
    known = np.zeros((n_attributes, words), dtype=np.uint64)
    whole = np.ones(n_attributes, dtype=np.bool_)
    _pack_codes(codes, places, tests, known, whole)
    return starts, constants[:n_constants], tests, known, whole


def _number_constants(
    codes: NDArray[np.int32], places: NDArray[np.int32], starts: Ints, constants: Ints
) -> int:
    """List the codes that occur in each attribute, and give each its place among all constants."""
    n = 0
    with cython.nogil:
        for a in range(codes.shape[0]):
            for i in range(codes.shape[1]):
                if codes[a, i] >= 0:
                    places[a, codes[a, i]] = 0
            for code in range(places.shape[1]):
                if places[a, code] == 0:
                    constants[n], places[a, code] = code, n
                    n += 1
            starts[a + 1] = n
    return n


def _pack_codes(
    codes: NDArray[np.int32], places: NDArray[np.int32], tests: Bits, known: Bits, whole: NDArray[np.bool_]
) -> None:
    with cython.nogil:
        for a in range(codes.shape[0]):
            for i in range(codes.shape[1]):
                if codes[a, i] < 0:
                    whole[a] = False
                else:
                    tests[places[a, codes[a, i]], i >> 6] |= ONE << (i & 63)
                    known[a, i >> 6] |= ONE << (i & 63)


class Resampled:
    """A boolean table to be packed again and again, with each case as often as one likes.

    `rows` has the attributes of each case as bits. `constants` are those that the latest table has: ``2 a`` says
    that attribute `a` is false, ``2 a + 1`` that it is true. The rest is room to turn 64 rows at a time.
    """

    def __init__(self, rows: Bits, n_attributes: int) -> None:
        self.rows, self.constants = rows, np.zeros(2 * n_attributes, dtype=np.int64)
        self.block, self.turned = np.zeros(64, dtype=np.uint64), np.zeros((64, 8), dtype=np.uint64)


def pack_copies(table: Resampled, cases: FoilTable, copies: Ints, r: int) -> None:
    """Write the sets of a table in which case `i` stands ``copies[r, i]`` times."""
    for part in range(table.rows.shape[1]):
        case, used = 0, 0
        for w in range(cases.n_words):
            filled = 0
            while filled < 64 and case < copies.shape[1]:
                if used == copies[r, case]:
                    case, used = case + 1, 0
                else:
                    table.block[filled] = table.rows[case, part]
                    filled, used = filled + 1, used + 1
            for j in range(filled, 64):
                table.block[j] = 0
            turn(table.block, table.turned, 0, 0)
            full = ALL >> (64 - filled) if filled else ALL ^ ALL
            for a in range(64 * part, min(64 * part + 64, cases.n_attributes)):
                word = table.turned[a - 64 * part, 0]
                cases.tests.rows[2 * a, w], cases.tests.rows[2 * a + 1, w] = ~word & full, word
    _keep_occurring(cases, table.constants)


def _keep_occurring(cases: FoilTable, constants: Ints) -> None:
    """Keep the constants that some case has; say where those of each attribute start, and which they are."""
    kept = 0
    for k in range(2 * cases.n_attributes):
        if first_of(cases.tests, k) >= 0:
            if kept < k:
                copy(cases.tests, kept, cases.tests, k)
            constants[kept] = k
            kept += 1
        cases.starts[k // 2 + 1] = kept
    cases.n_tests = kept
