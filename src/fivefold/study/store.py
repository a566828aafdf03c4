"""Store: jobs, claims and results in one SQLite file, changed in transactions only."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from fivefold.errors import FivefoldError, InputError
from fivefold.study.job import TASKS, Job, Outcome, canonical


class StoreError(FivefoldError, RuntimeError):
    """A file of results that cannot be opened, read or written."""


BEAT_SECONDS = 10.0
LEASE_SECONDS = 90.0
SYNC_SECONDS = 1.0

# Runs of this very process, by file: its number is alive even when a run of it has ended badly.
_RUNNING: set[tuple[Path, int]] = set()

_STORE_RESULT = """
INSERT INTO results (key, state, value, error, traceback) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    state = excluded.state, value = excluded.value, error = NULL, traceback = NULL
WHERE results.state = 'failed' AND excluded.state = 'finished'
"""


Claims: TypeAlias = tuple[set[str], set[str], dict[str, str]]


class Store:
    """The file of a study as one run of it writes to it; it is made if it is not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect(path)
        self._run: int | None = None
        self._synced = -SYNC_SECONDS

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the last to close it leaves one file and nothing beside it."""
        if self._run is not None:
            _RUNNING.discard((self.path.resolve(), self._run))
        with speaking_of(self.path):
            self._connection.close()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with speaking_of(self.path), transaction(self._connection):
            yield self._connection

    def _sync_now_and_then(self) -> None:
        """Let commits wait for the disk once in a second, and not more often.

        A commit that does not wait survives the death of the process all the same; only when the power fails may
        the last second be lost, and then the file is whole and those jobs are open.
        """
        now = time.monotonic()
        due = now - self._synced >= SYNC_SECONDS
        self._synced = now if due else self._synced
        with speaking_of(self.path):
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if due else 'NORMAL'}")

    def plan(self, study: str, jobs: Sequence[Job]) -> None:
        """Enter the jobs of a study, in place of those that it had; results stay."""
        rows = [
            (job.key, job.task, TASKS[job.task].version, canonical(job.encoded), job.seed) for job in jobs
        ]
        members = [(study, i, job.key, json.dumps(dict(job.labels))) for i, job in enumerate(jobs)]
        with self._changing() as connection:
            connection.executemany("INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?, ?)", rows)
            connection.execute("DELETE FROM members WHERE study = ?", (study,))
            connection.executemany("INSERT INTO members VALUES (?, ?, ?, ?)", members)
            connection.execute("INSERT OR REPLACE INTO studies VALUES (?, ?)", (study, time.time()))

    def states(self, study: str) -> dict[str, str | None]:
        """Give the state of each job of a study: "finished", "failed" or None."""
        with speaking_of(self.path):
            rows = self._connection.execute(
                "SELECT key, state FROM members LEFT JOIN results USING (key) WHERE study = ?", (study,)
            )
            return dict(rows.fetchall())

    def forget(self, keys: Iterable[str]) -> None:
        """Remove the records of failed jobs, so that they are open again."""
        with self._changing() as connection:
            connection.executemany(
                "DELETE FROM results WHERE key = ? AND state = 'failed'", [(key,) for key in keys]
            )

    def begin(self, versions: dict[str, str]) -> None:
        """Enter this process as one that works on the file."""
        owner, now = me(), time.time()
        with self._changing() as connection:
            cursor = connection.execute(
                "INSERT INTO runs (host, pid, born, workers, started, heartbeat, versions) "
                "VALUES (?, ?, ?, 0, ?, ?, ?)",
                (owner.host, owner.pid, owner.born, now, now, json.dumps(versions)),
            )
            self._run = cursor.lastrowid
        assert self._run is not None
        _RUNNING.add((self.path.resolve(), self._run))

    def staff(self, workers: int) -> None:
        """Enter how many workers the run has."""
        with self._changing() as connection:
            connection.execute("UPDATE runs SET workers = ? WHERE id = ?", (workers, self._run))

    def beat(self) -> None:
        """Say that this process still lives; may be called from another thread."""
        with speaking_of(self.path):
            own = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            try:
                own.execute("UPDATE runs SET heartbeat = ? WHERE id = ?", (time.time(), self._run))
            finally:
                own.close()

    def end(self) -> None:
        """Give back all claims, enter the end of the run, and wait until the disk has everything."""
        with speaking_of(self.path):
            self._connection.execute("PRAGMA synchronous = FULL")
        with self._changing() as connection:
            connection.execute("DELETE FROM claims WHERE run = ?", (self._run,))
            connection.execute("UPDATE runs SET ended = ? WHERE id = ?", (time.time(), self._run))

    def exchange(self, outcomes: Sequence[Outcome], wanted: Sequence[str]) -> Claims:
        """Store outcomes and claim jobs, in one transaction; a job of a dead process is taken over.

        Gives the wanted jobs that are ours, those that others work on, and the states of the rest.
        """
        self._sync_now_and_then()
        with self._changing() as connection:
            self._write(connection, outcomes)
            return self._claim(connection, wanted)

    def _write(self, connection: sqlite3.Connection, outcomes: Sequence[Outcome]) -> None:
        now = time.time()
        connection.executemany(
            _STORE_RESULT, [(o.key, o.state, o.value, o.error, o.traceback) for o in outcomes]
        )
        connection.executemany(
            "INSERT OR REPLACE INTO timings VALUES (?, ?, ?, ?, ?)",
            [(o.key, self._run, o.seconds, now, json.dumps(o.warnings)) for o in outcomes],
        )
        connection.executemany("DELETE FROM claims WHERE key = ?", [(o.key,) for o in outcomes])

    def _claim(self, connection: sqlite3.Connection, wanted: Sequence[str]) -> Claims:
        ours: set[str] = set()
        others: set[str] = set()
        done: dict[str, str] = {}
        lives = cache(partial(self._lives, connection))
        for key in wanted:
            known = connection.execute("SELECT state FROM results WHERE key = ?", (key,)).fetchone()
            if known:
                done[key] = known[0]
                continue
            held = connection.execute("SELECT run FROM claims WHERE key = ?", (key,)).fetchone()
            if held and held[0] != self._run and lives(held[0]):
                others.add(key)
                continue
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?)", (key, self._run))
            ours.add(key)
        return ours, others, done

    def _lives(self, connection: sqlite3.Connection, run: int) -> bool:
        row = connection.execute(
            "SELECT host, pid, born, heartbeat FROM runs WHERE id = ? AND ended IS NULL", (run,)
        ).fetchone()
        if row is None:
            return False
        owner = Owner(*row[:3])
        if owner == me():
            return (self.path.resolve(), run) in _RUNNING
        return owner.lives(row[3], time.time())


APPLICATION_ID = 0x46766664  # "Fvfd": how a file says that it is ours
SCHEMA = 1
BUSY_SECONDS = 60.0

_TABLES = """
CREATE TABLE jobs (
    key TEXT PRIMARY KEY, task TEXT NOT NULL, version INTEGER NOT NULL,
    params TEXT NOT NULL, seed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE members (
    study TEXT NOT NULL, place INTEGER NOT NULL, key TEXT NOT NULL, labels TEXT NOT NULL,
    PRIMARY KEY (study, place)) WITHOUT ROWID;
CREATE TABLE studies (name TEXT PRIMARY KEY, changed REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE results (
    key TEXT PRIMARY KEY, state TEXT NOT NULL CHECK (state IN ('finished', 'failed')),
    value TEXT, error TEXT, traceback TEXT) WITHOUT ROWID;
CREATE TABLE timings (
    key TEXT PRIMARY KEY, run INTEGER NOT NULL, seconds REAL NOT NULL, ended REAL NOT NULL,
    warnings TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE claims (key TEXT PRIMARY KEY, run INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX claims_of_run ON claims (run);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL,
    workers INTEGER NOT NULL, started REAL NOT NULL, heartbeat REAL NOT NULL, ended REAL, versions TEXT NOT NULL);
"""


@contextmanager
def speaking_of(path: Path) -> Iterator[None]:
    """Turn SQLite's complaints into sentences about the file."""
    try:
        yield
    except sqlite3.Error as problem:
        raise _explained(path, problem) from problem


def _explained(path: Path, problem: sqlite3.Error) -> StoreError:
    text, got = str(problem), f"{str(path)!r} ({problem})"
    kept = "what was finished before is kept, and running again goes on from there"
    if "readonly" in text or "unable to open" in text:
        where = "check the permissions of the file and its folder, where SQLite puts -wal and -shm files"
        return StoreError("a file of results that can be written", got, where)
    if "full" in text or "disk I/O" in text:
        return StoreError("room on the disk for the results", got, f"free some space; {kept}")
    if "not a database" in text:
        return StoreError("a file of results", got, "name another file, or move this one away")
    if "malformed" in text:
        return StoreError("an undamaged file of results", got, "restore it from a copy, or move it away")
    if "locked" in text:
        return StoreError("a file that is free within a minute", got, f"which other program holds it? {kept}")
    return StoreError("a file of results that SQLite can use", got, kept)


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for writing; make it if there is none. Its write-ahead log lets others read meanwhile."""
    if path.is_dir():
        raise InputError("a file for the results", f"the folder {str(path)!r}", "name a file in it")
    if not path.parent.is_dir():
        raise InputError("a file in a folder that exists", f"{str(path)!r}", "make the folder first")
    with speaking_of(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _set_up(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    _check_ours(connection, path)
    (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if state != "ok":
        raise sqlite3.DatabaseError(f"malformed: {state}")
    _use_wal(connection)
    with transaction(connection):
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            for statement in _TABLES.split(";")[:-1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _use_wal(connection: sqlite3.Connection) -> None:
    # Changing the journal does not wait for its turn when two processes open a new file at once.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a file that exists for reading only, also where nothing may be written."""
    if not path.is_file():
        raise InputError("a file of results", f"{str(path)!r}, which is not there", "run the study first")
    with speaking_of(path):
        # A reader that may not write could not clear the -wal and -shm files away when it is the last one.
        for options in ("mode=rw", "mode=ro&immutable=1"):
            connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?{options}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
            )
            try:
                connection.execute("PRAGMA query_only = ON")
                _check_ours(connection, path)
                connection.execute("SELECT count(*) FROM studies").fetchone()
                return connection
            except sqlite3.OperationalError:
                # In a folder where nothing may be written there can be no -shm file; without a -wal file
                # the database is whole and can be read as it is.
                connection.close()
                if "immutable" in options or path.with_name(f"{path.name}-wal").exists():
                    raise
            except BaseException:
                connection.close()
                raise
    raise AssertionError("unreachable")


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (made_by,) = connection.execute("PRAGMA application_id").fetchone()
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if tables and made_by != APPLICATION_ID:
        raise StoreError(
            "a file of results", f"{str(path)!r}, a database of another program", "name another file"
        )
    if schema > SCHEMA:
        raise StoreError(
            f"a file of results of format {SCHEMA} or older",
            f"{str(path)!r} of format {schema}",
            "update fivefold, which is older than this file",
        )


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do everything or nothing; waits for its turn before it reads."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


@dataclass(frozen=True)
class Owner:
    """A process: the machine, its number there, and when it was born, as numbers are used again."""

    host: str
    pid: int
    born: str

    def lives(self, last_heard: float, now: float) -> bool:
        """Whether the process still lives.

        On this machine the process table knows. Elsewhere a process counts as dead that has not been heard of
        for `LEASE_SECONDS`.
        """
        if self.host == _host() and os.name == "posix":
            return _born(self.pid) == self.born and _exists(self.pid)
        return now - last_heard < LEASE_SECONDS


def me() -> Owner:
    """Describe this process."""
    return Owner(_host(), os.getpid(), _born(os.getpid()))


@cache
def _host() -> str:
    """Name this machine since it was switched on, and the set of process numbers that is seen here."""
    parts = [socket.gethostname()]
    boot, namespace = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    if boot.exists():
        parts.append(boot.read_text().strip())
    if namespace.exists():
        parts.append(str(namespace.readlink()))
    return " ".join(parts)


def _born(pid: int) -> str:
    """Give the moment a process was born, in ticks since the machine was; empty where it is not known."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # the name in brackets may hold anything; a dead process that nobody has waited for is in state Z
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
