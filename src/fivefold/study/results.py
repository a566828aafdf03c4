"""The results of a study as they stand in its file: records, frames, means over splits, exports, status."""

from __future__ import annotations

import json
import sqlite3
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from fivefold.errors import InputError, show
from fivefold.plain_text import counted
from fivefold.results import Result, make_frame, plain, write_csv, write_whole
from fivefold.study import store
from fivefold.study.rows import Record, count_broken, older_versions, read_records
from fivefold.study.store import RESTORE, Owner, StoreError, StoreWarning, as_path


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
        self.path = as_path(path)
        with reading(self.path) as connection:
            self.name = find_study(connection, self.path, study)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with reading(self.path) as connection:
            find_study(connection, self.path, self.name)
            yield connection

    def records(self, **labels: str | int) -> tuple[Record, ...]:
        """Give every job with these labels, in the order of the plan."""
        with self._reading() as connection:
            records = tuple(read_records(connection, self.name))
        if not records:
            raise StoreError("the jobs of a study", f"none of {self.name!r} in {str(self.path)!r}", RESTORE)
        for name, value in labels.items():
            known = list(dict.fromkeys(record.labels.get(name) for record in records))
            if value not in known:
                raise InputError(
                    f"a {name} of study {self.name!r}", show(value), f"it has {show(known, 200)}"
                )
        return tuple(
            record
            for record in records
            if all(record.labels.get(name) == value for name, value in labels.items())
        )

    def failures(self) -> tuple[Record, ...]:
        """Give the records of the failed jobs, with their errors and tracebacks."""
        return tuple(record for record in self.records() if record.state == "failed")

    def status(self) -> Status:
        """Count the jobs that are finished, failed and open, and estimate the time that is left."""
        records = list({record.key: record for record in self.records()}.values())
        states = [record.state for record in records]
        return Status(
            self.name,
            len(states),
            states.count("finished"),
            states.count("failed"),
            *self._running({record.key for record in records if record.state == "open"}),
            sum(record.seconds or 0.0 for record in records),
            _seconds_left(records),
            states.count("damaged"),
            sum(record.stale for record in records),
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
        """Give the results, a row for each job: labels, then numbers, then the state.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}
            The library of the frame.
        timings : bool
            Whether to add the seconds that each job took; these differ from run to run.
        **labels
            Only jobs with these labels, such as ``view="bits"``.
        """
        return make_frame(self.columns(timings=timings, **labels), library)

    def columns(self, *, timings: bool = False, **labels: str | int) -> dict[str, list[Any]]:
        """Give the results by column: labels, numbers, state, error and key, and seconds on request."""
        records = warned_of(self.records(**labels))
        results = [flatten(record.values) for record in records]
        columns: dict[str, list[Any]] = {
            name: [record.labels.get(name) for record in records]
            for name in dict.fromkeys(name for record in records for name in record.labels)
        }
        for name in dict.fromkeys(name for result in results for name in result):
            columns[name if name not in columns else f"{name}_value"] = [
                result.get(name) for result in results
            ]
        columns |= {name: [getattr(record, name) for record in records] for name in ("state", "error", "key")}
        if timings:
            columns["seconds"] = [record.seconds for record in records]
        return {name: uniform(column) for name, column in columns.items()}

    def means(self, view: str | None = None, **labels: str | int) -> Means:
        """Give mean and standard deviation over the label ``split`` for each combination of the others."""
        chosen = labels if view is None else {**labels, "view": view}
        return make_means(self.name, view, warned_of(self.records(**chosen)))

    def export(
        self, path: str | PathLike[str], *, timings: bool = False, raw: bool = False, **labels: str | int
    ) -> None:
        """Write the results into a CSV, JSON or Parquet file, whole or not at all; see `frame`.

        In CSV, a text that a spreadsheet would run gets an apostrophe before it, unless it is to be `raw`.
        """
        write_results(as_path(path), self.name, self.columns(timings=timings, **labels), raw)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file of results for a while, and tell of its troubles in sentences."""
    with closing(store.connect_to_read(path)) as connection, store.speaking_of(path):
        yield connection


def find_study(connection: sqlite3.Connection, path: Path, study: str | None) -> str:
    """Give the name of a study that stands in the file; without one, of the study that was run last."""
    rows = connection.execute("SELECT name FROM studies ORDER BY changed DESC, name")
    names = [name for (name,) in rows if isinstance(name, str)]
    if not names or (study is not None and study not in names):
        raise InputError(f"a study in {str(path)!r}", show(study), f"it has {', '.join(names) or 'none yet'}")
    return names[0] if study is None else study


@dataclass(frozen=True)
class FileCheck:
    """What `check_results` found in a file.

    Parameters
    ----------
    path : str
        The file.
    n_results : int
        Stored results, of all studies.
    damaged : tuple of Record
        Jobs whose labels or result are not what was written.
    n_others : int
        Damaged rows that belong to no job: stored results, descriptions of jobs.
    complaints : tuple of str
        What SQLite says about the file itself.
    """

    path: str
    n_results: int
    damaged: tuple[Record, ...]
    n_others: int
    complaints: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether everything is as it was written."""
        return not (self.damaged or self.n_others or self.complaints)

    def __str__(self) -> str:
        stored = f"{self.path}: {counted(self.n_results, 'stored result')}"
        if self.sound:
            return f"{stored}, all as they were written"
        lines = [f"{stored}, not all as they were written"]
        lines += [f"SQLite says: {complaint}" for complaint in self.complaints]
        lines += [f"damaged: {_named(record)}" for record in self.damaged]
        if self.n_others:
            lines.append(f"damaged: {counted(self.n_others, 'row')} of no job")
        return "\n".join([*lines, "`fivefold study run` does damaged results anew and keeps the rest"])


def check_results(path: str | PathLike[str]) -> FileCheck:
    """Verify every row of a file of results against its checksum, and the file itself.

    Parameters
    ----------
    path : path
        The file. One of the first format has no checksums: only its form is checked.

    Examples
    --------
    >>> import tempfile
    >>> from fivefold.study import Holdout, make_plan
    >>> path = Path(tempfile.mkdtemp(), "small.study")
    >>> plan = make_plan("small", data=["LA"], estimators=["1r"], splits=Holdout(3), views=["accuracy"])
    >>> _ = plan.study(path).run(engine="serial")
    >>> check_results(path).sound
    True
    """
    path = as_path(path)
    with reading(path) as connection:
        complaints = [text for (text,) in connection.execute("PRAGMA integrity_check(10)") if text != "ok"]
        studies = connection.execute("SELECT name FROM studies").fetchall()
        records = [record for (name,) in studies for record in read_records(connection, name)]
        n_results, n_broken = count_broken(connection, {record.key for record in records})
    damaged = tuple(record for record in records if record.state == "damaged")
    return FileCheck(str(path), n_results, damaged, n_broken, tuple(complaints))


def _named(record: Record) -> str:
    return ", ".join(f"{name} {value}" for name, value in record.labels.items()) or f"job {record.key}"


def warned_of(records: tuple[Record, ...]) -> tuple[Record, ...]:
    """Say which results are damaged and not used, and which are of other versions."""
    damaged = [record for record in records if record.state == "damaged"]
    stale = [record for record in records if record.stale]
    if damaged:
        warnings.warn(say_damaged(damaged, "left out; run the study to do them anew"), StoreWarning, 3)
    if stale:
        changed = sorted({change for record in stale for change in older_versions(record.versions)})
        warnings.warn(
            f"{len(stale):,} of {len(records):,} results were made by other versions ({'; '.join(changed[:5])}); "
            "--recompute stale (recompute='stale') does them anew",
            StoreWarning,
            stacklevel=3,
        )
    return tuple(record for record in records if record.labels or record.state != "damaged")


def say_damaged(records: Sequence[Record], what_now: str) -> str:
    """Name stored results that are not what was written."""
    named = list(map(_named, records))
    more = f" and {len(named) - 5:,} more" if len(named) > 5 else ""
    return f"{counted(len(named), 'damaged result')} ({'; '.join(named[:5])}{more}): {what_now}"


def _seconds_left(records: Sequence[Record]) -> float | None:
    """Take each open job to last as long as those like it; where there is none, as long as the mean job."""
    alike: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for record in records:
        if record.state in ("finished", "failed") and record.seconds is not None:
            alike[_kind(record)].append(record.seconds)
    times = [seconds for group in alike.values() for seconds in group]
    if not times:
        return None
    mean = sum(times) / len(times)
    means = {kind: sum(group) / len(group) for kind, group in alike.items()}
    return sum(means.get(_kind(record), mean) for record in records if record.state in ("open", "damaged"))


def _kind(record: Record) -> tuple[Any, ...]:
    return tuple(value for name, value in record.labels.items() if name != "split")


@dataclass(frozen=True)
class Status:
    """Counts of jobs, and the time that is left.

    Parameters
    ----------
    study : str
        The study's name.
    total, finished, failed, running : int
        All jobs, those with a result, those that failed, and those that a living process has claimed.
    workers : int
        Worker processes of the runs that are going on.
    seconds : float
        Time that workers have spent on the jobs that are done.
    seconds_left : float or None
        Estimate of the time that one worker needs for the open jobs, each like the done jobs with the same labels
        but for the split; None where no job is done.
    damaged, stale : int
        Jobs whose stored result is not what was written, which count as open; and those that other versions made.
    """

    study: str
    total: int
    finished: int
    failed: int
    running: int
    workers: int
    seconds: float
    seconds_left: float | None
    damaged: int = 0
    stale: int = 0

    @property
    def open(self) -> int:
        """Jobs that have no result yet."""
        return self.total - self.finished - self.failed

    @property
    def complete(self) -> bool:
        """Whether every job is finished."""
        return self.finished == self.total

    def __str__(self) -> str:
        ended = f"{self.finished:,} finished, {self.failed:,} failed"
        return f"{self.study}: {counted(self.total, 'job')}, {ended}, {self.open:,} open"


def say_seconds(seconds: float) -> str:
    """Write a time for people.

    Examples
    --------
    >>> say_seconds(0.2), say_seconds(90), say_seconds(7300), say_seconds(200_000)
    ('0.2 s', '1 min 30 s', '2 h 1 min', '2 d 7 h')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    units = (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1))
    unit, size, smaller, part = next(row for row in units if seconds >= row[1])
    return f"{int(seconds // size)} {unit} {int(seconds % size // part)} {smaller}"


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
class Means(Result, title="Means over splits", unit="the number's own"):
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
                hint = f"it has {', '.join(self.numbers)}"
                raise InputError(f"a number of {self.view or self.study!r}", show(name), hint)
        return replace(self, numbers=tuple(numbers))

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
        return "\n\n".join("\n".join(line.rstrip() for line in lines) for lines in [*parts, part])

    def __str__(self) -> str:
        return f"{self.study}: {len(self.rows)} means over splits of {len(self.numbers)} numbers"


def make_means(study: str, view: str | None, records: Sequence[Record]) -> Means:
    """Average the numbers of records that differ in nothing but the split."""
    names = dict.fromkeys(name for record in records for name in record.labels)
    averaged = ("split",) if view is None else ("split", "view")
    labels = tuple(name for name in names if name not in averaged)
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(record.labels.get(name, "") for name in labels), []).append(record)
    results = {key: [flatten(record.values) for record in group] for key, group in groups.items()}
    numbers = tuple(dict.fromkeys(name for group in results.values() for result in group for name in result))
    rows = tuple(
        (
            key,
            {name: _mean([result.get(name) for result in results[key]]) for name in numbers},
            (sum(record.state == "finished" for record in group), len(group)),
        )
        for key, group in groups.items()
    )
    return Means(study, view, labels, numbers, rows)


def _mean(values: Sequence[Any]) -> Mean:
    known = [float(value) for value in values if isinstance(value, (int, float))]
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


def flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Give nested results one level: names joined by dots, lists as JSON text.

    Examples
    --------
    >>> flatten({"a": {"b": 1.5, "c": [1, 2]}, "d": None})
    {'a.b': 1.5, 'a.c': '[1, 2]', 'd': None}
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{name}.")
        elif isinstance(value, (list, tuple)):
            flat[prefix + name] = json.dumps(plain(value))
        else:
            flat[prefix + name] = value
    return flat


def uniform(values: Sequence[Any]) -> list[Any]:
    """Give a column one type: whole numbers among floats become floats, and anything else mixed becomes text.

    Examples
    --------
    >>> uniform([1, None, 2.5]), uniform([1, "a"])
    ([1.0, None, 2.5], ['1', 'a'])
    """
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return list(values)


def write_results(path: Path, study: str, columns: Mapping[str, list[Any]], raw: bool = False) -> None:
    """Write columns into a file of the kind that its name says."""
    writers: dict[str, Callable[[IO[bytes]], object]] = {
        ".csv": lambda file: file.write(write_csv(pl.DataFrame(dict(columns)), raw)),
        ".json": lambda file: _write_json(file, study, columns),
        ".parquet": lambda file: pl.DataFrame(dict(columns)).write_parquet(file),
    }
    if path.suffix.lower() not in writers:
        raise InputError(f"a file that ends in {', '.join(writers)}", repr(str(path)))
    write_whole(path, writers[path.suffix.lower()])


def _write_json(file: IO[bytes], study: str, columns: Mapping[str, list[Any]]) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    file.write((json.dumps({"study": study, "results": plain(rows)}, indent=1) + "\n").encode())
