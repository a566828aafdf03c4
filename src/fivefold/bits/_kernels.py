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


class Beliefs:
    """How far each code of the mixture is believed, and what was true at each answer so far.

    Cases are sent by their cells, the pairs of answer and true class. How often each class comes is sent first,
    at ``price`` bits a case, with answers and without; so no code gains by guessing it, and the chances are those
    of an urn that is drawn empty. No trust (the middle one of ``odds``) has half of the prior, the other odds a
    quarter, ``memories`` that start with so many cases a quarter.

    A probability is kept as mantissa x 2^(256 exponent): none may vanish, for the promise "never more than one bit
    above the null code" rests on the code of no trust.
    """

    def __init__(
        self, cells: Any, odds: NDArray[np.float64], memories: NDArray[np.float64], price: float
    ) -> None:
        self.odds, self.memories, self.price = odds, memories, price
        self.labels, self.symbols, self.totals = cells.labels, cells.symbols, cells.totals
        self.coded = Answers(cells.answers, cells.n_classes)
        self.informed = cells.varied
        prior = np.repeat([0.25 / (odds.size - 1), 0.25 / memories.size], [odds.size, memories.size])
        prior[odds.size // 2] = 0.5
        self.prior, self.mantissa = prior, np.empty(prior.size)
        self.exponent = np.empty(prior.size, dtype=np.int64)
        self.lift = cells.totals.sum() / np.maximum(cells.totals, 1)
        pairs, self.memory = np.unique(
            np.int64(cells.n_classes) * cells.symbols + cells.labels, return_inverse=True
        )
        self.starts = np.searchsorted(pairs, np.arange(int(np.max(cells.symbols)) + 2) * cells.n_classes)
        self.classes = pairs % cells.n_classes
        self.seen = np.empty(pairs.size)
        self.mass, self.total, self.before, self.top = 0, 0.0, 1.0, 0
        begin(self)


def begin(beliefs: Beliefs) -> None:
    """Forget all that was seen."""
    for k in range(beliefs.prior.shape[0]):
        beliefs.mantissa[k] = beliefs.prior[k]
        beliefs.exponent[k] = 0
    for k in range(beliefs.seen.shape[0]):
        beliefs.seen[k] = 0.0
    beliefs.mass, beliefs.total, beliefs.before, beliefs.top = 0, 0.0, 1.0, 0
    for k in range(beliefs.totals.shape[0]):
        beliefs.coded.weight[k] = beliefs.totals[k]
        beliefs.mass += beliefs.totals[k]


def send(
    beliefs: Beliefs, cells: NDArray[np.int32], sums: NDArray[np.float64], out: NDArray[np.float64]
) -> float:
    """Send some cases after those before; add the bits of each to those of its cell; give all bits so far."""
    coded = beliefs.coded
    with cython.nogil:
        for t in range(cells.shape[0]):
            bits = _send(beliefs, coded, cells[t])
            beliefs.total += bits
            if sums.shape[0]:
                sums[cells[t]] += bits
            if out.shape[0]:
                out[t] = bits
    return beliefs.total


def _send(beliefs: Beliefs, coded: Answers, cell: int) -> float:
    """Send a case, and give the bits that it takes."""
    mass, label = beliefs.mass, beliefs.labels[cell]
    bits = log2(float(mass) / coded.weight[label]) + beliefs.price
    # one and the same answer to all cases tells nothing, and need not be listened to
    if beliefs.informed:
        inside = weigh(coded, cell)
        if 0 < inside < mass:
            share = float(inside) / mass
            _trust(beliefs, contains(coded, cell, label), share, float(mass - inside) / mass)
        _remember(beliefs, beliefs.symbols[cell], beliefs.memory[cell], label, coded.weight, mass)
        highest = _rescale(beliefs)
        after = _sum_at(highest, beliefs)
        bits += log2(beliefs.before / after) + 256.0 * (beliefs.top - highest)
        beliefs.before, beliefs.top = after, highest
    coded.weight[label] -= 1
    beliefs.mass -= 1
    return bits


def _trust(beliefs: Beliefs, hit: bool, share: float, rest: float) -> None:
    """Multiply the codes of fixed odds by the probability that they gave to what was seen."""
    for k in range(beliefs.odds.shape[0]):
        beliefs.mantissa[k] *= (beliefs.odds[k] if hit else 1.0) / (beliefs.odds[k] * share + rest)


def _remember(
    beliefs: Beliefs, symbol: int, cell: int, label: int, weight: NDArray[np.int64], mass: int
) -> None:
    """Multiply the codes with memories by the probability that they gave to what was seen, and enter it."""
    expected = 0.0
    for k in range(beliefs.starts[symbol], beliefs.starts[symbol + 1]):
        expected += weight[beliefs.classes[k]] * beliefs.seen[k]
    expected /= mass
    for k in range(beliefs.memories.shape[0]):
        prior = beliefs.memories[k]
        beliefs.mantissa[beliefs.odds.shape[0] + k] *= (beliefs.seen[cell] + prior) / (expected + prior)
    beliefs.seen[cell] += beliefs.lift[label]


def _rescale(beliefs: Beliefs) -> int:
    """Keep mantissas in range; give the highest exponent."""
    highest = LEAST
    for k in range(beliefs.exponent.shape[0]):
        if beliefs.mantissa[k] < TINY:
            beliefs.mantissa[k] *= RESCALE
            beliefs.exponent[k] -= 1
        elif beliefs.mantissa[k] > RESCALE:
            beliefs.mantissa[k] *= TINY
            beliefs.exponent[k] += 1
        highest = max(highest, beliefs.exponent[k])
    return highest


def _sum_at(highest: int, beliefs: Beliefs) -> float:
    """Sum the probabilities in units of 2^(256 highest)."""
    total = 0.0
    for k in range(beliefs.exponent.shape[0]):
        if beliefs.exponent[k] > highest - 5:
            unit = 1.0
            for _ in range(highest - beliefs.exponent[k]):
                unit *= TINY
            total += beliefs.mantissa[k] * unit
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
