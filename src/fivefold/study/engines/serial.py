"""The engine without other processes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from fivefold.study.sharing import share
from fivefold.study.store import Outcome
from fivefold.study.worker import Unit, work


class SerialEngine:
    """Works in this process, when work is submitted."""

    workers = 1

    def __init__(self, objects: Mapping[str, Any]) -> None:
        share(objects)

    def submit(self, units: Sequence[Unit]) -> Future[list[Outcome]]:
        """Do the work at once."""
        future: Future[list[Outcome]] = Future()
        future.set_result(work(units))
        return future

    def wait(self, futures: Collection[Future[list[Outcome]]], seconds: float) -> set[Any]:
        """Give all futures: they are done."""
        return set(futures)

    def take(self, future: Future[list[Outcome]]) -> list[Outcome]:
        """Give the outcomes."""
        return future.result()

    def recover(self, futures: Collection[Any]) -> set[Any]:
        """There is nothing to recover from."""
        return set()

    def close(self) -> None:
        """There is nothing to end."""
