"""Do a paper's conclusions stand? Each is a claim that numbers of the re-run decide, never a word of ours.

A claim has an id, a sentence, a place and what is tested, under ``[[claims]]`` in the paper's file. Its test is a
function in the paper's module: it takes the frame of finished jobs and gives a list of `Sought`, or a `Decision`.
Enter it by its id in ``PAPER = Paper(..., tests={"id": function})``; `judge` does the rest.

Examples
--------
>>> import numpy as np
>>> rises = Sought.of_mean("dnf1", [4.0, 6.0, 5.0, 5.5], above=0)
>>> falls = Sought.of_mean("dnf2", [-1.0, -1.2, -0.9, -1.1], above=0)
>>> verdict_of([part.at(0.975) for part in (rises, falls)])
'holds in part'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan, nan, sqrt
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from fivefold.papers.printed import Claim, Published

if TYPE_CHECKING:
    import polars as pl

Verdict: TypeAlias = Literal["holds", "holds in part", "does not hold here", "cannot be decided"]
VERDICTS: tuple[Verdict, ...] = ("holds", "holds in part", "does not hold here", "cannot be decided")
ALPHA = 0.05
"""How often chance alone may put at least one interval of a claim on the wrong side."""
_LEAST, _RESAMPLES = 3, 2000


@dataclass(frozen=True)
class Part:
    """A number of the re-run with its interval; the claim needs a number between `above` and `below`."""

    what: str
    value: float
    low: float
    high: float
    above: float = -inf
    below: float = inf

    @property
    def holds(self) -> bool | None:
        """True or False where the interval lies wholly inside or outside the range, None where it does neither."""
        if isnan(self.low) or isnan(self.high):
            return None
        if self.low > self.above and self.high < self.below:
            return True
        return False if self.high <= self.above or self.low >= self.below else None

    def __str__(self) -> str:
        if isnan(self.value):
            return f"{self.what}: too few runs"
        known = isfinite(self.low) and self.low != self.high
        ends = f" ({_short(self.low)} to {_short(self.high)})" if known else ""
        return f"{self.what} {_short(self.value)}{ends}"

    @property
    def sought(self) -> str:
        """The range in which the claim would be true, in words."""
        if isfinite(self.above) and isfinite(self.below):
            return f"between {_short(self.above)} and {_short(self.below)}"
        return f"above {_short(self.above)}" if isfinite(self.above) else f"below {_short(self.below)}"


@dataclass(frozen=True)
class Sought:
    """A `Part` whose interval is found when the level is known; the value is NaN where there are too few runs."""

    what: str
    value: float
    interval: Callable[[float], tuple[float, float]]
    above: float = -inf
    below: float = inf

    def at(self, level: float) -> Part:
        """Give the number with its interval."""
        return Part(self.what, self.value, *self.interval(level), self.above, self.below)

    def cut(self, low: float, high: float) -> Self:
        """End the interval where the numbers do, such as correlations at -1 and 1."""

        def interval(level: float) -> tuple[float, float]:
            first, last = self.interval(level)
            return max(first, low), min(last, high)

        return replace(self, interval=interval)

    @classmethod
    def of_estimate(cls, what: str, value: float, error: float, *, df: float = inf, **sought: float) -> Self:
        """Take a number whose standard error is known, with Student's interval, or the normal one."""

        def interval(level: float) -> tuple[float, float]:
            half = float(stdtrit(df, (1 + level) / 2)) * error
            return value - half, value + half

        return cls(what, value, interval, **sought)

    @classmethod
    def of_mean(cls, what: str, values: ArrayLike, **sought: float) -> Self:
        """Take the mean of independent runs (or of differences within them), with Student's interval."""
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.size < _LEAST:
            return cls(what, nan, _unknown, **sought)
        if not np.ptp(numbers):  # runs that never differ do not tell how far others would lie
            return cls(what, float(numbers[0]), _unknown, **sought)
        error = float(numbers.std(ddof=1)) / sqrt(numbers.size)
        return cls.of_estimate(what, float(numbers.mean()), error, df=numbers.size - 1, **sought)

    @classmethod
    def of_share(cls, what: str, hits: int, of: int, **sought: float) -> Self:
        """Take a share of independent cases, with Clopper and Pearson's interval."""

        def interval(level: float) -> tuple[float, float]:
            tail = (1 - level) / 2
            low = float(betaincinv(hits, of - hits + 1, tail)) if hits else 0.0
            return low, float(betaincinv(hits + 1, of - hits, 1 - tail)) if hits < of else 1.0

        return cls(what, hits / of, interval, **sought) if of else cls(what, nan, _unknown, **sought)

    @classmethod
    def of_bootstrap(
        cls,
        what: str,
        statistic: Callable[..., float],
        *columns: ArrayLike,
        strata: ArrayLike | None = None,
        **sought: float,
    ) -> Self:
        """Take any statistic of columns of equal length, with the percentiles of 2,000 resamples of their rows.

        Rows are drawn within `strata` where those are given.
        """
        arrays = [np.asarray(column) for column in columns]
        size = len(arrays[0])
        if size < _LEAST:
            return cls(what, nan, _unknown, **sought)
        kinds = np.zeros(size) if strata is None else np.asarray(strata)
        rng = np.random.default_rng(size)
        groups = [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)]
        rows = np.hstack([rng.choice(group, (_RESAMPLES, len(group))) for group in groups])
        drawn = np.array([statistic(*(array[row] for array in arrays)) for row in rows])

        drawn = drawn[~np.isnan(drawn)]
        if not drawn.size or not np.ptp(drawn):
            return cls(what, statistic(*arrays), _unknown, **sought)

        def interval(level: float) -> tuple[float, float]:
            low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
            return float(low), float(high)

        return cls(what, statistic(*arrays), interval, **sought)

    @classmethod
    def of_exact(cls, what: str, value: float, **sought: float) -> Self:
        """Take a number that nothing random is in."""
        return cls(what, value, lambda level: (value, value), **sought)


def _unknown(level: float) -> tuple[float, float]:
    return nan, nan


@dataclass(frozen=True)
class Decision:
    """What a test gives where evidence is not all: what is tested in words, and what else the numbers say."""

    test: str
    evidence: Sequence[Sought]
    note: str = ""


@dataclass(frozen=True)
class Judgement:
    """A claim, its verdict, what was sought and at which level, the numbers, and what of them speaks for it."""

    claim: Claim
    verdict: Verdict
    test: str
    parts: tuple[Part, ...]
    why: str

    @property
    def numbers(self) -> str:
        """The numbers with their intervals, those against the claim first."""
        order = sorted(self.parts, key=lambda part: (part.holds is not False, part.holds is not None))
        ranges: dict[str, list[str]] = {}
        for part in order:
            ranges.setdefault(part.sought, []).append(str(part))
        if len(ranges) == 1:
            return "; ".join(map(str, order))
        return ". ".join(f"Sought {sought}: {'; '.join(own)}" for sought, own in ranges.items())


Test: TypeAlias = "Callable[[pl.DataFrame], Decision | Sequence[Sought]]"


def verdict_of(parts: Iterable[Part]) -> Verdict:
    """Give the verdict of the parts of a claim.

    It holds where all are shown, in part where some are shown and others refuted or open, and does not hold here
    where some are refuted and none is shown. Where all are open, it cannot be decided.
    """
    marks = {part.holds for part in parts}
    if marks == {True}:
        return "holds"
    if True in marks:
        return "holds in part"
    return "does not hold here" if False in marks else "cannot be decided"


def judge(published: Published, tests: Mapping[str, Test], frame: pl.DataFrame) -> tuple[Judgement, ...]:
    """Judge every claim of a paper that has a test, from its finished jobs.

    Each interval of a claim with k of them has the level 1 - 0.05 / k, so that all hold together in 95 of 100
    runs (Bonferroni).
    """
    return tuple(_judged(claim, tests[claim.id](frame)) for claim in published.claims if claim.id in tests)


def _judged(claim: Claim, given: Decision | Sequence[Sought]) -> Judgement:
    decision = given if isinstance(given, Decision) else Decision(claim.test, given)
    level = 1 - ALPHA / max(len(decision.evidence), 1)
    parts = tuple(evidence.at(level) for evidence in decision.evidence)
    ranges = {part.sought for part in parts}
    words = decision.test or claim.test
    test = f"{words}; sought: {ranges.pop()}" if len(ranges) == 1 else words
    if any(part.low != part.high for part in parts):
        test += f"; {100 * level:.3g} % intervals" + (
            f", 95 % for {'both' if len(parts) == 2 else f'all {len(parts)}'}" if len(parts) > 1 else ""
        )
    said = [decision.note] if decision.note else []
    why = said if said and not parts else [f"{_why(parts)}.", *said]
    return Judgement(claim, verdict_of(parts), f"{test}.", parts, " ".join(why))


def _why(parts: Sequence[Part]) -> str:
    if not parts:
        return "The runs that it needs are not there"
    words = {True: "shown", False: "refuted", None: "open"}
    groups = {word: [part.what for part in parts if part.holds is mark] for mark, word in words.items()}
    kept = {word: names for word, names in groups.items() if names}
    if len(kept) == 1:
        word, names = next(iter(kept.items()))
        whole = {1: "", 2: " for both"}.get(len(names), f" for all {len(names)}")
        return word.capitalize() + whole
    said = "; ".join(f"{word} for {', '.join(names)}" for word, names in kept.items())
    return said[0].upper() + said[1:]


def _short(value: float) -> str:
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) >= 1e-6 else "0"
    return text.replace("-", "−")
