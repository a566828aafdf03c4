"""The fingerprint of a table: the same for the same content, whatever its name or origin."""

from __future__ import annotations

import hashlib

import numpy as np

from fivefold.data.table import Table
from fivefold.errors import InputTypeError, show
from fivefold.study.codec import canonical, encode


def fingerprint(table: Table) -> str:
    """Hash what learners see of a table: attributes with their names, kinds and values, and the classes.

    Parameters
    ----------
    table : Table
        Its name and the name of its class do not count.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits.

    Examples
    --------
    >>> import fivefold as ff
    >>> from dataclasses import replace
    >>> iris = ff.data.load("IR")
    >>> fingerprint(iris) == fingerprint(replace(iris, name="flowers"))
    True
    >>> fingerprint(iris) == fingerprint(ff.data.load("BC"))
    False
    """
    if not isinstance(table, Table):
        raise InputTypeError(
            "a Table",
            f"{show(table)} ({type(table).__name__})",
            "make one with fivefold.data.Table.from_frame",
        )
    hashed = hashlib.sha256()
    for column in table.columns:
        head = [column.name, column.kind, None if column.categories is None else list(column.categories)]
        hashed.update(canonical(encode(head)).encode())
        if column.categories is None:
            # one NaN for all of them, and one zero
            values = np.where(np.isnan(column.values), np.nan, column.values + 0.0)
            hashed.update(values.astype("<f8").tobytes())
        else:
            hashed.update(column.values.astype("<i4").tobytes())
    labels, codes = np.unique(table.y, return_inverse=True)
    hashed.update(canonical(encode(labels.tolist())).encode())
    hashed.update(codes.astype("<i4").tobytes())
    return hashed.hexdigest()
