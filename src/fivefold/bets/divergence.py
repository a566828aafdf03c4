"""Kullback-Leibler distance, for when the true probabilities are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from fivefold.errors import InputError
from fivefold.inputs import _kernels
from fivefold.inputs.frames import as_numbers
from fivefold.inputs.probabilities import SUM_TOLERANCE


def kl_distance(p: object, q: object) -> float:
    r"""Mean bits lost by betting by ``q`` where ``p`` is true, :math:`\sum_k p_k \lg (p_k / q_k)`.

    For two classes it is exactly what the expected information reward at ``q`` falls short of that at ``p``.

    Parameters
    ----------
    p, q : array-like of shape (k,) or (n, k)
        One distribution each, or one for each case, over which the mean is taken.

    Returns
    -------
    float
        Bits; infinite where ``q`` rules out what ``p`` allows.

    References
    ----------
    K. B. Korb, L. R. Hope and M. J. Hughes, ECML 2001, equation 1.

    Examples
    --------
    >>> import fivefold as ff
    >>> round(ff.bets.kl_distance([0.5, 0.5], [0.25, 0.75]), 4)
    0.2075
    >>> ff.bets.kl_distance([0.5, 0.5], [0.0, 1.0])
    inf
    """
    true, stated = _distributions(p, "p"), _distributions(q, "q")
    if true.shape != stated.shape:
        raise InputError("p and q of the same shape", f"{true.shape} and {stated.shape}")
    return float(rel_entr(true, stated).sum(axis=1).mean() / np.log(2))


def _distributions(values: object, name: str) -> NDArray[np.float64]:
    array = as_numbers(values, name)
    rows = np.atleast_2d(array.astype(np.float64))
    if rows.ndim != 2 or rows.size == 0:
        raise InputError(f"{name} of shape (k,) or (n, k)", f"an array of shape {array.shape}")
    row, reason = _kernels.first_bad_row(rows, SUM_TOLERANCE)
    if reason:
        raise InputError(
            f"every row of {name} to be a distribution that sums to 1", f"{rows[row]} in row {row}"
        )
    return rows
