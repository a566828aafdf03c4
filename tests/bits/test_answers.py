"""Coverage and sizes of answers, counted by hand."""

import numpy as np
import pytest
from hypothesis import given

import fivefold as ff

from .streams import as_matrix, streams


@given(streams())
def test_shares_by_plain_counting(stream):
    n, truth, sets = stream
    result = ff.bits.summarise_answers(truth, as_matrix(sets, n), classes=range(n))
    size = np.array([len(answer) for answer in sets])
    hit = np.array([y in answer for y, answer in zip(truth, sets, strict=True)])
    assert result.coverage == pytest.approx(hit.mean())
    assert result.accuracy == pytest.approx(np.mean(hit & (size == 1)))
    assert result.mean_size == pytest.approx(size.mean())
    assert result.share_empty == pytest.approx(np.mean(size == 0))
    assert result.share_single == pytest.approx(np.mean(size == 1))
    assert result.share_several == pytest.approx(np.mean(size > 1))
    assert result.share_full == pytest.approx(np.mean(size == n))
    assert result.share_empty + result.share_single + result.share_several == pytest.approx(1)


def test_several_or_no_answers_count_as_wrong():
    result = ff.bits.summarise_answers(["a", "a", "a"], [{"a"}, {"a", "b"}, set()], classes=["a", "b"])
    assert (result.accuracy, result.coverage) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_the_encoding_carries_the_same_counts():
    truth, answers = [0, 1, 2, 0], [{0}, {0, 1}, set(), {0, 1, 2}]
    result = ff.bits.encode(truth, answers, classes=[0, 1, 2]).answers
    np.testing.assert_array_equal(result.by_size, [1, 1, 1, 1])
    np.testing.assert_array_equal(result.right_by_size, [0, 1, 1, 1])


def test_groups_of_one_and_the_same_share_tell_hardly_less_than_single_cases():
    truth, answers = ["a", "b"] * 20, ["a", "a"] * 20
    grouped = ff.bits.set_coverage(truth, answers, groups=np.arange(40) // 2).whole
    alone = ff.bits.set_coverage(truth, answers).whole
    assert grouped.share == alone.share == 0.5
    assert grouped.interval == pytest.approx(alone.interval, abs=0.02)
    assert grouped.interval[0] < alone.interval[0]
