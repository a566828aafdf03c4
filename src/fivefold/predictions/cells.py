"""Answers written into the cells of a table: "cat", "cat|dog", or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.checks.labels import distinct, encode, is_missing
from fivefold.errors import InputError, show


def labels_in(cells: NDArray[Any], known: set[Any], separator: str, name: str) -> list[Any]:
    """List the labels that occur in the cells; ``known`` labels are never cut at the separator."""
    if cells.dtype != object:
        return distinct(cells, name)
    return [label for text in dict.fromkeys(cells.tolist()) for label in _split(text, known, separator)]


def encode_cells(cells: NDArray[Any], classes: NDArray[Any], separator: str, name: str) -> NDArray[Any]:
    """Code the cells: positions if each holds one label or none, else a boolean matrix."""
    if cells.dtype != object:
        return encode(cells, classes, name)
    place = {label: code for code, label in enumerate(classes.tolist())}
    texts = {text: index for index, text in enumerate(dict.fromkeys(cells.tolist()))}
    rows = np.zeros((len(texts), classes.size), dtype=np.bool_)
    for text, row in texts.items():
        for label in _split(text, set(place), separator):
            if label not in place:
                _refuse(label, text, cells, classes, name)
            rows[row, place[label]] = True
    index = np.fromiter((texts[text] for text in cells.tolist()), dtype=np.int64, count=cells.shape[0])
    if rows.sum(axis=1).max(initial=0) > 1:
        return np.take(rows, index, axis=0)
    codes = np.where(rows.any(axis=1), rows.argmax(axis=1), -1).astype(np.int32)
    return np.take(codes, index)


def _split(text: Any, known: set[Any], separator: str) -> list[Any]:
    if is_missing(text) or text == "":
        return []
    if not isinstance(text, str) or text in known or separator not in text:
        return [text]
    return text.split(separator)


def _refuse(label: object, text: object, cells: NDArray[Any], classes: NDArray[Any], name: str) -> None:
    row = cells.tolist().index(text)
    listed = ", ".join(map(repr, classes.tolist()[:8]))
    hint = "write no answer as an empty cell" if label == "" else "name every class of the problem"
    raise InputError(f"{name} to hold only the classes {listed}", f"{show(label)} in row {row}", hint)
