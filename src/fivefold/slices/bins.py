"""Bins: numeric columns into intervals, so that they can stand in a conjunction."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fivefold.data.discretise import MDLP, CutPoints, Quantiles
from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column
from fivefold.inputs.options import positive_int

Bins: TypeAlias = int | str | Mapping[str, Sequence[float]] | None
Cuts: TypeAlias = dict[str, NDArray[np.float64]]
FindQuantiles: TypeAlias = Callable[[Column, int], NDArray[np.float64]]

DEFAULT_BINS = 4
HINT = "give a number of bins, 'quantile', 'mdlp', or cut points by column: {'age': [25, 45]}"


def cut_points(
    columns: Sequence[Column],
    bins: Bins,
    labels: NDArray[Any] | None = None,
    quantiles: FindQuantiles | None = None,
) -> Cuts:
    """Find the cut points of every numeric column.

    Parameters
    ----------
    columns : sequence of Column
        The attributes.
    bins : int, "quantile", "mdlp", mapping from column to cut points, or None
        How to cut. None and ``"quantile"``: at the quartiles, which look at no label. A mapping cuts the columns
        that it names at its points, and the other numeric columns at the quartiles.
    labels : ndarray, optional
        The groups, for ``"mdlp"``.
    quantiles : callable, optional
        Takes a column and a number of bins and gives the cuts at its quantiles, for columns without values here.

    Examples
    --------
    >>> from fivefold.inputs.columns import read_columns
    >>> cut_points(read_columns([[1.0], [2.0], [3.0], [40.0]]), 2)
    {'x0': array([2.5])}
    """
    numeric = [column for column in columns if column.categories is None]
    method, given = _method(bins, labels, quantiles or _quantiles)
    _check_names(given, columns)
    return {
        column.name: _given(column, given[column.name]) if column.name in given else method(column)
        for column in numeric
    }


def _method(
    bins: Bins, labels: NDArray[Any] | None, quantiles: FindQuantiles
) -> tuple[Callable[[Column], NDArray[np.float64]], Mapping[str, Sequence[float]]]:
    if isinstance(bins, Mapping):
        return lambda column: quantiles(column, DEFAULT_BINS), bins
    if bins is None or bins == "quantile":
        return lambda column: quantiles(column, DEFAULT_BINS), {}
    if bins == "mdlp":
        warnings.warn(
            "bins='mdlp' looks at the labels before the tests do: the tests are no longer fresh, and more than a "
            "share alpha of pure noise will be reported. Cut on other cases, or use quantiles.",
            stacklevel=4,
        )
        return lambda column: _mdlp(column, labels), {}
    if isinstance(bins, str | bool):
        raise InputError("bins that can be understood", show(bins), HINT)
    n_bins = positive_int(bins, "bins", least=2)
    return lambda column: quantiles(column, n_bins), {}


def _check_names(given: Mapping[str, Sequence[float]], columns: Sequence[Column]) -> None:
    kinds = {column.name: column.kind for column in columns}
    for name in given:
        if kinds.get(name) != "numeric":
            raise InputError(
                "cut points for numeric columns",
                f"{show(name)}, which is {kinds.get(name, 'not a column')}",
                f"the columns are {show(kinds, 200)}",
            )


def _given(column: Column, cuts: Sequence[float]) -> NDArray[np.float64]:
    # one row is enough to check the points
    frame = pl.DataFrame({column.name: np.zeros(1)})
    found = CutPoints({column.name: cuts}, categorical_features=None).fit(frame)
    return np.array(found.cut_points_[column.name])


def _quantiles(column: Column, n_bins: int) -> NDArray[np.float64]:
    frame = pl.DataFrame({column.name: column.values})
    return np.array(Quantiles(n_bins, categorical_features=None).fit(frame).cut_points_[column.name])


def _mdlp(column: Column, labels: NDArray[Any] | None) -> NDArray[np.float64]:
    frame = pl.DataFrame({column.name: column.values})
    return np.array(MDLP(categorical_features=None).fit(frame, labels).cut_points_[column.name])
