import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import InputError
from fivefold.formulas import AdaptiveCoder


def closed_form(symbols, size):
    counts = [symbols.count(symbol) for symbol in range(size)]
    ways = math.factorial(len(symbols) + size - 1) // math.factorial(size - 1)
    return math.log2(ways) - sum(math.log2(math.factorial(count)) for count in counts)


@given(
    st.integers(1, 5).flatmap(lambda k: st.tuples(st.just(k), st.lists(st.integers(0, k - 1), max_size=30)))
)
def test_the_total_has_a_closed_form_in_any_order(case):
    size, symbols = case
    coder = AdaptiveCoder(size)
    assert sum(coder.cost(symbol) for symbol in symbols) == pytest.approx(
        closed_form(symbols, size), abs=1e-9
    )


@pytest.mark.parametrize("length", [1, 2, 4])
def test_the_code_is_complete_also_with_symbols_left_out(length):
    total = 0.0
    for symbols in product(range(3), repeat=length):
        coder, bits, allowed = AdaptiveCoder(3), 0.0, np.ones(3, dtype=bool)
        for symbol in symbols:
            if not allowed[symbol]:
                break
            bits += coder.cost(symbol, allowed)
            allowed[:] = True
            allowed[symbol] = False
        else:
            total += 2.0**-bits
    assert total == pytest.approx(1)


def test_a_symbol_that_is_sure_costs_nothing_but_is_counted():
    coder = AdaptiveCoder(2)
    assert coder.cost(1, np.array([False, True])) == 0
    assert coder.weight(1) == 2
    assert coder.cost(1) == pytest.approx(math.log2(3 / 2))


def test_a_symbol_that_is_not_allowed_is_an_error():
    with pytest.raises(InputError, match="allowed here; got 0"):
        AdaptiveCoder(2).cost(0, np.array([False, True]))
