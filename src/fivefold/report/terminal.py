"""The report in a terminal of 80 columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fivefold.evaluation.findings import ANSWERS_ONLY
from fivefold.report.summary import standing
from fivefold.results import say_p

_TIES = re.compile(r"(?<=\d) (?=%)|(?<=\bp) (?=[=<] )|(?<=\bp [=<]) (?=\d)")
VIEW_QUESTIONS = {
    "views": "Where the views disagree",
    "bits": "Bits: how much did the model really learn?",
    "bets": "Bets: what would a gambler win on its probabilities?",
    "truth": "Truth: how far can the error be trusted?",
    "slices": "Slices: where does the model fail?",
    "borders": "Borders: what shape has what it learned?",
}


def print_report(summary: Mapping[str, Any], console: Console) -> None:
    """Print the findings of each view under its question, and a table of its numbers."""
    classes = summary["classes"]
    shown = ", ".join(classes[:6]) + (", …" if len(classes) > 6 else "")
    plural = "" if summary["n_cases"] == 1 else "s"
    heading = f"{summary['n_cases']:,} case{plural}, {len(classes)} classes ({shown})"
    console.print(Text(f"{summary['source']}: {heading}" if summary["source"] else heading, style="bold"))
    if summary["protocol"]:
        console.print(Text(wrap(summary["protocol"], console.width)))
    _print_rankings(summary["rankings"], console)
    tables = {
        "bits": _bits_table(summary["models"]),
        "bets": _bets_table(summary["models"]),
        "truth": _truth_table(summary["models"]),
        "borders": _borders_table(summary["models"]),
    }
    for view, question in VIEW_QUESTIONS.items():
        sentences = [found["sentence"] for found in summary["findings"] if found["view"] == view]
        if not sentences and (view in ("views", "slices") or not _trained(summary["models"], view)):
            continue
        console.print()
        console.print(Text(question, style="bold underline"))
        for sentence in [*sentences, *_not_judged(summary["models"], view)]:
            console.print(_bullet(sentence, console.width))
        if tables.get(view):
            console.print()
            console.print(tables[view])


def _print_rankings(rankings: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print which model each view prefers, unless it prefers none."""
    telling = [each for each in rankings if each["standings"][-1]["place"] > 1]
    if not telling:
        return
    console.print()
    console.print(Text("Which model does each view prefer?", style="bold underline"))
    table = _table(["view", "prefers", "with", "beyond chance over"], "left")
    for ranking in telling:
        best = [each["model"] for each in ranking["standings"] if each["place"] == 1]
        beaten = [each["model"] for each in ranking["standings"] if each["apart_from_best"]]
        tested = any(each["apart_from_best"] is not None for each in ranking["standings"])
        table.add_row(
            ranking["view"],
            Text(", ".join(best)),
            Text(standing(ranking["standings"][0], ranking)),
            Text(", ".join(beaten) if beaten else "nobody" if tested else "not tested"),
        )
    console.print(table)


def _trained(models: Sequence[Mapping[str, Any]], view: str) -> bool:
    """Say whether a view that needs the models themselves has any."""
    return view != "borders" or any(model["absent"].get(view) != ANSWERS_ONLY for model in models)


def _not_judged(models: Sequence[Mapping[str, Any]], view: str) -> list[str]:
    """Name the models that a view cannot judge, once for each reason."""
    names: dict[str, list[str]] = {}
    for model in models:
        if view in model["absent"]:
            names.setdefault(model["absent"][view], []).append(model["name"])
    return [f"{', '.join(several)}: not judged here, because {reason}." for reason, several in names.items()]


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
    # textwrap does not break at a no-break space
    tied = _TIES.sub("\N{NO-BREAK SPACE}", sentence)
    lines = fill(tied, width, initial_indent=first, subsequent_indent=further, break_on_hyphens=False)
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def _table(columns: Sequence[str], justify: Literal["left", "right"] = "right") -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index == 0 else justify, overflow="fold", max_width=24)
    return table


def _bits_table(models: Sequence[Mapping[str, Any]]) -> Table:
    table = _table(["model", "right", "bits saved", "95% interval", "share", "one/several/none"])
    for model in models:
        bits = model["bits"]
        low, high = bits["interval"]
        shares = (bits["share_single"], bits["share_several"], bits["share_empty"])
        table.add_row(
            Text(model["name"]),
            f"{bits['accuracy']:.1%}",
            _number(bits["saved"], "z,.1f"),
            "" if low is None else f"{_number(low, 'z,.1f')} … {_number(high, 'z,.1f')}",
            f"{bits['share']:z.0%}",
            " / ".join(f"{share:.0%}" for share in shares),
        )
    return table


def _bets_table(models: Sequence[Mapping[str, Any]]) -> Table | None:
    judged = [model for model in models if model["bets"]]
    if not judged:
        return None
    table = _table(["model", "reward", "95% interval", "miscal.", "by chance", "p", "Brier", "AUC"])
    for model in judged:
        bets = model["bets"]
        low, high = bets["reward_interval"]
        table.add_row(
            Text(model["name"]),
            _number(bets["reward"], "+.3f"),
            "" if low is None else f"{low:+.3f} … {high:+.3f}",
            _number(bets["miscalibration"], ".3f"),
            _number(bets["noise_floor"], ".3f"),
            say_p(bets["p_value"]).removeprefix("p = ").removeprefix("p "),
            _number(bets["brier"], ".3f"),
            _number(bets["auc"], ".3f"),
        )
    return table


def _truth_table(models: Sequence[Mapping[str, Any]]) -> Table | None:
    """Print the two errors side by side; the findings have said the one alone."""
    judged = [model for model in models if model["truth"] and model["truth"]["cross_validation"]]
    if not judged:
        return None
    table = _table(["model", "wrong", "this rule", "95% interval", "the learner", "95% interval"])
    for model in judged:
        truth, crossed = model["truth"], model["truth"]["cross_validation"]
        ends = crossed["interval"]
        table.add_row(
            Text(model["name"]),
            f"{truth['n_wrong']:,}/{truth['n_cases']:,}",
            f"{truth['error']:.1%}",
            " … ".join(f"{end:.1%}" for end in truth["interval"]),
            f"{crossed['error']:.1%}",
            " … ".join(f"{end:.1%}" for end in ends) if ends else "",
        )
    return table


def _borders_table(models: Sequence[Mapping[str, Any]]) -> Table | None:
    judged = [model for model in models if model["borders"]]
    if not judged:
        return None
    table = _table(["model", "measure", "fit", "similar right", "similar wrong", "borders", "± error"])
    for model in judged:
        found = model["borders"]
        table.add_row(
            Text(model["name"]),
            _number(found["measure"], ".3f"),
            _number(found["fit"], ".3f"),
            _number(found["similarity_right"], ".3f"),
            _number(found["similarity_wrong"], ".3f"),
            _number(found["border_size"], ".3f"),
            _number(found["border_size_error"], ".3f") if found["border_size_error"] else "exact",
        )
    return table


def _number(value: float | str | None, form: str) -> str:
    if value is None:
        return ""
    return {"-Infinity": "-∞", "Infinity": "∞"}[value] if isinstance(value, str) else format(value, form)
