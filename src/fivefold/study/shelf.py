"""Shelf: the results of a study as they stand in its file, for reading only."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from fivefold.errors import InputError, show
from fivefold.results import make_frame
from fivefold.study.codec import decode
from fivefold.study.export import flatten, uniform, write_results
from fivefold.study.file import connect_to_read, speaking_of
from fivefold.study.means import Means, make_means
from fivefold.study.owners import Owner
from fivefold.study.status import Status

_ROWS = """
SELECT members.key, labels, state, value, error, traceback, seconds, warnings
FROM members LEFT JOIN results USING (key) LEFT JOIN timings USING (key)
WHERE study = ? ORDER BY place
"""


@dataclass(frozen=True)
class Record:
    """One job of a study and what became of it.

    Parameters
    ----------
    key : str
        The job's key.
    labels : mapping
        What the job is called.
    state : {"finished", "failed", "open"}
        What became of it.
    values : mapping
        Its result; empty unless it is finished.
    error, traceback : str or None
        What went wrong.
    seconds : float or None
        How long it took.
    warnings : tuple of str
        What it warned of.
    """

    key: str
    labels: Mapping[str, str | int]
    state: str
    values: Mapping[str, Any]
    error: str | None
    traceback: str | None = field(repr=False)
    seconds: float | None
    warnings: tuple[str, ...]


class Shelf:
    """What is in the file of a study; nothing is changed, and others may write at the same time.

    Parameters
    ----------
    path : path
        The file.
    study : str, optional
        Which of the studies in the file; by default the one that was run last.
    """

    def __init__(self, path: str | PathLike[str], study: str | None = None) -> None:
        self.path = Path(path)
        with self._reading() as connection:
            names = [
                name for (name,) in connection.execute("SELECT name FROM studies ORDER BY changed DESC, name")
            ]
        if not names or (study is not None and study not in names):
            raise InputError(
                f"a study in {str(self.path)!r}", show(study), f"it has {', '.join(names) or 'none yet'}"
            )
        self.name: str = names[0] if study is None else study

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        connection = connect_to_read(self.path)
        try:
            with speaking_of(self.path):
                yield connection
        finally:
            connection.close()

    def records(self, **labels: str | int) -> tuple[Record, ...]:
        """Give every job with these labels, in the order of the plan."""
        with self._reading() as connection:
            records = tuple(map(_record, connection.execute(_ROWS, (self.name,))))
        for name, value in labels.items():
            known = list(dict.fromkeys(each.labels.get(name) for each in records))
            if value not in known:
                raise InputError(
                    f"a {name} of study {self.name!r}", show(value), f"it has {show(known, 200)}"
                )
        return tuple(
            each for each in records if all(each.labels.get(name) == value for name, value in labels.items())
        )

    def failures(self) -> tuple[Record, ...]:
        """Give the jobs that failed."""
        return tuple(each for each in self.records() if each.state == "failed")

    def status(self) -> Status:
        """Count jobs and estimate the time that is left."""
        records = list({each.key: each for each in self.records()}.values())
        states = [each.state for each in records]
        return Status(
            self.name,
            len(states),
            states.count("finished"),
            states.count("failed"),
            *self._running({each.key for each in records if each.state == "open"}),
            sum(each.seconds or 0.0 for each in records),
            _seconds_left(records),
        )

    def _running(self, keys: set[str]) -> tuple[int, int]:
        """Count the jobs that living processes have claimed, and their workers."""
        with self._reading() as connection:
            claimed = connection.execute("SELECT key, run FROM claims").fetchall()
            runs = connection.execute(
                "SELECT id, workers, host, pid, born, heartbeat FROM runs WHERE ended IS NULL"
            )
            alive = {
                run: workers for run, workers, *owner, beat in runs if Owner(*owner).lives(beat, time.time())
            }
        busy = [run for key, run in claimed if key in keys and run in alive]
        return len(busy), sum(alive[run] for run in set(busy))

    def frame(self, library: str = "polars", *, timings: bool = False, **labels: str | int) -> Any:
        """Give the results as a data frame, a row for each job."""
        return make_frame(self.columns(timings=timings, **labels), library)

    def columns(self, *, timings: bool = False, **labels: str | int) -> dict[str, list[Any]]:
        """Give the results by column: labels, numbers, state, error and key, and seconds on request."""
        records = self.records(**labels)
        values = [flatten(each.values) for each in records]
        columns: dict[str, list[Any]] = {
            name: [each.labels.get(name) for each in records]
            for name in dict.fromkeys(name for each in records for name in each.labels)
        }
        for name in dict.fromkeys(name for each in values for name in each):
            columns[name if name not in columns else f"{name}_value"] = [each.get(name) for each in values]
        columns |= {name: [getattr(each, name) for each in records] for name in ("state", "error", "key")}
        if timings:
            columns["seconds"] = [each.seconds for each in records]
        return {name: uniform(column) for name, column in columns.items()}

    def means(self, view: str | None = None, **labels: str | int) -> Means:
        """Give mean and standard deviation over splits for each combination of the other labels."""
        chosen = labels if view is None else {**labels, "view": view}
        return make_means(self.name, view, self.records(**chosen))

    def export(self, path: str | PathLike[str], *, timings: bool = False, **labels: str | int) -> None:
        """Write the results into a CSV, JSON or Parquet file, whole or not at all."""
        write_results(Path(path), self.name, self.columns(timings=timings, **labels))


def _record(row: Sequence[Any]) -> Record:
    key, labels, state, value, error, trace, seconds, warnings = row
    values = {} if value is None else decode(json.loads(value))
    heard = tuple(json.loads(warnings)) if warnings else ()
    return Record(key, json.loads(labels), state or "open", values, error, trace, seconds, heard)


def _seconds_left(records: Sequence[Record]) -> float | None:
    """Take each open job to last as long as those like it; where there is none, as long as the mean job."""
    alike: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for each in records:
        if each.state != "open" and each.seconds is not None:
            alike[_kind(each)].append(each.seconds)
    times = [seconds for group in alike.values() for seconds in group]
    if not times:
        return None
    mean = sum(times) / len(times)
    means = {kind: sum(group) / len(group) for kind, group in alike.items()}
    return sum(means.get(_kind(each), mean) for each in records if each.state == "open")


def _kind(record: Record) -> tuple[Any, ...]:
    return tuple(value for name, value in record.labels.items() if name != "split")
