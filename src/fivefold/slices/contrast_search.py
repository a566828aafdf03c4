"""The search for contrasts: all conjunctions level by level, tested, corrected for each other, and summarised."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.data.cut_points import Bins, Cuts
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.groups import read_groups, take_groups
from fivefold.inputs.options import RandomState, as_generator, fraction, one_of, positive_int, yes_or_no
from fivefold.progress import part
from fivefold.slices import significance
from fivefold.slices._kernels import (
    exact_p_values,
    extend,
    keys_of,
    statistics,
    surprises,
)
from fivefold.slices.attributes import Attributes, is_dask, read_attributes, take_named
from fivefold.slices.causes import GroupMeasure, Suspects, find_causes
from fivefold.slices.clusters import LEAST_CROWDING, Clusters
from fivefold.slices.dask_tables import GroupedRows, read_partitions
from fivefold.slices.items import (
    MOST_PERMUTED,
    Conjunction,
    Items,
    PackedItems,
    Reached,
    RowsInMemory,
    permute_labels,
)

# nobody reads longer rules
MOST_TERMS = 8
# of one length: of more, half a minute and three gigabytes would go to a few columns' combinations
MOST_CANDIDATES = 16_000_000
# so many permutations at a time fill one table of labels, if their counts take no more memory than this
DRAWS_AT_ONCE = 512
MOST_COUNTS = 1 << 24
# "auto" adds up so many labels in all: about two seconds of one core
MOST_LABELS = 100_000_000_000
# what a conjunction costs beside its labels, in labels, and again for each block of so many cases
LABELS_A_SET, LABELS_A_BLOCK, BLOCK_CASES = 250, 160, 16_384
LEAST_ALPHA = 1e-100
# the same statistic by another division may differ by rounding, and must count as reached
ROUNDING = 1 - 1e-9
# a share alpha of the permutations must be so many, or more are drawn, up to a limit
LEAST_IN_ALPHA = 10
MOST_PERMUTATIONS = 9_999

Pruner: TypeAlias = Callable[["Level"], NDArray[np.bool_]]
# adjusted p-values, whether each deviates, tests and level of each length, and permutations, 0 for none
_Tested: TypeAlias = tuple[
    list[NDArray[np.float64]], list[NDArray[np.bool_]], tuple[int, ...], tuple[float, ...], int
]
ReadAttributes: TypeAlias = Callable[[Any], Attributes]


class TooManyError(InputError):
    """Too many conjunctions of a length to be searched; those of at most `max_terms` terms can be."""

    def __init__(self, max_terms: int) -> None:
        hint = f"drop columns, or take max_terms={max_terms}"
        super().__init__(
            f"at most {MOST_CANDIDATES:,} combinations of {max_terms + 1} conditions", "more", hint
        )
        self.max_terms = max_terms


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What is looked for; the options are explained in `fivefold.slices.Stucco`."""

    alpha: float = 0.05
    min_support_difference: float = 0.02
    max_terms: int = 3
    correction: str = "layered"
    test: str = "guarded"
    summary: str = "causes"
    min_surprise: float | None = None
    n_permutations: int = 999
    n_jobs: int | None = None
    device: str = "cpu"
    bins: Bins = None
    missing_as_value: bool = True
    categorical_features: CategoricalFeatures = "from_dtype"
    keep: Sequence[str] = ()
    random_state: RandomState = 0

    def __post_init__(self) -> None:
        if not LEAST_ALPHA <= fraction(self.alpha, "alpha") < 1.0:
            raise InputError(f"alpha between 0 and 1, at least {LEAST_ALPHA:g}", show(self.alpha))
        fraction(self.min_support_difference, "min_support_difference")
        positive_int(self.max_terms, "max_terms", most=MOST_TERMS)
        one_of(self.correction, ("layered", "westfall-young", "auto"), "correction")
        one_of(self.test, ("guarded", "chi2"), "test")
        one_of(self.summary, ("causes", "paper", "none"), "summary")
        one_of(self.device, ("cpu", "cuda", "auto"), "device")
        yes_or_no(self.missing_as_value, "missing_as_value")
        if self.min_surprise is not None:
            fraction(self.min_surprise, "min_surprise")
        positive_int(self.n_permutations, "n_permutations")
        least = math.ceil(ROUNDING / self.alpha) - 1
        if self.correction == "westfall-young" and self.n_permutations < least:
            hint = f"fewer prove nothing at alpha={self.alpha:g}"
            raise InputError(f"n_permutations of at least {least:,}", f"{self.n_permutations:,}", hint)
        n_jobs = self.n_jobs
        if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0):
            raise InputError("n_jobs to be a number of threads, -1 for all cores, or None", show(n_jobs))

    @property
    def least_surprise(self) -> float:
        """The least difference of support from what shorter sets explain."""
        return self.min_support_difference / 2 if self.min_surprise is None else self.min_surprise

    @property
    def threads(self) -> int:
        """The number of threads that `n_jobs` asks for."""
        n_jobs = self.n_jobs or 1
        return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)

    def check_device(self, on_workers: bool) -> None:
        """Complain, before anything is read, if the device that is asked for cannot be had."""
        if self.device == "cuda":
            from fivefold.slices.cuda import find_card

            if on_workers:
                raise InputError(
                    "cases in memory for device='cuda'", "a Dask DataFrame", "its workers count as they are"
                )
            find_card()


@dataclass(frozen=True, eq=False)
class Findings:
    """Conjunctions that passed their tests, in one order.

    conjunctions: The terms of each.
    counts (m, g): Rows in each group.
    statistic, p_value, adjusted_p_value (m,): Pearson's chi-square, its tail, and the p-value after correction
        for all tests.
    level (m,): The level at which a single test of each was made; 1 - level is the confidence of its interval.
    n_tests: How many conjunctions of each length the correction accounts for.
    alphas: The level of a test at each length.
    suspects: How to test them again.
    shown: The places of those that are shown; the causes in the order of their evidence.
    because (m,): The place of the cause that explains each; -1 for none.
    n_permutations: So many were made; 0 stands for the layered correction.
    widening (m,): How many rows are worth one, where rows belong together.
    counted_on: The card that counted; empty where processors did.
    """

    conjunctions: Sequence[Conjunction]
    counts: NDArray[np.int64]
    statistic: NDArray[np.float64]
    p_value: NDArray[np.float64]
    adjusted_p_value: NDArray[np.float64]
    level: NDArray[np.float64]
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]
    suspects: Suspects
    shown: NDArray[np.intp]
    because: NDArray[np.intp]
    n_permutations: int = 0
    widening: NDArray[np.float64] | None = None
    counted_on: str = ""


def read_rows(
    read: Callable[..., RowsInMemory],
    X: Any,
    labels: Sequence[Any],
    *,
    needed: int = 0,
    options: SearchOptions,
    groups: Any = None,
    without: Sequence[str] = (),
    twins: bool = True,
) -> GroupedRows:
    """Read rows by `read(X, *labels, read_attributes=…)`; for a Dask DataFrame, on its partitions.

    A label that is a text names a column of `X`, which is then left out of the attributes. `needed` is the place
    of the label that no row may lack; `groups` says which rows belong together. Of a Dask DataFrame, the columns
    `without` are no attributes.
    Without `twins`, of columns that part the rows alike the first is read.
    """
    options.check_device(is_dask(X))
    if not is_dask(X):
        X, groups = take_groups(X, groups)
    X, labels = take_named(X, labels)
    if is_dask(X):
        take_named(X, [] if groups is None else [groups])
        how_read = options.categorical_features, options.keep
        return read_partitions(read, X, labels, needed, *how_read, groups, without)

    def how(rows: Any) -> Attributes:
        attributes = read_attributes(rows, options.categorical_features, options.keep)
        return attributes if twins else attributes.without_twins()

    rows = read(X, *labels, read_attributes=how)
    return replace(rows, belonging=read_groups(groups, rows.groups.size))


def mine_rows(
    options: SearchOptions,
    rows: GroupedRows,
    cuts: Cuts,
    afterwards: frozenset[str] = frozenset(),
    joined: frozenset[str] = frozenset(),
) -> Findings:
    """Find the conjunctions whose support differs between the groups of rows, wherever these are.

    The columns are cut at `cuts`, of which some are known only afterwards; `joined` as in `RowsInMemory.code`.
    """
    items = pack_rows(options, rows, cuts, joined)
    if options.device != "cpu" and isinstance(items, PackedItems):
        from fivefold.slices.cuda import to_card

        # "auto" permutes too few cases for a card to pay
        draws = options.n_permutations if options.correction == "westfall-young" else 0
        items = to_card(items, options.device, draws)
    sizes = items.sizes
    rng = as_generator(options.random_state)
    levels, (adjusted, deviates, n_tests, alphas, n_permutations) = _search_and_test(items, options, rng)
    family = gather(levels, [np.flatnonzero(flags) for flags in deviates])
    statistic = significance.pearson(family.counts, sizes)
    crowding = crowding_of(items, family.sets, family.counts.sum(axis=1))
    suspects = Suspects(
        items.cells(),
        GroupMeasure(sizes),
        family.sets,
        family.counts[:, None],
        np.array(alphas)[family.lengths - 1],
        prices(family.lengths, n_tests),
        options.min_support_difference,
        crowding,
        _are_late(items.terms, family.sets, afterwards),
    )
    because = np.full(statistic.size, -1, dtype=np.intp)
    if options.summary == "causes":
        shown, because = find_causes(suspects)
    elif options.summary == "paper":
        flags = choose_shown(levels, deviates, sizes, len(items.terms), options.least_surprise)
        shown = np.flatnonzero(_pick(flags, family.kept))
    else:
        shown = np.arange(statistic.size)
    p_value, terms = significance.tail(statistic, sizes.size - 1), terms_of(family.sets, items.terms)
    tested = family.counts, statistic, p_value, _pick(adjusted, family.kept), suspects.levels, n_tests, alphas
    findings = Findings(terms, *tested, suspects, shown, because, n_permutations, counted_on=items.counted_on)
    return findings if items.clusters is None else crowd(findings, items.clusters, crowding, sizes)


def pack_rows(
    options: SearchOptions, rows: GroupedRows, cuts: Cuts, joined: frozenset[str] = frozenset()
) -> Items:
    """Pack the terms that are frequent enough to be tested; `joined` as in `RowsInMemory.code`."""
    sizes = rows.sizes
    least = significance.LEAST_EXPECTED if options.correction == "layered" else significance.LEAST_PERMUTED
    least *= sizes.sum() / sizes.min()
    return rows.pack(cuts, options.missing_as_value, joined, least, options.threads)


def terms_of(sets: NDArray[np.int32], terms: Sequence[Term]) -> list[Conjunction]:
    """Give the terms of conjunctions, which are padded with -1."""
    return [tuple(terms[item] for item in row if item >= 0) for row in sets.tolist()]


def _are_late(
    terms: Sequence[Term], sets: NDArray[np.int32], afterwards: frozenset[str]
) -> NDArray[np.bool_]:
    """Say which conjunctions name a column that is known only afterwards."""
    flags = np.array([*(term.column in afterwards for term in terms), False])
    return np.asarray(flags[sets].any(axis=1))


def crowding_of(items: Items, sets: NDArray[np.int32], inside: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the crowding of conjunctions of so many rows; 1 where each row stands for itself."""
    return np.ones(inside.size) if items.clusters is None else items.crowding(sets, inside)


def crowd(
    findings: Findings, clusters: Clusters, crowding: NDArray[np.float64], sizes: NDArray[np.int64]
) -> Findings:
    """Take into account that rows belong together: smaller statistics, wider intervals."""
    return replace(
        findings,
        statistic=findings.statistic / crowding,
        p_value=clusters.p_values(findings.counts, sizes, crowding),
        widening=clusters.widen(crowding, findings.level, findings.n_permutations > 0),
    )


def prices(lengths: NDArray[np.int64], n_tests: Sequence[int]) -> NDArray[np.float64]:
    """Give the evidence, in nats, that a conjunction needs for being one of the many of its length."""
    return np.asarray(np.log(2.0**lengths * np.maximum(n_tests, 1)[lengths - 1]))


def _pick(arrays: Sequence[NDArray[Any]], places: Sequence[NDArray[np.intp]]) -> NDArray[Any]:
    return np.concatenate([array[some] for array, some in zip(arrays, places, strict=True)])


def _search_and_test(
    items: Items, options: SearchOptions, rng: np.random.Generator
) -> tuple[list[Level], _Tested]:
    """Search by the rules of the correction, and test."""
    difference, most = options.min_support_difference, np.inf
    if options.correction == "auto":
        n_permutations = max(options.n_permutations, int(np.ceil(LEAST_IN_ALPHA / options.alpha)))
        options = replace(options, n_permutations=n_permutations)
        most = MOST_LABELS / n_permutations if _may_permute(items, options) else 0.0
    if options.correction != "layered" and most:
        levels = search(items, options, blind_pruner(items, difference), most)
        if _n_labels(levels) <= most:
            return levels, _test_permuted(levels, items, options, rng)
    levels = search(items, options, paper_pruner(items.sizes, difference))
    return levels, _test_layered(levels, items, options)


def _may_permute(items: Items, options: SearchOptions) -> bool:
    """Say whether permutations are the better test, and few enough to begin with.

    Where cases belong together, signs of few clusters prove nothing; the paper's summary is made for layers.
    """
    few = items.sizes.sum() <= MOST_PERMUTED and options.n_permutations <= MOST_PERMUTATIONS
    return few and items.clusters is None and options.summary != "paper"


def _n_labels(levels: Sequence[Level]) -> float:
    """Count the labels to add up in a permutation: those of a conjunction, or what its smallest part has more."""
    n_blocks = levels[0].least_part.max(initial=0) // BLOCK_CASES + 1
    beside = LABELS_A_SET + LABELS_A_BLOCK * n_blocks
    return float(
        sum((np.minimum(level.inside, level.least_part - level.inside) + beside).sum() for level in levels)
    )


def _test_layered(levels: list[Level], items: Items, options: SearchOptions) -> _Tested:
    adjusted, deviates, sizes = [], [], items.sizes
    crowded = items.clusters is not None
    for level in levels:
        p_values = significance.tail(significance.pearson(level.counts, sizes), sizes.size - 1)
        dead = significance.untestable(level.inside, sizes)
        dead |= significance.identical(level.inside, level.least_part)
        large = significance.support_difference(level.counts, sizes) >= options.min_support_difference
        passed = large & ~dead
        if crowded:
            p_values = _crowded_p_values(items, level, passed)
        passed &= p_values < level.alpha
        if options.test == "guarded" and not crowded:
            places = np.flatnonzero(passed)
            p_values[places] = _guarded_p_values(items, level, places)
            passed &= p_values < level.alpha
        adjusted.append(np.minimum(1.0, p_values * (options.alpha / level.alpha)))
        deviates.append(passed)
    n_tests = tuple(level.n_candidates for level in levels)
    return adjusted, deviates, n_tests, tuple(level.alpha for level in levels), 0


def _crowded_p_values(items: Items, level: Level, wanted: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Test the wanted conjunctions of rows that belong together; those that no crowding lets pass get 1."""
    assert items.clusters is not None
    least = max(1.0 - items.clusters.correlation, LEAST_CROWDING)
    best = significance.tail(significance.pearson(level.counts, items.sizes) / least, 1)
    places = np.flatnonzero(wanted & (best < level.alpha))
    p_values = np.ones(wanted.size)
    p_values[places] = _guarded_p_values(items, level, places)
    return p_values


def _guarded_p_values(items: Items, level: Level, places: NDArray[np.intp]) -> NDArray[np.float64]:
    """Test some conjunctions one by one; where counts are small the tail of chi-square promises too much."""
    counts, sizes = level.counts[places], items.sizes
    if items.clusters is not None:
        crowding = crowding_of(items, level.sets[places], level.inside[places])
        return items.clusters.p_values(counts, sizes, crowding)
    p_values = significance.tail(significance.pearson(counts, sizes), sizes.size - 1)
    return np.maximum(p_values, exact_p_values(counts, sizes))


def _test_permuted(
    levels: list[Level], items: Items, options: SearchOptions, rng: np.random.Generator
) -> _Tested:
    sizes = items.sizes
    pruner = blind_pruner(items, options.min_support_difference, alone=True)
    family = gather(levels, [np.flatnonzero(pruner(level)) for level in levels])
    clusters = items.clusters
    if clusters is None:
        permuted = westfall_young(items, family, options, rng)
    else:
        large = significance.support_difference(family.counts, sizes) >= options.min_support_difference
        least = significance.least_effect(clusters.deviations, options.min_support_difference)
        permuted = turn_clusters(items, family, large, least, options, rng)
    adjusted = [np.ones(level.inside.size) for level in levels]
    for length, (whole, places) in enumerate(zip(adjusted, family.kept, strict=True), start=1):
        whole[places] = permuted.adjusted[family.lengths == length]
    deviates = [p_values <= options.alpha for p_values in adjusted]
    alpha, df = options.alpha, sizes.size - 1
    critical = permuted.critical(alpha) if clusters else permuted.critical_chi2(alpha, df)
    beyond = np.maximum(critical - family.allowances, 0.0)
    reach = np.minimum(clusters.tail(beyond) if clusters else significance.tail(beyond, df), alpha)
    if options.test == "guarded":
        # an interval at this level must not hold what the test has ruled out
        for level, flags, alpha in zip(levels, deviates, reach, strict=True):
            places = np.flatnonzero(flags)
            flags[places] = _guarded_p_values(items, level, places) <= alpha
    return adjusted, deviates, family.n_tests, tuple(reach.tolist()), permuted.maxima.size


def choose_shown(
    levels: Sequence[Level],
    deviates: Sequence[NDArray[np.bool_]],
    sizes: NDArray[np.int64],
    n_items: int,
    min_surprise: float,
) -> list[NDArray[np.bool_]]:
    r"""Choose the findings to show: all single terms, then what is surprising given what is shown.

    Within each group g the log-linear model with the largest shown parts (and all single terms) as margins
    expects :math:`E_g` of the :math:`N_g` cases in the conjunction. It is surprising if
    :math:`\max_g |O_g - E_g| / N_g` reaches `min_surprise` and
    :math:`\sum_g (O_g - E_g)^2 / E_g + (O_g - E_g)^2 / (N_g - E_g)` is significant with G degrees of freedom
    at the level of its length.
    """
    keys = np.concatenate([keys_of(level.sets, n_items) for level in levels])
    counts = np.concatenate([level.counts for level in levels])
    starts = np.concatenate([[0], np.cumsum([level.inside.size for level in levels])])
    shown = np.zeros(keys.size, dtype=bool)
    shown[: starts[1]] = deviates[0]
    for number in range(1, len(levels)):
        level, places = levels[number], np.flatnonzero(deviates[number])
        gap, statistic = surprises(level.sets[places], sizes, keys, starts, counts, shown, n_items)
        surprising = (gap >= min_surprise) & (significance.tail(statistic, sizes.size) < level.alpha)
        shown[starts[number] + places[surprising]] = True
    return np.split(shown, starts[1:-1])


@dataclass(frozen=True, eq=False)
class Level:
    """All conjunctions of one length that were counted, in lexical order of their terms.

    sets (m, length): The numbers of the terms.
    counts (m, g): Cases in each group.
    inside (m,): Cases in all.
    least_part (m,): Cases of the smallest conjunction with one term less.
    n_candidates: How many conjunctions of this length were candidates for a test.
    alpha: The level at which each is tested: ``min(alpha / (2^length n_candidates), alpha of the level
        before)``.
    """

    sets: NDArray[np.int32]
    counts: NDArray[np.int64]
    inside: NDArray[np.int64]
    least_part: NDArray[np.int64]
    n_candidates: int
    alpha: float


def search(items: Items, options: SearchOptions, pruner: Pruner, most: float = np.inf) -> list[Level]:
    """Count all conjunctions up to `max_terms` terms whose parts survive; longer ones up to `most` labels."""
    with part() as step:
        step.begin("single conditions")
        levels = [_first_level(items, options.alpha)]
        while len(levels) < options.max_terms and _n_labels(levels) <= most:
            step.begin(f"combinations of {len(levels) + 1} conditions")
            level = _next_level(items, levels[-1], np.flatnonzero(pruner(levels[-1])), options)
            if level.inside.size == 0:
                break
            levels.append(level)
    return levels


def _first_level(items: Items, alpha: float) -> Level:
    counts = items.count_terms()
    sets, inside = np.arange(len(items.terms), dtype=np.int32)[:, None], counts.sum(axis=1)
    everything = np.full(len(items.terms), items.sizes.sum())
    # what holds for all cases is no candidate, as a longer one that holds for the cases of a part is none
    n_candidates = items.n_values - int(np.count_nonzero(inside == everything))
    level_alpha = layered_alpha(alpha, 1, n_candidates, alpha)
    return Level(sets, counts, inside, everything, n_candidates, level_alpha)


def _next_level(items: Items, level: Level, alive: NDArray[np.intp], options: SearchOptions) -> Level:
    prefixes, n_items = np.ascontiguousarray(level.sets[alive]), len(items.terms)
    starts, last, least = extend(prefixes, level.inside[alive], items.attributes, n_items, MOST_CANDIDATES)
    # the number of a conjunction is one of 64 bits
    if last.size > MOST_CANDIDATES or n_items ** (level.sets.shape[1] + 1) >= 2**63:
        raise TooManyError(level.sets.shape[1])
    counts = items.count_extensions(prefixes, starts, last, options.threads)
    sets = np.column_stack([np.repeat(prefixes, np.diff(starts), axis=0), last])
    level_alpha = layered_alpha(options.alpha, sets.shape[1], last.size, level.alpha)
    return Level(sets, counts, counts.sum(axis=1), least, last.size, level_alpha)


def layered_alpha(alpha: float, length: int, n_candidates: int, before: float) -> float:
    r"""Give the level of a test: :math:`\alpha_l = \min(\alpha / (2^l |C_l|), \alpha_{l-1})`.

    Over all levels the shares :math:`2^{-l}` sum to less than one, so at most alpha is spent.

    Examples
    --------
    >>> layered_alpha(0.05, 2, 1000, 0.001)
    1.25e-05
    """
    return min(alpha / (2.0**length * max(n_candidates, 1)), before)


def paper_pruner(sizes: NDArray[np.int64], difference: float) -> Pruner:
    """Keep a branch unless one of the five rules says that nothing in it can be a finding."""

    def survives(level: Level) -> NDArray[np.bool_]:
        dead = significance.untestable(level.inside, sizes)
        dead |= significance.too_rare(level.counts, sizes, difference)
        dead |= significance.identical(level.inside, level.least_part)
        dead |= significance.fixed_relation(level.counts)
        alive = np.flatnonzero(~dead)
        dead[alive] = significance.never_significant(level.counts[alive], sizes, level.alpha)
        return ~dead

    return survives


def blind_pruner(items: Items, difference: float, *, alone: bool = False) -> Pruner:
    """Prune by what no permutation of the group labels changes.

    Few cases, nearly all of them wrong, may be what makes their parts deviate. With `alone`, single terms are kept
    that are too rare for parts of them to be tested.
    """
    sizes, crowded = items.sizes, items.clusters is not None
    least = significance.LEAST_EXPECTED if crowded else significance.LEAST_PERMUTED

    def survives(level: Level) -> NDArray[np.bool_]:
        dead = significance.untestable(level.inside, sizes, least)
        if alone and level.sets.shape[1] == 1 and not crowded:
            # with all its cases in the smallest group chance is above one in 1,000
            dead &= level.inside * np.log(sizes.sum() / sizes.min()) < np.log(1000)
        dead |= significance.never_large(level.inside, sizes, difference)
        dead |= significance.identical(level.inside, level.least_part)
        return ~dead

    return survives


@dataclass(frozen=True, eq=False)
class Family:
    """Conjunctions of all lengths, one after another.

    `sets` has -1 where a conjunction is shorter than the longest; `kept` are their places in each level.
    """

    sets: NDArray[np.int32]
    counts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    kept: list[NDArray[np.intp]]

    @property
    def n_tests(self) -> tuple[int, ...]:
        """The number of conjunctions of each length."""
        return tuple(places.size for places in self.kept)

    @property
    def allowances(self) -> NDArray[np.float64]:
        r"""What a statistic on the scale of chi-square gets for its length: the fewer, the more.

        For the :math:`n_l` conjunctions of length l that is :math:`-2 \log(2^l n_l)`, shifted so that none is
        negative. Else the many long ones would set the bar for the few short ones.
        """
        spent = prices(np.arange(1, len(self.kept) + 1), self.n_tests)
        return np.asarray(2.0 * (spent.max() - spent))


def gather(levels: list[Level], kept: list[NDArray[np.intp]]) -> Family:
    """Gather some conjunctions of each level."""
    longest = levels[-1].sets.shape[1]
    sets = [
        np.pad(level.sets[places], ((0, 0), (0, longest - level.sets.shape[1])), constant_values=-1)
        for level, places in zip(levels, kept, strict=True)
    ]
    counts = [level.counts[places] for level, places in zip(levels, kept, strict=True)]
    lengths = np.repeat(np.arange(1, len(levels) + 1), [places.size for places in kept])
    return Family(np.concatenate(sets), np.concatenate(counts), lengths, kept)


def westfall_young(
    items: Items, family: Family, options: SearchOptions, rng: np.random.Generator
) -> significance.Permuted:
    """Adjust for all conjunctions at once by permuting the group labels.

    The statistic is the likelihood ratio (whose tails stay honest where counts are small) and the allowance, or 0
    where the support difference is below the least one asked for: what would never be reported spends nothing.
    """
    sizes, difference = items.sizes, options.min_support_difference
    x_log_x, allowance = significance.times_log(int(sizes.sum())), family.allowances[family.lengths - 1]
    observed = statistics(family.counts, sizes, allowance, x_log_x, difference)
    inside = family.counts.sum(axis=1)

    def count_reached(order: NDArray[np.intp], stream: np.random.Generator, draws: int) -> Reached:
        sets = np.ascontiguousarray(family.sets[order])
        labels = permute_labels(stream, draws, sizes)
        ordered = inside[order], observed[order], allowance[order]
        return items.count_reached(sets, labels, *ordered, x_log_x, difference)

    return significance.step_down(
        observed,
        count_reached,
        draws_at_once(family),
        options.n_permutations,
        options.alpha,
        options.threads,
        rng,
    )


def turn_clusters(
    items: Items, family: Family, large: NDArray[np.bool_], least: float, options: SearchOptions, rng: Any
) -> significance.Permuted:
    r"""Adjust for all conjunctions at once by turning the signs of whole clusters.

    With :math:`u_c` what a conjunction has in cluster c beyond the average, its statistic is
    :math:`(\sum_c u_c)^2 / \sum_c u_c^2`, or by the variance that its crowding gives if that is more, and the
    allowance. Only the `large` ones are adjusted, and where signs are turned those of the least effect count.
    """
    assert items.clusters is not None
    clusters, n, allowance = items.clusters, family.counts.sum(axis=1), family.allowances[family.lengths - 1]

    def turn(places: Any, signs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        sets = np.ascontiguousarray(family.sets[places])
        return clusters.turn(lambda some: items.add_by_cluster(sets[some]), n[places], signs)

    effects, squares = turn(slice(None), np.ones((clusters.groups.n_groups, 1)))
    squares, crowding = np.maximum(squares, significance.SMALLEST), items.crowding(family.sets, n)
    seen = effects[:, 0] ** 2 / np.maximum(squares, crowding * clusters.spread(n) ** 2)
    observed = np.where(large, seen + allowance, 0.0)

    def count_reached(order: NDArray[np.intp], stream: np.random.Generator, draws: int) -> Reached:
        signs = stream.choice([-1.0, 1.0], (clusters.groups.n_groups, draws))
        turned, _ = turn(order, signs)
        values = turned**2 / squares[order, None] + allowance[order, None]
        return count_beyond(observed[order], values, np.abs(turned) < least * ROUNDING)

    how = draws_at_once(family), options.n_permutations, options.alpha, options.threads
    return significance.step_down(observed, count_reached, *how, rng)


def count_beyond(
    observed: NDArray[np.float64], values: NDArray[np.float64], too_small: NDArray[np.bool_]
) -> Reached:
    """Count the draws (columns) that reach each statistic, stepping down; an effect too small reaches none."""
    maxima = values.max(axis=0, initial=0.0)
    values[too_small] = 0.0
    np.maximum.accumulate(values, axis=0, out=values)
    return np.count_nonzero(values >= observed[:, None] * ROUNDING, axis=1), maxima


def draws_at_once(family: Family) -> int:
    """Give how many permutations to count at a time: their counts take at most 128 megabytes a thread."""
    return max(1, min(DRAWS_AT_ONCE, MOST_COUNTS // max(1, family.lengths.size)))
