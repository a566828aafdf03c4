"""Group labels dealt out anew: the same permutation whether the cases are in one place or in many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.slices.kernels.permuting import deal_labels

# the permutation of a block stays in the second cache
BLOCK_CASES = 65_536
# numpy draws hypergeometric numbers below this
MOST_CASES = 1_000_000_000


@dataclass(frozen=True, eq=False)
class PermutedLabels:
    r"""Random permutations of the group labels of all cases, in the order of their groups.

    The cases are cut into blocks. How many labels of each group fall into each block follows the multivariate
    hypergeometric law; within a block all orders are equally likely. Together that is a uniformly random
    permutation, and whoever holds some of the cases can draw the labels of their blocks alone.

    Parameters
    ----------
    seeds : tuple of SeedSequence
        One for each draw.
    splits : ndarray of shape (draws, blocks, groups)
        How many labels of each group are in each block.
    """

    seeds: tuple[SeedSequence, ...]
    splits: NDArray[np.int64]

    def pack(self, spans: NDArray[np.int64], n_words: int) -> NDArray[np.uint64]:
        """Pack the labels of some of the cases into bits, for each draw and each group but the last.

        Parameters
        ----------
        spans : ndarray of shape (s, 3)
            The first case of each span, the end of it, and the bit of the first.
        n_words : int
            The number of words of a bitset.
        """
        n_draws, _, n_groups = self.splits.shape
        labels = np.zeros((n_draws, n_groups - 1, n_words), dtype=np.uint64)
        wanted = _blocks_of(spans)
        for draw, seed in enumerate(self.seeds):
            for block in wanted:
                split = self.splits[draw, block]
                order = _generator(seed, block + 1).permutation(int(split.sum()))
                deal_labels(order, split, block * BLOCK_CASES, spans, labels[draw])
        return labels


def permute_labels(rng: np.random.Generator, draws: int, sizes: NDArray[np.int64]) -> PermutedLabels:
    """Draw permutations of the labels of groups of these sizes."""
    if sizes.sum() >= MOST_CASES:
        raise InputError(
            f"fewer than {MOST_CASES:,} cases for 'westfall-young'",
            f"{sizes.sum():,}",
            "correction='layered' has no such limit",
        )
    seeds = rng.bit_generator.seed_seq.spawn(draws)  # type: ignore[attr-defined]
    return PermutedLabels(tuple(seeds), np.stack([_split(_generator(seed, 0), sizes) for seed in seeds]))


def _split(rng: np.random.Generator, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    left = sizes.copy()
    splits = []
    while left.sum() > BLOCK_CASES:
        splits.append(rng.multivariate_hypergeometric(left, BLOCK_CASES))
        left -= splits[-1]
    return np.stack([*splits, left])


def _generator(seed: SeedSequence, number: int) -> np.random.Generator:
    return np.random.default_rng(SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number)))


def _blocks_of(spans: NDArray[np.int64]) -> Sequence[int]:
    ranges = (
        range(low // BLOCK_CASES, -(-high // BLOCK_CASES)) for low, high, _ in spans.tolist() if low < high
    )
    return sorted({block for blocks in ranges for block in blocks})
