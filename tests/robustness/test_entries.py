"""Whatever a public function is given, it answers or refuses in one clear sentence."""

import inspect
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .entries import CLASSES, FUNCTIONS, PUBLIC, odd_arguments
from .law import check_texts, obey
from .nans import holds_nan, unexplained

# 125 calls in `make test` for a fair sample of the names and a few for the others; in `make test-all` 5,000 for
# each, a million together
CALLS = 5 * settings().max_examples
SHARE, FEW = 14, 4
NAMES = FUNCTIONS + CLASSES


def n_calls(name):
    is_chosen = settings().max_examples >= 1000 or zlib.crc32(name.encode()) % SHARE == 0
    return CALLS if is_chosen else FEW


@pytest.mark.parametrize("name", NAMES)
def test_entry(name):
    """Functions and constructors, found by discovery: whatever is public is tried."""
    entry = PUBLIC[name]

    @settings(max_examples=n_calls(name))
    @given(data=st.data())
    def call(data):
        arguments, options = data.draw(odd_arguments(entry))
        result = obey(entry, *arguments, **options)
        if name not in FUNCTIONS or result is None:
            return
        check_texts(result)
        if not holds_nan([arguments, options]):
            assert not list(unexplained(result, inspect.getdoc(entry) or "", name))

    call()
