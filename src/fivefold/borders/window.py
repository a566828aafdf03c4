"""The window that borders are measured in, and the scale that makes its columns comparable."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.cases import Cases, read_cases
from fivefold.errors import InputError, show
from fivefold.inputs.frames import as_numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Window:
    r"""A box in the columns' own units, and the unit of length along each column.

    Lengths are measured in :math:`u = (x - \text{origin}) / \text{scale}`. For a window around cases the smallest
    value of each column has :math:`u = 0` and the largest :math:`u = 1`; the window goes a margin beyond.

    Parameters
    ----------
    low, high : ndarray of shape (d,)
        The ends of the box in the columns' own units.
    origin, scale : ndarray of shape (d,)
        Where each column's scale starts, and its unit.
    names : tuple of str
        The names of the columns.

    Examples
    --------
    >>> window = Window.around([[1.0, 10.0], [3.0, 30.0]])
    >>> window.low.tolist(), window.high.tolist()
    ([0.8, 8.0], [3.2, 32.0])
    >>> window.to_unit([[2.0, 10.0]]).tolist()
    [[0.5, 0.0]]
    """

    low: Floats
    high: Floats
    origin: Floats
    scale: Floats
    names: tuple[str, ...]

    @classmethod
    def around(cls, X: Any, *, margin: float = 0.1, normalise: bool = True) -> Self:
        """Put a window around cases.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The cases; numeric columns without missing values.
        margin : float
            How far the window goes beyond the cases on each side, as a share of their range.
        normalise : bool
            Whether to measure each column in units of its range; otherwise in its own unit.
        """
        cases = read_cases(X)
        window = window_of(cases, cases, as_margin(margin), normalise)
        return cls(window.low, window.high, window.origin, window.scale, window.names)

    @property
    def n_columns(self) -> int:
        """The number of columns d."""
        return self.low.size

    @property
    def unit_low(self) -> Floats:
        """The lower ends in units of the scale."""
        return np.asarray((self.low - self.origin) / self.scale)

    @property
    def unit_high(self) -> Floats:
        """The upper ends in units of the scale."""
        return np.asarray((self.high - self.origin) / self.scale)

    @property
    def volume(self) -> float:
        """The content of the window in units of the scale."""
        return float(np.prod(self.unit_high - self.unit_low))

    @property
    def section(self) -> float:
        """The size of one plain cross-section, by which sizes in different dimensions compare."""
        return float(self.volume ** ((self.n_columns - 1) / self.n_columns))

    def to_unit(self, X: Any) -> Floats:
        """Turn the columns' own units into units of the scale."""
        return np.asarray((np.asarray(X, dtype=np.float64) - self.origin) / self.scale)

    def to_raw(self, U: Any) -> Floats:
        """Turn units of the scale into the columns' own units."""
        return np.asarray(np.asarray(U, dtype=np.float64) * self.scale + self.origin)

    def __str__(self) -> str:
        ends = zip(self.names, self.low, self.high, strict=True)
        return "; ".join(f"{name} from {low:.4g} to {high:.4g}" for name, low, high in ends)


def window_of(cases: Cases, reference: Cases, margin: float, normalise: bool) -> Window:
    """Put a window around all cases, with the scale and the margin of the reference."""
    least, most = reference.values.min(axis=0), reference.values.max(axis=0)
    spread = most - least
    constant = spread == 0
    if normalise and constant.any():
        named = ", ".join(np.asarray(reference.names)[constant])
        warnings.warn(
            f"no two cases differ in {named}: its values stand at 0.5 in a window of its own unit",
            UserWarning,
            stacklevel=5,
        )
    reach = np.where(constant, 1.0, spread)
    least = np.where(constant, least - 0.5, least)
    most = np.where(constant, most + 0.5, most)
    low = np.minimum(least, cases.values.min(axis=0)) - margin * reach
    high = np.maximum(most, cases.values.max(axis=0)) + margin * reach
    if normalise:
        return Window(low, high, least, reach, cases.names)
    return Window(low, high, np.zeros(low.size), np.ones(low.size), cases.names)


def as_window(window: Any) -> Window:
    """Take a window as it is, or pairs (low, high) in the columns' own units."""
    if isinstance(window, Window):
        return window
    if not isinstance(window, (Sequence, np.ndarray)) or isinstance(window, str):
        raise InputError(
            "a Window, or a pair (low, high) for each column", show(window), "see Window.around(X)"
        )
    ends = np.asarray(as_numbers(list(window), "window"), dtype=np.float64)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise InputError("a pair (low, high) for each column", f"an array of shape {ends.shape}")
    bad = np.flatnonzero(~(np.isfinite(ends).all(axis=1) & (ends[:, 0] < ends[:, 1])))
    if bad.size:
        raise InputError("finite ends with low < high", f"{ends[bad[0]].tolist()} for column {bad[0]}")
    d = ends.shape[0]
    names = tuple(f"x{i}" for i in range(d))
    return Window(ends[:, 0].copy(), ends[:, 1].copy(), np.zeros(d), np.ones(d), names)


def as_margin(margin: Any) -> float:
    """Check a margin."""
    if (
        isinstance(margin, bool)
        or not isinstance(margin, (int, float, np.number))
        or not 0 <= margin < np.inf
    ):
        raise InputError("a margin that is finite and not negative", show(margin))
    return float(margin)
