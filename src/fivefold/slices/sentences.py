"""What a slice says: its numbers and sentences, with the evidence behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fivefold.formulas import holm, mean_p_value, sign_test
from fivefold.inputs.groups import Groups
from fivefold.results import say_p
from fivefold.slices import significance
from fivefold.slices._kernels import Numbers, exact_p_values
from fivefold.slices.contrast_search import Findings
from fivefold.slices.dask_tables import GroupedRows
from fivefold.slices.items import Conjunction, RowsInMemory, count_conjunctions, holds
from fivefold.slices.significance import Correction
from fivefold.slices.slice_set import Differences, HeldBack, Slice, WhoIsRight, Wording


def tell_slices(
    findings: Findings,
    rows: GroupedRows,
    tests: Correction,
    wording: Wording,
    held: RowsInMemory | None,
    places: NDArray[np.intp],
) -> tuple[Slice, ...]:
    """Say what some conjunctions of disagreeing and agreeing rows mean; measure them again on rows held back."""
    sizes, (total, total_agree) = rows.sizes, (int(rows.sizes.sum()), int(rows.sizes[1]))
    average = total_agree / total
    counts, level = findings.counts[places], findings.level[places]
    n, agree = counts.sum(axis=1), counts[:, 1]
    rate, effect = agree / n, agree - n * average
    widening = None if findings.widening is None else findings.widening[places]
    interval = significance.share_interval(n, agree, total, total_agree, level, widening)
    tested = [array[places] for array in (findings.statistic, findings.p_value, findings.adjusted_p_value)]
    # what passed also had to pass the exact test: Pearson's statistic is far beyond that where counts are small
    passed = np.maximum(tested[1], exact_p_values(counts, sizes))
    z = tests.z(-ndtri(np.maximum(passed, 1e-300) / 2), tested[2], level)
    reach = np.where(rate < average, interval[1] - (rate - average), rate - average - interval[0])
    shrunk = significance.shrink(rate - average, reach / -ndtri(level / 2), z, level)
    interval = significance.beside_the_average(rate - average, *interval)
    terms = [findings.conjunctions[place] for place in places]
    numbers = rate, rate - average, effect, interval, *tested, shrunk
    parts = make_slices(terms, n, agree.tolist(), *numbers)
    slices = tuple(wording.tell(part, average, tests) for part in parts)
    if held is not None:
        slices = _measure_again(slices, held, tests.alpha, wording)
    if isinstance(wording, Differences) and wording.judged:
        slices = _say_who(slices, rows, wording)
    return slices


def make_slices(
    terms: Iterable[Conjunction], n: NDArray[Any], agree: Iterable[int | None], *numbers: Any
) -> Iterator[Slice]:
    """Make slices of arrays of their numbers, in the order of the fields."""
    rate, difference, effect, interval, *tested = numbers
    plain = (array.tolist() for array in (n, rate, difference, effect, *interval, *tested))
    for conditions, n_agree, *row in zip(terms, agree, *plain, strict=True):
        cases, mean, apart, size, low, high, *rest = row
        yield Slice(conditions, cases, n_agree, mean, apart, size, (low, high), *rest)


def _measure_again(
    slices: Sequence[Slice], rows: RowsInMemory, alpha: float, wording: Wording
) -> tuple[Slice, ...]:
    """Measure slices on rows that the search never saw: what was chosen for being large shrinks here."""
    if not slices:
        return ()
    conjunctions = [part.terms for part in slices]
    counts = count_conjunctions(rows.columns, rows.groups, conjunctions)
    total, total_agree = int(rows.sizes.sum()), int(rows.sizes[1])
    n, agree = counts.sum(axis=1), counts[:, 1]
    level = np.full(n.size, alpha / n.size)
    _, _, adjusted, crowding = judged_by_holm(rows, conjunctions, counts)
    widening = None if rows.clusters is None else rows.clusters.widen(crowding, level, turned=False)
    limits = significance.share_interval(np.maximum(n, 1), agree, total, total_agree, level, widening)
    again = []
    for place, part in enumerate(slices):
        if n[place] == 0:
            again.append(replace(part, sentence=f"{part.sentence} None of the cases held back lies in it."))
            continue
        rate = float(agree[place] / n[place])
        low, high = (float(ends[place]) for ends in limits)
        held = HeldBack(int(n[place]), rate, rate - total_agree / total, (low, high), float(adjusted[place]))
        found = part.sentence.removesuffix(wording.shrunk(part))  # what was measured is better than a guess
        sentence = (
            f"{found} On {held.n:,} such case{'' if held.n == 1 else 's'} held back the difference is "
            f"{wording.amount(held.difference)}{wording.unit} ({wording.amount(low)} to {wording.amount(high)})."
        )
        again.append(replace(part, held_back=held, sentence=sentence))
    return tuple(again)


def _say_who(slices: tuple[Slice, ...], rows: GroupedRows, wording: Differences) -> tuple[Slice, ...]:
    """Count who is right where the models differ, over all rows of each slice."""
    if not slices:
        return slices
    counts = rows.count_right([part.terms for part in slices]).tolist()
    p_values = [sign_test(a, b) for a, b, _ in counts]
    if rows.belonging is not None:
        compared = [rows.compare_right(part.terms) for part in slices]
        grouped = [(less, Groups(codes).part(slice(None))) for less, codes in compared]
        p_values = [mean_p_value(less, -1.0, 1.0, groups=groups) for less, groups in grouped]
    judged, names = [], (wording.first, wording.second)
    for part, (a, b, n), p_value in zip(slices, counts, holm(np.array(p_values)), strict=True):
        who = WhoIsRight(n, a, b, n - a - b, float(p_value))
        judged.append(replace(part, who_is_right=who, sentence=f"{part.sentence} {_say_right(who, names)}"))
    return tuple(judged)


def _say_right(who: WhoIsRight, names: tuple[str, str]) -> str:
    if who.n_differ == 0:
        return "They never differ there."
    return (
        f"Of the {who.n_differ:,} cases there on which they differ, {names[0]} is right on {who.n_first:,}, "
        f"{names[1]} on {who.n_second:,} and neither on {who.n_neither:,} ({say_p(who.adjusted_p_value)} after "
        "correction)."
    )


def judged_by_holm(
    rows: RowsInMemory, conjunctions: Sequence[Conjunction], counts: NDArray[np.int64]
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Test given conjunctions: Pearson's statistic, its tail, the p-value after Holm's correction, the crowding.

    That p-value is the guarded one, or of rows that belong together.
    """
    sizes, clusters, crowding = rows.sizes, rows.clusters, np.ones(len(conjunctions))
    statistic = significance.pearson(counts, sizes)
    p_value = significance.tail(statistic, sizes.size - 1)
    if clusters is None:
        return statistic, p_value, holm(np.maximum(p_value, exact_p_values(counts, sizes))), crowding
    crowding = clusters.crowding_of(holds(rows.columns, terms) for terms in conjunctions)
    return statistic, p_value, holm(clusters.p_values(counts, sizes, crowding)), crowding
