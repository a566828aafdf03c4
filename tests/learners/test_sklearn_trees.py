import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from fivefold.errors import InputTypeError
from fivefold.learners import Leaf, NumericSplit
from fivefold.learners.trees.sklearn_trees import sklearn_tree_columns, sklearn_tree_theory


def leaves_of(theory, columns, n_rows):
    """Follow every row to its leaf; leaves are numbered as scikit-learn numbers nodes, depth first."""
    named = {column.name: column for column in columns}
    reached, answers, number = np.full(n_rows, -1), np.empty(n_rows, dtype=object), -1
    waiting = [(theory.root, np.arange(n_rows))]
    while waiting:
        node, rows = waiting.pop()
        number += 1
        if isinstance(node, Leaf):
            assert (reached[rows] == -1).all()
            reached[rows], answers[rows] = number, node.classes[0]
            continue
        left, right = node.route(named[node.column], rows)
        waiting += [(node.right, right), (node.left, left)]
    return reached, answers


def random_questions(rng, n_rows, n_columns, kind):
    if kind == "beyond float32":
        # neighbours that 32 bits cannot tell apart, and some that they just can
        X = 1.0 + rng.integers(0, 40, (n_rows, n_columns)) * 1e-8
        return X + rng.integers(0, 3, X.shape) * 1e-6
    X = rng.normal(size=(n_rows, n_columns)).round(1 if kind == "ties" else 12)
    if kind == "missing":
        X[rng.random(X.shape) < 0.3] = np.nan
    return X


@given(
    st.integers(0, 10**6),
    st.sampled_from(["plain", "ties", "missing", "beyond float32"]),
    st.sampled_from([DecisionTreeClassifier, ExtraTreeClassifier]),
    st.sampled_from([{}, {"max_depth": 3}, {"max_leaf_nodes": 6}]),
)
def test_every_case_reaches_the_leaf_that_scikit_learn_sends_it_to(seed, kind, maker, options):
    rng = np.random.default_rng(seed)
    n_columns = int(rng.integers(1, 5))
    X = random_questions(rng, 60, n_columns, kind)
    y = rng.integers(0, 3, 60)
    model = maker(random_state=seed, **options).fit(X, y)
    new = np.vstack([X, random_questions(rng, 60, n_columns, kind)])
    theory = sklearn_tree_theory(model)
    reached, answers = leaves_of(theory, sklearn_tree_columns(model, new), len(new))
    expected = model.apply(new)
    if "max_leaf_nodes" in options:  # grown best first, so numbered in another order: compare as partitions
        assert len(set(zip(reached, expected, strict=True))) == len(set(reached)) == len(set(expected))
    else:
        np.testing.assert_array_equal(reached, expected)
    np.testing.assert_array_equal(answers.astype(int), model.predict(new))
    assert sum(1 for _ in theory.nodes()) == model.tree_.node_count


def test_known_against_missing_is_an_infinite_cut():
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan], [np.nan]])
    model = DecisionTreeClassifier().fit(X, ["known"] * 3 + ["missing"] * 3)
    root = sklearn_tree_theory(model).root
    assert isinstance(root, NumericSplit)
    assert (root.cut, root.missing_left) == (np.inf, False)


def test_leaves_with_the_same_class_stay_apart():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    model = DecisionTreeClassifier().fit(X, [0, 0, 1, 0, 0, 0])
    root = sklearn_tree_theory(model).root
    assert isinstance(root, NumericSplit)
    assert root.left == root.right == Leaf((0,))


def test_names_and_sparse_matrices_are_read_as_by_the_model():
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0], "tall": [True, False, True]})
    model = DecisionTreeClassifier().fit(frame, [0, 1, 0])
    assert [column.name for column in sklearn_tree_columns(model, frame)] == ["age", "tall"]
    assert sklearn_tree_theory(model).root.column in ("age", "tall")
    sparse = csr_matrix(np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]]))
    model = DecisionTreeClassifier().fit(sparse, [0, 1, 1])
    columns = sklearn_tree_columns(model, sparse)
    assert [column.name for column in columns] == ["x0", "x1"]
    np.testing.assert_array_equal(np.column_stack([c.values for c in columns]), sparse.toarray())


def test_what_cannot_be_described_is_named():
    with pytest.raises(NotFittedError):
        sklearn_tree_theory(DecisionTreeClassifier())
    two = DecisionTreeClassifier().fit([[0.0], [1.0]], [[0, 1], [1, 0]])
    with pytest.raises(InputTypeError, match="2 targets"):
        sklearn_tree_theory(two)
    with pytest.raises(ValueError, match="features"):
        sklearn_tree_columns(DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]), [[1.0, 2.0]])
