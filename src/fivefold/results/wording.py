"""Numbers in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def say_p(p_value: float) -> str:
    """Write a p-value for people: no false zeros, no digits that mean nothing.

    Examples
    --------
    >>> say_p(0.0382), say_p(0.0), say_p(3e-9)
    ('p = 0.038', 'p < 0.0001', 'p < 0.0001')
    """
    return "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.2g}"


def say_won(bits: float) -> str:
    """Write what a gambler wins, or loses.

    Examples
    --------
    >>> say_won(0.25), say_won(-0.06), say_won(-0.0001)
    ('wins +0.250', 'loses 0.060', 'wins +0.000')
    """
    return f"loses {-bits:.3f}" if round(bits, 3) < 0 else f"wins {abs(bits):+.3f}"


def say_rows(rows: Sequence[int] | NDArray[np.int64], shown: int = 5) -> str:
    """Name rows, the first few if there are many.

    Examples
    --------
    >>> say_rows([3]), say_rows([3, 8]), say_rows([3, 8, 9, 12], shown=2)
    ('row 3', 'rows 3 and 8', 'rows 3, 8 and 2 more')
    """
    names = [str(row) for row in rows[:shown]]
    if len(rows) > shown:
        names.append(f"{len(rows) - shown} more")
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"row{'s' if len(rows) > 1 else ''} {listed}"
