"""Trees, forests and rules: areas and distances of boxes, in any dimension."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.borders import Window, border_distance, border_segments, border_size, border_size_details
from fivefold.learners.theories import Leaf, NumericSplit

from .shapes import (
    GrownTree,
    agree_but_for_slivers,
    changes_along,
    crossings_of,
    random_root,
    random_tree,
    split_leaves,
)

UNIT = [(0.0, 1.0), (0.0, 1.0)]


def brute_cells(model, low, high):
    """All cells between the cuts of a scikit-learn tree: ends and classes, by plain loops."""
    tree = model.tree_
    edges = []
    for k in range(len(low)):
        cuts = sorted(
            {t for f, t in zip(tree.feature, tree.threshold, strict=True) if f == k and low[k] < t < high[k]}
        )
        edges.append([low[k], *cuts, high[k]])
    cells = {}
    for place in np.ndindex(*[len(edge) - 1 for edge in edges]):
        ends = [(edge[i], edge[i + 1]) for edge, i in zip(edges, place, strict=True)]
        cells[place] = (ends, int(model.predict([[(a + b) / 2 for a, b in ends]])[0]))
    return cells


def brute_area(cells):
    total = 0.0
    for place, (ends, label) in cells.items():
        for k in range(len(place)):
            beside = (*place[:k], place[k] + 1, *place[k + 1 :])
            if beside in cells and cells[beside][1] != label:
                total += float(np.prod([b - a for i, (a, b) in enumerate(ends) if i != k]))
    return total


def brute_distance(cells, point, goal):
    gaps = [
        np.sqrt(sum(max(a - x, x - b, 0.0) ** 2 for x, (a, b) in zip(point, ends, strict=True)))
        for ends, label in cells.values()
        if goal(label)
    ]
    return min(gaps, default=np.inf)


@pytest.mark.parametrize(("d", "leaves"), [(1, 6), (2, 12), (3, 8), (4, 6)])
@pytest.mark.parametrize("seed", [0, 1])
def test_areas_and_distances_are_those_of_all_cells_between_cuts(d, leaves, seed):
    model, X, y = random_tree(seed, d, leaves)
    window = Window.around(X, margin=0.1, normalise=False)
    cells = brute_cells(model, window.low, window.high)
    assert border_size_details(model, window).method == "exact, by boxes"
    assert border_size(model, window) == pytest.approx(brute_area(cells), rel=1e-12)
    result = border_distance(model, X[:40], y[:40], window=window)
    for point, own, distance in zip(X[:40], y[:40], result, strict=True):
        answer = int(model.predict([point])[0])
        if answer == own:
            expected = brute_distance(cells, point, lambda label, answer=answer: label != answer)
        else:
            expected = -brute_distance(cells, point, lambda label, own=own: label == own)
        assert distance == pytest.approx(expected, abs=1e-6)  # scikit-learn rounds cases to 32 bits


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_splitting_leaves_into_equal_ones_changes_nothing(seed, depth):
    rng = np.random.default_rng(seed)
    root = random_root(rng, depth)
    tree, finer = GrownTree(root, [0, 1, 2]), GrownTree(split_leaves(root, rng), [0, 1, 2])
    X, y = rng.uniform(size=(20, 2)), rng.integers(3, size=20)
    assert border_size(tree, UNIT) == pytest.approx(border_size(finer, UNIT), abs=1e-12)
    np.testing.assert_allclose(
        border_distance(tree, X, y, window=UNIT), border_distance(finer, X, y, window=UNIT), atol=1e-12
    )


@given(st.integers(0, 10_000))
def test_segments_are_where_classes_change(seed):
    rng = np.random.default_rng(seed)
    tree = GrownTree(random_root(rng, 4), [0, 1, 2])
    borders, _ = border_segments(tree, UNIT)
    assert borders.lengths.sum() == pytest.approx(border_size(tree, UNIT), abs=1e-12)
    for _ in range(5):
        start, end = rng.uniform(size=(2, 2))
        changes_along(tree, start, end, crossings_of(borders.ends, start, end))


def test_a_box_in_the_middle_by_hand():
    out, within = Leaf(("out",)), Leaf(("in",))
    root = NumericSplit("x1", 0.75, NumericSplit("x1", 0.5, out, within), out)
    root = NumericSplit("x0", 0.75, NumericSplit("x0", 0.25, out, root), out)
    tree = GrownTree(root, ["in", "out"])
    assert border_size(tree, UNIT) == 2 * (0.5 + 0.25)
    X = [[0.5, 0.6], [0.0, 0.6], [0.1, 0.3], [0.9, 1.0], [0.5, 0.7]]
    result = border_distance(tree, X, ["in", "in", "out", "in", "out"], window=UNIT)
    assert result == pytest.approx([0.1, -0.25, 0.25, -np.hypot(0.15, 0.25), -0.05])


def test_only_borders_inside_the_window_count():
    stump = DecisionTreeClassifier().fit([[0.0, 0.0], [1.0, 0.0]], ["a", "b"])
    assert border_size(stump, [(0, 1), (0, 3)]) == 3.0
    assert border_size(stump, [(0.6, 1), (0, 3)]) == 0.0
    assert border_size(stump, [(0.5, 1), (0, 3)]) == 0.0  # a border on the edge is not inside
    result = border_distance(stump, [[0.8, 1], [0.9, 1]], ["b", "a"], window=[(0.6, 1), (0, 3)])
    assert result.tolist() == [np.inf, -np.inf]


MODELS = {
    "forest": RandomForestClassifier(7, max_depth=4, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=5, random_state=0),
    "ada": AdaBoostClassifier(n_estimators=8, random_state=0),
    "bagging on one column each": BaggingClassifier(
        DecisionTreeClassifier(max_depth=2), n_estimators=8, max_features=1, random_state=0
    ),
    "scaled tree": make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=4, random_state=0)),
    "scaled forest": make_pipeline(
        MinMaxScaler((-3, 5)), RandomForestClassifier(4, max_depth=3, random_state=0)
    ),
    "C4.5": ff.learners.C45Tree(),
    "C4.5 rules": ff.learners.C45Rules(random_state=0),
    "ID3": ff.learners.ID3(),
    "1R": ff.learners.OneR(),
    "PRISM": ff.learners.Prism(),
    "INDUCT": ff.learners.Induct(form="ripple"),
}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_of_cuts_is_exact_and_agrees_with_its_own_answers(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) * (1.0, 30.0)
    y = np.array(["no", "yes", "maybe"])[(X[:, 0] + X[:, 1] / 30 > 0).astype(int) + (X[:, 0] > 0.8)]
    model = MODELS[name].fit(X, y)
    exact = ff.borders.measure(model, X, y)
    assert exact.method.startswith("exact")
    assert exact.distance_method == "exact"
    by_answers = ff.borders.measure(model, X, y, method="adaptive")
    assert (exact.predicted == model.predict(X)).all()
    agree_but_for_slivers(exact.distances, by_answers.distances)
    borders, _ = border_segments(model, exact.window)
    scaled = borders.ends / exact.window.scale
    assert np.hypot(*(scaled[:, 1] - scaled[:, 0]).T).sum() == pytest.approx(exact.border_size)
    for _ in range(10):
        start, end = rng.uniform(exact.window.low, exact.window.high, size=(2, 2))
        changes_along(model, start, end, crossings_of(borders.ends, start, end))


def test_a_grid_with_too_many_cells_is_left():
    _, X, y = random_tree(0, 2)
    forest = RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y)
    window = Window.around(X)
    assert border_size_details(forest, window, max_cells=100_000).method.startswith("exact")
    assert border_size_details(forest, window, max_cells=10).method == "adaptive grid"


def test_forests_in_three_dimensions():
    _, X, y = random_tree(3, 3)
    forest = RandomForestClassifier(3, max_depth=3, random_state=0).fit(X, y)
    window = Window.around(X)
    exact = border_size_details(forest, window)
    lines = border_size_details(forest, window, method="lines", n_lines=2000)
    assert exact.method.startswith("exact")
    assert abs(exact.value - lines.value) < 4 * lines.error
