"""What a slice says: its numbers and the paper's sentences, with the evidence behind them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.results import say_p
from fivefold.slices import significance
from fivefold.slices.contrast_search import Findings
from fivefold.slices.items import RowsInMemory, count_conjunctions
from fivefold.slices.slice_set import Correction, HeldBack, Slice


@dataclass(frozen=True)
class Wording(ABC):
    """How to say what a slice shows, beside the average of all rows."""

    unit: ClassVar[str] = " points"

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
            f"{self.claim(part)} {self.counts(part, average)}; {self.beyond(part)}"
            f"the difference lies between {low} and {high}{self.unit} with {1 - tests.alpha:.0%} confidence for "
            f"all slices at once; {say_p(part.adjusted_p_value)} after correction for {tests.total:,} tests."
        )
        return replace(part, sentence=sentence)

    def beyond(self, part: Slice) -> str:
        """Say that the paper's number of instances is no total, which it looks like."""
        return f"the {_count(part.effect_size)} are those beyond the average; "

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
            f"{self.model} is {_percent(part.difference)} {'less' if less else 'more'} accurate than average on "
            f"cases with {part.conditions}. This represents {_count(part.effect_size)} "
            f"{'misclassified' if less else 'correctly classified'} instances."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say how many answers are right."""
        return (
            f"There {part.n_agree:,} of {part.n:,} answers are right, {part.rate:.1%} against {average:.1%} "
            f"on average"
        )


@dataclass(frozen=True)
class Differences(Wording):
    """Two models agree more or less often than average."""

    first: str = "Model A"
    second: str = "Model B"

    def claim(self, part: Slice) -> str:
        """Say where the models agree more or less."""
        less = part.difference < 0
        what = "instances with different predictions" if less else "instances with the same prediction"
        return (
            f"{self.first} and {self.second} are {_percent(part.difference)} {'less' if less else 'more'} likely "
            f"to agree than average on cases with {part.conditions}. "
            f"This represents {_count(part.effect_size)} {what}."
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

    def claim(self, part: Slice) -> str:
        """Say where the number is higher or lower."""
        return (
            f"{self.score} is {abs(part.difference):.3g} {'lower' if part.difference < 0 else 'higher'} than "
            f"average on cases with {part.conditions}. This represents {abs(part.effect_size):.4g} in all."
        )

    def counts(self, part: Slice, average: float) -> str:
        """Say the mean."""
        return f"The mean of these {part.n:,} cases is {part.rate:.4g} against {average:.4g} on average"

    def beyond(self, part: Slice) -> str:
        """Say nothing more: the effect is a sum of deviations already."""
        return ""

    def amount(self, number: float) -> str:
        """Write a signed difference."""
        return f"{number:+.3g}"


def _percent(difference: float) -> str:
    whole = f"{abs(difference):.0%}"
    return whole if whole != "0%" else f"{abs(difference):.1%}"


def _count(effect_size: float) -> str:
    return f"{abs(effect_size):.0f}"


def tell_slices(
    findings: Findings, sizes: NDArray[np.int64], tests: Correction, wording: Wording
) -> tuple[Slice, ...]:
    """Say what each shown conjunction of disagreeing and agreeing rows means; the largest effect first."""
    total, total_agree = int(sizes.sum()), int(sizes[1])
    average = total_agree / total
    shown = np.flatnonzero(findings.shown)
    n, agree = findings.counts[shown].sum(axis=1), findings.counts[shown, 1]
    rate, effect = agree / n, agree - n * average
    low, high = significance.share_interval(n, agree, total, total_agree, findings.level[shown])
    slices = (
        Slice(
            findings.conjunctions[shown[place]],
            int(n[place]),
            int(agree[place]),
            float(rate[place]),
            float(rate[place] - average),
            float(effect[place]),
            (float(low[place]), float(high[place])),
            float(findings.statistic[shown[place]]),
            float(findings.p_value[shown[place]]),
            float(findings.adjusted_p_value[shown[place]]),
        )
        for place in np.argsort(-np.abs(effect), kind="stable")
    )
    return tuple(wording.tell(part, average, tests) for part in slices)


def measure_again(
    slices: Sequence[Slice], rows: RowsInMemory, alpha: float, wording: Wording
) -> tuple[Slice, ...]:
    """Measure slices on rows that the search never saw: what was chosen for being large shrinks here."""
    if not slices:
        return ()
    counts = count_conjunctions(rows.columns, rows.groups, [part.terms for part in slices])
    total, total_agree = int(rows.sizes.sum()), int(rows.sizes[1])
    _, _, adjusted = significance.tested_by_holm(counts, rows.sizes)
    n, agree = counts.sum(axis=1), counts[:, 1]
    level = np.full(n.size, alpha / n.size)
    limits = significance.share_interval(np.maximum(n, 1), agree, total, total_agree, level)
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
