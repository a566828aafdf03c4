"""An evaluation as a plain dictionary, its declared numbers as tables, and numbers as people read them.

All that JSON, page, notebook and terminal show comes from here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size

from fivefold.results import Number, numbers_of_view, plain

Summary = Mapping[str, Any]

ABSENT = "–"
_INFINITE = {"-Infinity": "−∞", "Infinity": "∞"}
_SHOWN_ITEMS = 100
MOST_CLASSES = 10
"""Of more classes the largest are shown class by class, and the most frequent confusions instead of a matrix."""


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
        "findings": [
            said for said in summary["findings"] if len(said["models"]) > 2 or kept.issuperset(said["models"])
        ],
        "rankings": rankings,
        "notes": [note, *summary["notes"]],
    }


def largest_classes(classes: Sequence[Summary]) -> list[Summary]:
    """Give the largest classes in their given order; all of them if they are not many."""
    order = sorted(range(len(classes)), key=lambda place: -classes[place]["n_cases"])[:MOST_CLASSES]
    return [classes[place] for place in sorted(order)]


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
    """Put the numbers of a view that stand in a table ("terminal", "page" or "evidence") side by side."""
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
    texts = []
    for number in numbers:
        text = write_number(values, number)
        sign = "" if number.format != "p" else "p " if text.startswith("<") else "p = "
        texts.append(f"{sign}{text}")
    return "; ".join(text for text in texts if text and text != ABSENT)


def number(value: float | str | None, digits: int = 3, *, signed: bool = False) -> str:
    """Write a number of a summary with a fixed count of decimals.

    Examples
    --------
    >>> number(-1234.5678, 1), number(0.25, 2, signed=True), number("-Infinity"), number(None)
    ('−1,234.6', '+0.25', '−∞', '–')
    """
    if value is None:
        return ABSENT
    if isinstance(value, str):
        return _INFINITE[value]
    text = format(value, f"{'+' if signed else ''},.{digits}f")
    if float(text.replace(",", "")) == 0.0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def percent(value: float | None, digits: int = 1) -> str:
    """Write a share in per cent; a little is not written as nothing.

    Examples
    --------
    >>> percent(0.9312), percent(1.0, 0), percent(0.004, 0), percent(None)
    ('93.1%', '100%', '0.4%', '–')
    """
    if value is None:
        return ABSENT
    return f"{number(100 * value, max(digits, int(0.0005 <= value < 0.005)))}%"


def p_value(value: float | None) -> str:
    """Write a p-value with two significant digits, and no more zeros than anyone reads.

    Examples
    --------
    >>> p_value(0.0321), p_value(2e-9), p_value(0.85), p_value(1.0), p_value(None)
    ('0.032', '< 0.0001', '0.85', '1', '–')
    """
    if value is None:
        return ABSENT
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}"


def cut_middle(name: str, width: int) -> str:
    """Cut a name to a width in cells: in the middle, for many names begin alike and end differently.

    Examples
    --------
    >>> cut_middle("gradient boosting, seed 1", 12), cut_middle("tree", 12)
    ('gradie…eed 1', 'tree')
    """
    if len(name) <= width and cell_len(name) <= width:
        return name
    end = (width - 1) // 2
    tail = name[-end:] if end else ""
    while cell_len(tail) > end:
        tail = tail[1:]
    return f"{set_cell_size(name[:width], width - 1 - end).rstrip()}…{tail}"


def interval(pair: Sequence[float | str | None], digits: int = 3, *, signed: bool = False) -> str:
    """Write an interval; nothing where it is not defined.

    Examples
    --------
    >>> interval([-0.5, 1.25], 2, signed=True), interval([None, None])
    ('−0.50 to +1.25', '')
    """
    if None in pair:
        return ""
    low, high = (number(end, digits, signed=signed) for end in pair)
    return f"{low} to {high}"


def write(value: Any, form: str, *, between: str = " to ") -> str:
    """Write a value of a summary, or both ends of an interval, in a format that `fivefold.results.Number` knows.

    Examples
    --------
    >>> write(0.931, ".1%"), write([-0.5, 1.25], "+.2f"), write(0.25, "±.3f"), write(2e-9, "p"), write(None, ",d")
    ('93.1%', '−0.50 to +1.25', '± 0.250', '< 0.0001', '–')
    """
    if isinstance(value, (list, tuple)):
        return "" if None in value else between.join(write(end, form) for end in value)
    if form == "p":
        return p_value(value)
    if form == "text":
        return ABSENT if value is None else str(value)
    digits = 0 if form.endswith("d") else int(form[-2])
    if form.endswith("%"):
        return percent(value, digits)
    text = number(value, digits, signed=form.startswith("+"))
    return f"± {text}" if form.startswith("±") and value is not None else text


def points(pair: Sequence[float]) -> str:
    """Write an interval of shares in points.

    Examples
    --------
    >>> points([-0.1253, 0.02])
    '−12.5 to +2.0'
    """
    return interval([100 * end for end in pair], 1, signed=True)


def evidence(value: Any) -> str:
    """Write any value of a finding's evidence.

    Examples
    --------
    >>> evidence([96.04, 159.16]), evidence({"a": 0.5}), evidence(218), evidence("-Infinity"), evidence([])
    ('96.04 to 159.2', 'a: 0.5', '218', '−∞', 'none')
    """
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {evidence(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return _several(value)
    if value is None or isinstance(value, bool):
        return {None: ABSENT, True: "yes", False: "no"}[value]
    if isinstance(value, (int, float)):
        return format(value or 0, ",.4g" if isinstance(value, float) else ",").replace("-", "−")
    return _INFINITE.get(value, str(value))


def _several(values: Sequence[Any]) -> str:
    """Write two numbers that are not counts as an interval, else a list without other commas."""
    if len(values) == 2 and any(isinstance(item, float) for item in values):
        return " to ".join(evidence(item) for item in values)
    more = ", …" if len(values) > _SHOWN_ITEMS else ""
    shown = (str(item) if type(item) is int else evidence(item) for item in values[:_SHOWN_ITEMS])
    return ", ".join(shown) + more or "none"


def words(key: str) -> str:
    """Turn a name of the summary into words.

    Examples
    --------
    >>> words("bits_saved_share_interval"), words("p_value")
    ('bits saved share, 95% interval', 'p-value')
    """
    text = key.replace("_", " ").replace("p value", "p-value")
    return f"{text.removesuffix(' interval')}, 95% interval" if text.endswith(" interval") else text
