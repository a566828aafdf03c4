"""Single passes over probabilities.

Probabilities come as ``(n, k)``, or as ``(n,)`` for the second of two classes, which `columns` makes a matrix of.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

if not cython.compiled:
    from math import exp, log, log2

    def bits_of(rng: Any) -> Any:
        """Give what the generator draws from."""
        return rng

    def draw_chances(runs: Runs, first: int, end: int) -> None:
        """Draw a number between 0 and 1 for each of some runs."""
        runs.bits.random(out=runs.excess[first:end])

    def draw_binomial(runs: Runs, n: int, p: float) -> int:
        """Draw how many of n happen."""
        return int(runs.bits.binomial(n, p))


LONG_RUN = 12
LARGE_PRODUCT = 1e300


def columns(prob: NDArray[Any]) -> tuple[NDArray[Any], bool]:
    """View probabilities as a matrix, and say whether it holds the second of two classes alone."""
    return (prob[:, np.newaxis], True) if prob.ndim == 1 else (prob, False)


def select(prob: NDArray[Any], second: bool, t: int) -> int:
    """Most probable class of case ``t``; the first of equals."""
    if second:
        return 1 if prob[t, 0] > 0.5 else 0
    best, most = 0, prob[t, 0]
    for k in range(1, prob.shape[1]):
        best = k if prob[t, k] > most else best
        most = max(most, prob[t, k])
    return best


def rewards(
    truth: NDArray[np.int32],
    prob: NDArray[Any],
    second: bool,
    contrast: bool,
    zero_point: float,
    low: float,
    high: float,
    weight: NDArray[np.float64],
    out: NDArray[np.float64],
    total: float,
) -> float:
    """Add ``zero_point + lg P``, P within [low, high], to the total; ``out`` takes each part if it has room."""
    with cython.nogil:
        for t in range(truth.shape[0]):
            if contrast:
                chosen = select(prob, False, t)
                p = prob[t, chosen] if chosen == truth[t] else max(1.0 - prob[t, chosen], 0.0)
            elif second:
                # a distance, for a branch could not be foreseen
                p = abs(prob[t, 0] - (1.0 - truth[t]))
            else:
                p = prob[t, truth[t]]
            reward = zero_point + log2(min(max(p, low), high))
            if out.shape[0]:
                out[t] = reward
            if weight.shape[0] == 0:
                total += reward
            elif weight[t] > 0.0:
                total += weight[t] * reward
    return total


def logistic(
    score: NDArray[np.float64], target: NDArray[np.float64], slope: float, offset: float
) -> tuple[float, float, float, float, float, float]:
    """Sum the log loss of ``1 / (1 + exp(-z))``, ``z = slope * score + offset``, and its first and second slopes.

    Logarithms of factors between 1 and 2 are taken together, for they cost more than all else.
    """
    loss = by_slope = by_offset = bend_slope = bend_both = bend_offset = 0.0
    product = 1.0
    with cython.nogil:
        for t in range(score.shape[0]):
            z = slope * score[t] + offset
            e = exp(-abs(z))
            p = 1.0 / (1.0 + e)
            weight = e * p * p
            loss += max(z, 0.0) - target[t] * z
            product *= 1.0 + e
            if product > LARGE_PRODUCT:
                loss += log(product)
                product = 1.0
            error = (p if z >= 0.0 else e * p) - target[t]
            by_slope += error * score[t]
            by_offset += error
            bend_slope += weight * score[t] * score[t]
            bend_both += weight * score[t]
            bend_offset += weight
    return loss + log(product), by_slope, by_offset, bend_slope, bend_both, bend_offset


def squared_errors(
    truth: NDArray[np.int32], prob: NDArray[Any], second: bool, out: NDArray[np.float64]
) -> None:
    """Squared distance of each probability vector from the vector of the truth."""
    with cython.nogil:
        for t in range(truth.shape[0]):
            if second:
                error = float(prob[t, 0]) - truth[t]
                out[t] = error * error
            else:
                total = 0.0
                for k in range(prob.shape[1]):
                    error = prob[t, k] - (1.0 if k == truth[t] else 0.0)
                    total += error * error
                out[t] = total


def selected_events(
    truth: NDArray[np.int32], prob: NDArray[Any], second: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Probability of the selected class of each case, and whether it is the true one."""
    p = np.empty(truth.shape[0], dtype=np.float64)
    happened = np.empty(truth.shape[0], dtype=np.bool_)
    with cython.nogil:
        for t in range(truth.shape[0]):
            chosen = select(prob, second, t)
            p[t] = prob[t, 0 if second else chosen]
            if second and chosen == 0:
                p[t] = 1.0 - p[t]
            happened[t] = truth[t] == chosen
    return np.asarray(p), np.asarray(happened).view(np.bool_)


def tied_ends(p: NDArray[np.float64], least: int) -> NDArray[np.int64]:
    """Ends of cells of at least ``least`` cases of sorted ``p`` that keep equal values together."""
    ends = np.empty(p.shape[0] // least + 1, dtype=np.int64)
    n, count, start = p.shape[0], 0, 0
    with cython.nogil:
        for t in range(n):
            if t + 1 - start >= least and (t + 1 == n or p[t + 1] != p[t]):
                ends[count] = t + 1
                count += 1
                start = t + 1
        if start < n:
            count = max(count, 1)
            ends[count - 1] = n
    return np.asarray(ends)[:count]


def cell_statistics(
    p: NDArray[np.float64], happened: NDArray[np.bool_], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """For each cell: cases, hits, mean probability, and sum of squared deviations of p from the hit rate."""
    m = ends.shape[0]
    cases, hits = np.empty(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    mean, squares = np.zeros(m), np.zeros(m)
    start = 0
    with cython.nogil:
        for i in range(m):
            cases[i] = ends[i] - start
            for t in range(start, ends[i]):
                hits[i] += happened[t]
                mean[i] += p[t]
            mean[i] /= cases[i]
            rate = float(hits[i]) / cases[i]
            for t in range(start, ends[i]):
                squares[i] += (rate - p[t]) * (rate - p[t])
            start = ends[i]
    return np.asarray(cases), np.asarray(hits), np.asarray(mean), np.asarray(squares)


class Runs:
    """Runs of equal ``p`` within cells, where each cell ends among them, and a generator to draw them anew.

    Short runs are taken apart into cases; all cases up to the next long run are drawn at once.
    """

    def __init__(self, p: NDArray[np.float64], ends: NDArray[np.int64], rng: Any) -> None:
        starts = np.append(True, p[1:] != p[:-1])
        starts[ends[: ends.size - 1]] = True
        length = np.diff(np.flatnonzero(starts), append=p.size)
        first = np.flatnonzero(starts | np.repeat(length <= LONG_RUN, length))
        length = np.diff(first, append=p.size)
        self.value, self.length, self.excess = np.minimum(p[first], 1.0), length, np.empty(first.size)
        self.cell_ends = np.searchsorted(first, ends)
        self.drawn_ends = np.append(np.flatnonzero((length[1:] > 1) | (length[:-1] > 1)) + 1, first.size)
        self.rng, self.bits = rng, bits_of(rng)


def redraw(
    p: NDArray[np.float64], ends: NDArray[np.int64], spread: NDArray[np.float64], draws: int, rng: Any
) -> NDArray[np.float64]:
    """Squared miscalibration when every outcome is drawn anew with the probability that was stated.

    A cell's share is (n (rate - mean p)^2 + spread) / (n - 1), where the spread of p does not change.
    """
    runs, cases, out = Runs(p, ends, rng), np.diff(ends, prepend=0), np.zeros(draws)
    with rng.bit_generator.lock, cython.nogil:
        for d in range(draws):
            _draw(runs)
            first = 0
            for i in range(spread.shape[0]):
                n, excess = cases[i], 0.0
                for run in range(first, runs.cell_ends[i]):
                    excess += runs.excess[run]
                out[d] += (excess * excess / n + spread[i]) / (n - 1)
                first = runs.cell_ends[i]
    return np.asarray(out)


def _draw(runs: Runs) -> None:
    """Draw the outcomes of all runs: how many more there are of each than stated."""
    first = 0
    for i in range(runs.drawn_ends.shape[0]):
        end, length = runs.drawn_ends[i], runs.length[first]
        if length > 1:
            runs.excess[first] = draw_binomial(runs, length, runs.value[first]) - length * runs.value[first]
        else:
            draw_chances(runs, first, end)
            for run in range(first, end):
                runs.excess[run] = (1.0 if runs.excess[run] < runs.value[run] else 0.0) - runs.value[run]
        first = end


def redraw_moments(
    p: NDArray[np.float64], ends: NDArray[np.int64], spread: NDArray[np.float64]
) -> tuple[float, float]:
    """Mean and variance of what ``redraw`` draws, exactly, from the cumulants of independent outcomes."""
    mean = variance = 0.0
    start = 0
    with cython.nogil:
        for i in range(ends.shape[0]):
            n = ends[i] - start
            second = fourth = 0.0
            for t in range(start, ends[i]):
                v = p[t] * (1.0 - p[t])
                second += v
                fourth += v * (1.0 - 6.0 * v)
            mean += (second / n + spread[i]) / (n - 1)
            variance += (fourth + 2.0 * second * second) / (n * n * ((n - 1.0) * (n - 1.0)))
            start = ends[i]
    return mean, variance
