r"""Causes: the few slices that explain all the others that a search has proven.

Beside a weak spot its parts, its specialisations and its neighbours deviate too, though only because of it. So the
slice with the strongest evidence is named first, and cuts the cases into two cells: inside and outside. A finding
that no longer deviates within cells, at its own level and in its own direction, is explained. The strongest of the
others is named next, and so on; a cause that later ones explain is taken back. Slices that name the truth or an
answer can be told only afterwards, and do not stand before the others: that a model errs on the rarer class would
explain much, and is of no use before the class is known.

With :math:`n_k` of the :math:`N_k` cases of cell k in a slice, :math:`a_k` and :math:`A_k` of them in a group,
the excess is :math:`O - E = \sum_k a_k - n_k A_k / N_k`. Cells that lie wholly inside or outside of the slice say
nothing about it: of a part of a cause only what is outside of the cause counts, and a specialisation is compared
with the rest of its cause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import binom, chdtri

from fivefold.slices._kernels import compare_within

Places = NDArray[np.intp]
Numbers = NDArray[np.float64]

MOST_CAUSES, FEW_CAUSES = 20, 4
MOST_ROUNDS = 4
# so many of those that a cause explains, the strongest first, may take its place
MOST_RIVALS = 16
# a cell with a smaller share of the cases is not cut again; five causes of half the cases each leave 32 cells
LEAST_SHARE = 1 / 128
# what holds for most cases is the rule; its exceptions explain it
MOST_CASES = 2 / 3
# of a slice and its complement the smaller is named, unless both are large
LARGE = 1 / 3
TIE = 1e-6


class CaseCells(Protocol):
    """Cases cut into cells, wherever they are."""

    def split(self, terms: NDArray[np.int32], which: Places) -> Self:
        """Cut some of the cells by a conjunction; their parts inside of it become new cells, after the others."""
        ...

    def totals(self, first: int = 0) -> NDArray[Any]:
        """Count the cases of each cell, from the first on."""
        ...

    def count(self, sets: NDArray[np.int32], first: int = 0) -> NDArray[Any]:
        """Count the cases of each conjunction in each cell, from the first on."""
        ...


@dataclass(frozen=True, eq=False)
class GroupMeasure:
    """Slices of cases in groups: how many cases of each group they have in excess, as a share of the group.

    The statistic is the likelihood ratio of the cells taken together, brought to the scale of Cochran, Mantel and
    Haenszel's test, which knows that cells differ; with one cell it is the likelihood ratio of its table.
    """

    sizes: NDArray[np.int64]
    worse: ClassVar[tuple[int, ...]] = (-1,)  # below average

    @property
    def df(self) -> int:
        """One less than the number of groups."""
        return self.sizes.size - 1

    def inside(self, counts: NDArray[Any]) -> Numbers:
        """Add up the groups."""
        return np.asarray(counts.sum(axis=-1), dtype=np.float64)

    def rates(self, totals: NDArray[Any]) -> Numbers:
        """Give the shares of the groups in a cell, as shares of the groups."""
        return np.asarray(totals / np.maximum(totals.sum(axis=-1, keepdims=True), 1) / self.sizes)

    def test(
        self, counts: NDArray[Any], totals: NDArray[Any], cell_of: Places, n_cells: int
    ) -> tuple[Numbers, Numbers]:
        """Compare the groups within cells."""
        excess, statistic = compare_within(counts, totals, cell_of, n_cells)
        return excess / self.sizes, statistic


@dataclass(frozen=True, eq=False)
class ScoreMeasure:
    """Slices of numbers: by how much their sum exceeds that of as many cases dealt at random from their cells.

    A count is (cases, sum), a total (cases, sum, sum of squares); the gap is a share of `whole`.
    """

    whole: float
    df: int = 1
    worse: ClassVar[tuple[int, ...]] = (-1, 1)  # a number may be a gain or a loss

    def inside(self, counts: NDArray[Any]) -> Numbers:
        """Give the cases."""
        return np.asarray(counts[..., 0], dtype=np.float64)

    def rates(self, totals: NDArray[Any]) -> Numbers:
        """Give the mean of each cell."""
        return np.asarray(totals[..., 1:2] / np.maximum(totals[..., :1], 1) / self.whole)

    def test(
        self, counts: NDArray[Any], totals: NDArray[Any], cell_of: Places, n_cells: int
    ) -> tuple[Numbers, Numbers]:
        """Compare the sums within cells."""
        into = np.eye(n_cells)[cell_of[cell_of >= 0]].T
        counts, totals = into @ counts[:, cell_of >= 0], into @ totals[cell_of >= 0]
        n, sums = counts[..., 0], counts[..., 1]
        size, total, squares = totals.T
        spread = np.maximum(squares - total**2 / np.maximum(size, 1), 0.0) / np.maximum(size - 1, 1)
        variance = (n * (size - n) / np.maximum(size, 1) * spread).sum(axis=1)
        telling = (n > 0) & (n < size)
        gap = np.where(telling, sums - n * total / np.maximum(size, 1), 0.0).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(variance > 0, gap**2 / variance, 0.0)
        return gap[:, None] / self.whole, statistic


@dataclass(frozen=True, eq=False)
class Suspects:
    """What a search has proven, and how to test it again.

    cells: All cases, in one cell.
    measure: How far slices deviate.
    sets (m, length): The terms of each, padded with -1.
    counts (m, 1, ...): The cases of each, in that cell.
    levels (m,): The level of a test of each.
    prices (m,): How much evidence each needs for having been chosen among many, in nats.
    least: The least gap that matters.
    crowding (m,): By how much more each varies, where cases belong together.
    late (m,): Whether each can be told only afterwards.
    pack: Gives the items that have the cells, where those of very many cases were let go.
    """

    cells: CaseCells
    measure: GroupMeasure | ScoreMeasure
    sets: NDArray[np.int32]
    counts: NDArray[Any]
    levels: Numbers
    prices: Numbers
    least: float
    crowding: Numbers
    late: NDArray[np.bool_]
    pack: Callable[[], Any] | None = None

    def among(self, places: Places) -> Self:
        """Take some of them."""
        names = ("sets", "counts", "levels", "prices", "crowding", "late")
        return replace(self, **{name: getattr(self, name)[places] for name in names})

    def explain(self, places: Places) -> tuple[Places, Places]:
        """Find the causes of some of them, as if the others had not been found."""
        whole = self if self.pack is None else replace(self, cells=self.pack().cells())
        return find_causes(whole.among(places))

    def let_go(self, pack: Callable[[], Any]) -> Self:
        """Forget the cells, which take more room than all else, until they are asked for."""
        nothing: Any = None
        return replace(self, cells=nothing, pack=pack)


def find_causes(suspects: Suspects) -> tuple[Places, Places]:
    """Name the causes of all that was proven, and the one that explains each of the others; -1 where none does.

    Where anything was proven there is a cause; the strongest evidence comes first, and after all others comes what
    can be told only afterwards.
    """
    if suspects.levels.size == 0:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    whole, late = _explain_best(suspects), suspects.late
    if not late[whole.causes].any() or late.all():
        return whole.ranked(), whole.because
    early, because = np.flatnonzero(~late), whole.because
    alone = _explain_best(suspects.among(early))
    because[early] = np.where(alone.because >= 0, early[alone.because], -1)
    # what was explained by one that has given way is explained by what that has given way to
    because = np.where((because >= 0) & (because[because] >= 0), because[because], because)
    ranked = whole.ranked()
    shown = np.concatenate([early[alone.ranked()], ranked[late[ranked]]])[:MOST_CAUSES]
    return shown, np.where(np.isin(because, shown), because, -1)


def _explain_best(suspects: Suspects) -> _Explanation:
    """Explain all; where the causes are few, once more from what is below average on, single terms first.

    Two terms may be the worst together only because each is bad, or the best because neither is there; and where
    two of four cells are bad, the others are as good. Where high numbers may be as bad as low ones, both sides are
    tried, and evidence alone decides.
    """
    best = _explain(suspects, [], MOST_CAUSES)
    for first in best.below_average() if 1 < len(best.causes) <= FEW_CAUSES or best.praises() else ():
        start = _explain(suspects.among(first), [], FEW_CAUSES).causes if first.size else []
        other = _explain(suspects, [int(first[place]) for place in start], FEW_CAUSES)
        if other.replaces(best):
            best = other
    return best


def _explain(suspects: Suspects, causes: list[int], most: int) -> _Explanation:
    explanation = _Explanation(suspects, causes, np.full(suspects.levels.size, -1, dtype=np.intp), most)
    for _ in range(MOST_ROUNDS if len(explanation.causes) <= FEW_CAUSES else 1):
        revised = explanation.revised()
        if revised == explanation.causes:
            break
        # what the other causes explain stays explained
        kept = np.where(np.isin(explanation.because, revised), explanation.because, -1)
        kept[revised] = -1
        explanation = _Explanation(suspects, revised, kept, most)
    return explanation


class _Explanation:
    """Causes, the cells into which they cut the cases, and which cause explains each of the other findings."""

    def __init__(self, suspects: Suspects, causes: list[int], because: Places, most: int) -> None:
        self.suspects, self.causes, self.because = suspects, list[int](), because
        self._cells, self._totals = suspects.cells, suspects.cells.totals()
        self._whole, self._lengths = self._totals[0].copy(), (suspects.sets >= 0).sum(axis=1)
        # which cells lie in which causes
        self._patterns = np.zeros((1, 0), dtype=bool)
        self._gaps, statistic = suspects.measure.test(
            suspects.counts, self._totals, np.zeros(1, dtype=np.intp), 1
        )
        self._evidence = statistic / suspects.crowding / 2 - suspects.prices
        self._share = suspects.measure.inside(suspects.counts)[:, 0] / suspects.measure.inside(self._totals)
        self._critical = chdtri(suspects.measure.df, suspects.levels)
        for cause in causes:
            self._add(cause, self._count(np.array([cause]))[0])
        for candidates in (self._share <= MOST_CASES, self._share > MOST_CASES):
            candidates[self.causes] = False
            self._grow(np.flatnonzero(candidates & (because < 0)), most)

    def _grow(self, alive: Places, most: int) -> None:
        """Name causes until nothing is left unexplained."""
        counts, evidence = self._count(alive), self._evidence[alive]
        while len(self.causes) < most:
            if self.causes:
                evidence, left = self._test(alive, counts, slice(None))
                self.because[alive[~left]] = self._blame(alive[~left], counts[~left])
                alive, counts, evidence = alive[left], counts[left], evidence[left]
            if alive.size == 0:
                break
            cause = self._strongest(alive, evidence)
            others = alive != cause
            self._add(cause, counts[~others][0])
            alive, counts = alive[others], self._recount(alive[others], counts[others])

    def _add(self, cause: int, counts: NDArray[Any]) -> None:
        """Name a cause with these cases in each cell: cut the cells that it cuts, unless they are small."""
        measure = self.suspects.measure
        inside, size = measure.inside(counts), measure.inside(self._totals)
        worth = (size >= LEAST_SHARE * size.sum()) | (inside == inside.max())
        self._cut = np.flatnonzero((inside > 0) & (inside < size) & worth)
        terms = self.suspects.sets[cause]
        self._cells = self._cells.split(terms[terms >= 0], self._cut)
        # cases of groups are counted already; of numbers the squares are not
        known = counts.shape == self._totals.shape
        parts = counts[self._cut] if known else self._cells.totals(len(self._totals))
        self._totals[self._cut] -= parts
        self._totals = np.concatenate([self._totals, parts])
        within = 2 * inside > size
        within[self._cut] = False
        flags = np.concatenate([within, np.ones(self._cut.size, dtype=bool)])
        patterns = np.concatenate([self._patterns, self._patterns[self._cut]])
        self._patterns = np.column_stack([patterns, flags])
        self.causes.append(cause)

    def _recount(self, places: Places, counts: NDArray[Any]) -> NDArray[Any]:
        """Bring counts up to the last cut."""
        parts = self._cells.count(np.ascontiguousarray(self.suspects.sets[places]), counts.shape[1])
        counts[:, self._cut] -= parts
        return np.concatenate([counts, parts], axis=1)

    def _count(self, places: Places) -> NDArray[Any]:
        if not self.causes:
            return self.suspects.counts[places]
        return self._cells.count(np.ascontiguousarray(self.suspects.sets[places]))

    def _strongest(self, places: Places, evidence: Numbers) -> int:
        """Choose the strongest evidence; if equal: fewer terms, the smaller, the one below average."""
        equal = places[evidence >= evidence.max() - TIE]
        large, above = self._share[equal] > LARGE, self._gaps[equal, -1] > 0
        return int(equal[np.lexsort((equal, above, large, self._lengths[equal]))[0]])

    def _test(self, places: Places, counts: NDArray[Any], columns: Any) -> tuple[Numbers, NDArray[np.bool_]]:
        """Give the evidence of findings beside these of the causes, and whether it suffices.

        The cases outside of all causes are also tested alone: where a case cannot become worse by a second cause,
        the effect of this one is seen there only.
        """
        measure, patterns = self.suspects.measure, self._patterns[:, columns]
        cell_of, n_cells = _number(patterns)
        gaps, statistic = measure.test(counts, self._totals, cell_of, n_cells)
        statistic = np.where(self._same_way(places, gaps), statistic, 0.0)
        outside = np.where(patterns.any(axis=1), -1, 0)
        if n_cells > 1 and not outside.all():
            gaps_outside, alone = measure.test(counts, self._totals, outside, 1)
            alone = np.where(self._same_way(places, gaps_outside), alone, 0.0)
            gaps = np.where((alone > statistic)[:, None], gaps_outside, gaps)
            statistic = np.maximum(alone, statistic)
        statistic = statistic / self.suspects.crowding[places]
        sure = statistic > self._critical[places]
        # the largest difference between two gaps, the gap itself where there is one only
        size = np.ptp(gaps, axis=1) if gaps.shape[1] > 1 else np.abs(gaps[:, 0])
        return statistic / 2 - self._prices(places, columns), sure & (size >= self.suspects.least)

    def _prices(self, places: Places, columns: Any) -> Numbers:
        """Give the evidence that findings need beside these causes: what narrows one pays for what it adds.

        Else what is bad within a cause would be blamed on the added terms alone, though they do no harm elsewhere.
        """
        sets, own = self.suspects.sets, self.suspects.prices
        prices, lengths = own[places], self._lengths[places]
        for side in self._sides(np.array(self.causes, dtype=np.intp)[columns]):
            terms = sets[side][sets[side] >= 0]
            narrows = (np.isin(sets[places], terms).sum(axis=1) == terms.size) & (lengths > terms.size)
            # each of so many terms narrows several of so few
            added = own[places] - own[side] + np.log(np.maximum(binom(lengths, terms.size), 1.0))
            prices = np.where(narrows, np.minimum(prices, added), prices)
        return prices

    def _sides(self, causes: Places) -> Places:
        """Add to causes the single terms for what they leave out, where no side is the worse one to name."""
        if 1 not in self.suspects.measure.worse:
            return causes
        counts = self.suspects.counts[:, 0]
        rest = self._whole[: counts.shape[1]] - counts[causes]
        single = np.flatnonzero(self._lengths == 1)
        outside = (counts[single, None] == rest).all(axis=2).any(axis=1)
        return np.concatenate([causes, single[outside]])

    def _same_way(self, places: Places, gaps: Numbers) -> NDArray[np.bool_]:
        return np.asarray((gaps * self._gaps[places]).sum(axis=1) > 0)

    def _blame(self, places: Places, counts: NDArray[Any]) -> Places:
        """Find the cause that contributes most to the deviation of each."""
        measure, gaps = self.suspects.measure, self._gaps[places]
        n, size, within = (
            measure.inside(counts),
            measure.inside(self._totals),
            self._patterns.astype(np.float64),
        )
        more = n @ within - n.sum(axis=1, keepdims=True) * (size @ within / size.sum())
        rates = [measure.rates(part.T @ self._totals) for part in (within, 1 - within)]
        shares = more * (gaps @ (rates[0] - rates[1]).T)
        return np.asarray(np.array(self.causes, dtype=np.intp)[shares.argmax(axis=1)])

    def revised(self) -> list[int]:
        """Take back the causes that others explain; few causes give way to relatives that explain more."""
        causes = np.array(self.causes, dtype=np.intp)
        counts, kept = self._count(causes), np.ones(causes.size, dtype=bool)
        while kept.sum() > 1:
            beside = [self._test(causes[[i]], counts[[i]], _without(kept, i)) for i in range(causes.size)]
            needless = [
                (evidence[0], i) for i, (evidence, fit) in enumerate(beside) if kept[i] and not fit[0]
            ]
            if not needless:
                break
            kept[min(needless)[1]] = False
        if kept.sum() < kept.size or not 1 < causes.size <= FEW_CAUSES:
            return [int(cause) for cause in causes[kept]]
        rivals = [self._rivals(cause) for cause in self.causes]
        ends = np.cumsum([places.size for places in rivals])
        counted = np.split(self._count(np.concatenate(rivals)), ends[:-1])
        return list(dict.fromkeys(map(self._best, range(causes.size), rivals, counted)))

    def _rivals(self, cause: int) -> Places:
        """Give a cause and the strongest of those that it explains."""
        explained = np.flatnonzero((self.because == cause) & (self._share <= MOST_CASES))
        rivals = explained[np.argsort(-self._evidence[explained], kind="stable")][:MOST_RIVALS]
        return np.concatenate([[cause], rivals])

    def _best(self, number: int, places: Places, counts: NDArray[Any]) -> int:
        """Give a cause, or a rival of it whose evidence beside the other causes is stronger."""
        evidence, fit = self._test(places, counts, _without(np.ones(len(self.causes), bool), number))
        if evidence[0] >= evidence[fit].max() - TIE:
            return int(places[0])
        return self._strongest(places[fit], evidence[fit])

    def better(self) -> set[int]:
        """Find the causes that are better than average, where that is the side that is not to be named."""
        sided = 1 not in self.suspects.measure.worse
        return {cause for cause in self.causes if sided and self._gaps[cause, -1] > 0}

    def praises(self) -> bool:
        """Say whether a cause, one of few, says of several terms that together they are better than average."""
        return len(self.causes) <= FEW_CAUSES and any(self._lengths[cause] > 1 for cause in self.better())

    def below_average(self) -> Iterator[Places]:
        """Find single terms that are worse than average; where several terms are praised, all that is worse."""
        for side in self.suspects.measure.worse:
            worse = side * self._gaps[:, -1] > 0
            yield np.flatnonzero(worse & (self._lengths == 1))
            if self.praises():
                yield np.flatnonzero(worse)

    def replaces(self, other: _Explanation) -> bool:
        """Say whether this explains as much in about as few causes, with more evidence or less praise."""
        complete = len(self.causes) == (self.because < 0).sum() and len(self.causes) <= len(other.causes) + 1
        # where two terms are good together only, neither is praised alone
        if not complete or set(self.causes) == set(other.causes) or not self.better() <= other.better():
            return False
        return (other.praises() and not self.praises()) or self.score() > other.score()

    def score(self) -> float:
        """Add up the evidence of each cause beside those before it."""
        counts = self._count(np.array(self.causes, dtype=np.intp))
        return float(
            sum(
                self._test(np.array([cause]), counts[[number]], slice(number))[0][0]
                for number, cause in enumerate(self.causes)
            )
        )

    def ranked(self) -> Places:
        """Give the causes, the strongest evidence first: what explains most comes before its neighbours."""
        causes = np.array(self.causes, dtype=np.intp)
        return causes[np.argsort(-self._evidence[causes], kind="stable")]


def _without(flags: NDArray[np.bool_], place: int) -> NDArray[np.bool_]:
    return np.asarray(flags & (np.arange(flags.size) != place))


def _number(patterns: NDArray[np.bool_]) -> tuple[Places, int]:
    """Give equal rows equal numbers."""
    if patterns.shape[1] == 0:
        return np.zeros(len(patterns), dtype=np.intp), 1
    packed = np.ascontiguousarray(np.packbits(patterns, axis=1))
    different, numbers = np.unique(packed.view(f"V{packed.shape[1]}")[:, 0], return_inverse=True)
    return numbers, different.size
