"""The promise of the mixture code, on sequences that try to break it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff

from .streams import as_matrix, streams

ROUNDING = 1e-7


def saved(truth, answers, n):
    return ff.bits.significance(truth, answers, classes=range(n), code="mixture")


@given(streams(max_cases=80))
def test_never_more_than_one_bit_above_the_null(stream):
    n, truth, sets = stream
    assert saved(truth, as_matrix(sets, n), n) >= -1 - ROUNDING


def right_then_wrong(first, second, n, rng):
    truth = rng.integers(n, size=first + second)
    wrong = (truth + 1) % n
    return truth, np.where(np.arange(first + second) < first, truth, wrong)


@pytest.mark.parametrize("n", [2, 3, 20])
def test_a_model_that_turns_bad_does_not_break_the_promise(n):
    # 5,000 good answers push the odds of one 5,000 bits down, far below the smallest double
    truth, answers = right_then_wrong(5000, 5000, n, np.random.default_rng(0))
    assert saved(truth, answers, n) >= -1 - ROUNDING
    assert saved(truth[::-1], answers[::-1], n) >= -1 - ROUNDING


@pytest.mark.parametrize("n", [2, 7])
def test_an_adversary_who_answers_against_the_best_odds_so_far(n):
    truth, answers = right_then_wrong(300, 100_000, n, np.random.default_rng(1))
    assert saved(truth, answers, n) >= -1 - ROUNDING


def test_underflow_would_show_in_the_bits_of_single_cases():
    # right 5,000 times, then wrong: each wrong answer costs at most about 16 bits, until the odds turn
    truth, answers = right_then_wrong(5000, 10_000, 2, np.random.default_rng(2))
    result = ff.bits.encode(truth, answers, classes=[0, 1], code="mixture")
    assert np.all(np.isfinite(result.per_example))
    assert np.all(result.per_example >= 0)
    assert result.per_example.max() < 20
    assert result.per_example.sum() == pytest.approx(result.total)
    # by then two of three answers were wrong: odds of 1/2 hold nearly all of the posterior
    assert result.per_example[-1] == pytest.approx(np.log2(3 / 2), abs=0.02)


@given(streams(max_cases=80, sizes=lambda n: range(1, n)), st.integers(-16, 16))
def test_within_six_bits_of_any_fixed_odds(stream, exponent):
    n, truth, sets = stream
    odds = 2.0**exponent
    counts, fixed = np.ones(n), 0.0
    for y, answer in zip(truth, sets, strict=True):
        p = counts / counts.sum()
        inside = p[list(answer)].sum()
        fixed -= np.log2((odds if y in answer else 1.0) * p[y] / (odds * inside + 1 - inside))
        counts[y] += 1
    result = ff.bits.code_length(truth, as_matrix(sets, n), classes=range(n), code="mixture")
    # the prior of a component is 1/64, of odds of one a half
    assert result <= fixed + (1 if exponent == 0 else 6) + ROUNDING


def test_a_good_model_is_believed():
    rng = np.random.default_rng(3)
    truth = rng.integers(4, size=2000)
    answers = np.where(rng.uniform(size=2000) < 0.9, truth, (truth + rng.integers(1, 4, size=2000)) % 4)
    # long-run bits per case with 90 % right among four equal classes: H(.9) + .1 lg 3
    ideal = 2000 * (-0.9 * np.log2(0.9) - 0.1 * np.log2(0.1) + 0.1 * np.log2(3))
    assert ff.bits.code_length(truth, answers, classes=range(4), code="mixture") == pytest.approx(
        ideal, rel=0.06
    )
