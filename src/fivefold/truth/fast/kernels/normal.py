"""Gaussian naive Bayes for many training sets of the same cases."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.truth.fast.kernels.votes import UNSURE

EPS = 2.3e-16


@numba.njit(cache=True, nogil=True)
def classify(
    X: NDArray[np.float64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    asked: NDArray[np.bool_],
    smoothing: float,
    n_classes: int,
) -> NDArray[np.int32]:
    """Give the most probable class; -2 where rounding could change it."""
    n_sets, n = counts.shape
    said = np.full((n_sets, n), UNSURE, dtype=np.int32)
    big = np.abs(X).max()
    for r in range(n_sets):
        totals, means, variances = _moments(X, codes, counts[r], smoothing, n_classes)
        for i in range(n):
            if asked[r, i]:
                said[r, i] = _classify_one(X[i], totals, means, variances, big)
    return said


@numba.njit(cache=True, nogil=True)
def _moments(
    X: NDArray[np.float64],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    smoothing: float,
    n_classes: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Find size, means and variances of each class; the row after the last is for all cases together."""
    d = X.shape[1]
    totals = np.zeros(n_classes + 1)
    means = np.zeros((n_classes + 1, d))
    variances = np.zeros((n_classes + 1, d))
    for i in range(X.shape[0]):
        totals[codes[i]] += counts[i]
        means[codes[i]] += counts[i] * X[i]
        totals[n_classes] += counts[i]
        means[n_classes] += counts[i] * X[i]
    for c in range(n_classes + 1):
        means[c] /= max(totals[c], 1.0)
    for i in range(X.shape[0]):
        variances[codes[i]] += counts[i] * (X[i] - means[codes[i]]) ** 2
        variances[n_classes] += counts[i] * (X[i] - means[n_classes]) ** 2
    for c in range(n_classes + 1):
        variances[c] /= max(totals[c], 1.0)
    variances += smoothing * variances[n_classes].max()
    return totals, means, variances


@numba.njit(cache=True, nogil=True)
def _classify_one(
    x: NDArray[np.float64],
    totals: NDArray[np.float64],
    means: NDArray[np.float64],
    variances: NDArray[np.float64],
    big: float,
) -> int:
    n_classes = totals.shape[0] - 1
    n = totals[n_classes]
    joint = np.full(n_classes, -np.inf)
    noise = np.zeros(n_classes)
    for c in range(n_classes):
        if totals[c] == 0:
            continue
        joint[c] = np.log(totals[c] / n)
        for a in range(x.shape[0]):
            v = variances[c, a]
            if not v > 0:
                return UNSURE
            gap = x[a] - means[c, a]
            joint[c] -= 0.5 * (np.log(2 * np.pi * v) + gap * gap / v)
            # errors of the sums relative to v, and of the mean relative to the spread
            inside = (n + x.shape[0]) * EPS
            noise[c] += 8 * inside * (1 + np.abs(np.log(v)) + gap * gap / v)
            noise[c] += 8 * inside * np.abs(gap) * big / v + (inside * big) ** 2 / v * (1 + gap * gap / v)
    best = int(np.argmax(joint))
    for c in range(n_classes):
        if c != best and totals[c] > 0 and not joint[best] - joint[c] > noise[best] + noise[c]:
            return UNSURE
    return best
