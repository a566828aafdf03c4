"""The report in a terminal of 80 columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from textwrap import fill
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fivefold.plain_text import counted, visible
from fivefold.report.summary import (
    ABSENT,
    MOST_CLASSES,
    cut_middle,
    largest_classes,
    percent,
    tabulate,
    write_number,
)
from fivefold.results import ANSWERS_ONLY, VIEW_NAMES

_TIES = re.compile(r"(?<=\d) (?=%)|(?<=\bp) (?=[=<])|(?<=\bp [=<]) (?=\d)|(?<=\bp <=) (?=\d)")
MOST_LINES = 40
MOST_ROWS, FEWEST_ROWS = 15, 3
MOST_DISAGREEMENTS = 2
_SECOND = "\ufdd0"  # in no text
# heads of columns that are too short to say what they are
_SHORT = {
    "holds": "the truth is in the answer",
    "size": "classes in it",
    "surest": "right on the surest half",
}
_HOLDS = "holds: how often the truth is in the answer; its intervals hold for all classes and models at once."
_MARKS = {"best": "* ", "not told apart from the best": "~ "}
VIEW_QUESTIONS = {
    "views": "Where the views disagree",
    "bits": "Bits: how much did the model really learn?",
    "bets": "Bets: what would a gambler win on its probabilities?",
    "truth": "Truth: how far can the error be trusted?",
    "slices": "Slices: where does the model fail?",
    "borders": "Borders: what shape does the model have?",
}


def print_first_screen(summary: Mapping[str, Any], console: Console) -> None:
    """Print the cases in a line, then the scorecard."""
    classes = summary["classes"]
    shown = ", ".join(classes[:6]) + (", …" if len(classes) > 6 else "")
    heading = f"{counted(summary['n_cases'], 'case')}, {counted(len(classes), 'class')} ({shown})"
    heading = f"{summary['source']}: {heading}" if summary["source"] else heading
    console.print(Text(heading), no_wrap=True, overflow="ellipsis")
    console.print()
    print_scorecard(summary["scorecard"], console)


def print_scorecard(scorecard: Mapping[str, Any], console: Console) -> None:
    """Print the headline, the warnings, a row of figures for each model, and where the views disagree.

    Of many models as many have a row as leave it all, with two lines before, on a screen of 40 lines.
    """
    width, headline = console.width, scorecard["headline"]
    above = [Text(wrap(headline["sentence"], width), style="bold"), Text(wrap(headline["detail"], width))]
    above += [Text(wrap(warning["sentence"], width, "! ", "  ")) for warning in scorecard["warnings"]]
    below = [Text(wrap(_legend(scorecard), width), style="dim")] if _legend(scorecard) else []
    if scorecard["disagreements"]:
        below += [Text(), Text(VIEW_QUESTIONS["views"], style="bold")]
    disagreements = scorecard["disagreements"][:MOST_DISAGREEMENTS]
    below += [_bullet(remark["sentence"], width) for remark in disagreements]
    models = [row for row in scorecard["rows"] if not row["baseline"]]
    # two lines before, a blank one, the heads, the baseline, and what is left out
    room = MOST_LINES - 6 - sum(text.plain.count("\n") + 1 for text in [*above, *below])
    most = max(FEWEST_ROWS, min(MOST_ROWS, room))
    more = len(models) - most
    if more > 0:
        models = sorted(models, key=lambda row: -row["scores"][0]["value"])[:most]
    for text in [*above, Text()]:
        console.print(text)
    for line in _scores(scorecard, models, width):
        console.print(line, no_wrap=True, overflow="ellipsis")
    if more > 0:
        console.print(Text(f"… and {more:,} more, none more accurate, in --details and --json", style="dim"))
    for text in below:
        console.print(text)


def _scores(scorecard: Mapping[str, Any], models: Sequence[Mapping[str, Any]], width: int) -> list[Text]:
    """Write a line for each model and the baseline; the name gets what room the figures leave."""
    rows = [*models, *(row for row in scorecard["rows"] if row["baseline"])]
    lines = [["model", *(column["heading"] or column["title"].lower() for column in scorecard["columns"])]]
    lines += [
        [" ".join(visible(row["name"]).split()), *(_figure(score) for score in row["scores"])] for row in rows
    ]
    longest, *widths = (max(map(cell_len, column)) for column in zip(*lines, strict=True))
    room = max(8, min(longest, width - sum(widths) - 2 * len(widths)))
    for line, row in zip(lines[1:], rows, strict=True):
        if row["baseline"] and cell_len(line[0]) > room:
            line[0] = "baseline"
    styles = ["bold", *("dim" if row["baseline"] else "" for row in rows)]
    return [
        Text(
            "  ".join([set_cell_size(cut_middle(name, room), room), *map(str.rjust, figures, widths)]), style
        )
        for (name, *figures), style in zip(lines, styles, strict=True)
    ]


def _legend(scorecard: Mapping[str, Any]) -> str:
    """Explain the marks, the column whose head is too short to say what it is, and whose error is which."""
    keys = [column["heading"] or column["title"].lower() for column in scorecard["columns"]]
    models = [dict(zip(keys, row["scores"], strict=True)) for row in scorecard["rows"] if not row["baseline"]]
    anew = [scores["error"].get("detail") == "trained anew" for scores in models if "error" in scores]
    said = []
    if any(score["standing"] for scores in models for score in scores.values()):
        said.append("* best of its column; ~ not told apart from it")
    said += [f"{key}: {words}" for key, words in _SHORT.items() if key in keys]
    if any(scores["group"]["value"] for scores in models if "group" in scores):
        said.append("group: worst group, in points")
    if any(anew):
        of = ", ".join(compress((visible(row["name"]) for row in scorecard["rows"]), anew))
        said.append(f"error: if trained anew{'' if all(anew) else f' ({of})'}")
    return "; ".join(said)


def _figure(score: Mapping[str, Any]) -> str:
    text = score["text"].replace("−", "-").removesuffix(" points").removesuffix(" proven")
    return f"{_MARKS.get(score['standing'], '')}{text}"


def print_report(summary: Mapping[str, Any], console: Console) -> None:
    """Print the first screen, then the findings of each view under its question, and a table of its numbers."""
    print_first_screen(summary, console)
    notes = [sentence for sentence in (summary["protocol"], *summary["notes"]) if sentence]
    for sentence in [*[""] * bool(notes), *notes]:
        console.print(Text(wrap(sentence, console.width)))
    for view, question in VIEW_QUESTIONS.items():
        sentences = [finding["sentence"] for finding in summary["findings"] if finding["view"] == view]
        # borders need the models themselves
        only_answers = all(model["absent"].get(view) == ANSWERS_ONLY for model in summary["models"])
        if not sentences and (view in ("views", "slices") or (view == "borders" and only_answers)):
            continue
        console.print()
        console.print(Text(question, style="bold underline"))
        for sentence in [*sentences, *_not_judged(summary["models"], view)]:
            console.print(_bullet(sentence, console.width))
        table = _numbers(summary["models"], view) if view in VIEW_NAMES else None
        if table:
            console.print()
            console.print(table)
    print_usual(summary, console)


def _not_judged(models: Sequence[Mapping[str, Any]], view: str) -> list[str]:
    """Name the models that a view cannot judge, once for each reason."""
    names: dict[str, list[str]] = {}
    for model in models:
        if view in model["absent"]:
            names.setdefault(model["absent"][view], []).append(model["name"])
    return [f"{_listed(several)}: not judged here, because {reason}." for reason, several in names.items()]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 12 else f"{', '.join(names[:5])} and {len(names) - 5:,} more"


def _bullet(sentence: str, width: int) -> Text:
    return Text(wrap(sentence, width, "• ", "  "))


def wrap(sentence: str, width: int, first: str = "", further: str = "") -> str:
    """Break a sentence into lines; "95 %" and "p = 0.01" stay on one.

    Examples
    --------
    >>> print(wrap("Chance is ruled out: p < 0.0001.", 24))
    Chance is ruled out:
    p < 0.0001.
    """
    # textwrap does not break at a no-break space, and counts letters: a wide one gets a mark for its second cell
    tied = _TIES.sub("\N{NO-BREAK SPACE}", sentence)
    tied = "".join(letter + _SECOND * (cell_len(letter) - 1) for letter in tied)
    lines = fill(tied, width, initial_indent=first, subsequent_indent=further, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ").replace(_SECOND, "")


def plain_table(columns: Sequence[str], right: Collection[str], max_width: int | None = None) -> Table:
    """Begin a table without lines."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        justify: Any = "right" if column in right else "left"
        table.add_column(column, justify=justify, overflow="fold", max_width=max_width)
    return table


def _numbers(models: Sequence[Mapping[str, Any]], view: str) -> Table | None:
    """Put the numbers that a view declares for the terminal into a table, if there are any."""
    numbers = tabulate(models, view, "terminal")
    # the findings have said the error of this rule alone
    if not numbers.columns or (
        view == "truth" and not any(column.name == "learner_error" for column in numbers.columns)
    ):
        return None
    titles = [column.title for column in numbers.columns]
    titles = [title if title.isupper() else title[0].lower() + title[1:] for title in titles]
    headings = [column.heading or title for column, title in zip(numbers.columns, titles, strict=True)]
    table = plain_table(["model", *headings], headings, max_width=24)
    for model in models:
        if model[view]:
            written = [write_number(model[view], column, between=" … ") for column in numbers.columns]
            table.add_row(
                Text(model["name"]), *("" if text == ABSENT else text.replace("−", "-") for text in written)
            )
    return table


def print_usual(summary: Mapping[str, Any], console: Console) -> None:
    """Print precision, recall and F1 of each class of each model, with their intervals."""
    console.print()
    alone = " of single answers" if any(m["bits"]["share_several"] for m in summary["models"]) else ""
    title = f"The usual figures{alone}: precision, recall and F1 (95% intervals)"
    console.print(Text(title, style="bold underline"))
    held = [_held(model["bits"]) for model in summary["models"]]
    figures = ("cases", "precision", "recall", "F1", *(["holds"] if any(held) else []))
    table = plain_table(["", *figures], figures, max_width=24)
    for model, holds in zip(summary["models"], held, strict=True):
        usual = model["usual"]
        table.add_row(Text(model["name"], style="bold"))
        for row in largest_classes(usual["classes"]):
            held_too = holds.get(row["label"])
            table.add_row(Text(f"  {row['label']}"), f"{row['n_cases']:,}", *_three(row), held_too)
        if len(usual["classes"]) > MOST_CLASSES:
            table.add_row(f"  {counted(len(usual['classes']) - MOST_CLASSES, 'smaller class')}: see --json")
        table.add_row("  macro average", "", *_three(usual["macro"]))
    console.print(table)
    if any(held):
        console.print(Text(wrap(_HOLDS, console.width)))


def _held(bits: Mapping[str, Any]) -> dict[str, str]:
    """Write how often answers of several classes hold the truth, class by class."""
    by_class = bits["sets"]["by_class"] if bits["share_several"] else ()
    return {held["label"]: _with_ends(held["share"], held["interval"]) for held in by_class}


def _three(row: Mapping[str, Any]) -> list[str]:
    return [_with_ends(row[name], row[f"{name}_interval"]) for name in ("precision", "recall", "f1")]


def _with_ends(share: float | None, interval: Sequence[float] | None) -> str:
    return f"{percent(share, 0)} {'–'.join(percent(end, 0).rstrip('%') for end in interval or ())}".rstrip()
