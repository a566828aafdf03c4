"""From a fitted model to the nodes of the reference, and from drawn columns to its table."""

import numpy as np
from hypothesis import strategies as st

from fivefold.learners.mml.message import JOIN
from fivefold.learners.trees.nodes import LEAF, NUMERIC

from . import mml_reference as reference
from .classic_cases import DECLARED


def nodes_of(model):
    """Give the root of the model's graph as the reference has it."""
    nodes = model.nodes_
    made = [reference.Node() for _ in range(nodes.kind.size)]
    for place, node in enumerate(made):
        child, forks = int(nodes.child[place]), int(nodes.forks[place])
        if nodes.kind[place] == JOIN:
            node.target = made[child]
        elif nodes.kind[place] != LEAF:
            node.attribute, node.branches = int(nodes.attribute[place]), made[child : child + forks]
            node.cut = float(nodes.cut[place]) if nodes.kind[place] == NUMERIC else None
    return made[0]


def table_of(train, y, weights=None, **options):
    """Make the reference's table of columns that are named for their kind."""
    rows = [list(row) for row in zip(*train.values(), strict=True)]
    names = sorted(set(y))
    values = [list(DECLARED.categories) if name.startswith("nominal") else None for name in train]
    return reference.Table(rows, [names.index(c) for c in y], len(names), values, weights, **options)


def uneven_weights(n, seed):
    """Give weights that no two sums share, so that ties between tests are rare."""
    return (np.random.default_rng(seed).uniform(0.5, 1.5, size=n) * 2).tolist()


@st.composite
def disjunctions(draw, max_rows=120):
    """Draw cases of a concept of two conjunctions, with noise, missing values and uneven weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, missing, noise = (
        draw(st.integers(40, max_rows)),
        draw(st.sampled_from([0.0, 0.1])),
        draw(st.sampled_from([0, 0.1])),
    )
    kinds = [draw(st.sampled_from(["nominal", "numeric"])) for _ in range(draw(st.integers(4, 5)))]
    truth = rng.random((len(kinds), n)) < 0.5
    y = (truth[0] & truth[1]) | (truth[2] & truth[3]) | (rng.random(n) < noise)
    train, test = {}, {}
    for a, kind in enumerate(kinds):
        values = np.where(truth[a], "a", rng.choice(["b", "c"], n)) if kind == "nominal" else truth[a] + 2.0
        train[f"{kind}{a}"] = [None if rng.random() < missing else v for v in values.tolist()]
        new = rng.choice(["a", "b", "c", "new"], 20) if kind == "nominal" else rng.choice([2.0, 2.5, 3.0], 20)
        test[f"{kind}{a}"] = [None if rng.random() < 0.2 else v for v in new.tolist()]
    return train, np.where(y, "u", "v").tolist(), test
