"""What the engines have in common: they take units of work and give futures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from fivefold.errors import InputError, show
from fivefold.inputs.options import one_of
from fivefold.study.store import Outcome
from fivefold.study.worker import Unit

ENGINES = ("joblib", "dask", "serial")


class Engine(Protocol):
    """Workers, whatever they are."""

    @property
    def workers(self) -> int:
        """How many units can be worked on at once."""

    def submit(self, units: Sequence[Unit]) -> Any:
        """Give work to a worker; a future of its outcomes."""

    def wait(self, futures: Collection[Any], seconds: float) -> set[Any]:
        """Wait until at least one future is done, but not longer than this; give those that are done."""

    def take(self, future: Any) -> list[Outcome]:
        """Give the outcomes of a future that is done.

        Raises
        ------
        WorkerDiedError
            Where a worker died over it.
        EngineError
            Where the engine cannot go on.
        """

    def recover(self, futures: Collection[Any]) -> set[Any]:
        """Make the engine usable after a worker died; give those of the futures that were lost with it."""

    def close(self) -> None:
        """End the workers, also those that are at work."""


def check_engine(name: str, n_jobs: int | None, address: str | None) -> None:
    """Refuse what `start_engine` cannot do."""
    one_of(name, ENGINES, "engine")
    if address is not None and name != "dask":
        raise InputError("an address with engine 'dask' only", f"{show(address)} with engine {name!r}")
    if n_jobs == 0:
        raise InputError("n_jobs to be a number of processes, or -1 for all cores", "0")


def start_engine(name: str, n_jobs: int | None, address: str | None, objects: Mapping[str, Any]) -> Engine:
    """Start an engine by its name.

    Parameters
    ----------
    name : {"joblib", "dask", "serial"}
        Processes of this machine by joblib's own pool (loky), a Dask cluster, or no other process at all.
    n_jobs : int or None
        How many processes; None and -1 mean one for each core, -2 one less.
    address : str or None
        The scheduler of a Dask cluster; None starts a local one.
    objects : mapping
        What the study shares with its jobs.
    """
    if name == "serial":
        from fivefold.study.engines.serial import SerialEngine

        return SerialEngine(objects)
    if name == "dask":
        from fivefold.study.engines.cluster import DaskEngine

        return DaskEngine(n_jobs, address, objects)
    from fivefold.study.engines.processes import ProcessEngine

    return ProcessEngine(n_jobs, objects)
