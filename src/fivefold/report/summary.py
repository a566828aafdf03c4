"""An evaluation as a plain dictionary, and its declared numbers as tables: what JSON, page and terminal show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fivefold.report.formats import ABSENT, p_value, write
from fivefold.results import Number, numbers_of_view, plain

Summary = Mapping[str, Any]


def summarise(evaluation: Any, *, source: str = "", target: str = "") -> dict[str, Any]:
    """Turn an evaluation into plain numbers, texts, lists and dictionaries.

    Numbers that JSON cannot write become texts ("-Infinity", "Infinity") or None (not a number).

    Parameters
    ----------
    evaluation : Evaluation
        What was found.
    source : str
        Where the predictions came from, if the evaluation does not say.
    target : str
        Name of the true class's column, if the evaluation does not say.
    """
    summary: dict[str, Any] = plain(evaluation)
    given = {"source": source, "target": target}
    return summary | {key: text for key, text in given.items() if text}


def summarise_first_screen(evaluation: Any) -> dict[str, Any]:
    """Turn what a first screen shows into plain values, without all that is known of each model."""
    classes = evaluation.class_names
    shown = {"source": evaluation.source, "n_cases": evaluation.n_cases, "classes": classes}
    return {**shown, "scorecard": plain(evaluation.scorecard)}


def cut_to_best(summary: Summary, most: int) -> dict[str, Any]:
    """Leave the most accurate models of very many, and the best of each view; a note says so.

    What was said of the others goes too, but for sentences about more than two models.
    """
    models = summary["models"]
    if len(models) <= most:
        return dict(summary)
    accurate = sorted(models, key=lambda model: -model["bits"]["accuracy"])[:most]
    best = {ranking["standings"][0]["model"] for ranking in summary["rankings"]}
    kept = {model["name"] for model in accurate} | best
    note = (
        f"Of {len(models):,} models, the {most:,} most accurate and the best of each view are shown here; "
        "the JSON holds all."
    )
    card = summary["scorecard"]
    rankings = [
        {**ranking, "standings": [row for row in ranking["standings"] if row["model"] in kept]}
        for ranking in summary["rankings"]
    ]
    return {
        **summary,
        "models": [model for model in models if model["name"] in kept],
        "scorecard": {
            **card,
            "rows": [row for row in card["rows"] if row["baseline"] or row["name"] in kept],
            "disagreements": [said for said in card["disagreements"] if kept.issuperset(said["models"])],
        },
        "comparisons": [pair for pair in summary["comparisons"] if {pair["better"], pair["worse"]} <= kept],
        "findings": [said for said in summary["findings"] if _is_about(said["models"], kept)],
        "rankings": rankings,
        "notes": [note, *summary["notes"]],
    }


def _is_about(models: Sequence[str], kept: set[str]) -> bool:
    return len(models) > 2 or kept.issuperset(models)


def to_json(summary: Summary) -> str:
    """Write a summary as JSON."""
    return json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class Cell:
    """A value of a table: to sort by, to read, and what stands below it in small print."""

    value: Any
    text: str
    below: str


@dataclass(frozen=True)
class NumberTable:
    """Declared numbers of one view: a column for each number, a row for each model that was judged."""

    columns: list[Number]
    notes: list[str]
    rows: Mapping[str, list[Cell]]


def tabulate(models: Sequence[Summary], view: str, table: str) -> NumberTable:
    """Put the numbers of a view that stand in a table side by side.

    Parameters
    ----------
    models : sequence of mapping
        Models of a summary.
    view : str
        The view; models that it has not judged are left out.
    table : {"terminal", "page", "evidence"}
        Which table; each number says in which it stands.
    """
    judged = {model["name"]: model[view] for model in models if model[view]}
    numbers = numbers_of_view(view) if judged else ()
    columns = [
        number
        for number in numbers
        if table in number.tables and any(_value(values, number) is not None for values in judged.values())
    ]
    below = [
        [number for number in numbers if number.name in column.below and number not in columns]
        for column in columns
    ]
    notes = [_note(column, small) for column, small in zip(columns, below, strict=True)]
    rows = {
        name: [_cell(values, column, small) for column, small in zip(columns, below, strict=True)]
        for name, values in judged.items()
    }
    return NumberTable(columns, notes, rows)


def _note(column: Number, below: Sequence[Number]) -> str:
    unit = "" if column.unit.lower() in column.title.lower() else column.unit
    small = (number.title[0].lower() + number.title[1:] for number in below)
    return "; ".join(text for text in (column.note or unit, *small) if text)


def _cell(values: Summary, column: Number, below: Sequence[Number]) -> Cell:
    value = _value(values, column)
    first = value[0] if isinstance(value, list) else value
    return Cell(first, write_number(values, column), _below(values, below))


def write_number(values: Summary, number: Number, *, between: str = " to ") -> str:
    """Write a declared number of a view."""
    value = _value(values, number)
    if number.zero and value == 0:
        return number.zero
    if len(number.reads) > 1:
        return " / ".join(write(part, number.format) for part in value)
    return write(value, number.format, between=between)


def _value(values: Summary, number: Number) -> Any:
    """Find a number in the JSON of its view; several parts as a list."""
    parts = [_find(values, place) for place in number.reads]
    return parts if len(parts) > 1 else parts[0]


def _find(values: Any, place: str) -> Any:
    for key in place.split("."):
        values = None if values is None else values[key]
    return values


def _below(values: Summary, numbers: Sequence[Number]) -> str:
    """Write small print: p-values say that they are."""
    texts = [
        f"p {_equals(values, number)}" if number.format == "p" else write_number(values, number)
        for number in numbers
    ]
    return "; ".join(text for text in texts if text and text != ABSENT)


def _equals(values: Summary, number: Number) -> str:
    text = p_value(_value(values, number))
    return text if text.startswith("<") else f"= {text}"
