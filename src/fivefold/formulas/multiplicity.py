"""Several tests at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Adjust p-values by Holm's method; NaN stays NaN and does not count.

    Parameters
    ----------
    p_values : ndarray
        One p-value for each test.

    Returns
    -------
    ndarray
        Adjusted p-values: rejecting those below alpha errs in the whole family with probability alpha at most.

    References
    ----------
    S. Holm, "A simple sequentially rejective multiple test procedure", 1979.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    adjusted = p_values.copy()
    told = np.flatnonzero(~np.isnan(p_values))
    order = told[np.argsort(p_values[told])]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted
