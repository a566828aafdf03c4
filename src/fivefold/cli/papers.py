"""`fivefold papers`: the experiments of the five papers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivefold.cli.console import Json, Quiet, Raw, going_on, print_json, results, takes, writable

if TYPE_CHECKING:
    from fivefold.papers.comparison import Outcome


app = typer.Typer(help="Re-run the five papers, beside their published numbers.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A paper, such as cleary1996; see `fivefold papers list`.")]
Quick = Annotated[bool, typer.Option(help="Fewer repetitions, smaller data sets: under two minutes.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
Store = Annotated[Path | None, typer.Option(help="File of results; by default NAME.study in this folder.")]


@dataclass(frozen=True)
class Shown:
    """What of an outcome is printed and written."""

    html: Annotated[Path | None, typer.Option(help="Write one HTML page.", callback=writable)] = None
    csv: Annotated[Path | None, typer.Option(help="Write every cell as CSV.", callback=writable)] = None
    raw: Raw = False
    markdown: Annotated[Path | None, typer.Option(help="Write a Markdown page.", callback=writable)] = None
    everything: Annotated[
        bool, typer.Option("--all", help="Print every cell, not only those that differ.")
    ] = False
    json: Json = False


@app.command("list")
def list_papers(json: Json = False) -> None:
    """List the papers.

    Example: fivefold papers list
    """
    from fivefold.papers.registry import NAMES, paper

    rows = [{"name": n, "citation": paper(n).citation, "contents": paper(n).contents} for n in NAMES]
    if json:
        print_json(rows)
        return
    for row in rows:
        typer.echo(f"{row['name']}: {row['contents']}")


@app.command()
@takes(Shown, "shown")
def run(
    name: Name,
    quick: Quick = False,
    seed: Seed = 0,
    store: Store = None,
    engine: Annotated[str, typer.Option(help="joblib, dask or serial.")] = "joblib",
    workers: Annotated[int | None, typer.Option(help="Processes; one for each core by default.")] = None,
    address: Annotated[str | None, typer.Option(help="Scheduler of a Dask cluster.")] = None,
    quiet: Quiet = False,
    *,
    shown: Shown,
) -> None:
    """Run what is not yet done, and compare it with the published numbers.

    Example: fivefold papers run andersson1999 --quick
    """
    from fivefold import papers

    with going_on(f"What is finished is kept in {store or f'{name}.study'}; run it again to go on."):
        outcome = papers.run(
            name,
            quick=quick,
            random_state=seed,
            store=store,
            engine=engine,
            n_jobs=workers,
            address=address,
            progress=False if quiet else None,
        )
    _give(outcome, shown)


@app.command()
@takes(Shown, "shown")
def show(
    name: Name,
    quick: Annotated[
        bool | None, typer.Option(help="Which run to show; by default the quick one if it alone is complete.")
    ] = None,
    seed: Seed = 0,
    store: Store = None,
    *,
    shown: Shown,
) -> None:
    """Compare what is done so far, without running anything.

    Example: fivefold papers show andersson1999
    """
    from fivefold import papers

    outcome = papers.show(name, quick=quick, random_state=seed, store=store)
    _give(outcome, shown)


def _give(outcome: Outcome, shown: Shown) -> None:
    from fivefold.report.paper_report import outcome_data, outcome_markdown, outcome_page, print_outcome
    from fivefold.results import write_csv, write_text, write_whole

    if shown.html is not None:
        write_text(shown.html, outcome_page(outcome))
    if shown.csv is not None:
        write_whole(shown.csv, lambda file: file.write(write_csv(outcome.frame(), shown.raw)))
    if shown.markdown is not None:
        write_text(shown.markdown, outcome_markdown(outcome))
    if shown.json:
        print_json(outcome_data(outcome))
        return
    print_outcome(outcome, results(), everything=shown.everything)
