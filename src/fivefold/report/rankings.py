"""Standings as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fivefold.report import formats


def standing(each: Mapping[str, Any], ranking: Mapping[str, Any]) -> str:
    """Write the value by which a model is ranked, and its interval.

    Examples
    --------
    >>> standing({"value": 0.952, "interval": [0.9, 0.98]}, {"view": "accuracy", "unit": "share of cases"})
    '95.2% (90.0% to 98.0%)'
    >>> standing({"value": -0.121, "interval": None}, {"view": "slices", "unit": "share of cases"})
    '−12.1 points'
    """
    if ranking["view"] == "slices":
        return _slices(each)
    if ranking["unit"] == "share of cases":
        text, ends = formats.percent(each["value"]), _ends(each["interval"], formats.percent)
    else:
        digits = 1 if ranking["view"] == "bits" else 3

        def write(value: float) -> str:
            return formats.number(value, digits)

        text, ends = write(each["value"]), _ends(each["interval"], write)
    return f"{text} ({ends})" if ends else text


def _slices(each: Mapping[str, Any]) -> str:
    if each["value"] == 0 and each["interval"] is None:
        return "no group below average beyond chance"
    text = f"{formats.number(100 * each['value'], 1)} points"
    ends = _ends(each["interval"], lambda value: formats.number(100 * value, 1))
    return f"{text} ({ends})" if ends else text


def _ends(interval: Any, write: Any) -> str:
    return "" if interval is None or None in interval else " to ".join(write(end) for end in interval)
