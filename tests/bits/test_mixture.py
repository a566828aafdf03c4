"""The promise of the mixture code, on sequences that try to break it."""

from itertools import permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fivefold as ff
from fivefold.bits import _kernels
from fivefold.bits.cells import AnswerCells
from fivefold.bits.codes import MEMORIES, ODDS
from fivefold.formulas import log2_arrangements

from .streams import as_matrix, streams

ROUNDING = 1e-7


def null_bits(truth, n):
    return ff.bits.null_code_length(truth, classes=range(n))


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


def test_no_code_vanishes_when_the_answers_turn_bad():
    # in the order of the kernel itself: right 5,000 times, then wrong
    truth, answers = right_then_wrong(5000, 10_000, 2, np.random.default_rng(2))
    cells, bits = AnswerCells.of(truth.astype(np.int32), answers.astype(np.int32), 2), np.zeros(15_000)
    beliefs = _kernels.Beliefs(cells, ODDS, MEMORIES, 0.0)
    total = _kernels.send(beliefs, cells.codes.astype(np.int32), np.empty(0), bits)
    assert np.all(np.isfinite(bits))
    assert np.all(bits >= -1e-9)
    assert bits.max() < 20
    assert bits.sum() == pytest.approx(total)
    assert total <= log2_arrangements(np.bincount(truth)) + 1 + ROUNDING


@given(streams(max_cases=80, sizes=lambda n: range(1, n)), st.integers(-16, 16))
def test_within_seven_bits_of_any_fixed_odds(stream, exponent):
    n, truth, sets = stream
    odds, fixed = 2.0**exponent, null_bits(truth, n)
    counts = np.bincount(truth, minlength=n)
    for t in np.random.default_rng(len(truth)).permutation(len(truth)):
        inside = counts[list(sets[t])].sum() / counts.sum()
        fixed -= np.log2((odds if truth[t] in sets[t] else 1.0) / (odds * inside + 1 - inside))
        counts[truth[t]] -= 1
    result = ff.bits.code_length(truth, as_matrix(sets, n), classes=range(n), code="mixture")
    # the prior of a degree of trust is 1/128, of no trust a half
    assert result <= fixed + (1 if exponent == 0 else 7) + ROUNDING


@given(streams(max_cases=60))
def test_one_answer_to_all_cases_saves_nothing(stream):
    n, truth, sets = stream
    assert (
        saved(truth, as_matrix([sets[0]] * len(truth), n), n) == 0.0
    )  # "-1.1e-12" in a table is no number to read


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_of_all_arrangements_sum_to_one(n_classes):
    # given how often each class comes, the code is a probability: no chance can beat it on average
    totals = [3, 2, 1][:n_classes]
    sets = [{0}, set(), {1}, {0}, {0, 1}, {0}][: sum(totals)]
    labels = [label for label, count in enumerate(totals) for _ in range(count)]
    arrangements = sorted(set(permutations(labels)))
    price = np.log2(comb(len(labels) + n_classes - 1, n_classes - 1))
    lengths = [
        ff.bits.code_length(truth, as_matrix(sets, n_classes), classes=range(n_classes), code="mixture")
        for truth in arrangements
    ]
    assert np.exp2(price - np.array(lengths)).sum() == pytest.approx(1)


def test_a_rare_alarm_that_is_mostly_right_is_worth_nearly_its_information():
    # 24 hits among 32 alarms, 163 events in 4,800 cases: n times the mutual information is 94 bits
    truth, alarms = np.zeros(4800, int), np.zeros(4800, int)
    truth[:163], alarms[:24], alarms[-8:] = 1, 1, 1
    assert 70 < saved(truth, alarms, 2) < 94


@pytest.mark.parametrize("n", [2, 10])
def test_rows_in_the_order_of_classes_give_dice_no_bits(n):
    truth = np.sort(np.random.default_rng(0).integers(n, size=1000))
    assert saved(truth, np.random.default_rng(1).integers(n, size=1000), n) < 1


def test_a_good_model_is_believed():
    rng = np.random.default_rng(3)
    truth = rng.integers(4, size=2000)
    answers = np.where(rng.uniform(size=2000) < 0.9, truth, (truth + rng.integers(1, 4, size=2000)) % 4)
    # long-run bits per case with 90 % right among four equal classes: H(.9) + .1 lg 3
    ideal = 2000 * (-0.9 * np.log2(0.9) - 0.1 * np.log2(0.1) + 0.1 * np.log2(3))
    assert ff.bits.code_length(truth, answers, classes=range(4), code="mixture") == pytest.approx(
        ideal, rel=0.06
    )


@pytest.mark.parametrize(("n_first", "totals"), [(3, (7, 5)), (20, (20, 20)), (1, (2, 30)), (14, (300, 15))])
def test_the_exact_p_value_is_as_probable_as_it_says(n_first, totals):
    """Dealt at random, a p-value of p or less comes with probability p, whatever the answers are measured by."""
    n_ours, n_others = totals
    ways = range(max(0, n_first - n_others), min(n_ours, n_first) + 1)
    p_values = []
    for both in ways:
        truth = np.repeat([0, 1, 0, 1], [both, n_first - both, n_ours - both, n_others - n_first + both])
        answers = np.repeat([0, 1], [n_first, sum(totals) - n_first])
        p_values.append(ff.bits.chance_test(truth, answers).p_value)
    p_values = np.array(p_values)
    probable = stats.hypergeom.pmf(ways, sum(totals), n_ours, n_first)
    for p_value in p_values:
        assert probable[p_values <= p_value * (1 + 1e-12)].sum() == pytest.approx(p_value)


def test_counting_all_ways_and_dealing_agree():
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=60)
    answers = np.where(rng.random(60) < 0.3, truth, rng.integers(2, size=60))
    counted = ff.bits.chance_test(truth, answers).p_value
    # single cases as groups are dealt one by one
    dealt = ff.bits.chance_test(truth, answers, groups=range(60), n_resamples=20_000).p_value
    assert counted == pytest.approx(dealt, rel=0.5)
