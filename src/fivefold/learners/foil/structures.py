"""The arrays that propositional FOIL works on: cases as bits, the state of a clause, clauses as literals."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]


class Cases(NamedTuple):
    """The training cases; they never change while definitions are made.

    Row `k` of `tests` has the cases for which constant `k` is the value of its attribute. The constants of
    nominal attribute `a` are those from ``starts[a]`` up to ``starts[a + 1]``; `known` has the cases with a
    value of it, and `whole` says whether all have one. `numbers` has a row for each numeric attribute, with
    NaN for missing; `sorted_rows` the cases by rising number, the first `n_known` of them with a value.
    Literal `k` below the number of constants asks for constant `k`, one above for a numeric attribute.
    """

    tests: Bits
    starts: Ints
    known: Bits
    whole: NDArray[np.bool_]
    numbers: Singles
    sorted_rows: NDArray[np.int32]
    n_known: Ints
    logs: NDArray[np.float64]
    factorials: NDArray[np.float64]


class Options(NamedTuple):
    """What a user may choose, and the limits of the search.

    `added` is 1 for the program's information and 0 for the papers'; `fraction` is how near an alternative
    must come to the best gain, `weak` the most weak literals in a row, `sample` the share of the negative tuples
    that was taken.
    """

    added: int
    negation: bool
    pruning: bool
    min_accuracy: Any
    fraction: Any
    weak: int
    alternatives: int
    checkpoints: int
    sample: Any


class State(NamedTuple):
    """A clause in the making: its cases and counts, its cost so far, and the best clause seen on the way.

    `original_positive` and `original_total` count the tuples that the `positive` and `total` bindings stem from,
    `start_positive` the positive tuples that no clause has covered, `all_positive` those of the whole task.
    """

    positive: int
    total: int
    original_positive: int
    original_total: int
    base: Any
    most: Any
    world: int
    start_positive: int
    all_positive: int
    clause_bits: Any
    n_literals: int
    weak: int
    has_saved: bool
    saved_cover: int
    saved_accuracy: Any


class Counts(NamedTuple):
    """What a literal (true) and its negation (false) would leave.

    `true_kept` counts the positive bindings that the literal extends, `true_positive` and `true_total` what
    they are extended to, `true_now` all bindings that it extends; the original counts are of tuples.
    """

    true_kept: int
    true_positive: int
    true_total: int
    true_now: int
    true_original_positive: int
    true_original_total: int
    false_positive: int
    false_total: int
    false_original_positive: int
    false_original_total: int


class Noted(NamedTuple):
    """The literal of a state that completes the best clause so far, with the fields of a shortlist.

    `found` is 0 as long as there is none.
    """

    whole: Ints
    reals: Singles
    found: Ints


class Clauses(NamedTuple):
    """Clauses one after the other: clause `i` has the literals from ``starts[i]`` up to ``starts[i + 1]``."""

    starts: Ints
    literals: Ints
    signs: NDArray[np.bool_]
    cuts: Singles
