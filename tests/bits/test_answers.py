"""Coverage and sizes of answers, counted by hand."""

import numpy as np
import pytest
from hypothesis import given

import fivefold as ff

from .streams import as_matrix, streams


@given(streams())
def test_shares_by_plain_counting(stream):
    n, truth, sets = stream
    told = ff.bits.summarise_answers(truth, as_matrix(sets, n), classes=range(n))
    size = np.array([len(answer) for answer in sets])
    hit = np.array([y in answer for y, answer in zip(truth, sets, strict=True)])
    assert told.coverage == pytest.approx(hit.mean())
    assert told.accuracy == pytest.approx(np.mean(hit & (size == 1)))
    assert told.mean_size == pytest.approx(size.mean())
    assert told.share_empty == pytest.approx(np.mean(size == 0))
    assert told.share_single == pytest.approx(np.mean(size == 1))
    assert told.share_several == pytest.approx(np.mean(size > 1))
    assert told.share_full == pytest.approx(np.mean(size == n))
    assert told.share_empty + told.share_single + told.share_several == pytest.approx(1)


def test_several_or_no_answers_count_as_wrong():
    told = ff.bits.summarise_answers(["a", "a", "a"], [{"a"}, {"a", "b"}, set()], classes=["a", "b"])
    assert (told.accuracy, told.coverage) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_the_encoding_carries_the_same_counts():
    truth, said = [0, 1, 2, 0], [{0}, {0, 1}, set(), {0, 1, 2}]
    told = ff.bits.encode(truth, said, classes=[0, 1, 2]).answers
    np.testing.assert_array_equal(told.by_size, [1, 1, 1, 1])
    np.testing.assert_array_equal(told.right_by_size, [0, 1, 1, 1])
