import json
import re
from io import StringIO
from math import nan

import pytest
from rich.console import Console

from fivefold.papers import Cell, Erratum, Extra, Figure, Outcome
from fivefold.report import (
    outcome_data,
    outcome_markdown,
    outcome_page,
    print_outcome,
    summary_markdown,
)
from fivefold.report.paper_report import digits, paper_chart
from fivefold.report.theme import draw_svg

HOSTILE = '<script>alert("x")</script>'


@pytest.fixture
def outcome():
    cells = (
        Cell("Table 1", "BC", "1R", "accuracy", 0.7, 0.71, 0.5, 0.01),
        Cell("Table 1", "BC", "C4.5", "accuracy", 0.7, 0.9, 5.0, 0.01, reason=HOSTILE),
        Cell("Table 2", "BC", "1R", "reward", nan, 0.2, nan),
    )
    figure = Figure(
        "Figure 1", "A picture", {"x": [1, 2], "y": [3.0, 4.0], "series": ["a", "b"]}, "x", "y", ("b",)
    )
    extra = Extra("More | of it", {"name": ["p|q", HOSTILE], "number": [1.5, None]}, "a note")
    erratum = Erratum("p. 3", "2 + 2 = 5", "2 + 2 = 4", "counting")
    return Outcome(
        "toy1999", "A. Toy (1999)", cells, (figure,), (extra,), (erratum,), ("one note",), True, "3 jobs"
    )


def test_counts_and_columns(outcome):
    assert outcome.counts() == {
        "Table 1": {"agrees": 1, "differs": 1, "not comparable": 0},
        "Table 2": {"agrees": 0, "differs": 0, "not comparable": 1},
    }
    assert str(outcome) == "A. Toy (1999): 1 agree, 1 differ, 1 not comparable"
    frame = outcome.frame()
    assert frame["mark"].to_list() == ["agrees", "differs", "not comparable"]
    assert frame["published"].null_count() == 1


def test_json_has_everything_and_no_nan(outcome):
    told = json.loads(json.dumps(outcome_data(outcome), allow_nan=False))
    assert len(told["cells"]) == 3
    assert told["cells"][2]["published"] is None
    assert told["errata"][0]["found"] == "2 + 2 = 4"


def test_markdown_keeps_its_columns_whatever_is_in_them(outcome):
    text = outcome_markdown(outcome)
    rows = [line for line in text.splitlines() if line.startswith("| p\\|q")]
    assert rows == ["| p\\|q | 1.5 |"]
    assert "0.700 → 0.900 ✗" in text
    assert summary_markdown([outcome]).count("toy1999") == 3


def test_a_number_that_differs_never_looks_like_the_published_one():
    cell = Cell("Table 1", "BC", "1R", "correlation", 0.0, 0.39, 6.2, 0.1, decimals=0)
    assert [digits(cell, value) for value in (cell.published, cell.ours)] == ["0", "0.4"]
    near = Cell("Table 1", "BC", "1R", "correlation", 0.0, 0.39, 1.2, 0.1, decimals=0)
    assert digits(near, near.ours) == "0"


def test_the_page_trusts_nothing(outcome):
    page = outcome_page(outcome)
    assert HOSTILE not in page
    assert "&lt;script&gt;" in page
    assert page.count('class="chart"') == 2
    assert 'class="number differs"' in page


def test_the_terminal_is_80_columns_wide(outcome):
    console = Console(width=80, record=True, file=StringIO())
    print_outcome(outcome, console, everything=True)
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "1 errors" not in text


def test_lines_of_one_series_are_joined_only_within_their_group():
    columns = {"x": [0, 1, 0, 1], "y": [0, 0, 1, 1], "series": ["border"] * 4, "group": [0, 0, 1, 1]}
    drawn = draw_svg(paper_chart(Figure("F", "t", columns, "x", "y", ("border",))).to_dict())
    lines = drawn[drawn.index("mark-line") :]
    # the drawing of one group is one path of two points; joined, there would be a single path of four
    paths = re.findall(r'd="(M[-\d.,]+(?:L[-\d.,]+)+)"', lines[: lines.index("mark-") + 4000])
    assert [path.count("L") for path in paths[:2]] == [1, 1]


def test_conditions_in_a_terminal_of_80_columns_stay_whole_words():
    rows = ("salary=>50K & marital-status=Married-civ-spouse", "education=Masters & capital-gain=(3500,7500]")
    cells = [Cell("Table 6", row, "difference in points", "points", -15.0, -90.0, -5.0) for row in rows]
    out = StringIO()
    print_outcome(Outcome("toy1999", "A. Toy (1999)", tuple(cells)), Console(file=out, width=80))
    printed = out.getvalue()
    assert max(map(len, printed.splitlines())) <= 80
    assert all(word in printed.split() for row in rows for word in row.split())
