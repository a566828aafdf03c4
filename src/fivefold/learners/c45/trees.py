"""Growing and pruning a whole tree: work space around the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.inputs.columns import Column
from fivefold.learners.c45.kernels.choosing import Scores
from fivefold.learners.c45.kernels.growing import grow
from fivefold.learners.c45.kernels.information import n_log_n_table
from fivefold.learners.c45.kernels.pruning import Estimates, prune, reachable
from fivefold.learners.c45.structures import NUMERIC, Cases, Nodes, Options, Order, new_frames, new_nodes

_TABLE_LIMIT = 1 << 20
_CONFIDENCE = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATE = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def grow_tree(cases: Cases, weights: NDArray[Any], options: Options) -> tuple[Nodes, Order]:
    """Grow a tree; give it with the order in which growing left the cases."""
    real = weights.dtype
    capacity = cases.classes.size + 256
    while True:
        order = Order(np.arange(cases.classes.size, dtype=np.int32), weights.copy())
        nodes = new_nodes(capacity, cases.n_classes, real)
        frames = new_frames(tree_depth(cases), real)
        grow(cases, order, new_scores(cases, real), options, nodes, frames, _unit(weights))
        if nodes.used[0] > 0:
            return _select(nodes, np.arange(nodes.used[0]), nodes.child[: nodes.used[0]]), order
        capacity *= 2


def prune_tree(cases: Cases, order: Order, weights: NDArray[Any], grown: Nodes, cf: float) -> Nodes:
    """Prune a grown tree, which stays as it is, on the cases that it was grown from."""
    real, depth = weights.dtype, tree_depth(cases)
    nodes = Nodes._make(field.copy() for field in grown)
    whole = [np.zeros(depth, dtype=np.int32) for _ in range(2)]
    broken = [np.zeros(depth, dtype=real) for _ in range(3)]
    counts = np.zeros(cases.n_classes, dtype=real)
    limit = error_limit(cf, real)
    estimates = Estimates._make([*whole, np.zeros(depth, dtype=np.bool_), *broken, counts, limit])
    # Release 8 prunes with the cases in the order in which growing left them.
    again = Order(order.items, weights[order.items])
    prune(cases, again, nodes, new_frames(depth, real), estimates, _unit(weights))
    return reached_nodes(nodes)


def reached_nodes(nodes: Nodes) -> Nodes:
    """Leave out the nodes that pruning has cut off."""
    return _select(nodes, *reachable(nodes))


def error_limit(cf: float, real: Any) -> NDArray[Any]:
    """Give CF and the square of its normal deviate, read off a short table by linear interpolation."""
    confidence, deviate = np.array(_CONFIDENCE, dtype=real), np.array(_DEVIATE, dtype=real)
    level = confidence.dtype.type(cf)
    i = int(np.searchsorted(confidence, level))
    step = (deviate[i] - deviate[i - 1]) * (level - confidence[i - 1])
    z = deviate[i - 1] + step / (confidence[i] - confidence[i - 1])
    return np.array([level, z * z], dtype=real)


def with_full_cuts(nodes: Nodes, columns: Sequence[Column]) -> Nodes:
    """Write each cut as the number of the training data that it stands for, in full precision."""
    cuts = nodes.cut.astype(np.float64)
    for a in np.unique(nodes.attribute[nodes.kind == NUMERIC]):
        values = np.unique(columns[a].values[~columns[a].missing])
        here = (nodes.kind == NUMERIC) & (nodes.attribute == a)
        rounded = values.astype(nodes.cut.dtype)
        cuts[here] = values[np.searchsorted(rounded, nodes.cut[here], side="right") - 1]
    return nodes._replace(cut=cuts)


def _select(nodes: Nodes, listed: NDArray[Any], child: NDArray[np.int32]) -> Nodes:
    chosen = Nodes._make([*(field[listed] for field in nodes[:-1]), np.array([listed.size])])
    return chosen._replace(child=child)


def _unit(weights: NDArray[Any]) -> bool:
    return bool((weights == 1).all())


def tree_depth(cases: Cases) -> int:
    """Give a depth that no tree of the cases exceeds."""
    # A nominal test uses its attribute up, a numeric one leaves at least one case behind.
    return cases.classes.size + cases.forks.size + 2


def new_scores(cases: Cases, real: Any) -> Scores:
    """Make work space for the evaluation of nodes."""
    n, n_attributes = cases.classes.size, cases.forks.size
    rows = max(4, int(cases.forks.max()) + 1)
    gain, info, bar = (np.zeros(n_attributes, dtype=real) for _ in range(3))
    return Scores(
        frequency=np.empty((rows, cases.n_classes), dtype=real),
        sizes=np.empty(rows, dtype=real),
        keys=np.empty(n, dtype=real),
        trial_gain=np.empty(n, dtype=real),
        trial_at=np.empty(n, dtype=np.int32),
        gain=gain,
        info=info,
        bar=bar,
        tested=np.zeros(n_attributes, dtype=np.bool_),
        table=n_log_n_table(min(n + 1, _TABLE_LIMIT)),
    )
