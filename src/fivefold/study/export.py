"""Results into files: CSV, JSON or Parquet, whole or not at all."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import polars as pl

from fivefold.errors import InputError
from fivefold.results import write_whole


def flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Give nested results one level: names joined by dots, lists as JSON text.

    Examples
    --------
    >>> flatten({"a": {"b": 1.5, "c": [1, 2]}, "d": None})
    {'a.b': 1.5, 'a.c': '[1, 2]', 'd': None}
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{name}.")
        elif isinstance(value, (list, tuple)):
            flat[prefix + name] = json.dumps(plain(value))
        else:
            flat[prefix + name] = value
    return flat


def uniform(values: Sequence[Any]) -> list[Any]:
    """Give a column one type: whole numbers among floats become floats, and anything else mixed becomes text.

    Examples
    --------
    >>> uniform([1, None, 2.5]), uniform([1, "a"])
    ([1.0, None, 2.5], ['1', 'a'])
    """
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(value) for value in values]
    if len(kinds) > 1:
        return [None if value is None else str(value) for value in values]
    return list(values)


def plain(value: Any) -> Any:
    """Make a value fit for JSON that other programs read: infinite numbers as text, what is undefined as null.

    Examples
    --------
    >>> plain([1.5, float("-inf"), float("nan")])
    [1.5, '-Infinity', None]
    """
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def write_results(path: Path, study: str, columns: Mapping[str, list[Any]]) -> None:
    """Write columns into a file of the kind that its name says."""
    writers: dict[str, Callable[[IO[bytes]], None]] = {
        ".csv": lambda file: pl.DataFrame(dict(columns)).write_csv(file),
        ".json": lambda file: _write_json(file, study, columns),
        ".parquet": lambda file: pl.DataFrame(dict(columns)).write_parquet(file),
    }
    if path.suffix.lower() not in writers:
        raise InputError(f"a file that ends in {', '.join(writers)}", repr(str(path)))
    write_whole(path, writers[path.suffix.lower()])


def _write_json(file: IO[bytes], study: str, columns: Mapping[str, list[Any]]) -> None:
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    file.write((json.dumps({"study": study, "results": plain(rows)}, indent=1) + "\n").encode())
