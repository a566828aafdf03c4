"""One question, one answer: run an engine over cases that agree or not, and say what it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.columns import Column
from fivefold.data.terms import Term
from fivefold.errors import InputError, show
from fivefold.slices import pruning
from fivefold.slices.engines import Engine
from fivefold.slices.measuring import (
    Measured,
    count_conjunctions,
    make_slices,
    measure_again,
    take,
    tested_by_holm,
)
from fivefold.slices.slice import Slice
from fivefold.slices.slice_set import Correction, SliceSet
from fivefold.slices.stucco import Stucco
from fivefold.slices.wording import Wording

__all__ = ["Question", "ask"]

PLUG_IN_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Question:
    """Cases, whether they agree, and how to say what is found."""

    columns: tuple[Column, ...]
    agree: NDArray[np.bool_]
    afterwards: frozenset[str]
    wording: Wording

    def part(self, rows: NDArray[Any]) -> Question:
        """Ask the same of some of the cases."""
        return replace(self, columns=take(self.columns, rows), agree=self.agree[rows])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many cases disagree and how many agree."""
        right = np.count_nonzero(self.agree)
        return np.array([self.agree.size - right, right], dtype=np.int64)


def ask(
    question: Question,
    engine: Stucco | Engine,
    hold_back: float,
    rng: np.random.Generator,
    alpha: float,
    delta: float,
) -> SliceSet:
    """Find slices by an engine.

    The miner corrects its own tests; the share `hold_back` of the cases, if any, serves to measure again. The
    proposals of another engine are tested on the cases held back, half of them if nothing else is said.
    """
    mining = isinstance(engine, Stucco)
    share = hold_back if mining or hold_back > 0 else PLUG_IN_SHARE
    if not 0.0 <= share < 1.0:
        raise InputError("hold_back from 0 to below 1", show(hold_back))
    if not share:
        assert isinstance(engine, Stucco)
        return _mine(question, replace(engine, random_state=rng))
    rows = rng.permutation(question.agree.size)
    n_held = round(share * rows.size)
    searched, held = question.part(np.sort(rows[n_held:])), question.part(np.sort(rows[:n_held]))
    if not isinstance(engine, Stucco):
        return _test_proposals(engine, searched, held, alpha, delta)
    found = _mine(searched, replace(engine, random_state=rng))
    again = measure_again(found.slices, held.columns, held.agree, engine.alpha, question.wording)
    return replace(found, slices=again, note=f"{n_held:,} cases were held back to measure the slices again.")


def _mine(question: Question, miner: Stucco) -> SliceSet:
    if question.sizes.min() == 0:
        return _nothing(question, miner.correction, miner.alpha)
    # samples are later searched with the same intervals: other intervals would be other slices
    miner = miner.with_cuts(question.columns, question.agree)
    items, found = miner.mine(question.columns, question.agree, 2)
    shown = np.flatnonzero(found.shown)
    measured = Measured(
        [tuple(items.terms[i] for i in found.sets[place]) for place in shown],
        found.counts[shown],
        found.statistic[shown],
        found.p_value[shown],
        found.adjusted_p_value[shown],
        found.level[shown],
    )
    permutations = miner.n_permutations if miner.correction == "westfall-young" else 0
    tests = Correction(miner.correction, miner.alpha, found.n_tests, found.alphas, permutations)
    slices = make_slices(measured, items.layout.sizes, question.wording, miner.alpha, tests.total)
    return _slice_set(question, slices, tests, _FindAgain(question, miner))


@dataclass(frozen=True, eq=False)
class _FindAgain:
    """Search some of the cases again with the same miner."""

    question: Question
    miner: Stucco

    def __call__(self, rows: NDArray[np.intp]) -> frozenset[frozenset[Term]]:
        part = self.question.part(rows)
        if part.sizes.min() == 0:
            return frozenset()
        items, found = self.miner.mine(part.columns, part.agree, 2)
        return frozenset(
            frozenset(items.terms[i] for i in found.sets[place]) for place in np.flatnonzero(found.shown)
        )


def _test_proposals(
    engine: Engine, searched: Question, held: Question, alpha: float, delta: float
) -> SliceSet:
    sizes = held.sizes
    if sizes.min() == 0 or searched.sizes.min() == 0:
        return _nothing(held, "holm", alpha)
    proposed = _checked(engine.propose(searched.columns, searched.agree))
    if not proposed:
        return _slice_set(held, (), Correction("holm", alpha, (), ()), None)
    counts = count_conjunctions(held.columns, held.agree, proposed)
    statistic, p_value, adjusted = tested_by_holm(counts, sizes)
    level = np.full(len(proposed), alpha / len(proposed))
    kept = (adjusted <= alpha) & (pruning.support_difference(counts, sizes) >= delta)
    places = np.flatnonzero(kept & ~pruning.untestable(counts.sum(axis=1), sizes))
    measured = Measured(
        [proposed[place] for place in places],
        counts[places],
        statistic[places],
        p_value[places],
        adjusted[places],
        level[places],
    )
    tests = Correction("holm", alpha, (len(proposed),), (alpha / len(proposed),))
    slices = make_slices(measured, sizes, held.wording, alpha, tests.total)
    note = f"Proposed on {searched.agree.size:,} other cases by {_name(engine)}, tested on these."
    return replace(_slice_set(held, slices, tests, None), note=note)


def _name(engine: Engine) -> str:
    return str(engine) if type(engine).__str__ is not object.__str__ else type(engine).__name__


def _checked(proposals: Any) -> list[tuple[Term, ...]]:
    """Keep each conjunction once; complain about anything else."""
    conjunctions = [tuple(proposal) for proposal in proposals]
    for conjunction in conjunctions:
        if not conjunction or not all(isinstance(term, Term) for term in conjunction):
            raise InputError("the engine to propose sequences of terms", show(conjunction))
    return list({frozenset(conjunction): conjunction for conjunction in conjunctions}.values())


def _nothing(question: Question, correction: str, alpha: float) -> SliceSet:
    what = "All cases agree" if question.agree.all() else "No case agrees"
    return replace(
        _slice_set(question, (), Correction(correction, alpha, (), ()), None),
        note=f"{what}, so there is nothing to tell apart.",
    )


def _slice_set(
    question: Question, slices: Sequence[Slice], tests: Correction, find_again: _FindAgain | None
) -> SliceSet:
    return SliceSet(
        tuple(slices),
        question.agree.size,
        int(question.sizes[1]),
        float(question.sizes[1] / question.agree.size),
        tests,
        tuple(column.schema() for column in question.columns),
        question.afterwards,
        find_again=find_again,
    )
