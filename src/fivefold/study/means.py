"""Means over splits, and how they are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from fivefold.errors import InputError, show
from fivefold.results import Direction, Result
from fivefold.study.export import flatten

if TYPE_CHECKING:
    from fivefold.study.shelf import Record


@dataclass(frozen=True)
class Mean:
    """Mean and standard deviation of a number over the splits in which it is defined.

    Parameters
    ----------
    mean, sd : float or None
        None without a number; the standard deviation (n - 1) also with a single one.
    n : int
        How many numbers there are.
    """

    mean: float | None
    sd: float | None
    n: int

    def __str__(self) -> str:
        if self.mean is None:
            return "-"
        spread = "" if self.sd is None else f" ± {_digits(self.sd)}"
        return f"{_digits(self.mean)}{spread}"


@dataclass(frozen=True, eq=False)
class Means(Result):
    """Means over splits for each combination of the other labels.

    Parameters
    ----------
    study : str
        The study's name.
    view : str or None
        The view, if one was asked for.
    labels : tuple of str
        The names of the labels that tell the rows apart.
    numbers : tuple of str
        The names of the numbers.
    rows : tuple of tuple
        For each row its labels, its means by number, and how many of its jobs are finished out of how many.
    """

    title: ClassVar[str] = "Means over splits"
    unit: ClassVar[str] = "the number's own"
    direction: ClassVar[Direction] = "neither"

    study: str
    view: str | None
    labels: tuple[str, ...]
    numbers: tuple[str, ...]
    rows: tuple[tuple[tuple[Any, ...], Mapping[str, Mean], tuple[int, int]], ...]

    def columns(self) -> Mapping[str, Any]:
        """Give the means by column."""
        columns: dict[str, list[Any]] = {
            name: [labels[i] for labels, _, _ in self.rows] for i, name in enumerate(self.labels)
        }
        for number in self.numbers:
            columns[number] = [means[number].mean for _, means, _ in self.rows]
            columns[f"{number}_sd"] = [means[number].sd for _, means, _ in self.rows]
        columns["finished"] = [done for _, _, (done, _) in self.rows]
        columns["jobs"] = [total for _, _, (_, total) in self.rows]
        return columns

    def only(self, numbers: Sequence[str]) -> Means:
        """Keep some of the numbers."""
        for name in numbers:
            if name not in self.numbers:
                raise InputError(
                    f"a number of {self.view or self.study!r}",
                    show(name),
                    f"it has {', '.join(self.numbers)}",
                )
        return Means(self.study, self.view, self.labels, tuple(numbers), self.rows)

    def text(self, width: int = 80) -> str:
        """Write the means as a table that is not wider than this, in several parts if need be."""
        heads = [[*map(str, labels), f"{done}/{total}"] for labels, _, (done, total) in self.rows]
        left = _aligned([[*self.labels, "splits"], *heads], right=False)
        parts, part, used = [], list(left), len(left[0])
        for number in self.numbers:
            cells = _aligned([[number], *([str(means[number])] for _, means, _ in self.rows)], right=True)
            if used + 2 + len(cells[0]) > width and part != left:
                parts.append(part)
                part, used = list(left), len(left[0])
            part = [f"{line}  {cell}" for line, cell in zip(part, cells, strict=True)]
            used += 2 + len(cells[0])
        return "\n\n".join("\n".join(line.rstrip() for line in each) for each in [*parts, part])

    def __str__(self) -> str:
        return f"{self.study}: {len(self.rows)} means over splits of {len(self.numbers)} numbers"


def make_means(study: str, view: str | None, records: Sequence[Record]) -> Means:
    """Average the numbers of records that differ in nothing but the split."""
    names = tuple(dict.fromkeys(name for each in records for name in each.labels))
    constant = {"view"} if view is not None else set()
    labels = tuple(name for name in names if name != "split" and name not in constant)
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for each in records:
        groups.setdefault(tuple(each.labels.get(name, "") for name in labels), []).append(each)
    values = {key: [flatten(each.values) for each in group] for key, group in groups.items()}
    numbers = tuple(dict.fromkeys(name for group in values.values() for one in group for name in one))
    rows = tuple(
        (
            key,
            {name: _mean([one.get(name) for one in values[key]]) for name in numbers},
            (sum(each.state == "finished" for each in group), len(group)),
        )
        for key, group in groups.items()
    )
    return Means(study, view, labels, numbers, rows)


def _mean(values: Sequence[Any]) -> Mean:
    known = [float(each) for each in values if isinstance(each, (int, float))]
    if not known:
        return Mean(None, None, 0)
    array = np.array(known)
    # infinite rewards have a mean, but no spread around it
    sd = float(array.std(ddof=1)) if len(known) > 1 and np.isfinite(array).all() else None
    return Mean(float(array.mean()), sd, len(known))


def _digits(value: float) -> str:
    """Write a number with four digits that matter, and never in powers of ten where that can be helped."""
    if value == 0 or not np.isfinite(value):
        return f"{value:.0f}"
    before = int(np.floor(np.log10(abs(value)))) + 1
    return f"{value:.{min(max(0, 4 - max(before, 1)), 4)}f}" if abs(value) < 1e7 else f"{value:.3g}"


def _aligned(rows: Sequence[Sequence[str]], right: bool) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    side = str.rjust if right else str.ljust
    return ["  ".join(side(cell, size) for cell, size in zip(row, widths, strict=True)) for row in rows]
