"""Is a conjunction's frequency more than its shown parts explain? Log-linear models by proportional fitting."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.slices.kernels.extending import find_key

TOLERANCE = 1e-10
MOST_ROUNDS = 10_000


@numba.njit(cache=True)
def fit_margins(table: NDArray[np.float64], margins: NDArray[np.int64]) -> NDArray[np.float64]:
    """Fit the log-linear model with the given margins to a 2^k table by iterative proportional fitting.

    Bit i of a cell's index says whether term i holds; a margin is the set of its terms, as bits.
    """
    n_cells = table.size
    total = table.sum()
    fitted = np.full(n_cells, total / n_cells)
    wanted, present = np.empty(n_cells), np.empty(n_cells)
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for margin in margins:
            wanted[:] = 0.0
            present[:] = 0.0
            for cell in range(n_cells):
                wanted[cell & margin] += table[cell]
                present[cell & margin] += fitted[cell]
            for cell in range(n_cells):
                have, want = present[cell & margin], wanted[cell & margin]
                worst = max(worst, abs(have - want))
                fitted[cell] *= want / have if have > 0.0 else 0.0
        if worst <= TOLERANCE * max(total, 1.0):
            break
    return fitted


@numba.njit(cache=True)
def _cells(inside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn counts of "at least these terms hold" into counts of "these terms hold and no others"."""
    cells = inside.copy()
    bit = 1
    while bit < cells.size:
        for cell in range(cells.size):
            if not cell & bit:
                cells[cell] -= cells[cell | bit]
        bit *= 2
    return cells


@numba.njit(cache=True)
def _largest_shown(shown: NDArray[np.bool_], n_terms: int) -> NDArray[np.int64]:
    """List the shown parts that lie in no other shown part; single terms always count as shown."""
    kept = np.empty(shown.size, dtype=np.int64)
    found = 0
    for part in range(1, shown.size - 1):
        single = part & (part - 1) == 0
        if not (shown[part] or single):
            continue
        covered = False
        for other in range(1, shown.size - 1):
            if other != part and shown[other] and other & part == part:
                covered = True
        if not covered:
            kept[found] = part
            found += 1
    return kept[:found]


@numba.njit(cache=True)
def surprises(
    sets: NDArray[np.int32],
    sizes: NDArray[np.int64],
    keys: NDArray[np.int64],
    level_starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    shown: NDArray[np.bool_],
    n_items: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compare each conjunction of one level with the model of its shown parts.

    `keys`, `counts` and `shown` hold all counted conjunctions, level after level, sorted within a level.
    Gives the largest difference of support from the model over the groups, and the chi-square statistic.
    """
    n_sets, n_terms = sets.shape
    full = 1 << n_terms
    gap, statistic = np.zeros(n_sets), np.zeros(n_sets)
    places = np.empty(full, dtype=np.int64)
    seen = np.zeros(full, dtype=np.bool_)
    inside = np.empty(full)
    for one in range(n_sets):
        for part in range(1, full):
            key, length = 0, 0
            for term in range(n_terms):
                if part >> term & 1:
                    key = key * n_items + sets[one, term]
                    length += 1
            low, high = level_starts[length - 1], level_starts[length]
            places[part] = low + find_key(keys[low:high], key)
            seen[part] = shown[places[part]]
        margins = _largest_shown(seen, n_terms)
        for group in range(sizes.size):
            inside[0] = sizes[group]
            for part in range(1, full):
                inside[part] = counts[places[part], group]
            expected = fit_margins(_cells(inside), margins)[full - 1]
            off = inside[full - 1] - expected
            gap[one] = max(gap[one], abs(off) / sizes[group])
            if abs(off) > TOLERANCE * sizes[group]:
                statistic[one] += off * off / expected if expected > 0.0 else np.inf
                statistic[one] += off * off / (sizes[group] - expected)
    return gap, statistic
