from __future__ import annotations

import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.plain_text import visible
from fivefold.report import summary as formats

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | NUMBERS
    | st.text()
    | st.sampled_from(["Infinity", "-Infinity"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def read(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


@given(NUMBERS, st.integers(0, 4), st.booleans())
def test_numbers_can_be_read_back(value: float, digits: int, signed: bool) -> None:
    text = formats.number(value, digits, signed=signed)
    assert "-" not in text
    assert math.isclose(read(text), value, abs_tol=0.51 * 10**-digits, rel_tol=1e-12)


@pytest.mark.parametrize(("value", "digits"), [(-0.0, 1), (-0.04, 1), (0.0004, 3)])
def test_nothing_has_no_sign(value: float, digits: int) -> None:
    assert formats.number(value, digits, signed=True) == format(0, f".{digits}f")


def test_infinities_and_absence_have_their_signs() -> None:
    assert formats.number("-Infinity") == "−∞"
    assert formats.number("Infinity", signed=True) == "∞"
    assert formats.number(None) == formats.percent(None) == formats.p_value(None) == formats.ABSENT
    assert formats.interval([None, None]) == ""


@given(st.floats(0, 1))
def test_p_values_never_read_as_zero(p: float) -> None:
    text = formats.p_value(p)
    assert text == "< 0.0001" if p < 1e-4 else math.isclose(float(text), p, rel_tol=0.06)


@given(VALUES)
def test_any_evidence_can_be_written(value: object) -> None:
    assert isinstance(formats.evidence(value), str)


def test_long_evidence_is_cut_and_says_so() -> None:
    assert formats.evidence(list(range(300))).endswith("99, …")


def test_evidence_parts_rows_by_commas_alone_and_gives_nothing_no_sign() -> None:
    assert formats.evidence([687, 1438, 1543]) == "687, 1438, 1543"
    assert formats.evidence(-0.0) == "0"


@given(st.text())
def test_nothing_invisible_stays_invisible(text: str) -> None:
    shown = visible(text)
    hidden = [letter for letter in shown if unicodedata.category(letter) in {"Cc", "Cf", "Cs"}]
    assert set(hidden) <= set("\n\t\u200c\u200d")
    if shown == text:
        assert visible(shown) == shown
