"""k nearest neighbours in the plane."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import Voronoi
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fivefold.borders import border_distance, border_segments, border_size, border_size_details, measure

from .shapes import agree_but_for_slivers, changes_along, crossings_of

UNIT = [(0.0, 1.0), (0.0, 1.0)]


def clipped_length(a, b):
    """Length of the part of a segment inside the unit square (Liang and Barsky)."""
    t0, t1 = 0.0, 1.0
    for p, q in zip(a, b - a, strict=True):
        if q == 0:
            if not 0 <= p <= 1:
                return 0.0
            continue
        ends = sorted([-p / q, (1 - p) / q])
        t0, t1 = max(t0, ends[0]), min(t1, ends[1])
    return max(0.0, t1 - t0) * float(np.hypot(*(b - a)))


def voronoi_length(X, y):
    """Length of the Voronoi edges between cases of different classes inside the unit square."""
    far = np.array([[-50, -50], [-50, 50], [50, -50], [50, 50]])  # makes all edges near the square finite
    diagram = Voronoi(np.vstack([X, far]))
    labels = np.concatenate([y, [-1, -2, -3, -4]])
    total = 0.0
    for (i, j), ridge in zip(diagram.ridge_points, diagram.ridge_vertices, strict=True):
        if labels[i] != labels[j] and min(i, j) >= 0 and max(i, j) < len(X) and -1 not in ridge:
            total += clipped_length(*diagram.vertices[ridge])
    return total


@given(st.integers(0, 10_000), st.integers(5, 60), st.integers(2, 4))
def test_one_neighbour_has_the_edges_of_voronoi(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(n, 2)), rng.integers(n_classes, size=n)
    model = KNeighborsClassifier(1).fit(X, y)
    assert border_size(model, UNIT) == pytest.approx(voronoi_length(X, y), abs=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 12), st.sampled_from([False, True]))
def test_classes_change_at_the_segments_and_nowhere_else(seed, k, doubled):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(30, 2)), rng.integers(3, size=30)
    if doubled and k > 1:
        # cases at one place with one class: any order among them is the same
        X, y = np.vstack([X, X[:10]]), np.concatenate([y, y[:10]])
    model = KNeighborsClassifier(k).fit(X, y)
    borders, classes = border_segments(model, UNIT)
    assert classes == model.classes_.tolist()
    for _ in range(4):
        start, end = rng.uniform(size=(2, 2))
        changes_along(model, start, end, crossings_of(borders.ends, start, end))
    long = borders.lengths > 1e-3
    if not long.any():  # a single class wins everywhere
        return
    middles = borders.ends[long].mean(axis=1)
    across = (borders.ends[long, 1] - borders.ends[long, 0])[:, ::-1] * [1, -1]
    across *= 1e-7 / np.hypot(*across.T)[:, np.newaxis]
    beside = np.sort(np.column_stack([model.predict(middles + across), model.predict(middles - across)]))
    assert (beside == np.sort(model.classes_[borders.sides[long]], axis=1)).all()


@pytest.mark.parametrize("k", [1, 4, 10])
@pytest.mark.parametrize("ties", ["lowest", "highest"])
def test_exact_borders_agree_with_the_grid_of_answers_and_votes_count_ties_as_asked(k, ties):
    rng = np.random.default_rng(k)
    X = np.round(rng.normal(size=(60, 2)), 1)
    y = (X.sum(axis=1) + rng.normal(size=60) > 0).astype(int) + (X[:, 0] > 1)
    model = KNeighborsClassifier(k).fit(X, y)
    exact = measure(model, X, y, ties=ties)
    grid = measure(model, X, y, ties=ties, method="adaptive")
    assert exact.method == "exact, by bisectors"
    assert exact.border_size == pytest.approx(grid.border_size, abs=4 * grid.error + 0.01)
    assert (exact.predicted == grid.predicted).all()
    agree_but_for_slivers(exact.distances, grid.distances)
    votes = model.predict_proba(X)
    clear = np.sort(votes)[:, -1] > np.sort(votes)[:, -2]
    away = np.abs(exact.distances) > 1e-9  # on a border the neighbours themselves are tied
    assert (exact.predicted == model.predict(X))[clear & away].all()
    tied = ~clear & away
    best = votes[tied] == votes[tied].max(axis=1, keepdims=True)
    expected = best.argmax(axis=1) if ties == "lowest" else 2 - best[:, ::-1].argmax(axis=1)
    assert (exact.predicted[tied] == expected).all()


def test_conflicting_duplicates():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    y = np.array([0, 0, 1, 1])
    model = KNeighborsClassifier(1).fit(X, y)
    window = [(-1, 2), (-1, 1)]
    assert border_size(model, window) == pytest.approx(2.0)  # at x = 0.5: the majority at (1, 0) is 1
    assert border_size(model, window, duplicates="paper") == 0.0  # the first case there is 0
    assert border_distance(model, X, y, window=window).tolist() == [0.5, -0.5, 0.5, 0.5]
    paper = border_distance(model, X, y, window=window, duplicates="paper")
    assert paper.tolist() == [np.inf] * 4  # all count as right, and there is no border


def test_scaling_moves_with_the_pipeline():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) * (1, 1000) + (0, 1e6)
    y = rng.integers(3, size=80)
    scaled = make_pipeline(StandardScaler(), KNeighborsClassifier(3)).fit(X, y)
    by_hand = KNeighborsClassifier(3).fit(StandardScaler().fit_transform(X), y)
    first = measure(scaled, X, y)
    other = measure(by_hand, StandardScaler().fit_transform(X), y)
    assert first.method == "exact, by bisectors"
    assert first.border_size == pytest.approx(other.border_size, rel=1e-8)
    np.testing.assert_allclose(first.distances, other.distances, atol=1e-8)


@pytest.mark.parametrize(
    "model", [KNeighborsClassifier(3, weights="distance"), KNeighborsClassifier(3, metric="manhattan")]
)
def test_other_votes_and_metrics_are_found_by_answers(model):
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(40, 2)), rng.integers(2, size=40)
    assert border_size_details(model.fit(X, y), UNIT).method == "adaptive grid"


def test_units_do_not_matter():
    rng = np.random.default_rng(5)
    X, y = rng.uniform(size=(50, 2)), rng.integers(3, size=50)
    size = border_size(KNeighborsClassifier(4).fit(X, y), UNIT)
    for unit in (1e-9, 1e9):
        small = KNeighborsClassifier(4).fit(X * unit, y)
        assert border_size(small, np.array(UNIT) * unit) / unit == pytest.approx(size, rel=1e-9)


def test_neighbours_at_one_place_vote_in_their_order():
    model = KNeighborsClassifier(3).fit(np.zeros((4, 2)), [0, 1, 0, 1])
    cases = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    assert measure(model, cases, [0, 0, 1]).border_size == 0.0
    assert measure(model, cases, [0, 0, 1]).fit == pytest.approx(2 / 3)
