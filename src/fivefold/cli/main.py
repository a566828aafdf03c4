"""`fivefold`: the commands, and what happens to their errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from textwrap import fill
from typing import NoReturn

import typer

from fivefold.cli.console import ending_on_ctrl_c, plain_streams
from fivefold.cli.data import app as data_app
from fivefold.cli.foil import foil
from fivefold.cli.learn import learn
from fivefold.cli.papers import app as papers_app
from fivefold.cli.report import report
from fivefold.cli.slices import diff, slices
from fivefold.cli.study import app as study_app
from fivefold.errors import FivefoldError, InputError
from fivefold.plain_text import visible


def learners() -> None:
    """List the learners that `fivefold report --model` can train.

    Example: fivefold learners
    """
    from fivefold.learners.by_name import LEARNERS

    width = max(map(len, LEARNERS))
    for name, learner in LEARNERS.items():
        typer.echo(f"{name:<{width}}  {learner.title}")


app = typer.Typer(
    name="fivefold",
    help="What accuracy hides about a classifier, in plain English.",
    invoke_without_command=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(report)
app.command()(slices)
app.command()(diff)
app.command()(learn)
app.command()(learners)
app.command()(foil)
app.add_typer(data_app, name="data")
app.add_typer(papers_app, name="papers")
app.add_typer(study_app, name="study")


def _show_version(asked: bool) -> None:
    if asked:
        from fivefold import __version__

        typer.echo(f"fivefold {__version__}")
        raise typer.Exit


FIRST_STEPS = """Fivefold tells what accuracy hides about a classifier. Try:

  fivefold report votes -m c45 -m nb      train two learners and judge them
  fivefold learn votes -m c45             see the tree that one of them learned
  fivefold data export votes votes.csv    have the cases as a file of your own

With a file of predictions, a row for each case:

  fivefold report predictions.csv --target truth --prediction model

`fivefold --help` lists all commands; each has --help with an example."""


@app.callback()
def _common(
    context: typer.Context,
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and stop."
    ),
) -> None:
    """What accuracy hides about a classifier, in plain English."""
    if context.invoked_subcommand is None:
        typer.echo(FIRST_STEPS)


def program() -> None:
    """Run the command line as a process of its own, which Ctrl-C ends in silence once all is done."""
    try:
        run()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def run() -> None:
    """Run the command line.

    Input that cannot be used ends with exit code 1 and one clear sentence, Ctrl-C with 130 and one line.
    """
    with ending_on_ctrl_c(), plain_streams():
        if _memory_is_limited() and _WATCHED not in os.environ:
            _watch()
        _run()


def _memory_is_limited() -> bool:
    try:
        import resource
    except ImportError:  # another system
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _watch() -> NoReturn:
    """Run the command in a process of its own: polars ends the one that may have no more memory."""
    # threads that cannot be started for want of memory would leave polars waiting for them
    environment = {"POLARS_MAX_THREADS": "1"} | os.environ | {_WATCHED: "1", "RUST_BACKTRACE": "0"}
    ended = subprocess.run([sys.executable, "-Pm", "fivefold", *sys.argv[1:]], env=environment, check=False)
    if ended.returncode in (-signal.SIGABRT, -signal.SIGKILL):
        _fail(InputError("work that fits into the memory", "too little of it", _LESS))
    sys.exit(ended.returncode)


def _run() -> None:
    try:
        try:
            app(prog_name="fivefold")
        finally:
            if sys.stdout is not None:  # it is None where the shell closed it
                sys.stdout.flush()
    except FivefoldError as problem:
        _fail(problem)
    except BrokenPipeError:
        # The reader, such as `head`, has what it wants; what is still in the buffer must go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        got = reason if problem.filename is None else f"{str(problem.filename)!r} ({reason})"
        _fail(InputError("files that can be read and written", got, "check the path and its permissions"))
    except MemoryError:
        _fail(InputError("work that fits into the memory", "too little of it", _LESS))
    except Exception:
        traceback.print_exc()  # here, while nothing in it can steer the terminal
        sys.exit(1)


_WATCHED = "FIVEFOLD_WATCHED"
_LESS = "take fewer rows, columns or models at once, or a machine with more memory"


def _fail(problem: FivefoldError) -> NoReturn:
    message = " ".join([f"fivefold: {problem}", *map(visible, getattr(problem, "__notes__", ()))])
    # in a file a message stays on one line, to be found by it
    if sys.stderr is not None and sys.stderr.isatty():
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdigit() else os.get_terminal_size(sys.stderr.fileno()).columns
        message = fill(message, width or 80, break_long_words=False, break_on_hyphens=False)
    typer.echo(message, err=True)
    sys.exit(problem.exit_code)
