"""Numbers and texts as people read them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

Number = float | str | None

ABSENT = "–"
_INFINITE = {"-Infinity": "−∞", "Infinity": "∞"}
_SHOWN_ITEMS = 100


def number(value: Number, digits: int = 3, *, signed: bool = False) -> str:
    """Write a number of a summary with a fixed count of decimals.

    Examples
    --------
    >>> number(-1234.5678, 1), number(0.25, 2, signed=True), number("-Infinity"), number(None)
    ('−1,234.6', '+0.25', '−∞', '–')
    """
    if value is None:
        return ABSENT
    if isinstance(value, str):
        return _INFINITE[value]
    text = format(value, f"{'+' if signed else ''},.{digits}f")
    if float(text.replace(",", "")) == 0.0:
        text = text.lstrip("+-")
    return text.replace("-", "−")


def percent(value: float | None, digits: int = 1) -> str:
    """Write a share in per cent.

    Examples
    --------
    >>> percent(0.9312), percent(1.0, 0), percent(None)
    ('93.1%', '100%', '–')
    """
    return ABSENT if value is None else f"{number(100 * value, digits)}%"


def p_value(value: float | None) -> str:
    """Write a p-value with two significant digits, and no more zeros than anyone reads.

    Examples
    --------
    >>> p_value(0.0321), p_value(2e-9), p_value(0.85), p_value(1.0), p_value(None)
    ('0.032', '< 0.0001', '0.85', '1', '–')
    """
    if value is None:
        return ABSENT
    return "< 0.0001" if value < 0.0001 else f"{value:.2g}"


def interval(pair: Sequence[Number], digits: int = 3, *, signed: bool = False) -> str:
    """Write an interval; nothing where it is not defined.

    Examples
    --------
    >>> interval([-0.5, 1.25], 2, signed=True), interval([None, None])
    ('−0.50 to +1.25', '')
    """
    if None in pair:
        return ""
    low, high = (number(end, digits, signed=signed) for end in pair)
    return f"{low} to {high}"


def evidence(value: Any) -> str:
    """Write any value of a finding's evidence.

    Examples
    --------
    >>> evidence([96.04, 159.16]), evidence({"a": 0.5}), evidence(218), evidence("-Infinity"), evidence([])
    ('96.04 to 159.2', 'a: 0.5', '218', '−∞', 'none')
    """
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {evidence(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return _several(value)
    if value is None or isinstance(value, bool):
        return {None: ABSENT, True: "yes", False: "no"}[value]
    if isinstance(value, (int, float)):
        return format(value, ",.4g" if isinstance(value, float) else ",").replace("-", "−")
    return _INFINITE.get(value, str(value))


def _several(values: Sequence[Any]) -> str:
    """Write two numbers that are not counts as an interval, anything else as a list."""
    if len(values) == 2 and any(isinstance(item, float) for item in values):
        return " to ".join(evidence(item) for item in values)
    more = ", …" if len(values) > _SHOWN_ITEMS else ""
    return ", ".join(evidence(item) for item in values[:_SHOWN_ITEMS]) + more or "none"


def words(key: str) -> str:
    """Turn a name of the summary into words.

    Examples
    --------
    >>> words("bits_saved_interval"), words("p_value")
    ('bits saved, 95% interval', 'p-value')
    """
    text = key.replace("_", " ").replace("p value", "p-value")
    return f"{text.removesuffix(' interval')}, 95% interval" if text.endswith(" interval") else text


def visible(text: str) -> str:
    r"""Show characters that would hide, or turn the direction of what follows, as their code.

    Examples
    --------
    >>> visible("a\u202eb\x00"), visible("naïve 🌲")
    ('a⟨U+202E⟩b⟨U+0000⟩', 'naïve 🌲')
    """
    return "".join(f"⟨U+{ord(letter):04X}⟩" if _hides(letter) else letter for letter in text)


def _hides(letter: str) -> bool:
    # Joiners build emoji and letters of several scripts; the other format characters have no place in a name.
    return unicodedata.category(letter) in {"Cc", "Cf", "Cs"} and letter not in "\n\t\u200c\u200d"
