"""The measures, against the worked numbers of the papers and the program, and against exact logarithms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.learners.foil.kernels.clauses import relation_bits
from fivefold.learners.foil.kernels.literals import (
    Logs,
    allowance,
    charge,
    gain,
    information,
    least_cover,
    log_of,
    most_negatives,
)

LOGS = Logs(5000)


def gained(p, t, kept, p_after, t_after, added=1):
    base = information(LOGS, p, t, added)
    return gain(base, information(LOGS, p_after, t_after, added), kept, 0)


@pytest.mark.parametrize(
    ("counts", "program", "paper"),
    [
        # 19 of 81 pairs can be reached: linked_to(A,B) leaves 10 of 10; linked_to(A,C) 18 positives on 41 of 90
        ((19, 81, 10, 10, 10), 20.356, 20.919),
        # days without golf, 5 of 14: outlook = sunny leaves 3 of 5, outlook != overcast 5 of 10
        ((5, 14, 3, 3, 5), 2.2109, 2.2454),
        ((5, 14, 5, 5, 10), 2.2373, 2.4271),
    ],
)
def test_worked_gains(counts, program, paper):
    digits = len(str(program).split(".")[1])
    assert gained(*counts) == pytest.approx(program, abs=0.6 * 10**-digits)
    assert gained(*counts, added=0) == pytest.approx(paper, abs=0.6 * 10**-digits)


@pytest.mark.parametrize(
    ("world", "covered", "bits"), [(81, 19, 73.41), (81, 9, 48.69), (14, 5, 16.252), (14, 9, 16.252)]
)
def test_worked_allowances(world, covered, bits):
    assert allowance(LOGS, world, covered) == pytest.approx(bits, abs=0.006)


def test_worked_bits():
    # golf: two relations, five constants; then two numeric attributes with twelve values left after a literal
    assert relation_bits(2, 5) == pytest.approx(4.3219, abs=1e-3)
    assert relation_bits(2, 2) + log_of(LOGS, 8) == pytest.approx(6.0, abs=1e-3)
    assert charge(np.float32(4.0), 0) == pytest.approx(4.0, abs=2e-3)
    assert charge(np.float32(4.0), 3) == pytest.approx(2.0, abs=1e-3)
    assert charge(np.float32(1.0), 3) == 0


@given(st.integers(1, 2000), st.data())
def test_measures_are_the_formulas(world, data):
    covered = data.draw(st.integers(0, world))
    exact = 1.1 * (math.log2(world) + math.log2(math.comb(world, covered)))
    assert allowance(LOGS, world, covered) == pytest.approx(exact, rel=1e-4, abs=0.1)
    assert information(LOGS, covered, world, 1) == pytest.approx(
        math.log2((world + 1) / (covered + 1)), abs=1e-4
    )


@given(st.integers(1, 300), st.integers(1, 300), st.data())
def test_the_most_negatives_are_where_the_gain_is_just_useful(p, n, data):
    kept = data.draw(st.integers(1, p))
    base = information(LOGS, p, p + n, 1)
    useful = np.float32(data.draw(st.floats(0.1, 1)) * kept * base)
    most = most_negatives(base, useful, kept, kept, 1, np.float32(1))
    for negatives in range(n + 1):
        if abs(negatives - most) > 0.05:
            own = gain(base, information(LOGS, kept, kept + negatives, 1), kept, 0)
            assert (own >= useful) == (negatives <= most)


@given(st.integers(2, 200), st.data())
def test_the_least_cover_is_the_first_that_pays(world, data):
    cover = data.draw(st.integers(0, world))
    bits = data.draw(st.floats(0, 300))
    least = least_cover(LOGS, world, cover, np.float32(bits))
    assert cover < least <= world + 1
    paying = [c for c in range(cover + 1, world + 1) if allowance(LOGS, world, c) > np.float32(bits)]
    assert least == (paying[0] if paying else world + 1)


def test_a_new_variable_gains_a_little():
    assert gain(np.float32(1), np.float32(1), 5, 2) == pytest.approx(0.0011)
    assert gain(np.float32(1), np.float32(1), 0, 2) == 0
    assert gain(np.float32(1), np.float32(1), 5, 0) == 0
