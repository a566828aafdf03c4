"""What a slice says: its numbers and sentences, with the evidence behind them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fivefold.formulas import holm
from fivefold.slices import significance
from fivefold.slices._kernels import exact_p_values
from fivefold.slices.contrast_search import Findings
from fivefold.slices.items import Conjunction, RowsInMemory, count_conjunctions, holds
from fivefold.slices.slice_set import Correction, HeldBack, Slice


@dataclass(frozen=True)
class Wording(ABC):
    """How to say what a slice shows, beside the average of all rows."""

    unit: ClassVar[str] = " points"

    @property
    def tested(self) -> str:
        """What was tested, if it is not the difference that is told."""
        return ""

    @abstractmethod
    def claim(self, part: Slice) -> str:
        """Say what is so."""

    @abstractmethod
    def counts(self, part: Slice, average: float) -> str:
        """Say the counts."""

    def tell(self, part: Slice, average: float, tests: Correction) -> Slice:
        """Give the slice with a sentence that says what is so, and how that is known."""
        low, high = (self.amount(end) for end in part.interval)
        sentence = (
            f"{self.claim(part)} {self.counts(part, average)}; the difference lies between {low} and "
            f"{high}{self.unit} with {100 * (1 - tests.alpha):.4g}% confidence for all slices at "
            f"once{self.shrunk(part)}; {tests.say_p(part.adjusted_p_value)}{self.tested} after correction for "
            f"{tests.total:,} tests."
        )
        return replace(part, sentence=sentence)

    def shrunk(self, part: Slice) -> str:
        """Say the size to expect on other cases, if choosing the slice for its size has made that larger."""
        expected = self.amount(part.shrunk)
        if expected == self.amount(part.difference):
            return ""
        return f", and to expect on new cases are {expected}{self.unit}, for large ones were looked for"

    def amount(self, number: float) -> str:
        """Write a signed difference."""
        return f"{100 * number:+.1f}"


@dataclass(frozen=True)
class Errors(Wording):
    """A model is more or less accurate than average."""

    model: str = "The model"

    def claim(self, part: Slice) -> str:
        """Say where the model is more or less accurate."""
        less = part.difference < 0
        return (
            f"{self.model} is {_points(part.difference)} {'less' if less else 'more'} accurate than average on "
            f"cases with {part.words}: {_n_apart(part):,} wrong, {_beyond(part)}."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say how many answers are right."""
        return (
            f"There {part.n_agree:,} of {part.n:,} answers are right, {part.rate:.1%} against {average:.1%} "
            f"on average"
        )


@dataclass(frozen=True)
class Differences(Wording):
    """Two models agree more or less often than average; `judged` by a known truth, one of them may be right."""

    first: str = "Model A"
    second: str = "Model B"
    judged: bool = False

    def claim(self, part: Slice) -> str:
        """Say where the models agree more or less."""
        less, n_apart = part.difference < 0, _n_apart(part)
        return (
            f"{self.first} and {self.second} agree {_points(part.difference)} {'less' if less else 'more'} often "
            f"than average on cases with {part.words}: {n_apart:,} "
            f"{'answer differs' if n_apart == 1 else 'answers differ'}, {_beyond(part)}."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say how many answers agree."""
        return (
            f"There they agree on {part.n_agree:,} of {part.n:,} cases, {part.rate:.1%} against "
            f"{average:.1%} on average"
        )


@dataclass(frozen=True)
class Scores(Wording):
    """A number for each case is higher or lower than average."""

    unit: ClassVar[str] = ""

    score: str = "The score"
    by_ranks: bool = False

    @property
    def tested(self) -> str:
        """Say that ranks were tested, not the mean."""
        return " by ranks" if self.by_ranks else ""

    def claim(self, part: Slice) -> str:
        """Say where the number is higher or lower."""
        lower, less = ("lower", "less") if part.difference < 0 else ("higher", "more")
        return (
            f"{self.score} is {abs(part.difference):.3g} {lower} than average on cases with {part.words}: "
            f"{abs(part.effect_size):.4g} {less} in all."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say the mean."""
        return f"The mean of these {part.n:,} cases is {part.rate:.4g} against {average:.4g} on average"

    def amount(self, number: float) -> str:
        """Write a signed difference."""
        return f"{number:+.3g}"


def _points(difference: float) -> str:
    whole = f"{100 * abs(difference):.0f}"
    amount = whole if whole != "0" else f"{100 * abs(difference):.1f}"
    return f"{amount} point{'' if amount == '1' else 's'}"


def _n_apart(part: Slice) -> int:
    assert part.n_agree is not None
    return part.n - part.n_agree


def _beyond(part: Slice) -> str:
    return f"{abs(part.effect_size):,.0f} {'more' if part.difference < 0 else 'fewer'} than on average"


def tell_slices(
    findings: Findings,
    places: NDArray[np.intp],
    sizes: NDArray[np.int64],
    tests: Correction,
    wording: Wording,
) -> tuple[Slice, ...]:
    """Say what some conjunctions of disagreeing and agreeing rows mean."""
    total, total_agree = int(sizes.sum()), int(sizes[1])
    average = total_agree / total
    n, agree = findings.counts[places].sum(axis=1), findings.counts[places, 1]
    rate, effect = agree / n, agree - n * average
    level = findings.level[places]
    widening = None if findings.widening is None else findings.widening[places]
    interval = significance.share_interval(n, agree, total, total_agree, level, widening)
    tested = [array[places] for array in (findings.statistic, findings.p_value, findings.adjusted_p_value)]
    # what passed also had to pass the exact test: Pearson's statistic is far beyond that where counts are small
    passed = np.maximum(tested[1], exact_p_values(findings.counts[places], sizes))
    z = tests.z(-ndtri(np.maximum(passed, 1e-300) / 2), tested[2], level)
    shrunk = significance.shrink(rate - average, interval, z, level)
    terms = [findings.conjunctions[place] for place in places]
    numbers = rate, rate - average, effect, interval, *tested, shrunk
    slices = make_slices(terms, n, agree.tolist(), *numbers)
    return tuple(wording.tell(part, average, tests) for part in slices)


def make_slices(
    terms: Iterable[Conjunction], n: NDArray[Any], agree: Iterable[int | None], *numbers: Any
) -> Iterator[Slice]:
    """Make slices of arrays of their numbers, in the order of the fields."""
    rate, difference, effect, interval, *tested = numbers
    plain = (array.tolist() for array in (n, rate, difference, effect, *interval, *tested))
    for conditions, n_agree, *row in zip(terms, agree, *plain, strict=True):
        cases, mean, apart, size, low, high, *rest = row
        yield Slice(conditions, cases, n_agree, mean, apart, size, (low, high), *rest)


def measure_again(
    slices: Sequence[Slice], rows: RowsInMemory, alpha: float, wording: Wording
) -> tuple[Slice, ...]:
    """Measure slices on rows that the search never saw: what was chosen for being large shrinks here."""
    if not slices:
        return ()
    conjunctions = [part.terms for part in slices]
    counts = count_conjunctions(rows.columns, rows.groups, conjunctions)
    total, total_agree = int(rows.sizes.sum()), int(rows.sizes[1])
    n, agree = counts.sum(axis=1), counts[:, 1]
    level, widening, clusters = np.full(n.size, alpha / n.size), None, rows.clusters
    if clusters is None:
        _, _, adjusted = significance.tested_by_holm(counts, rows.sizes)
    else:
        crowding = clusters.crowding_of(holds(rows.columns, terms) for terms in conjunctions)
        adjusted = holm(clusters.p_values(counts, rows.sizes, crowding))
        widening = clusters.widen(crowding, level)
    limits = significance.share_interval(np.maximum(n, 1), agree, total, total_agree, level, widening)
    again = []
    for place, part in enumerate(slices):
        if n[place] == 0:
            again.append(replace(part, sentence=f"{part.sentence} No case held back lies in it."))
            continue
        rate = float(agree[place] / n[place])
        low, high = (float(ends[place]) for ends in limits)
        held = HeldBack(int(n[place]), rate, rate - total_agree / total, (low, high), float(adjusted[place]))
        sentence = (
            f"{part.sentence} On {held.n:,} such cases held back from the search the difference is "
            f"{wording.amount(held.difference)}{wording.unit} ({wording.amount(low)} to {wording.amount(high)})."
        )
        again.append(replace(part, held_back=held, sentence=sentence))
    return tuple(again)
