"""The measure: its terms by hand, its options, and what it refuses."""

import pickle
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.borders import BorderMeasure, MeasureWeights, Window, border_distance, border_size, measure
from fivefold.errors import InputError, InputTypeError

from .shapes import random_tree

# One cut at 4 between 0 and 10, so at 0.4 of the scale; the second column runs from 0 to 1.
X = np.array([[0.0, 0.0], [2.0, 1.0], [4.5, 0.5], [6.0, 0.0], [10.0, 1.0]])
Y = np.array(["low", "low", "low", "high", "high"])


def stump():
    return DecisionTreeClassifier(max_depth=1).fit([[0.0, 0.0], [8.0, 0.0]], ["low", "high"])


def test_the_terms_by_hand():
    result = measure(stump(), X, Y)
    assert result.distances == pytest.approx([0.4, 0.2, -0.05, 0.2, 0.6])
    assert result.b == pytest.approx(np.sqrt(5))
    gains = 1 - 2.0 ** (-np.sqrt(5) * np.array([0.4, 0.2, 0.05, 0.2, 0.6]))
    assert result.contributions == pytest.approx(gains * [1, 1, -1, 1, 1])
    assert result.fit == 0.8
    assert result.similarity_right == pytest.approx((gains.sum() - gains[2]) / 5)
    assert result.similarity_wrong == pytest.approx(gains[2] / 5)
    assert result.border_size == pytest.approx(1.2)
    expected = 0.8 + 0.5 * result.similarity_right - 0.5 * result.similarity_wrong - 0.025 * 1.2
    assert result.value == pytest.approx(expected)
    assert result.right.tolist() == [True, True, False, True, True]
    assert result.predicted.tolist() == ["low", "low", "high", "high", "high"]


def test_a_result_shows_itself():
    result = measure(stump(), X, Y)
    assert "\n" not in str(result)
    assert str(result).startswith("measure 0.9")
    assert "exact" in str(result)
    frame = result.frame()
    assert frame.columns == ["truth", "predicted", "right", "distance", "contribution"]
    assert frame["distance"].to_list() == result.distances.tolist()
    assert isinstance(result.frame("pandas"), pd.DataFrame)
    assert result.window.unit_low == pytest.approx([-0.1, -0.1])
    assert result.window.unit_high == pytest.approx([1.1, 1.1])
    assert result.window.scale.tolist() == [10.0, 1.0]
    assert result.window_margin == 0.1
    assert (result.method, result.error, result.distance_method) == ("exact, by boxes", 0.0, "exact")
    assert result.sections == pytest.approx(1.0)
    assert isinstance(pickle.loads(pickle.dumps(result)), BorderMeasure)
    with pytest.raises(AttributeError):
        result.value = 3


def test_weights():
    parts = measure(stump(), X, Y)
    weights = {"a0": 2.0, "a1": 3.0, "a2": 0.5, "k1": 0.25, "k2": 4.0}
    expected = 2 * 0.8 + 3 * (0.25 * parts.similarity_right - 4 * parts.similarity_wrong) - 0.5 * 1.2
    assert measure(stump(), X, Y, weights=weights).value == pytest.approx(expected)
    assert measure(stump(), X, Y, weights=MeasureWeights(**weights)).value == pytest.approx(expected)
    assert measure(stump(), X, Y, weights={"a2": 0.0}).value == pytest.approx(parts.value + 0.025 * 1.2)
    with pytest.raises(InputError, match="a3"):
        measure(stump(), X, Y, weights={"a3": 1.0})
    with pytest.raises(InputTypeError, match="sample_weight"):
        measure(stump(), X, Y, weights=np.ones(5))
    with pytest.raises(InputError, match="a0"):
        measure(stump(), X, Y, weights={"a0": np.inf})


def test_every_term_can_be_replaced():
    parts = measure(stump(), X, Y)
    result = measure(stump(), X, Y, fit=lambda truth, predicted: np.mean(truth == "low"))
    assert result.fit == 0.6
    assert result.value == pytest.approx(parts.value - 0.2)
    result = measure(stump(), X, Y, similarity=lambda d, b: np.clip(b * d, -1, 1), b=5.0)
    assert result.contributions == pytest.approx([1, 1, -0.25, 1, 1])
    assert result.similarity_right == pytest.approx(0.8)
    assert result.similarity_wrong == pytest.approx(0.05)
    result = measure(stump(), X, Y, simplicity=lambda model, size: -model.get_n_leaves() * size)
    assert result.value == pytest.approx(parts.value - 0.025 * 1.2)
    with pytest.raises(InputError, match="one number for each of the 5 cases"):
        measure(stump(), X, Y, similarity=lambda d, b: 1.0)
    with pytest.raises(InputError, match="above zero"):
        measure(stump(), X, Y, b=0)


def test_weights_of_cases_are_repetition():
    counts = np.array([1, 3, 2, 0, 1])
    b = 2.0
    weighted = measure(stump(), X, Y, sample_weight=counts, b=b)
    repeated = measure(stump(), X.repeat(counts, axis=0), Y.repeat(counts), window=weighted.window, b=b)
    for name in ("fit", "similarity_right", "similarity_wrong", "border_size", "value"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))


def test_units_of_columns_do_not_matter():
    _, cases, classes = random_tree(2, 2)
    first = measure(DecisionTreeClassifier(max_depth=4, random_state=0).fit(cases, classes), cases, classes)
    stretched = cases * (1000, 0.001) + (-7, 3)
    other = DecisionTreeClassifier(max_depth=4, random_state=0).fit(stretched, classes)
    other = measure(other, stretched, classes)
    assert other.value == pytest.approx(first.value, abs=1e-4)  # scikit-learn's trees round to 32 bits
    np.testing.assert_allclose(other.distances, first.distances, atol=1e-4)


def test_names_of_classes_do_not_matter():
    cases, classes = load_iris(return_X_y=True)
    cases = cases[:, 2:]
    first = measure(KNeighborsClassifier(5).fit(cases, classes), cases, classes)
    for names in (["a", "b", "c"], [10, 20, 30], [False, True, None][:2] * 2):
        if len(set(names)) < 3:
            continue
        named = np.array(names)[classes]
        assert measure(KNeighborsClassifier(5).fit(cases, named), cases, named).value == first.value


def test_a_margin_and_a_window():
    assert measure(stump(), X, Y, window_margin=0.5).border_size == pytest.approx(2.0)
    raw = measure(stump(), X, Y, normalise=False)
    assert raw.distances == pytest.approx([4, 2, -0.5, 2, 6])
    window = Window.around(X, margin=0.5)
    result = measure(stump(), X, Y, window=window)
    assert result.border_size == pytest.approx(2.0)
    assert result.window_margin is None
    assert border_size(stump(), window) == pytest.approx(2.0)
    pairs = measure(stump(), X, Y, window=[(0, 10), (0, 1)])
    assert pairs.border_size == pytest.approx(1.0)
    assert pairs.distances == pytest.approx([4, 2, -0.5, 2, 6])
    with pytest.raises(InputError, match="in row 4"):
        measure(stump(), X, Y, window=[(0, 9), (0, 1)])
    with pytest.raises(InputError, match="low < high"):
        measure(stump(), X, Y, window=[(0, 10), (1, 1)])
    with pytest.raises(InputError, match="columns of the window"):
        measure(stump(), X, Y, window=[(0, 10)])
    with pytest.raises(InputError, match="margin"):
        measure(stump(), X, Y, window_margin=-0.1)


def test_a_reference_gives_scale_window_and_steepness():
    whole = measure(stump(), X, Y)
    part = measure(stump(), X[1:4], Y[1:4], reference=X)
    assert part.distances == pytest.approx(whole.distances[1:4])
    assert part.border_size == whole.border_size
    assert part.b == whole.b
    beyond = measure(stump(), [[20.0, 0.5]], ["high"], reference=X)
    assert beyond.distances == pytest.approx([1.6])
    assert beyond.window.high[0] == pytest.approx(21.0)
    with pytest.raises(InputError, match="columns of reference"):
        measure(stump(), X, Y, reference=X[:, :1])


def test_a_constant_column_stands_in_the_middle():
    flat = np.column_stack([X[:, 0], np.full(5, 7.0)])
    with pytest.warns(UserWarning, match="no two cases differ in x1"):
        result = measure(stump(), flat, Y)
    assert result.border_size == pytest.approx(1.2)
    assert result.window.to_unit(flat)[:, 1].tolist() == [0.5] * 5


def test_a_class_without_a_region_and_cases_without_a_border():
    only = DecisionTreeClassifier().fit([[0.0, 0.0], [1.0, 0.0]], ["low", "low"])
    result = measure(only, X, Y)
    assert result.distances.tolist() == [np.inf] * 3 + [-np.inf] * 2
    assert (result.similarity_right, result.similarity_wrong, result.border_size) == (0.6, 0.4, 0.0)
    assert result.value == pytest.approx(0.6 + 0.3 - 0.2)


@pytest.mark.parametrize("library", [np.asarray, pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(random_state=0), GaussianNB(), KNeighborsClassifier(3)]
)
def test_frames_of_any_library_reach_the_model_with_their_names(library, model):
    cases, classes = load_iris(return_X_y=True)
    cases = cases[:, 2:]
    expected = measure(model.fit(cases, classes), cases, classes).value
    named = cases if library is np.asarray else library(dict(zip(["length", "width"], cases.T, strict=True)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model.fit(named, classes)
        result = measure(fitted, named, classes)
        assert result.value == pytest.approx(expected)
        assert border_size(fitted, result.window) == pytest.approx(result.border_size)
        # an array for a model that knows names, and names for one that does not
        assert measure(fitted, cases, classes).value == pytest.approx(expected)
        assert measure(model.fit(cases, classes), named, classes).value == pytest.approx(expected)


def test_names_reach_the_steps_of_a_pipeline():
    cases, classes = load_iris(return_X_y=True, as_frame=True)
    cases = cases.iloc[:, 2:]
    by_name = ColumnTransformer([("scale", StandardScaler(), list(cases.columns))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exact = measure(
            make_pipeline(StandardScaler(), LogisticRegression()).fit(cases, classes), cases, classes
        )
        grid = measure(make_pipeline(by_name, LogisticRegression()).fit(cases, classes), cases, classes)
    assert (exact.method, grid.method) == ("exact, by lines", "adaptive grid")
    assert grid.value == pytest.approx(exact.value, abs=1e-4)


def test_our_learners_with_frames():
    table = ff.data.load("IR")
    tree = ff.learners.C45Tree().fit(table.X, table.y)
    result = measure(tree, table.X, table.y)
    assert result.method == "exact, by boxes"
    assert result.fit == pytest.approx(np.mean(tree.predict(table.X) == np.asarray(table.y)))
    assert result.window.names == tuple(table.X.columns)


def test_what_is_refused():
    nominal = pl.DataFrame({"length": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(InputTypeError, match="nominal column 'colour'"):
        measure(stump(), nominal, ["low", "high"])
    with pytest.raises(InputError, match="missing value of 'x1' in row 1"):
        measure(stump(), [[1.0, 2.0], [3.0, np.nan]], ["low", "high"])
    with pytest.raises(InputError, match="4 rows"):
        measure(stump(), X, Y[:4])
    with pytest.raises(InputError, match="missing value in row 1"):
        measure(stump(), X[:2], ["low", None])
    with pytest.raises(InputError, match="classes of the model"):
        measure(stump(), X, [0, 0, 0, 1, 1])
    with pytest.raises(InputTypeError, match="predict"):
        measure("tree", X, Y)
    with pytest.raises(InputError, match="as the model was fitted on"):
        measure(stump(), X[:, :1], Y)
    with pytest.raises(InputError, match="'lowest', 'highest'"):
        measure(stump(), X, Y, ties="random")
    for find in (partial(measure, stump(), X, Y), partial(border_size, stump(), [(0, 1), (0, 1)])):
        with pytest.raises(InputTypeError, match=r"colour='red'.*there are 'method'"):
            find(colour="red")
        with pytest.raises(InputTypeError, match="did you mean 'resolution'"):
            find(resolutoin=256)
    for unfitted in (DecisionTreeClassifier(), LogisticRegression(), KNeighborsClassifier(), GaussianNB()):
        with pytest.raises(NotFittedError):
            measure(unfitted, X, Y)


def test_the_numbers_are_those_of_the_parts():
    result = measure(stump(), X, Y)
    assert (border_distance(stump(), X, Y) == result.distances).all()
    assert border_size(stump(), result.window) == result.border_size
