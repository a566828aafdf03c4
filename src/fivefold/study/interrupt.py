"""Ctrl-C while other processes work: noticed between two steps, so that no step is left half done."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupt:
    """Holds Ctrl-C back until `check` is called; a second Ctrl-C is not held back.

    Parameters
    ----------
    at_once : bool
        Hold nothing back: for work in this process itself, which may take hours.
    """

    def __init__(self, at_once: bool) -> None:
        self._asked = False
        # signals can only be handled in the main thread
        self._holds = not at_once and threading.current_thread() is threading.main_thread()
        self._before: Any = None

    def __enter__(self) -> Self:
        if self._holds:
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._holds:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

    def check(self) -> None:
        """Stop here if Ctrl-C was pressed."""
        if self._asked:
            raise KeyboardInterrupt
