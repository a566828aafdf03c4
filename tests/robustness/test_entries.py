"""Whatever a public function is given, it answers or refuses in one clear sentence."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .entries import FUNCTIONS, PUBLIC, odd_arguments
from .law import obey

SHARE = 4


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=max(1, settings().max_examples // SHARE))
@given(data=st.data())
def test_function(name, data):
    function = PUBLIC[name]
    arguments, options = data.draw(odd_arguments(function))
    obey(function, *arguments, **options)
