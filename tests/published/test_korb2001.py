"""Korb, Hope and Hughes (2001): what the paper prints, as far as no learner is needed."""

import numpy as np
import pytest

import fivefold as ff
from fivefold.papers import read_published

pytestmark = pytest.mark.published

PUBLISHED = read_published("korb2001")
PROPERTIES = PUBLISHED["properties"]
TRIPLES = [
    PUBLISHED[name] for name in ("reward_accuracy", "reward_miscalibration", "accuracy_miscalibration")
]


def correlation_matrices():
    for place in TRIPLES[0]:
        a, b, c = (table[place].value for table in TRIPLES)
        yield *place, np.array([[1, a, b], [a, 1, c], [b, c, 1]])


def can_exist(matrix):
    """Say whether correlations that round to these can exist together; shrinking the rest covers rounding."""
    lowest = np.linalg.eigvalsh(matrix)[0]
    return lowest > -0.002


def test_one_printed_triple_of_correlations_is_impossible():
    whole = [each for each in correlation_matrices() if np.all(np.isfinite(each[2]))]
    assert len(whole) == 80 - 2
    impossible = [(data_set, algorithm) for data_set, algorithm, matrix in whole if not can_exist(matrix)]
    assert impossible == [("BC", "C4.5")]


def test_a_lost_minus_sign_explains_it():
    a, b, c = 0.410, -0.602, 0.606
    printed = np.array([[1, a, b], [a, 1, c], [b, c, 1]])
    assert np.linalg.det(printed) == pytest.approx(-0.197, abs=0.0005)
    printed[1, 2] = printed[2, 1] = -c
    assert can_exist(printed)


@pytest.mark.parametrize("data_set", PROPERTIES.rows)
def test_two_thirds_are_rounded_down(data_set):
    train, test = (int(PROPERTIES[data_set, part].value) for part in ("training cases", "test cases"))
    assert train == 2 * (train + test) // 3


def certain_answers(n_right, n_wrong, n_classes=4):
    """Cases whose selected class has probability one, as at a pure leaf."""
    stated = np.zeros((n_right + n_wrong, n_classes))
    stated[:, 0] = 1
    return np.array([0] * n_right + [1] * n_wrong), stated


def test_clip_range_of_a_training_set_of_31():
    truth, stated = certain_answers(1, 1)
    told = ff.bets.information_reward_details(truth, stated, classes=range(4), clip=31)
    np.testing.assert_allclose(told.per_example, [0.97728, -5.0], atol=5e-6)


@pytest.mark.parametrize(
    ("accuracy", "clip", "printed"),
    [(0.975, 31, 0.828), (0.9875, 31, 0.903), (0.975, 16, 0.831), (0.975, 47, 0.821)],
)
def test_soybean_reward_takes_the_training_size_for_n(accuracy, clip, printed):
    # 25 runs of 16 test cases; only n = 31, the training set, gives the printed .828 (C4.5) and .903 (MML tree)
    right = round(400 * accuracy)
    truth, stated = certain_answers(right, 400 - right)
    told = ff.bets.information_reward(truth, stated, classes=range(4), clip=clip)
    assert told == pytest.approx(printed, abs=0.0005)


def test_soybean_miscalibration_uses_unclipped_probabilities():
    # the mean over runs is (1 - .975) sqrt(16/15) = .026 as printed, and linear in the errors: correlation -1
    by_errors = [ff.bets.miscalibration(*certain_answers(16 - w, w), classes=range(4)) for w in range(4)]
    np.testing.assert_allclose(by_errors, np.arange(4) / 16 * np.sqrt(16 / 15))
    errors = [1] * 10 + [0] * 15
    assert np.mean([by_errors[each] for each in errors]) == pytest.approx(0.026, abs=0.0005)


def test_plus_minus_is_the_spread_of_single_runs():
    # SO, C4.5: .975 ± .087 is 1.96 standard deviations; one binomial run of 16 cases has .039
    assert pytest.approx(0.044, abs=0.0005) == 0.087 / 1.96
    assert np.sqrt(0.975 * 0.025 / 16) == pytest.approx(0.039, abs=0.0005)


def test_footnote_rewards_the_selected_class_against_all_others():
    stated = [[0.5, 0.3, 0.2], [0.75, 0.25, 0.0]]
    told = ff.bets.information_reward_details(["a", "c"], stated, classes=["a", "b", "c"])
    np.testing.assert_allclose(told.per_example, [0, 1 + np.log2(0.25)])


def test_ignorance_and_certainty_are_worth_nothing_and_one_bit():
    assert ff.bets.information_reward([0, 1], [0.5, 0.5]) == 0
    assert ff.bets.information_reward([0, 1], [0.0, 1.0]) == 1
