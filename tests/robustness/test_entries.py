"""Whatever a public function is given, it answers or refuses in one clear sentence."""

import inspect
from random import Random

import pytest
from hypothesis import settings

from .entries import CLASSES, FUNCTIONS, PUBLIC, odd_arguments
from .law import check_texts, obey
from .nans import holds_nan, unexplained

# in `make test-all` a million together
CALLS = 200 if settings().max_examples < 1000 else 5_000


@pytest.mark.parametrize("name", FUNCTIONS + CLASSES)
def test_entry(name):
    """Functions and constructors, found by discovery: whatever is public is tried."""
    for number in range(CALLS):
        arguments, options = odd_arguments(Random(f"{name} {number}"), PUBLIC[name])
        try:
            call(name, arguments, options)
        except BaseException as error:
            error.add_note(f"This was call {number} of {name}: {arguments!r:.2000}, {options!r:.2000}.")
            raise


def call(name, arguments, options):
    result = obey(PUBLIC[name], *arguments, **options)
    if name not in FUNCTIONS or result is None:
        return
    check_texts(result)
    if not holds_nan([arguments, options]):
        assert not list(unexplained(result, inspect.getdoc(PUBLIC[name]) or "", name))
