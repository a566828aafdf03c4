"""Read the partitions of a Dask DataFrame so that all of them number values and groups alike.

Each partition is read behind a few rows, the header, that hold every value of every nominal column and every label
there is. So the code that reads a table in memory gives the same numbers to the same values everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import CategoricalFeatures, read_columns
from fivefold.slices.cases import HeldCases
from fivefold.slices.spread.cases import SpreadCases
from fivefold.slices.spread.tasks import concat, gather, keep, on_each, send

Read = Callable[..., HeldCases]


@dataclass(frozen=True, eq=False)
class _Look:
    """The length of a partition, the different values of its nominal columns and of its labels.

    Also the first row without a label, for each kind of label; -1 if all rows have one.
    """

    n: int
    values: list[Any]
    labels: list[Any]
    missing: list[int]


def read_partitions(
    read: Read,
    X: Any,
    labels: Sequence[Any],
    needed: int,
    categorical_features: CategoricalFeatures,
) -> SpreadCases:
    """Read cases on the workers; `read` is what reads them in memory, `needed` the label that no row may lack."""
    if not hasattr(X, "npartitions") or not hasattr(X, "_meta_nonempty"):
        raise InputTypeError(
            "X to be a Dask DataFrame", type(X).__name__, "dask.dataframe.from_dask_array makes one"
        )
    parts = X.to_delayed()
    kinds = read_columns(X._meta_nonempty, categorical_features=categorical_features)
    nominal = [place for place, column in enumerate(kinds) if column.categories is not None]
    told = _split_labels(parts, labels)
    looks = gather(on_each(_look, parts, told, also=[nominal]))
    _check_known(looks, needed)
    header = send(_header(X._meta_nonempty, nominal, looks))
    reader = send(_Reader(read, categorical_features))
    cases = keep(on_each(_read, parts, told, also=[header, reader]))
    about = gather(on_each(_describe, cases))
    return SpreadCases(cases, about[0][0], np.stack([sizes for _, sizes, _ in about]), about[0][2])


def _split_labels(parts: Sequence[Any], labels: Sequence[Any]) -> list[list[Any]]:
    """Give the labels of each partition; arrays in memory are cut by the lengths of the partitions."""
    columns = []
    lengths: list[int] | None = None
    for label in labels:
        if hasattr(label, "to_delayed"):
            pieces = np.ravel(label.to_delayed()).tolist()
            if len(pieces) != len(parts):
                raise InputError(
                    f"labels in {len(parts)} partitions, like X",
                    f"{len(pieces)} partitions",
                    "take the labels from the same Dask DataFrame, or repartition them",
                )
            columns.append(pieces)
            continue
        if lengths is None:
            lengths = gather(on_each(len, parts))
        columns.append(_cut(label, lengths))
    return [list(rows) for rows in zip(*columns, strict=True)]


def _cut(label: Any, lengths: Sequence[int]) -> list[Any]:
    values = np.asarray(label)
    if values.ndim != 1 or values.size != sum(lengths):
        raise InputError(
            f"one label for each of the {sum(lengths)} cases", f"an array of shape {values.shape}"
        )
    return [send(piece) for piece in np.split(values, np.cumsum(lengths)[:-1])]


def _look(part: Any, labels: Sequence[Any], nominal: Sequence[int]) -> _Look:
    import pandas as pd

    for label in labels:
        if len(label) != len(part):
            raise InputError(
                f"as many labels as cases in every partition, here {len(part)}",
                f"{len(label)}",
                "take the labels from the same Dask DataFrame",
            )
    values = [part.iloc[:, place].drop_duplicates() for place in nominal]
    absent = [np.flatnonzero(pd.isna(np.asarray(label, dtype=object))) for label in labels]
    missing = [int(rows[0]) if rows.size else -1 for rows in absent]
    return _Look(len(part), values, [_distinct(label) for label in labels], missing)


def _check_known(looks: Sequence[_Look], needed: int) -> None:
    before = 0
    for look in looks:
        if needed < len(look.missing) and look.missing[needed] >= 0:
            raise InputError(
                "a known class or group in every row",
                f"none in row {before + look.missing[needed]}",
                "drop such cases",
            )
        before += look.n


def _distinct(label: Any) -> Any:
    import pandas as pd

    try:
        return pd.Series(label).drop_duplicates()
    except TypeError as problem:
        raise InputTypeError(
            "one label for each case of a Dask DataFrame",
            show(np.asarray(label)[0]),
            "search answers of several classes in memory",
        ) from problem


@dataclass(frozen=True, eq=False)
class _Reader:
    """What reads a table in memory, and its options."""

    read: Read
    categorical_features: CategoricalFeatures


@dataclass(frozen=True, eq=False)
class _Header:
    """Rows that hold every value there is."""

    X: Any
    labels: list[Any]


def _header(meta: Any, nominal: Sequence[int], looks: Sequence[_Look]) -> _Header:
    if sum(look.n for look in looks) == 0:
        raise InputError("at least one case", "a Dask DataFrame without rows")
    looks = [look for look in looks if look.n]
    values = [_together([look.values[place] for look in looks]) for place in range(len(nominal))]
    labels = [_together([look.labels[place] for look in looks]) for place in range(len(looks[0].labels))]
    n_rows = max(map(len, [*values, *labels]), default=1)
    X = meta.iloc[np.zeros(n_rows, dtype=np.intp)].reset_index(drop=True)
    for place, several in zip(nominal, values, strict=True):
        X.isetitem(place, _resized(several, n_rows))
    return _Header(X, [_resized(label, n_rows) for label in labels])


def _together(several: list[Any]) -> Any:
    return concat(several).drop_duplicates()


def _resized(values: Any, n_rows: int) -> Any:
    return values.iloc[np.resize(np.arange(len(values)), n_rows)].reset_index(drop=True)


def _read(part: Any, labels: Sequence[Any], header: _Header, reader: _Reader) -> HeldCases:
    import pandas as pd

    X = concat([header.X, part.reset_index(drop=True)])
    told = [
        concat([first, pd.Series(label).reset_index(drop=True)])
        for first, label in zip(header.labels, labels, strict=True)
    ]
    cases = reader.read(X, *told, categorical_features=reader.categorical_features)
    return cases.part(slice(len(header.X), None))


def _describe(cases: HeldCases) -> tuple[Any, ...]:
    return cases.schema, cases.sizes, cases.group_names
