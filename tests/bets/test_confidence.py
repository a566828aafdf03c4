"""Accuracy against the share answered, against a definition tried out in all orders, and by simulation."""

import json
from itertools import permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.bets.confidence import trace_coverage
from fivefold.errors import InputError
from fivefold.formulas import binomial_limits


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=6))
def test_equally_sure_answers_count_as_in_the_mean_over_all_orders(cases):
    right, sure = (np.array(column) for column in zip(*cases, strict=True))
    areas = [
        np.mean(np.cumsum(right[list(order)]) / np.arange(1, len(order) + 1))
        for order in permutations(range(len(cases)))
        if all(np.diff(sure[list(order)]) <= 0)
    ]
    told = trace_coverage(right, sure.astype(float))
    assert told.value == pytest.approx(np.mean(areas), abs=1e-12)
    assert told.interval[0] <= told.value <= told.interval[1]
    assert told.selective_accuracy[-1] == pytest.approx(right.mean())
    assert told.value <= told.best + 1e-12


def test_the_order_of_rows_and_any_rising_change_of_confidence_make_no_difference():
    rng = np.random.default_rng(0)
    y, sure = rng.integers(0, 3, 300), rng.integers(0, 40, 300) / 40
    said = np.where(rng.random(300) < 0.4 + sure / 2, y, (y + 1) % 3)
    one = ff.bets.risk_coverage_details(y, said, sure)
    order = rng.permutation(300)
    other = ff.bets.risk_coverage_details(y[order], said[order], np.exp(5 * sure[order]))
    assert (one.value, *one.interval) == pytest.approx((other.value, *other.interval))
    assert ff.bets.risk_coverage(y, said, np.zeros(300)) == pytest.approx(np.mean(y == said))
    assert one.at(1.0) == one.accuracy == pytest.approx(np.mean(y == said))
    top = sure >= one.threshold[3]
    assert one.at(top.mean()) == pytest.approx(np.mean((y == said)[top]))


def test_cases_without_answer_or_confidence_are_left_out_and_nonsense_is_refused():
    told = ff.bets.risk_coverage_details(["a", "b", "a", "b"], ["a", None, "b", "b"], [0.9, 0.8, 0.7, np.nan])
    assert told.n_cases == 2
    assert told.value == pytest.approx(0.75)
    with pytest.raises(InputError, match="none"):
        ff.bets.risk_coverage(["a", "b"], [None, None], [0.1, 0.2])
    with pytest.raises(InputError, match="confidence"):
        ff.bets.risk_coverage(["a", "b"], ["a", "b"], [0.1])
    with pytest.raises(InputError, match="above 0"):
        told.at(0.0)


@pytest.mark.parametrize(("shape", "groups"), [("flat", 1), ("steep", 1), ("bad", 1), ("steep", 5)])
def test_the_interval_holds_the_truth_as_often_as_it_says(shape, groups):
    rng = np.random.default_rng(7)

    def draw(n):
        sure = np.repeat(rng.random(n // groups), groups)
        loss = {"flat": 1.0, "steep": 3 * (1 - sure) ** 2, "bad": 3 * sure**2}[shape]
        luck = np.repeat(rng.random(n // groups), groups)
        belonging = ff.inputs.groups.read_groups(np.arange(n) // groups, n) if groups > 1 else None
        return luck > 0.15 * loss, np.round(sure, 2), belonging

    truth = np.mean([trace_coverage(*draw(200_000)[:2]).value for _ in range(3)])
    intervals = [trace_coverage(*draw(200)).interval for _ in range(300)]
    held = np.mean([low <= truth <= high for low, high in intervals])
    assert held >= 0.92


def test_the_interval_holds_the_truth_where_a_few_that_were_surest_are_wrong():
    # by normal quantiles 91 % of these, though a handful of cases decides
    rng, held = np.random.default_rng(3), []

    def draw(n, top, share, others):
        sure = rng.random(n)
        return rng.random(n) >= np.where(sure > 1 - top, share, others), sure

    for n, *shape in ((80, 0.04, 0.6, 0.02), (100, 0.05, 0.5, 0.01), (100, 0.05, 0.3, 0.05)):
        truth = trace_coverage(*draw(400_000, *shape)).value
        intervals = [trace_coverage(*draw(n, *shape)).interval for _ in range(500)]
        held += [low <= truth <= high for low, high in intervals]
    assert np.mean(held) >= 0.93


def test_answers_that_are_all_as_sure_have_the_interval_of_accuracy():
    # they had counted as if they stood in the middle of all: 22 to 79 % instead of 34 to 66
    for right in (20, 37, 40):
        sure = trace_coverage(np.arange(40) < right, np.full(40, 0.9))
        assert sure.interval == pytest.approx(binomial_limits(right, 40))
    # rounding made that of answers that are all right and differently sure 0 to 100 %
    assert trace_coverage(np.ones(40, bool), np.linspace(0.1, 0.9, 40)).interval[0] > 0.8


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_the_interval_is_as_wide_as_the_jackknife_has_it(digits):
    rng = np.random.default_rng(4)
    sure, right = rng.random(500).round(digits), rng.random(500) < 0.7
    left_out = [trace_coverage(np.delete(right, i), np.delete(sure, i)).value for i in range(500)]
    error = np.std(left_out) * np.sqrt(500)
    told = trace_coverage(right, sure)
    assert np.diff(told.interval)[0] == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_classes_that_do_not_occur_can_be_named():
    with pytest.raises(InputError, match="at least two"):
        ff.bets.risk_coverage(["a", "a"], ["a", "a"], [0.6, 0.7])
    assert ff.bets.risk_coverage(["a", "a"], ["a", "a"], [0.6, 0.7], classes=["a", "b"]) == 1.0


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    y, sure = rng.choice(["a", "b"], 500), rng.random(500).round(2)
    said = np.where(rng.random(500) < sure, y, np.where(y == "a", "b", "a"))
    return pl.DataFrame({"y": y, "m": said, "conf": sure, "x": rng.normal(size=500)})


def test_shares_percentages_and_words_say_the_same(table):
    words = {f"{value / 100:.2f}": f"w{value}" for value in range(101)}
    forms = {
        "share": table,
        "percent": table.with_columns(pl.col("conf") * 100),
        "signs": table.with_columns((pl.col("conf") * 100).round().cast(pl.Int64).cast(pl.String) + "%"),
        "words": table.with_columns(
            pl.col("conf").map_elements(lambda p: words[f"{p:.2f}"], return_dtype=pl.String)
        ),
    }
    mapping = {word: number for number, word in words.items()}
    told = {}
    for name, frame in forms.items():
        options = {"mapping": mapping} if name == "words" else {}
        evaluation = ff.evaluate_predictions(
            frame, target="y", predictions=["m"], confidence={"m": "conf"}, **options
        )
        told[name] = evaluation.models[0].confidence
        scale = "0 to 100" if name in ("percent", "signs") else "0 to 1"
        assert any(f"read as {scale}" in note for note in evaluation.notes)
        assert {column.column: column.role for column in evaluation.columns}["conf"] == "confidence"
    right = (table["y"] == table["m"]).to_numpy().astype(int)
    reward = ff.bets.information_reward(right, table["conf"].to_numpy())
    for view in told.values():
        assert view.curve.value == pytest.approx(told["share"].curve.value)
        assert view.bets.mean_reward == pytest.approx(reward)
    assert told["share"].curve.value == ff.bets.risk_coverage(table["y"], table["m"], table["conf"])
    assert not told["share"].bets.miscalibrated


def test_confidence_is_in_json_page_text_and_frame(table, tmp_path):
    evaluation = ff.evaluate_predictions(table, target="y", predictions=["m"], confidence={"m": "conf"})
    told = json.loads(evaluation.to_json())["models"][0]["confidence"]
    assert told["area"] == evaluation.models[0].confidence.area
    assert told["bets"]["reward"] == evaluation.models[0].confidence.bets.mean_reward
    assert len(told["curve"]["coverage"]) == len(told["curve"]["accuracy"]) <= 200
    assert "surest" in evaluation.verdict()
    assert "Confidence: is this answer right?" in evaluation.to_html()
    assert evaluation.frame()["coverage_area"][0] == told["area"]
    assert "only confidence in the answers" in evaluation.models[0].absent["bets"]


@pytest.mark.parametrize(
    ("cells", "options", "told"),
    [
        ([1, 2, 3, 4, 5], {}, "whole numbers up to 5"),
        ([0.5, 101.0, 3.0, 4.0, 7.0], {}, "101"),
        ([-0.5, 0.1, 0.2, 0.3, 0.4], {}, "-0.5"),
        (["sure", "0.5", "0.5", "0.1", "0.2"], {}, "--map"),
        ([0.1] * 5, {"confidence": {"zz": "conf"}}, "'zz'"),
        ([0.1] * 5, {"confidence": {"m": "cnof"}}, "did you mean 'conf'"),
    ],
)
def test_confidence_that_cannot_be_read_is_refused(cells, options, told):
    frame = pl.DataFrame({"y": ["a", "b"] * 50, "m": ["a"] * 100, "conf": cells * 20})
    with pytest.raises(InputError) as problem:
        ff.evaluate_predictions(
            frame, target="y", predictions=["m"], **{"confidence": {"m": "conf"}, **options}
        )
    assert told in str(problem.value)


@pytest.mark.parametrize("answers", [["a", "b"], ["b", "a"], [None, None], ["a", None]])
def test_models_that_are_always_right_always_wrong_or_silent_are_judged(answers):
    frame = pl.DataFrame(
        {"y": ["a", "b"] * 30, "m": pl.Series(answers * 30, dtype=pl.String), "c": [0.5, 0.9] * 30}
    )
    evaluation = ff.evaluate_predictions(frame, target="y", predictions=["m"], confidence={"m": "c"})
    assert (evaluation.models[0].confidence is None) == (answers == [None, None])
    assert json.loads(evaluation.to_json())
