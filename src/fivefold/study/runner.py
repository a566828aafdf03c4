"""The loop of a run: claim jobs, give them to workers, store what comes back."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from math import ceil
from typing import Any

from fivefold.study.engines.engine import Engine
from fivefold.study.errors import EngineError, StoreError, WorkerDiedError
from fivefold.study.interrupt import Interrupt
from fivefold.study.job import TASKS, Job
from fivefold.study.owners import BEAT_SECONDS
from fivefold.study.store import Outcome, Store
from fivefold.study.worker import BUDGET_SECONDS, Order, Unit

_POLL_SECONDS = 0.5
_MOST_UNITS = 500
_DEATH = "WorkerDied: the process that worked on this job died (killed, out of memory, or crashed)"


def make_units(jobs: Iterable[Job]) -> list[Unit]:
    """Put jobs of the same group that follow each other into one unit of work."""
    numbered = enumerate({job.key: job for job in jobs}.values())
    grouped = groupby(numbered, key=lambda pair: pair[1].group or pair[0])
    return [tuple(_order(job) for _, job in pairs) for _, pairs in grouped]


def _order(job: Job) -> Order:
    return Order(job.key, TASKS[job.task].function, job.encoded, job.seed)


class Runner:
    """One run over open jobs.

    Parameters
    ----------
    store : Store
        Where jobs are claimed and results go; its run has begun.
    engine : Engine
        The workers.
    units : sequence of Unit
        The open jobs.
    report : callable
        Told the states of jobs as they become known, "finished" or "failed" for each.
    """

    def __init__(
        self, store: Store, engine: Engine, units: Sequence[Unit], report: Callable[[Sequence[str]], None]
    ) -> None:
        self._store = store
        self._engine = engine
        self._report = report
        self._pending: deque[Unit] = deque(units)
        self._suspects: deque[Unit] = deque()
        self._suspected: set[str] = set()
        self._elsewhere: list[Unit] = []
        self._flying: dict[Any, list[Unit]] = {}
        self._seconds_per_unit = BUDGET_SECONDS
        self._arrived: list[Outcome] = []

    def run(self, interrupt: Interrupt) -> None:
        """Work until every job has a result, here or in another process."""
        try:
            while self._pending or self._suspects or self._flying or self._arrived or self._elsewhere:
                interrupt.check()
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
            self._collect(self._engine.wait(self._flying, _POLL_SECONDS))
        elif self._arrived:
            self._exchange([])
        elif self._elsewhere:
            self._look_elsewhere()

    def _launch(self) -> None:
        """Fill the workers' queues; what has arrived is stored in the same transactions."""
        if self._suspects:
            if not self._flying:
                self._fly([self._suspects.popleft()])
            return
        capacity = 2 * self._engine.workers if self._engine.workers > 1 else 1
        while self._pending and len(self._flying) < capacity:
            size = min(self._chunk_size(), len(self._pending))
            self._fly([self._pending.popleft() for _ in range(size)])

    def _chunk_size(self) -> int:
        fair = ceil(len(self._pending) / (2 * self._engine.workers))
        return max(1, min(int(BUDGET_SECONDS / self._seconds_per_unit), fair, _MOST_UNITS))

    def _fly(self, units: list[Unit]) -> None:
        claimed = self._exchange(units)
        if claimed:
            self._flying[self._engine.submit(claimed)] = claimed

    def _exchange(self, wanted: list[Unit]) -> list[Unit]:
        """Store what has arrived and claim units; give the parts of them that are ours."""
        arrived, self._arrived = self._arrived, []
        try:
            claim = self._store.exchange(arrived, [order.key for unit in wanted for order in unit])
        except BaseException:
            self._arrived = arrived
            raise
        self._report([each.state for each in arrived])
        self._report(list(claim.done.values()))
        self._elsewhere.extend(_parts(wanted, claim.others))
        return _parts(wanted, claim.ours)

    def _collect(self, done: Collection[Any]) -> None:
        dead = False
        for future in done:
            units = self._flying.pop(future)
            try:
                self._land(units, self._engine.take(future))
            except WorkerDiedError:
                dead = True
                self._suspect(units)
        if dead:
            for future in self._engine.recover(self._flying):
                self._suspect(self._flying.pop(future))

    def _land(self, units: list[Unit], outcomes: list[Outcome]) -> None:
        self._arrived.extend(outcomes)
        known = {each.key for each in outcomes}
        begun = [unit for unit in units if unit[0].key in known]
        self._pending.extendleft(reversed(units[len(begun) :]))
        if begun:
            mean = sum(each.seconds for each in outcomes) / len(begun)
            self._seconds_per_unit = max(1e-5, 0.5 * self._seconds_per_unit + 0.5 * mean)

    def _suspect(self, units: list[Unit]) -> None:
        """Try the jobs of a worker that died one by one; one that kills its worker even so has failed."""
        for order in (order for unit in units for order in unit):
            if order.key in self._suspected:
                self._arrived.append(Outcome(order.key, None, _DEATH, _DEATH, 0.0))
            else:
                self._suspected.add(order.key)
                self._suspects.append((order,))

    def _look_elsewhere(self) -> None:
        """See what became of the jobs that other processes had claimed."""
        time.sleep(_POLL_SECONDS)
        units, self._elsewhere = self._elsewhere[:_MOST_UNITS], self._elsewhere[_MOST_UNITS:]
        self._fly(units)


def _parts(units: Iterable[Unit], keys: Collection[str]) -> list[Unit]:
    parts = (tuple(order for order in unit if order.key in keys) for unit in units)
    return [part for part in parts if part]


class Heart:
    """Says from time to time that this process lives, while its main thread is at work."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            # The main thread meets the same trouble with the file and tells of it.
            with suppress(StoreError):
                self._store.beat()

    def stop(self) -> None:
        """Fall silent."""
        self._stop.set()
        self._thread.join()
