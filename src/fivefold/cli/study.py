"""`fivefold study`: comparisons that survive the death of the process."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fivefold.cli.console import Json, Quiet, Raw, going_on, print_json
from fivefold.plain_text import counted

if TYPE_CHECKING:
    from fivefold.study.results import Means, Shelf, Status


HELP_STORE = "File of results; by default the plan's name with the ending .study."
HELP_STUDY = "Which study, where the file has several; by default the one that was run last."
HELP_ADDRESS = "With --engine dask: the scheduler, such as tcp://host:8786; else a cluster on this machine."

app = typer.Typer(
    help="Compare learners on data sets, in runs that can be resumed.",
    no_args_is_help=True,
)

Place = Annotated[Path, typer.Argument(metavar="PLAN", help="The plan (TOML), or its file of results.")]
Store = Annotated[Path | None, typer.Option(metavar="FILE", help=HELP_STORE)]
Name = Annotated[str | None, typer.Option("--study", metavar="NAME", help=HELP_STUDY)]


@app.command()
def run(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan, a TOML file.")],
    store: Store = None,
    engine: Annotated[str, typer.Option(metavar="NAME", help="joblib, dask or serial.")] = "joblib",
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="NUMBER", help="Processes; -1: all cores.")
    ] = -1,
    address: Annotated[str | None, typer.Option(metavar="ADDRESS", help=HELP_ADDRESS)] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Try failed jobs again.")] = False,
    recompute: Annotated[
        str | None, typer.Option(metavar="stale", help="Redo results of other versions of the libraries.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run what has no result yet; stop and restart it at will.

    Results go into one file as they finish. After Ctrl-C, kill -9 or a power cut, running again goes on where it
    was; several processes may run the same plan at once and share the work.

    Example: fivefold study run plan.toml
    """
    from fivefold.study.plan import read_plan

    study = read_plan(plan).study(store or plan.with_suffix(".study"))
    with going_on(f"What is finished is kept in {study.path}; run it again to go on."):
        status = study.run(
            engine=engine,
            n_jobs=jobs,
            address=address,
            retry_failed=retry_failed,
            recompute=recompute,
            progress=False if quiet else None,
        )
    _tell(status, study.failures(), json)
    if not status.complete:
        raise typer.Exit(1)


@app.command()
def status(
    plan: Place,
    store: Store = None,
    study: Name = None,
    errors: Annotated[
        bool, typer.Option("--errors", help="Also print the traceback of each failure.")
    ] = False,
    json: Json = False,
) -> None:
    """Say how many jobs are done, and how long the rest will take.

    Example: fivefold study status plan.toml
    """
    shelf = _shelf(plan, store, study)
    failures = shelf.failures()
    _tell(shelf.status(), failures, json)
    if errors and not json:
        for record in failures:
            typer.echo(f"\n{_called(record)}\n{record.traceback}")


@app.command()
def show(
    plan: Place,
    view: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A view; by default all.")] = None,
    number: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A number of the view; by default all.")
    ] = None,
    store: Store = None,
    study: Name = None,
    json: Json = False,
) -> None:
    """Print mean ± standard deviation for each data set and learner.

    Example: fivefold study show plan.toml --view bits
    """
    shelf = _shelf(plan, store, study)
    known = list(dict.fromkeys(record.labels.get("view") for record in shelf.records()))
    tables = [shelf.means(None if name is None else str(name)) for name in view or known]
    if number:
        tables = [table.only(number) for table in tables]
    if json:
        _print_json({"study": shelf.name, "views": [_as_dict(table) for table in tables]})
        return
    texts = [table.text() for table in tables]
    for place, (table, text) in enumerate(zip(tables, texts, strict=True)):
        if table.view is not None:
            typer.echo(("\n" if place else "") + table.view)
        typer.echo(text)
    if any("±" in text for text in texts):
        typer.echo("\n±: standard deviation over the splits")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file of results.")], json: Json = False
) -> None:
    """Verify stored results by their checksums; exit code 1 if damaged.

    `fivefold study run` does damaged results anew and keeps the rest.

    Example: fivefold study check plan.study
    """
    from fivefold.study.results import check_results

    checked = check_results(file)
    if json:
        damaged = [{"labels": dict(record.labels), "key": record.key} for record in checked.damaged]
        _print_json(asdict(checked) | {"damaged": damaged, "sound": checked.sound})
    else:
        typer.echo(str(checked))
    if not checked.sound:
        raise typer.Exit(1)


@app.command()
def export(
    plan: Place,
    output: Annotated[
        Path, typer.Argument(metavar="FILE", help="File that ends in .csv, .json or .parquet.")
    ],
    view: Annotated[str | None, typer.Option(metavar="NAME", help="Only this view.")] = None,
    timings: Annotated[bool, typer.Option("--timings", help="Add the seconds that each job took.")] = False,
    raw: Raw = False,
    store: Store = None,
    study: Name = None,
) -> None:
    """Write every result into a file, a row for each job.

    Example: fivefold study export plan.toml results.csv
    """
    labels: dict[str, str | int] = {} if view is None else {"view": view}
    _shelf(plan, store, study).export(output, timings=timings, raw=raw, **labels)
    typer.echo(f"wrote {output}", err=True)


def _shelf(plan: Path, store: Path | None, study: str | None) -> Shelf:
    from fivefold.study.results import Shelf

    if store is None:
        store = plan.with_suffix(".study") if plan.suffix.lower() == ".toml" else plan
    return Shelf(store, study)


def _tell(status: Status, failures: Any, json: bool) -> None:
    if json:
        counts = asdict(status) | {"open": status.open}
        _print_json(counts | {"failures": [_failure(record) for record in failures]})
        return
    from fivefold.study.results import say_seconds

    running = f" ({status.running} of them running)" if status.running else ""
    typer.echo(f"{status}{running}")
    if status.damaged:
        typer.echo(f"damaged, which a run does anew: {status.damaged:,} of the open ones")
    if status.stale:
        typer.echo(f"by other versions of the libraries, which --recompute stale does anew: {status.stale:,}")
    if status.open and status.seconds_left is not None:
        workers = max(1, status.workers)
        left = say_seconds(status.seconds_left / workers)
        typer.echo(f"about {left} left for {counted(workers, 'process')}")
    for error, count in Counter(record.error for record in failures).most_common(5):
        example = next(record for record in failures if record.error == error)
        typer.echo(f"failed {count} x, such as {_called(example)}: {error}")


def _called(record: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in record.labels.items())


def _failure(record: Any) -> dict[str, Any]:
    return {
        "labels": dict(record.labels),
        "key": record.key,
        "error": record.error,
        "traceback": record.traceback,
    }


def _as_dict(table: Means) -> dict[str, Any]:
    return {
        "view": table.view,
        "rows": [
            {
                **dict(zip(table.labels, labels, strict=True)),
                "finished": done,
                "jobs": total,
                "numbers": {name: asdict(means[name]) for name in table.numbers},
            }
            for labels, means, (done, total) in table.rows
        ],
    }


def _print_json(value: object) -> None:
    from fivefold.results import plain

    print_json(plain(value))
