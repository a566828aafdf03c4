"""Cells of similar probability: one event for each case, sorted by how probable it was said to be."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.bets import _kernels
from fivefold.errors import InputError, show
from fivefold.inputs.options import one_of, positive_int
from fivefold.inputs.probabilities import as_probabilities

SELECTED = "selected"
_TIED_SHARE = 0.10


@dataclass(frozen=True, eq=False)
class Events:
    """One event a case: its stated probability, and whether it happened."""

    p: NDArray[np.float64]
    happened: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cells:
    """Sorted events and where each cell of them ends."""

    p: NDArray[np.float64]
    happened: NDArray[np.bool_]
    ends: NDArray[np.int64]
    cases: NDArray[np.int64]
    hits: NDArray[np.int64]
    mean: NDArray[np.float64]
    squares: NDArray[np.float64]

    @property
    def rate(self) -> NDArray[np.float64]:
        """Share of each cell's events that happened."""
        return self.hits / self.cases


def read_events(y_true: object, y_prob: object, classes: object, event: object) -> Events:
    """Check the input and pick the event: a class, or whichever class is selected."""
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    return pick_events(truth, prob, universe, event)


def pick_events(
    truth: NDArray[np.int32], prob: NDArray[Any], universe: NDArray[Any], event: object
) -> Events:
    """Pick the event from checked input; ``None`` means the second of two classes, else the selected one."""
    if event is None:
        code = 1 if universe.size == 2 else -1
    elif isinstance(event, str) and event == SELECTED:
        code = -1
    else:
        places = {label: place for place, label in enumerate(universe.tolist())}
        if (hasattr(event, "__len__") and not isinstance(event, str)) or event not in places:
            raise InputError(f"event to be 'selected' or one of {list(places)[:8]}", show(event))
        code = places[event]
    return Events(*_kernels.events(truth, prob, code))


def make_cells(events: Events, min_cell: int, ties: str) -> Cells:
    """Sort the events and cut them into cells of at least ``min_cell`` cases.

    ``ties="together"`` never separates equal probabilities; ``ties="paper"`` cuts every ``min_cell`` cases
    in row order, through ties. What is left over joins the last cell.
    """
    positive_int(min_cell, "min_cell", least=2)
    one_of(ties, ("together", "paper"), "ties")
    n = events.p.shape[0]
    if n < 2:
        raise InputError("at least 2 cases", f"{n}", "one case alone has no calibration")
    if ties == "paper":
        order = np.argsort(events.p, kind="stable")
        p, happened = events.p[order], events.happened[order]
        ends = np.append(np.arange(1, max(n // min_cell, 1)) * min_cell, n)
        _warn_of_cut_ties(p, ends)
    else:
        p, happened = _kernels.sort_events(events.p, events.happened)
        ends = _kernels.tied_ends(p, min_cell)
    return Cells(p, happened, ends, *_kernels.cell_statistics(p, happened, ends))


def _warn_of_cut_ties(p: NDArray[np.float64], ends: NDArray[np.int64]) -> None:
    cuts = ends[:-1]
    tied = np.unique(p[cuts][p[cuts] == p[cuts - 1]])
    share = sum(np.searchsorted(p, tied, "right") - np.searchsorted(p, tied, "left")) / p.shape[0]
    if share > _TIED_SHARE:
        warnings.warn(
            f"{share:.0%} of the cases have a probability that ties='paper' cuts through, so the result hangs "
            "on the order of the rows; ties='together' does not",
            UserWarning,
            stacklevel=4,
        )
