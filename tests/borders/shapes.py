"""Classifiers whose borders are known, and random ones of known form."""

from itertools import pairwise

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from fivefold.learners.theories import DecisionTree, Leaf, NumericSplit


class Ball:
    """Class 1 inside a ball around 0.5, class 0 outside."""

    def __init__(self, radius):
        self.radius = radius

    def predict(self, points):
        return (np.sum((np.asarray(points) - 0.5) ** 2, axis=1) < self.radius**2).astype(int)


class Sectors:
    """Three classes that meet in one point of the plane, in sectors of equal angle."""

    def __init__(self, centre, turn=0.3):
        self.centre, self.turn = np.asarray(centre), turn

    def predict(self, points):
        x, y = (np.asarray(points) - self.centre).T
        angle = (np.arctan2(y, x) - self.turn) % (2 * np.pi)
        return np.array(["a", "b", "c"])[(angle * 3 / (2 * np.pi)).astype(int) % 3]


class Chequered:
    """Squares of side 1 in turn."""

    def predict(self, points):
        return (np.floor(np.asarray(points)).sum(axis=1) % 2).astype(int)


class GrownTree:
    """A tree given node by node, as a model that can say what it has learnt."""

    def __init__(self, root, classes, names=("x0", "x1")):
        self.root, self.names = root, names
        self.classes_ = np.array(classes)

    def theory(self):
        return DecisionTree(self.root, tuple(self.classes_.tolist()))

    def predict(self, points):
        points = np.asarray(points, dtype=float)
        return np.array([self._answer(self.root, point) for point in points])

    def _answer(self, node, point):
        while isinstance(node, NumericSplit):
            node = node.left if point[self.names.index(node.column)] <= node.cut else node.right
        return node.classes[0]


def split_leaves(node, rng):
    """Cut every leaf in two of the same class."""
    if isinstance(node, Leaf):
        return NumericSplit(f"x{rng.integers(2)}", float(rng.uniform()), node, node)
    return NumericSplit(node.column, node.cut, split_leaves(node.left, rng), split_leaves(node.right, rng))


def random_root(rng, depth, n_classes=3):
    """A random tree on the unit square."""
    if depth == 0:
        return Leaf((int(rng.integers(n_classes)),))
    below, above = random_root(rng, depth - 1, n_classes), random_root(rng, depth - 1, n_classes)
    return NumericSplit(f"x{rng.integers(2)}", float(rng.uniform()), below, above)


def random_tree(seed, d, leaves=12, n_classes=3):
    """A tree that scikit-learn grew on noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(200, d)), rng.integers(n_classes, size=200)
    return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y), X, y


def changes_along(model, start, end, crossings):
    """Check that a model's class is constant between crossings (as shares of the way) and changes at each."""
    stops = np.concatenate([[0.0], np.sort(crossings), [1.0]])
    before = None
    for low, high in pairwise(stops):
        if high - low < 1e-6:
            return  # a corner: too close to tell
        t = low + (high - low) * np.linspace(0.02, 0.98, 9)
        classes = set(model.predict(start + t[:, np.newaxis] * (end - start)).tolist())
        assert len(classes) == 1
        assert classes != before
        before = classes


def crossings_of(ends, start, end):
    """Where the segments cross the way from start to end, as shares of it."""
    way = end - start
    crossings = []
    for a, b in ends:
        matrix = np.column_stack([way, a - b])
        if abs(np.linalg.det(matrix)) < 1e-14:
            continue
        t, s = np.linalg.solve(matrix, a - start)
        if 0 <= t <= 1 and 0 <= s <= 1:
            crossings.append(t)
    return np.array(crossings)


def agree_but_for_slivers(exact, grid, cell=1.2 / 512):
    """Check distances on a grid: never shorter than the exact ones by more than a cell's diagonal, mostly equal.

    They may be longer, since regions thinner than a cell are missed.
    """
    assert (np.signbit(exact) == np.signbit(grid)).all()
    assert (np.isfinite(exact) | np.isinf(grid)).all()
    both = np.isfinite(exact) & np.isfinite(grid)
    gap = np.abs(grid[both]) - np.abs(exact[both])
    assert gap.min() > -1.5 * cell
    assert np.mean(gap < 1.5 * cell) > 0.5


def agree_with_a_raster(model, X, own, result, window, pixels=400):
    """Check signed distances in the plane by brute force: the nearest of many places with a wanted class."""
    axes = [np.linspace(low, high, pixels) for low, high in window]
    places = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    classes, answers = model.predict(places), model.predict(X)
    diagonal = np.hypot(*[high - low for low, high in window]) / (pixels - 1)
    for x, label, answer, distance in zip(X, own, answers, result, strict=True):
        wanted = classes != answer if answer == label else classes == label
        nearest = np.hypot(*(places[wanted] - x).T).min() if wanted.any() else np.inf
        assert (distance >= 0) == (answer == label)
        assert abs(distance) <= nearest + 1e-9  # a place that is wanted bounds the distance from above
        assert abs(distance) >= nearest - 2 * diagonal or abs(distance) > 1e9
