"""The sequential codes, one pass over the cases each.

Every kernel returns the total in bits, and writes the bits of each case into ``out`` unless that is empty.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import log2

ODDS = 33
RESCALE = 2.0**256
TINY = 2.0**-256
LEAST = -(1 << 62)


class Answers:
    """What was answered to each case: a class number, or -1 for none; or else a row of a boolean matrix."""

    def __init__(self, answers: NDArray[Any], n_classes: int) -> None:
        self.single = answers.ndim == 1
        if self.single:
            self.codes = answers
        else:
            self.sets = answers
        self.weight = np.ones(n_classes, dtype=np.int64)


def contains(answers: Answers, t: int, label: int) -> bool:
    """Say whether case ``t`` was answered with ``label`` among others."""
    if answers.single:
        return bool(answers.codes[t] == label)
    return bool(answers.sets[t, label])


def weigh(answers: Answers, t: int) -> int:
    """Sum the weights of the classes that case ``t`` was answered with."""
    total = 0
    if answers.single:
        if answers.codes[t] >= 0:
            total = answers.weight[answers.codes[t]]
    else:
        for k in range(answers.weight.shape[0]):
            # a mask, for a branch could not be foreseen
            total += answers.weight[k] & -cython.cast(cython.longlong, answers.sets[t, k] != 0)
    return total


def laplace(
    truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int, out: NDArray[np.float64]
) -> float:
    """Code by Laplace's law of succession, blind to the size of the set (Cleary et al.'s first code)."""
    coded = Answers(answers, n_classes)
    hits, misses, total = 0, 0, 0.0
    with cython.nogil:
        for t in range(truth.shape[0]):
            size = weigh(coded, t)
            if contains(coded, t, truth[t]):
                bits = log2(float(hits + misses + 2) / (hits + 1) * size)
                hits += 1
            else:
                bits = log2(float(hits + misses + 2) / (misses + 1) * (n_classes - size))
                misses += 1
            total += bits
            if out.shape[0]:
                out[t] = bits
    return total


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
    coded = Answers(answers, n_classes)
    weight, mass, total = coded.weight, n_classes, 0.0
    alpha = beta = 1.0 if corrected else 1.0 / n_classes
    with cython.nogil:
        for t in range(truth.shape[0]):
            label = truth[t]
            inside = weigh(coded, t)
            outside = mass - inside
            blended = alpha * inside + beta * outside
            step = mass if corrected else weight[label]
            settled = corrected and (inside == 0 or outside == 0)
            if contains(coded, t, label):
                bits = log2(blended / (alpha * weight[label]))
                alpha += 0.0 if settled else step / inside
            else:
                bits = log2(blended / (beta * weight[label]))
                beta += 0.0 if settled else step / outside
            if count_classes:
                weight[label] += 1
                mass += 1
            total += bits
            if out.shape[0]:
                out[t] = bits
    return total


def mixture(
    truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int, out: NDArray[np.float64]
) -> float:
    """Code by a Bayes mixture over fixed odds 2^k, k = -16 … 16, half of the prior on odds of one.

    Each component's probability is kept as mantissa x 2^(256 exponent): none may vanish, for the promise
    "never more than one bit above the null code" rests on the component with odds of one.
    """
    odds = np.ldexp(1.0, np.arange(ODDS) - ODDS // 2)
    mantissa = np.full(ODDS, 0.5 / (ODDS - 1))
    mantissa[ODDS // 2] = 0.5
    exponent = np.zeros(ODDS, dtype=np.int64)
    coded = Answers(answers, n_classes)
    weight, mass, total, before, top = coded.weight, n_classes, 0.0, 1.0, 0
    with cython.nogil:
        for t in range(truth.shape[0]):
            label = truth[t]
            inside = weigh(coded, t)
            bits = log2(float(mass) / weight[label])
            if 0 < inside < mass:
                hit = contains(coded, t, label)
                highest = _learn(
                    odds, mantissa, exponent, hit, float(inside) / mass, float(mass - inside) / mass
                )
                after = _sum_at(highest, mantissa, exponent)
                bits += log2(before / after) + 256.0 * (top - highest)
                before, top = after, highest
            weight[label] += 1
            mass += 1
            total += bits
            if out.shape[0]:
                out[t] = bits
    return total


def _learn(
    odds: NDArray[np.float64],
    mantissa: NDArray[np.float64],
    exponent: NDArray[np.int64],
    hit: bool,
    share: float,
    rest: float,
) -> int:
    """Multiply each component by the probability that it gave to what was seen; give the highest exponent."""
    highest = LEAST
    for k in range(ODDS):
        mantissa[k] *= (odds[k] if hit else 1.0) / (odds[k] * share + rest)
        if mantissa[k] < TINY:
            mantissa[k] *= RESCALE
            exponent[k] -= 1
        elif mantissa[k] > RESCALE:
            mantissa[k] *= TINY
            exponent[k] += 1
        highest = max(highest, exponent[k])
    return highest


def _sum_at(highest: int, mantissa: NDArray[np.float64], exponent: NDArray[np.int64]) -> float:
    """Sum the components in units of 2^(256 highest)."""
    total = 0.0
    for k in range(ODDS):
        if exponent[k] > highest - 5:
            unit = 1.0
            for _ in range(highest - exponent[k]):
                unit *= TINY
            total += mantissa[k] * unit
    return total


def frequency_null(truth: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Bits of each case under the class frequencies of the cases before it."""
    weight = np.ones(n_classes, dtype=np.int64)
    out = np.empty(truth.shape[0], dtype=np.float64)
    with cython.nogil:
        for t in range(truth.shape[0]):
            out[t] = log2(float(t + n_classes) / weight[truth[t]])
            weight[truth[t]] += 1
    return np.asarray(out)


def tally(truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int) -> tuple[Any, Any]:
    """Count the answers by size, and the right ones among them by size."""
    coded = Answers(answers, n_classes)
    sizes = np.zeros(n_classes + 1, dtype=np.int64)
    right = np.zeros(n_classes + 1, dtype=np.int64)
    with cython.nogil:
        for t in range(truth.shape[0]):
            size = weigh(coded, t)
            sizes[size] += 1
            right[size] += contains(coded, t, truth[t])
    return np.asarray(sizes), np.asarray(right)
