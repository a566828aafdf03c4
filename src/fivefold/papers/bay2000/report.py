"""What came out, beside Tables 4 to 6 and Figure 2."""

from __future__ import annotations

import json
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

from fivefold.papers.bay2000.errata import ERRATA
from fivefold.papers.bay2000.experiment import SAMPLE_SIZE
from fivefold.papers.bay2000.published import (
    AGREE,
    C5_RULES,
    ENGINES,
    N_CASES,
    OCCUPATIONS,
    STUCCO_RULES,
    SUMMARY,
    PrintedRule,
)
from fivefold.papers.bay2000.reasons import why
from fivefold.papers.cell import Cell
from fivefold.papers.outcome import Extra, Figure, Outcome
from fivefold.papers.printed import Number
from fivefold.papers.settings import Settings

if TYPE_CHECKING:
    import polars as pl


CITATION = (
    "S. D. Bay and M. J. Pazzani (2000). Characterizing model errors and differences. ICML 2000, 49-56."
)
NOTES = (
    "Adult: 32,561 training and 16,281 test cases, cut at the paper's points where it prints them. MC4 is C4.5 "
    "with missing as a value on the cut data; 1NN and 5NN use scaled numbers and 0/1 columns; NB and SuperParent "
    "the cut data.",
    "The models are trained anew, so a rule's numbers are those of other models in the same areas. The yardstick "
    "of a difference is the binomial standard error of both models' shares in the area.",
    "STUCCO: minimum support difference 2 %, at most three terms, layered correction, and what its summary shows. "
    f"Stability: pairs of 20 samples of {SAMPLE_SIZE:,} test cases. C5: -m tuned anew in each sample.",
)
_TABLES = (
    ("Table 5", "NB vs SP", OCCUPATIONS),
    ("Table 6, STUCCO", "MC4 errors", STUCCO_RULES),
    ("Table 6, C5", "MC4 errors", C5_RULES),
)


def report(frame: pl.DataFrame, settings: Settings) -> Outcome:
    """Make the outcome of finished jobs."""
    rows = {(row["query"], row["engine"]): row for row in frame.to_dicts()}
    return Outcome(
        "bay2000",
        CITATION,
        (*_agreements(rows), *_summary(rows), *_rules(rows)),
        tuple(_figures(rows)),
        tuple(_sentences(rows)),
        ERRATA,
        NOTES,
    )


def _agreements(rows: dict[tuple[str, str], Any]) -> list[Cell]:
    cells = []
    for query, number in AGREE.items():
        row = rows.get((query, "S"))
        if row is None:
            continue
        share = row["agree"] / N_CASES
        ours, unit = (share, 1.0) if number.decimals else (float(row["agree"]), float(N_CASES))
        error = sqrt(2 * share * (1 - share) / N_CASES) * unit
        distance = (ours - number.value) / sqrt(error**2 + number.rounding**2)
        place = ("Section 5, agreement", query, "cases that agree")
        cells.append(
            Cell(
                *place, "agreement", number.value, ours, distance, error, number.decimals, why("agree", query)
            )
        )
    return cells


def _summary(rows: dict[tuple[str, str], Any]) -> list[Cell]:
    cells = []
    for (name, column), number in SUMMARY.numbers.items():
        query, _, engine = column.rpartition(", ")
        row = rows.get((query, engine))
        if row is not None:
            place = (SUMMARY.label, name.replace("_", " "), column)
            ours = float(row[name])
            cells.append(
                Cell(
                    *place, SUMMARY.quantity, number.value, ours, nan, nan, number.decimals, why(name, engine)
                )
            )
    return cells


def _rules(rows: dict[tuple[str, str], Any]) -> list[Cell]:
    cells = []
    for table, query, rules in _TABLES:
        row = rows.get((query, "S"))
        if row is None:
            continue
        ours = {each["conditions"]: each for each in json.loads(row["printed"])}
        average = row["agree"] / N_CASES
        for rule in rules:
            cells += _compare(table, rule, ours[rule.conditions], average)
    return cells


def _compare(table: str, rule: PrintedRule, ours: dict[str, Any], average: float) -> list[Cell]:
    share = min(max(ours["difference"] / 100 + average, 0.0), 1.0)
    n = ours["n"]
    # an area without any error, or without any right answer, still has an uncertain share: one case each is added
    smoothed = (share * n + 1) / (n + 2)
    error = sqrt(2 * smoothed * (1 - smoothed) / n)
    numbers: tuple[tuple[str, Number, float, float], ...] = (
        ("difference in points", rule.difference, ours["difference"], 100 * error),
        ("effect in cases", rule.effect, ours["effect"], error * n),
    )
    cells = []
    for column, number, value, scale in numbers:
        distance = (value - number.value) / sqrt(scale**2 + number.rounding**2)
        place = (table, rule.conditions, column)
        cells.append(
            Cell(
                *place,
                "of the printed rules",
                number.value,
                value,
                distance,
                scale,
                0,
                why(table, rule.conditions),
            )
        )
    return cells


def _figures(rows: dict[tuple[str, str], Any]) -> list[Figure]:
    columns: dict[str, list[Any]] = {"x": [], "y": [], "series": []}
    for engine, name in zip(ENGINES, ("C5", "STUCCO"), strict=True):
        row = rows.get(("MC4 errors", engine))
        if row is None:
            continue
        agreements, unions = json.loads(row["agreements"]), json.loads(row["unions"])
        columns["x"] += agreements
        columns["y"] += unions
        columns["series"] += [name] * len(unions)
    title = "Stability of C5 and STUCCO: pairs of rule sets from samples"
    note = "Each point is a pair of samples: the share of rules in common, and how many both have together."
    return [Figure("Figure 2", title, columns, "agreement", "rules of both together", (), note)]


def _sentences(rows: dict[tuple[str, str], Any]) -> list[Extra]:
    extras = []
    for (query, engine), row in rows.items():
        sentences = json.loads(row["sentences"])
        if engine == "S" and sentences:
            note = "The most surprising first, as STUCCO's summary shows them."
            extras.append(Extra(f"Rules in English: {query}", {"rule": sentences}, note))
    return extras
