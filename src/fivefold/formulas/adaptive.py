"""The adaptive coder: a code for symbols that learns their frequencies as it goes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show


class AdaptiveCoder:
    r"""Price symbols one after another, each by how often it came before.

    With :math:`c_s` the times that symbol s was sent so far,

    .. math:: A(s) = -\lg \frac{c_s + 1}{\sum_{a \in \text{allowed}} (c_a + 1)}

    and then :math:`c_s` grows by one. Symbols that the receiver knows to be impossible are left out of
    `allowed`. If all symbols are always allowed, N symbols cost
    :math:`\lg [ (N+k-1)! / ((k-1)! \prod_s c_s!) ]` together, in any order.

    Parameters
    ----------
    size : int
        The number of symbols, k.

    Examples
    --------
    >>> coder = AdaptiveCoder(2)
    >>> [round(coder.cost(symbol), 3) for symbol in (0, 1, 1)]
    [1.0, 1.585, 1.0]
    """

    def __init__(self, size: int) -> None:
        self._weights = np.ones(size, dtype=np.int64)
        self._total = size

    def weight(self, symbol: int) -> int:
        """Give one more than the times that a symbol was sent so far."""
        return int(self._weights[symbol])

    def cost(self, symbol: int, allowed: NDArray[np.bool_] | None = None) -> float:
        """Give the bits that a symbol costs now, and count it.

        Parameters
        ----------
        symbol : int
            From 0 to `size` - 1.
        allowed : boolean array of length `size`, optional
            The symbols that may come here; all if not given.
        """
        if allowed is not None and not allowed[symbol]:
            raise InputError("a symbol that is allowed here", show(symbol))
        total = self._total if allowed is None else int(self._weights[allowed].sum())
        bits = math.log2(total / int(self._weights[symbol]))
        self._weights[symbol] += 1
        self._total += 1
        return bits
