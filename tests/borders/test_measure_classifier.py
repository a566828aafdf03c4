import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from fivefold.borders import MeasureClassifier, MeasureWeights, margin_similarity
from fivefold.borders import measure as border_measure
from fivefold.borders._lattice_kernels import MOST_BOUNDED, MOST_BOXES
from fivefold.borders.lattice import Boxes, Triangles, locate, make_mesh
from fivefold.borders.measure_classifier import draw_boxes, draw_rectangles
from fivefold.errors import InputError, InputTypeError
from fivefold.progress import Step

from .painting_reference import (
    border_distances,
    inside_rectangle,
    lattice_triangles,
    measure,
    shared_edges,
    triangle_distances,
)

MARGIN = 0.1
WEIGHTS = (1.0, 1.0, 0.025, 0.5, 0.5)


def petals():
    X, y = load_iris(return_X_y=True)
    return X[:, 2:], y


def constants(b, weights=WEIGHTS):
    a0, a1, a2, k1, k2 = weights
    return np.array([a0, a1, k1, k2, a2, b])


def scattered(seed, n, d, n_classes):
    rng = np.random.default_rng(seed)
    return rng.random((n, d)), rng.integers(n_classes, size=n).astype(np.int32)


@pytest.mark.parametrize("side", [2, 3, 5])
def test_the_mesh_is_that_of_all_pairs_of_triangles(side):
    step = 1.2 / side
    mesh, triangles = make_mesh(side, -MARGIN, step), lattice_triangles(side, -MARGIN, step)
    shared = shared_edges(triangles)
    assert {tuple(sorted(pair)) for pair in mesh.sides.tolist()} == set(shared)
    lengths = np.hypot(mesh.ends[:, 2] - mesh.ends[:, 0], mesh.ends[:, 3] - mesh.ends[:, 1])
    for ends, length, pair in zip(mesh.ends, lengths, mesh.sides.tolist(), strict=True):
        assert length == pytest.approx(shared[tuple(sorted(pair))])
        for end in (ends[:2], ends[2:]):
            np.testing.assert_allclose(triangle_distances(end, triangles[pair]), 0.0, atol=1e-12)
    for triangle, edges in enumerate(mesh.edges):
        touching = {edge for edge, pair in enumerate(mesh.sides) if triangle in pair}
        assert set(edges[edges >= 0]) == touching


@given(st.integers(2, 7), st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_points_are_found_in_their_triangles(side, points):
    step, points = 1.2 / side, np.array(points)
    triangles = lattice_triangles(side, -MARGIN, step)
    for point, place in zip(
        points, locate(points, make_mesh(side, -MARGIN, step), -MARGIN, step), strict=True
    ):
        assert triangle_distances(point, triangles[[place]]) == pytest.approx(0.0, abs=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 4), st.booleans())
@settings(max_examples=25)
def test_after_every_step_in_the_plane_the_measure_is_that_from_scratch(seed, side, n_classes, tilted):
    points, classes = scattered(seed, 12, 2, n_classes)
    canvas = Triangles(points, classes, n_classes, 0, side, MARGIN)
    triangles = lattice_triangles(side, -MARGIN, canvas.step)
    edges = shared_edges(triangles)
    rng = np.random.default_rng(seed)
    labels, value, b = np.zeros(len(triangles), dtype=int), -np.inf, 12**0.5
    for shape in draw_rectangles(rng, 25, side, canvas.step, n_classes, tilted):
        [kept] = canvas.climb(shape[None], value, constants(b))
        painted = np.where(inside_rectangle(shape, triangles, -MARGIN, canvas.step), shape[5], labels)
        places = locate(points, canvas.mesh, -MARGIN, canvas.step)
        distances = border_distances(points, classes, painted[places], triangles, painted)
        size = sum(length for (left, right), length in edges.items() if painted[left] != painted[right])
        expected = measure(painted[places] == classes, distances, size, WEIGHTS, b)
        if abs(expected - value) < 1e-9:
            assert not kept > value + 1e-9
        elif expected > value and (painted != labels).any():
            assert kept == pytest.approx(expected, abs=1e-12)
        else:
            assert np.isnan(kept)
        if not np.isnan(kept):
            labels, value = painted, kept
            answers, reached, length = canvas.state()
            np.testing.assert_array_equal(canvas.regions().labels, labels)
            np.testing.assert_array_equal(answers, labels[places])
            np.testing.assert_allclose(reached, distances, atol=1e-12)
            assert length == pytest.approx(size, abs=1e-12)


def cell_reference(grid, cells, points, classes, low, step):
    """Measure labelled cells of a grid the slow way: faces between neighbours, distances to every cell."""
    d, size = grid.ndim, 0.0
    for axis in range(d):
        size += np.count_nonzero(np.diff(grid, axis=axis)) * step ** (d - 1)
    answers = grid[tuple(cells.T)]
    places = np.argwhere(np.ones_like(grid, dtype=bool))
    distances = []
    for point, own, answer in zip(points, classes, answers, strict=True):
        wanted = places[(grid.ravel() == own) != (answer == own)]
        gaps = np.maximum.reduce(
            [low + step * wanted - point, point - low - step * (wanted + 1), np.zeros(wanted.shape)]
        )
        distances.append(np.sqrt((gaps**2).sum(axis=1)).min() if len(wanted) else np.inf)
    return answers, np.array(distances), float(size)


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(2, 4), st.integers(2, 4))
@settings(max_examples=25)
def test_after_every_step_with_boxes_the_measure_is_that_from_scratch(seed, d, side, n_classes):
    points, classes = scattered(seed, 10, d, n_classes)
    canvas = Boxes(points, classes, 0, side, MARGIN)
    cells = np.floor((points + MARGIN) / canvas.step).astype(int)
    grid, value, b = np.zeros((side,) * d, dtype=int), -np.inf, 10 ** (1 / d)
    rng = np.random.default_rng(seed)
    for shape in draw_boxes(rng, 25, side, canvas.step, d, n_classes):
        [kept] = canvas.climb(shape[None], value, constants(b))
        painted = grid.copy()
        painted[tuple(slice(low, high) for low, high in zip(shape[:d], shape[d : 2 * d], strict=True))] = (
            shape[-1]
        )
        answers, distances, size = cell_reference(painted, cells, points, classes, -MARGIN, canvas.step)
        expected = measure(answers == classes, distances, size, WEIGHTS, b)
        if kept > value:
            assert kept == pytest.approx(expected, abs=1e-12)
            grid, value = painted, kept
            state = canvas.state()
            np.testing.assert_array_equal(state[0], answers)
            np.testing.assert_allclose(state[1], distances, atol=1e-12)
            assert state[2] == pytest.approx(size, abs=1e-12)
        else:
            assert expected <= value + 1e-9 or (painted == grid).all() or len(canvas.boxes) > MOST_BOXES / 3


def test_boxes_bound_so_few_features_that_a_trial_has_room():
    side, d = 12, 9
    shapes = draw_boxes(np.random.default_rng(0), 5000, side, 0.1, d, 3)
    bounded = (shapes[:, :d] > 0) | (shapes[:, d : 2 * d] < side)
    assert bounded.sum(axis=1).max() == MOST_BOUNDED


@pytest.mark.parametrize("features", [[2, 3], [0], [0, 2, 3]])
def test_its_own_measure_is_that_of_its_regions(features):
    X, y = load_iris(return_X_y=True)
    X = X[:, features]
    learner = MeasureClassifier(random_state=1, max_proposals=2000).fit(X, y)
    partition = learner.border_partition(learner.window_)
    U, b = learner.window_.to_unit(X), len(y) ** (1 / len(features))
    answers = partition.answers(U)
    right = answers == y
    away = partition.distances(U, answers, np.where(right, -1, y).astype(np.int32))
    given = margin_similarity(np.where(right, away, -away), b)
    total = MeasureWeights().total(
        right.mean(), given[right].sum() / len(y), -given[~right].sum() / len(y), -partition.size().value
    )
    assert learner.measure_ == pytest.approx(total, abs=1e-12)
    assert (learner.predict(X) == y).mean() == right.mean()


@pytest.mark.parametrize("features", [[2, 3], [0], [0, 2, 3]])
def test_it_agrees_with_the_measure_of_any_model(features):
    X, y = load_iris(return_X_y=True)
    X = X[:, features]
    weights = {"a1": 0.8, "a2": 0.05, "k2": 0.7}
    learner = MeasureClassifier(random_state=1, max_proposals=2000, weights=weights).fit(X, y)
    result = border_measure(learner, X, y, weights=weights)
    assert result.value == pytest.approx(learner.measure_, abs=1e-12)
    assert result.fit == pytest.approx(learner.score(X, y))


def test_its_answers_alone_lead_to_nearly_the_same_measure():
    X, y = petals()
    learner = MeasureClassifier(random_state=1, max_proposals=3000).fit(X, y)
    result = border_measure(learner, X, y, method="adaptive")
    # Corners are cut by a part of the grid's step.
    assert result.value == pytest.approx(learner.measure_, abs=1e-3)


def test_other_windows_have_no_exact_regions():
    X, y = petals()
    learner = MeasureClassifier(random_state=0, max_proposals=10).fit(X, y)
    other = MeasureClassifier(random_state=0, max_proposals=10).fit(X[:100], y[:100])
    assert learner.border_partition(other.window_) is None


def test_patience_ends_the_climb_where_it_would_one_by_one():
    X, y = petals()
    learner = MeasureClassifier(random_state=3, patience=700, max_proposals=50_000).fit(X, y)
    climb = learner.climb_
    assert climb.n_proposals == climb.at[-1] + 700
    assert (np.diff(climb.at) <= 700).all()
    assert (np.diff(climb.values) > 0).all()


def test_a_longer_climb_begins_like_a_shorter_one():
    X, y = petals()
    short, long = (MeasureClassifier(random_state=0, max_proposals=n).fit(X, y).climb_ for n in (700, 2000))
    np.testing.assert_array_equal(long.values[long.at <= 700], short.values)
    none = MeasureClassifier(random_state=0, max_proposals=0).fit(X, y)
    assert none.climb_.values.tolist() == [long.values[0]]


@pytest.mark.parametrize("features", [[2, 3], [0, 1, 3]])
def test_terms_given_as_functions_climb_alike(features):
    X, y = load_iris(return_X_y=True)
    X, weights = X[:, features], {"a1": 0.7, "a2": 0.1, "k2": 1.5}
    by_weights = MeasureClassifier(random_state=0, max_proposals=600, weights=weights, b=9.0).fit(X, y)
    by_terms = MeasureClassifier(
        random_state=0,
        max_proposals=600,
        weights=weights,
        b=9.0,
        fit_term=lambda truth, predicted: np.mean(truth == predicted),
        similarity=margin_similarity,
        simplicity=lambda model, size: -size,
    ).fit(X, y)
    np.testing.assert_array_equal(by_terms.climb_.at, by_weights.climb_.at)
    np.testing.assert_allclose(by_terms.climb_.values, by_weights.climb_.values, atol=1e-12)
    np.testing.assert_array_equal(by_terms.predict(X), by_weights.predict(X))


def test_a_dear_border_stays_short_and_a_free_one_fits_better():
    X, y = petals()
    dear, free = (
        MeasureClassifier(random_state=0, max_proposals=4000, weights={"a2": a2}).fit(X, y)
        for a2 in (1.0, 0.0)
    )
    lengths = [learner.regions_.partition().size().value for learner in (dear, free)]
    assert lengths[0] < lengths[1]
    assert dear.score(X, y) <= free.score(X, y)


def test_negative_weights_are_climbed_too():
    # A bound that forgot the sign of a weight would turn good proposals away.
    X, y = petals()
    weights = {"a0": 0.1, "a1": -1.0, "a2": -0.05}
    by_weights = MeasureClassifier(random_state=0, max_proposals=400, weights=weights).fit(X, y)
    by_terms = MeasureClassifier(
        random_state=0, max_proposals=400, weights=weights, similarity=margin_similarity
    ).fit(X, y)
    np.testing.assert_array_equal(by_terms.climb_.at, by_weights.climb_.at)


def test_places_outside_of_the_window_have_the_class_of_its_edge():
    X, y = petals()
    learner = MeasureClassifier(random_state=0, max_proposals=3000).fit(X, y)
    low, high = learner.window_.low, learner.window_.high
    far = np.array([[low[0] - 50, 1.0], [high[0] + 50, high[1] + 50]])
    near = np.clip(far, low + 1e-9, high - 1e-9)
    np.testing.assert_array_equal(learner.predict(far), learner.predict(near))


def test_a_feature_in_which_cases_do_not_differ():
    X, y = petals()
    learner = MeasureClassifier(random_state=0, max_proposals=500).fit(np.c_[X[:, 0], np.ones(len(X))], y)
    assert learner.score(np.c_[X[:, 0], np.ones(len(X))], y) > 0.6


def test_frames_pickles_and_cross_validation():
    X, y = petals()
    frame = pl.DataFrame(X, schema=["length", "width"])
    learner = MeasureClassifier(random_state=0, max_proposals=1000).fit(frame, y)
    assert learner.window_.names == ("length", "width")
    same = pickle.loads(pickle.dumps(learner))
    np.testing.assert_array_equal(same.predict(frame), learner.predict(frame))
    assert cross_val_score(MeasureClassifier(random_state=0, max_proposals=1000), X, y, cv=3).mean() > 0.8


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"b": 0.0}, InputError, "b to be a finite number above zero; got 0.0"),
        ({"resolution": 1}, InputError, "resolution to be at least 2; got 1"),
        ({"patience": 0}, InputError, "patience to be at least 1; got 0"),
        ({"weights": {"a9": 1.0}}, InputError, "'a9'"),
        ({"tilted": "no"}, InputTypeError, "tilted to be True or False"),
        ({"window_margin": -1.0}, InputError, "-1.0"),
    ],
)
def test_bad_options_are_named(options, kind, message):
    X, y = petals()
    with pytest.raises(kind, match=message):
        MeasureClassifier(**options).fit(X, y)


def test_missing_values_and_words_are_refused():
    X, y = petals()
    X = X.copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MeasureClassifier().fit(X, y)
    with pytest.raises(ValueError, match="'blue'"):
        MeasureClassifier().fit([["blue", 1.0], ["red", 2.0]], [0, 1])


def test_progress_tells_of_proposals_and_the_measure(monkeypatch):
    X, y = petals()
    told = []
    monkeypatch.setattr(
        Step, "advance", lambda step, *told_of: told.append((step.what, step.total, *told_of))
    )
    model = MeasureClassifier(random_state=0, max_proposals=600, progress=False).fit(X, y)
    assert told[-1] == ("proposal", 600, 600 - 512, f"measure {model.measure_:.4f}")


@pytest.mark.slow
@pytest.mark.published
def test_it_reaches_the_published_measure_for_most_seeds():
    """Andersson, Davidsson and Lindén (1999), section 5: 1.288 on the petals of the irises."""
    X, y = petals()
    reached = [MeasureClassifier(random_state=seed).fit(X, y).measure_ for seed in range(5)]
    assert sum(value >= 1.288 for value in reached) >= 3
    assert max(reached) < 1.5


@parametrize_with_checks([MeasureClassifier(max_proposals=800, resolution=30)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
