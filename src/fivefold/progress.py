"""Progress: what a long call is doing, told on standard error while somebody looks.

A call that the user waits for is marked with `shows_progress`; whatever runs inside tells of its own `part`, if
anyone asks. Nothing is shown where standard error is no terminal and no notebook, in the first second, in other
threads, or in worker processes; a call inside another adds to the one display that is open.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import wraps
from typing import Any, Literal, ParamSpec, Protocol, TypeVar

from fivefold.errors import InputTypeError, show
from fivefold.plain_text import styled, visible

SWITCH = "FIVEFOLD_PROGRESS"
FIRST_SECONDS = 1.0
REFRESH_SECONDS = 0.2
BAR_WIDTH = 20
MOST_TEXTS = 2  # more than two levels flicker

T = TypeVar("T")
P = ParamSpec("P")


class Step:
    """A part of the work: what is done, and how far it is.

    With a total it is one thing done often, and reads "fit 3 of 10"; `begin` makes it several things, each with
    words of its own.
    """

    def __init__(self, what: str = "", total: int | None = None) -> None:
        self.what, self.total = what, total
        self.counted = bool(what and total)
        self.done, self.note, self._begun = 0, "", False

    def begin(self, what: str) -> None:
        """Go on to the next thing."""
        self.done += self._begun
        self.what, self.counted, self._begun = what, False, True

    def advance(self, number: int = 1, note: str = "") -> None:
        """Count what was done, and add a note to the words."""
        self.done += number
        self.note = note

    def text(self) -> str:
        """Say what is being done."""
        words = self.what
        if self.counted and self.total:
            words = f"{words} {min(self.done + 1, self.total):,} of {self.total:,}"
        return visible(f"{words}, {self.note}" if self.note else words)


def shows_progress(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function tell what it does, as its keyword ``progress`` asks for."""

    @wraps(function)
    def telling(*args: P.args, **options: P.kwargs) -> T:
        with shown(options.get("progress")):
            return function(*args, **options)

    return telling


@contextmanager
def shown(progress: Any = None) -> Iterator[None]:
    """Show progress meanwhile: None where somebody looks, True in any case, False never."""
    global _current  # noqa: PLW0603 - a process has one standard error
    if progress is not None and not isinstance(progress, bool):
        raise InputTypeError(
            "progress to be True, False or None", f"{show(progress)} ({type(progress).__name__})"
        )
    before = _current
    if before is False or (before and progress is not False) or not _in_front():
        yield
        return
    bar = None if progress is False else _bar(progress)
    _current = _Display(bar) if bar else False
    try:
        yield
    finally:
        display, _current = _current, before
        if display:
            display.close()


@contextmanager
def part(what: str = "", total: int | None = None) -> Iterator[Step]:
    """Tell of a part of the work; free where nobody looks."""
    step, display = Step(what, total), _current
    if not display or not _in_front():
        yield step
        return
    display.steps.append(step)
    try:
        yield step
    finally:
        display.steps.remove(step)


def track(items: Iterable[T], what: str, total: int) -> Iterator[T]:
    """Go through items and tell how many there have been."""
    with part(what, total) as step:
        for item in items:
            yield item
            step.advance()


def clear() -> None:
    """Take the bar away for good, from whatever thread."""
    if _current:
        _current.close()


def _in_front() -> bool:
    """Say whether this is the thread that the user waits for, and no worker of another process."""
    if threading.current_thread() is not threading.main_thread():
        return False
    processes = sys.modules.get("multiprocessing.process")
    return processes is None or processes.current_process().name == "MainProcess"


class _Bar(Protocol):
    def draw(self, text: str, share: float | None, clock: str) -> None: ...

    def close(self) -> None: ...


def _bar(progress: bool | None) -> Callable[[], _Bar] | None:
    """Choose how to show progress; None: not at all."""
    if progress is None and os.environ.get(SWITCH, "").lower() in ("0", "no", "off", "false", "never"):
        return None
    if _in_notebook():
        from importlib.util import find_spec

        return _NotebookBar if find_spec("tqdm") else None
    if progress is None and (
        sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb"
    ):
        return None
    return _TerminalBar


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__)


class _Display:
    """A thread that looks at the steps from time to time and draws them.

    It looks by itself because a step may be one long compiled call; and so telling costs no more than a number.
    """

    def __init__(self, bar: Callable[[], _Bar]) -> None:
        self.steps: list[Step] = []
        self._start = time.monotonic()
        self._first: tuple[float, float] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw, args=(bar,), name="progress", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(1.0)  # it may wait for a stream that the caller holds

    def _draw(self, bar: Callable[[], _Bar]) -> None:
        if self._ended.wait(FIRST_SECONDS):
            return
        # no result may be lost for want of a bar
        with suppress(Exception), closing(bar()) as drawn:
            while not self._ended.is_set():
                drawn.draw(*self._state())
                self._ended.wait(REFRESH_SECONDS)

    def _state(self) -> tuple[str, float | None, str]:
        steps, share = tuple(self.steps), None
        for step in reversed(steps):
            if step.total:
                share = min(1.0, (step.done + (share or 0.0)) / step.total)
        texts = [text for text in (step.text() for step in steps) if text]
        words = ", ".join(texts[:MOST_TEXTS]) or "working"
        # what is not printable could move the cursor
        plain = "".join(letter if letter.isprintable() else "?" for letter in words)
        return plain, share, self._clock(share, next((step.counted for step in steps if step.total), False))

    def _clock(self, share: float | None, alike: bool) -> str:
        """Say how long it has taken; where the parts are alike, how long the others will."""
        now = time.monotonic()
        if share is not None and alike:
            before, then = self._first = self._first or (share, now)
            if share > before:
                return f"{_minutes((now - then) * (1 - share) / (share - before))} left"
        return _minutes(now - self._start)


def _minutes(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class _TerminalBar:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        words = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        self._progress = Progress(
            TextColumn("{task.description}", markup=False, table_column=words),
            BarColumn(BAR_WIDTH),
            TextColumn("{task.fields[clock]}", markup=False, table_column=Column(no_wrap=True)),
            console=Console(file=styled(sys.stderr), force_terminal=True),
            transient=True,
            auto_refresh=False,
            expand=True,
            redirect_stdout=False,
        )
        self._task = self._progress.add_task("", total=None, clock="")

    def draw(self, text: str, share: float | None, clock: str) -> None:
        total = None if share is None else 1.0
        self._progress.update(self._task, description=text, total=total, completed=share or 0.0, clock=clock)
        self._progress.start()  # once; what it shows at first is not empty then
        self._progress.refresh()

    def close(self) -> None:
        self._progress.stop()


class _NotebookBar:
    def __init__(self) -> None:
        from importlib.util import find_spec

        if find_spec("ipywidgets"):  # without it tqdm would warn
            from tqdm.notebook import tqdm
        else:
            from tqdm.std import tqdm
        width = "100%" if find_spec("ipywidgets") else 80
        self._bar = tqdm(total=1.0, leave=False, bar_format="{desc} {bar}", ncols=width)

    def draw(self, text: str, share: float | None, clock: str) -> None:
        self._bar.n = share or 0.0
        self._bar.set_description_str(f"{text} ({clock})")

    def close(self) -> None:
        self._bar.close()


# the open display; False: nothing is shown here, whatever is called inside
_current: _Display | Literal[False] | None = None
