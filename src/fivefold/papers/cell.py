"""One published number beside ours, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, isfinite, isnan, nan, sqrt
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fivefold.papers.printed import Number

Mark: TypeAlias = Literal["agrees", "differs", "not comparable"]

LIMIT = 2.0
"""Numbers that lie further apart than so many standard errors differ; by chance alone one in 22 would."""


@dataclass(frozen=True)
class Sample:
    """The mean of a number over runs, and how far single runs lie apart.

    Examples
    --------
    >>> Sample.of([1.0, 2.0, 3.0])
    Sample(mean=2.0, deviation=1.0, runs=3)
    """

    mean: float
    deviation: float
    runs: int

    @classmethod
    def of(cls, values: ArrayLike) -> Self:
        """Take the mean and the sample standard deviation; a single run has none."""
        numbers = np.asarray(values, dtype=np.float64)
        if not numbers.size:
            return cls(nan, nan, 0)
        deviation = float(numbers.std(ddof=1)) if numbers.size > 1 else nan
        return cls(float(numbers.mean()), deviation, numbers.size)

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / sqrt(self.runs) if self.runs else nan


@dataclass(frozen=True)
class Cell:
    """A published number beside ours.

    Parameters
    ----------
    table, row, column : str
        Where it is printed.
    quantity : str
        What the number is.
    published : float
        NaN where the paper prints none.
    ours : float
        NaN where there is none.
    distance : float
        Our number less the published one, in standard errors of that difference; NaN where it is not known.
    error : float
        The standard error of our number; NaN where there is none, as for what is computed exactly.
    decimals : int
        The digits after the point that the paper prints.
    reason : str
        Why the two differ or cannot be compared, where that is known.
    """

    table: str
    row: str
    column: str
    quantity: str
    published: float
    ours: float
    distance: float
    error: float = nan
    decimals: int = 3
    reason: str = ""

    @property
    def mark(self) -> Mark:
        """Whether the two numbers agree."""
        if isnan(self.distance):
            return "not comparable"
        return "agrees" if abs(self.distance) <= LIMIT else "differs"

    @classmethod
    def of_means(
        cls,
        place: tuple[str, str, str],
        quantity: str,
        number: Number,
        ours: Sample,
        *,
        runs: int,
        spread: float | None = None,
        reason: str = "",
    ) -> Self:
        r"""Compare means over runs.

        .. math:: z = \frac{\bar x - m}{\sqrt{s_x^2 / n_x + s_m^2 / n_m + r^2}}

        Here m is the published mean of :math:`n_m` runs and r what its rounding is worth.

        Parameters
        ----------
        place : tuple of str
            Table, row and column.
        quantity : str
            What the number is.
        number : Number
            The published mean.
        ours : Sample
            Our runs.
        runs : int
            How many runs the published mean stands for.
        spread : float, optional
            The standard deviation of single published runs. By default ours: the paper prints none, and its
            runs are of the same kind.
        reason : str
            Why the two differ, where that is known.
        """
        theirs = ours.deviation if spread is None else spread
        error = sqrt(ours.error**2 + theirs**2 / runs + number.rounding**2)
        difference = ours.mean - number.value
        distance = difference / error if isfinite(error) else nan
        return cls(*place, quantity, number.value, ours.mean, distance, ours.error, number.decimals, reason)

    @classmethod
    def of_correlations(
        cls,
        place: tuple[str, str, str],
        quantity: str,
        number: Number,
        ours: float,
        *,
        runs: tuple[int, int],
        reason: str = "",
    ) -> Self:
        r"""Compare correlations by Fisher's transformation.

        .. math:: z = \frac{\operatorname{artanh} r - \operatorname{artanh} \rho}
                  {\sqrt{1 / (n_r - 3) + 1 / (n_\rho - 3)}}

        A correlation of 1 or of fewer than four runs can not be compared.
        """
        comparable = abs(ours) < 1 and abs(number.value) < 1 and min(runs) > 3
        error = sqrt(sum(1 / (n - 3) for n in runs)) if comparable else nan
        distance = (atanh(ours) - atanh(number.value)) / error if comparable else nan
        return cls(*place, quantity, number.value, ours, distance, nan, number.decimals, reason)

    @classmethod
    def of_exact(
        cls,
        place: tuple[str, str, str],
        quantity: str,
        number: Number,
        ours: float,
        *,
        units: float = 0.5,
        reason: str = "",
    ) -> Self:
        """Compare numbers that nothing random is in: they agree within `units` of the last printed digit."""
        allowed = units * 10.0**-number.decimals * (1 + 1e-9)
        distance = LIMIT * (ours - number.value) / allowed
        return cls(*place, quantity, number.value, ours, distance, nan, number.decimals, reason)
