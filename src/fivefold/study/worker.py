"""What a worker process does: call tasks one after the other and say what became of each."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from fivefold.errors import InputTypeError, show
from fivefold.study.codec import Json, decode, encode
from fivefold.study.job import TaskFunction
from fivefold.study.sharing import share
from fivefold.study.store import Outcome

BUDGET_SECONDS = 0.1
_MOST_WARNINGS = 20

# The process that this one works for; empty where it works for itself or for Dask.
_PARENT: list[int] = []


@dataclass(frozen=True)
class Order:
    """A job as it is sent to a worker."""

    key: str
    function: TaskFunction
    params: Json
    seed: int


Unit: TypeAlias = tuple[Order, ...]


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
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        try:
            params = decode(order.params, estimators=True)
            value = _written(order.function(params, order.seed))
        except Exception as problem:
            error, trace = f"{type(problem).__name__}: {problem}", traceback.format_exc()
    said = tuple(dict.fromkeys(f"{each.category.__name__}: {each.message}" for each in heard))
    return Outcome(order.key, value, error, trace, time.perf_counter() - start, said[:_MOST_WARNINGS])


def _written(result: Any) -> str:
    if not isinstance(result, Mapping):
        raise InputTypeError(
            "a task to give a mapping of names to values", f"{show(result)} ({type(result).__name__})"
        )
    encoded = encode(result, "the result")
    decode(encoded)  # fails here, and not when it is read, where it holds more than plain values
    return json.dumps(encoded)


def prepare(objects: Mapping[str, Any], parent: int) -> None:
    """Make a process of our own ready: it knows the shared objects, and its parent alone hears Ctrl-C.

    Parameters
    ----------
    objects : mapping
        The objects that the study shares.
    parent : int
        The number of the process that it works for and with which it ends, even if that is killed.
    """
    share(objects)
    _PARENT.append(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _watch_parent() -> None:
    while True:
        _end_if_orphaned()
        time.sleep(0.2)


def _end_if_orphaned() -> None:
    if _PARENT and os.getppid() != _PARENT[-1]:
        os._exit(1)
