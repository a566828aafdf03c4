"""Discretisation.

Numeric columns into named intervals, by given, equally full or equally wide bins, or by MDLP.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from fivefold.data.conditions import Within
from fivefold.data.cut_points import equal_width_cuts, given_cuts, mdlp_cuts, quantile_cuts
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns, to_series
from fivefold.inputs.frames import open_table
from fivefold.inputs.labels import encode_nominal
from fivefold.inputs.options import positive_int


@dataclass(eq=False, repr=False)
class Discretiser(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Base of the transformers that turn numeric columns into nominal ones.

    With cut points :math:`c_1 < … < c_m` a column x has the m + 1 categories ``x <= c1``,
    ``c1 < x <= c2``, …, ``x > cm``; without any, the one category ``x has a value``. Missing values stay
    missing, nominal columns stay as they are. A frame gives a frame of the same library (pandas: ordered
    categories; polars: Enum); an array gives an object array of texts, with None for missing.
    """

    _: KW_ONLY
    categorical_features: CategoricalFeatures = "from_dtype"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cut points.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes.
        y : array-like, optional
            The classes, for the methods that look at them.
        """
        columns = read_columns(X, categorical_features=self.categorical_features)
        validate_data(self, X, skip_check_array=True)
        target = self._read_target(y, len(columns[0]))
        self.cut_points_ = {
            column.name: tuple(self._cuts(column, target).tolist())
            for column in columns
            if column.categories is None and self._concerns(column)
        }
        self._schema = tuple(column.schema() for column in columns)
        return self

    def transform(self, X: Any) -> Any:
        """Replace the numbers by the names of their intervals.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes, in the columns of fitting time.
        """
        check_is_fitted(self)
        open_table(X)  # says what is wrong with X before scikit-learn counts its features
        validate_data(self, X, reset=False, skip_check_array=True)
        columns = read_columns(X, like=self._schema)
        binned = [self._bin(column) for column in columns]
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return np.stack([column.decode() for column in binned], axis=1)
        # the frame may call its columns otherwise: its names need not be text
        new = [
            to_series(replace(after, name=name), frame.implementation)
            for name, before, after in zip(frame.columns, columns, binned, strict=True)
            if after is not before
        ]
        return frame.with_columns(*new).to_native()

    def _bin(self, column: Column) -> Column:
        cuts = self.cut_points_.get(column.name)
        if cuts is None:
            return column
        codes = np.searchsorted(cuts, column.values, side="left").astype(np.int32)
        codes[column.missing] = -1
        ends = [-inf, *cuts, inf]
        names = tuple(str(Within(column.name, low, high)) for low, high in pairwise(ends))
        return Column(column.name, "nominal", codes, names)

    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.int32] | None:
        return None

    def _concerns(self, column: Column) -> bool:
        return True

    @abstractmethod
    def _cuts(self, column: Column, target: NDArray[np.int32] | None) -> NDArray[np.float64]: ...

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


@dataclass(eq=False, repr=False)
class CutPoints(Discretiser):
    """Discretise at given cut points; columns that are not named stay as they are.

    Parameters
    ----------
    cuts : mapping of column name to sequence of float
        The cut points of each column, in ascending order. The columns of an array are ``x0``, ``x1``, ….
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal; as in :func:`fivefold.inputs.columns.read_columns`.

    Attributes
    ----------
    cut_points_ : dict of str to tuple of float
        The cut points of each discretised column.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.DataFrame({"age": [25, 40, None, 60]})
    >>> CutPoints({"age": [30, 45.5]}).fit_transform(ages)["age"].to_list()
    ['age <= 30', '30 < age <= 45.5', None, 'age > 45.5']
    """

    cuts: Mapping[str, Sequence[float]]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check that the cut points fit the columns."""
        super().fit(X, y)
        kinds = {column.name: column.kind for column in self._schema}
        for name in self.cuts:
            if kinds.get(name) != "numeric":
                raise InputError(
                    "cut points for numeric columns",
                    f"{show(name)}, which is {kinds.get(name, 'not a column')}",
                    f"the columns are {show(kinds, 200)}",
                )
        return self

    def _concerns(self, column: Column) -> bool:
        return column.name in self.cuts

    def _cuts(self, column: Column, target: NDArray[np.int32] | None) -> NDArray[np.float64]:
        return given_cuts(self.cuts[column.name], column.name)


@dataclass(eq=False, repr=False)
class _Binning(Discretiser):
    n_bins: int = 4


class Quantiles(_Binning):
    r"""Discretise into bins that hold as nearly equal numbers of cases as ties allow.

    The cut points are the quantiles :math:`Q(i/b)`, i = 1, …, b - 1, of the known values, by the averaged
    inverse of the empirical distribution (Hyndman and Fan's definition 2). Equal quantiles make one cut, so
    a column with many ties has fewer bins.

    Parameters
    ----------
    n_bins : int
        The number of bins, at least 2.
    categorical_features
        As in `CutPoints`, and so is the attribute `cut_points_`.

    References
    ----------
    R. J. Hyndman and Y. Fan (1996). Sample quantiles in statistical packages. The American Statistician 50,
    361-365.

    Examples
    --------
    >>> Quantiles(2).fit([[1], [2], [3], [40]]).cut_points_
    {'x0': (2.5,)}
    """

    def _cuts(self, column: Column, target: NDArray[np.int32] | None) -> NDArray[np.float64]:
        return quantile_cuts(column.values, positive_int(self.n_bins, "n_bins", least=2))


class EqualWidth(_Binning):
    r"""Discretise into bins of equal width between the smallest and the largest known value.

    The cut points are :math:`a + i (z - a) / b`, i = 1, …, b - 1, where a and z are the extremes. A column
    with a single value has none.

    Parameters
    ----------
    n_bins, categorical_features
        As in `Quantiles`, and so is the attribute `cut_points_`.

    Examples
    --------
    >>> EqualWidth(3).fit([[0], [1], [9]]).cut_points_
    {'x0': (3.0, 6.0)}
    """

    def _cuts(self, column: Column, target: NDArray[np.int32] | None) -> NDArray[np.float64]:
        return equal_width_cuts(column.values, positive_int(self.n_bins, "n_bins", least=2))


class MDLP(Discretiser):
    r"""Discretise where a cut tells more about the class than it costs to state.

    A set S of N cases with k classes is cut at the midpoint T between neighbouring values that leaves the
    least class entropy, if

    .. math:: \mathrm{Gain}(T; S) > \frac{\log_2(N - 1)}{N} + \frac{\Delta(T; S)}{N},

    .. math:: \Delta(T; S) = \log_2(3^k - 2) - [k\,\mathrm{Ent}(S) - k_1\,\mathrm{Ent}(S_1)
              - k_2\,\mathrm{Ent}(S_2)],

    and the two parts are then treated likewise. Of several equally good cuts the lowest is taken. Cases whose
    value is missing take no part in the search for the cuts of that column.

    Parameters
    ----------
    categorical_features
        As in `CutPoints`, and so is the attribute `cut_points_`; without cuts where none is worth it.

    References
    ----------
    U. M. Fayyad and K. B. Irani (1993). Multi-interval discretization of continuous-valued attributes for
    classification learning. IJCAI-93, 1022-1027.

    Examples
    --------
    >>> X = [[1.0], [1.2], [1.4], [1.5], [3.0], [3.1], [3.3], [3.7]]
    >>> y = ["no", "no", "no", "no", "yes", "yes", "yes", "yes"]
    >>> MDLP().fit(X, y).cut_points_
    {'x0': (2.25,)}
    """

    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.int32]:
        if y is None:
            raise InputError(
                "a class for each case",
                "requires y to be passed, but the target y is None",
                "MDLP looks at the classes; Quantiles and EqualWidth do not",
            )
        series = nw.from_native(y, series_only=True, pass_through=True)
        labels = series if isinstance(series, nw.Series) else np.asarray(y)
        codes, _ = encode_nominal(labels, "y")
        if len(codes) != n_rows:
            raise InputError("one class for each case", f"{len(codes)} classes for {n_rows} cases")
        if (codes < 0).any():
            row = int(np.flatnonzero(codes < 0)[0])
            raise InputError(
                "a class for every case", f"none in row {row}", "drop the case, or name its class"
            )
        check_classification_targets(codes if isinstance(labels, nw.Series) else labels)
        return codes

    def _cuts(self, column: Column, target: NDArray[np.int32] | None) -> NDArray[np.float64]:
        assert target is not None
        return mdlp_cuts(column.values, target)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
