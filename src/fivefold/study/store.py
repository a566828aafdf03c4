"""Store: jobs, claims and results in one SQLite file, changed in transactions only."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Self, TypeAlias

from fivefold.errors import FivefoldError, InputError, InputTypeError, show
from fivefold.study.job import TASKS, Job, Outcome, canonical
from fivefold.study.rows import SEALED, Record, read_records, sealed


class StoreError(FivefoldError, RuntimeError):
    """A file of results that cannot be opened, read or written."""


class StoreWarning(UserWarning):
    """Results that are not used: damaged, or made by other versions of the libraries."""


BEAT_SECONDS = 10.0
LEASE_SECONDS = 90.0
SYNC_SECONDS = 1.0
STATEMENT_SECONDS = 120.0

# Runs of this very process, by file: its number is alive even when a run of it has ended badly.
_RUNNING: set[tuple[Path, int]] = set()

_STORE_RESULT = """
INSERT INTO results (key, state, value, error, traceback, sha256) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    state = excluded.state, value = excluded.value, error = NULL, traceback = NULL, sha256 = excluded.sha256
WHERE results.state = 'failed' AND excluded.state = 'finished'
"""


Claims: TypeAlias = tuple[set[str], set[str], dict[str, str]]


class Store:
    """The file of a study as one run of it writes to it; it is made if it is not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = connect(path)
        self._run: int | None = None
        self._heard: dict[int, tuple[float, float]] = {}
        self._synced = -SYNC_SECONDS

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
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
        members = [
            sealed(study, place, job.key, json.dumps(dict(job.labels))) for place, job in enumerate(jobs)
        ]
        with self._changing() as connection:
            connection.executemany("INSERT OR IGNORE INTO jobs VALUES (?, ?, ?, ?, ?)", rows)
            connection.execute("DELETE FROM members WHERE study = ?", (study,))
            connection.executemany("INSERT INTO members VALUES (?, ?, ?, ?, ?)", members)
            connection.execute("INSERT OR REPLACE INTO studies VALUES (?, ?)", (study, time.time()))

    def set_aside(self, study: str, reason: Callable[[Record], str]) -> list[Record]:
        """Put results away for which there is a reason, so that their jobs are open again; give all jobs.

        What was put away stays in the file, with the reason.
        """
        with self._changing() as connection:
            records = read_records(connection, study)
            moved = {record.key: why for record in records if (why := reason(record))}
            connection.executemany(
                "INSERT INTO set_aside SELECT key, state, value, error, traceback, ?, ? FROM results "
                "WHERE key = ?",
                [(why, time.time(), key) for key, why in moved.items()],
            )
            connection.executemany("DELETE FROM results WHERE key = ?", [(key,) for key in moved])
        return records

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
        with (
            speaking_of(self.path),
            closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as own,
        ):
            own.execute("UPDATE runs SET heartbeat = ? WHERE id = ?", (time.time(), self._run))

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
            _STORE_RESULT, [sealed(o.key, o.state, o.value, o.error, o.traceback) for o in outcomes]
        )
        connection.executemany(
            "INSERT OR REPLACE INTO timings VALUES (?, ?, ?, ?, ?, ?)",
            [sealed(o.key, self._run, o.seconds, now, json.dumps(o.warnings)) for o in outcomes],
        )
        connection.executemany("DELETE FROM claims WHERE key = ?", [(o.key,) for o in outcomes])

    def _claim(self, connection: sqlite3.Connection, wanted: Sequence[str]) -> Claims:
        ours: set[str] = set()
        others: set[str] = set()
        done: dict[str, str] = {}
        lives = cache(partial(self._lives, connection))
        for key in wanted:
            known = connection.execute("SELECT state FROM results WHERE key = ?", (key,)).fetchone()
            held = connection.execute("SELECT run FROM claims WHERE key = ?", (key,)).fetchone()
            if known:
                done[key] = known[0]
            elif held and held[0] != self._run and lives(held[0]):
                others.add(key)
            else:
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
        return owner.lives(row[3], time.time()) and (owner.is_here() or self._beats(run, row[3]))

    def _beats(self, run: int, heartbeat: float) -> bool:
        """Whether a run of another machine, whose clock may be wrong, was heard of within the lease."""
        now = time.monotonic()
        if run not in self._heard or self._heard[run][0] != heartbeat:
            self._heard[run] = heartbeat, now
        return now - self._heard[run][1] < LEASE_SECONDS


APPLICATION_ID = 0x46766664  # "Fvfd": how a file says that it is ours
SCHEMA = 2
BUSY_SECONDS = 60.0

_TABLES = """
CREATE TABLE jobs (
    key TEXT PRIMARY KEY, task TEXT NOT NULL, version INTEGER NOT NULL,
    params TEXT NOT NULL, seed INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE members (
    study TEXT NOT NULL, place INTEGER NOT NULL, key TEXT NOT NULL, labels TEXT NOT NULL, sha256 TEXT,
    PRIMARY KEY (study, place)) WITHOUT ROWID;
CREATE TABLE studies (name TEXT PRIMARY KEY, changed REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE results (
    key TEXT PRIMARY KEY, state TEXT NOT NULL CHECK (state IN ('finished', 'failed')),
    value TEXT, error TEXT, traceback TEXT, sha256 TEXT) WITHOUT ROWID;
CREATE TABLE timings (
    key TEXT PRIMARY KEY, run INTEGER NOT NULL, seconds REAL NOT NULL, ended REAL NOT NULL,
    warnings TEXT NOT NULL, sha256 TEXT) WITHOUT ROWID;
CREATE TABLE claims (key TEXT PRIMARY KEY, run INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX claims_of_run ON claims (run);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL,
    workers INTEGER NOT NULL, started REAL NOT NULL, heartbeat REAL NOT NULL, ended REAL, versions TEXT NOT NULL);
"""
_SET_ASIDE = """
CREATE TABLE set_aside (
    key TEXT NOT NULL, state TEXT, value TEXT, error TEXT, traceback TEXT, why TEXT NOT NULL, moved REAL NOT NULL)
"""
_OURS = {"jobs", "members", "studies", "results", "timings", "claims", "runs", "set_aside"}


@contextmanager
def speaking_of(path: Path) -> Iterator[None]:
    """Turn SQLite's complaints into sentences about the file."""
    try:
        yield
    except sqlite3.Error as problem:
        known = (row for row in _COMPLAINTS if any(word in str(problem) for word in row[0]))
        _, expected, hint = next(known)
        raise StoreError(expected, f"{str(path)!r} ({problem})", hint) from problem


_KEPT = "what was finished before is kept, and running again goes on from there"
RESTORE = "restore it from a copy, or move it away"
_COMPLAINTS = (
    (
        ("readonly", "unable to open"),
        "a file of results that can be written",
        "check the permissions of the file and its folder, where SQLite puts -wal and -shm files",
    ),
    (("full", "disk I/O"), "room on the disk for the results", f"free some space; {_KEPT}"),
    (("not a database",), "a file of results", "name another file, or move this one away"),
    (("malformed", "no such table", "no such column"), "an undamaged file of results", RESTORE),
    (
        ("interrupted",),
        f"a file whose rows can be read within {STATEMENT_SECONDS:.0f} s",
        "is it on a slow disk, or was it made to keep its readers busy?",
    ),
    (("locked",), "a file that is free within a minute", f"which other program holds it? {_KEPT}"),
    (("",), "a file of results that SQLite can use", _KEPT),
)


class _Patient(sqlite3.Connection):
    """A connection of which no statement takes for ever, and in which damaged text is text."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deadline = 0.0
        self.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        self.set_progress_handler(lambda: time.monotonic() > self._deadline, 100_000)

    def execute(self, *args: Any) -> sqlite3.Cursor:
        self._deadline = time.monotonic() + STATEMENT_SECONDS
        return super().execute(*args)

    def executemany(self, *args: Any) -> sqlite3.Cursor:
        self._deadline = float("inf")  # our own statements, with rows of our own
        return super().executemany(*args)


def as_path(path: object, what: str = "a file of results") -> Path:
    """Give the path of a file of results, or of something else."""
    if not isinstance(path, str | os.PathLike):
        raise InputTypeError(f"a path to {what}", f"{show(path)} ({type(path).__name__})")
    if isinstance(os.fspath(path), bytes):
        raise InputTypeError("a path as text", show(path), "os.fsdecode makes one of it")
    try:
        with suppress(OSError):
            Path(path).stat()
    except ValueError:  # a zero, or half a character
        raise InputError("a path that the system can have", show(path)) from None
    return Path(path)


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for writing; make it if there is none. Its write-ahead log lets others read meanwhile."""
    if path.is_dir():
        raise InputError("a file for the results", f"the folder {str(path)!r}", "name a file in it")
    if not path.parent.is_dir():
        raise InputError("a file in a folder that exists", f"{str(path)!r}", "make the folder first")
    with speaking_of(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, factory=_Patient)
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
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        if schema == 0:
            for statement in _TABLES.split(";")[:-1]:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        elif schema < SCHEMA:
            _add_checksums(connection)
        if schema < SCHEMA:
            connection.execute(_SET_ASIDE)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _add_checksums(connection: sqlite3.Connection) -> None:
    """Bring a file of the first format to the second; its rows are taken as they are."""
    for table, names in SEALED.items():
        connection.execute(f"ALTER TABLE {table} ADD COLUMN sha256 TEXT")
        rows = connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall()
        key = ("study", "place") if table == "members" else ("key",)
        where = " AND ".join(f"{name} = ?" for name in key)
        connection.executemany(
            f"UPDATE {table} SET sha256 = ? WHERE {where}",
            [(sealed(*row)[-1], *row[: len(key)]) for row in rows],
        )


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
        raise InputError("a file of results", f"{str(path)!r}, which does not exist", "run the study first")
    with speaking_of(path):
        # A reader that may not write could not clear the -wal and -shm files away when it is the last one.
        for options in ("mode=rw", "mode=ro&immutable=1"):
            connection = sqlite3.connect(
                f"{path.absolute().as_uri()}?{options}",
                uri=True,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                factory=_Patient,
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
    connection.execute("PRAGMA trusted_schema = OFF")
    parts = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    (made_by,) = connection.execute("PRAGMA application_id").fetchone()
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if parts and made_by != APPLICATION_ID:
        raise StoreError(
            "a file of results", f"{str(path)!r}, a database of another program", "name another file"
        )
    if schema > SCHEMA:
        raise StoreError(
            f"a file of results of format {SCHEMA} or older",
            f"{str(path)!r} of format {schema}",
            "update fivefold, which is older than this file",
        )
    if parts and schema < 1:
        raise StoreError("an undamaged file of results", f"{str(path)!r} of format {schema}", RESTORE)
    strange = [name for kind, name, sql in parts if not _is_ours(kind, name, sql)]
    if strange:
        raise StoreError(
            "a file of results with our tables alone", f"{show(strange[0])} in {str(path)!r}", RESTORE
        )


def _is_ours(kind: str, name: str, sql: str | None) -> bool:
    """Whether a part of a file is a plain table or index of ours: views and triggers would do as they like."""
    if kind == "index":
        return name == "claims_of_run" or sql is None
    return kind == "table" and name in _OURS and str(sql).startswith("CREATE TABLE")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do everything or nothing; waits for its turn before it reads."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


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
        if self.is_here():
            return _born(self.pid) == self.born and _exists(self.pid)
        return isinstance(last_heard, float) and now - last_heard < LEASE_SECONDS

    def is_here(self) -> bool:
        """Whether the process table of this machine knows it."""
        return self.host == _host() and os.name == "posix" and isinstance(self.pid, int)


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
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
