"""The engine of processes on this machine: joblib's own pool, loky."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from fivefold.study.errors import WorkerDiedError
from fivefold.study.store import Outcome
from fivefold.study.worker import Unit, prepare, work

# One thread for each process, also for libraries that are loaded later.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"),
    "1",
)


class ProcessEngine:
    """Processes that outlive their work and end with this one.

    Parameters
    ----------
    n_jobs : int or None
        How many; None and -1 mean one for each core.
    objects : mapping
        What each of them is given once.
    """

    def __init__(self, n_jobs: int | None, objects: Mapping[str, Any]) -> None:
        from joblib import effective_n_jobs

        self.workers: int = effective_n_jobs(-1 if n_jobs is None else n_jobs)
        self._objects = dict(objects)
        self._pool = self._start()

    def _start(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor

        return ProcessPoolExecutor(
            max_workers=self.workers,
            initializer=prepare,
            initargs=(self._objects, os.getpid()),
            env=_ONE_THREAD,
        )

    def submit(self, units: Sequence[Unit]) -> Any:
        """Give work to the next process that is free."""
        return self._pool.submit(work, units)

    def wait(self, futures: Collection[Any], seconds: float) -> set[Any]:
        """Wait for the first that is done."""
        return set(wait(futures, timeout=seconds, return_when=FIRST_COMPLETED).done)

    def take(self, future: Any) -> list[Outcome]:
        """Give the outcomes, unless a process of the pool was killed or crashed."""
        try:
            outcomes: list[Outcome] = future.result()
        except BrokenProcessPool as problem:
            raise WorkerDiedError from problem
        return outcomes

    def recover(self, futures: Collection[Any]) -> set[Any]:
        """Start a new pool: loky gives one up in which a process died, with all that it had to do."""
        self.close()
        self._pool = self._start()
        return {future for future in futures if not future.done() or future.exception() is not None}

    def close(self) -> None:
        """Kill the processes; what they had finished is collected before."""
        self._pool.shutdown(wait=True, kill_workers=True)
