"""Where the modules that define metrics are loaded from, for those who ask for a metric by its name.

Names load on first use, so a metric enters the registry (`fivefold.results.METRICS`) when its module is loaded.
Layers below the views must not import them: the package itself, above all of them, hands over how to load them.
"""

from __future__ import annotations

from collections.abc import Callable

_LOADERS: list[Callable[[], None]] = []


def hand_over(load: Callable[[], None]) -> None:
    """Hand over a function that imports modules with metrics."""
    _LOADERS.append(load)


def load_all() -> None:
    """Import all modules with metrics that were handed over."""
    for load in _LOADERS:  # what is loaded already costs a look-up, and another thread's import is waited for
        load()
