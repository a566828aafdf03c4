"""A conjunction as Python: a mask that selects its rows from a pandas or a polars frame."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf
from typing import Any

import numpy as np

from fivefold.data.conditions import Above, AtMost, Equals, IsMissing, NotEquals, OneOf, Term, Within


def python_query(terms: Sequence[Term]) -> str:
    """Write conditions on a pandas frame `df`, names and values quoted.

    Examples
    --------
    >>> print(python_query([Equals("sex", "O'Hara"), Within("age", 25, 35)]))
    (df['sex'] == "O'Hara") & (df['age'] > 25) & (df['age'] <= 35)
    """
    return " & ".join(f"({condition})" for term in terms for condition in _conditions(term))


def _conditions(term: Term) -> list[str]:
    column = f"df[{term.column!r}]"
    told: list[str] = []
    match term:
        case Equals(value=value):
            told = [f"{column} == {_value(value)}"]
        case NotEquals(value=value):
            told = [f"{column} != {_value(value)}", f"{column}.notna()"]
        case OneOf(values=values):
            told = [f"{column}.isin([{', '.join(map(_value, values))}])"]
        case AtMost(cut=cut):
            told = [f"{column} <= {_value(cut)}"]
        case Above(cut=cut):
            told = [f"{column} > {_value(cut)}"]
        case Within():
            told = _within(term, column)
        case IsMissing():
            told = [f"{column}.isna()"]
    return told


def _within(term: Within, column: str) -> list[str]:
    told = [] if isinf(term.low) else [f"{column} > {_value(term.low)}"]
    told += [] if isinf(term.high) else [f"{column} <= {_value(term.high)}"]
    return told or [f"{column}.notna()"]


def _value(value: Any) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    return repr(plain).removesuffix(".0") if isinstance(plain, float) else repr(plain)
