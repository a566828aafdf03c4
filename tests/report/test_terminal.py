"""The report in a terminal."""

from io import StringIO

import pytest
from rich.cells import cell_len
from rich.console import Console

from fivefold.report.terminal import print_first_screen, print_scorecard, wrap


@pytest.mark.parametrize("tied", ["95 %", "p = 0.003", "p < 0.0001"])
def test_numbers_stay_with_their_signs_wherever_the_line_ends(tied):
    for length in range(1, 60):
        lines = wrap(f"{'x' * length} y {tied} and more", 40, "• ", "  ").splitlines()
        assert sum(tied in line for line in lines) == 1
        assert max(map(len, lines)) <= 40 or length > 38


NAME = "a model with a long name {:03}"
LONG = "{} and {} cannot be told apart by these cases, " * 3


def card(n, *, disagreements=0, warnings=3, baseline=True):
    """A scorecard of many models whose names begin alike."""
    names = [NAME.format(place) for place in range(n)]
    score = {"value": 0.5, "text": "50.0%", "interval": None, "detail": "", "standing": "best"}
    rows = [
        {"name": name, "baseline": False, "scores": [{**score, "value": place / n}] * 7}
        for place, name in enumerate(names)
    ]
    rows += [{"name": "always 'a'", "baseline": True, "scores": [score] * 7}] if baseline else []
    remark = {"sentence": LONG.format(*names[:2], *names[:2], *names[:2])}
    return {
        "headline": {"sentence": remark["sentence"], "detail": remark["sentence"]},
        "warnings": [remark] * warnings,
        "columns": [{"heading": "figure"}] * 7,
        "rows": rows,
        "disagreements": [remark] * disagreements,
    }


@pytest.mark.parametrize("n", [2, 5, 15, 40, 1000])
@pytest.mark.parametrize("disagreements", [0, 5])
@pytest.mark.parametrize("baseline", [True, False])
def test_the_first_screen_has_at_most_40_lines(n, disagreements, baseline):
    text = StringIO()
    scorecard = card(n, disagreements=disagreements, baseline=baseline)
    summary = {"classes": ["a", "b"], "n_cases": 100, "source": "file.csv", "scorecard": scorecard}
    print_first_screen(summary, Console(file=text, width=80, color_system=None))
    lines = text.getvalue().splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    shown = [line for line in lines if "50.0%" in line and "always" not in line]
    assert len(shown) >= min(n, 3)
    hidden = n - len(shown)
    assert (f"… and {hidden:,} more, none more accurate, in --details and --json" in lines) == (hidden > 0)
    assert len({line.split("50.0%")[0] for line in shown}) == len(shown), "cut names can be told apart"
    assert any(f"{n - 1:03}" in line for line in shown), "the most accurate is there"


def test_short_heads_are_explained_and_whose_error_is_that_of_training_anew():
    """Beside an accuracy of 69.3% stood "31.9 to 40.5%", of other training, without a word."""
    rows = [
        {
            "name": name,
            "baseline": False,
            "scores": [{"value": 0.3, "text": "", "standing": "", "detail": detail}],
        }
        for name, detail in (("a", "trained anew"), ("b", ""))
    ]
    shown = {"headline": {"sentence": "", "detail": ""}, "warnings": [], "disagreements": []}
    shown["columns"] = [{"heading": "", "title": "Error"}]
    for heading, said in (
        ("holds", "holds: the truth is in the answer"),
        ("surest", "right on the surest half"),
    ):
        text, columns = StringIO(), [{"heading": heading, "title": ""}]
        print_scorecard(shown | {"rows": rows, "columns": columns}, Console(file=text, width=80))
        assert said in text.getvalue()
    for chosen, said in (
        (rows, "error: if trained anew (a)"),
        (rows[:1], "error: if trained anew\n"),
        (rows[1:], ""),
    ):
        text = StringIO()
        print_scorecard(shown | {"rows": chosen}, Console(file=text, width=80, color_system=None))
        assert said in text.getvalue()
        assert ("anew" in text.getvalue()) == bool(said)


def test_lines_of_wide_letters_fit_the_terminal():
    """Two cells were counted as one, so that lines of Japanese were broken twice, in the middle of a sentence."""
    lines = wrap(
        "Where is the model less accurate? In 日本 and 한국 and 日本, " * 4, 40, "• ", "  "
    ).splitlines()
    assert max(map(cell_len, lines)) <= 40
    assert min(map(cell_len, lines[:-1])) > 25
    assert " ".join(lines).count("日本") == 8


def test_a_name_of_several_lines_stays_in_its_row():
    shown = card(2)
    shown["rows"][0]["name"] = "model\nof May"
    text = StringIO()
    print_scorecard(shown, Console(file=text, width=80, color_system=None))
    assert any(line.startswith("model of May") for line in text.getvalue().splitlines())
