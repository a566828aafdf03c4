"""The engine of a Dask cluster, a distant one or one on this machine."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from fivefold.errors import InputError
from fivefold.study.errors import EngineError, WorkerDiedError
from fivefold.study.sharing import share
from fivefold.study.store import Outcome
from fivefold.study.worker import Unit, work

_CONNECT_SECONDS = 30
_COUNT_SECONDS = 2.0


class DaskEngine:
    """Workers of a Dask cluster; the scheduler moves the work of a worker that died to another one.

    Parameters
    ----------
    n_jobs : int or None
        How many processes a local cluster has; None and -1 mean one for each core.
    address : str or None
        The address of a scheduler, such as "tcp://10.0.0.1:8786"; None starts a local cluster.
    objects : mapping
        What each worker is given once, also one that joins later.
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
        self._threads, self._counted = 1, -_COUNT_SECONDS
        plugin = distributed.WorkerPlugin()
        plugin.setup = partial(_set_up, dict(objects), self._cluster is not None)
        self._client.register_plugin(plugin, name=f"fivefold-study-{self._client.id}")

    @property
    def workers(self) -> int:
        """How many threads of workers there are; at least one, as workers may still be on their way."""
        if time.monotonic() - self._counted >= _COUNT_SECONDS:
            with _connected():
                self._threads = max(1, sum(self._client.nthreads().values()))
            self._counted = time.monotonic()
        return self._threads

    def submit(self, units: Sequence[Unit]) -> Any:
        """Give work to the cluster."""
        with _connected():
            return self._client.submit(work, units, pure=False)

    def wait(self, futures: Collection[Any], seconds: float) -> set[Any]:
        """Wait for the first that is done."""
        if self._client.status not in ("running", "connecting"):
            raise _lost("no more connection to the scheduler")
        with _connected():
            try:
                return set(_distributed().wait(list(futures), seconds, "FIRST_COMPLETED").done)
            except TimeoutError:
                return set()

    def take(self, future: Any) -> list[Outcome]:
        """Give the outcomes, unless the cluster gave up on them because worker after worker died."""
        with _connected():
            try:
                outcomes: list[Outcome] = future.result()
            except _distributed().scheduler.KilledWorker as problem:
                raise WorkerDiedError from problem
        return outcomes

    def recover(self, futures: Collection[Any]) -> set[Any]:
        """Nothing is lost: the cluster replaces its workers and moves their work itself."""
        return set()

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
