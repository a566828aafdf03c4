"""`fivefold`: the commands, and what happens to their errors."""

from __future__ import annotations

import sys

import typer

from fivefold.cli.data import app as data_app
from fivefold.cli.learners import learners
from fivefold.cli.report import report
from fivefold.errors import FivefoldError

app = typer.Typer(
    name="fivefold",
    help="What accuracy hides about a classifier, in plain English.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(report)
app.command()(learners)
app.add_typer(data_app, name="data")


def _show_version(asked: bool) -> None:
    if asked:
        from fivefold import __version__

        typer.echo(f"fivefold {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and stop."
    ),
) -> None:
    """What accuracy hides about a classifier, in plain English."""


def run() -> None:
    """Run the command line; input that cannot be used ends with exit code 1 and one clear sentence."""
    try:
        app()
    except (FivefoldError, OSError) as problem:
        typer.echo(f"fivefold: {problem}", err=True)
        sys.exit(1)
