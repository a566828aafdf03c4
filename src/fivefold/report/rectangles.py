"""Cells of a grid as few rectangles of one value, for drawing."""

from __future__ import annotations

from collections.abc import Sequence

Rectangle = tuple[int, int, int, int, int]


def rectangles(grid: Sequence[Sequence[int]]) -> list[Rectangle]:
    """Cover a grid with rectangles: (value, first column, end, first row, end).

    Runs of equal cells in a row are joined with equal runs in the next rows.

    Examples
    --------
    >>> rectangles([[0, 0, 1], [0, 0, 1], [1, 1, 1]])
    [(0, 0, 2, 0, 2), (1, 2, 3, 0, 2), (1, 0, 3, 2, 3)]
    """
    done: list[Rectangle] = []
    open_runs: dict[tuple[int, int, int], int] = {}
    for row, cells in enumerate(grid):
        runs = _runs(cells)
        for run in [run for run in open_runs if run not in runs]:
            done.append((*run, open_runs.pop(run), row))
        for run in runs:
            open_runs.setdefault(run, row)
    done += [(*run, start, len(grid)) for run, start in open_runs.items()]
    return sorted(done, key=lambda found: (found[3], found[1]))


def _runs(cells: Sequence[int]) -> list[tuple[int, int, int]]:
    starts = [0, *(i for i in range(1, len(cells)) if cells[i] != cells[i - 1])]
    ends = [*starts[1:], len(cells)]
    return [(cells[start], start, end) for start, end in zip(starts, ends, strict=True)]
