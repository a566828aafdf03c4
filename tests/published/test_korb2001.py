"""Korb, Hope and Hughes (2001): what the paper prints, as far as no learner is needed."""

import numpy as np
import pytest

import fivefold as ff

pytestmark = pytest.mark.published

ALGORITHMS = ("C4.5", "MML Tree", "MML Graph", "Naive Bayes", "DStump")

# Tables 4, 5 and 6: correlations over 25 runs of reward and accuracy, reward and miscalibration, accuracy and
# miscalibration.
CORRELATIONS = {
    "BC": ".410 .810 .689 .865 .434 | -.602 -.664 -.087 -.762 .231 | .606 -.631 -.326 -.878 -.330",
    "CH": ".902 .834 .703 .960 .930 | -.800 -.417 -.701 .405 -.893 | -.940 -.455 -.752 .491 -.838",
    "GL": ".711 .388 .558 .499 .308 | -.892 -.788 -.736 .398 -.492 | -.829 -.588 -.551 .293 -.035",
    "G2": ".823 .594 .868 .960 .477 | -.932 -.712 -.734 -.253 -.610 | -.838 -.545 -.562 -.344 -.692",
    "HD": ".659 .868 .554 .910 .893 | -.827 -.479 -.152 -.546 -.261 | -.834 -.519 -.344 -.447 -.269",
    "HE": ".879 .605 .689 .901 .648 | -.725 -.191 -.266 -.833 -.646 | -.710 .412 .016 -.946 -.647",
    "HO": ".855 .928 .905 .878 .899 | -.487 -.565 -.520 -.462 -.384 | -.235 -.497 -.499 -.287 -.228",
    "HY": ".939 .867 .872 .988 .638 | -.855 -.648 -.394 -.559 .201 | -.805 -.488 -.495 -.622 .086",
    "IR": ".955 .879 .916 .518 .957 | -.929 -.634 -.761 .052 -.988 | -.882 -.400 -.703 .834 -.955",
    "LA": ".725 .928 .833 .880 .538 | -.750 -.667 -.198 -.774 -.468 | -.797 -.351 .345 -.817 -.518",
    "LY": ".658 .789 .730 .817 .715 | -.746 -.239 -.285 -.046 -.244 | -.461 -.127 -.211 .107 -.102",
    "MU": "nan nan 1.000 .881 .998 | nan -.639 -.999 -.755 -.914 | nan nan -1.000 -.682 -.911",
    "SE": ".756 .916 .822 .990 .226 | -.591 -.631 -.575 -.781 .638 | -.642 -.598 -.741 -.811 -.005",
    "SO": "1.000 1.000 .948 .937 .803 | -1.000 -.998 -.957 -.851 -.702 | -1.000 -.998 -.999 -.644 -.815",
    "VO": ".791 .772 .766 .746 .905 | -.631 -.110 -.447 -.696 -.347 | -.807 .419 -.581 -.656 -.397",
    "V1": ".814 .603 .708 .895 .787 | -.616 -.297 -.567 -.680 -.635 | -.789 -.350 -.534 -.866 -.738",
}

# Table 7: cases in the file (not printed), training and test cases (printed).
SPLITS = {
    "BC": (286, 190, 96),
    "CH": (3196, 2130, 1066),
    "GL": (214, 142, 72),
    "G2": (163, 108, 55),
    "HD": (303, 202, 101),
    "HE": (155, 103, 52),
    "HO": (368, 245, 123),
    "HY": (3163, 2108, 1055),
    "IR": (150, 100, 50),
    "LA": (57, 38, 19),
    "LY": (148, 98, 50),
    "MU": (8124, 5416, 2708),
    "SE": (3163, 2108, 1055),
    "SO": (47, 31, 16),
    "VO": (435, 290, 145),
    "V1": (435, 290, 145),
}


def correlation_matrices():
    for data_set, line in CORRELATIONS.items():
        tables = [[float(each) for each in part.split()] for part in line.split("|")]
        for algorithm, a, b, c in zip(ALGORITHMS, *tables, strict=True):
            yield data_set, algorithm, np.array([[1, a, b], [a, 1, c], [b, c, 1]])


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


@pytest.mark.parametrize(("rows", "train", "test"), SPLITS.values(), ids=SPLITS)
def test_two_thirds_are_rounded_down(rows, train, test):
    assert (2 * rows // 3, rows - 2 * rows // 3) == (train, test)


def certain_answers(n_right, n_wrong, n_classes=4):
    """Cases whose selected class has probability one, as at a pure leaf."""
    stated = np.zeros((n_right + n_wrong, n_classes))
    stated[:, 0] = 1
    return np.array([0] * n_right + [1] * n_wrong), stated


def test_clip_range_of_a_training_set_of_31():
    truth, stated = certain_answers(1, 1)
    told = ff.bets.reward(truth, stated, classes=range(4), clip=31)
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
    told = ff.bets.reward(["a", "c"], stated, classes=["a", "b", "c"])
    np.testing.assert_allclose(told.per_example, [0, 1 + np.log2(0.25)])


def test_ignorance_and_certainty_are_worth_nothing_and_one_bit():
    assert ff.bets.information_reward([0, 1], [0.5, 0.5]) == 0
    assert ff.bets.information_reward([0, 1], [0.0, 1.0]) == 1
