"""Totals that have a closed form, and the cases in which one code must equal another."""

from math import lgamma, log, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.bits import _kernels

from .streams import as_matrix, streams


def lg_gamma(x):
    return lgamma(x) / log(2)


def length(truth, sets, n, code):
    return ff.bits.code_length(truth, as_matrix(sets, n), classes=range(n), code=code)


def count_hits(truth, sets):
    return sum(y in answer for y, answer in zip(truth, sets, strict=True))


@given(streams())
def test_laplace_total_depends_on_the_counts_alone(stream):
    n, truth, sets = stream
    hits = count_hits(truth, sets)
    misses = len(truth) - hits
    choice = sum(
        log2(len(answer) if y in answer else n - len(answer)) for y, answer in zip(truth, sets, strict=True)
    )
    flags = lg_gamma(len(truth) + 2) - lg_gamma(hits + 1) - lg_gamma(misses + 1)
    assert length(truth, sets, n, "laplace") == pytest.approx(flags + choice, rel=1e-9, abs=1e-9)


@given(st.data())
def test_constant_code_with_sets_of_one_size_is_a_beta_code(data):
    m = data.draw(st.integers(1, 4), label="size")
    n, truth, sets = data.draw(streams(sizes=lambda n: (min(m, n - 1),)))
    m = len(sets[0])
    h = count_hits(truth, sets)
    s = len(truth) - h
    total = (
        lg_gamma(len(truth) + 1)
        - (lg_gamma(h + m / n) - lg_gamma(m / n))
        - (lg_gamma(s + 1 - m / n) - lg_gamma(1 - m / n))
        + h * log2(m)
        + s * log2(n - m)
    )
    assert length(truth, sets, n, "constant") == pytest.approx(total, rel=1e-9, abs=1e-9)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(5, 9))
def test_null_closed_form(truth, n):
    counts = np.bincount(truth, minlength=n)
    total = lg_gamma(len(truth) + n) - lg_gamma(n) - sum(lg_gamma(count + 1) for count in counts)
    assert ff.bits.null_code_length(truth, classes=range(n)) == pytest.approx(total, rel=1e-12)


def test_two_classes_all_right_is_the_krichevsky_trofimov_code():
    # prod (t + 1/2) / (t + 1), as every binary code with a Beta(1/2, 1/2) prior
    expected = -sum(log2((t + 0.5) / (t + 1)) for t in range(100))
    assert ff.bits.code_length([0] * 100, [0] * 100, classes=[0, 1], code="constant") == pytest.approx(
        expected
    )


@given(streams(sizes=lambda n: range(1, n)))
def test_corrected_is_constant_where_all_classes_are_held_equally_frequent(stream):
    n, truth, sets = stream
    result, matrix, out = np.array(truth, dtype=np.int32), as_matrix(sets, n), np.empty(0)
    with_counts_at_rest = _kernels.weighted(result, matrix, n, False, True, out)
    assert with_counts_at_rest == pytest.approx(
        _kernels.weighted(result, matrix, n, False, False, out), rel=1e-9
    )


@pytest.mark.parametrize("code", ["constant", "frequency", "corrected"])
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_the_first_case_costs_lg_n_whatever_the_answer(code, size):
    # before anything was seen, every class has probability 1/n, in the set or out of it
    assert length([1], [set(range(size))], 3, code) == pytest.approx(log2(3))


@pytest.mark.parametrize("code", ["corrected", "mixture"])
@pytest.mark.parametrize(("share", "n"), [(0.5, 400), (0.9, 2000), (0.99, 5000)])
def test_a_majority_theory_saves_and_costs_next_to_nothing(code, share, n):
    rng = np.random.default_rng(5)
    truth = (rng.uniform(size=n) > share).astype(int)
    saved = ff.bits.significance(truth, np.zeros(n, dtype=int), classes=[0, 1], code=code)
    # one and the same answer tells nothing, and the mixture says so
    assert saved == pytest.approx(0, abs=1e-9) if code == "mixture" else -12 <= saved <= 1


@pytest.mark.parametrize("code", ["corrected", "mixture"])
@given(streams())
def test_abstaining_by_no_class_or_by_every_class_is_the_same(code, stream):
    n, truth, sets = stream
    full = [answer or set(range(n)) for answer in sets]
    none = [answer if len(answer) < n else set() for answer in sets]
    assert length(truth, full, n, code) == pytest.approx(length(truth, none, n, code), rel=1e-12)


@pytest.mark.parametrize("code", ["corrected", "mixture"])
@given(st.lists(st.integers(0, 3), min_size=1, max_size=50))
def test_abstaining_always_costs_the_null_code(code, truth):
    for answer in (set(), {0, 1, 2, 3}):
        expected = ff.bits.null_code_length(truth, classes=range(4))
        assert length(truth, [answer] * len(truth), 4, code) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("code", ["frequency", "constant"])
def test_the_printed_codes_tell_the_two_ways_to_abstain_apart(code):
    truth = [0, 0, 1, 0, 1, 0, 0, 1] * 5
    sets = [{y} if t % 2 else set() for t, y in enumerate(truth)]
    full = [answer or {0, 1} for answer in sets]
    assert abs(length(truth, sets, 2, code) - length(truth, full, 2, code)) > 1
