"""Mining: search, test and summary put together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.slices import pruning
from fivefold.slices.items import Items
from fivefold.slices.kernels.exact import exact_p_values
from fivefold.slices.permutation import westfall_young
from fivefold.slices.search import Level, blind_pruner, gather, paper_pruner, search
from fivefold.slices.summary_stage import choose_shown


@dataclass(frozen=True)
class Settings:
    """What is looked for, checked."""

    alpha: float
    min_support_difference: float
    max_terms: int
    correction: str
    test: str
    min_surprise: float
    summarise: bool
    n_permutations: int
    threads: int


@dataclass(frozen=True, eq=False)
class Findings:
    """The conjunctions that deviate, level after level.

    Parameters
    ----------
    sets : tuple of tuple of int
        The numbers of the terms of each.
    counts : ndarray of shape (m, g)
        Cases in each group.
    statistic, p_value, adjusted_p_value : ndarray of shape (m,)
        Pearson's chi-square, its tail, and the p-value after correction for all tests.
    level : ndarray of shape (m,)
        The level at which a single test of each was made; 1 - level is the confidence of its interval.
    shown : ndarray of shape (m,)
        Whether the summary stage shows it.
    n_tests : tuple of int
        How many conjunctions of each length the correction accounts for.
    alphas : tuple of float
        The level of a test at each length.
    """

    sets: tuple[tuple[int, ...], ...]
    counts: NDArray[np.int64]
    statistic: NDArray[np.float64]
    p_value: NDArray[np.float64]
    adjusted_p_value: NDArray[np.float64]
    level: NDArray[np.float64]
    shown: NDArray[np.bool_]
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class _Tested:
    adjusted: list[NDArray[np.float64]]
    deviates: list[NDArray[np.bool_]]
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]


def mine(items: Items, settings: Settings, rng: np.random.Generator) -> Findings:
    """Find the conjunctions whose support differs between the groups."""
    sizes, delta = items.sizes, settings.min_support_difference
    layered = settings.correction == "layered"
    pruner = (paper_pruner if layered else blind_pruner)(sizes, delta)
    levels = search(items, settings.alpha, settings.max_terms, pruner, settings.threads)
    tested = (
        _test_layered(levels, sizes, settings) if layered else _test_permuted(levels, items, settings, rng)
    )
    shown = tested.deviates
    if settings.summarise:
        shown = choose_shown(levels, tested.deviates, sizes, len(items.terms), settings.min_surprise)
    return _collect(levels, tested, shown, sizes)


def _test_layered(levels: list[Level], sizes: NDArray[np.int64], settings: Settings) -> _Tested:
    adjusted, deviates = [], []
    for level in levels:
        p_values = pruning.tail(pruning.pearson(level.counts, sizes), sizes.size - 1)
        found = _eligible(level, sizes, settings) & (p_values < level.alpha)
        if settings.test == "guarded":
            # where counts are small the tail of chi-square promises too much
            passed = np.flatnonzero(found)
            p_values[passed] = np.maximum(p_values[passed], exact_p_values(level.counts[passed], sizes))
            found &= p_values < level.alpha
        adjusted.append(np.minimum(1.0, p_values * (settings.alpha / level.alpha)))
        deviates.append(found)
    counted = tuple(level.n_candidates for level in levels)
    return _Tested(adjusted, deviates, counted, tuple(level.alpha for level in levels))


def _eligible(level: Level, sizes: NDArray[np.int64], settings: Settings) -> NDArray[np.bool_]:
    large = pruning.support_difference(level.counts, sizes) >= settings.min_support_difference
    told = pruning.untestable(level.inside, sizes) | pruning.identical(level.inside, level.least_part)
    return large & ~told


def _test_permuted(
    levels: list[Level], items: Items, settings: Settings, rng: np.random.Generator
) -> _Tested:
    sizes, delta = items.sizes, settings.min_support_difference
    family = gather(levels, blind_pruner(sizes, delta))
    permuted = westfall_young(items, family, delta, settings.n_permutations, rng, settings.threads)
    adjusted = [np.ones(level.inside.size) for level in levels]
    for length, (whole, places) in enumerate(zip(adjusted, family.kept, strict=True), start=1):
        whole[places] = permuted.adjusted[family.lengths == length]
    deviates = [told <= settings.alpha for told in adjusted]
    reach = float(pruning.tail(permuted.critical(settings.alpha), sizes.size - 1))
    return _Tested(adjusted, deviates, family.n_tests, (reach,) * len(levels))


def _collect(
    levels: list[Level], tested: _Tested, shown: list[NDArray[np.bool_]], sizes: NDArray[np.int64]
) -> Findings:
    found = [np.flatnonzero(flags) for flags in tested.deviates]
    counts = np.concatenate([level.counts[places] for level, places in zip(levels, found, strict=True)])
    statistic = pruning.pearson(counts, sizes)
    return Findings(
        tuple(
            tuple(one)
            for level, places in zip(levels, found, strict=True)
            for one in level.sets[places].tolist()
        ),
        counts,
        statistic,
        pruning.tail(statistic, sizes.size - 1),
        np.concatenate([told[places] for told, places in zip(tested.adjusted, found, strict=True)]),
        np.repeat(tested.alphas, [places.size for places in found]),
        np.concatenate([flags[places] for flags, places in zip(shown, found, strict=True)]),
        tested.n_tests,
        tested.alphas,
    )
