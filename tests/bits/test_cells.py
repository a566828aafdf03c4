import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.bits import _kernels
from fivefold.bits.cells import AnswerCells
from fivefold.bits.codes import MEMORIES, ODDS, counts_bits, encode_cells, run_code
from fivefold.formulas import Pooled, mean_interval, mean_p_value

from .streams import as_matrix, streams


def coded(stream):
    n, truth, sets = stream
    return np.asarray(truth, dtype=np.int32), as_matrix(sets, n), n


@given(streams(max_cases=60))
def test_cells_are_the_answers_and_the_truth(stream):
    truth, answers, n = coded(stream)
    cells = AnswerCells.of(truth, answers, n)
    assert (cells.labels[cells.codes] == truth).all()
    assert (cells.answers[cells.codes] == answers).all()
    assert cells.counts.tolist() == np.bincount(cells.codes, minlength=len(cells.labels)).tolist()
    assert cells.totals.tolist() == np.bincount(truth, minlength=n).tolist()
    sizes = answers.sum(axis=1)
    by_size, right = cells.tally()
    assert by_size.tolist() == np.bincount(sizes, minlength=n + 1).tolist()
    held = answers[np.arange(truth.size), truth]
    assert right.tolist() == np.bincount(sizes[held], minlength=n + 1).tolist()


@given(streams(max_cases=60), st.integers(0, 5))
def test_shuffled_cells_are_cases_in_random_orders(stream, seed):
    truth, answers, n = coded(stream)
    encoding = encode_cells(AnswerCells.of(truth, answers, n), "mixture", 3, seed)
    cells, sums = encoding.cells, np.zeros(len(encoding.cells.labels))
    rng, own = np.random.default_rng(seed), np.random.default_rng(truth.size).permutation(truth.size)
    in_order = np.sort(cells.codes)
    for total in encoding.shuffled:
        codes = rng.permutation(in_order)[own]
        price, bits = counts_bits(truth.size, n) / truth.size, np.zeros(truth.size)
        beliefs = _kernels.Beliefs(cells, ODDS, MEMORIES, price)
        assert total == _kernels.send(beliefs, codes.astype(np.int32), np.empty(0), bits)
        sums += np.bincount(codes, bits, minlength=sums.size)
    expected = sums / np.maximum(cells.counts, 1) / 3
    np.testing.assert_allclose(encoding.mean_by_cell, expected, rtol=1e-12)
    assert encoding.mean_by_cell @ encoding.cells.counts == pytest.approx(encoding.mean)


@given(streams(max_cases=60), st.sampled_from(["frequency", "constant", "laplace", "corrected"]))
def test_other_codes_in_random_orders(stream, code):
    truth, answers, n = coded(stream)
    encoding = encode_cells(AnswerCells.of(truth, answers, n), code, 3, 1)
    rng = np.random.default_rng(1)
    for total in encoding.shuffled:
        order = rng.permutation(truth.size)
        assert total == run_code(code, truth[order], answers[order], n)
    assert encoding.total == run_code(code, truth, answers, n)
    assert encoding.mean_by_cell @ encoding.cells.counts == pytest.approx(encoding.mean)


@pytest.mark.parametrize("n", [50, 8192, 8193, 30_000])
@given(st.integers(0, 3), st.sampled_from([997, 8192, 40_000]))
def test_pooled_numbers_have_the_interval_of_all(n, seed, piece):
    values = np.random.default_rng(seed).random(n).round(3)
    pooled = Pooled.of(lambda: (values[start : start + piece] for start in range(0, n, piece)))
    different, counts = np.unique(values, return_counts=True)
    expected = mean_interval(values, -0.5, 1.5)
    assert mean_interval(pooled, -0.5, 1.5) == pytest.approx(expected, abs=1e-9)
    assert mean_interval(Pooled.counted(different, counts), -0.5, 1.5) == pytest.approx(expected, abs=1e-6)
    assert mean_p_value(pooled, -0.5, 1.5, 0.49) == pytest.approx(mean_p_value(values, -0.5, 1.5, 0.49))
    fine = np.random.default_rng(seed).random(n)
    counted = Pooled.counted(fine, np.ones(n, dtype=np.int64))
    assert mean_interval(counted, -0.5, 1.5) == pytest.approx(mean_interval(fine, -0.5, 1.5), abs=1e-9)
    assert pooled.size == counted.size == n
    assert -(-pooled).mean == pooled.mean == pytest.approx(values.mean())
