"""`fivefold papers`: the experiments of the five papers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fivefold.cli.console import Json, Quiet, Raw, going_on, print_json, results

if TYPE_CHECKING:
    from fivefold.papers.comparison import Outcome


app = typer.Typer(
    help="Re-run the five papers' tables and figures beside their published numbers.", no_args_is_help=True
)

Name = Annotated[str, typer.Argument(help="A paper, such as cleary1996; see `fivefold papers list`.")]
Quick = Annotated[bool, typer.Option(help="Fewer repetitions, smaller data sets: under two minutes.")]
Seed = Annotated[int, typer.Option(help="From which everything random is derived.")]
Store = Annotated[Path | None, typer.Option(help="File of results; by default NAME.study in this folder.")]
Everything = Annotated[bool, typer.Option("--all", help="Print every cell, not only those that differ.")]
Html = Annotated[Path | None, typer.Option(help="Write one page that needs nothing else.")]
Csv = Annotated[Path | None, typer.Option(help="Write every cell as CSV.")]
Markdown = Annotated[Path | None, typer.Option(help="Write a page of Markdown.")]


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
def run(
    name: Name,
    quick: Quick = False,
    seed: Seed = 0,
    store: Store = None,
    engine: Annotated[str, typer.Option(help="joblib, dask or serial.")] = "joblib",
    workers: Annotated[int | None, typer.Option(help="Processes; one for each core by default.")] = None,
    address: Annotated[str | None, typer.Option(help="Scheduler of a Dask cluster.")] = None,
    html: Html = None,
    csv: Csv = None,
    raw: Raw = False,
    markdown: Markdown = None,
    everything: Everything = False,
    json: Json = False,
    quiet: Quiet = False,
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
    _give(outcome, html, (csv, raw), markdown, everything, json)


@app.command()
def show(
    name: Name,
    quick: Annotated[
        bool | None, typer.Option(help="Which run to show; by default the quick one if it alone is complete.")
    ] = None,
    seed: Seed = 0,
    store: Store = None,
    html: Html = None,
    csv: Csv = None,
    raw: Raw = False,
    markdown: Markdown = None,
    everything: Everything = False,
    json: Json = False,
) -> None:
    """Compare what is done so far, without running anything.

    Example: fivefold papers show andersson1999
    """
    from fivefold import papers

    outcome = papers.show(name, quick=quick, random_state=seed, store=store)
    _give(outcome, html, (csv, raw), markdown, everything, json)


def _give(
    outcome: Outcome,
    html: Path | None,
    csv: tuple[Path | None, bool],
    markdown: Path | None,
    everything: bool,
    json: bool,
) -> None:
    from fivefold.report.paper_report import outcome_data, outcome_markdown, outcome_page, print_outcome
    from fivefold.results import write_csv, write_text, write_whole

    if html is not None:
        write_text(html, outcome_page(outcome))
    path, raw = csv
    if path is not None:
        write_whole(path, lambda file: file.write(write_csv(outcome.frame(), raw)))
    if markdown is not None:
        write_text(markdown, outcome_markdown(outcome))
    if json:
        print_json(outcome_data(outcome))
        return
    print_outcome(outcome, results(), everything=everything)
