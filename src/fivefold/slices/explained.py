"""Slices of numbers that a shorter slice explains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from fivefold.slices.items import PackedItems
from fivefold.slices.kernels.permuting import fill_common
from fivefold.slices.score_search import ScoredSets, least_effect


def unexplained(
    items: PackedItems, found: ScoredSets, scores: NDArray[np.float64], share: float
) -> NDArray[np.intp]:
    """Choose the slices to show: a longer one only if it is no random sample of any shown part of it.

    Within a shown part P, a slice S with n cases is dealt n of P's numbers by chance; it is unexplained if the sum
    is far from n times P's mean, at the level of its length and by at least a share of the least effect.
    """
    deviations = scores - scores.mean()
    least = least_effect(deviations, share)
    shown: dict[frozenset[int], tuple[int, float, float]] = {}
    kept = []
    for place in np.argsort([len(one) for one in found.sets], kind="stable"):
        one = frozenset(found.sets[place])
        n, total = int(found.n[place]), float(found.sums[place])
        parts = [numbers for part, numbers in shown.items() if part < one]
        if all(_differs(n, total, part, least, float(found.level[place])) for part in parts):
            shown[one] = (n, total, _spread(items, found.sets[place], deviations))
            kept.append(place)
    return np.array(sorted(kept), dtype=np.intp)


def _differs(n: int, total: float, part: tuple[int, float, float], least: float, level: float) -> bool:
    size, whole, spread = part
    off = abs(total - n * whole / size)
    error = spread * np.sqrt(n * (size - n) / (size - 1))
    return bool(off >= least and (error == 0.0 or 2 * ndtr(-off / error) < level))


def _spread(items: PackedItems, one: tuple[int, ...], deviations: NDArray[np.float64]) -> float:
    common = np.empty(items.bits.shape[1], dtype=np.uint64)
    fill_common(items.bits, np.array(one, dtype=np.int32), common)
    inside = np.unpackbits(common.view(np.uint8), bitorder="little")[: deviations.size].astype(bool)
    return float(deviations[inside].std())
