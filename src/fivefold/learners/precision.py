"""Numbers in the precision in which a learner scores them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show


def round_to(values: NDArray[np.float64], real: Any) -> NDArray[Any]:
    """Round to a precision; what is too large for it becomes infinite, which keeps the order.

    Examples
    --------
    >>> round_to(np.array([0.1, 1e300]), np.float32)
    array([0.1, inf], dtype=float32)
    """
    with np.errstate(over="ignore"):
        return values.astype(real)


def check_held(rounded: NDArray[Any], values: NDArray[np.float64]) -> None:
    """Refuse training values of which rounding made infinite ones: they can no longer be told apart."""
    beyond = np.flatnonzero(np.isinf(rounded) & np.isfinite(values))
    if beyond.size:
        raise InputError(
            f"numbers of at most {np.finfo(rounded.dtype).max:.3g} in size, which {rounded.dtype} can hold",
            show(float(values.flat[beyond[0]])),
            "measure in a larger unit, or pass dtype='float64' to a learner that takes it",
        )
