"""`fivefold data`: the classic data sets."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from fivefold.cli.cases import complete_sets
from fivefold.cli.console import Json, Quiet, Raw, print_json, results
from fivefold.errors import InputError
from fivefold.plain_text import counted

app = typer.Typer(help="The classic data sets of the papers.", no_args_is_help=True)


@app.command("list")
def list_sets(json: Json = False) -> None:
    """List the data sets that `fivefold` knows.

    Example: fivefold data list
    """
    from fivefold.data.catalogue import describe, names

    rows = [_description(describe(code)) for code in names()]
    if json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("code", "title", "rows", "attributes", "classes", "missing cells"):
        table.add_column(column, justify="left" if column in ("code", "title") else "right")
    for row in rows:
        table.add_row(*map(str, (row | {"classes": len(row["classes"])}).values()))
    results().print(table)


Code = Annotated[
    str,
    typer.Argument(help="A data set: its code, as VO, or its name, as votes.", autocompletion=complete_sets),
]


@app.command()
def export(
    code: Code,
    file: Annotated[Path, typer.Argument(help="Output file: .csv, .tsv, .parquet, .jsonl; - prints CSV.")],
    raw: Raw = False,
    quiet: Quiet = False,
) -> None:
    """Write a data set as a file, the class last.

    Example: fivefold data export VO votes.csv
    """
    from fivefold.data.sources import load, load_text
    from fivefold.results import write_csv, write_whole

    table, text = load(code).to_polars(), load_text(code)
    match file.suffix.lower():
        case ".parquet" | ".pq":
            write_whole(file, table.write_parquet)
        case ".jsonl" | ".ndjson":
            write_whole(file, table.write_ndjson)
        case ".tsv":
            write_whole(file, lambda place: text.write_csv(place, separator="\t"))
        case ".csv":
            write_whole(file, lambda place: place.write(write_csv(text, raw)))
        case "" if str(file) == "-":
            sys.stdout.write(write_csv(text, raw).decode())
            return
        case _:
            raise InputError("a .csv, .tsv, .parquet or .jsonl file, or -", str(file))
    if not quiet:
        size = f"{counted(text.height, 'row')}, {counted(text.width, 'column')}"
        typer.echo(f"wrote {file}: {size}, the last is the class", err=True)


@app.command()
def show(code: Code, json: Json = False) -> None:
    """Describe one data set and its columns.

    Example: fivefold data show iris
    """
    from fivefold.data.catalogue import describe
    from fivefold.data.sources import load

    description = describe(code)
    table = load(code)
    facts = _description(description) | {"kinds": dict(table.kinds)}
    if json:
        print_json(facts)
        return
    lines = [
        f"{facts['code']}: {facts['title']}",
        str(table),
        f"classes: {', '.join(map(str, table.classes))}",
    ]
    lines += [f"  {name} ({kind})" for name, kind in table.kinds.items()]
    typer.echo("\n".join(lines))


def _description(description: Any) -> dict[str, Any]:
    return {
        "code": description.code,
        "title": description.title,
        "rows": description.rows,
        "attributes": description.attributes,
        "classes": dict(description.class_counts),
        "missing_cells": description.missing,
    }
