"""Claims: a verdict follows from intervals alone, which cover what they say as often as they say."""

import json
from io import StringIO

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from scipy import stats

from fivefold import papers
from fivefold.papers import Claim, Outcome
from fivefold.papers.claims import Decision, Part, Sought, judge, verdict_of
from fivefold.papers.printed import parse_published
from fivefold.report import outcome_data, outcome_markdown, outcome_page, print_outcome, summary_markdown

FILE = """
citation = "A. Toy (1999)"
contents = "Table 1"
tables = {}

[[claims]]
id = "rises"
sentence = "It <b>rises</b>."
where = "Section 4"

[[claims]]
id = "falls"
sentence = "It falls."
where = "Abstract"
test = "nothing at all"
"""


@pytest.mark.parametrize(
    ("marks", "verdict"),
    [
        ("tt", "holds"),
        ("tf", "holds in part"),
        ("to", "holds in part"),
        ("tfo", "holds in part"),
        ("ff", "does not hold here"),
        ("fo", "does not hold here"),
        ("oo", "cannot be decided"),
        ("", "cannot be decided"),
    ],
)
def test_the_verdict_of_shown_refuted_and_open_parts(marks, verdict):
    ranges = {"t": (1.0, 2.0), "f": (-2.0, -1.0), "o": (-1.0, 1.0)}
    assert verdict_of(Part(mark, 0.0, *ranges[mark], above=0) for mark in marks) == verdict


def test_intervals_are_those_of_scipy():
    values = np.random.default_rng(1).normal(3, 2, 17)
    part = Sought.of_mean("m", values).at(0.99)
    expected = stats.t.interval(0.99, 16, values.mean(), stats.sem(values))
    assert (part.low, part.high) == pytest.approx(expected)
    share = Sought.of_share("s", 7, 20).at(0.95)
    exact = stats.binomtest(7, 20).proportion_ci(0.95)
    assert (share.low, share.high) == pytest.approx((exact.low, exact.high))
    assert Sought.of_share("s", 0, 5).at(0.95).low == 0
    assert Sought.of_share("s", 5, 5).at(0.95).high == 1
    estimate = Sought.of_estimate("e", 2.0, 0.5).at(0.95)
    assert (estimate.low, estimate.high) == pytest.approx(stats.norm.interval(0.95, 2.0, 0.5))


def test_an_interval_ends_where_the_numbers_do_and_decides_as_before():
    values = [0.99, 1.0, 0.7, 0.95]
    whole = Sought.of_mean("r", values, above=0.5)
    free, cut = whole.at(0.95), whole.cut(-1, 1).at(0.95)
    assert free.high > 1 == cut.high
    assert (free.low, free.holds) == (cut.low, cut.holds)
    assert np.isnan(Sought.of_mean("r", [1.0, 1.0, 1.0]).cut(-1, 1).at(0.95).high)


def test_where_no_runs_are_possible_the_note_alone_says_why():
    tests = {"rises": lambda frame: Decision("", [], "The data are lost.")}
    (judged,) = judge(parse_published("toy1999", FILE), tests, pl.DataFrame())
    assert (judged.verdict, judged.why) == ("cannot be decided", "The data are lost.")


def test_too_few_runs_decide_nothing():
    few = [
        Sought.of_mean("m", [1.0, 2.0], above=0),
        Sought.of_share("s", 0, 0, above=0.5),
        Sought.of_bootstrap("b", np.mean, [], above=0),
        Sought.of_bootstrap("b", np.mean, [1.0, 1.0], above=0),
        Sought.of_mean("never another", [1.0] * 9, above=0),
        Sought.of_bootstrap("never another", np.mean, [1.0] * 9, above=0),
    ]
    assert verdict_of(evidence.at(0.95) for evidence in few) == "cannot be decided"


def test_the_bootstrap_covers_and_keeps_strata():
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(60):
        part = Sought.of_bootstrap("b", lambda v: float(np.mean(v)), rng.normal(size=40)).at(0.95)
        hits += part.low < 0 < part.high
    assert hits >= 50
    # what differs between strata alone is no chance
    kept = Sought.of_bootstrap("b", np.mean, [0.0, 0, 1, 90, 91, 91], strata=list("aaabbb")).at(0.95)
    assert kept.high - kept.low < 1.5


def test_a_true_null_is_called_decided_in_at_most_one_of_twenty():
    rng = np.random.default_rng(3)
    published = parse_published("toy1999", FILE)
    frame = pl.DataFrame()
    decided = 0
    for _ in range(400):
        sets = rng.normal(size=(8, 12))
        tests = {
            "rises": lambda _, sets=sets: Decision(
                "mean", [Sought.of_mean(str(k), own, above=0) for k, own in enumerate(sets)]
            )
        }
        (judged,) = judge(published, tests, frame)
        decided += judged.verdict != "cannot be decided"
    assert decided <= stats.binom.ppf(0.999, 400, 0.05)


@pytest.fixture
def outcome():
    tests = {
        "rises": lambda frame: Decision(
            "mean of a column",
            [Sought.of_mean("a", frame["a"], above=0), Sought.of_mean("b", frame["b"], above=0)],
            "As the numbers say.",
        ),
        "falls": lambda frame: [],
    }
    frame = pl.DataFrame({"a": [4.0, 5.0, 6.0, 5.0], "b": [-4.0, -5.0, -6.0, -5.0]})
    claims = judge(parse_published("toy1999", FILE), tests, frame)
    return Outcome("toy1999", "A. Toy (1999)", (), claims=claims)


def test_claims_are_judged_and_said_everywhere(outcome):
    first, second = outcome.claims
    assert first.claim == Claim("rises", "It <b>rises</b>.", "Section 4")
    assert (first.verdict, second.verdict) == ("holds in part", "cannot be decided")
    assert second.test == "nothing at all."
    assert first.test.endswith("sought: above 0; 97.5 % intervals, 95 % for both.")
    assert first.numbers.startswith("b −5 (")
    assert first.why == "Shown for a; refuted for b. As the numbers say."
    console = Console(width=80, record=True, file=StringIO())
    print_outcome(outcome, console)
    printed = console.export_text()
    assert "holds in part: It <b>rises</b>. (Section 4)" in printed
    assert max(map(len, printed.splitlines())) <= 80
    page, text = outcome_page(outcome), outcome_markdown(outcome)
    assert "Of 2 conclusions 1 holds in part, 1 cannot be decided." in text
    assert text.index("conclusions stand") < text.index("## Cells")
    assert "&lt;b&gt;rises" in page
    assert "<b>rises" not in page
    assert "| toy1999 | holds in part |" in summary_markdown([outcome])
    told = json.loads(json.dumps(outcome_data(outcome), allow_nan=False))["claims"]
    assert [claim["verdict"] for claim in told] == ["holds in part", "cannot be decided"]
    assert told[0]["parts"][1]["holds"] is False


@pytest.mark.parametrize("name", papers.NAMES)
def test_every_claim_has_a_test_and_every_test_a_claim(name):
    paper = papers.paper(name)
    ids = [claim.id for claim in paper.published.claims]
    assert len(set(ids)) == len(ids)
    assert set(ids) == set(paper.tests)
