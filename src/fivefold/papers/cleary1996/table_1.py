"""Table 1 as it is printed, line by line: the slow definitions that the library's codes are held against."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold import bits
from fivefold.papers.cell import Cell
from fivefold.papers.printed import Number

Sets = NDArray[np.bool_]
_TABLE = "Table 1, executed"


def constant_null(truth: NDArray[Any], n: int) -> float:
    """Ic(D|Q): each class has probability 1/n."""
    return -len(truth) * log2(1 / n)


def constant(truth: NDArray[Any], sets: Sets, n: int) -> float:
    """Ic(D|T,Q): α m against β (n - m), then one of m or of n - m."""
    alpha = beta = 1 / n
    total = 0.0
    for actual, predicted in zip(truth, sets, strict=True):
        m = int(predicted.sum())
        inside = bool(predicted[actual])
        size, weight = (m, alpha) if inside else (n - m, beta)
        total -= log2(weight * size / (alpha * m + beta * (n - m)) / size)
        if inside:
            alpha += 1 / m
        else:
            beta += 1 / (n - m)
    return total


def frequency_null(truth: NDArray[Any], n: int) -> float:
    """If(D|Q): (c + 1) / (N + n), N running."""
    counts = np.zeros(n)
    total = 0.0
    for actual in truth:
        total -= log2((counts[actual] + 1) / (counts.sum() + n))
        counts[actual] += 1
    return total


def frequency(truth: NDArray[Any], sets: Sets, n: int) -> float:
    """If(D|T,Q): α r against β (1 - r), then p/r or p/(1 - r)."""
    alpha = beta = 1 / n
    counts = np.zeros(n)
    total = 0.0
    for actual, predicted in zip(truth, sets, strict=True):
        p = (counts + 1) / (counts.sum() + n)
        inside = bool(predicted[actual])
        weight = alpha if inside else beta
        share = float(p[predicted].sum() if inside else p[~predicted].sum())
        scale = alpha * float(p[predicted].sum()) + beta * float(p[~predicted].sum())
        total -= log2(weight * share / scale * p[actual] / share)
        if inside:
            alpha += p[actual] / share
        else:
            beta += p[actual] / share
        counts[actual] += 1
    return total


def cells(truth: NDArray[Any], sets: Sets, n: int, where: str) -> list[Cell]:
    """Hold the library's codes against the printed definitions on the answers of one scheme."""
    classes = np.arange(n)
    pairs = {
        "Ic(D|Q)": (constant_null(truth, n), bits.null_code_length(truth, classes=classes, code="constant")),
        "Ic(D|T,Q)": (
            constant(truth, sets, n),
            bits.code_length(truth, sets, classes=classes, code="constant"),
        ),
        "If(D|Q)": (frequency_null(truth, n), bits.null_code_length(truth, classes=classes)),
        "If(D|T,Q)": (frequency(truth, sets, n), bits.code_length(truth, sets, classes=classes)),
    }
    quantity = "bits of the definition as printed, and of the library's code"
    return [
        Cell.of_exact((_TABLE, row, where), quantity, Number(slow, 6), fast)
        for row, (slow, fast) in pairs.items()
    ]
