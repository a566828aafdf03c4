"""Engines, where jobs run: in this process, in processes beside it (joblib), or on a Dask cluster."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeAlias

from fivefold.errors import FivefoldError, InputError, show
from fivefold.inputs.options import check_n_jobs, instance_of, one_of
from fivefold.study.job import Json, Outcome, TaskFunction, decode, encode, share
from fivefold.training.fit_predict import keep_signal_mask

ENGINES = ("joblib", "dask", "serial")
BUDGET_SECONDS = 0.1
_MOST_WARNINGS = 20

# The process that this one works for; empty where it works for itself or for Dask.
_PARENT: list[int] = []


class EngineError(FivefoldError, RuntimeError):
    """Workers that cannot be reached or started."""


class EngineWarning(UserWarning):
    """Workers that are awaited."""


class WorkerDiedError(Exception):
    """A worker process died over its work; the run goes on without it."""


@dataclass(frozen=True)
class Order:
    """A job as it is sent to a worker."""

    key: str
    function: TaskFunction
    params: Json
    seed: int


Unit: TypeAlias = tuple[Order, ...]


class Engine:
    """Workers, whatever they are."""

    workers = 1  # how many units can be worked on at once
    deaths = 1  # of its own worker, over a job that ran alone, after which the job has failed

    def submit(self, units: Sequence[Unit], alone: bool = False) -> Any:
        """Give work to a worker; a future of its outcomes. Alone, it is not lost with another's worker."""
        raise NotImplementedError

    def wait(self, futures: Collection[Any], seconds: float) -> set[Any]:
        """Wait until at least one future is done, but not longer than this; give those that are done."""
        return set(wait(futures, timeout=seconds, return_when=FIRST_COMPLETED).done)

    def take(self, future: Any) -> list[Outcome]:
        """Give the outcomes of a future that is done; WorkerDiedError where a worker died over it."""
        outcomes: list[Outcome] = future.result()
        return outcomes

    def recover(self, futures: Collection[Any]) -> set[Any]:
        """Make the engine usable after a worker died; give those of the futures that were lost with it."""
        return set()

    def close(self) -> None:
        """End the workers, also those that are at work."""


def check_engine(name: str, n_jobs: int | None, address: str | None) -> None:
    """Refuse what `start_engine` cannot do."""
    one_of(name, ENGINES, "engine")
    if address is not None and name != "dask":
        raise InputError("an address with engine 'dask' only", f"{show(address)} with engine {name!r}")
    check_n_jobs(n_jobs)


def start_engine(name: str, n_jobs: int | None, address: str | None, objects: Mapping[str, Any]) -> Engine:
    """Start an engine by its name; `objects` is what the study shares with its jobs."""
    if name == "serial":
        return SerialEngine(objects)
    if name == "dask":
        return DaskEngine(n_jobs, address, objects)
    return ProcessEngine(n_jobs, objects)


class SerialEngine(Engine):
    """Works in this process, when work is submitted."""

    def __init__(self, objects: Mapping[str, Any]) -> None:
        share(objects)

    def submit(self, units: Sequence[Unit], alone: bool = False) -> Future[list[Outcome]]:
        """Do the work at once."""
        future: Future[list[Outcome]] = Future()
        future.set_result(work(units))
        return future


# One thread for each process, also for libraries that are loaded later.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"),
    "1",
)


class ProcessEngine(Engine):
    """Processes of joblib's own pools (loky), which outlive their work and end with this one.

    A pool breaks when any of its processes dies. So work that is to run alone has a pool of one process.
    """

    deaths = 2  # the first may have been somebody's who needed memory

    def __init__(self, n_jobs: int | None, objects: Mapping[str, Any]) -> None:
        from joblib import effective_n_jobs

        self.workers = effective_n_jobs(-1 if n_jobs is None else n_jobs)
        self._objects = dict(objects)
        self._pools: dict[int, Any] = {}

    def submit(self, units: Sequence[Unit], alone: bool = False) -> Any:
        """Give work to the next process that is free."""
        from joblib.externals.loky import ProcessPoolExecutor

        processes = 1 if alone else self.workers
        if processes not in self._pools:
            keep_signal_mask()
            known = self._objects, os.getpid()
            self._pools[processes] = ProcessPoolExecutor(
                max_workers=processes, initializer=prepare, initargs=known, env=_ONE_THREAD
            )
        try:
            return self._pools[processes].submit(work, units)
        except BrokenProcessPool as problem:
            # a process has died since the last look: this is lost like all that the pool had to do
            lost: Future[list[Outcome]] = Future()
            lost.set_exception(problem)
            return lost

    def take(self, future: Any) -> list[Outcome]:
        """Give the outcomes, unless a process of the pool was killed or crashed."""
        try:
            return super().take(future)
        except BrokenProcessPool as problem:
            raise WorkerDiedError from problem

    def recover(self, futures: Collection[Any]) -> set[Any]:
        """Let a new pool be started: loky gives one up in which a process died, with all that it had to do."""
        self.close()
        return {future for future in futures if not future.done() or future.exception() is not None}

    def close(self) -> None:
        """Kill the processes; what they had finished is collected before."""
        while self._pools:
            self._pools.popitem()[1].shutdown(wait=True, kill_workers=True)


_CONNECT_SECONDS = 30
_COUNT_SECONDS = 2.0
_ABSENT_SECONDS = 10.0


class DaskEngine(Engine):
    """Workers of a Dask cluster; the scheduler moves the work of a worker that died to another one.

    Without the address of a scheduler it is a cluster on this machine. A worker is given the shared objects once,
    also one that joins later. A job over which one died has been tried on several by the cluster itself.
    """

    def __init__(self, n_jobs: int | None, address: str | None, objects: Mapping[str, Any]) -> None:
        distributed = _distributed()
        self._cluster = None if address is not None else _local_cluster(distributed, n_jobs)
        try:
            self._client = distributed.Client(address or self._cluster, timeout=_CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError) as problem:
            raise EngineError(
                "a Dask scheduler that answers", f"{address!r} ({problem})", "check the address"
            ) from problem
        self._counted = -_COUNT_SECONDS
        self._last_seen, self._told = time.monotonic(), False
        plugin = distributed.WorkerPlugin()
        plugin.setup = partial(_set_up, dict(objects), self._cluster is not None)
        self._client.register_plugin(plugin, name=f"fivefold-study-{self._client.id}")
        self._count_workers()

    def _count_workers(self) -> None:
        """Count the threads of workers from time to time; at least one, as workers may still be on their way."""
        now = time.monotonic()
        if now - self._counted < _COUNT_SECONDS:
            return
        with _connected():
            threads = sum(self._client.nthreads().values())
        self._counted, self.workers = now, max(1, threads)
        if threads:
            self._last_seen, self._told = now, False
        elif now - self._last_seen >= _ABSENT_SECONDS and not self._told:
            self._told = True
            where = self._client.scheduler.address if self._client.scheduler else "the scheduler"
            warnings.warn(
                f"no Dask worker has been at {where} for {now - self._last_seen:.0f} s; waiting for one. "
                "Start a worker, or stop this run with Ctrl-C: what is finished is kept",
                EngineWarning,
                stacklevel=2,
            )

    def submit(self, units: Sequence[Unit], alone: bool = False) -> Any:
        """Give work to the cluster."""
        with _connected():
            return self._client.submit(work, units, pure=False)

    def wait(self, futures: Collection[Any], seconds: float) -> set[Any]:
        """Wait for the first that is done."""
        if self._client.status not in ("running", "connecting"):
            raise _lost("no more connection to the scheduler")
        self._count_workers()
        with _connected():
            try:
                return set(_distributed().wait(list(futures), seconds, "FIRST_COMPLETED").done)
            except TimeoutError:
                return set()

    def take(self, future: Any) -> list[Outcome]:
        """Give the outcomes, unless the cluster gave up on them because worker after worker died."""
        with _connected():
            try:
                return super().take(future)
            except _distributed().scheduler.KilledWorker as problem:
                raise WorkerDiedError from problem

    def close(self) -> None:
        """Leave the cluster, which drops our unfinished work; end it if it is our own."""
        with suppress(OSError, TimeoutError):
            self._client.close()
        if self._cluster is not None:
            self._cluster.close()


@contextmanager
def _connected() -> Iterator[None]:
    """Tell of a cluster that is gone."""
    try:
        yield
    except (OSError, TimeoutError, CancelledError, _distributed().client.FutureCancelledError) as problem:
        raise _lost(str(problem)) from problem


def _lost(why: str) -> EngineError:
    return EngineError(
        "a Dask cluster that stays there", why, "what was finished is kept; start the cluster and run again"
    )


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as problem:
        raise InputError(
            "Dask to be installed for engine 'dask'", str(problem), "pip install 'fivefold[dask]'"
        ) from problem
    return distributed


def _local_cluster(distributed: Any, n_jobs: int | None) -> Any:
    from joblib import effective_n_jobs

    keep_signal_mask()
    return distributed.LocalCluster(
        n_workers=effective_n_jobs(-1 if n_jobs is None else n_jobs),
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        silence_logs=50,
    )


def _set_up(objects: Mapping[str, Any], ours: bool, worker: Any) -> None:
    """Prepare a worker when it joins; one that we started shares our terminal, and is to ignore its Ctrl-C."""
    share(objects)
    if ours and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def work(units: Sequence[Unit]) -> list[Outcome]:
    """Work on units until the budget of time is spent; those that were not begun have no outcome.

    A unit is done whole. So a worker that is sent more than it can do in a moment gives the rest back, and little
    is lost when it dies.
    """
    outcomes: list[Outcome] = []
    end = time.perf_counter() + BUDGET_SECONDS
    # Sums over several threads may end in other last bits.
    with _thread_pools(len(sys.modules)).limit(limits=1):
        for unit in units:
            _end_if_orphaned()
            outcomes.extend(map(_call, unit))
            if time.perf_counter() > end:
                break
    return outcomes


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> Any:
    """Find the libraries with threads of their own; again only when modules were imported since."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _call(order: Order) -> Outcome:
    start = time.perf_counter()
    value = error = trace = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            params = decode(order.params, estimators=True)
            value = _written(order.function(params, order.seed))
        except Exception as problem:
            told = f"{type(problem).__name__}: {problem}", traceback.format_exc()
            # halves of characters, which a file name or a model may have, are written so that a file can hold them
            error, trace = (text.encode("utf-8", "backslashreplace").decode("utf-8") for text in told)
    warned = tuple(dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught))
    return Outcome(order.key, value, error, trace, time.perf_counter() - start, warned[:_MOST_WARNINGS])


def _written(result: Any) -> str:
    instance_of(result, (Mapping,), "a task to give a mapping of names to values")
    encoded = encode(result, "the result")
    decode(encoded)  # fails here, and not when it is read, where it holds more than plain values
    return json.dumps(encoded)


def prepare(objects: Mapping[str, Any], parent: int) -> None:
    """Make a process ready: it knows the shared objects, leaves Ctrl-C to its parent, and ends with it."""
    share(objects)
    _PARENT.append(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # polars, once imported, would listen again
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    while True:
        _end_if_orphaned()
        time.sleep(0.2)


def _end_if_orphaned() -> None:
    if _PARENT and os.getppid() != _PARENT[-1]:
        os._exit(1)
