"""Random lines: their law, and that their estimates are as good as they say."""

import numpy as np
import pytest
from scipy.special import gamma
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.borders import Window, border_size_details, choose
from fivefold.borders.approximate import random_chords
from fivefold.borders.window import as_window

pytestmark = pytest.mark.statistical


class Ball:
    def __init__(self, radius):
        self.radius = radius

    def predict(self, points):
        return (np.sum((np.asarray(points) - 0.5) ** 2, axis=1) < self.radius**2).astype(int)


def random_tree(seed, d):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(300, d)), rng.integers(3, size=300)
    return DecisionTreeClassifier(max_leaf_nodes=15, random_state=0).fit(X, y), Window.around(X)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_random_lines_give_the_area_of_random_trees(d):
    scores = []
    for seed in range(12):
        tree, window = random_tree(seed, d)
        exact = border_size_details(tree, window)
        lines = border_size_details(tree, window, method="lines", n_lines=2000, random_state=seed)
        assert exact.method == "exact, by boxes"
        scores.append((lines.value - exact.value) / lines.error)
    assert np.abs(scores).max() < 4
    # twelve standard normals: mean within 4 / sqrt(12), and a chi-square of 12 degrees below its 0.9999 quantile
    assert abs(np.mean(scores)) < 4 / np.sqrt(12)
    assert np.sum(np.square(scores)) < 39.2


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_random_lines_give_the_surface_of_balls(d):
    radius = 0.5
    surface = 2 * np.pi ** (d / 2) / gamma(d / 2) * radius ** (d - 1)
    result = border_size_details(Ball(radius), [(-0.1, 1.1)] * d, method="lines", n_lines=5000)
    assert abs(result.value - surface) < 4 * result.error


def test_walks_lose_nothing_at_edges():
    """Cubes of side 0.15 in turn: every plane between them is border; lines near edges cross two at once."""

    class Cubes:
        def predict(self, points):
            return (np.floor(np.asarray(points) / 0.15).sum(axis=1) % 2).astype(int)

    result = border_size_details(Cubes(), [(0.05, 0.98)] * 3, n_lines=20_000)
    # six planes across each axis; the bare walk would fall short by nine standard errors
    assert abs(result.value - 18 * 0.93**2) < 4 * result.error


def test_windows_need_not_be_cubes():
    tree = DecisionTreeClassifier().fit([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [0, 1])
    result = border_size_details(tree, [(0, 1), (0, 5), (0, 0.5)], method="lines", n_lines=5000)
    assert abs(result.value - 2.5) < 4 * result.error


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_chords_have_the_mean_length_of_cauchy(d):
    r"""The mean chord of isotropic uniform lines is 2 sqrt(pi) Gamma((d+1)/2) / Gamma(d/2) times V / S."""
    window = as_window([(0, 1 + 0.5 * i) for i in range(d)])
    start, direction, length = random_chords(window, 40_000, np.random.default_rng(0))
    sides = window.unit_high
    surface = 2 * np.sum(np.prod(sides) / sides)
    expected = 2 * np.sqrt(np.pi) * gamma((d + 1) / 2) / gamma(d / 2) * np.prod(sides) / surface
    assert abs(length.mean() - expected) < 4 * length.std() / np.sqrt(length.size)
    np.testing.assert_allclose(np.sum(direction**2, axis=1), 1.0)
    ends = start + length[:, np.newaxis] * direction
    assert (ends >= -1e-9).all()
    assert (ends <= sides + 1e-9).all()
    # no direction is preferred by the lines: a chord's weight is its length
    squares = np.average(direction**2, weights=length, axis=0)
    assert squares == pytest.approx(np.full(d, 1 / d), abs=0.02)


@pytest.mark.slow
def test_neighbours_by_cross_validation_err_less_than_by_the_measure():
    # the table in docs/borders.md: 6 points on two normal clouds, with a standard deviation of 2.5 between samples
    rng = np.random.default_rng(8)

    def draw(n):
        truth = rng.integers(0, 2, n)
        return rng.normal(size=(n, 2)) + truth[:, None] * [1.2, 0.6], truth

    gains = []
    for _ in range(8):
        (X, y), (X_new, y_new) = draw(100), draw(2000)
        models = {str(k): KNeighborsClassifier(k) for k in (1, 5, 9, 17, 25)}
        found = choose(models, X, y)
        chosen = [models[name].fit(X, y) for name in (found.by_measure, found.by_cv)]
        errors = [np.mean(model.predict(X_new) != y_new) for model in chosen]
        gains.append(errors[0] - errors[1])
    assert 0.01 < np.mean(gains) < 0.12
