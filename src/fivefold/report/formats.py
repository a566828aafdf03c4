"""Numbers and texts as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size

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


def cut_middle(name: str, width: int) -> str:
    """Cut a name to a width in cells: in the middle, for many names begin alike and end differently.

    Examples
    --------
    >>> cut_middle("gradient boosting, seed 1", 12), cut_middle("tree", 12)
    ('gradie…eed 1', 'tree')
    """
    if len(name) <= width and cell_len(name) <= width:
        return name
    end = (width - 1) // 2
    tail = name[-end:] if end else ""
    while cell_len(tail) > end:
        tail = tail[1:]
    return f"{set_cell_size(name[:width], width - 1 - end).rstrip()}…{tail}"


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


def write(value: Any, form: str, *, between: str = " to ") -> str:
    """Write a value of a summary in the format that its declaration gives it.

    Parameters
    ----------
    value : number, text, pair or None
        The value; the two ends of an interval are joined.
    form : str
        Its format; see `fivefold.results.Number`.
    between : str
        What stands between the ends of an interval.

    Examples
    --------
    >>> write(0.931, ".1%"), write([-0.5, 1.25], "+.2f"), write(0.25, "±.3f"), write(2e-9, "p"), write(None, ",d")
    ('93.1%', '−0.50 to +1.25', '± 0.250', '< 0.0001', '–')
    """
    if isinstance(value, (list, tuple)):
        return "" if None in value else between.join(write(end, form) for end in value)
    if form == "p":
        return p_value(value)
    if form == "text":
        return ABSENT if value is None else str(value)
    digits = 0 if form.endswith("d") else int(form[-2])
    if form.endswith("%"):
        return percent(value, digits)
    text = number(value, digits, signed=form.startswith("+"))
    return f"± {text}" if form.startswith("±") and value is not None else text


def points(pair: Sequence[float]) -> str:
    """Write an interval of shares in points.

    Examples
    --------
    >>> points([-0.1253, 0.02])
    '−12.5 to +2.0'
    """
    return interval([100 * end for end in pair], 1, signed=True)


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
    >>> words("bits_saved_share_interval"), words("p_value")
    ('bits saved share, 95% interval', 'p-value')
    """
    text = key.replace("_", " ").replace("p value", "p-value")
    return f"{text.removesuffix(' interval')}, 95% interval" if text.endswith(" interval") else text
