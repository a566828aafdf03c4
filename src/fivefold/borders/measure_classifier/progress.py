"""A bar for long climbs, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def climbing_bar(total: int, wanted: bool) -> Iterator[Callable[[int, float], None]]:
    """Show how many proposals have been tried, and the measure reached; nothing unless stderr is a terminal."""
    if not (wanted and sys.stderr.isatty()):
        yield lambda done, value: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("proposals"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("measure {task.fields[value]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total, value="")
        yield lambda done, value: bar.update(task, completed=done, value=f"{value:.4f}")
