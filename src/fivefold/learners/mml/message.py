"""The message that a tree or graph makes: what its bits are spent on, and the code of joins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fivefold.formulas import log2_arrangements, log2_binomial
from fivefold.results import LOWER, Result

JOIN = 3  # the kind of a node beside LEAF, NOMINAL and NUMERIC
EPSILON = 1e-8  # costs that should be equal may differ in their last bits
_PARTS = ("structure", "attributes", "cuts", "leaves", "ends", "joins", "alpha")


@dataclass(frozen=True)
class MessageLength(
    Result, title="Message length of the model and its training cases", unit="bits", direction=LOWER
):
    """The bits of a tree or graph together with the classes of its training cases.

    structure: Where there are tests.
    attributes: Which attributes they test.
    cuts: Where numeric ones are cut.
    leaves: The classes of the cases.
    ends: Which ends are leaves and which are joins; only in graphs.
    joins: Which of them meet in which join; only in graphs.
    alpha: Which alpha was taken, if it was chosen by the length of the message.
    """

    structure: float
    attributes: float
    cuts: float
    leaves: float
    ends: float = 0.0
    joins: float = 0.0
    alpha: float = 0.0

    @property
    def total(self) -> float:
        """All bits together."""
        return float(sum(getattr(self, part) for part in _PARTS))

    @property
    def model(self) -> float:
        """The bits of the model alone, without the classes of the cases."""
        return self.total - self.leaves

    def columns(self) -> Mapping[str, Any]:
        """Give the parts, one a row."""
        return {"part": list(_PARTS), "bits": [getattr(self, part) for part in _PARTS]}

    def __str__(self) -> str:
        spent = ", ".join(f"{part} {getattr(self, part):.1f}" for part in _PARTS if getattr(self, part))
        return f"{self.total:.1f} bits: {spent}"


def end_bits(n_leaves: int, n_joins: int) -> float:
    """Give the bits that tell leaves from joins at the ends of a graph, by an adaptive code."""
    return log2_arrangements((n_leaves, n_joins)) + math.log2(n_leaves + n_joins + 1)


def join_bits(groups: Mapping[int, Sequence[int]]) -> float:
    r"""Give the bits of the joins, batch by batch.

    A batch is the trees whose joins were completed by the batch before; the first is the tree of the root.
    With N new ends that are joins, Q older ones, M groups completed with :math:`J_i` ends of which
    :math:`X_i` are new, P ends still waiting of which Y are new, a batch costs

    .. math::

        \lg \lfloor \min(N, \tfrac{N+Q}2) \rfloor + \lg \binom{N+Q-M}{M} + \lg \#\{(Y, X_1, \dots, X_M)\}
        + \lg \frac{N!}{Y! \prod X_i!} \frac{Q!}{(P-Y)! \prod (J_i-X_i)!}

    bits: how many groups, their sizes, the new ends in each, and which ends these are.

    groups: For each tree below a join the trees in which the joined ends stand; these come before it. The tree
        of the root is 0.

    Examples
    --------
    If the first tree has two ends that are joins, they can only meet each other. If it has three, one of them may
    wait for an end in the tree below the others: whether it does, and which one, takes lg 2 + lg 3 bits.

    >>> join_bits({1: [0, 0]})
    0.0
    >>> round(join_bits({1: [0, 0], 2: [0, 1]}), 3)
    2.585
    """
    batch = {0: 0}
    for tree, ends in groups.items():
        batch[tree] = 1 + max(batch[end] for end in ends)
    when = [[batch[end] for end in ends] for ends in groups.values()]
    return math.fsum(_batch_bits(step, when) for step in range(max(batch.values())))


def _batch_bits(step: int, when: Sequence[Sequence[int]]) -> float:
    """Price one batch; `when` has the batch of every end, group by group."""
    still_open = [group for group in when if max(group) >= step]
    new = sum(group.count(step) for group in still_open)
    old = sum(end < step for group in still_open for end in group)
    done = [group for group in still_open if max(group) == step]
    sizes = [len(group) for group in done]
    fresh = [group.count(step) for group in done]
    waiting, fresh_waiting = new + old - sum(sizes), new - sum(fresh)
    stale = [size - count for size, count in zip(sizes, fresh, strict=True)]
    return (
        math.log2(min(new, (new + old) // 2))
        + log2_binomial(new + old - len(done), len(done))
        + math.log2(_ways(new, waiting, sizes))
        + log2_arrangements([fresh_waiting, *fresh])
        + log2_arrangements([waiting - fresh_waiting, *stale])
    )


def _ways(new: int, waiting: int, sizes: Sequence[int]) -> int:
    """Count the solutions of Y + sum X_i = new with 0 <= Y <= waiting and 1 <= X_i <= sizes_i."""
    ways = [int(total <= waiting) for total in range(new + 1)]
    for size in sizes:
        ways = [sum(ways[max(0, total - size) : total]) for total in range(new + 1)]
    return ways[new]
