"""One question, one answer: run an engine over cases that agree or not, and say what it found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.errors import InputError, show
from fivefold.slices import pruning
from fivefold.slices.cases import Cases, HeldCases
from fivefold.slices.engines import Engine
from fivefold.slices.measuring import Measured, count_conjunctions, make_slices, measure_again, tested_by_holm
from fivefold.slices.slice import Slice
from fivefold.slices.slice_set import Correction, SliceSet
from fivefold.slices.stucco import Stucco
from fivefold.slices.wording import Wording

PLUG_IN_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Question:
    """Cases that disagree (group 0) or agree (1), and how to say what is found."""

    cases: Cases
    afterwards: frozenset[str]
    wording: Wording

    def held(self, what: str) -> HeldCases:
        """Give the cases themselves, for what cannot be done from counts alone."""
        if not isinstance(self.cases, HeldCases):
            raise InputError(
                f"cases in memory for {what}",
                "a Dask DataFrame",
                "search a sample: X.sample(frac=0.01).compute(); or use engine='stucco' without hold_back",
            )
        return self.cases

    def part(self, rows: NDArray[Any], what: str) -> Question:
        """Ask the same of some of the cases."""
        return replace(self, cases=self.held(what).part(rows))


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
    what = "hold_back" if mining else "an engine that proposes slices"
    rows = rng.permutation(question.held(what).groups.size)
    n_held = round(share * rows.size)
    searched, held = (question.part(np.sort(some), what) for some in (rows[n_held:], rows[:n_held]))
    if not isinstance(engine, Stucco):
        return _test_proposals(engine, searched, held, alpha, delta)
    found = _mine(searched, replace(engine, random_state=rng))
    kept = held.held(what)
    again = measure_again(found.slices, kept.columns, kept.groups, engine.alpha, question.wording)
    return replace(found, slices=again, note=f"{n_held:,} cases were held back to measure the slices again.")


def _mine(question: Question, miner: Stucco) -> SliceSet:
    cases = question.cases
    if cases.sizes.min() == 0:
        return _nothing(question, miner.correction, miner.alpha)
    # samples are later searched with the same intervals: other intervals would be other slices
    miner = miner.with_cuts(cases)
    items, found = miner.mine_cases(cases)
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
    slices = make_slices(measured, items.sizes, question.wording, miner.alpha, tests.total)
    find_again = _FindAgain(cases, miner) if isinstance(cases, HeldCases) else None
    return _slice_set(question, slices, tests, find_again)


@dataclass(frozen=True, eq=False)
class _FindAgain:
    """Search some of the cases again with the same miner."""

    cases: HeldCases
    miner: Stucco

    def __call__(self, rows: NDArray[np.intp]) -> frozenset[frozenset[Term]]:
        part = self.cases.part(rows)
        if part.sizes.min() == 0:
            return frozenset()
        items, found = self.miner.mine_cases(part)
        return frozenset(
            frozenset(items.terms[i] for i in found.sets[place]) for place in np.flatnonzero(found.shown)
        )


def _test_proposals(
    engine: Engine, searched: Question, held: Question, alpha: float, delta: float
) -> SliceSet:
    sizes = held.cases.sizes
    if sizes.min() == 0 or searched.cases.sizes.min() == 0:
        return _nothing(held, "holm", alpha)
    seen, kept = searched.held("proposals"), held.held("proposals")
    proposed = _checked(engine.propose(seen.columns, seen.groups))
    if not proposed:
        return _slice_set(held, (), Correction("holm", alpha, (), ()), None)
    counts = count_conjunctions(kept.columns, kept.groups, proposed)
    statistic, p_value, adjusted = tested_by_holm(counts, sizes)
    level = np.full(len(proposed), alpha / len(proposed))
    found = (adjusted <= alpha) & (pruning.support_difference(counts, sizes) >= delta)
    places = np.flatnonzero(found & ~pruning.untestable(counts.sum(axis=1), sizes))
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
    note = f"Proposed on {seen.groups.size:,} other cases by {_name(engine)}, tested on these."
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
    what = "All cases agree" if question.cases.sizes[0] == 0 else "No case agrees"
    return replace(
        _slice_set(question, (), Correction(correction, alpha, (), ()), None),
        note=f"{what}, so there is nothing to tell apart.",
    )


def _slice_set(
    question: Question, slices: Sequence[Slice], tests: Correction, find_again: _FindAgain | None
) -> SliceSet:
    sizes = question.cases.sizes
    return SliceSet(
        tuple(slices),
        int(sizes.sum()),
        int(sizes[1]),
        float(sizes[1] / sizes.sum()),
        tests,
        question.cases.schema,
        question.afterwards,
        find_again=find_again,
    )
