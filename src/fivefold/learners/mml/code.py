"""What each word of the message costs, but for the pattern of joins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from fivefold.formulas import log2_arrangements
from fivefold.learners.mml._kernels import Floats, LeafCode, leaf_bits

ALPHAS = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05)
_TABLE_LIMIT = 1 << 20


@dataclass(frozen=True)
class Flag:
    """The bits that say whether there is a test at a node."""

    test: float
    end: float


@dataclass(frozen=True, eq=False)
class Code:
    """The code that a message is sent in, as its options make it."""

    leaf: LeafCode
    root_plus_one: bool
    uniform_cuts: bool

    def root_flag(self, n_usable: int) -> Flag:
        """Give the flag at the root of a tree: it is a leaf with probability 1/n."""
        if n_usable == 0:
            return Flag(math.inf, 0.0)
        n = n_usable + 1 if self.root_plus_one else max(n_usable, 2)
        return Flag(-math.log2(1 - 1 / n), math.log2(n))

    def branch_flag(self, branches: int) -> Flag:
        """Give the flag at the end of one of so many branches: it is a test with probability 1/b."""
        return Flag(math.log2(branches), math.log2(branches / (branches - 1)))

    def classes(self, counts: Floats) -> float:
        """Give the bits of the classes in a leaf."""
        return float(leaf_bits(counts, self.leaf))


def make_code(alpha: float, n_classes: int, weight: float, *, root: str, cut_code: str) -> Code:
    """Make the code; `weight` is that of all cases together."""
    n = np.arange(min(int(weight) + 1, _TABLE_LIMIT), dtype=np.float64)
    leaf = LeafCode(alpha, _rising(alpha, n), _rising(alpha * n_classes, n))
    return Code(leaf, root == "n+1", cut_code == "uniform")


def _rising(start: float, n: Floats) -> Floats:
    return np.asarray((gammaln(n + start) - gammaln(start)) / math.log(2.0))


def end_bits(n_leaves: int, n_joins: int) -> float:
    """Give the bits that tell leaves from joins at the ends of a graph, by an adaptive code."""
    return log2_arrangements((n_leaves, n_joins)) + math.log2(n_leaves + n_joins + 1)
