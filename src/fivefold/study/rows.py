"""Rows of a file of results, checked against their checksums and read as records, and the versions behind them."""

from __future__ import annotations

import hashlib
import json
import platform
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fivefold.study.job import decode, digest

# what each row's checksum is made of, in this order
SEALED = {
    "members": ("study", "place", "key", "labels"),
    "results": ("key", "state", "value", "error", "traceback"),
    "timings": ("key", "run", "seconds", "ended", "warnings"),
}
_COUNTED = ("fivefold", "scikit-learn", "numpy")
_UNREADABLE = (ValueError, TypeError, RecursionError, KeyError)
DAMAGED = "its row is not what was written: a flipped bit, or an edit by hand"


def sealed(*cells: Any) -> tuple[Any, ...]:
    """Give the cells of a row and their SHA-256, by which a flipped bit or an edited cell is found."""
    return *cells, hashlib.sha256(json.dumps(cells, default=repr).encode()).hexdigest()


@dataclass(frozen=True)
class Record:
    """One job of a study and what became of it.

    Parameters
    ----------
    key : str
        The job's key.
    labels : mapping
        What the job is called.
    state : {"finished", "failed", "open", "damaged"}
        What became of it. What does not fit its checksum is damaged: not used, and done anew by the next run.
    values : mapping
        Its result; empty unless it is finished.
    error, traceback : str or None
        What went wrong.
    seconds : float or None
        How long it took.
    warnings : tuple of str
        What it warned of.
    versions : mapping
        The versions of Python and the libraries that made it.
    """

    key: str
    labels: Mapping[str, str | int]
    state: str
    values: Mapping[str, Any]
    error: str | None
    traceback: str | None = field(repr=False)
    seconds: float | None
    warnings: tuple[str, ...]
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def stale(self) -> bool:
        """Whether it was made by another version of fivefold, scikit-learn or numpy than is installed."""
        return bool(older_versions(self.versions))


def read_records(connection: sqlite3.Connection, study: str) -> list[Record]:
    """Read the jobs of a study in the order of the plan, each checked against its checksum."""
    checked = connection.execute("PRAGMA user_version").fetchone()[0] >= 2
    columns = [
        f"{table}.{name}" if checked or name != "sha256" else "NULL"
        for table, names in SEALED.items()
        for name in (*names, "sha256")
    ]
    stored = connection.execute(
        f"SELECT {', '.join(columns)} FROM members LEFT JOIN results USING (key) "
        "LEFT JOIN timings USING (key) WHERE study = ? ORDER BY place",
        (study,),
    ).fetchall()
    runs = {run: _versions(text) for run, text in connection.execute("SELECT id, versions FROM runs")}
    return [_record(cells, runs, checked) for cells in stored]


def count_broken(connection: sqlite3.Connection, known: Collection[str]) -> tuple[int, int]:
    """Count the stored results, and the damaged rows of results and jobs that no study asks for."""
    checked = connection.execute("PRAGMA user_version").fetchone()[0] >= 2
    results = connection.execute("SELECT * FROM results").fetchall()
    broken = sum(checked and row[0] not in known and tuple(row) != sealed(*row[:-1]) for row in results)
    jobs = connection.execute("SELECT key, task, version, params, seed FROM jobs").fetchall()
    return len(results), broken + sum(not _is_named_rightly(*job) for job in jobs)


def _is_named_rightly(key: Any, task: Any, version: Any, params: Any, seed: Any) -> bool:
    try:
        content = {"task": task, "version": version, "params": json.loads(params), "seed": seed}
        return bool(digest(content) == key)
    except _UNREADABLE:
        return False


def _versions(text: Any) -> Mapping[str, str]:
    try:
        return _mapping(json.loads(text))
    except _UNREADABLE:
        return {}


def _record(cells: Sequence[Any], runs: Mapping[int, Mapping[str, str]], checked: bool) -> Record:
    member, result, timing = cells[:5], cells[5:11], cells[11:17]
    key, state = str(member[2]), result[1]
    labels: Mapping[str, Any] = {}
    values: Mapping[str, Any] = {}
    try:
        labels = _mapping(json.loads(_whole(member, checked)[3]))
        if state is not None:
            value = _whole(result, checked)[2]
            values = {} if value is None else _mapping(decode(json.loads(value)))
            if state != ("failed" if value is None else "finished"):
                raise ValueError("a state that its value belies")
    except _UNREADABLE:
        return Record(key, labels, "damaged", {}, DAMAGED, None, None, ())
    _, _, _, error, traceback, _ = result
    return Record(key, labels, state or "open", values, error, traceback, *_timing(timing, runs, checked))


def _whole(cells: Sequence[Any], checked: bool) -> Sequence[Any]:
    if checked and tuple(cells) != sealed(*cells[:-1]):
        raise ValueError("not what was written")
    return cells


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("no mapping")
    return value


def _timing(
    cells: Sequence[Any], runs: Mapping[int, Mapping[str, str]], checked: bool
) -> tuple[float | None, tuple[str, ...], Mapping[str, str]]:
    """Give seconds, warnings and versions of a job; what of it is damaged is as if it had not been kept."""
    try:
        _, run, seconds, _, warnings, _ = _whole(cells, checked)
        return float(seconds), tuple(map(str, json.loads(warnings))), runs.get(run, {})
    except _UNREADABLE:
        return None, (), {}


@cache
def versions() -> Mapping[str, str]:
    """Give the versions of Python, the machine and the libraries that numbers depend on."""
    versions = {"python": platform.python_version(), "machine": platform.platform()}
    for name in ("fivefold", "numpy", "scipy", "scikit-learn", "polars"):
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def older_versions(made_by: Mapping[str, str]) -> tuple[str, ...]:
    """Name the libraries whose version was another one when a result was made.

    Examples
    --------
    >>> older_versions(versions()), older_versions({})
    ((), ())
    """
    now = versions()
    return tuple(
        f"{name} {made_by[name]}, now {now[name]}"
        for name in _COUNTED
        if name in made_by and name in now and made_by[name] != now[name]
    )
