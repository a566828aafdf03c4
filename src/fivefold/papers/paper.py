"""Paper: what to run, and what to make of the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fivefold.papers.outcome import Outcome
from fivefold.papers.settings import Settings
from fivefold.study.job import Job

if TYPE_CHECKING:
    import polars as pl


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
