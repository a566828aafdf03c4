"""Readings: what a description leaves open, each choice judged on all data sets at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from statistics import mean, median
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from fivefold.papers.cell import Cell
from fivefold.papers.outcome import Extra, count_marks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DEFAULT", "Readings", "compare_readings", "models_of", "nearest_only"]

DEFAULT = "as specified"
Readings: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By scheme and name of the reading: the learner."""


def models_of(readings: Readings, nearest: Mapping[str, str], quick: bool) -> Iterator[tuple[str, str, Any]]:
    """Give scheme, reading and learner; for a quick run only the reading that the tables show."""
    for scheme, own in readings.items():
        for name, model in own.items():
            if not quick or name == nearest[scheme]:
                yield scheme, name, model


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

    Parameters
    ----------
    frame : DataFrame
        All finished runs, with labels ``scheme`` and ``variant``.
    cells_of : callable
        Compares runs with the published tables.
    nearest : mapping of str to str
        The reading that the tables show, by scheme.
    first_table : str
        The table whose mean difference is shown.
    more : callable
        Further columns.
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
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return [Extra("Readings of the learners", columns, note)]


def _differences(cells: Iterable[Cell], table: str) -> list[float]:
    return [cell.ours - cell.published for cell in cells if cell.table == table]
