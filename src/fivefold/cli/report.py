"""`fivefold report`: judge models by what they said about known cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

HELP_PREDICTION = (
    "Column of a model's answers: a class, several as 'cat|dog', or empty. MODEL=COLUMN renames it."
)
HELP_PREFIX = (
    "Probability columns PREFIX + class, as MODEL=PREFIX. '{}' in a bare PREFIX stands for each model's name."
)
HELP_PROBABILITY = (
    "Column of the probability of the second of two classes (in sorted order), as MODEL=COLUMN."
)


def report(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV or Parquet file with one row for each case.")
    ],
    target: Annotated[
        str, typer.Option("--target", "-t", metavar="COLUMN", help="Column of the true class.")
    ],
    prediction: Annotated[
        list[str] | None, typer.Option("--prediction", "-p", metavar="COLUMN", help=HELP_PREDICTION)
    ] = None,
    probability_prefix: Annotated[list[str] | None, typer.Option(metavar="PREFIX", help=HELP_PREFIX)] = None,
    probability: Annotated[list[str] | None, typer.Option(metavar="COLUMN", help=HELP_PROBABILITY)] = None,
    class_: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="LABEL", help="A class of the problem; name all or none."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the report as one HTML page.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")] = False,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of everything random.", min=0)] = 0,
) -> None:
    """Judge models by what they said about known cases.

    Reads a table of predictions (no model is needed) and says, in bits and bets, what each model has learned
    and what its probabilities are worth.

    Example: fivefold report predictions.csv --target y --prediction a --prediction b --html report.html
    """
    from fivefold.cli.roles import read_roles
    from fivefold.data.read import read_frame
    from fivefold.evaluate import evaluate_predictions
    from fivefold.report.summary import summarise, to_json

    frame = read_frame(file, as_text=True)
    said, stated = read_roles(prediction or [], probability_prefix or [], probability or [], frame.columns)
    found = evaluate_predictions(
        frame, target=target, predictions=said, probabilities=stated, classes=class_, random_state=seed
    )
    summary = summarise(found, source=file.name, target=target)
    if json:
        sys.stdout.write(to_json(summary) + "\n")
    else:
        _print(summary)
    if html is not None:
        from fivefold.report.page import render_page, write_page

        write_page(html, render_page(found, source=file.name, target=target))
        typer.echo(f"wrote {html}", err=True)


def _print(summary: dict[str, object]) -> None:
    from rich.console import Console

    from fivefold.report.terminal import print_report

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=80)
    print_report(summary, console)
