"""What the papers' experiments share: settings, data sets, splits, and the readings of a description."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.data.sources import load
from fivefold.data.table import Table
from fivefold.errors import DataUnavailableError
from fivefold.papers.claims import Test
from fivefold.papers.printed import Published
from fivefold.study.job import Job, fingerprint
from fivefold.training.seeds import generator

if TYPE_CHECKING:
    import polars as pl

    from fivefold.papers.comparison import Outcome


@dataclass(frozen=True)
class Settings:
    """What a run of a paper depends on besides the paper.

    Parameters
    ----------
    quick : bool
        Take fewer repetitions and the smaller data sets, to end within two minutes on two cores.
    random_state : int
        From which everything random is derived.
    """

    quick: bool = False
    random_state: int = 0


@dataclass(frozen=True)
class Paper:
    """A published experiment.

    Parameters
    ----------
    published : Published
        What is known of it before it is run: numbers, errors found, reasons for differences.
    jobs : callable
        Gives the jobs for some settings.
    report : callable
        Makes the outcome of finished jobs, a frame with a row for each: its labels, then its numbers. Rows may
        be absent, where jobs are open or failed.
    data : tuple of str
        The data sets that a whole run needs.
    tests : mapping of str to callable
        For each claim of the paper, by its id, the function that decides it from the frame of finished jobs.
    """

    published: Published
    jobs: Callable[[Settings], Sequence[Job]] = field(repr=False)
    report: Callable[[pl.DataFrame], Outcome] = field(repr=False)
    data: tuple[str, ...] = ()
    tests: Mapping[str, Test] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """First author and year."""
        return self.published.name

    @property
    def citation(self) -> str:
        """Authors, year, title and place."""
        return self.published.citation

    @property
    def contents(self) -> str:
        """What of it is re-run, in one line."""
        return self.published.contents


# Holte's files, which the papers took, are older than some of today's: 54.5 % of his HD have no disease.
_OLDER_COPIES = {"HD": "HD-holte"}


# Stand-ins for data that are not public, by name: a paper's module enters what makes them.
STAND_INS: dict[str, Callable[[], Table]] = {}


@lru_cache(maxsize=32)
def table_of(name: str) -> Table:
    """Load a data set once in each process, in the copy that the papers had; a stand-in is made."""
    if name in STAND_INS:
        return STAND_INS[name]()
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
    """Draw training and test rows of one split, blind to the classes, in random order; all learners share it."""
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

    Data sets that can not be loaded here are left out. The readings that the tables show are `nearest`, by scheme;
    their jobs have the further parameters `for_shown`.
    """
    jobs = []
    for name in filter(is_available, data):
        for scheme, variants in readings.items():
            for variant, model in variants.items():
                shown = variant == nearest[scheme]
                if settings.quick and not shown:
                    continue
                more = for_shown if shown and for_shown else {}
                params = {"data": name, "rows": known_as(name), "model": model, **more}
                labels = {"data": name, "scheme": scheme, "variant": variant}
                jobs += [
                    Job(
                        task,
                        params | {"split": split, "splits": settings.random_state},
                        labels=labels | {"split": split},
                        group=f"{name}/{split}",
                    )
                    for split in range(runs)
                ]
    return jobs
