"""Borders of any classifier of one column: the points where its class changes."""

from __future__ import annotations

import numpy as np

from fivefold.borders.asking import Asker
from fivefold.borders.grids import GridPartition

_HALVINGS = 40


def line_partition(asker: Asker, resolution: int) -> GridPartition:
    """Walk along the line in twice the resolution's steps and find each change by bisection."""
    low, high = asker.window.unit_low[0], asker.window.unit_high[0]
    walk = np.linspace(low, high, 2 * resolution + 1)
    classes = asker.answers(walk[:, np.newaxis])
    changed = classes[1:] != classes[:-1]
    near, far, first = walk[:-1][changed], walk[1:][changed], classes[:-1][changed]
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        same = asker.answers(middle[:, np.newaxis]) == first
        near, far = np.where(same, middle, near), np.where(same, far, middle)
    edges = np.concatenate([[low], (near + far) / 2, [high]])
    labels = np.concatenate([classes[:-1][changed], classes[-1:]])
    missed = abs(int(changed.sum()) - int(np.sum(classes[2::2] != classes[:-2:2])))
    return GridPartition([edges], labels, asker.answers, "adaptive walk", float(missed))
