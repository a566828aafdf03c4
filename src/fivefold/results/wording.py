"""Numbers in sentences."""

from __future__ import annotations


def say_p(p_value: float) -> str:
    """Write a p-value for people: no false zeros, no digits that mean nothing.

    Examples
    --------
    >>> say_p(0.0382), say_p(0.0), say_p(3e-9)
    ('p = 0.038', 'p < 0.0001', 'p < 0.0001')
    """
    return "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.2g}"
