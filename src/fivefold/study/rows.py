"""Rows of a file of results, each checked against its checksum, and the versions that made them."""

from __future__ import annotations

import hashlib
import json
import platform
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
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


def sealed(*cells: Any) -> tuple[Any, ...]:
    """Give the cells of a row and their SHA-256, by which a flipped bit or an edited cell is found."""
    return *cells, hashlib.sha256(json.dumps(cells, default=repr).encode()).hexdigest()


@dataclass(frozen=True)
class Row:
    """What the file says about a job; `damage` tells what of it cannot be believed, and is empty as a rule."""

    key: str
    labels: Mapping[str, str | int]
    state: str | None
    values: Mapping[str, Any]
    error: str | None
    traceback: str | None
    seconds: float | None
    warnings: tuple[str, ...]
    versions: Mapping[str, str]
    damage: str


def read_rows(connection: sqlite3.Connection, study: str) -> list[Row]:
    """Read the jobs of a study in the order of the plan, each checked against its checksum."""
    checked = connection.execute("PRAGMA user_version").fetchone()[0] >= 2
    columns = [
        f"{table}.{name}" if checked or name != "sha256" else "NULL"
        for table, names in SEALED.items()
        for name in (*names, "sha256")
    ]
    found = connection.execute(
        f"SELECT {', '.join(columns)} FROM members LEFT JOIN results USING (key) "
        "LEFT JOIN timings USING (key) WHERE study = ? ORDER BY place",
        (study,),
    ).fetchall()
    runs = {run: _versions(text) for run, text in connection.execute("SELECT id, versions FROM runs")}
    return [_row(cells, runs, checked) for cells in found]


def count_broken(connection: sqlite3.Connection, known: Collection[str]) -> tuple[int, int]:
    """Count the stored results, and the damaged rows of results and jobs that no study asks for."""
    checked = connection.execute("PRAGMA user_version").fetchone()[0] >= 2
    results = connection.execute("SELECT * FROM results").fetchall()
    broken = sum(
        row[0] not in known and tuple(row) != sealed(*row[:-1]) for row in results if checked
    )  # fmt: skip
    jobs = connection.execute("SELECT key, task, version, params, seed FROM jobs").fetchall()
    return len(results), broken + sum(not _is_named_rightly(*job) for job in jobs)


def _is_named_rightly(key: Any, task: Any, version: Any, params: Any, seed: Any) -> bool:
    try:
        content = {"task": task, "version": version, "params": json.loads(params), "seed": seed}
        return bool(digest(content) == key)
    except (ValueError, TypeError, RecursionError):
        return False


def _versions(text: Any) -> Mapping[str, str]:
    try:
        versions = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return versions if isinstance(versions, dict) else {}


def _row(cells: Sequence[Any], runs: Mapping[int, Mapping[str, str]], checked: bool) -> Row:
    member, result, timing = cells[:5], cells[5:11], cells[11:17]
    key, state, damage = str(member[2]), result[1], ""
    labels: Mapping[str, Any] = {}
    values: Mapping[str, Any] = {}
    try:
        labels = _mapping(json.loads(_whole(member, checked)[3]))
        if state is not None:
            damage = "result"
            value = _whole(result, checked)[2]
            values = {} if value is None else _mapping(decode(json.loads(value)))
            damage = "" if state == ("failed" if value is None else "finished") else damage
    except (ValueError, TypeError, RecursionError, KeyError):
        damage = damage or "labels"
    if damage:
        return Row(key, labels, None, {}, None, None, None, (), {}, damage)
    seconds, warnings, versions = _timing(timing, runs, checked)
    return Row(key, labels, state, values, result[3], result[4], seconds, warnings, versions, "")


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
    except (ValueError, TypeError, RecursionError):
        return None, (), {}


@cache
def versions() -> Mapping[str, str]:
    """Give the versions of Python, the machine and the libraries that numbers depend on."""
    found = {"python": platform.python_version(), "machine": platform.platform()}
    for name in ("fivefold", "numpy", "scipy", "scikit-learn", "polars"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


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
