"""Linear models: planes cut off at the window, and the way to convex cells."""

from itertools import product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from fivefold.borders import (
    Window,
    border_distance,
    border_segments,
    border_size,
    border_size_details,
    measure,
)

from .shapes import agree_but_for_slivers, changes_along, crossings_of


def linear_model(weights, constants):
    """A fitted logistic regression with given functions."""
    weights = np.atleast_2d(np.asarray(weights, dtype=float))
    model = LogisticRegression()
    model.classes_ = np.arange(max(2, weights.shape[0]))
    model.coef_, model.intercept_ = weights, np.atleast_1d(np.asarray(constants, dtype=float))
    model.n_features_in_ = weights.shape[1]
    return model


def slice_of_cube(w, c):
    r"""Content of {u in [0,1]^d: w u = c} by inclusion and exclusion over the corners (Polya 1913)."""
    d = len(w)
    total = sum(
        (-1) ** sum(v) * max(0.0, c - float(np.dot(w, v))) ** (d - 1) for v in product((0, 1), repeat=d)
    )
    return np.linalg.norm(w) * total / (factorial(d - 1) * np.prod(w))


@pytest.mark.parametrize("d", [2, 3, 4, 5])
@given(seed=st.integers(0, 10_000))
def test_one_plane_in_a_cube(d, seed):
    rng = np.random.default_rng(seed)
    w = rng.uniform(0.2, 1.0, size=d)
    c = float(rng.uniform(0.05, 0.95) * w.sum())
    result = border_size_details(linear_model(w, -c), [(0, 1)] * d)
    assert result.method.startswith("exact")
    assert result.value == pytest.approx(slice_of_cube(w, c), rel=1e-6, abs=1e-9)


def dykstra(x, normals, bounds, rounds=1000):
    """Project a point onto a part of the unit cube by projecting in turn; None if there is no such part."""
    z, slips = x.copy(), np.zeros((len(normals) + 1, x.size))
    for _ in range(rounds):
        for i in range(len(normals) + 1):
            given = z + slips[i]
            if i < len(normals):
                over = max(0.0, normals[i] @ given - bounds[i])
                z = given - over * normals[i] / (normals[i] @ normals[i])
            else:
                z = np.clip(given, 0.0, 1.0)
            slips[i] = given - z
    return z if (normals @ z <= bounds + 1e-6).all() else None


def test_regular_hexagon():
    assert border_size(linear_model([1, 1, 1], -1.5), [(0, 1)] * 3) == pytest.approx(3 * np.sqrt(3) / 4)


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_classes_change_at_the_segments_and_nowhere_else(seed, n_classes):
    rng = np.random.default_rng(seed)
    weights = rng.normal(size=(n_classes if n_classes > 2 else 1, 2))
    model = linear_model(weights, -weights @ [0.5, 0.5] + rng.normal(size=len(weights)) * 0.2)
    borders, _ = border_segments(model, [(0, 1), (0, 1)])
    for _ in range(4):
        start, end = rng.uniform(size=(2, 2))
        changes_along(model, start, end, crossings_of(borders.ends, start, end))


@pytest.mark.parametrize("d", [3, 4])
def test_cells_in_space_are_as_large_as_random_lines_say(d):
    rng = np.random.default_rng(d)
    weights = rng.normal(size=(4, d))
    model = linear_model(weights, -weights @ np.full(d, 0.5) + rng.normal(size=4) * 0.1)
    exact = border_size_details(model, [(0, 1)] * d)
    lines = border_size_details(model, [(0, 1)] * d, method="lines", n_lines=4000)
    assert exact.method == "exact, by planes"
    assert abs(exact.value - lines.value) < 4 * lines.error


@pytest.mark.parametrize("d", [3, 4])
def test_distances_are_the_least_that_an_optimiser_finds(d):
    rng = np.random.default_rng(10 + d)
    weights = rng.normal(size=(3, d))
    constants = -weights @ np.full(d, 0.5) + rng.normal(size=3) * 0.1
    model = linear_model(weights, constants)
    X, y = rng.uniform(size=(15, d)), rng.integers(3, size=15)
    result = border_distance(model, X, y, window=[(0, 1)] * d)

    def way_to(x, c, others):
        normals, bounds = weights[others] - weights[c], constants[c] - constants[others]
        solution = dykstra(x, normals, bounds)
        return np.inf if solution is None else np.sqrt(np.sum((solution - x) ** 2))

    for x, own, distance in zip(X, y, result, strict=True):
        answer = int(model.predict([x])[0])
        if answer == own:
            expected = min(way_to(x, c, [answer]) for c in range(3) if c != answer)
        else:
            expected = -way_to(x, own, [c for c in range(3) if c != own])
        assert distance == pytest.approx(expected, abs=1e-5)


def test_the_nearest_border_is_inside_the_window_where_the_foot_is_not():
    model = linear_model([1.0, 1.0, 1.0], -0.3)  # cuts off a corner of the cube
    result = border_distance(model, [[0.9, 0.9, 0.0], [0.9, 0.0, 0.0]], [1, 0], window=[(0, 1)] * 3)
    assert result == pytest.approx([0.75 * np.sqrt(2), -0.6])


def test_many_columns_have_exact_distances_and_random_lines():
    d = 10
    w = np.zeros(d)
    w[0] = 2.0
    model = linear_model(w, -1.0)
    X = np.random.default_rng(0).uniform(size=(20, d))
    result = measure(model, X, (X[:, 0] > 0.5).astype(int), window=[(0, 1)] * d)
    np.testing.assert_allclose(result.distances, np.abs(X[:, 0] - 0.5), atol=1e-12)
    assert result.distance_method == "exact"
    assert abs(result.border_size - 1.0) < 4 * result.error


MODELS = {
    "logistic": LogisticRegression(max_iter=5000),
    "lda": LinearDiscriminantAnalysis(),
    "svm": LinearSVC(),
    "ridge": RidgeClassifier(),
    "perceptron": Perceptron(random_state=0),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "scaled twice and turned": make_pipeline(MinMaxScaler(), PCA(), StandardScaler(), LinearSVC()),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_every_linear_model_is_exact_and_agrees_with_its_own_answers(name, n_classes):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 2)) * (1.0, 4.0) + (2.0, 0.0)
    y = np.digitize(X[:, 0] - 2 + X[:, 1] / 8 + rng.normal(size=90) * 0.2, [0.0, 0.8][: n_classes - 1])
    model = MODELS[name].fit(X, y)
    window = Window.around(X)
    exact = border_size_details(model, window)
    grid = border_size_details(model, window, method="adaptive")
    assert exact.method == "exact, by lines"
    assert exact.value == pytest.approx(grid.value, abs=4 * grid.error + 1e-3)
    agree_but_for_slivers(border_distance(model, X, y), border_distance(model, X, y, method="adaptive"))


def test_one_column():
    model = linear_model([[0.0], [1.0], [2.0]], [0.0, -1.0, -3.0])  # changes at 1 and at 2
    assert border_size_details(model, [(0, 3)]).value == 2
    assert border_distance(model, [[0.0], [1.5], [2.25]], [0, 2, 2], window=[(0, 3)]) == pytest.approx(
        [1, -0.5, 0.25]
    )
