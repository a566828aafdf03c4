"""Study: a named list of jobs and the file that keeps their results."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import Any

from fivefold.errors import InputError, InputTypeError, show
from fivefold.study.engines.engine import Engine, check_engine, start_engine
from fivefold.study.interrupt import Interrupt
from fivefold.study.job import Job
from fivefold.study.means import Means
from fivefold.study.progress import bar
from fivefold.study.runner import Heart, Runner, make_units
from fivefold.study.shelf import Record, Shelf
from fivefold.study.status import Status
from fivefold.study.store import Store

_NAMED = ("fivefold", "numpy", "scipy", "scikit-learn", "numba", "polars")


class Study:
    """Jobs that are done once, whatever happens in between.

    Every job is known by the hash of all that its result depends on. Results go into one SQLite file, in
    transactions, as they arrive. `run` does what is not in the file yet: after ``kill -9``, Ctrl-C or a power cut
    it goes on where it was, and several processes may run the same study on the same file at once.

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
        if not isinstance(name, str) or not name:
            raise InputTypeError("a name for the study", show(name))
        if not jobs:
            raise InputError("at least one job", "none")
        self.name = name
        self.jobs = tuple(jobs)
        self.path = Path(path)
        self.shared = dict(shared or {})

    def __repr__(self) -> str:
        return f"Study {self.name!r}: {len(self.jobs)} jobs, results in {str(self.path)!r}"

    def run(
        self,
        *,
        engine: str = "joblib",
        n_jobs: int | None = None,
        address: str | None = None,
        retry_failed: bool = False,
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
        progress : bool, optional
            Whether to show a bar on standard error; by default where that is a terminal.

        Returns
        -------
        Status
            How many jobs are finished, failed and open.

        Raises
        ------
        StoreError
            When the file cannot be written; what was stored before is kept.
        """
        check_engine(engine, n_jobs, address)
        with Store(self.path) as store:
            store.plan(self.name, self.jobs)
            states = store.states(self.name)
            if retry_failed:
                failed = [key for key, state in states.items() if state == "failed"]
                store.forget(failed)
                states |= dict.fromkeys(failed)
            units = make_units(job for job in self.jobs if states[job.key] is None)
            if units:
                self._work(store, units, states, (engine, n_jobs, address), progress)
        return self.status()

    def _work(
        self,
        store: Store,
        units: Sequence[Any],
        states: Mapping[str, str | None],
        where: tuple[str, int | None, str | None],
        progress: bool | None,
    ) -> None:
        done = sum(state is not None for state in states.values())
        with (
            Interrupt(at_once=where[0] == "serial") as interrupt,
            _entered(store),  # its claims are given back after the workers have ended
            _running(start_engine(*where, self.shared)) as workers,
            bar(self.name, done, len(states), progress) as report,
        ):
            store.staff(workers.workers)
            Runner(store, workers, units, report).run(interrupt)

    def status(self) -> Status:
        """Count the jobs that are finished, failed and open, and estimate the time that is left."""
        return self._shelf().status()

    def frame(self, library: str = "polars", *, timings: bool = False, **labels: str | int) -> Any:
        """Give the results, a row for each job: labels, then numbers, then the state.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}
            The library of the frame.
        timings : bool
            Whether to add the seconds that each job took; these differ from run to run.
        **labels
            Only jobs with these labels, such as ``view="bits"``.
        """
        return self._shelf().frame(library, timings=timings, **labels)

    def failures(self) -> tuple[Record, ...]:
        """Give the records of the failed jobs, with their errors and tracebacks."""
        return self._shelf().failures()

    def means(self, view: str | None = None, **labels: str | int) -> Means:
        """Give mean and standard deviation over the label ``split`` for each combination of the others."""
        return self._shelf().means(view, **labels)

    def export(self, path: str | PathLike[str], *, timings: bool = False, **labels: str | int) -> None:
        """Write the results into a CSV, JSON or Parquet file, whole or not at all; see `frame`."""
        self._shelf().export(path, timings=timings, **labels)

    def _shelf(self) -> Shelf:
        return Shelf(self.path, self.name)


@contextmanager
def _running(engine: Engine) -> Iterator[Engine]:
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def _entered(store: Store) -> Iterator[None]:
    store.begin(_versions())
    heart = Heart(store)
    try:
        yield
    finally:
        heart.stop()
        store.end()


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "machine": platform.platform()}
    for name in _NAMED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
