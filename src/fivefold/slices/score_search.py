"""Where is a number of each case, such as bits, a reward or a loss, higher or lower than average?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from fivefold.data.conditions import Term
from fivefold.data.cut_points import Bins
from fivefold.errors import InputError
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.frames import as_numbers, check_length
from fivefold.inputs.options import RandomState, as_generator, one_of
from fivefold.progress import shows_progress
from fivefold.slices import contrast_search, significance
from fivefold.slices.attributes import is_dask, take_named
from fivefold.slices.causes import ScoreMeasure, Suspects, find_causes
from fivefold.slices.contrast_search import Family, Level, Pruner, ReadAttributes, SearchOptions
from fivefold.slices.dask_tables import GroupedRows
from fivefold.slices.find import about_groups, grouped_rows
from fivefold.slices.items import Items, PackedItems, Reached, RowsInMemory, joined_columns
from fivefold.slices.sentences import make_slices
from fivefold.slices.significance import SMALLEST, Correction, deviations_of, least_effect, on_grid
from fivefold.slices.slice_set import Proven, Scores, Slice, SliceSet

LEAST_CASES = 10
DRAWS_AT_ONCE = 32
# sums of squares of larger ones are infinite, and of smaller ones 0
LARGEST_SCORE, LEAST_SPREAD = 1e140, 1e-140
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
    missing_as_value: bool = True,
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
        The attributes; may be a Dask DataFrame, whose partitions add up their own cases. The result is the same.
    scores : array-like or str
        A finite number for each case; or the name of a column of `X`, which is then no attribute.
    test : {"permutation", "rank"}
        ``"permutation"``: deals the numbers out anew, and compares the largest standardised effect (Westfall and
        Young, step-down). ``"rank"``: Wilcoxon's rank sum at the layered levels of `Stucco`, which no outlier
        impresses, by the tails of dealing the ranks out. Both must also pass by the slice's own variance.
    alpha, min_support_difference, max_terms, bins, keep, missing_as_value
        As in `find_errors`.
    summary : {"causes", "none"}
        What to show, as in `find_errors`.
    n_permutations : int
        For ``"permutation"``.
    score : str
        What the number is called, for the sentences.
    groups : array-like or str, optional
        Which cases belong together, as in `find_errors`; then signs are turned, of ranks too.
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
    one_of(test, ("permutation", "rank"), "test")
    one_of(summary, ("causes", "none"), "summary")
    options = SearchOptions(
        alpha=alpha,
        min_support_difference=min_support_difference,
        max_terms=max_terms,
        correction="layered" if test == "rank" and groups is None else "westfall-young",
        summary=summary,
        n_permutations=n_permutations,
        n_jobs=n_jobs,
        device=device,
        missing_as_value=missing_as_value,
        categorical_features=categorical_features,
        keep=keep,
    )
    rows, values = _read(X, scores, groups, options)
    cuts = rows.cut_points(bins)
    n_draws = n_permutations if options.correction == "westfall-young" else 0
    joined = joined_columns(cuts, rows.schema, bins)
    items: Items = rows.pack(cuts, missing_as_value, joined, LEAST_CASES, options.threads)
    if device != "cpu" and isinstance(items, PackedItems):
        from fivefold.slices.cuda import to_card

        items = to_card(items, device, COST_OF_SUM * n_draws, DRAWS_AT_ONCE * values.size)
    scored = search_scores(items, values, options, test, as_generator(random_state))
    correction = "westfall-young" if scored.n_permutations else "layered"
    tests = Correction(correction, alpha, scored.n_tests, scored.alphas, scored.n_permutations)
    average = float(values.mean())
    tell = partial(_tell, items.terms, scored, average, tests, Scores(score, test == "rank"))
    proven = _proven(items, scored, values, options, test, tell)
    where = f"Counted on {items.counted_on}." if items.counted_on else ""
    note = f"{about_groups(rows, outcomes=values)} {where}".strip()
    found = SliceSet(values.size, None, average, tests, rows.schema, note=note, cuts=cuts, proven=proven)
    return replace(found, left_out=rows.left_out, read_as=rows.read_as)


def _read(X: Any, scores: Any, groups: Any, options: SearchOptions) -> tuple[GroupedRows, Numbers]:
    """Read the attributes, wherever they are, and the numbers, which are here."""
    X, (scores,) = take_named(X, (scores,))
    without = (scores,) if isinstance(scores, str) else ()
    rows = contrast_search.read_rows(_read_alone, X, (), options=options, groups=groups, without=without)
    scores = X[scores] if without else scores
    return rows, _checked(scores.compute() if is_dask(scores) else scores, int(rows.sizes.sum()))


def _read_alone(X: Any, *, read_attributes: ReadAttributes) -> RowsInMemory:
    """Read the attributes of cases that have no label: all are in one group."""
    attributes = read_attributes(X)
    alike = np.zeros(len(attributes.columns[0]), dtype=np.bool_)
    return replace(grouped_rows(attributes, alike), n_groups=1)


def _proven(
    items: Items,
    scored: ScoredSets,
    values: Numbers,
    options: SearchOptions,
    test: str,
    tell: Callable[[NDArray[np.intp]], tuple[Slice, ...]],
) -> Proven:
    """Find the causes, if asked: by the sums of the numbers, or of their ranks where these were tested."""
    terms = contrast_search.terms_of(scored.sets, items.terms)
    sums, places = scored.sums, np.arange(scored.n.size)
    order = np.argsort(-np.abs(sums), kind="stable")
    proven = Proven(terms, sums / scored.n, sums, order, np.full(places.size, -1), places, tell, None)
    if options.summary != "causes":
        return proven
    deviations = deviations_of(_ranks(values) if test == "rank" else values)
    cells = items.cells(np.column_stack([deviations, on_grid(deviations**2)]))
    lengths = (scored.sets >= 0).sum(axis=1)
    suspects = Suspects(
        cells,
        ScoreMeasure(least_effect(deviations, 1.0)),
        scored.sets,
        cells.count(scored.sets),
        scored.level,
        contrast_search.prices(lengths, scored.n_tests),
        options.min_support_difference,
        scored.crowding,
        np.zeros(lengths.size, dtype=bool),
    )
    shown, because = find_causes(suspects)
    return replace(proven, shown=shown, because=because, explain=suspects.explain)


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
    if np.ptp(values) < LEAST_SPREAD:
        spread = f"{values.min()} to {values.max()}"
        raise InputError(f"numbers that differ by {LEAST_SPREAD:g} or more", spread, "multiply all of them")
    return values


def _tell(
    terms: Sequence[Term],
    scored: ScoredSets,
    average: float,
    tests: Correction,
    wording: Scores,
    places: NDArray[np.intp],
) -> tuple[Slice, ...]:
    """Tell what was found at some places."""
    scored = scored.at(places)
    n, sums, level, difference = scored.n, scored.sums, scored.level, scored.sums / scored.n
    tested = scored.statistic, scored.p_value, scored.adjusted_p_value
    z = np.minimum(tests.z(tested[0], tested[2], level), scored.own_z)
    shrunk = significance.shrink(difference, scored.spread, z, level)
    mean = average + difference
    # what only rounding leaves of a mean
    mean[np.abs(mean) < significance.SAME * np.abs(difference)] = 0.0
    numbers = mean, difference, sums, (scored.low, scored.high), *tested, shrunk
    slices = make_slices(contrast_search.terms_of(scored.sets, terms), n, [None] * n.size, *numbers)
    told = (wording.tell(part, average, tests) for part in slices)
    return tuple(_say_alike(part) if alike else part for part, alike in zip(told, scored.alike, strict=True))


def _say_alike(part: Slice) -> Slice:
    more = f" All {part.n:,} are the same: a rare other number, which these need not show, would change the mean."
    return replace(part, sentence=part.sentence + more)


@dataclass(frozen=True, eq=False)
class ScoredSets:
    """The conjunctions that were found, and the number of tests behind them.

    `sums` are those of the deviations from the mean, which lies from `low` to `high`; `spread` is its standard
    error and `own_z` its size by the numbers' own variance, infinite where that was not judged; `statistic` is the
    number of standard deviations from random dealing; `level` is one less the confidence of an interval;
    `crowding` is by how much more they vary where cases belong together, and those `alike` do not vary at all.
    """

    sets: NDArray[np.int32]
    n: NDArray[np.int64]
    sums: Numbers
    low: Numbers
    high: Numbers
    spread: Numbers
    own_z: Numbers
    statistic: Numbers
    p_value: Numbers
    adjusted_p_value: Numbers
    crowding: Numbers
    alike: NDArray[np.bool_]
    level: Numbers
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]
    n_permutations: int

    def at(self, places: NDArray[Any]) -> ScoredSets:
        """Take some of them."""
        return replace(self, **{k: v[places] for k, v in vars(self).items() if isinstance(v, np.ndarray)})


def search_scores(
    items: Items, scores: Numbers, options: SearchOptions, test: str, rng: np.random.Generator
) -> ScoredSets:
    """Search and test all conjunctions; `scores` in the order of the bits."""
    deviations = deviations_of(scores)
    least = least_effect(deviations, options.min_support_difference)
    pruner = score_pruner(deviations, least)
    levels = contrast_search.search(items, options, pruner)
    family = contrast_search.gather(levels, [np.flatnonzero(pruner(level)) for level in levels])
    n = family.counts.sum(axis=1)
    effects = items.add_numbers(family.sets, deviations[:, None])[:, 0]
    large = np.abs(effects) >= least
    tested = deviations_of(_ranks(scores)) if test == "rank" else deviations
    # sums of ranks have no least size that matters
    totals, bar = effects, least
    if test == "rank":
        totals, bar = items.add_numbers(family.sets, tested[:, None])[:, 0], 0.0
        # where few large numbers outweigh many low ranks, neither is said
        large &= totals * effects > 0
    clusters = None if items.clusters is None else replace(items.clusters, outcomes=tested)
    items = replace(items, clusters=clusters)
    crowding = contrast_search.crowding_of(items, family.sets, n)
    statistic = np.abs(totals) / _spreads(tested, n, crowding)
    p_value = np.asarray(2 * ndtr(-statistic))
    if test == "rank" and clusters is None:
        alphas, n_tests, n_permutations = [a.alpha for a in levels], tuple(a.n_candidates for a in levels), 0
        share = options.alpha / np.array(alphas)[family.lengths - 1]
        # where ties or few cases make the normal law too sure, that of dealing counts
        places = np.flatnonzero(large & (p_value <= options.alpha / share))
        dealt = significance.dealt_p_values(tested, n[places], totals[places])
        p_value[places] = np.maximum(p_value[places], dealt)
        adjusted = np.minimum(1.0, p_value * share)
    else:
        permuted, alphas = _judge(items, family, np.where(large, statistic, 0.0), tested, bar, options, rng)
        adjusted, n_tests, n_permutations = permuted.adjusted, family.n_tests, permuted.maxima.size
    passed = np.flatnonzero(large & (adjusted <= options.alpha))
    level, widening = np.array(alphas)[family.lengths[passed] - 1], None
    if clusters is not None:
        by_score = replace(items, clusters=replace(clusters, outcomes=deviations))
        widening = clusters.widen(by_score.crowding(family.sets[passed], n[passed]), level, turned=True)
    n, effects, sets = n[passed], effects[passed], family.sets[passed]
    sd, moments = _moments(items, sets, n, effects, deviations)
    low, high = significance.mean_interval(moments, level, widening)
    # numbers of long tails, dealt, set a higher bar than their own variance needs
    own_level = np.maximum(level, options.alpha / max(sum(n_tests), 1))
    spread, own_z = _own_sizes(moments, (level, own_level), widening)
    if test == "rank":
        by_rank = _moments(items, sets, n, totals[passed], tested)[1]
        own_z = _own_sizes(by_rank, (level, level), widening, skewed=False)[1]
    else:
        low, high = significance.beside_the_average(moments[1] / n, low, high)
    alike = moments[2] - moments[1] ** 2 / n <= significance.SAME * n
    some = [each[passed] for each in (statistic, p_value, adjusted, crowding)]
    told: list[Any] = [sets, n, effects, sd * low, sd * high, sd * spread, own_z, *some, alike, level]
    told += [n_tests, tuple(alphas), n_permutations]
    return ScoredSets(*told).at(own_z > -ndtri(level / 2))


def _moments(
    items: Items, sets: NDArray[np.int32], n: NDArray[np.int64], totals: Numbers, deviations: Numbers
) -> tuple[float, significance.Moments]:
    """Give the standard deviation of all numbers, and moments in units of it, whose cubes are never too large."""
    sd = float(deviations.std())
    powers = np.column_stack([on_grid((deviations / sd) ** power) for power in (2, 3)])
    squares, cubes = items.add_numbers(sets, powers).T
    return sd, (n, totals / sd, squares, cubes, (deviations.size, 0.0, *powers.sum(axis=0).tolist()))


def _own_sizes(
    moments: significance.Moments, levels: tuple[Numbers, Numbers], widening: Any, skewed: bool = True
) -> tuple[Numbers, Numbers]:
    """Give standard errors, and how many of them sums lie from nothing, or infinity where signs are turned.

    That is in units in which Student's bar at the second level is the normal law's at the first.
    """
    without, spread, freedom = significance.standard_errors(moments, widening, skewed)
    size = np.abs(moments[1]) / moments[0]
    size /= np.maximum(without, np.maximum(significance.SAME * size, SMALLEST))
    units = ndtri(levels[0] / 2) / stdtrit(freedom, levels[1] / 2) if widening is None else np.inf
    return spread, size * units


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


def _spreads(deviations: Numbers, n: NDArray[np.int64], crowding: Any = 1.0) -> Numbers:
    """Give the standard deviations of sums of n deviations under random dealing."""
    total = deviations.size
    return np.asarray(deviations.std() * np.sqrt(crowding * n * (total - n) / (total - 1.0)))


def _judge(
    items: Items,
    family: Family,
    observed: Numbers,
    deviations: Numbers,
    least: float,
    options: SearchOptions,
    rng: np.random.Generator,
) -> tuple[significance.Permuted, list[float]]:
    """Adjust for all conjunctions, where effects below the least are nothing; give a level for each length."""
    if items.clusters is not None:
        permuted = contrast_search.turn_clusters(items, family, observed > 0, least, options, rng)
        beyond = np.maximum(permuted.critical(options.alpha) - family.allowances, 0.0)
        return permuted, np.minimum(items.clusters.tail(beyond), options.alpha).tolist()
    spread, held = _spreads(deviations, family.counts.sum(axis=1)), items.hold(deviations)

    def count_reached(order: NDArray[np.intp], stream: np.random.Generator, draws: int) -> Reached:
        sets = np.ascontiguousarray(family.sets[order])
        effects = np.abs(items.add_dealt(sets, held, stream, draws))
        small = effects < least * contrast_search.ROUNDING
        return contrast_search.count_beyond(observed[order], effects / spread[order, None], small)

    how = options.n_permutations, options.alpha, options.threads
    permuted = significance.step_down(observed, count_reached, DRAWS_AT_ONCE, *how, rng)
    return permuted, [float(2 * ndtr(-permuted.critical(options.alpha)))] * len(family.kept)


def _ranks(values: Numbers) -> Numbers:
    """Give the place of each number among all; those that are tied share the mean of their places."""
    _, place, tied = np.unique(values, return_inverse=True, return_counts=True)
    middles: Numbers = np.cumsum(tied) - (tied - 1) / 2
    return middles[place]
