"""The information reward: by hand, at its maximum, and where it ruins the gambler."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import xlogy

import fivefold as ff
from fivefold.errors import InputError, InputTypeError

from . import reference
from .tables import inner, many_classes, two_classes


@given(two_classes(p=inner))
def test_two_classes_by_brute_force(table):
    truth, p = table
    result = ff.bets.information_reward_details(truth, p, classes=[0, 1])
    expected = [reference.reward(y, [1 - chance, chance]) for y, chance in zip(truth, p, strict=True)]
    np.testing.assert_allclose(result.per_example, expected, atol=1e-12)
    assert result.mean == pytest.approx(np.mean(expected))
    assert result.sum == pytest.approx(np.sum(expected))


@pytest.mark.parametrize("multiclass", ["contrast", "log"])
@given(many_classes(positive=True))
def test_more_classes_by_brute_force(multiclass, table):
    truth, stated = table
    result = ff.bets.information_reward_details(
        truth, stated, classes=range(stated.shape[1]), multiclass=multiclass
    )
    expected = [
        reference.reward(y, row, multiclass == "contrast")
        for y, row in zip(truth, stated.tolist(), strict=True)
    ]
    np.testing.assert_allclose(result.per_example, expected, atol=1e-12)
    assert ff.bets.information_reward(
        truth, stated, classes=range(stated.shape[1]), multiclass=multiclass
    ) == pytest.approx(np.mean(expected))


@given(two_classes())
def test_one_column_says_what_two_say(table):
    truth, p = table
    both = np.column_stack([1 - p, p])
    single = ff.bets.information_reward_details(truth, p, classes=[0, 1]).per_example
    np.testing.assert_allclose(
        single, ff.bets.information_reward_details(truth, both, classes=[0, 1]).per_example, atol=1e-12
    )
    # for two classes both readings are the same
    log = ff.bets.information_reward_details(truth, p, classes=[0, 1], multiclass="log")
    np.testing.assert_allclose(single, log.per_example, atol=1e-12)


@given(many_classes(positive=True))
def test_log_reading_is_lg_n_less_the_log_score(table):
    truth, stated = table
    k = stated.shape[1]
    result = ff.bets.information_reward(truth, stated, classes=range(k), multiclass="log")
    assert result == pytest.approx(np.log2(k) - ff.bets.log_score(truth, stated, classes=range(k)))


@pytest.mark.parametrize("k", [2, 3, 7])
def test_zero_points(k):
    uniform = np.full((4, k), 1 / k)
    truth = [0, 1, 0, 1]
    log = ff.bets.information_reward(truth, uniform, classes=range(k), multiclass="log")
    assert log == pytest.approx(0, abs=1e-12)
    half = np.zeros((4, k))
    half[:, :2] = 0.5
    contrast = ff.bets.information_reward(truth, half, classes=range(k))
    assert contrast == pytest.approx(0, abs=1e-12)


@given(inner, st.floats(0.001, 0.999))
def test_expected_reward_is_highest_at_the_truth_and_falls_short_by_kl(chance, stated):
    def expected(p):
        happens, fails = (ff.bets.information_reward([y], [p], classes=[0, 1]) for y in (1, 0))
        return chance * happens + (1 - chance) * fails

    shortfall = expected(chance) - expected(stated)
    assert shortfall >= -1e-12
    assert shortfall == pytest.approx(
        ff.bets.kl_distance([1 - chance, chance], [1 - stated, stated]), rel=1e-6, abs=1e-12
    )


@given(st.lists(st.integers(1, 20), min_size=3, max_size=5), st.data())
def test_expected_log_reward_is_highest_at_the_truth_for_more_classes(shares, data):
    k = len(shares)
    chance = np.array(shares) / sum(shares)
    other = np.array(data.draw(st.lists(st.integers(1, 20), min_size=k, max_size=k)))
    stated = other / other.sum()

    def expected(p):
        won = ff.bets.information_reward_details(
            range(k), np.tile(p, (k, 1)), classes=range(k), multiclass="log"
        ).per_example
        return chance @ won

    assert expected(chance) - expected(stated) == pytest.approx(ff.bets.kl_distance(chance, stated), abs=1e-9)


def test_contrast_reading_does_not_see_the_classes_that_were_not_selected():
    truth = [0, 1, 2]
    a = ff.bets.information_reward(truth, [[0.6, 0.4, 0.0]] * 3, classes=range(3))
    b = ff.bets.information_reward(truth, [[0.6, 0.1, 0.3]] * 3, classes=range(3))
    assert a == pytest.approx(b)


def test_impossible_rows_are_named():
    result = ff.bets.information_reward_details([0, 1, 0, 1], [0.5, 0.0, 1.0, 0.9])
    assert result.mean == -np.inf
    np.testing.assert_array_equal(result.impossible, [1, 2])
    assert "are 0 for the true class in rows 1 and 2, so" in result.sentence()
    many = ff.bets.information_reward_details([1] * 8, [0.0] * 8, classes=[0, 1])
    assert "rows 0, 1, 2, 3, 4 and 3 more" in many.sentence()
    assert np.isnan(result.standard_error)


@pytest.mark.parametrize("n", [1, 31, 1000])
def test_clip_is_the_papers_range_and_only_on_request(n):
    result = ff.bets.information_reward_details([0, 1, 0], [1.0, 1.0, 0.3], clip=n).per_example
    low, high = 0.5 / (n + 1), (n + 0.5) / (n + 1)
    np.testing.assert_allclose(result, 1 + np.log2([low, high, np.clip(0.7, low, high)]))
    assert ff.bets.information_reward_details([0, 1], [1.0, 1.0]).per_example.tolist() == [-np.inf, 1.0]


@pytest.mark.parametrize(("clip", "error"), [(0, InputError), (2.5, InputTypeError), (True, InputTypeError)])
def test_clip_must_be_a_sample_size(clip, error):
    with pytest.raises(error, match=str(clip)):
        ff.bets.information_reward([0, 1], [0.2, 0.3], clip=clip)


def test_weight_zero_silences_even_ruin():
    result = ff.bets.information_reward_details([0, 1, 1], [1.0, 0.5, 1.0], sample_weight=[0, 1, 3])
    assert result.mean == pytest.approx(0.75)
    assert result.sum == pytest.approx(3)
    assert "wins +0.750 bits" in result.sentence()


@given(two_classes(p=inner, min_size=3), st.data())
def test_standard_error_of_plain_and_equal_weights(table, data):
    truth, p = table
    plain = ff.bets.information_reward_details(truth, p, classes=[0, 1])
    expected = plain.per_example.std(ddof=1) / np.sqrt(len(truth))
    assert plain.standard_error == pytest.approx(expected, abs=1e-12)
    equal = ff.bets.information_reward_details(
        truth, p, classes=[0, 1], sample_weight=np.full(len(truth), 2.5)
    )
    assert equal.standard_error == pytest.approx(expected, abs=1e-12)


@given(two_classes())
def test_reward_of_zero_and_one_is_never_nan(table):
    result = ff.bets.information_reward_details(*table, classes=[0, 1])
    assert not np.isnan(result.mean)
    assert not np.any(np.isnan(result.per_example))
    assert np.all(result.per_example <= 1)


def test_kl_distance_by_hand_and_by_rows():
    p, q = np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0.25, 0.75], [0.2, 0.8]])
    rows = (xlogy(p, p / q)).sum(axis=1) / np.log(2)
    assert ff.bets.kl_distance(p, q) == pytest.approx(rows.mean())
    assert ff.bets.kl_distance(p[0], q[0]) == pytest.approx(rows[0])
    assert ff.bets.kl_distance([1.0, 0.0], [0.5, 0.5]) == pytest.approx(1)
    assert ff.bets.kl_distance([0.5, 0.5], [1.0, 0.0]) == np.inf


@pytest.mark.parametrize(
    ("p", "q", "shown"),
    [
        ([0.5, 0.5], [0.2, 0.3, 0.5], r"\(1, 2\) and \(1, 3\)"),
        ([0.5, 0.6], [0.5, 0.5], "0.6"),
        ([[0.5, 0.5], [1.5, -0.5]], [[0.5, 0.5]] * 2, "row 1"),
        ([0.5, np.nan], [0.5, 0.5], "nan"),
        ([], [], r"\(0,\)"),
    ],
)
def test_kl_distance_refuses_what_is_no_distribution(p, q, shown):
    with pytest.raises(InputError, match=shown):
        ff.bets.kl_distance(p, q)
