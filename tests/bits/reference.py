"""Slow and obvious versions of the codes, written case by case from their definitions.

Sets are Python sets of class positions; every function returns the bits of each case.
"""

from collections import Counter
from math import comb, log2

import numpy as np

ODDS = [2.0**k for k in range(-16, 17)]
MEMORIES = [4.0**k for k in range(-1, 5)]


def laplace(truth, sets, n):
    """Laplace's law of succession for "in the set or not", then an even choice inside or outside."""
    bits, hits, misses = [], 0, 0
    for y, answer in zip(truth, sets, strict=True):
        p = (hits + 1) / (hits + misses + 2)
        m = len(answer)
        if y in answer:
            bits.append(-log2(p) + log2(m))
            hits += 1
        else:
            bits.append(-log2(1 - p) + log2(n - m))
            misses += 1
    return bits


def constant(truth, sets, n):
    """Table 1 of the paper, Ic(D|T,Q): probability of the set, times an even choice within it."""
    bits, alpha, beta = [], 1 / n, 1 / n
    for y, answer in zip(truth, sets, strict=True):
        m = len(answer)
        share = alpha * m / (alpha * m + beta * (n - m))
        if y in answer:
            bits.append(-log2(share * (1 / m)))
            alpha += 1 / m
        else:
            bits.append(-log2((1 - share) * (1 / (n - m))))
            beta += 1 / (n - m)
    return bits


def frequency(truth, sets, n):
    """Table 1 of the paper, If(D|T,Q), with the class counts of the cases before."""
    bits, alpha, beta = [], 1 / n, 1 / n
    for y, p, r, s, hit in _running(truth, sets, n):
        blend = alpha * r + beta * s
        if hit:
            bits.append(-log2(alpha * r / blend * p[y] / r))
            alpha += p[y] / r
        else:
            bits.append(-log2(beta * s / blend * p[y] / s))
            beta += p[y] / s
    return bits


def corrected(truth, sets, n):
    """If with weights that count hits and misses in units of what chance would give."""
    bits, alpha, beta = [], 1.0, 1.0
    for y, p, r, s, hit in _running(truth, sets, n):
        blend = alpha * r + beta * s
        bits.append(-log2((alpha if hit else beta) * p[y] / blend))
        if r == 0 or s == 0:
            continue
        if hit:
            alpha += 1 / r
        else:
            beta += 1 / s
    return bits


def mixture(truth, sets, n):
    """Bayes mixture of no trust, fixed odds and memories for each answer, over the chances of an urn.

    The class totals are sent first; their price is shared by all cases. Posterior weights are renormalised after
    each case, and the cases go in an order that has nothing to do with that of the rows.
    """
    total = len(truth)
    price = log2(comb(total + n - 1, n - 1)) / total
    answers = [frozenset() if len(answer) == n else frozenset(answer) for answer in sets]
    weights = [0.5 if w == 1 else 0.25 / 32 for w in ODDS] + [0.25 / len(MEMORIES)] * len(MEMORIES)
    rest, seen, bits = Counter(truth), Counter(), [0.0] * total
    share = {y: count / total for y, count in rest.items()}
    for left, t in zip(range(total, 0, -1), np.random.default_rng(total).permutation(total), strict=True):
        y, answer = truth[t], answers[t]
        p = {label: count / left for label, count in rest.items()}
        bits[t] = price - log2(p[y])
        if len(set(answers)) > 1:
            r = sum(p.get(label, 0) for label in answer)
            trusting = [(w if y in answer else 1.0) / (w * r + 1 - r) for w in ODDS]
            lifts = [{label: seen[answer, label] / share[label] + s for label in p} for s in MEMORIES]
            recalling = [lift[y] / sum(p[label] * lift[label] for label in p) for lift in lifts]
            joint = [v * ratio for v, ratio in zip(weights, trusting + recalling, strict=True)]
            bits[t] -= log2(sum(joint) / sum(weights))
            weights = [weight / sum(joint) for weight in joint]
        seen[answer, y] += 1
        rest[y] -= 1
    return bits


def null(truth, n):
    """Adaptive code of the classes alone."""
    counts, bits = [1] * n, []
    for t, y in enumerate(truth):
        bits.append(-log2(counts[y] / (t + n)))
        counts[y] += 1
    return bits


def _running(truth, sets, n):
    counts = [1] * n
    for t, (y, answer) in enumerate(zip(truth, sets, strict=True)):
        p = [count / (t + n) for count in counts]
        r = 1.0 if len(answer) == n else sum(p[i] for i in answer)
        s = 1.0 if not answer else sum(p[i] for i in range(n) if i not in answer)
        yield y, p, r if answer else 0.0, s if len(answer) < n else 0.0, y in answer
        counts[y] += 1


CODES = {
    "laplace": laplace,
    "constant": constant,
    "frequency": frequency,
    "corrected": corrected,
    "mixture": mixture,
}
