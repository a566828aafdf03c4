"""Test cases that stand in the training set too."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError
from fivefold.evaluate.finding import Finding, Importance
from fivefold.evaluate.model_views import ModelViews
from fivefold.inputs.columns import Column, read_columns
from fivefold.results.wording import say_rows

Keys = NDArray[np.uint64]

LEAST_SHARE = 0.01
LARGE_CHANGE = 1.25
_MISSING = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_ROWS = 65_536


def find_repeats(models: Sequence[ModelViews], X_train: Any) -> tuple[Finding, ...]:
    """Say how many test cases equal a training case in every attribute, and what the errors are without them.

    Parameters
    ----------
    models : sequence of ModelViews
        The models that were trained, all on the same cases.
    X_train : table
        The cases that they were trained on.
    """
    said = models[0].predictions
    try:
        seen = np.isin(row_keys(said.features), row_keys(X_train))
    except (InputError, InputTypeError):
        return ()
    n_seen = int(np.count_nonzero(seen))
    if n_seen < LEAST_SHARE * seen.size or n_seen == seen.size:
        return ()
    errors = {model.name: _errors(model, seen) for model in models}
    told = "; ".join(f"{name} {new:.1%} instead of {all_:.1%}" for name, (all_, new) in errors.items())
    rows = np.flatnonzero(seen) if said.rows is None else said.rows[seen]
    sentence = (
        f"{n_seen:,} of {seen.size:,} test cases ({n_seen / seen.size:.0%}) equal a training case in every "
        f"attribute, such as {say_rows(rows[:3])}. On those that are new, the errors are: {told}."
    )
    evidence = {
        "repeated": n_seen,
        "n_cases": int(seen.size),
        "errors_on_new_cases": {name: new for name, (_, new) in errors.items()},
        "rows": rows[:100].tolist(),
    }
    grave = any(new > LARGE_CHANGE * all_ for all_, new in errors.values())
    importance = Importance.VERDICT if grave else Importance.DETAIL
    return (Finding("truth", tuple(errors), sentence, evidence, importance),)


def _errors(model: ModelViews, seen: NDArray[np.bool_]) -> tuple[float, float]:
    wrong = ~model.right
    return float(wrong.mean()), float(wrong[~seen].mean())


def row_keys(X: Any) -> Keys:
    """Give a number for each row that is the same for equal rows, in any two tables of the same columns.

    Examples
    --------
    >>> import polars as pl
    >>> one = row_keys(pl.DataFrame({"a": ["x", "y", None], "b": [1, 2, 3]}))
    >>> two = row_keys(pl.DataFrame({"a": ["w", "y"], "b": [9.0, 2.0]}))
    >>> [int(key in one) for key in two]
    [0, 1]
    """
    columns = read_columns(X)
    keys = np.zeros(len(columns[0]) if columns else 0, dtype=np.uint64)
    for start in range(0, keys.size, _ROWS):
        part = slice(start, start + _ROWS)
        for column in columns:
            keys[part] = _stir(keys[part] + _codes(column, part))
    return keys


def _codes(column: Column, part: slice) -> Keys:
    values = column.values[part]
    if column.categories is None:
        # adding zero makes the two zeros one
        bits = (values.astype(np.float64) + 0.0).view(np.uint64)
        return np.where(np.isnan(values), _MISSING, bits)
    table = np.array([*(_digest(label) for label in column.categories), _MISSING], dtype=np.uint64)
    return np.asarray(table[values])


def _digest(label: object) -> int:
    return int.from_bytes(hashlib.blake2b(repr(label).encode(), digest_size=8).digest(), "little")


def _stir(keys: Keys) -> Keys:
    """Spread every bit over all others (the finish of splitmix64; overflow is meant)."""
    first, second = _MIX
    keys = keys + _MISSING
    keys = (keys ^ (keys >> np.uint64(30))) * first
    keys = (keys ^ (keys >> np.uint64(27))) * second
    return np.asarray(keys ^ (keys >> np.uint64(31)))
