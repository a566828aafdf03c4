"""The miner as its definition reads: every conjunction is looked at, nothing is fast."""

from itertools import combinations, product

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import gammaincc


def masks_of(table):
    """Give the rows of every column = value; -1 is missing. `table` has a column of codes each."""
    return {
        (column, value): table[:, column] == value
        for column in range(table.shape[1])
        for value in sorted(set(table[:, column]) - {-1})
    }


def rows_of(masks, terms):
    return np.logical_and.reduce([masks[term] for term in terms])


def counts_of(masks, terms, groups, n_groups):
    return np.bincount(groups[rows_of(masks, terms)], minlength=n_groups)


def pearson(counts, sizes):
    """Pearson's statistic and its tail; `test_pruning` holds the formula to scipy's contingency tables."""
    total, inside = int(sizes.sum()), int(counts.sum())
    if inside in (0, total):
        return 0.0, 1.0
    statistic = 0.0
    for seen, size in zip(counts.tolist(), sizes.tolist(), strict=True):
        expected = size * inside / total
        statistic += (seen - expected) ** 2 * (1 / expected + 1 / (size - expected))
    return statistic, float(gammaincc((sizes.size - 1) / 2, statistic / 2))


def exact(counts, sizes):
    """Twice the smaller hypergeometric tail of each group against the rest."""
    n, total = counts.sum(), sizes.sum()
    tails = []
    for seen, size in zip(counts, sizes, strict=True):
        law = stats.hypergeom(total, size, n)
        tails.append(law.sf(seen - 1) if seen * total >= n * size else law.cdf(seen))
    smallest = min(tails)
    return min(1.0, 2 * smallest * (1 if sizes.size == 2 else sizes.size))


def largest_below(counts, sizes):
    return max(
        pearson(np.where(corner, counts, 0), sizes)[0] for corner in product((False, True), repeat=sizes.size)
    )


def stucco(table, groups, *, alpha, delta, max_terms, guarded=True):
    """Mine by definition; give {terms: counts} of what deviates, and what is shown."""
    n_groups = groups.max() + 1
    sizes = np.bincount(groups)
    masks = masks_of(table)
    alive, before = {(): None}, alpha
    seen, found, shown, levels = {(): sizes}, {}, set(), []
    for length in range(1, max_terms + 1):
        candidates = [
            terms
            for terms in combinations(sorted(masks), length)
            if len({column for column, _ in terms}) == length
            and all(part in alive for part in combinations(terms, length - 1))
        ]
        if not candidates:
            break
        level_alpha = min(alpha / (2**length * len(candidates)), before)
        critical = stats.chi2.isf(level_alpha, n_groups - 1)
        survivors = {}
        for terms in candidates:
            counts = seen[terms] = counts_of(masks, terms, groups, n_groups)
            supports = counts / sizes
            testable = (counts.sum() * sizes / sizes.sum()).min() >= 5
            same = any(counts.sum() == seen[part].sum() for part in combinations(terms, length - 1))
            passed = testable and not same and np.ptp(supports) >= delta
            passed = passed and pearson(counts, sizes)[1] < level_alpha
            if passed and (not guarded or exact(counts, sizes) < level_alpha):
                found[terms] = counts
            hopeless = supports.max() < delta or largest_below(counts, sizes) < critical
            if testable and not same and not hopeless and (counts > 0).sum() > 1:
                survivors[terms] = counts
        for terms in (terms for terms in found if len(terms) == length):
            if length == 1 or surprising(terms, seen, shown, sizes, delta / 2, level_alpha):
                shown.add(terms)
        levels.append((len(candidates), level_alpha))
        alive, before = survivors, level_alpha
    return found, shown, levels


def surprising(terms, seen, shown, sizes, least, alpha):
    parts = [p for size in range(1, len(terms)) for p in combinations(terms, size) if p in shown or size == 1]
    margins = [p for p in parts if not any(set(p) < set(q) for q in parts)]
    statistic = gap = 0.0
    for group, size in enumerate(sizes):
        inside = {part: seen[part][group] for n in range(len(terms) + 1) for part in combinations(terms, n)}
        expected = all_true_cell(terms, inside, margins)
        off = seen[terms][group] - expected
        gap = max(gap, abs(off) / size)
        if abs(off) > 1e-9 * size:
            statistic += off**2 / expected if expected else np.inf
            statistic += off**2 / (size - expected)
    return gap >= least and stats.chi2.sf(statistic, sizes.size) < alpha


def all_true_cell(terms, inside, margins):
    """Expected cases with all of two or three terms, in closed form or by one-dimensional root finding."""
    total, single = inside[()], {term: inside[(term,)] for term in terms}
    if len(terms) == 2 or all(len(m) == 1 for m in margins):
        return total * np.prod([single[t] / total for t in terms]) if total else 0.0
    pairs = [m for m in margins if len(m) == 2]
    if len(pairs) == 1:
        (other,) = set(terms) - set(pairs[0])
        return inside[pairs[0]] * single[other] / total
    if len(pairs) == 2:
        (shared,) = set(pairs[0]) & set(pairs[1])
        return inside[pairs[0]] * inside[pairs[1]] / single[shared] if single[shared] else 0.0
    return no_three_way(terms, inside)


def no_three_way(terms, inside):
    """All three pairs: the cell whose odds ratios agree, found on the one line that keeps all pairs."""
    a, b, c = terms
    ab, ac, bc = inside[(a, b)], inside[(a, c)], inside[(b, c)]
    rest = inside[()] - inside[(a,)] - inside[(b,)] - inside[(c,)] + ab + ac + bc
    low = max(0, ab + ac - inside[(a,)], ab + bc - inside[(b,)], ac + bc - inside[(c,)])
    high = min(ab, ac, bc, rest)
    if high <= low:
        return float(low)

    def odds(x):
        up = [x, inside[(a,)] - ab - ac + x, inside[(b,)] - ab - bc + x, inside[(c,)] - ac - bc + x]
        down = [ab - x, ac - x, bc - x, rest - x]
        return np.prod(np.array(up, dtype=float)) - np.prod(np.array(down, dtype=float))

    return brentq(odds, low, high, xtol=1e-12)
