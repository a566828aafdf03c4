"""Classifiers known by their answers alone: closed forms, and what refinement and lines can promise."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.borders import border_distance, border_segments, border_size, border_size_details, measure
from fivefold.errors import InputError

from .shapes import Ball, Chequered, Sectors, agree_with_a_raster, random_tree

SQUARE = [(-0.1, 1.1)] * 2


@pytest.mark.parametrize("radius", [0.05, 0.3, 0.5])
def test_circle(radius):
    result = border_size_details(Ball(radius), SQUARE)
    assert result.method == "adaptive grid"
    assert result.value == pytest.approx(2 * np.pi * radius, rel=(1.2 / 512 / radius) ** 2)
    assert abs(result.value - 2 * np.pi * radius) < result.error + 1e-9
    X = np.random.default_rng(0).uniform(size=(50, 2))
    away = np.abs(np.hypot(*(X - 0.5).T) - radius)
    result = border_distance(Ball(radius), X, Ball(radius).predict(X), window=SQUARE)
    np.testing.assert_allclose(result, away, atol=1e-4)
    wrong = border_distance(Ball(radius), X, 1 - Ball(radius).predict(X), window=SQUARE)
    np.testing.assert_allclose(wrong, -away, atol=1e-4)


@pytest.mark.parametrize(
    "model",
    [
        Sectors([0.43, 0.52]),
        KNeighborsClassifier(5),
        LogisticRegression(C=100.0),
        DecisionTreeClassifier(max_depth=3, random_state=0),
    ],
    ids=["sectors", "neighbours", "linear", "tree"],
)
def test_distances_of_right_and_wrong_cases_by_brute_force(model):
    rng = np.random.default_rng(0)
    window = [(0.0, 1.0), (0.0, 1.0)]
    classes = Sectors([0.4, 0.5], turn=0.6)
    X = rng.uniform(size=(60, 2))
    if hasattr(model, "fit"):
        model = model.fit(X, classes.predict(X))
    own = rng.choice(["a", "b", "c"], size=60)
    agree_with_a_raster(model, X, own, border_distance(model, X, own, window=window), window)


def test_a_finer_grid_is_nearer_and_says_so():
    errors = [border_size_details(Ball(0.37), SQUARE, resolution=r) for r in (128, 256, 512, 1024)]
    gaps = [abs(e.value - 2 * np.pi * 0.37) for e in errors]
    assert gaps[0] > gaps[2] > gaps[3]
    assert errors[0].error > errors[1].error > errors[2].error > errors[3].error


def test_three_classes_that_meet():
    centre = np.array([0.43, 0.52])
    borders, classes = border_segments(Sectors(centre), [(0, 1), (0, 1)])
    expected = 0.0
    for turn in (0.3, 0.3 + 2 * np.pi / 3, 0.3 + 4 * np.pi / 3):
        way = np.array([np.cos(turn), np.sin(turn)])
        expected += min(((way > 0) - centre) / way)
    assert classes == ["a", "b", "c"] or sorted(classes) == ["a", "b", "c"]
    assert borders.lengths.sum() == pytest.approx(expected, abs=2 / 512)
    result = border_size_details(Sectors(centre), [(0, 1), (0, 1)])
    assert result.value == pytest.approx(expected, abs=result.error + 1e-3)


def test_every_pair_of_classes_is_told():
    borders, classes = border_segments(Sectors([0.5, 0.5]), [(0, 1), (0, 1)])
    pairs = {tuple(sorted(classes[side] for side in sides)) for sides in borders.sides}
    assert pairs == {("a", "b"), ("a", "c"), ("b", "c")}


def test_saddles():
    # three inner lines each way; where they cross, four squares of two classes meet
    result = border_size_details(Chequered(), [(0.01, 3.02), (-0.04, 2.97)])
    assert result.value == pytest.approx(6 * 3.01, abs=0.02)


def test_straight_borders_are_exact_on_the_grid():
    model = DecisionTreeClassifier().fit([[0.0, 0.0], [0.37, 0.0]], [0, 1])
    result = border_size_details(model, [(0, 1), (0, 2)], method="adaptive")
    assert result.value == pytest.approx(2.0, abs=1e-9)
    assert result.error < 1e-9


def test_no_border():
    result = measure(Ball(0.0), [[0.2, 0.3], [0.9, 0.1]], [0, 1])
    assert result.border_size == 0
    assert result.distances.tolist() == [np.inf, -np.inf]
    assert result.similarity_right == result.similarity_wrong == 0.5
    assert result.value == 0.5


def test_an_island_around_a_case_is_found():
    class Island:
        def predict(self, points):
            return (np.hypot(*(np.asarray(points) - [0.50123, 0.3034]).T) < 0.004).astype(int)

    X, y = [[0.0, 0.0], [1.0, 1.0], [0.50123, 0.3034]], [0, 0, 1]
    result = measure(Island(), X, y, window_margin=0.0)
    assert result.border_size == pytest.approx(2 * np.pi * 0.004, rel=0.02)
    assert result.distances[2] == pytest.approx(0.004, rel=0.05)  # two cells wide: a coarse polygon


@pytest.mark.parametrize(("d", "radius"), [(3, 0.4), (4, 0.5)])
def test_spheres_by_random_lines(d, radius):
    surface = {3: 4 * np.pi, 4: 2 * np.pi**2}[d] * radius ** (d - 1)
    result = border_size_details(Ball(radius), [(-0.1, 1.1)] * d, n_lines=4000)
    assert result.method == "4000 random lines"
    assert abs(result.value - surface) < 4 * result.error
    assert result.error < 0.05 * surface


def test_bounds_of_distances_are_upper_and_close():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(100, 3))
    y = Ball(0.4).predict(X)
    away = np.abs(np.sqrt(np.sum((X - 0.5) ** 2, axis=1)) - 0.4)
    result = measure(Ball(0.4), X, y)
    assert result.distance_method == "upper bounds"
    raw = away / np.max(result.window.scale), away / np.min(result.window.scale)
    assert (result.distances >= raw[0] - 1e-6).all()
    assert np.median(result.distances / raw[1]) < 1.05


@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_distances_to_trees_are_upper(seed):
    model, X, y = random_tree(seed, 4, leaves=10)
    exact = border_distance(model, X[:60], y[:60])
    bounds = border_distance(model, X[:60], y[:60], method="lines")
    assert (np.sign(exact) == np.sign(bounds)).all()
    assert (np.abs(bounds) >= np.abs(exact) - 1e-5).all()
    assert np.median(np.abs(bounds) / np.abs(exact)) < 1.1


def test_lines_are_the_same_for_the_same_seed_only():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    first, again, other = (measure(model, X, y, random_state=s) for s in (0, 0, 1))
    assert first.value == again.value
    assert (first.distances == again.distances).all()
    assert first.border_size != other.border_size
    size = border_size_details(model, first.window, random_state=0)
    assert size.value == first.border_size


def test_one_column_by_answers():
    class Stripes:
        def predict(self, points):
            return np.digitize(np.asarray(points)[:, 0], [0.2, 0.5, 0.7]) % 2

    result = border_size_details(Stripes(), [(0, 1)])
    assert (result.value, result.error) == (3, 0)
    away = border_distance(Stripes(), [[0.0], [0.4], [0.8]], [0, 1, 0], window=[(0, 1)])
    assert away == pytest.approx([0.2, 0.1, -0.1], abs=1e-9)


def test_methods_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="method='exact'"):
        border_size(Ball(0.3), SQUARE, method="exact")
    with pytest.raises(InputError, match="method='adaptive'"):
        border_size(Ball(0.3), [(0, 1)] * 3, method="adaptive")
    with pytest.raises(InputError, match="curves only in the plane"):
        border_segments(Ball(0.3), [(0, 1)] * 3)
    with pytest.raises(InputError, match="follows borders"):
        border_segments(Ball(0.3), SQUARE, method="lines")
    with pytest.raises(InputError, match="'auto', 'exact'"):
        border_size(Ball(0.3), SQUARE, method="pixels")


def test_a_place_without_an_answer_is_a_region():
    class Shy:
        def predict(self, points):
            x = np.asarray(points)[:, 0]
            return np.where(x < 0.3, "a", np.where(x < 0.6, None, "b"))

    assert border_size(Shy(), [(0, 1), (0, 1)]) == pytest.approx(2.0)
    result = measure(Shy(), [[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]], ["a", "a", "b"])
    assert result.distances == pytest.approx([0.3, -0.2, 0.4], abs=1e-6)
    assert result.predicted.tolist() == ["a", None, "b"]
