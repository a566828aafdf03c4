"""Store: jobs, claims and results in one file, changed in transactions only."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fivefold.study.codec import canonical
from fivefold.study.file import BUSY_SECONDS, connect, speaking_of, transaction
from fivefold.study.job import TASKS, Job
from fivefold.study.owners import Owner, me

SYNC_SECONDS = 1.0

# Runs of this very process, by file: its number is alive even when a run of it has ended badly.
_RUNNING: set[tuple[Path, int]] = set()

_STORE_RESULT = """
INSERT INTO results (key, state, value, error, traceback) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    state = excluded.state, value = excluded.value, error = NULL, traceback = NULL
WHERE results.state = 'failed' AND excluded.state = 'finished'
"""


@dataclass(frozen=True)
class Outcome:
    """What became of one job: a value as JSON, or an error with its traceback."""

    key: str
    value: str | None
    error: str | None
    traceback: str | None
    seconds: float
    warnings: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """Whether the job is finished or failed."""
        return "finished" if self.value is not None else "failed"


@dataclass(frozen=True)
class Claim:
    """What came of claiming jobs: those that are ours, those that others work on, the states of the rest."""

    ours: frozenset[str]
    others: frozenset[str]
    done: dict[str, str]


class Store:
    """The file of a study as one run of it writes to it.

    Parameters
    ----------
    path : Path
        The file; it is made if it is not there.
    """

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

    def _wait_for_the_disk_now_and_then(self) -> None:
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
            found = self._connection.execute(
                "SELECT key, state FROM members LEFT JOIN results USING (key) WHERE study = ?", (study,)
            )
            return dict(found.fetchall())

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

    def exchange(self, outcomes: Sequence[Outcome], wanted: Sequence[str]) -> Claim:
        """Store outcomes and claim jobs, in one transaction; a job of a dead process is taken over."""
        self._wait_for_the_disk_now_and_then()
        with self._changing() as connection:
            self._write(connection, outcomes)
            return self._claim(connection, wanted)

    def _write(self, connection: sqlite3.Connection, outcomes: Sequence[Outcome]) -> None:
        now = time.time()
        connection.executemany(
            _STORE_RESULT,
            [(each.key, each.state, each.value, each.error, each.traceback) for each in outcomes],
        )
        connection.executemany(
            "INSERT OR REPLACE INTO timings VALUES (?, ?, ?, ?, ?)",
            [(each.key, self._run, each.seconds, now, json.dumps(each.warnings)) for each in outcomes],
        )
        connection.executemany("DELETE FROM claims WHERE key = ?", [(each.key,) for each in outcomes])

    def _claim(self, connection: sqlite3.Connection, wanted: Sequence[str]) -> Claim:
        ours, others, done = set(), set(), {}
        lives: dict[int, bool] = {}
        for key in wanted:
            known = connection.execute("SELECT state FROM results WHERE key = ?", (key,)).fetchone()
            if known:
                done[key] = known[0]
                continue
            held = connection.execute("SELECT run FROM claims WHERE key = ?", (key,)).fetchone()
            if held and held[0] != self._run:
                run = held[0]
                if run not in lives:
                    lives[run] = self._lives(connection, run)
                if lives[run]:
                    others.add(key)
                    continue
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?)", (key, self._run))
            ours.add(key)
        return Claim(frozenset(ours), frozenset(others), done)

    def _lives(self, connection: sqlite3.Connection, run: int) -> bool:
        found: Any = connection.execute(
            "SELECT host, pid, born, heartbeat, ended FROM runs WHERE id = ?", (run,)
        ).fetchone()
        if found is None or found[4] is not None:
            return False
        owner = Owner(found[0], found[1], found[2])
        if owner == me():
            return (self.path.resolve(), run) in _RUNNING
        return owner.lives(found[3], time.time())
