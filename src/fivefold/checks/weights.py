"""Sample weights: finite, not negative, one for each case; refused where they have no meaning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.checks.arrays import as_numbers, check_length
from fivefold.errors import InputError, show


def as_weights(sample_weight: object, n_cases: int) -> NDArray[np.float64] | None:
    """Check the weights; ``None`` stays ``None`` and means one for each case."""
    if sample_weight is None:
        return None
    weights = as_numbers(sample_weight, "sample_weight").astype(np.float64)
    if weights.ndim != 1:
        raise InputError("sample_weight to be one-dimensional", f"an array of shape {weights.shape}")
    check_length(weights, n_cases, "sample_weight")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise InputError("weights that are finite and not negative", f"{weights[bad[0]]} in row {bad[0]}")
    if weights.sum() == 0:
        raise InputError("at least one weight above zero", "all weights zero")
    return weights


def refuse_weights(sample_weight: object, reason: str) -> None:
    """Refuse weights where they have no meaning, and say why."""
    if sample_weight is not None:
        raise InputError("no sample_weight here", show(sample_weight), reason)
