"""Slow and obvious versions of the measures of calibration, written from their definitions."""

from math import log2, sqrt


def select(row):
    """Position of the largest probability; the first of equals."""
    return max(range(len(row)), key=lambda k: (row[k], -k))


def cut_in_row_order(pairs, least=10):
    """Sort by probability (stable), cut every ``least``, and let the remainder join the last cell."""
    ordered = sorted(pairs, key=lambda pair: pair[0])
    cells = [ordered[start : start + least] for start in range(0, len(ordered), least)]
    if len(cells) > 1 and len(cells[-1]) < least:
        rest = cells.pop()
        cells[-1] = cells[-1] + rest
    return cells


def keep_ties_together(pairs, least=10):
    """Close a cell when it has ``least`` cases and the next probability differs."""
    ordered = sorted(pairs, key=lambda pair: pair[0])
    cells, current = [], []
    for t, pair in enumerate(ordered):
        current.append(pair)
        more = t + 1 < len(ordered)
        if len(current) >= least and more and ordered[t + 1][0] != pair[0]:
            cells.append(current)
            current = []
    if current and len(current) < least and cells:
        cells[-1] = cells[-1] + current
    elif current:
        cells.append(current)
    return cells


def miscalibration(cells):
    """Equation 3: root of the sum over cells and their cases of (share - p)^2 / (n - 1)."""
    total = 0.0
    for cell in cells:
        share = sum(happened for _, happened in cell) / len(cell)
        total += sum((share - p) ** 2 for p, _ in cell) / (len(cell) - 1)
    return sqrt(total)


def rms(cells):
    """The same distances, averaged over the cases."""
    squares, n = 0.0, 0
    for cell in cells:
        share = sum(happened for _, happened in cell) / len(cell)
        squares += sum((share - p) ** 2 for p, _ in cell)
        n += len(cell)
    return sqrt(squares / n)


def expected_calibration_error(pairs, n_bins):
    """Bins (0, 1/b], (1/b, 2/b], ...; zero belongs to the first."""
    edges = [(b + 1) / n_bins for b in range(n_bins)]
    total = 0.0
    for b in range(n_bins):
        low = -1.0 if b == 0 else edges[b - 1]
        inside = [pair for pair in pairs if low < pair[0] <= edges[b]]
        if inside:
            share = sum(f for _, f in inside) / len(inside)
            stated = sum(p for p, _ in inside) / len(inside)
            total += len(inside) / len(pairs) * abs(share - stated)
    return total


def reward(y, row, contrast=True):
    """Bits that a gambler wins in one case."""
    if len(row) == 2:
        return 1 + log2(row[y])
    if not contrast:
        return log2(len(row)) + log2(row[y])
    chosen = select(row)
    return 1 + log2(row[y] if chosen == y else 1 - row[chosen])


def area(positives, negatives, weight_p=None, weight_n=None):
    """Share of pairs in which the positive case has the higher score, ties counting one half."""
    weight_p = weight_p or [1] * len(positives)
    weight_n = weight_n or [1] * len(negatives)
    won = sum(
        u * v * ((a > b) + 0.5 * (a == b))
        for a, u in zip(positives, weight_p, strict=True)
        for b, v in zip(negatives, weight_n, strict=True)
    )
    return won / (sum(weight_p) * sum(weight_n))
