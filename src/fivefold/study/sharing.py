"""Objects that many jobs need, sent to each worker process once: mostly tables, by their fingerprints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fivefold.errors import InputError, show

_SHARED: dict[str, Any] = {}


def share(objects: Mapping[str, Any]) -> None:
    """Make objects known to the tasks that run in this process."""
    _SHARED.update(objects)


def shared(name: str) -> Any:
    """Give an object that the study shares with its jobs; for use inside a task.

    Parameters
    ----------
    name : str
        A name that was in ``Study(…, shared={name: object})``; the fingerprint for a table of a plan.
    """
    if not isinstance(name, str) or name not in _SHARED:
        raise InputError(
            "an object that the study shares with its jobs", show(name), "pass it in Study(…, shared=…)"
        )
    return _SHARED[name]
