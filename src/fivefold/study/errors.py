"""What may go wrong with a study beside its input."""

from __future__ import annotations

from fivefold.errors import FivefoldError


class StoreError(FivefoldError, RuntimeError):
    """A file of results that cannot be opened, read or written."""


class EngineError(FivefoldError, RuntimeError):
    """Workers that cannot be reached or started."""


class WorkerDiedError(Exception):
    """A worker process died over its work; the run goes on without it."""
