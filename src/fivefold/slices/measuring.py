"""From conjunctions and their counts to slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.formulas import holm
from fivefold.inputs.columns import Column
from fivefold.slices import significance
from fivefold.slices._kernels import exact_p_values
from fivefold.slices.significance import share_interval
from fivefold.slices.slice_set import HeldBack, Slice
from fivefold.slices.wording import Evidence, Wording

Conjunction = tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class Measured:
    """Conjunctions with their counts (disagreeing, agreeing) and tests, in one order.

    `level` is one less the confidence of each interval.
    """

    conjunctions: Sequence[Conjunction]
    counts: NDArray[np.int64]
    statistic: NDArray[np.float64]
    p_value: NDArray[np.float64]
    adjusted_p_value: NDArray[np.float64]
    level: NDArray[np.float64]


def take(columns: Sequence[Column], rows: NDArray[Any] | slice) -> tuple[Column, ...]:
    """Take some rows of all columns."""
    return tuple(replace(column, values=column.values[rows]) for column in columns)


def holds(columns: Sequence[Column], conjunction: Conjunction) -> NDArray[np.bool_]:
    """Say for each case whether all terms hold."""
    return np.asarray(np.logical_and.reduce([term.holds(columns) for term in conjunction]))


def count_conjunctions(
    columns: Sequence[Column], agree: NDArray[np.bool_], conjunctions: Sequence[Conjunction]
) -> NDArray[np.int64]:
    """Count the disagreeing and the agreeing cases of each conjunction."""
    counts = np.zeros((len(conjunctions), 2), dtype=np.int64)
    for place, conjunction in enumerate(conjunctions):
        inside = holds(columns, conjunction)
        counts[place, 1] = np.count_nonzero(inside & agree)
        counts[place, 0] = np.count_nonzero(inside) - counts[place, 1]
    return counts


def tested_by_holm(
    counts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Test given conjunctions: Pearson's statistic, its tail, and the guarded p-value after Holm's correction."""
    statistic = significance.pearson(counts, sizes)
    p_value = significance.tail(statistic, sizes.size - 1)
    return statistic, p_value, holm(np.maximum(p_value, exact_p_values(counts, sizes)))


def make_slices(
    measured: Measured, sizes: NDArray[np.int64], wording: Wording, alpha: float, n_tests: int
) -> tuple[Slice, ...]:
    """Say what each conjunction shows; the largest effect first."""
    total, total_agree = int(sizes.sum()), int(sizes[1])
    n, agree = measured.counts.sum(axis=1), measured.counts[:, 1]
    average = total_agree / total
    effect = agree - n * average
    low, high = share_interval(n, agree, total, total_agree, measured.level)
    slices = []
    for place in np.argsort(-np.abs(effect), kind="stable"):
        terms = measured.conjunctions[place]
        told = Evidence(
            " and ".join(term.to_text() for term in terms),
            int(n[place]),
            int(agree[place]),
            float(agree[place] / n[place]),
            average,
            float(agree[place] / n[place] - average),
            float(effect[place]),
            (float(low[place]), float(high[place])),
            float(measured.adjusted_p_value[place]),
            n_tests,
            alpha,
        )
        statistic, p_value = float(measured.statistic[place]), float(measured.p_value[place])
        slices.append(say_slice(terms, told, statistic, p_value, wording))
    return tuple(slices)


def say_slice(
    terms: Conjunction, told: Evidence, statistic: float, p_value: float, wording: Wording
) -> Slice:
    """Put the numbers and the sentence of a slice together."""
    return Slice(
        terms,
        told.n,
        told.n_agree,
        told.rate,
        told.difference,
        told.effect_size,
        told.interval,
        statistic,
        p_value,
        told.adjusted_p_value,
        wording.sentence(told),
    )


def measure_again(
    slices: Sequence[Slice],
    columns: Sequence[Column],
    agree: NDArray[np.bool_],
    alpha: float,
    wording: Wording,
) -> tuple[Slice, ...]:
    """Measure slices on cases that the search never saw: what was chosen for being large shrinks here."""
    if not slices:
        return ()
    counts = count_conjunctions(columns, agree, [one.terms for one in slices])
    sizes = np.array([np.count_nonzero(~agree), np.count_nonzero(agree)])
    total, total_agree = int(sizes.sum()), int(sizes[1])
    _, _, adjusted = tested_by_holm(counts, sizes)
    n, right = counts.sum(axis=1), counts[:, 1]
    level = np.full(n.size, alpha / n.size)
    low, high = share_interval(np.maximum(n, 1), right, total, total_agree, level)
    again = []
    for place, one in enumerate(slices):
        if n[place] == 0:
            again.append(replace(one, sentence=f"{one.sentence} No case held back lies in it."))
            continue
        rate = float(right[place] / n[place])
        held = HeldBack(
            int(n[place]),
            rate,
            rate - total_agree / total,
            (float(low[place]), float(high[place])),
            float(adjusted[place]),
        )
        said = (
            f"On {held.n:,} such cases held back from the search the difference is "
            f"{wording.amount(held.difference)}{wording.unit} ({wording.amount(low[place])} to "
            f"{wording.amount(high[place])})."
        )
        again.append(replace(one, held_back=held, sentence=f"{one.sentence} {said}"))
    return tuple(again)
