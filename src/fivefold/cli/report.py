"""`fivefold report`: judge models by what they said about known cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.errors import InputError

if TYPE_CHECKING:
    from fivefold.predictions import Predictions

HELP_PREDICTION = (
    "Column of a model's answers: a class, several as 'cat|dog', or empty. MODEL=COLUMN renames it."
)
HELP_PREFIX = (
    "Probability columns PREFIX + class, as MODEL=PREFIX. '{}' in a bare PREFIX stands for each model's name."
)
HELP_PROBABILITY = (
    "Column of the probability of the second of two classes (in sorted order), as MODEL=COLUMN."
)


HELP_MODEL = "Learner to train on a part of the cases and judge on the rest; `fivefold learners` lists them."


def report(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="CSV, Parquet or ARFF file, a row for each case.")
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
    model: Annotated[list[str] | None, typer.Option("--model", "-m", metavar="NAME", help=HELP_MODEL)] = None,
    test_share: Annotated[
        float, typer.Option(metavar="SHARE", help="With --model: share of the cases to judge on.")
    ] = 1 / 3,
    nominal: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="With --model: a column of numbers that are names."),
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="With --model: a cell that means missing, beside the empty one."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the report as one HTML page.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")] = False,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Seed of everything random.", min=0)] = 0,
) -> None:
    """Judge models by what they said about known cases.

    Reads a table of predictions (no model is needed), or trains learners by name on a part of a table of cases.
    Says, in bits and bets, what each model has learned and what its probabilities are worth.

    Example: fivefold report predictions.csv --target y --prediction a --prediction b --html report.html

    Example: fivefold report cases.csv --target y --model 1r --model c45 --model nb
    """
    from fivefold.evaluate import evaluate_models
    from fivefold.report.summary import summarise, to_json

    _check_together(
        bool(model),
        {
            "--prediction": prediction,
            "--probability": probability,
            "--probability-prefix": probability_prefix,
        },
        {"--class": class_, "--nominal": nominal, "--missing": missing},
    )
    source = file.name
    if model:
        said, n_trained = _train(file, target, model, test_share, nominal or [], missing or [], seed)
        source = f"{source} (trained on {n_trained:,} other case{'s' if n_trained > 1 else ''})"
    else:
        said = _read(file, target, prediction or [], probability_prefix or [], probability or [], class_)
    found = evaluate_models(said, seed)
    summary = summarise(found, source=source, target=target)
    if json:
        sys.stdout.write(to_json(summary) + "\n")
    else:
        _print(summary)
    if html is not None:
        from fivefold.report.page import render_page, write_page

        write_page(html, render_page(found, source=source, target=target))
        typer.echo(f"wrote {html}", err=True)


def _check_together(trained: bool, columns: dict[str, Any], others: dict[str, Any]) -> None:
    """Refuse options that would have no effect beside the others."""
    if trained and any(columns.values()):
        raise typer.BadParameter(
            "give columns of predictions or learners to train, not both", param_hint="--model"
        )
    if trained and others["--class"]:
        raise typer.BadParameter("with --model, the classes are those of the file", param_hint="--class")
    for name in ("--nominal", "--missing"):
        if others[name] and not trained:
            raise typer.BadParameter("it is for learners to train; add --model", param_hint=name)


def _read(
    file: Path,
    target: str,
    prediction: list[str],
    prefixes: list[str],
    single: list[str],
    classes: list[str] | None,
) -> list[Predictions]:
    from fivefold.cli.roles import read_roles
    from fivefold.data.read import read_frame
    from fivefold.predictions import predictions_from_table

    frame = read_frame(file, as_text=True)
    said, stated = read_roles(prediction, prefixes, single, frame.columns)
    return predictions_from_table(
        frame, target=target, predictions=said, probabilities=stated, classes=classes
    )


def _train(
    file: Path, target: str, names: list[str], share: float, nominal: list[str], missing: list[str], seed: int
) -> tuple[list[Predictions], int]:
    """Train learners; give what they said about the cases held out, and the number of the others."""
    from fivefold.data import read
    from fivefold.evaluate.training import hold_out
    from fivefold.learners.by_name import make_learner

    learners = {name: make_learner(name) for name in names}
    if len(learners) < len(names):
        raise InputError("each learner once", f"--model {' --model '.join(names)}")
    table = read(file, target=target, kinds=dict.fromkeys(nominal, "nominal"), missing=("", *missing))
    told = sys.stderr.isatty()

    def progress(name: str) -> None:
        if told:
            typer.echo(f"training {name} …", err=True)

    said = hold_out(learners, table, test_share=share, random_state=seed, progress=progress)
    return said, len(table.y) - said[0].n_cases


def _print(summary: dict[str, object]) -> None:
    from rich.console import Console

    from fivefold.report.terminal import print_report

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=80)
    print_report(summary, console)
