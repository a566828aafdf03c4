"""Open a table, here or on a cluster, with labels given as columns of it or beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals as nw

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.slices.cases import Cases, HeldCases


def read_cases(
    read: Callable[..., HeldCases],
    X: Any,
    labels: Sequence[Any],
    *,
    needed: int = 0,
    categorical_features: CategoricalFeatures,
) -> Cases:
    """Read cases by `read(X, *labels, categorical_features=…)`; for a Dask DataFrame, on its partitions.

    A label that is a text names a column of `X`, which is then left out of the attributes. `needed` is the place
    of the label that no case may lack.
    """
    X, labels = _take_named(X, labels)
    if is_dask(X):
        from fivefold.slices.spread.partitions import read_partitions

        return read_partitions(read, X, labels, needed, categorical_features)
    if any(map(is_dask, labels)):
        raise InputTypeError(
            "X to be a Dask DataFrame like the labels",
            type(X).__name__,
            "compute() the labels, or pass both from Dask",
        )
    return read(X, *labels, categorical_features=categorical_features)


def is_dask(values: Any) -> bool:
    """Say whether this is a collection of Dask, without importing it."""
    return type(values).__module__.partition(".")[0] == "dask" and hasattr(values, "to_delayed")


def refuse_dask(X: Any, what: str) -> None:
    """Complain about a Dask DataFrame where cases must be in memory."""
    if is_dask(X):
        raise InputTypeError(
            f"cases in memory for {what}",
            "a Dask DataFrame",
            "pass X.compute(), or a sample: X.sample(frac=0.01)",
        )


def _take_named(X: Any, labels: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
    names = [label for label in labels if isinstance(label, str)]
    if not names:
        return X, tuple(labels)
    frame = X if is_dask(X) else nw.from_native(X, eager_only=True, pass_through=True)
    if not hasattr(frame, "columns"):
        raise InputTypeError("a dataframe, for labels by the name of a column", type(X).__name__)
    for name in names:
        if name not in frame.columns:
            raise InputError(
                "the name of a column of X", show(name), f"the columns are {show(list(frame.columns), 200)}"
            )
    taken = tuple(frame[label] if isinstance(label, str) else label for label in labels)
    if is_dask(X):
        return frame.drop(columns=list(dict.fromkeys(names))), taken
    native = (each.to_native() if isinstance(each, nw.Series) else each for each in taken)
    return frame.drop(names).to_native(), tuple(native)
