from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fivefold.data.bit_words import count_word


@given(st.integers(0, 2**64 - 1))
def test_a_word_has_as_many_ones_as_python_counts(word: int) -> None:
    assert count_word(np.uint64(word)) == word.bit_count()
