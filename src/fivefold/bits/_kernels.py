"""The sequential codes, one pass over the cases each.

Answers are an array of class numbers or a boolean matrix; numba drops the branch that does not fit the dimension
of the array. Every kernel returns the total in bits, and writes the bits of each case into ``out`` unless that is
empty.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

ODDS = 33
RESCALE = 2.0**256


@numba.njit(cache=True)
def contains(answers: NDArray[Any], t: int, label: int) -> bool:
    """Say whether case ``t`` was answered with ``label`` among others."""
    if answers.ndim == 1:
        return bool(answers[t] == label)
    return bool(answers[t, label])


@numba.njit(cache=True)
def weigh(answers: NDArray[Any], t: int, weight: NDArray[np.int64]) -> int:
    """Sum the weights of the classes that case ``t`` was answered with."""
    if answers.ndim == 1:
        return weight[answers[t]] if answers[t] >= 0 else 0
    total = 0
    for k in range(weight.shape[0]):
        if answers[t, k]:
            total += weight[k]
    return total


@numba.njit(cache=True)
def laplace(
    truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int, out: NDArray[np.float64]
) -> float:
    """Code by Laplace's law of succession, blind to the size of the set (Cleary et al.'s first code)."""
    one = np.ones(n_classes, dtype=np.int64)
    hits, misses, total = 0, 0, 0.0
    for t in range(truth.shape[0]):
        size = weigh(answers, t, one)
        if contains(answers, t, truth[t]):
            bits = np.log2((hits + misses + 2) / (hits + 1) * size)
            hits += 1
        else:
            bits = np.log2((hits + misses + 2) / (misses + 1) * (n_classes - size))
            misses += 1
        total += bits
        if out.shape[0]:
            out[t] = bits
    return total


@numba.njit(cache=True)
def weighted(
    truth: NDArray[np.int32],
    answers: NDArray[Any],
    n_classes: int,
    count_classes: bool,
    corrected: bool,
    out: NDArray[np.float64],
) -> float:
    """Code with the weights alpha (answer right) and beta (wrong).

    With whole-number weights w_i = c_i + 1 the common factor 1 / (t + n) of all p_i cancels, so the mass
    inside and outside of the set is exact. ``count_classes=False`` leaves c at 0: the constant-weight code.
    """
    weight = np.ones(n_classes, dtype=np.int64)
    alpha = beta = 1.0 if corrected else 1.0 / n_classes
    mass, total = n_classes, 0.0
    for t in range(truth.shape[0]):
        label = truth[t]
        inside = weigh(answers, t, weight)
        outside = mass - inside
        blended = alpha * inside + beta * outside
        step = np.float64(mass if corrected else weight[label])
        settled = corrected and (inside == 0 or outside == 0)
        if contains(answers, t, label):
            bits = np.log2(blended / (alpha * weight[label]))
            alpha += 0.0 if settled else step / inside
        else:
            bits = np.log2(blended / (beta * weight[label]))
            beta += 0.0 if settled else step / outside
        if count_classes:
            weight[label] += 1
            mass += 1
        total += bits
        if out.shape[0]:
            out[t] = bits
    return total


@numba.njit(cache=True)
def mixture(
    truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int, out: NDArray[np.float64]
) -> float:
    """Code by a Bayes mixture over fixed odds 2^k, k = -16 … 16, half of the prior on odds of one.

    Each component's probability is kept as mantissa x 2^(256 exponent): none may vanish, for the promise
    "never more than one bit above the null code" rests on the component with odds of one.
    """
    odds = 2.0 ** np.arange(-(ODDS // 2), ODDS // 2 + 1)
    mantissa = np.full(ODDS, 0.5 / (ODDS - 1))
    mantissa[ODDS // 2] = 0.5
    exponent = np.zeros(ODDS, dtype=np.int64)
    weight = np.ones(n_classes, dtype=np.int64)
    mass, total, before, top = n_classes, 0.0, 1.0, np.int64(0)
    for t in range(truth.shape[0]):
        label = truth[t]
        inside = weigh(answers, t, weight)
        bits = np.log2(mass / weight[label])
        if 0 < inside < mass:
            share = inside / mass
            hit = contains(answers, t, label)
            highest = np.int64(-(1 << 62))
            for k in range(ODDS):
                mantissa[k] *= (odds[k] if hit else 1.0) / (odds[k] * share + (mass - inside) / mass)
                if mantissa[k] < 1.0 / RESCALE:
                    mantissa[k] *= RESCALE
                    exponent[k] -= 1
                elif mantissa[k] > RESCALE:
                    mantissa[k] /= RESCALE
                    exponent[k] += 1
                highest = max(highest, exponent[k])
            after = 0.0
            for k in range(ODDS):
                gap = exponent[k] - highest
                if gap > -5:
                    after += mantissa[k] * RESCALE ** np.float64(gap)
            bits += np.log2(before / after) + 256.0 * (top - highest)
            before, top = after, highest
        weight[label] += 1
        mass += 1
        total += bits
        if out.shape[0]:
            out[t] = bits
    return total


@numba.njit(cache=True)
def frequency_null(truth: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Bits of each case under the class frequencies of the cases before it."""
    weight = np.ones(n_classes, dtype=np.int64)
    out = np.empty(truth.shape[0], dtype=np.float64)
    for t in range(truth.shape[0]):
        out[t] = np.log2((t + n_classes) / weight[truth[t]])
        weight[truth[t]] += 1
    return out


@numba.njit(cache=True)
def tally(truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int) -> tuple[Any, Any]:
    """Count the answers by size, and the right ones among them by size."""
    one = np.ones(n_classes, dtype=np.int64)
    sizes = np.zeros(n_classes + 1, dtype=np.int64)
    right = np.zeros(n_classes + 1, dtype=np.int64)
    for t in range(truth.shape[0]):
        size = weigh(answers, t, one)
        sizes[size] += 1
        if contains(answers, t, truth[t]):
            right[size] += 1
    return sizes, right
