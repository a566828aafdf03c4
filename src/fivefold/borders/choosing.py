"""Which geometry suits a model: exact where its form is known, else by its answers alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.affine import last_step
from fivefold.borders.asking import Asker
from fivefold.borders.boxes import tree_partition
from fivefold.borders.cells import MOST_COLUMNS, CellPartition
from fivefold.borders.cuts import model_cuts
from fivefold.borders.grids import grid_partition
from fivefold.borders.line import line_partition
from fivefold.borders.linear import linear_partition
from fivefold.borders.lines import LinesPartition
from fivefold.borders.neighbours import Neighbours
from fivefold.borders.partition import HasPartition, Partition
from fivefold.borders.quadtree import adaptive_partition
from fivefold.borders.rays import nearest_along_rays
from fivefold.errors import InputError
from fivefold.inputs.options import as_generator, one_of, positive_int

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Options:
    """How borders are found.

    Parameters
    ----------
    method : {"auto", "exact", "adaptive", "lines"}
        ``"exact"`` insists on geometry that is known in closed form: trees, ensembles of trees and rules by
        boxes, linear models by planes, k nearest neighbours in the plane by bisectors. ``"adaptive"`` refines a
        grid by the model's answers (one or two columns). ``"lines"`` draws random lines (any number of columns).
        ``"auto"`` takes the first of these that is possible.
    ties : {"lowest", "highest"}
        Which class wins a tied vote of nearest neighbours, in exact geometry: the lowest, as in scikit-learn, or
        the highest, which gives the published numbers.
    duplicates : {"majority", "paper"}
        What becomes of cases at one place with different classes. ``"majority"``: one nearest neighbour there is
        of the class most frequent there. ``"paper"``: of the class of the first; and a case counts as right if any
        case at its place has the class that the model gives.
    resolution : int
        The least number of cells along each side of the finest grid, which has 64 times a power of two.
    n_lines : int
        The number of random lines.
    n_directions : int
        The random directions tried from each case.
    max_cells : int
        The most cells of the grid of an ensemble or of rules; with more, the grid is not exact but adaptive.
    random_state : int, Generator, RandomState or None
        The seed of lines and directions.
    """

    method: str = "auto"
    ties: str = "lowest"
    duplicates: str = "majority"
    resolution: int = 512
    n_lines: int = 1000
    n_directions: int = 16
    max_cells: int = 1_000_000
    random_state: Any = 0

    def __post_init__(self) -> None:
        one_of(self.method, ("auto", "exact", "adaptive", "lines"), "method")
        one_of(self.ties, ("lowest", "highest"), "ties")
        one_of(self.duplicates, ("majority", "paper"), "duplicates")
        positive_int(self.resolution, "resolution", least=128)
        positive_int(self.n_lines, "n_lines", least=2)
        positive_int(self.n_directions, "n_directions", least=0)
        positive_int(self.max_cells, "max_cells")


def choose_partition(asker: Asker, options: Options, cases: Floats | None = None) -> Partition:
    """Describe the regions of a model; cases are places to look at closely."""
    d = asker.window.n_columns
    voters = find_voters(asker, options)
    if options.method in ("auto", "exact"):
        exact = voters.in_the_plane(asker.window) if voters and d == 2 else _exact(asker, options)
        if exact is not None:
            return exact
    if options.method == "exact" or (options.method == "adaptive" and d > 2):
        raise InputError(
            f"a model and a window for method={options.method!r}",
            f"{type(asker.model).__name__} with {d} columns",
            "method='auto' takes what is possible: 'adaptive' one or two columns, 'lines' any number",
        )
    # the same votes, counted faster
    asker = asker if voters is None else asker.by(voters.answers)
    if d > 2 or options.method == "lines":
        return _by_lines(asker, options)
    return (
        line_partition(asker, options.resolution)
        if d == 1
        else adaptive_partition(asker, options.resolution, cases)
    )


def find_voters(asker: Asker, options: Options) -> Neighbours | None:
    """Read a model of nearest neighbours whose votes can be counted by the asked rules; None if it is no such."""
    found = last_step(asker)
    return None if found is None else Neighbours.of(*found, asker, options.ties, options.duplicates)


def _exact(asker: Asker, options: Options) -> Partition | None:
    known = asker.model.border_partition(asker.window) if isinstance(asker.model, HasPartition) else None
    found = last_step(asker)
    if known is not None or found is None:
        return known
    exact = linear_partition(*found, asker) or tree_partition(*found, asker)
    if isinstance(exact, CellPartition) and asker.window.n_columns > MOST_COLUMNS:
        return None
    cuts = model_cuts(*found) if exact is None else None
    return exact if cuts is None else grid_partition(cuts, asker, options.max_cells)


def _by_lines(asker: Asker, options: Options) -> LinesPartition:
    # apart, so that the size is the same whether or not distances are asked for
    for_lines, for_rays = as_generator(options.random_state).spawn(2)
    found = last_step(asker)
    cuts = None if found is None else model_cuts(*found)
    linear = None if found is None or options.method == "lines" else linear_partition(*found, asker)
    if linear is not None:
        return LinesPartition(
            asker, options.n_lines, for_lines, linear.distances, cuts, linear.distance_method
        )

    def distances(U: Floats, answers: Codes, wanted: Codes) -> Floats:
        return nearest_along_rays(asker, U, answers, wanted, options.n_directions, for_rays)

    return LinesPartition(asker, options.n_lines, for_lines, distances, cuts)
