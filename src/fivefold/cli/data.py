"""`fivefold data`: the classic data sets."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from fivefold.cli.console import print_json, results

app = typer.Typer(help="The classic data sets of the papers.", no_args_is_help=True)


@app.command("list")
def list_sets(
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")] = False,
) -> None:
    """List the data sets that `fivefold` knows."""
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
        cells = (
            row["code"],
            row["title"],
            row["rows"],
            row["attributes"],
            len(row["classes"]),
            row["missing_cells"],
        )
        table.add_row(*map(str, cells))
    results().print(table)


@app.command()
def show(
    code: Annotated[str, typer.Argument(help="Code of a data set, such as VO.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text.")] = False,
) -> None:
    """Describe one data set and its columns."""
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
