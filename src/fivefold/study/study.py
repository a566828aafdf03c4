"""Study: a named list of jobs, the file that keeps their results, and the loop that runs them."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import groupby
from math import ceil
from os import PathLike
from types import FrameType
from typing import Any

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import one_of
from fivefold.progress import Step, part, shows_progress
from fivefold.study import engines
from fivefold.study.engines import Engine, EngineError, Order, Unit, WorkerDiedError
from fivefold.study.job import TASKS, Job, Outcome
from fivefold.study.results import Shelf, Status, say_damaged
from fivefold.study.rows import Record, versions
from fivefold.study.store import BEAT_SECONDS, Store, StoreError, StoreWarning, as_path

_POLL_SECONDS = 0.5
_WAIT_SECONDS = 0.1  # Ctrl-C is heard between two waits
_MOST_UNITS = 500
_DEATH = (
    "WorkerDied: the process that worked on this job alone died (killed, out of memory, or crashed), and so did "
    "the one that tried it again; --retry-failed (retry_failed=True) tries it once more"
)


class Study(Shelf):
    """Jobs that are done once, whatever happens in between.

    Every job is known by the hash of all that its result depends on. Results go into one SQLite file, in
    transactions, as they arrive. `run` does what is not in the file yet: after ``kill -9``, Ctrl-C or a power cut
    it goes on where it was, and several processes may run the same study on the same file at once. What a `Shelf`
    tells of a file, a study tells of its own.

    Parameters
    ----------
    name : str
        What the study is called in the file, which can hold several.
    jobs : sequence of Job
        What is to be done. Two jobs with the same key are done once.
    path : path
        The file of results; it is made if it is not there.
    shared : mapping of str to object, optional
        Objects that jobs ask for by :func:`fivefold.study.shared`, sent to each worker once. They must be named
        so that another object has another name, as by :func:`fivefold.study.fingerprint`.

    Examples
    --------
    >>> import math, tempfile, pathlib
    >>> from fivefold.study import Job, Study, task
    >>> @task("doc.root")
    ... def root(params, seed):
    ...     return {"root": math.sqrt(params["x"])}
    >>> jobs = [Job("doc.root", {"x": x}, labels={"x": x}) for x in (4, 9, -1)]
    >>> study = Study("roots", jobs, pathlib.Path(tempfile.mkdtemp(), "roots.study"))
    >>> print(study.run(engine="serial"))
    roots: 3 jobs, 2 finished, 1 failed, 0 open
    >>> study.frame()["root"].to_list()
    [2.0, 3.0, None]
    >>> print(study.failures()[0].error)
    ValueError: math domain error
    """

    def __init__(
        self,
        name: str,
        jobs: Sequence[Job],
        path: str | PathLike[str],
        *,
        shared: Mapping[str, Any] | None = None,
    ) -> None:
        # halves of characters have no code: no file can hold them
        if not isinstance(name, str) or not name or any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InputTypeError("a name for the study", show(name))
        if not isinstance(jobs, Sequence) or not all(isinstance(job, Job) for job in jobs):
            raise InputTypeError("a sequence of jobs", f"{show(jobs)} ({type(jobs).__name__})")
        if not jobs:
            raise InputError("at least one job", "none")
        self.name = name
        self.jobs = tuple(jobs)
        self.path = as_path(path)
        if shared is not None and not isinstance(shared, Mapping):
            raise InputTypeError("shared objects as a mapping of names", f"{show(shared)}")
        self.shared = dict(shared or {})

    def __repr__(self) -> str:
        return f"Study {self.name!r}: {len(self.jobs)} jobs, results in {str(self.path)!r}"

    @shows_progress
    def run(
        self,
        *,
        engine: str = "joblib",
        n_jobs: int | None = None,
        address: str | None = None,
        retry_failed: bool = False,
        recompute: str | None = None,
        progress: bool | None = None,
    ) -> Status:
        """Do the jobs that have no result yet; the results are the same for any engine and number of workers.

        Parameters
        ----------
        engine : {"joblib", "dask", "serial"}
            Processes of this machine, a Dask cluster, or this process alone.
        n_jobs : int, optional
            How many processes; by default, and with -1, one for each core.
        address : str, optional
            The scheduler of a Dask cluster; without it ``engine="dask"`` starts a cluster on this machine.
        retry_failed : bool
            Whether to try those jobs again that failed in an earlier run.
        recompute : {"stale"}, optional
            Do the results of another version of fivefold, scikit-learn or numpy anew.
        progress : bool, optional
            Whether to tell on standard error what is being done; by default on a terminal and in a notebook.

        Returns
        -------
        Status
            How many jobs are finished, failed and open.

        Raises
        ------
        StoreError
            When the file cannot be written; what was stored before is kept.
        """
        engines.check_engine(engine, n_jobs, address)
        if recompute is not None:
            one_of(recompute, ("stale",), "recompute")
        reason = partial(_why_anew, retry_failed, recompute)
        with Store(self.path) as store:
            store.plan(self.name, self.jobs)
            records = store.set_aside(self.name, reason)
            if damaged := [record for record in records if record.state == "damaged"]:
                warnings.warn(say_damaged(damaged, "set aside and done anew"), StoreWarning, 2)
            done = {record.key for record in records if record.state != "open" and not reason(record)}
            units = make_units(job for job in self.jobs if job.key not in done)
            if units:
                self._work(store, units, len(done), (engine, n_jobs, address))
        return self.status()

    def _work(
        self, store: Store, units: Sequence[Unit], n_done: int, where: tuple[str, int | None, str | None]
    ) -> None:
        with (
            part(f"{self.name}: job", len({job.key for job in self.jobs})) as step,
            _ctrl_c_held_back(at_once=where[0] == "serial") as stop_if_asked,
            _entered(store),  # its claims are given back after the workers have ended
            closing(engines.start_engine(*where, self.shared)) as workers,
        ):
            step.advance(n_done)
            store.staff(workers.workers)
            Runner(store, workers, units, _teller(step)).run(stop_if_asked)


def _why_anew(retry_failed: bool, recompute: str | None, record: Record) -> str:
    """Say why a job that has a result is to be done again; empty: it is not."""
    if record.state == "damaged" or (record.state == "failed" and retry_failed):
        return record.state
    return "stale" if recompute and record.stale else ""


@contextmanager
def _entered(store: Store) -> Iterator[None]:
    """Enter this process in the file, and say from time to time that it lives."""
    store.begin(dict(versions()))
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT_SECONDS):
            # The main thread meets the same trouble with the file and tells of it.
            with suppress(StoreError):
                store.beat()

    heart = threading.Thread(target=beat, daemon=True)
    heart.start()
    try:
        yield
    finally:
        ended.set()
        heart.join()
        store.end()


@contextmanager
def _ctrl_c_held_back(at_once: bool) -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until what is given is called, so that no step is left half done; a second one is not held.

    Work in this process itself may take hours: for it nothing is held back.
    """
    pressed = False

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    def stop_if_asked() -> None:
        if pressed:
            raise KeyboardInterrupt

    # signals can only be handled in the main thread
    if at_once or threading.current_thread() is not threading.main_thread():
        yield stop_if_asked
        return
    before = signal.signal(signal.SIGINT, hear)
    try:
        yield stop_if_asked
    finally:
        signal.signal(signal.SIGINT, before)


def make_units(jobs: Iterable[Job]) -> list[Unit]:
    """Put jobs of the same group that follow each other into one unit of work."""
    numbered = enumerate({job.key: job for job in jobs}.values())
    grouped = groupby(numbered, key=lambda pair: pair[1].group or pair[0])
    return [
        tuple(Order(job.key, TASKS[job.task].function, job.encoded, job.seed) for _, job in pairs)
        for _, pairs in grouped
    ]


class Runner:
    """One run over open jobs: claims them in the store, gives them to workers, stores what comes back.

    `report` is told the states of jobs as they become known, "finished" or "failed" for each.
    """

    def __init__(
        self, store: Store, engine: Engine, units: Sequence[Unit], report: Callable[[Sequence[str]], None]
    ) -> None:
        self._store = store
        self._engine = engine
        self._report = report
        self._pending: deque[Unit] = deque(units)
        self._suspects: deque[Unit] = deque()
        self._deaths: Counter[str] = Counter()
        self._alone: set[Any] = set()
        self._elsewhere: list[Unit] = []
        self._flying: dict[Any, list[Unit]] = {}
        self._seconds_per_unit = engines.BUDGET_SECONDS
        self._arrived: list[Outcome] = []

    def run(self, stop_if_asked: Callable[[], None]) -> None:
        """Work until every job has a result, here or in another process; ask between two steps whether to stop."""
        try:
            while self._pending or self._suspects or self._flying or self._arrived or self._elsewhere:
                stop_if_asked()
                self._step()
        except KeyboardInterrupt:
            self._collect(self._engine.wait(self._flying, 0.0) if self._flying else ())
            self._exchange([])
            raise
        except EngineError:
            self._exchange([])
            raise

    def _step(self) -> None:
        self._launch()
        if self._flying:
            self._collect(self._engine.wait(self._flying, _WAIT_SECONDS))
        elif self._arrived:
            self._exchange([])
        elif self._elsewhere:
            self._look_elsewhere()

    def _launch(self) -> None:
        """Fill the workers' queues; what has arrived is stored in the same transactions."""
        if self._suspects:
            if not self._flying:
                self._fly([self._suspects.popleft()], alone=True)
            return
        capacity = 2 * self._engine.workers if self._engine.workers > 1 else 1
        while self._pending and len(self._flying) < capacity:
            size = min(self._chunk_size(), len(self._pending))
            self._fly([self._pending.popleft() for _ in range(size)])

    def _chunk_size(self) -> int:
        fair = ceil(len(self._pending) / (2 * self._engine.workers))
        return max(1, min(int(engines.BUDGET_SECONDS / self._seconds_per_unit), fair, _MOST_UNITS))

    def _fly(self, units: list[Unit], alone: bool = False) -> None:
        claimed = self._exchange(units)
        if claimed:
            future = self._engine.submit(claimed, alone)
            self._flying[future] = claimed
            if alone:
                self._alone.add(future)

    def _exchange(self, wanted: list[Unit]) -> list[Unit]:
        """Store what has arrived and claim units; give the parts of them that are ours."""
        arrived, self._arrived = self._arrived, []
        try:
            ours, others, done = self._store.exchange(
                arrived, [order.key for unit in wanted for order in unit]
            )
        except BaseException:
            self._arrived = arrived
            raise
        self._report([outcome.state for outcome in arrived] + list(done.values()))
        self._elsewhere.extend(_parts(wanted, others))
        return _parts(wanted, ours)

    def _collect(self, done: Collection[Any]) -> None:
        dead = False
        for future in done:
            units = self._flying.pop(future)
            try:
                self._land(units, self._engine.take(future))
            except WorkerDiedError:
                dead = True
                self._suspect(units, alone=future in self._alone)
            self._alone.discard(future)
        if dead:
            for future in self._engine.recover(self._flying):
                self._suspect(self._flying.pop(future), alone=False)

    def _land(self, units: list[Unit], outcomes: list[Outcome]) -> None:
        self._arrived.extend(outcomes)
        known = {outcome.key for outcome in outcomes}
        begun = [unit for unit in units if unit[0].key in known]
        self._pending.extendleft(reversed(units[len(begun) :]))
        if begun:
            mean = sum(outcome.seconds for outcome in outcomes) / len(begun)
            self._seconds_per_unit = max(1e-5, 0.5 * self._seconds_per_unit + 0.5 * mean)

    def _suspect(self, units: list[Unit], alone: bool) -> None:
        """Try the jobs of workers that died one by one; one whose own worker dies again and again has failed."""
        for order in (order for unit in units for order in unit):
            self._deaths[order.key] += alone
            if self._deaths[order.key] >= self._engine.deaths:
                self._arrived.append(Outcome(order.key, None, _DEATH, _DEATH, 0.0))
            else:
                self._suspects.append((order,))

    def _look_elsewhere(self) -> None:
        """See what became of the jobs that other processes had claimed."""
        time.sleep(_POLL_SECONDS)
        units, self._elsewhere = self._elsewhere[:_MOST_UNITS], self._elsewhere[_MOST_UNITS:]
        self._fly(units)


def _parts(units: Iterable[Unit], keys: Collection[str]) -> list[Unit]:
    parts = (tuple(order for order in unit if order.key in keys) for unit in units)
    return [part for part in parts if part]


def _teller(step: Step) -> Callable[[Sequence[str]], None]:
    """Give what is to be told the states of jobs as they become known."""
    failed = 0

    def tell(states: Sequence[str]) -> None:
        nonlocal failed
        failed += states.count("failed")
        step.advance(len(states), f"{failed} failed" if failed else "")

    return tell
