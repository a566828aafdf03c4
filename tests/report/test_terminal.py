"""The report in a terminal."""

import pytest

from fivefold.report.terminal import wrap


@pytest.mark.parametrize("tied", ["95 %", "p = 0.003", "p < 0.0001"])
def test_numbers_stay_with_their_signs_wherever_the_line_ends(tied):
    for length in range(1, 60):
        lines = wrap(f"{'x' * length} y {tied} and more", 40, "• ", "  ").splitlines()
        assert sum(tied in line for line in lines) == 1
        assert max(map(len, lines)) <= 40 or length > 38
