"""`fivefold learners`: the learners by name."""

from __future__ import annotations

import typer


def learners() -> None:
    """List the learners that `fivefold report --model` can train."""
    from fivefold.learners.by_name import LEARNERS

    width = max(map(len, LEARNERS))
    for name, learner in LEARNERS.items():
        typer.echo(f"{name:<{width}}  {learner.title}")
