"""MDLP: cut points that are worth their description, by Fayyad and Irani's criterion."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from fivefold.data._nominal import encode_nominal
from fivefold.data.columns import Column
from fivefold.data.discretise import Discretiser
from fivefold.data.midpoint import midpoint
from fivefold.errors import InputError


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
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal; as in :func:`fivefold.data.columns.read_columns`.

    Attributes
    ----------
    cut_points_ : dict of str to tuple of float
        The cut points of each numeric column; none where no cut is worth it.

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
        from fivefold.data._kernels import mdlp_places

        assert target is not None
        known = np.flatnonzero(~column.missing)
        order = known[np.argsort(column.values[known], kind="stable")]
        values, codes = column.values[order], target[order]
        places = mdlp_places(values, codes, int(target.max()) + 1)
        pairs = zip(values[places - 1], values[places], strict=True)
        return np.array([midpoint(low, high) for low, high in pairs], dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
