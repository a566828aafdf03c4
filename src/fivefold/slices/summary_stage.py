"""The summary stage: of all findings, those that the shorter ones do not explain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.slices.kernels.extending import keys_of
from fivefold.slices.kernels.summarising import surprises
from fivefold.slices.pruning import tail
from fivefold.slices.search import Level


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
        level, found = levels[number], np.flatnonzero(deviates[number])
        gap, statistic = surprises(level.sets[found], sizes, keys, starts, counts, shown, n_items)
        surprising = (gap >= min_surprise) & (tail(statistic, sizes.size) < level.alpha)
        shown[starts[number] + found[surprising]] = True
    return np.split(shown, starts[1:-1])
