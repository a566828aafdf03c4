"""What all commands share: where they print, how they are kept quiet, and what Ctrl-C does."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from functools import partial, wraps
from inspect import Parameter, signature
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO, cast, get_type_hints

import typer

from fivefold import progress
from fivefold.errors import InputError, show
from fivefold.plain_text import PlainStream, plain_json, styled, visible

if TYPE_CHECKING:
    from rich.console import Console

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors, no progress.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")]

HELP_RAW = "In CSV, leave texts as they are that a spreadsheet would run, as =1+1; else ' stands before them."
Raw = Annotated[bool, typer.Option("--raw", help=HELP_RAW)]


def writable(path: Path | None) -> Path | None:
    """Refuse, before any work, a place where no file can be written."""
    if path is not None and (str(path) == "-" or path.is_dir() or not path.resolve().parent.is_dir()):
        hint = "name a file" if str(path) == "-" or path.is_dir() else "make the folder first"
        raise InputError("a file in a folder that exists", show(str(path)), hint)
    return path


INTERRUPTED = 130  # 128 + SIGINT, as shells count
GRACE_SECONDS, PATIENCE_SECONDS = 0.6, 5.0
MASKS = hasattr(signal, "pthread_sigmask")  # not on Windows
_SILENT_TRACKER = "ignore:resource_tracker:UserWarning"
_how_to_go_on: list[str] = []


def takes(options: type, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a dataclass as options, after its own; it gets them together, as `name`."""
    kinds = get_type_hints(options, include_extras=True)
    added = [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=kinds[field.name])
        for field in fields(options)
    ]

    def extend(command: Callable[..., None]) -> Callable[..., None]:
        whole = signature(command, eval_str=True)
        own = [parameter for parameter in whole.parameters.values() if parameter.name != name]

        @wraps(command)
        def run(**given: Any) -> None:
            together = options(**{parameter.name: given.pop(parameter.name) for parameter in added})
            command(**given, **{name: together})

        run.__signature__ = whole.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
        run.__annotations__ = {}
        return run

    return extend


def results() -> Console:
    """Give the console for results: as wide as the terminal, or 80 columns; its styles are all ours."""
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
    from rich.segment import Segment

    class Visible(RenderHook):
        def __init__(self, shown: ConsoleRenderable | None = None) -> None:
            self.shown = shown

        def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
            return [Visible(shown) for shown in renderables]

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for text, style, control in console.render(self.shown or "", options):
                yield Segment(text if control else visible(text), style, control)

    console = Console(highlight=False, file=styled(sys.stdout))
    if not console.is_terminal:
        console = Console(highlight=False, file=styled(sys.stdout), width=80)
    console.push_render_hook(Visible())
    return console


def print_json(value: object) -> None:
    """Print for programs: what a terminal would obey is escaped, as JSON does it."""
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    sys.stdout.write(plain_json(text, getattr(sys.stdout, "encoding", None)) + "\n")


@contextmanager
def plain_streams() -> Iterator[None]:
    """Let all that is written meanwhile, by whomever, pass the one function that makes it harmless."""
    before = sys.stdout, sys.stderr  # None where the shell closed it
    sys.stdout, sys.stderr = (cast("TextIO", stream and PlainStream(stream)) for stream in before)
    usual, warnings.formatwarning = warnings.formatwarning, _format_warning
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
        warnings.formatwarning = usual


def _format_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """Write what is said on purpose as a sentence, and other warnings with their place in the code."""
    if issubclass(category, UserWarning):
        return f"fivefold: {message}\n"
    return f"{filename}:{lineno}: {category.__name__}: {message}\n"


@contextmanager
def going_on(hint: str) -> Iterator[None]:
    """Say what an interruption meanwhile leaves behind."""
    _how_to_go_on.append(hint)
    try:
        yield
    finally:
        if not isinstance(sys.exception(), KeyboardInterrupt):  # which is told of when all is unwound
            _how_to_go_on.remove(hint)


@contextmanager
def ending_on_ctrl_c() -> Iterator[None]:
    """End soon after Ctrl-C, with one line, whatever runs.

    The main thread may be inside of a compiled call, which ends when it ends, so another thread listens. It says
    the line at once, and nobody after it anything. The main thread unwinds as from any KeyboardInterrupt; then, or
    if that takes too long, the process ends with its workers, without the leisure of an ordinary exit.
    """
    in_front = threading.current_thread() is threading.main_thread()
    # a shell that starts us in the background has it ignored
    if not in_front or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    heard, shown = threading.Event(), threading.Event()
    restore: Callable[[], None] | None = None
    try:
        restore = _listen(partial(_interrupt, heard, shown), shown)
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is done has nothing left to interrupt
        if heard.is_set() or shown.is_set():
            if not shown.wait(PATIENCE_SECONDS):  # where others take all processors, the thread comes late
                _tell()
            _end()
        if restore is not None:
            restore()


def _interrupt(heard: threading.Event, shown: threading.Event, number: int, frame: FrameType | None) -> None:
    if not heard.is_set():  # a second one could only disturb the end
        heard.set()
        shown.wait(GRACE_SECONDS)  # so that nothing is said before the line
        raise KeyboardInterrupt


def _listen(interrupt: Callable[[int, FrameType | None], None], shown: threading.Event) -> Callable[[], None]:
    reader, writer = os.pipe()
    if MASKS:
        os.set_blocking(writer, False)
        # Worker processes inherit this: Ctrl-C is for this process alone, or each would tell of it.
        before_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        before_wake = signal.signal(signal.SIGURG, lambda number, frame: None)
    before_fd = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, interrupt)
    threading.Thread(target=_watch, args=(reader, shown), name="ctrl-c", daemon=True).start()
    filters = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (filters, _SILENT_TRACKER)))

    def restore() -> None:
        signal.set_wakeup_fd(before_fd)
        if MASKS:
            signal.signal(signal.SIGURG, before_wake)
            signal.pthread_sigmask(signal.SIG_SETMASK, before_mask)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.close(writer)
        if filters is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = filters

    return restore


def _watch(reader: int, shown: threading.Event) -> None:
    if MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    while signal.SIGINT not in (numbers := os.read(reader, 64)):
        if not numbers:
            os.close(reader)
            return
    try:
        _tell()
        shown.set()
        if MASKS:  # wakes the main thread where it waits for something
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGURG)
        time.sleep(GRACE_SECONDS)
    finally:
        _end()


def _tell() -> None:
    """Say the line, and let nothing be said after it."""
    progress.clear()
    # over the ^C of the terminal
    start = "\r" if sys.stderr is not None and sys.stderr.isatty() else ""
    with suppress(OSError):
        text = visible(" ".join(["Interrupted.", *_how_to_go_on]))
        os.write(2, f"{start}{text}\n".encode())
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _end() -> NoReturn:
    try:
        processes = sys.modules.get("multiprocessing")
        for worker in processes.active_children() if processes else ():
            worker.kill()
    finally:
        os._exit(INTERRUPTED)
