"""What the papers' experiments share: settings, data sets, splits, and the readings of a description."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import mean, median
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fivefold.data.sources import load
from fivefold.data.table import Table
from fivefold.errors import DataUnavailableError
from fivefold.papers.comparison import Cell, Extra, Outcome, count_marks
from fivefold.study.job import Job, fingerprint
from fivefold.study.seeds import generator


@dataclass(frozen=True)
class Settings:
    """What a run of a paper depends on besides the paper.

    Parameters
    ----------
    quick : bool
        Take fewer repetitions and the smaller data sets, to end within two minutes on two cores.
    seed : int
        From which everything random is derived.
    """

    quick: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Paper:
    """A published experiment.

    Parameters
    ----------
    name : str
        First author and year.
    citation : str
        Authors, year, title and place.
    contents : str
        What of it is re-run, in one line.
    jobs : callable
        Gives the jobs for some settings.
    report : callable
        Makes the outcome of finished jobs, a frame with a row for each: its labels, then its numbers. Rows may
        be absent, where jobs are open or failed.
    data : tuple of str
        The data sets that a whole run needs.
    """

    name: str
    citation: str
    contents: str
    jobs: Callable[[Settings], Sequence[Job]]
    report: Callable[[pl.DataFrame, Settings], Outcome]
    data: tuple[str, ...] = ()


# Holte's files, which the papers took, are older than some of today's: 54.5 % of his HD have no disease.
_OLDER_COPIES = {"HD": "HD-holte"}


@lru_cache(maxsize=32)
def table_of(name: str) -> Table:
    """Load a data set once in each process, in the copy that the papers had."""
    return load(_OLDER_COPIES.get(name, name))


@lru_cache(maxsize=32)
def is_available(name: str) -> bool:
    """Tell whether a data set can be loaded here: not all are bundled."""
    try:
        table_of(name)
    except DataUnavailableError:
        return False
    return True


@lru_cache(maxsize=32)
def known_as(name: str) -> str:
    """Give the fingerprint of a data set, so that jobs on other rows are other jobs."""
    return fingerprint(table_of(name))


def split_rows(name: str, n_train: int, seed: int, split: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw the training and the test rows of one split, without looking at the classes; all learners share it.

    Returns
    -------
    tuple of ndarray
        Row numbers of training and test cases, both in random order.
    """
    rows = generator(seed, name, split).permutation(len(table_of(name).y))
    return rows[:n_train], rows[n_train:]


DEFAULT = "as specified"
Readings: TypeAlias = Mapping[str, Mapping[str, Any]]
"""By scheme and name of the reading: the learner."""


def split_jobs(
    task: str,
    readings: Readings,
    nearest: Mapping[str, str],
    data: Iterable[str],
    runs: int,
    settings: Settings,
    for_shown: Mapping[str, Any] | None = None,
) -> list[Job]:
    """Give a job for each data set, reading and split; for a quick run only the readings that the tables show.

    Data sets that can not be loaded here are left out.

    Parameters
    ----------
    task : str
        What is done with a data set, a learner and a split.
    readings : mapping
        The learners by scheme and name of the reading.
    nearest : mapping of str to str
        The reading that the tables show, by scheme.
    data : iterable of str
        The data sets.
    runs : int
        How many splits.
    settings : Settings
        Whether the run is quick, and its seed.
    for_shown : mapping, optional
        Further parameters for the readings that the tables show.
    """
    jobs = []
    for name in filter(is_available, data):
        for scheme, own in readings.items():
            for variant, model in own.items():
                shown = variant == nearest[scheme]
                if shown or not settings.quick:
                    more = for_shown if shown and for_shown else {}
                    jobs += [
                        _job(task, name, (scheme, variant), model, split, settings, more)
                        for split in range(runs)
                    ]
    return jobs


def _job(
    task: str,
    name: str,
    reading: tuple[str, str],
    model: Any,
    split: int,
    settings: Settings,
    more: Mapping[str, Any],
) -> Job:
    params = {
        "data": name,
        "rows": known_as(name),
        "model": model,
        "split": split,
        "splits": settings.seed,
        **more,
    }
    labels: dict[str, str | int] = {"data": name, "scheme": reading[0], "variant": reading[1], "split": split}
    return Job(task, params, labels=labels, group=f"{name}/{split}")


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
