"""Where is a number of each case, such as bits, a reward or a loss, higher or lower than average?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from fivefold.data.conditions import Term
from fivefold.errors import InputError
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.frames import as_numbers, check_length
from fivefold.inputs.groups import Groups, find_unnamed_groups, read_groups, take_groups, warn_of_groups
from fivefold.inputs.options import RandomState, as_generator, one_of
from fivefold.progress import shows_progress
from fivefold.slices import significance
from fivefold.slices._kernels import sums
from fivefold.slices.attributes import Attributes, read_attributes
from fivefold.slices.causes import ScoreMeasure, Suspects, find_causes
from fivefold.slices.clusters import Clusters
from fivefold.slices.contrast_search import (
    Family,
    Level,
    Permuted,
    Pruner,
    Reached,
    SearchOptions,
    gather,
    prices,
    search,
    step_down,
)
from fivefold.slices.items import Bins, PackedCells, PackedItems, RowsInMemory, joined_columns
from fivefold.slices.sentences import Scores
from fivefold.slices.slice_set import Correction, Proven, Slice, SliceSet
from fivefold.slices.stucco import check_device, refuse_dask

LEAST_CASES = 10
DRAWS_AT_ONCE = 32
# sums of squares of larger ones are infinite
LARGEST_SCORE = 1e140
# sums over the same cases in another order may differ by rounding, and must count as reached
ROUNDING = 1 - 1e-9

# a card pays for numbers from so many times fewer cases on than for labels
COST_OF_SUM = 4

Numbers = NDArray[np.float64]


@shows_progress
def find_scores(
    X: Any,
    scores: Any,
    *,
    test: str = "permutation",
    alpha: float = 0.05,
    min_support_difference: float = 0.02,
    max_terms: int = 3,
    bins: Bins = None,
    keep: Sequence[str] = (),
    missing_as_value: bool = False,
    summary: str = "causes",
    n_permutations: int = 999,
    score: str = "The score",
    categorical_features: CategoricalFeatures = "from_dtype",
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    device: str = "cpu",
    progress: bool | None = None,
) -> SliceSet:
    r"""Find the cases on which a number is higher or lower than average.

    Any number will do, so that models that answer with sets or probabilities can be sliced as well: the
    ``per_example`` of an encoding or a reward, a loss, a difference between two models. A slice with n cases has
    the effect :math:`n(\bar x_S - \bar x)`, and is reported if this is at least a share `min_support_difference`
    of :math:`\frac12 \sum_i |x_i - \bar x|` (for numbers 0 and 1 that is the support difference of `find_errors`)
    and if it survives a correction for all the slices that were looked at.

    Parameters
    ----------
    X : dataframe or 2-D array-like
        The attributes.
    scores : array-like
        A finite number for each case.
    test : {"permutation", "rank"}
        ``"permutation"``: deals the numbers out anew, and compares the largest standardised effect (Westfall and
        Young, step-down). ``"rank"``: Wilcoxon's rank sum at the layered levels of `Stucco`, which no outlier
        impresses; with ties, too, and in small slices its tails are those of dealing the ranks out.
    alpha, min_support_difference, max_terms, bins, keep, missing_as_value
        As in `find_errors`.
    summary : {"causes", "none"}
        What to show, as in `find_errors`.
    n_permutations : int
        For ``"permutation"``.
    score : str
        What the number is called, for the sentences.
    groups : array-like or str, optional
        Which cases belong together, as in `find_errors`; then ranks, too, are dealt out, groups kept whole.
    categorical_features, n_jobs, random_state, progress
        As in `find_errors`.
    device : {"cpu", "cuda", "auto"}
        As in `Stucco`: who counts conjunctions and adds up the numbers of each deal.

    Returns
    -------
    SliceSet
        Ordered as in `find_errors`; ``n_agree`` is None.

    Examples
    --------
    >>> import numpy as np
    >>> import polars as pl
    >>> X = pl.DataFrame({"colour": ["red", "blue"] * 200})
    >>> loss = np.tile([1.0, 0.2], 200) + np.random.default_rng(0).random(400)
    >>> slices = find_scores(X, loss, score="The loss", random_state=0)
    >>> print(slices[0].conditions, round(slices[0].difference, 1), len(slices))
    colour = blue -0.4 1
    """
    refuse_dask(X, "find_scores")
    X, groups = take_groups(X, groups)
    attributes = read_attributes(X, categorical_features, keep)
    columns = attributes.columns
    values = _checked(scores, len(columns[0]))
    one_of(test, ("permutation", "rank"), "test")
    one_of(summary, ("causes", "none"), "summary")
    belonging = read_groups(groups, values.size)
    options = SearchOptions(
        alpha=alpha,
        min_support_difference=min_support_difference,
        max_terms=max_terms,
        summary=summary,
        n_permutations=n_permutations,
        n_jobs=n_jobs,
        device=device,
    )
    check_device(options)
    rows = RowsInMemory(columns, np.zeros(values.size, dtype=np.uint8), 1, belonging=belonging)
    cuts = rows.cut_points(bins)
    n_draws = n_permutations if test == "permutation" or belonging is not None else 0
    joined = joined_columns(cuts, columns, bins)
    items = rows.pack(cuts, missing_as_value, joined, LEAST_CASES, options.threads)
    if device != "cpu":
        from fivefold.slices.cuda import to_card

        items = to_card(items, device, COST_OF_SUM * n_draws, DRAWS_AT_ONCE * values.size)
    scored = search_scores(items, values, options, test, as_generator(random_state))
    correction = "westfall-young" if n_draws else "layered"
    tests = Correction(correction, alpha, scored.n_tests, scored.alphas, n_draws)
    teller = _Teller(items.terms, scored, values, tests, Scores(score))
    if summary == "causes":
        proven = _explained(items, scored, values, options, test, teller)
        slices = proven.told(proven.shown)
    else:
        proven, slices = None, teller(np.argsort(-np.abs(scored.sums), kind="stable"))
    return SliceSet(
        slices,
        values.size,
        None,
        float(values.mean()),
        tests,
        rows.schema,
        note=_note(attributes, values, belonging, items.counted_on),
        cuts=cuts,
        proven=proven,
        left_out=attributes.left_out,
        read_as=attributes.read_as,
    )


def _explained(
    items: PackedItems,
    scored: ScoredSets,
    values: Numbers,
    options: SearchOptions,
    test: str,
    teller: _Teller,
) -> Proven:
    """Find the causes: by the sums of the numbers, or of their ranks where these were tested."""
    numbers = _ranks(values) if test == "rank" else values
    deviations = numbers - numbers.mean()
    cells = ScoredCells(items, items.layout.everything(), deviations)
    lengths = np.array([len(terms) for terms in scored.sets], dtype=np.int64)
    sets = np.full((lengths.size, lengths.max(initial=1)), -1, dtype=np.int32)
    for place, row in enumerate(scored.sets):
        sets[place, : len(row)] = row
    suspects = Suspects(
        cells,
        ScoreMeasure(least_effect(deviations, 1.0)),
        sets,
        cells.count(sets),
        scored.level,
        prices(lengths, scored.n_tests),
        options.min_support_difference,
        scored.crowding,
        np.zeros(lengths.size, dtype=bool),
    )
    shown, because = find_causes(suspects)
    terms = [tuple(items.terms[item] for item in row) for row in scored.sets]
    difference = scored.sums / scored.n
    return Proven(
        terms, difference, scored.sums, shown, because, np.arange(lengths.size), teller, suspects.explain
    )


def _note(attributes: Attributes, values: Numbers, belonging: Groups | None, counted_on: str) -> str:
    """Say which cases belong together, or seem to, and who counted, if not the processor."""
    whole = [column for column in attributes.columns if not column.is_part]
    note = warn_of_groups(find_unnamed_groups([*whole, *attributes.repeated], values))
    if belonging is not None:
        note = f"Tests and intervals respect {belonging}."
    return f"{note} Counted on {counted_on}.".strip() if counted_on else note


def _checked(scores: Any, n_cases: int) -> NDArray[np.float64]:
    values = np.asarray(as_numbers(scores, "scores"), dtype=np.float64)
    if values.ndim != 1:
        raise InputError("scores to be one-dimensional", f"an array of shape {values.shape}")
    check_length(values, n_cases, "scores")
    wild = np.flatnonzero(~np.isfinite(values))
    if wild.size:
        raise InputError(
            "a finite number for every case",
            f"{values[wild[0]]} (inf or nan) in row {wild[0]} ({wild.size} in all)",
            "an infinite loss has no mean: slice its rank, or a bounded score",
        )
    largest = int(np.argmax(np.abs(values)))
    if abs(values[largest]) > LARGEST_SCORE:
        raise InputError(
            f"numbers up to {LARGEST_SCORE:g}", f"{values[largest]} in row {largest}", "divide all of them"
        )
    if np.ptp(values) == 0:
        raise InputError("numbers that differ", f"{values[0]} in every row")
    return values


@dataclass(frozen=True, eq=False)
class _Teller:
    """Tell what was found at some places."""

    terms: tuple[Term, ...]
    scored: ScoredSets
    values: Numbers
    tests: Correction
    wording: Scores

    def __call__(self, places: NDArray[np.intp]) -> tuple[Slice, ...]:
        scored, average = self.scored, float(self.values.mean())
        n, sums, level = scored.n[places], scored.sums[places], scored.level[places]
        total = (self.values.size, 0.0, float(((self.values - average) ** 2).sum()))
        widening = None if scored.widening is None else scored.widening[places]
        low, high = significance.mean_interval(n, sums, scored.squares[places], total, level, widening)
        z = self.tests.z(scored.statistic[places], scored.adjusted_p_value[places], level)
        shrunk = significance.shrink(sums / n, (low, high), z, level)
        slices = []
        for i, place in enumerate(places):
            difference = float(sums[i] / n[i])
            part = Slice(
                tuple(self.terms[item] for item in scored.sets[place]),
                int(n[i]),
                None,
                average + difference,
                difference,
                float(sums[i]),
                (float(low[i]), float(high[i])),
                float(scored.statistic[place]),
                float(scored.p_value[place]),
                float(scored.adjusted_p_value[place]),
                float(shrunk[i]),
            )
            slices.append(self.wording.tell(part, average, self.tests))
        return tuple(slices)


@dataclass(frozen=True, eq=False)
class ScoredCells(PackedCells):
    """Cells of cases that have numbers, in the order of the bits: a count is (cases, sum)."""

    values: Numbers

    def totals(self, first: int = 0) -> NDArray[Any]:
        """Give the cases of each cell, from the first on, the sum of their numbers and of the squares."""
        rows = self.bits[first:]
        each = np.arange(len(rows), dtype=np.int32)[:, None]
        return np.column_stack([super().totals(first)[:, 0], *sums(rows, each, self.values)])

    def count(self, sets: NDArray[np.int32], first: int = 0) -> NDArray[Any]:
        """Give the cases of each conjunction in each cell, from the first on, and the sum of their numbers."""
        rows, n_items = self.bits[first:], len(self.items.bits)
        bits = np.concatenate([self.items.bits, rows])
        cells = np.arange(n_items, n_items + len(rows), dtype=np.int32)
        both = np.column_stack([np.repeat(sets, len(rows), axis=0), np.tile(cells, len(sets))])
        added = sums(bits, both, self.values)[0].reshape(len(sets), len(rows))
        return np.stack([super().count(sets, first)[:, :, 0], added], axis=2)


@dataclass(frozen=True, eq=False)
class ScoredSets:
    """The conjunctions that were found, and the number of tests behind them.

    `statistic` is the number of standard deviations from random dealing; `level` is one less the confidence of
    an interval; `squares` and `sums` are those of the deviations from the mean; `crowding` is by how
    much more they vary where cases belong together.
    """

    sets: list[tuple[int, ...]]
    n: NDArray[np.int64]
    sums: Numbers
    squares: Numbers
    statistic: Numbers
    p_value: Numbers
    adjusted_p_value: Numbers
    level: Numbers
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]
    crowding: Numbers
    widening: Numbers | None = None


def search_scores(
    items: PackedItems, scores: Numbers, options: SearchOptions, test: str, rng: np.random.Generator
) -> ScoredSets:
    """Search and test all conjunctions; `scores` in the order of the bits."""
    deviations = scores - scores.mean()
    least = least_effect(deviations, options.min_support_difference)
    pruner = score_pruner(deviations, least)
    levels = search(items, options, pruner)
    family = gather(levels, [np.flatnonzero(pruner(level)) for level in levels])
    n = family.counts.sum(axis=1)
    effects, squares = sums(items.bits, family.sets, deviations)
    large = np.abs(effects) >= least
    tested = _ranks(scores) - (scores.size + 1) / 2 if test == "rank" else deviations
    clusters = None if items.clusters is None else replace(items.clusters, outcomes=tested)
    crowding = np.ones(n.size) if clusters is None else clusters.crowding(items.bits, family.sets, n)
    if test == "rank" and clusters is None:
        alphas, n_tests = [level.alpha for level in levels], tuple(level.n_candidates for level in levels)
        share = options.alpha / np.array(alphas)[family.lengths - 1]
        statistic, p_value = _test_ranks(items, family, tested, large, options.alpha / share)
        adjusted = np.minimum(1.0, p_value * share)
    else:
        # sums of ranks have no least size that matters
        totals, bar = (sums(items.bits, family.sets, tested)[0], 0.0) if test == "rank" else (effects, least)
        statistic = _z(totals, n, tested) / np.sqrt(crowding)
        deal = _Deal(tested, clusters, crowding)
        permuted = _permute(items, family, np.where(large, statistic, 0.0), deal, bar, options, rng)
        p_value, adjusted, n_tests = _two_sided(statistic), permuted.adjusted, family.n_tests
        alphas = [float(_two_sided(permuted.critical(options.alpha)))] * len(levels)
    passed = np.flatnonzero(large & (adjusted <= options.alpha))
    level = np.array(alphas)[family.lengths[passed] - 1]
    widening = None
    if clusters is not None:
        by_score = replace(clusters, outcomes=deviations)
        widening = by_score.widen(by_score.crowding(items.bits, family.sets[passed], n[passed]), level)
    return ScoredSets(
        [tuple(item for item in row if item >= 0) for row in family.sets[passed].tolist()],
        n[passed],
        effects[passed],
        squares[passed],
        statistic[passed],
        p_value[passed],
        adjusted[passed],
        level,
        n_tests,
        tuple(alphas),
        crowding[passed],
        widening,
    )


def least_effect(deviations: Numbers, share: float) -> float:
    r"""Give the least effect that matters: a share of :math:`\frac12 \sum_i |x_i - \bar x|`.

    For numbers 0 and 1 this is the support difference: half the sum is AN/T.
    """
    return share * 0.5 * float(np.abs(deviations).sum())


def score_pruner(deviations: Numbers, least: float) -> Pruner:
    """Prune by size: with too few cases no dealing of the numbers reaches the least effect."""
    ordered = np.sort(deviations)
    high = np.concatenate([[0.0], np.maximum.accumulate(np.cumsum(ordered[::-1]))])
    low = np.concatenate([[0.0], np.maximum.accumulate(np.cumsum(-ordered))])
    best = np.maximum(high, low)

    def survives(level: Level) -> NDArray[np.bool_]:
        dead = (level.inside < LEAST_CASES) | (best[level.inside] < least)
        return np.asarray(~(dead | significance.identical(level.inside, level.least_part)))

    return survives


def _two_sided(statistic: Numbers) -> Numbers:
    return np.asarray(2 * ndtr(-statistic))


def _z(effects: Numbers, n: NDArray[np.int64], deviations: Numbers) -> Numbers:
    total = deviations.size
    return np.asarray(np.abs(effects) / (deviations.std() * np.sqrt(n * (total - n) / (total - 1))))


def _test_ranks(
    items: PackedItems, family: Family, deviations: Numbers, large: NDArray[np.bool_], levels: Numbers
) -> tuple[Numbers, Numbers]:
    """Test the sums of ranks; where ties or few cases make the normal law too sure, that of dealing counts."""
    n = family.counts.sum(axis=1)
    totals = sums(items.bits, family.sets, deviations)[0]
    statistic = _z(totals, n, deviations)
    p_value = _two_sided(statistic)
    places = np.flatnonzero(large & (p_value <= levels))
    dealt = significance.dealt_p_values(deviations, n[places], totals[places])
    p_value[places] = np.maximum(p_value[places], dealt)
    return statistic, p_value


@dataclass(frozen=True, eq=False)
class _Deal:
    """Numbers to deal out anew; those of cases that belong together stay together."""

    deviations: Numbers
    clusters: Clusters | None
    crowding: Numbers

    def draw(self, rng: np.random.Generator, draws: int) -> Numbers:
        """Give a column of deviations for each deal, all with the same mean and spread."""
        if self.clusters is None:
            return np.column_stack([rng.permutation(self.deviations) for _ in range(draws)])
        dealt = np.column_stack(list(self.clusters.deal(rng, draws)))
        dealt -= dealt.mean(axis=0)
        spread = dealt.std(axis=0)
        return np.ascontiguousarray(dealt * (self.deviations.std() / np.where(spread > 0, spread, np.inf)))


def _permute(
    items: PackedItems,
    family: Family,
    observed: Numbers,
    deal: _Deal,
    least: float,
    options: SearchOptions,
    rng: np.random.Generator,
) -> Permuted:
    sd = float(deal.deviations.std())

    def count_reached(order: NDArray[np.intp], stream: np.random.Generator, draws: int) -> Reached:
        dealt, crowding = deal.draw(stream, draws), np.ascontiguousarray(deal.crowding[order])
        sets, bar = np.ascontiguousarray(family.sets[order]), observed[order] * ROUNDING
        inside = family.counts.sum(axis=1)[order]
        return items.count_dealt(sets, inside, bar, dealt, sd, least * ROUNDING, crowding)

    return step_down(observed, count_reached, DRAWS_AT_ONCE, options, rng)


def _ranks(values: Numbers) -> Numbers:
    """Give the place of each number among all; those that are tied share the mean of their places."""
    _, place, tied = np.unique(values, return_inverse=True, return_counts=True)
    middles: Numbers = np.cumsum(tied) - (tied - 1) / 2
    return middles[place]
