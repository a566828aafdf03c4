"""Votes of k nearest neighbours, and their exact borders in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.neighbors import KNeighborsClassifier

from fivefold.borders.affine import Affine
from fivefold.borders.asking import Asker
from fivefold.borders.kernels.votes import vote_nearest
from fivefold.borders.lowest import lowest_borders
from fivefold.borders.partition import BorderSize
from fivefold.borders.planar import PlanarPartition
from fivefold.borders.window import Window

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

MOST_CASES = 5_000
_GRAIN = 1e-10


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Training cases that vote by nearness, in the order in which equally near ones are asked.

    Parameters
    ----------
    places : ndarray of shape (n, p)
        The cases, those at one place together.
    labels : ndarray of int
        Their classes.
    starts : ndarray of int
        Where each place begins.
    codes : ndarray of int
        The numbers by which the classes are known outside.
    k : int
        How many vote.
    highest : bool
        Whether the highest class wins a tie, instead of the lowest.
    affine : Affine
        From the window to the space of the cases.
    """

    places: Floats
    labels: Codes
    starts: NDArray[np.int64]
    codes: Codes
    k: int
    highest: bool
    affine: Affine

    @classmethod
    def of(cls, model: Any, affine: Affine, asker: Asker, ties: str, duplicates: str) -> Self | None:
        """Read a fitted model; None if it is of another kind, too large, or votes otherwise.

        Cases at the same place vote in the order of the training cases, as scikit-learn has them; but if only one
        neighbour votes and the rule is ``"majority"``, it is one of the class most frequent at its place. Places
        at the same distance vote in the order of their first training cases.
        """
        if not _is_plain(model):
            return None
        places, labels = np.asarray(model._fit_X, dtype=np.float64), model._y.astype(np.int32)
        highest, k = ties == "highest", int(model.n_neighbors)
        majority = k == 1 and duplicates == "majority"
        order, starts = _voting_order(places, labels, int(model.classes_.size), highest, majority)
        codes = asker.encode(model.classes_)
        return cls(places[order], labels[order], starts, codes, k, highest, affine)

    def answers(self, U: Floats) -> Codes:
        """Give the class of each point."""
        spread = max(float(np.ptp(self.places, axis=0).max()), np.finfo(float).tiny)
        points, grain = self.affine.apply(U), _GRAIN * spread**2
        n_classes = int(self.codes.size)
        voted = vote_nearest(points, self.places, self.labels, self.k, n_classes, self.highest, grain)
        return np.asarray(self.codes[voted], dtype=np.int32)

    def in_the_plane(self, window: Window) -> PlanarPartition:
        r"""Follow the bisectors.

        With :math:`f_q(u) = |z(u) - z_q|^2 - |z(u)|^2`, which is linear in :math:`u`, the neighbours of a place
        are the cases with the lowest :math:`f_q`. Borders lie on lines :math:`f_i = f_j`, on those stretches where
        exchanging i for j among the k lowest changes the outcome of the vote.
        """
        centre = self.affine.apply((window.unit_low + window.unit_high) / 2)
        places, offset = self.places[self.starts[:-1]] - centre, self.affine.offset - centre
        borders = lowest_borders(
            -2 * places @ self.affine.matrix,
            np.sum(places**2, axis=1) - 2 * places @ offset,
            self.starts,
            self.labels,
            self.codes,
            window,
            k=self.k,
            highest=self.highest,
        )
        size = BorderSize(float(borders.lengths.sum()), "exact, by bisectors")
        return PlanarPartition(borders, size, self.answers)


def _is_plain(model: Any) -> bool:
    """Tell whether a model is k nearest neighbours by unweighted votes and Euclidean distances."""
    return (
        isinstance(model, KNeighborsClassifier)
        and hasattr(model, "_fit_X")
        and model.weights in ("uniform", None)
        and model.effective_metric_ == "euclidean"
        and not model.outputs_2d_
        and not issparse(model._fit_X)
        and model.n_neighbors <= model.n_samples_fit_ <= MOST_CASES
    )


def _voting_order(
    places: Floats, labels: Codes, n_classes: int, highest: bool, majority: bool
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Order the cases by the first case at their place; within a place, those that vote first come first."""
    _, first, group = np.unique(places, axis=0, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    rank = np.zeros(labels.size, dtype=np.int64)
    if majority:
        counts = np.zeros((first.size, n_classes), dtype=np.int64)
        np.add.at(counts, (group, labels), 1)
        rank = -counts[group, labels] * n_classes + (-labels if highest else labels)
    order = np.lexsort((np.arange(labels.size), rank, first[group]))
    sizes = np.bincount(group)[np.argsort(first)]
    return order, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
