"""Numbers of a result that are not numbers, and nobody has said why."""

import dataclasses
import inspect
import math
import re
from collections.abc import Mapping
from functools import cache

import numpy as np

from fivefold.results import Declared

EXPLAINED = re.compile(r"\bnan\b|\bnot a number\b", re.IGNORECASE)
_DEEPEST = 6


def holds_nan(value):
    """Say whether any number in a value is not one, however deep it lies in what callers hand over."""
    return bool(re.search(r"\b(nan|NaT|NA|None|inf)\b|\[?--[,\]]", repr(value)))


def unexplained(result, told="", place="result", depth=0):
    """Yield the places of NaN of which neither a docstring nor a declaration speaks."""
    if _is_nan(result):
        if not EXPLAINED.search(told):
            yield place
    elif depth <= _DEEPEST:
        for value, text, where in _parts(result, told, place):
            yield from unexplained(value, text, where, depth + 1)


def _is_nan(value):
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isnan(value).any())
    return isinstance(value, float | np.floating) and math.isnan(value)


def _parts(result, told, place):
    """Give what a result is made of, what is said of each part, and where it stands."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        kind = type(result)
        return [
            (getattr(result, name), text, f"{kind.__name__}.{name}")
            for name, text in explanations(kind).items()
        ]
    if isinstance(result, Mapping):
        return [(value, told, f"{place}[{key!r}]") for key, value in result.items()]
    return [(value, told, place) for value in result[:50]] if isinstance(result, list | tuple) else []


@cache
def explanations(kind):
    """Give what is said of each number of a result: in the docstring of its class, its declaration or its type."""
    texts = {}
    for item in dataclasses.fields(kind):
        number = item.metadata.get("number")
        meaning = "" if number is None else f"{number.meaning} {number.note}"
        # a p-value is not a number where there was no test, says its type
        kind_of = "NaN" if "PValue" in str(item.type) else ""
        texts[item.name] = f"{_paragraph(kind, item.name)} {meaning} {kind_of}"
    for name, item in inspect.getmembers_static(kind):
        if isinstance(item, Declared):
            of = item.function.__annotations__.get("return", "")
            texts[name] = f"{item.number.meaning} {item.__doc__} {'NaN' if 'PValue' in str(of) else ''}"
    return texts


def _paragraph(kind, name):
    doc = inspect.getdoc(kind) or ""
    found = re.search(rf"^(?:\w+, )*{name}(?:, \w+)* :.*(?:\n    .*)*", doc, re.MULTILINE)
    return found[0] if found else ""
