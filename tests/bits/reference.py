"""Slow and obvious versions of the codes, written case by case from their definitions.

Sets are Python sets of class positions; every function returns the bits of each case.
"""

from math import log2

ODDS = [2.0**k for k in range(-16, 17)]


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
    """Bayes mixture over fixed odds multipliers; posterior weights are renormalised after each case."""
    weights = [0.5 if w == 1 else 0.5 / 32 for w in ODDS]
    bits = []
    for y, p, r, s, hit in _running(truth, sets, n):
        if r == 0 or s == 0:
            bits.append(-log2(p[y]))
            continue
        joint = [v * (w if hit else 1.0) * p[y] / (w * r + s) for v, w in zip(weights, ODDS, strict=True)]
        bits.append(-log2(sum(joint)))
        weights = [weight / sum(joint) for weight in joint]
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
