"""The registry of metrics: each is a plain function that carries its own description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Direction = Literal["higher is better", "lower is better", "neither"]
Reads = Literal["answers", "probabilities", "truth"]
F = TypeVar("F", bound=Callable[..., float])


@dataclass(frozen=True)
class Metric:
    """What is known of a metric without calling it.

    Parameters
    ----------
    name : str
        The function's name.
    title : str
        What a person calls it.
    unit : str
        The unit of its value.
    direction : str
        Which way is better.
    reads : {"answers", "probabilities", "truth"}
        What it needs beside the truth.
    order_free : bool
        Whether the order of the cases leaves the value unchanged.
    weighted : bool
        Whether it takes ``sample_weight``.
    two_classes_only : bool
        Whether it is defined for two classes only.
    function : callable
        The metric itself.
    """

    name: str
    title: str
    unit: str
    direction: Direction
    reads: Reads
    order_free: bool
    weighted: bool
    two_classes_only: bool
    function: Callable[..., float]


METRICS: dict[str, Metric] = {}


def metric(
    title: str,
    *,
    unit: str,
    direction: Direction,
    reads: Reads,
    order_free: bool = True,
    weighted: bool = False,
    two_classes_only: bool = False,
) -> Callable[[F], F]:
    """Enter a metric in the registry and leave the function as it is."""

    def enter(function: F) -> F:
        described: Any = function
        name = function.__name__
        METRICS[name] = described.metric = Metric(
            name, title, unit, direction, reads, order_free, weighted, two_classes_only, function
        )
        return function

    return enter
