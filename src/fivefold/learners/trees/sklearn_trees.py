"""What scikit-learn's decision trees say, as a theory that sends every case down the same path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from fivefold.errors import InputTypeError
from fivefold.inputs.columns import Column
from fivefold.learners.theories import DecisionTree, Leaf, Node, NumericSplit


def sklearn_tree_theory(model: DecisionTreeClassifier) -> DecisionTree:
    """Describe a fitted ``DecisionTreeClassifier``, node by node; nothing is merged or left out.

    The theory has numeric splits on the names that the model was fitted with, or ``x0``, ``x1``, …. It holds for
    the columns that `sklearn_tree_columns` gives: numbers as the model sees them, rounded to 32 bits.

    Examples
    --------
    >>> tree = DecisionTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["no", "yes"])
    >>> theory = sklearn_tree_theory(tree)
    >>> theory.root.cut, theory.root.left
    (1.5, Leaf(classes=('no',)))
    """
    check_is_fitted(model)
    if model.n_outputs_ != 1:
        raise InputTypeError("a tree with one target", f"{model.n_outputs_} targets")
    names = _names(model)
    grown = model.tree_
    classes = tuple(model.classes_.tolist())
    answers = np.argmax(grown.value[:, 0, :], axis=1).tolist()
    lefts, rights = grown.children_left.tolist(), grown.children_right.tolist()
    features, cuts = grown.feature.tolist(), grown.threshold.tolist()
    missing_left = grown.missing_go_to_left.tolist()
    nodes: list[Node] = [Leaf((classes[answer],)) for answer in answers]
    # scikit-learn numbers every node before its children, so the last are complete first
    for i in reversed(range(grown.node_count)):
        if lefts[i] != rights[i]:
            nodes[i] = NumericSplit(
                names[features[i]], cuts[i], nodes[lefts[i]], nodes[rights[i]], bool(missing_left[i])
            )
    return DecisionTree(nodes[0], classes, missing="placed")


def sklearn_tree_columns(model: DecisionTreeClassifier, X: Any) -> tuple[Column, ...]:
    """Read cases as a fitted ``DecisionTreeClassifier`` reads them: all numeric, rounded to 32 bits."""
    checked = validate_data(
        model, X, reset=False, dtype=np.float32, accept_sparse="csr", ensure_all_finite="allow-nan"
    )
    dense = checked.toarray() if issparse(checked) else checked
    values = np.ascontiguousarray(dense.T, dtype=np.float64)
    return tuple(Column(name, "numeric", row, None) for name, row in zip(_names(model), values, strict=True))


def _names(model: DecisionTreeClassifier) -> Sequence[str]:
    named = getattr(model, "feature_names_in_", None)
    return [f"x{i}" for i in range(model.n_features_in_)] if named is None else named.tolist()
