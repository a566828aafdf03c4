"""A bar on a terminal: how much is done, what failed, and how long it will still take."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[Sequence[str]], None]


@contextmanager
def bar(title: str, done: int, total: int, wanted: bool | None = None) -> Iterator[Report]:
    """Show a bar on standard error, and give what is to be called with the states of jobs that are done.

    Parameters
    ----------
    title : str
        What stands before the bar.
    done, total : int
        Jobs that are done at the beginning, and all jobs.
    wanted : bool or None
        Whether to show it; None means where standard error is a terminal.
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda states: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=Console(stderr=True, force_terminal=True), transient=True) as progress:
        shown = progress.add_task(title, total=total, completed=done, failed="")
        failed = 0

        def report(states: Sequence[str]) -> None:
            nonlocal failed
            failed += states.count("failed")
            progress.update(shown, advance=len(states), failed=f"{failed} failed" if failed else "")

        yield report
