"""Cases and a model, looked at together: what is right, and how far it is to the next border."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.asking import Asker
from fivefold.borders.cases import Cases, read_cases
from fivefold.borders.choosing import Options, choose_partition, find_voters
from fivefold.borders.partition import Partition
from fivefold.borders.window import Window, as_margin, as_window, window_of
from fivefold.errors import InputError, show
from fivefold.inputs.frames import check_length
from fivefold.inputs.labels import as_labels, distinct, is_missing

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Look:
    """A model's regions and where the cases stand in them.

    Parameters
    ----------
    window : Window
        The window.
    partition : Partition
        The model's regions.
    n_reference : int
        The number of cases that the window was put around.
    truth, predicted : ndarray
        The classes of the cases and the model's answers.
    right : ndarray of bool
        Which cases count as right.
    distances : ndarray
        Signed distances, below zero for wrong cases.
    """

    window: Window
    partition: Partition
    n_reference: int
    truth: NDArray[Any]
    predicted: NDArray[Any]
    right: NDArray[np.bool_]
    distances: Floats


def look_at(
    model: Any,
    X: Any,
    y: Any,
    *,
    options: Options,
    window: Any,
    reference: Any,
    window_margin: float,
    normalise: bool,
) -> Look:
    """Read the cases, describe the model's regions, and measure how far each case is from the next border."""
    cases = read_cases(X)
    truth = as_labels(y, "y")
    check_length(truth, cases.values.shape[0], "y")
    _check_known(truth)
    frame = cases if reference is None else read_cases(reference)
    seen = _window(cases, frame, window, window_margin, normalise)
    asker = Asker(model, seen, cases)
    own = _own_classes(asker, truth)
    U = seen.to_unit(cases.values)
    partition = choose_partition(asker, options, U)
    voters = find_voters(asker, options)
    # in the columns' own units: a case on a cut must not be moved across it by rounding
    answers = asker.predict(cases.values) if voters is None else voters.answers(U)
    right = answers == own
    if options.duplicates == "paper":
        right = _right_somewhere(cases.values, right)
    wanted = np.where(right, -1, own).astype(np.int32)
    away = partition.distances(U, answers, wanted)
    return Look(
        window=seen,
        partition=partition,
        n_reference=frame.values.shape[0],
        truth=truth,
        predicted=_label_array(asker.classes)[answers],
        right=right,
        distances=np.where(right, away, -away),
    )


def _window(cases: Cases, reference: Cases, window: Any, margin: float, normalise: bool) -> Window:
    if reference.values.shape[1] != cases.values.shape[1]:
        raise InputError(
            f"{cases.values.shape[1]} columns of reference, as in X", f"{reference.values.shape[1]}"
        )
    if window is None:
        return window_of(cases, reference, as_margin(margin), normalise)
    given = as_window(window)
    if given.n_columns != cases.values.shape[1]:
        raise InputError(
            f"cases with the {given.n_columns} columns of the window", f"{cases.values.shape[1]}"
        )
    outside = ((cases.values < given.low) | (cases.values > given.high)).any(axis=1)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise InputError(
            f"all cases inside the window ({given})",
            f"{cases.values[row].tolist()} in row {row}",
            "only borders inside the window count; choose a larger one",
        )
    return given


def _check_known(truth: NDArray[Any]) -> None:
    """Insist on a class in every row."""
    distinct(truth, "y")
    if truth.dtype.kind in "Of":
        absent = [row for row, label in enumerate(truth) if is_missing(label)]
        if absent:
            raise InputError(
                "y to hold a class in every row",
                f"a missing value in row {absent[0]} ({len(absent)} in all)",
                "drop the cases whose class is not known",
            )


def _own_classes(asker: Asker, truth: NDArray[Any]) -> Codes:
    """Number the true classes; that they are all unknown to the model is a matter of coding, as a rule."""
    known = len(asker.classes)
    own = asker.encode(truth)
    if known and (own >= known).all():
        raise InputError(
            f"y to hold classes of the model, {show(asker.classes[:known])}",
            show(asker.classes[known:]),
            "write the classes as they were when the model was fitted",
        )
    return own


def _right_somewhere(places: Floats, right: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Count a case as right if a case at the same place is."""
    _, group = np.unique(places, axis=0, return_inverse=True)
    hits = np.bincount(group.reshape(-1), weights=right)
    return np.asarray(hits[group.reshape(-1)] > 0)


def _label_array(labels: list[Any]) -> NDArray[Any]:
    if len({type(label) for label in labels}) == 1:
        return np.asarray(labels)
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array
