"""The one file of a study: an SQLite database that is opened, checked and complained about here."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fivefold.errors import InputError
from fivefold.study.errors import StoreError

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
