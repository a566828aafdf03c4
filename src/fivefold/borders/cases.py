"""Cases as points: numeric columns only, none missing, and a way back to the caller's kind of table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import read_columns


@dataclass(frozen=True, eq=False)
class Cases:
    """Points, and the kind of table that they came in.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        The points in the columns' own units.
    names : tuple of str
        The names of the columns.
    library : Implementation or None
        The data frame library they came from; None for arrays.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]
    library: Any


def read_cases(X: Any) -> Cases:
    """Read cases; nominal columns and missing values have no place in space and are refused."""
    columns = read_columns(X)
    for column in columns:
        if column.kind == "nominal":
            raise InputTypeError(
                "numeric columns only: there is no distance along a nominal one",
                f"the nominal column {show(column.name)} with the values {show(column.categories)}",
                "measure each of its categories by itself, or encode it as numbers before fitting",
            )
        absent = np.flatnonzero(column.missing)
        if absent.size:
            raise InputError(
                "a number in every cell",
                f"a missing value of {show(column.name)} in row {absent[0]} ({absent.size} in all)",
                "a case without a value has no place; drop or impute such cases",
            )
    values = np.column_stack([column.values for column in columns])
    if not values.shape[0]:
        raise InputError("at least one case", "0 rows")
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    library = frame.implementation if isinstance(frame, nw.DataFrame) else None
    return Cases(values, tuple(column.name for column in columns), library)


def array_as_asked(model: Any, names: Sequence[str], library: Any) -> Callable[[NDArray[np.float64]], Any]:
    """Give points to a model in the form that it was fitted on: with names if it knows names."""
    known = getattr(model, "feature_names_in_", None)
    if known is None:
        return lambda points: points
    headings = [str(name) for name in (known if library is None else names)]
    backend: Any = "polars" if library is None else library

    def framed(points: NDArray[np.float64]) -> Any:
        columns = {name: points[:, i] for i, name in enumerate(headings)}
        return nw.from_dict(columns, backend=backend).to_native()

    return framed
