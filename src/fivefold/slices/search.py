"""The search: all conjunctions, level by level, except in branches that cannot hold a finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.slices import pruning
from fivefold.slices.items import Items
from fivefold.slices.kernels.extending import extend

Pruner = Callable[["Level"], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Level:
    """All conjunctions of one length that were counted, in lexical order of their terms.

    Parameters
    ----------
    sets : ndarray of shape (m, length)
        The numbers of the terms.
    counts : ndarray of shape (m, g)
        Cases in each group.
    inside : ndarray of shape (m,)
        Cases in all.
    least_part : ndarray of shape (m,)
        Cases of the smallest conjunction with one term less.
    n_candidates : int
        How many conjunctions of this length were candidates for a test.
    alpha : float
        The level at which each is tested: ``min(alpha / (2^length n_candidates), alpha of the level before)``.
    """

    sets: NDArray[np.int32]
    counts: NDArray[np.int64]
    inside: NDArray[np.int64]
    least_part: NDArray[np.int64]
    n_candidates: int
    alpha: float


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
        dead = pruning.untestable(level.inside, sizes)
        dead |= pruning.too_rare(level.counts, sizes, difference)
        dead |= pruning.identical(level.inside, level.least_part)
        dead |= pruning.fixed_relation(level.counts)
        alive = np.flatnonzero(~dead)
        dead[alive] = pruning.never_significant(level.counts[alive], sizes, level.alpha)
        return ~dead

    return survives


def blind_pruner(sizes: NDArray[np.int64], difference: float) -> Pruner:
    """Prune by what no permutation of the group labels changes."""

    def survives(level: Level) -> NDArray[np.bool_]:
        dead = pruning.untestable(level.inside, sizes)
        dead |= pruning.never_large(level.inside, sizes, difference)
        dead |= pruning.identical(level.inside, level.least_part)
        return ~dead

    return survives


def search(items: Items, alpha: float, max_terms: int, pruner: Pruner, threads: int) -> list[Level]:
    """Count all conjunctions up to `max_terms` terms whose parts all survive the pruner."""
    n_items = len(items.terms)
    if n_items**max_terms >= 2**63:
        raise InputError(
            "fewer terms",
            f"{n_items} terms in conjunctions of {max_terms}",
            "lower max_terms, or drop columns",
        )
    level = _first_level(items, alpha)
    levels = [level]
    while level.sets.shape[1] < max_terms:
        alive = np.flatnonzero(pruner(level))
        level = _next_level(items, level, alive, alpha, threads)
        if level.inside.size == 0:
            break
        levels.append(level)
    return levels


@dataclass(frozen=True, eq=False)
class Family:
    """The conjunctions of all lengths that a permutation test looks at, one after another.

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


def gather(levels: list[Level], pruner: Pruner) -> Family:
    """Gather what survives a pruner that looks at no label."""
    kept = [np.flatnonzero(pruner(level)) for level in levels]
    longest = levels[-1].sets.shape[1]
    sets = [
        np.pad(level.sets[places], ((0, 0), (0, longest - level.sets.shape[1])), constant_values=-1)
        for level, places in zip(levels, kept, strict=True)
    ]
    counts = [level.counts[places] for level, places in zip(levels, kept, strict=True)]
    lengths = np.repeat(np.arange(1, len(levels) + 1), [places.size for places in kept])
    return Family(np.concatenate(sets), np.concatenate(counts), lengths, kept)


def _first_level(items: Items, alpha: float) -> Level:
    counts = items.count_terms()
    sets = np.arange(len(items.terms), dtype=np.int32)[:, None]
    everything = np.full(len(items.terms), items.sizes.sum())
    level_alpha = layered_alpha(alpha, 1, items.n_values, alpha)
    return Level(sets, counts, counts.sum(axis=1), everything, items.n_values, level_alpha)


def _next_level(items: Items, level: Level, alive: NDArray[np.intp], alpha: float, threads: int) -> Level:
    prefixes = np.ascontiguousarray(level.sets[alive])
    starts, last, least = extend(prefixes, level.inside[alive], items.attributes, len(items.terms))
    counts = items.count_extensions(prefixes, starts, last, threads)
    parents = np.repeat(np.arange(alive.size), np.diff(starts))
    sets = np.column_stack([prefixes[parents], last])
    length = sets.shape[1]
    return Level(
        sets,
        counts,
        counts.sum(axis=1),
        least,
        last.size,
        layered_alpha(alpha, length, last.size, level.alpha),
    )
