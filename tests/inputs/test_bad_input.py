"""Every bad input is refused in one sentence that says what was expected and what came instead."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import fivefold as ff
from fivefold.errors import FivefoldError, InputError, InputTypeError
from fivefold.evaluation import evaluate_models

TRUTH = ["a", "b", "a", "b"]
STATED = [0.2, 0.7, 0.4, 0.9]
MATRIX = np.column_stack([1 - np.array(STATED), STATED])
DAY = dt.date(2020, 1, 1)

TRUTHS = {
    "no rows": ([], InputError, "0 rows"),
    "no rows, array": (np.empty(0, dtype=int), InputError, "0 rows"),
    "None": (None, InputTypeError, "None (NoneType)"),
    "a number": (5, InputTypeError, "5 (int)"),
    "an array without dimensions": (np.array(5), InputTypeError, "array(5) (ndarray)"),
    "a numpy number": (np.float64(0.5), InputTypeError, "np.float64(0.5) (float64)"),
    "a text": ("abab", InputTypeError, "'abab' (str)"),
    "bytes": (b"abab", InputTypeError, "b'abab' (bytes)"),
    "a dict": ({0: "a", 1: "b"}, InputTypeError, "{0: 'a', 1: 'b'} (dict)"),
    "a set": ({"a", "b"}, InputTypeError, "(set)"),
    "one class": (["a"] * 4, InputError, "1"),
    "a missing class": (["a", None, "a", "b"], InputError, "missing value in row 1"),
    "a NaN class": ([1.0, 0.0, np.nan, 1.0], InputError, "missing value in row 2"),
    "a pandas NA class": (pd.Series([1, None, 0, 1], dtype="Int64"), InputError, "missing value in row 1"),
    "a hidden class": (np.ma.array([0, 1, 0, 1], mask=[0, 0, 0, 1]), InputError, "missing value in row 3"),
    "fractions": ([0.5, 1.0, 0.5, 1.0], InputError, "0.5"),
    "infinity": ([np.inf, 1.0, 0.0, 1.0], InputError, "inf"),
    "infinity as an object": (np.array([np.inf, 1, 0, 1], dtype=object), InputTypeError, "inf (float)"),
    "datetimes": (np.array(["2020-01-01"] * 4, dtype="M8[D]"), InputTypeError, "datetime64[D]"),
    "timedeltas": (np.array([1, 2, 1, 2], dtype="m8[D]"), InputTypeError, "timedelta64[D]"),
    "dates": ([DAY] * 4, InputTypeError, "datetime.date(2020, 1, 1) (date)"),
    "pandas datetimes": (pd.Series(pd.to_datetime(["2020-01-01"] * 4)), InputTypeError, "Timestamp"),
    "polars dates": (pl.Series([DAY] * 4), InputTypeError, "datetime.date(2020, 1, 1)"),
    "byte labels": (np.array([b"a", b"b", b"a", b"b"]), InputTypeError, "bytes"),
    "complex numbers": ([1j, 2, 1j, 2], InputTypeError, "1j (complex)"),
    "complex array": (np.array([1j, 2, 1j, 2]), InputTypeError, "complex128"),
    "texts and numbers": (["a", 1, "a", 1], InputTypeError, "'a' and numbers such as 1"),
    "lists": (["a", ["b"], "a", "b"], InputTypeError, "['b'] in row 1 (list)"),
    "tuples": (["a", ("b",), "a", "b"], InputTypeError, "('b',) in row 1 (tuple)"),
    "dicts within": (["a", "b", "a", {"b": 1}], InputTypeError, "{'b': 1} in row 3 (dict)"),
    "a matrix": (np.zeros((4, 2), dtype=int), InputError, "(4, 2)"),
    "numbers beyond 64 bits": ([2**70, 1, 2**70, 1], InputError, str(2**70)),
    "unsigned numbers beyond 63 bits": (np.array([2**63, 1, 1, 1], dtype="u8"), InputError, str(2**63)),
    "floats beyond 64 bits": ([1e300, 1.0, 1e300, 1.0], InputError, "1e+300"),
}


def check(caught, shown):
    text = str(caught.value)
    assert text.startswith("expected ")
    assert "; got " in text
    assert shown in text.split("; got ", 1)[1]
    assert isinstance(caught.value, ValueError | TypeError)


@pytest.mark.parametrize("case", TRUTHS)
def test_truth(case):
    truth, error, shown = TRUTHS[case]
    for call in (
        lambda: ff.bits.null_code_length(truth),
        lambda: ff.bits.significance(truth, truth),
        lambda: ff.bets.information_reward(truth, STATED),
        lambda: ff.bets.miscalibration(truth, STATED),
    ):
        try:
            call()
        except FivefoldError:
            continue
        pytest.fail("not refused")
    with pytest.raises(error) as caught:
        ff.bits.null_code_length(truth)
    check(caught, shown)


@pytest.mark.parametrize("case", [case for case in TRUTHS if case not in ("one class", "texts and numbers")])
def test_truth_beside_given_classes(case):
    truth, _, _ = TRUTHS[case]
    with pytest.raises((InputError, InputTypeError)) as caught:
        ff.bits.null_code_length(truth, classes=["a", "b"])
    check(caught, "")


ANSWERS = {
    "too few": (["a", "b"], InputError, "2 rows"),
    "too many": (["a"] * 5, InputError, "5 rows"),
    "None": (None, InputTypeError, "None"),
    "a text": ("abab", InputTypeError, "'abab' (str)"),
    "a number": (3, InputTypeError, "3 (int)"),
    "no dimensions": (np.array("a"), InputTypeError, "ndarray"),
    "a dict": ({"a": 1}, InputTypeError, "dict"),
    "an empty text": (["a", "", "a", "b"], InputError, "''"),
    "an empty text in a set": ([{"a"}, {""}, {"b"}, {"a"}], InputError, "''"),
    "numbers": ([0, 1, 0, 1], InputTypeError, "'a' and numbers such as 0"),
    "bytes": ([b"a", b"b", b"a", b"b"], InputTypeError, "b'a' (bytes)"),
    "a dict within": (["a", {"b": 1}, "a", "b"], InputTypeError, "{'b': 1} in row 1"),
    "dates": ([DAY] * 4, InputTypeError, "datetime.date"),
    "a matrix of 0 and 1": (np.eye(2, dtype=int)[[0, 1, 0, 1]], InputTypeError, "a matrix of int64"),
    "a matrix of probabilities": (MATRIX, InputTypeError, "a matrix of float64"),
    "a matrix of texts": (np.full((4, 2), "a"), InputTypeError, "a matrix of <U1"),
    "two levels of sets": (np.zeros((4, 2, 2), dtype=bool), InputError, "(4, 2, 2)"),
    "too many columns": (np.zeros((4, 3), dtype=bool), InputError, "3 columns"),
    "one column": (np.zeros((4, 1), dtype=bool), InputError, "1 columns"),
    "a sparse matrix": (sparse.csr_matrix(np.eye(4, 2, dtype=bool)), InputTypeError, "row 0"),
}


@pytest.mark.parametrize("case", ANSWERS)
@pytest.mark.parametrize("function", ["code_length", "significance", "encode", "summarise_answers"])
def test_answers(case, function):
    answers, error, shown = ANSWERS[case]
    with pytest.raises(error) as caught:
        getattr(ff.bits, function)(TRUTH, answers)
    check(caught, shown)


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        (["a", "c", "a", "b"], "'c' in row 1"),
        ([{"a"}, {"b"}, {"a", "c"}, {"b"}], "'c' in row 2"),
        ([0, 1, 0, 1], "0 in row 0"),
        (["a", "b", "", "b"], "'' in row 2"),
        ([["a"], ["b"], [None], ["b"]], "None in row 2"),
        (np.zeros((4, 3), dtype=bool), "3 columns"),
        (["A", "b", "a", "b"], "'A' in row 0"),
    ],
)
def test_answers_beside_given_classes(answers, shown):
    with pytest.raises(InputError) as caught:
        ff.bits.code_length(TRUTH, answers, classes=["a", "b"])
    check(caught, shown)


def test_a_hint_tells_1_from_text_1():
    with pytest.raises(InputError, match="classes are of type str; convert one side"):
        ff.bits.code_length(["1", "0"], [1, 0], classes=["0", "1"])


PROBABILITIES = {
    "too few": ([0.5], InputError, "1 row."),
    "too many": (np.full((5, 2), 0.5), InputError, "5 rows"),
    "None": (None, InputTypeError, "None"),
    "a text": ("half", InputTypeError, "'half'"),
    "a number": (0.5, InputTypeError, "0.5 (float)"),
    "no dimensions": (np.array(0.5), InputTypeError, "array(0.5)"),
    "a dict": ({"a": 0.5}, InputTypeError, "dict"),
    "NaN": ([0.2, np.nan, 0.4, 0.9], InputError, "nan in row 1"),
    "None within": ([0.2, None, 0.4, 0.9], InputError, "nan in row 1"),
    "a hidden number": (np.ma.array(STATED, mask=[0, 0, 1, 0]), InputError, "nan in row 2"),
    "negative": ([0.2, 0.7, -0.1, 0.9], InputError, "-0.1 in row 2"),
    "above one": ([0.2, 0.7, 0.4, 1.1], InputError, "1.1 in row 3"),
    "infinite": ([0.2, 0.7, 0.4, np.inf], InputError, "inf in row 3"),
    "minus infinite": ([-np.inf, 0.7, 0.4, 0.1], InputError, "-inf in row 0"),
    "texts": (["0.2", "0.7", "0.4", "0.9"], InputTypeError, "'0.2' in row 0"),
    "one text": ([0.2, "0.7", 0.4, 0.9], InputTypeError, "'0.7' in row 1"),
    "texts as objects": (np.array(["0.2"] * 4, dtype=object), InputTypeError, "'0.2' in row 0"),
    "texts as an array": (np.array(["0.2"] * 4), InputTypeError, "'0.2' in row 0"),
    "texts in pandas": (pd.Series(["0.2"] * 4), InputTypeError, "'0.2' in row 0"),
    "a text in a matrix": ([[0.8, 0.2], [0.5, "0.5"], [1, 0], [1, 0]], InputTypeError, "'0.5' in row 1"),
    "dates": (np.array(["2020-01-01"] * 4, dtype="M8[D]"), InputTypeError, "datetime64[D]"),
    "complex": (np.array([1j] * 4), InputTypeError, "complex128"),
    "ragged rows": ([[0.5, 0.5], [1.0], [0.5, 0.5], [0.5, 0.5]], InputTypeError, "shape"),
    "rows that sum to 0.9": (np.append(MATRIX[:3], [[0.4, 0.5]], axis=0), InputError, "sum 0.9 in row 3"),
    "rows that sum to 1.1": (np.append([[0.6, 0.5]], MATRIX[1:], axis=0), InputError, "sum 1.1 in row 0"),
    "rows that sum to 0": (np.zeros((4, 2)), InputError, "sum 0 in row 0"),
    "percentages": (100 * MATRIX, InputError, "in row 0. Hint: divide per cent by 100"),
    "log-odds": (np.array([[2.0, -1.0]] * 4), InputError, "in row 0"),
    "NaN in a matrix": (np.append(MATRIX[:3], [[np.nan, 0.5]], axis=0), InputError, "row 3"),
    "too many columns": (np.full((4, 3), 1 / 3), InputError, "3 columns"),
    "three dimensions": (np.full((4, 2, 1), 0.5), InputError, "(4, 2, 1)"),
    "a sparse matrix": (sparse.csr_matrix(MATRIX), InputTypeError, ""),
}


@pytest.mark.parametrize("case", PROBABILITIES)
@pytest.mark.parametrize(
    "function",
    ["information_reward", "miscalibration", "reliability", "brier_score", "auc", "corp_decomposition"],
)
def test_probabilities(case, function):
    stated, error, shown = PROBABILITIES[case]
    with pytest.raises(error) as caught:
        getattr(ff.bets, function)(TRUTH, stated)
    check(caught, shown)


def test_one_column_needs_two_classes():
    with pytest.raises(InputError) as caught:
        ff.bets.log_score(["a", "b", "c", "a"], STATED, classes=["a", "b", "c"])
    check(caught, "one column")


CLASSES = {
    "twice": (["a", "b", "a"], InputError, "'a' twice"),
    "one": (["a"], InputError, "1"),
    "none": ([], InputError, "0 rows"),
    "missing": (["a", "b", None], InputError, "missing"),
    "of two types": (["a", 1], InputTypeError, "'a' and numbers such as 1"),
    "a text": ("ab", InputTypeError, "'ab'"),
    "a set has no order": ({"a", "b"}, InputTypeError, "(set)"),
    "fractions": ([0.5, 1.5], InputTypeError, "0.5 (float)"),
    "infinite": ([1.0, np.inf], InputTypeError, "inf (float)"),
    "bytes": ([b"a", b"b"], InputTypeError, "b'a' (bytes)"),
    "an array of bytes": (np.array([b"a", b"b"]), InputTypeError, "b'a' (bytes)"),
    "dates": ([DAY, DAY + dt.timedelta(1)], InputTypeError, "datetime.date"),
    "tuples": ([("a",), ("b",)], InputTypeError, "('a',) (tuple)"),
    "too large": ([2**64, 1], InputError, str(2**64)),
    "a matrix": (np.array([["a", "b"], ["c", "d"]]), InputError, "(2, 2)"),
    "far too many": (range(70_000), InputError, "70,000"),
}


@pytest.mark.parametrize("case", CLASSES)
def test_classes(case):
    classes, error, shown = CLASSES[case]
    for call in (
        lambda: ff.bits.code_length(TRUTH, TRUTH, classes=classes),
        lambda: ff.bits.null_code_length(TRUTH, classes=classes),
        lambda: ff.bets.information_reward(TRUTH, STATED, classes=classes),
    ):
        with pytest.raises(error) as caught:
            call()
        check(caught, shown)


def test_identifiers_are_not_classes():
    with pytest.raises(InputError, match=r"65,536 classes; got 70,000\. Hint: is this an identifier"):
        ff.bits.significance(np.arange(70_000), np.arange(70_000))


def test_unknown_true_classes():
    with pytest.raises(InputError) as caught:
        ff.bets.information_reward(["a", "b", "z", "b"], STATED, classes=["a", "b"])
    check(caught, "'z' in row 2")
    with pytest.raises(InputError) as caught:
        ff.bits.code_length([0, 1, 7], [0, 1, 0], classes=[0, 1])
    check(caught, "7 in row 2")


def test_errors_survive_a_worker_process():
    import pickle

    error = InputError("this", "that", "try those")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.hint) == (str(error), "try those")


@pytest.mark.parametrize("digits", [2, 3, 4, 6])
@pytest.mark.parametrize("k", [3, 4, 7])
def test_probabilities_that_were_rounded_when_written_are_taken(digits, k):
    rng = np.random.default_rng(digits + k)
    stated = rng.dirichlet(np.ones(k), size=400).round(digits)
    assert np.abs(stated.sum(axis=1) - 1).max() > 0
    truth = rng.integers(k, size=400)
    taken = ff.Predictions.from_probabilities(truth, stated, classes=list(range(k)))
    assert np.array_equal(taken.probabilities, stated), "nothing is rescaled"


@pytest.mark.parametrize("kept_as", [np.float16, np.float32, np.float64])
def test_half_precision_is_taken_and_judged_wherever_it_is_kept(kept_as):
    rng = np.random.default_rng(3)
    stated = rng.dirichlet(np.ones(5), size=300).astype(np.float16).astype(kept_as)
    assert np.abs(stated.sum(axis=1, dtype=float) - 1).max() > 1e-4
    truth = rng.integers(5, size=300)
    taken = ff.Predictions.from_probabilities(truth, stated, classes=range(5))
    assert np.array_equal(taken.probabilities, stated), "nothing is rescaled"
    # what judges them checks them again, when their type is no longer known
    assert evaluate_models([taken], views=["bets"]).models[0].bets.recalibration is not None


@pytest.mark.parametrize("kept_as", [np.float16, np.float64])
def test_a_vote_that_is_missing_is_no_half_precision(kept_as):
    votes = np.random.default_rng(4).multinomial(64, np.full(50, 0.02), size=200) / 64
    votes[7, votes[7].argmax()] -= 1 / 64
    with pytest.raises(InputError, match=r"sum 0\.984375 in row 7"):
        ff.Predictions.from_probabilities(np.arange(200) % 50, votes.astype(kept_as), classes=range(50))


@pytest.mark.parametrize(
    "row", [[0.51, 0.52], [0.3333, 0.6669], [1.04, *[0.0] * 9], [0.9, 0.2], [1.0, 1.0], [0.501, 0.51]]
)
def test_more_than_rounding_is_refused(row):
    other = np.full(len(row), 0.0)
    other[0] = 1
    with pytest.raises(InputError, match=r"sum|between 0 and 1"):
        ff.Predictions.from_probabilities(
            ["0", "0"], np.array([other, row]), classes=list("0123456789"[: len(row)])
        )
