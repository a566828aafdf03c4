import math
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import InputError
from fivefold.formulas import (
    log2_arrangements,
    log2_binomial,
    log2_factorial,
    log2_proper_halvings,
    universal_integer_length,
)


@pytest.mark.parametrize(("k", "bits"), [(1, 1.519), (2, 2.519), (3, 3.768), (10, 7.365)])
def test_universal_code_has_the_known_lengths(k, bits):
    assert universal_integer_length(k) == pytest.approx(bits, abs=5e-4)


def test_universal_code_satisfies_krafts_inequality():
    # the sum tends to 1, but very slowly
    total = sum(2 ** -universal_integer_length(k) for k in range(1, 200_000))
    assert 0.7 < total < 1


@given(st.integers(1, 10**9))
def test_universal_code_never_shrinks(k):
    assert universal_integer_length(k + 1) > universal_integer_length(k)


@pytest.mark.parametrize("k", [0, -3])
def test_universal_code_starts_at_one(k):
    with pytest.raises(InputError, match=str(k)):
        universal_integer_length(k)


@given(st.integers(0, 60))
def test_factorials_and_binomials_agree_with_exact_integers(n):
    assert log2_factorial(n) == pytest.approx(math.log2(math.factorial(n)), abs=1e-9)
    for k in range(n + 1):
        assert log2_binomial(n, k) == pytest.approx(math.log2(math.comb(n, k)), abs=1e-9)


@pytest.mark.parametrize("things", ["", "a", "aab", "aabb", "abcd", "aaaa", "aabbc"])
def test_arrangements_count_the_different_orders(things):
    counts = [things.count(sort) for sort in set(things)]
    assert 2 ** log2_arrangements(counts) == pytest.approx(len(set(permutations(things))))


@pytest.mark.parametrize("v", [2, 3, 4, 5])
def test_halvings_count_the_ways_to_part_values_in_two(v):
    sides = {
        frozenset((frozenset(side), frozenset(set(range(v)) - set(side))))
        for size in range(1, v)
        for side in combinations(range(v), size)
    }
    assert 2 ** log2_proper_halvings(v) == pytest.approx(len(sides))


def test_halvings_of_very_many_values_do_not_overflow():
    assert log2_proper_halvings(5000) == pytest.approx(4999)
    with pytest.raises(InputError, match="1"):
        log2_proper_halvings(1)
