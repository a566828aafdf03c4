"""Published numbers beside ours: compared cells, and the outcome of a re-run paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import atanh, isfinite, isnan, nan, sqrt
from statistics import mean, median
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from fivefold.papers.claims import Judgement
from fivefold.papers.printed import Erratum, Number, Printed, Published
from fivefold.results import Direction, Result

Mark: TypeAlias = Literal["agrees", "differs", "not comparable"]
MARKS: tuple[Mark, ...] = ("agrees", "differs", "not comparable")
Place: TypeAlias = tuple[str, str, str]
"""Table, row and column."""

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
    """A published number beside ours, each NaN where there is none.

    The `distance` is our number less the published one, in standard errors of that difference, or NaN; the `error`
    is that of our number, NaN for what is computed exactly. The `reason` says why they differ, if that is known.
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
        place: Place,
        quantity: str,
        number: Number,
        ours: Sample,
        *,
        runs: int,
        spread: float | None = None,
    ) -> Self:
        r"""Compare means over runs.

        .. math:: z = \frac{\bar x - m}{\sqrt{s_x^2 / n_x + s_m^2 / n_m + r^2}}

        Here m is the published mean of :math:`n_m` runs and r what its rounding is worth. The `spread` is the
        standard deviation of single published runs, by default ours: their runs are of the same kind.
        """
        theirs = ours.deviation if spread is None else spread
        error = sqrt(ours.error**2 + theirs**2 / runs + number.rounding**2)
        difference = ours.mean - number.value
        distance = difference / error if isfinite(error) else nan
        return cls(*place, quantity, number.value, ours.mean, distance, ours.error, number.decimals)

    @classmethod
    def of_correlations(
        cls, place: Place, quantity: str, number: Number, ours: tuple[ArrayLike, ArrayLike], *, runs: int
    ) -> Self:
        r"""Compare the correlation of two columns of our runs with a published one, by Fisher's transformation.

        .. math:: z = \frac{\operatorname{artanh} r - \operatorname{artanh} \rho}
                  {\sqrt{v / n_r + v / n_\rho + c^2}}

        The variance of one run, v, is that of normal numbers or that of the jackknife, whichever is larger: runs
        that are all right but for two or three have correlations far more scattered than normal ones. c is what
        rounding is worth. A correlation of 1, of fewer than four runs, or that hangs on a single run can not be
        compared.
        """
        first, second = (np.asarray(values, dtype=np.float64) for values in ours)
        r, n = correlation(first, second), first.size
        if not (abs(r) < 1 and abs(number.value) < 1 and min(n, runs) > 3):
            return cls.uncompared(place, quantity, number, r)
        normal = 1 / (n - 3) + 1 / (runs - 3)
        jackknifed = _jackknife_variance(first, second) * (1 + n / runs)
        error = sqrt(np.maximum(jackknifed, normal) + (number.rounding / (1 - number.value**2)) ** 2)
        return cls(
            *place, quantity, number.value, r, (atanh(r) - atanh(number.value)) / error, nan, number.decimals
        )

    @classmethod
    def of_exact(
        cls, place: Place, quantity: str, number: Number, ours: float, *, units: float = 0.5
    ) -> Self:
        """Compare numbers that nothing random is in: they agree within `units` of the last printed digit."""
        allowed = units * 10.0**-number.decimals * (1 + 1e-9)
        distance = LIMIT * (ours - number.value) / allowed
        return cls(*place, quantity, number.value, ours, distance, nan, number.decimals)

    @classmethod
    def of_estimate(cls, place: Place, quantity: str, number: Number, ours: float, error: float) -> Self:
        """Compare numbers whose difference has a standard error that is known, but for the rounding."""
        distance = (ours - number.value) / sqrt(error**2 + number.rounding**2)
        return cls(*place, quantity, number.value, ours, distance, error, number.decimals)

    @classmethod
    def uncompared(cls, place: Place, quantity: str, number: Number, ours: float) -> Self:
        """Put numbers beside each other that cannot be compared."""
        return cls(*place, quantity, number.value, ours, nan, nan, number.decimals)


@dataclass(frozen=True, eq=False)
class Figure:
    """The numbers behind a figure of a paper, drawn elsewhere; its `note` says what a reader should see.

    Its columns are ``x``, ``y`` and ``series``; ``low`` and ``high`` where there are bars of error; ``group`` if
    the lines of a series are not joined. The series in `lines` are drawn as lines, the others as points.
    """

    label: str
    title: str
    columns: Mapping[str, Sequence[Any]] = field(repr=False)
    x_title: str
    y_title: str
    lines: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Extra:
    """A table of ours that the paper does not have; its `note` says what a reader should see."""

    title: str
    columns: Mapping[str, Sequence[Any]] = field(repr=False)
    note: str = ""


@dataclass(frozen=True, eq=False)
class Outcome(Result):
    """A re-run paper.

    Parameters
    ----------
    paper, citation : str
        The short name, and the paper's authors, year, title and place.
    cells : tuple of Cell
        All published numbers beside ours.
    figures, extras, errata : tuple
        The figures, what goes beyond the paper, and the errors found in it.
    notes : tuple of str
        What was done, and how it differs from the paper.
    complete : bool
        False for a quick run, or where jobs failed or are open.
    status : str
        How many jobs are finished, failed and open.
    claims : tuple of Judgement
        The conclusions of the paper, judged.
    """

    title: ClassVar[str] = "A paper, re-run"
    unit: ClassVar[str] = ""
    direction: ClassVar[Direction] = "neither"

    paper: str
    citation: str
    cells: tuple[Cell, ...] = field(repr=False)
    figures: tuple[Figure, ...] = field(default=(), repr=False)
    extras: tuple[Extra, ...] = field(default=(), repr=False)
    errata: tuple[Erratum, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)
    complete: bool = False
    status: str = ""
    claims: tuple[Judgement, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        published: Published,
        cells: Iterable[Cell],
        figures: Iterable[Figure] = (),
        extras: Iterable[Extra] = (),
    ) -> Self:
        """Put what came out beside what is known of the paper; every cell gets its reason."""
        return cls(
            published.name,
            published.citation,
            tuple(
                replace(cell, reason=published.reason(cell.table, cell.row, cell.column)) for cell in cells
            ),
            tuple(figures),
            tuple(extras),
            published.errata,
            published.notes,
        )

    @property
    def tables(self) -> dict[str, list[Cell]]:
        """The cells by table, in order."""
        grouped: dict[str, list[Cell]] = {}
        for cell in self.cells:
            grouped.setdefault(cell.table, []).append(cell)
        return grouped

    def counts(self) -> dict[str, dict[Mark, int]]:
        """How many cells of each table agree, differ, and can not be compared."""
        return {table: count_marks(cells) for table, cells in self.tables.items()}

    def columns(self) -> Mapping[str, Any]:
        """Give all cells as columns."""
        names = ("table", "row", "column", "quantity", "published", "ours", "error", "distance")
        columns: dict[str, Any] = {
            name: [_plain(getattr(cell, name)) for cell in self.cells] for name in names
        }
        return columns | {
            "mark": [cell.mark for cell in self.cells],
            "reason": [cell.reason for cell in self.cells],
        }

    def __str__(self) -> str:
        marks = count_marks(self.cells)
        return f"{self.citation}: " + ", ".join(f"{marks[mark]} {_verb(mark)}" for mark in MARKS)


def count_marks(cells: Iterable[Cell]) -> dict[Mark, int]:
    """Count the marks of some cells."""
    counts = Counter(cell.mark for cell in cells)
    return {mark: counts[mark] for mark in MARKS}


def _verb(mark: Mark) -> str:
    return {"agrees": "agree", "differs": "differ"}.get(mark, mark)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value


def columns_of(rows: Sequence[Mapping[str, Any]], names: Iterable[str] = ()) -> dict[str, list[Any]]:
    """Turn rows into columns: those that are named, or those of the first row."""
    return {name: [row[name] for row in rows] for name in names or (rows[0] if rows else ())}


def samples(frame: pl.DataFrame, row: str, column: str, value: str) -> dict[tuple[str, str], Sample]:
    """Give the values of finished jobs by the labels that name rows and columns."""
    grouped = frame.drop_nulls(value).group_by([row, column], maintain_order=True).agg(value)
    return {(str(r), str(c)): Sample.of(values) for r, c, values in grouped.iter_rows()}


def correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Give the correlation; NaN where one of the two never changes."""
    first, second = np.asarray(a), np.asarray(b)
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return nan
    return float(np.corrcoef(first, second)[0, 1])


def _jackknife_variance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Give the variance of artanh r, each run left out in turn; NaN where one of them decides everything."""
    n, x, y = a.size, (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    # sums of squares and products about the mean without one run, of columns whose own sum is zero
    without = [
        n * r - u * v * (1 + 1 / (n - 1)) for r, u, v in ((1, x, x), (1, y, y), (np.mean(x * y), x, y))
    ]
    if min(without[0].min(), without[1].min()) < 1e-9 * n:
        return nan
    z = np.arctanh(np.clip(without[2] / np.sqrt(without[0] * without[1]), -1 + 1e-12, 1 - 1e-12))
    return float((n - 1) * z.var())


def compare_means(
    printed: Printed,
    ours: Mapping[tuple[str, str], Sample],
    *,
    runs: int,
    spread_divisor: float | None = None,
) -> list[Cell]:
    """Compare the means of a printed table with ours; cells that we have not are left out.

    Each printed mean stands for so many runs. The printed ± divided by `spread_divisor` is a standard deviation
    of single runs.
    """
    cells = []
    for place, number in printed.numbers.items():
        sample = ours.get(place)
        if sample is None or not sample.runs:
            continue
        spread = None if number.spread is None or spread_divisor is None else number.spread / spread_divisor
        own = (printed.label, *place)
        cells.append(Cell.of_means(own, printed.quantity, number, sample, runs=runs, spread=spread))
    return cells


def nearest_only(frame: pl.DataFrame, nearest: Mapping[str, str]) -> pl.DataFrame:
    """Keep the runs of the reading that the tables show."""
    return frame.filter(pl.col("variant") == pl.col("scheme").replace_strict(dict(nearest)))


def compare_readings(
    frame: pl.DataFrame,
    cells_of: Callable[[pl.DataFrame], Iterable[Cell]],
    nearest: Mapping[str, str],
    first_table: str,
    more: Callable[[pl.DataFrame], Mapping[str, Any]] = lambda own: {},
) -> list[Extra]:
    """Count for each reading the cells that agree, over all data sets; nothing where there is but one of each.

    `cells_of` compares runs with the published tables, `nearest` is the reading that these show, by scheme,
    `first_table` the one whose mean difference is given; `more` gives further columns.
    """
    rows: list[dict[str, Any]] = []
    for (scheme, variant), own in frame.group_by(["scheme", "variant"], maintain_order=True):
        cells = [cell for cell in cells_of(own) if cell.mark != "not comparable"]
        if not cells:
            continue
        rows.append(
            {
                "scheme": scheme,
                "reading": f"{variant}{' (shown)' if nearest[str(scheme)] == variant else ''}",
                "cells that agree": count_marks(cells)["agrees"],
                "of": len(cells),
                "median |z|": round(median(abs(cell.distance) for cell in cells), 2),
                "mean difference": round(mean(_differences(cells, first_table)), 4),
                **more(own),
            }
        )
    if len(rows) <= len(nearest):
        return []
    rows.sort(key=lambda row: list(nearest).index(row["scheme"]))
    note = f"Over all data sets at once; the mean difference is that of {first_table}."
    return [Extra("Readings of the learners", columns_of(rows), note)]


def _differences(cells: Iterable[Cell], table: str) -> list[float]:
    return [cell.ours - cell.published for cell in cells if cell.table == table]
