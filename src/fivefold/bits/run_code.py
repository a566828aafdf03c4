"""The five codes by name: the bits that the true classes cost once the answers are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from fivefold.bits import _kernels

CODES = ("laplace", "constant", "frequency", "corrected", "mixture")
CLASS_BLIND = ("laplace", "constant")
NO_WEIGHTS = "a sequential code sends each case once and in turn; there is no such thing as half a case"

_NOTHING = np.empty(0)


def run_code(
    code: str,
    truth: NDArray[np.int32],
    answers: NDArray[Any],
    n_classes: int,
    out: NDArray[np.float64] = _NOTHING,
) -> float:
    """Total bits of ``truth`` under ``code``; the bits of each case go into ``out`` if it has room."""
    if code == "laplace":
        return float(_kernels.laplace(truth, answers, n_classes, out))
    if code == "mixture":
        return float(_kernels.mixture(truth, answers, n_classes, out))
    counts, corrected = code != "constant", code == "corrected"
    return float(_kernels.weighted(truth, answers, n_classes, counts, corrected, out))


def null_bits(code: str, truth: NDArray[np.int32], n_classes: int) -> float:
    """Total bits of ``truth`` under the code that knows no answers."""
    n_cases = truth.shape[0]
    if code in CLASS_BLIND:
        return float(n_cases * np.log2(n_classes))
    counts = np.bincount(truth, minlength=n_classes)
    nats = gammaln(n_cases + n_classes) - gammaln(n_classes) - gammaln(counts + 1).sum()
    return float(nats / np.log(2))


def null_bits_per_example(code: str, truth: NDArray[np.int32], n_classes: int) -> NDArray[np.float64]:
    """Bits of each case under the code that knows no answers."""
    if code in CLASS_BLIND:
        return np.full(truth.shape[0], np.log2(n_classes))
    per_example: NDArray[np.float64] = _kernels.frequency_null(truth, n_classes)
    return per_example
