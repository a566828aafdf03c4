"""The few things that are asked of Dask."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

AT_ONCE = 16


def on_each(function: Callable[..., Any], *parts: Sequence[Any], also: Sequence[Any] = ()) -> list[Any]:
    """Plan a call for each partition, with the same further arguments for all."""
    task = import_module("dask").delayed(function)
    return [task(*pieces, *also) for pieces in zip(*parts, strict=True)]


def send(value: Any) -> Any:
    """Wrap an argument of many tasks, so that it is sent once."""
    return import_module("dask").delayed(value, traverse=False)


def keep(tasks: Iterable[Any]) -> tuple[Any, ...]:
    """Run tasks and keep what they give in the memory of the workers; what a lost worker held is made again."""
    kept: tuple[Any, ...] = import_module("dask").persist(*tasks)
    return kept


def gather(tasks: Iterable[Any]) -> list[Any]:
    """Run tasks and fetch what they give."""
    return list(import_module("dask").compute(*tasks))


def add_up(tasks: Sequence[Any]) -> Any:
    """Add the arrays, or lists of arrays, that tasks give, and fetch the sum alone."""
    layer = list(tasks)
    while len(layer) > 1:
        chunks = [layer[first : first + AT_ONCE] for first in range(0, len(layer), AT_ONCE)]
        layer = on_each(_add, chunks)
    return gather(layer)[0]


def concat(several: list[Any]) -> Any:
    """Put frames or columns of pandas together; unlike pandas' own, unites the categories of columns."""
    return import_module("dask.dataframe.dispatch").concat(several, ignore_index=True)


def _add(numbers: list[Any]) -> Any:
    if isinstance(numbers[0], list):
        return [_add(list(several)) for several in zip(*numbers, strict=True)]
    return sum(numbers[1:], start=numbers[0])
