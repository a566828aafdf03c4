"""Ratios in one run: these numbers compare on a noisy machine, seconds do not."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any


def best_of(function: Callable[[], Any], repeats: int = 3) -> float:
    """Least seconds over some runs, after one that warms up (imports, compiled kernels, caches)."""
    function()
    return min(_seconds(function) for _ in range(repeats))


def _seconds(function: Callable[[], Any]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def interleaved(functions: dict[str, Callable[[], Any]], repeats: int = 3) -> dict[str, float]:
    """Least seconds of each, taking turns, so that a slow minute of the machine hits all alike."""
    for function in functions.values():
        function()
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(repeats):
        for name, function in functions.items():
            best[name] = min(best[name], _seconds(function))
    return best


def peak_megabytes() -> float:
    """Most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def show(title: str, seconds: dict[str, float], reference: str) -> None:
    """Print seconds and the ratio to the reference."""
    print(f"\n{title}")
    for name, taken in sorted(seconds.items(), key=lambda pair: pair[1]):
        print(f"  {name:<44} {taken:8.3f} s   {seconds[reference] / taken:6.1f} x {reference}")
