"""Results are frozen, print in one line, give their numbers as a frame, and survive a worker process."""

import dataclasses
import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError
from fivefold.results import CaseScores, Result, mean_of

RNG = np.random.default_rng(0)
CHANCE = RNG.uniform(0.05, 0.95, size=200)
TRUTH = (RNG.uniform(size=200) < CHANCE).astype(int)
SETS = np.column_stack([CHANCE < 0.7, CHANCE > 0.3])
X = CHANCE[:, np.newaxis]
TREE = DecisionTreeClassifier(max_depth=2).fit(X, TRUTH)

RESULTS = {
    "encode": ff.bits.encode(TRUTH, SETS, orderings=3, random_state=0),
    "summarise_answers": ff.bits.summarise_answers(TRUTH, SETS),
    "set_coverage": ff.bits.set_coverage(TRUTH, SETS, promised=0.9),
    "chance_test": ff.bits.chance_test(TRUTH, SETS),
    "description_gain": ff.bits.description_gain(TREE, X, TRUTH, X_test=X, y_test=TRUTH),
    "theory_length_details": ff.bits.theory_length_details(TREE, X),
    "code_length_details": ff.bits.code_length_details(TRUTH, SETS),
    "null_code_length_details": ff.bits.null_code_length_details(TRUTH),
    "information_reward_details": ff.bets.information_reward_details(TRUTH, CHANCE),
    "ruined reward": ff.bets.information_reward_details(TRUTH, 1.0 - TRUTH),
    "weighted reward": ff.bets.information_reward_details(TRUTH, CHANCE, sample_weight=CHANCE),
    "brier_score_details": ff.bets.brier_score_details(TRUTH, CHANCE),
    "log_score_details": ff.bets.log_score_details(TRUTH, CHANCE),
    "kononenko_bratko_score_details": ff.bets.kononenko_bratko_score_details(TRUTH, CHANCE),
    "entropy_gain_details": ff.bets.entropy_gain_details(TRUTH, CHANCE),
    "signed_confidence_details": ff.bets.signed_confidence_details(TRUTH, CHANCE),
    "expected_calibration_error_details": ff.bets.expected_calibration_error_details(TRUTH, CHANCE),
    "debiased_calibration_error_details": ff.bets.debiased_calibration_error_details(TRUTH, CHANCE),
    "auc_details": ff.bets.auc_details(TRUTH, CHANCE),
    "lift_details": ff.bets.lift_details(TRUTH, CHANCE),
    "reliability": ff.bets.reliability(TRUTH, CHANCE),
    "calibration_test": ff.bets.calibration_test(TRUTH, CHANCE),
    "risk_coverage_details": ff.bets.risk_coverage_details(TRUTH, TRUTH[::-1], CHANCE),
    "brier_decomposition": ff.bets.brier_decomposition(TRUTH, CHANCE, by="cells"),
    "log_score_decomposition": ff.bets.log_score_decomposition(TRUTH, CHANCE),
    "corp_decomposition": ff.bets.corp_decomposition(TRUTH, CHANCE),
    "lift_curve": ff.bets.lift_curve(TRUTH, CHANCE),
    "roc": ff.bets.roc(TRUTH, CHANCE),
    "threshold_curve": ff.bets.threshold_curve(TRUTH, CHANCE),
    "recalibrate": ff.bets.recalibrate(TRUTH, CHANCE, methods=["sigmoid"]),
}
ROWS = {
    "encode": 200,
    "summarise_answers": 3,
    "set_coverage": 2,
    "information_reward_details": 200,
    "lift_curve": 20,
    "recalibrate": 2,
}


@pytest.fixture(params=RESULTS)
def result(request):
    return RESULTS[request.param]


def test_every_function_that_gives_a_result_is_tried_here():
    for view in (ff.bits, ff.bets):
        for name in view.__all__:
            function = getattr(view, name)
            if inspect.isfunction(function):
                returned = str(inspect.signature(function).return_annotation).split(" |")[0]
                # a number, or one for each case, says itself what it is
                assert returned in ("float", "Floats") or function.__name__ in RESULTS, name


def test_is_a_frozen_dataclass(result):
    assert isinstance(result, Result)
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(result, field.name)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.something_new = 1


def test_says_what_it_is(result):
    assert result.title
    assert result.unit
    assert result.direction in ("higher is better", "lower is better", "neither")


def test_prints_in_one_line(result):
    text = str(result)
    assert text
    assert "\n" not in text
    assert "array(" not in text
    assert len(text) < 220


def test_frames_of_three_libraries_hold_the_same_numbers(result):
    polars, pandas, arrow = (result.frame(library) for library in ("polars", "pandas", "pyarrow"))
    assert isinstance(polars, pl.DataFrame)
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(arrow, pa.Table)
    assert polars.columns == list(pandas.columns) == arrow.column_names == list(result.columns())
    rows = polars.rows()
    assert len(rows) >= 1
    assert pl.from_arrow(arrow).equals(polars)
    assert pl.DataFrame(pandas.to_dict("list"), schema=polars.schema).equals(polars)


@pytest.mark.parametrize(("name", "rows"), ROWS.items())
def test_frames_have_a_row_for_each_thing(name, rows):
    assert RESULTS[name].frame().height == rows


def test_polars_is_the_default_and_others_are_named(result):
    assert isinstance(result.frame(), pl.DataFrame)
    with pytest.raises(InputError, match="'cudf'"):
        result.frame("cudf")


def test_pickles(result):
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result)
    assert str(again) == str(result)
    assert again.frame().equals(result.frame())
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.title = "other"


def test_a_frame_of_scores_is_the_scores():
    result = RESULTS["brier_score_details"]
    assert result.frame()["brier_score"].to_list() == result.per_example.tolist()


def test_mean_of_weighs_and_silences():
    scores = np.array([1.0, 3.0, -np.inf])
    assert mean_of(scores[:2], None) == 2
    assert mean_of(scores, np.array([3.0, 1.0, 0.0])) == 1.5
    assert mean_of(scores, np.array([3.0, 1.0, 1.0])) == -np.inf


def test_standard_error_of_one_case_is_unknown():
    assert np.isnan(CaseScores(np.array([1.0]), 1.0).standard_error)
    assert "s.e." not in str(CaseScores(np.array([1.0]), 1.0))
