"""Costs of errors: checked, and as the weights of cases or of errors that they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.frames import as_numbers


@dataclass(frozen=True, eq=False)
class Costs:
    """What errors cost, and what follows from it.

    Parameters
    ----------
    matrix : ndarray of shape (k, k), or empty
        What it costs to say class p where r is right; empty if every error costs one.
    scale : ndarray of shape (2,), or empty
        For two classes: how much the cases of each class weigh.
    errors : ndarray of shape (k + 1, k)
        What an error counts for rules; the last row is for saying nothing.
    """

    matrix: NDArray[np.float64]
    scale: NDArray[np.float64]
    errors: NDArray[np.float64]


def check_costs(costs: Any, n_classes: int) -> NDArray[np.float64]:
    """Check a matrix of costs: [p, r] for saying class p where r is right; empty for None."""
    if costs is None:
        return np.empty((0, 0))
    matrix = as_numbers(costs, "costs").astype(np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise InputError(
            f"costs with a row and a column for each of the {n_classes} classes", f"shape {matrix.shape}"
        )
    right = np.eye(n_classes, dtype=bool)
    bad = np.argwhere(~np.where(right, matrix == 0, np.isfinite(matrix) & (matrix > 0)))
    if bad.size:
        p, r = bad[0]
        raise InputError(
            "costs of zero for right answers and above zero for errors",
            f"{show(float(matrix[p, r]))} in row {p}, column {r}",
        )
    return matrix


def costs_for(matrix: NDArray[np.float64], sizes: NDArray[np.float64]) -> Costs:
    """Work out what a matrix of costs means for training cases of which each class has the given weight.

    For two classes, cases are weighted by what an error on them costs, and their total stays the same; for
    more, errors are, by costs divided by the mean of one and the average cost.
    """
    k, total = sizes.size, float(sizes.sum())
    plain = np.vstack([1.0 - np.eye(k), np.ones(k)])
    if not matrix.size:
        return Costs(matrix, np.empty(0), plain)
    if k == 2:
        price = np.array([matrix[1, 0], matrix[0, 1]])
        return Costs(matrix, price * total / float((sizes * price).sum()), plain)
    shares = sizes / total
    others = shares[np.newaxis] / (1 - shares[:, np.newaxis])
    average = float((shares[:, np.newaxis] * others * matrix).sum())
    return Costs(matrix, np.empty(0), np.vstack([matrix / ((1 + average) / 2), np.ones(k)]))


def cheapest_class(counts: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.intp]:
    """Give the class with the lowest expected cost for each row of counts, the commonest if errors cost one."""
    if not matrix.size:
        return np.asarray(np.argmax(counts, axis=1))
    return np.asarray(np.argmin(counts @ matrix.T, axis=1))
