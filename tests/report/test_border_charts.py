from __future__ import annotations

import json
import re
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from fivefold.data import Table
from fivefold.errors import InputError
from fivefold.evaluation import Evaluation, evaluate_models
from fivefold.evaluation.borders_view import (
    MOST_CASES,
    BordersView,
    draw_borders,
    join_segments,
    look_at_borders,
    rectangles,
)
from fivefold.evaluation.models import hold_out
from fivefold.report import summarise, to_json
from fivefold.report.charts import borders as charts
from fivefold.report.page import render_page
from fivefold.report.terminal import print_report
from fivefold.report.theme import DARK, LIGHT, PAGE, SHAPES, class_colours, colour_of, shape_of
from fivefold.results import ANSWERS_ONLY

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
SVG = "{http://www.w3.org/2000/svg}"


def irises(columns: list[int]) -> tuple[pl.DataFrame, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    frame = pl.DataFrame(X[:, columns], schema=[NAMES[i] for i in columns])
    return frame, np.array(["setosa", "versicolor", "virginica"])[y]


def look(model: Any, columns: list[int]) -> BordersView:
    X, y = irises(columns)
    view, _ = look_at_borders("model", model.fit(X, y), X, y)
    assert view is not None
    return view


def trained(frame: pl.DataFrame, y: np.ndarray) -> Evaluation:
    models = {
        "tree": DecisionTreeClassifier(max_leaf_nodes=4, random_state=0),
        # In the plane alone the borders of neighbours are found quickly.
        "<b>near</b>": KNeighborsClassifier(5) if frame.width == 2 else DecisionTreeClassifier(max_depth=2),
    }
    if any(dtype == pl.String for dtype in frame.dtypes):
        from fivefold.learners import ID3, OneR

        models = {"tree": ID3(), "<b>near</b>": OneR()}
    cases = frame.with_columns(species=pl.Series(y.tolist()))
    fitted = hold_out(models, Table.from_frame(cases, target="species"))
    # The other views are shown elsewhere: cross-validation alone would take half of the time.
    views = ["bits", "bets", "borders"]
    return evaluate_models([each.predictions for each in fitted], trained=fitted, views=views)


@pytest.fixture(scope="module")
def plane() -> Evaluation:
    return trained(*irises([2, 3]))


@pytest.fixture(scope="module")
def space() -> Evaluation:
    return trained(*irises([0, 1, 2, 3]))


@pytest.fixture(scope="module")
def pages(plane: Evaluation, space: Evaluation) -> dict[str, str]:
    return {"plane": render_page(plane), "space": render_page(space)}


# The view


def test_the_view_holds_the_measure_of_the_training_cases() -> None:
    from fivefold.borders import measure

    X, y = irises([2, 3])
    model = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, y)
    view, why_not = look_at_borders("tree", model, X, y)
    assert view is not None
    assert why_not == ""
    assert view.measure == measure(model, X, y).value
    assert view.n_cases == view.n_trained == 150
    right = view.result.distances[view.result.right]
    assert view.right_near_border == pytest.approx(np.mean(right < 150**-0.5))


def test_a_cut_straight_through_is_one_plain_cut() -> None:
    X = pl.DataFrame({"x": [0.0, 0.0, 1.0, 1.0], "z": [0.0, 1.0, 0.0, 1.0]})
    y = np.array(["a", "a", "b", "b"])
    view, _ = look_at_borders("stump", DecisionTreeClassifier().fit(X, y), X, y)
    assert view is not None
    assert view.times_plain_cuts == pytest.approx(1.0)
    assert "its borders are simple, no larger than about 1 plain cut, which could separate 2 classes" in str(
        view.finding()
    )
    [line] = view.maps[0].lines
    assert sorted(np.round(line, 9).tolist()) == [[0.5, -0.1], [0.5, 1.1]]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["a"] * 4, "it gives the same class everywhere it was asked, so there is no border"),
        (["a", "b", "b", "a"], "its borders are winding: 2.0 times as large as 1 plain cut"),
    ],
)
def test_shapes_are_put_into_words(labels: list[str], told: str) -> None:
    X = pl.DataFrame({"x": [0.0, 0.0, 1.0, 1.0], "z": [0.0, 1.0, 0.0, 1.0]})
    y = np.array(labels)
    view, _ = look_at_borders("tree", DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    assert view is not None
    assert told in view.finding().sentence
    assert "it gets every training case right" in view.finding().sentence


def test_far_mistakes_are_told_from_near_ones() -> None:
    X = pl.DataFrame({"x": np.arange(40) / 39.0, "z": np.zeros(40)})
    y = np.where(np.arange(40) < 20, "a", "b")
    noisy = y.copy()
    noisy[39], noisy[20] = "a", "a"
    model = DecisionTreeClassifier(max_depth=1).fit(X, y)
    view, _ = look_at_borders("stump", model, X, noisy)
    assert view is not None
    assert "2 of 40 training cases are wrong, 1 of them far from any region of their own class" in str(
        view.finding()
    )


def test_nominal_columns_and_missing_values_have_no_place() -> None:
    X, y = irises([2, 3])
    worded = X.with_columns(pl.Series("colour", ["red", "blue"] * 75))
    assert look_at_borders("any", None, worded, y)[1] == (
        "the column 'colour' is nominal, so there is no distance along it"
    )
    holed = X.with_columns(
        pl.when(pl.int_range(150) == 7).then(None).otherwise(pl.col("petal width")).alias("w")
    )
    assert look_at_borders("any", None, holed, y)[1] == "1 case has no value of 'w', so no place"


def test_cases_that_do_not_differ_have_no_borders() -> None:
    X, y = pl.DataFrame({"x": [1.0, 1.0], "z": [2.0, 2.0]}), np.array(["a", "b"])
    assert look_at_borders("any", None, X, y) == (None, "no two training cases differ")


def test_many_cases_are_measured_by_a_part_of_them() -> None:
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.random((MOST_CASES + 500, 2)), schema=["x", "z"])
    y = np.where(X["x"].to_numpy() > 0.4, "a", "b")
    view, _ = look_at_borders("tree", DecisionTreeClassifier(max_depth=1).fit(X, y), X, y)
    assert view is not None
    assert (view.n_cases, view.n_trained) == (MOST_CASES, MOST_CASES + 500)
    assert view.b == pytest.approx((MOST_CASES + 500) ** 0.5)


# Maps


def test_maps_show_what_the_model_answers() -> None:
    X, y = irises([2, 3])
    model = KNeighborsClassifier(7).fit(X, y)
    view, _ = look_at_borders("near", model, X, y)
    assert view is not None
    [found] = view.maps
    rows, columns = found.answers.shape
    steps = [
        low + (high - low) * (np.arange(rows) + 0.5) / rows
        for low, high in zip(found.low, found.high, strict=True)
    ]
    places = np.array([[x, z] for z in steps[1] for x in steps[0]])
    said = model.predict(pl.DataFrame(places, schema=X.columns)).reshape(rows, columns)
    # Votes are tied in places, and those on the border may fall to either side.
    assert np.mean(np.array(found.classes)[found.answers] == said) > 0.995


def test_cuts_hold_the_other_features_at_the_medoid() -> None:
    X, y = irises([0, 1, 2, 3])
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    view, _ = look_at_borders("tree", model, X, y)
    assert view is not None
    assert [found.columns for found in view.maps] == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    values = X.to_numpy()
    U = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    medoid = values[np.linalg.norm(U[:, None] - U[None], axis=2).sum(axis=1).argmin()]
    last = view.maps[-1]
    assert list(last.middle.values()) == medoid[:2].tolist()
    rows, columns = last.answers.shape
    place = medoid.copy()
    place[2:] = last.low + (last.high - last.low) * (np.array([30, 50]) + 0.5) / [columns, rows]
    said = model.predict(pl.DataFrame([place.tolist()], schema=X.columns, orient="row"))
    assert last.classes[last.answers[50, 30]] == said[0]


def test_many_features_are_cut_along_those_that_matter() -> None:
    rng = np.random.default_rng(0)
    X = pl.DataFrame(rng.random((120, 7)), schema=list("abcdefg"))
    y = np.where(X["c"].to_numpy() + X["f"].to_numpy() > 1, "yes", "no")
    view, _ = look_at_borders("tree", DecisionTreeClassifier(random_state=0).fit(X, y), X, y)
    assert view is not None
    assert len(view.maps) == 6
    assert {"c", "f"} <= {name for found in view.maps for name in found.names}


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=5))
def test_rectangles_cover_every_cell_once(grid: list[list[int]]) -> None:
    painted = np.full((len(grid), 4), -1)
    for value, x, x2, z, z2 in rectangles(grid):
        assert (painted[z:z2, x:x2] == -1).all()
        painted[z:z2, x:x2] = value
    assert painted.tolist() == grid


segments = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans()).map(
        lambda s: ((s[0], s[1]), (s[0] + 1, s[1]) if s[2] else (s[0], s[1] + 1))
    ),
    max_size=20,
    unique=True,
)


@given(segments)
def test_joined_lines_are_the_segments(found: list[Any]) -> None:
    lines = join_segments(np.array(found, dtype=float).reshape(-1, 2, 2))
    steps = set()
    for line in lines:
        assert len(line) >= 2
        for start, end in pairwise(line):
            n = int(np.abs(end - start).max())
            assert np.count_nonzero(end - start) == 1
            places = [
                tuple((start + (end - start) * k / n).round().astype(int).tolist()) for k in range(n + 1)
            ]
            for pair in pairwise(places):
                key = tuple(sorted(pair))
                assert key not in steps
                steps.add(key)
    assert steps == {tuple(sorted(pair)) for pair in found}


def test_almost_straight_lines_lose_their_corners() -> None:
    x = np.linspace(0, 1, 101)
    line = np.stack([x, 0.0005 * np.sin(40 * x)], axis=1)
    [joined] = join_segments(np.stack([line[:-1], line[1:]], axis=1), slack=0.002)
    assert len(joined) == 2


# Charts


def layers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [spec, *(inner for part in spec.get("layer", []) for inner in layers(part))]


@pytest.mark.parametrize("theme", [LIGHT, DARK, PAGE], ids=["light", "dark", "page"])
def test_a_panel_shows_every_case_ringed_where_wrong(plane: Evaluation, theme: Any) -> None:
    summary = summarise(plane)
    borders = summary["models"][0]["borders"]
    spec = charts.border_panel(borders, theme).to_dict()
    rows = spec.get("datasets", {})
    points = next(
        values
        for values in [*(part.get("data", {}).get("values", []) for part in layers(spec)), *rows.values()]
        if values and "right" in values[0]
    )
    assert len(points) == borders["n_cases"]
    assert sum(not row["right"] for row in points) == round(borders["n_cases"] * (1 - borders["fit"]))
    text = json.dumps(spec)
    for place in range(3):
        assert colour_of(theme, place) in text


def test_distances_add_up_to_all_cases(plane: Evaluation) -> None:
    for model in summarise(plane)["models"]:
        borders = model["borders"]
        bins, counts = borders["histogram"]["bins"], borders["histogram"]["counts"]
        assert sum(counts) == borders["n_cases"]
        wrong = sum(count for place, count in zip(bins, counts, strict=True) if place < 0)
        assert wrong == round(borders["n_cases"] * (1 - borders["fit"]))


def test_several_models_stand_side_by_side(plane: Evaluation) -> None:
    # Checking so many values against the schema takes long; single panels are checked.
    spec = charts.border_chart(summarise(plane)).to_dict(validate=False)
    names = [panel["vconcat"][0]["title"]["text"] for panel in spec["vconcat"][1]["concat"]]
    assert names == ["tree", "<b>near</b>"]


def test_a_model_of_four_features_is_cut_six_ways(space: Evaluation) -> None:
    one, other = (model["borders"] for model in summarise(space)["models"])
    drawn = charts.border_matrix(one, DARK)
    assert len(drawn) == len(other["maps"]) == 6
    titles = [
        [layer["encoding"][axis]["title"] for axis in "xy"]
        for layer in (c.to_dict()["layer"][0] for c in drawn)
    ]
    assert titles == [list(pair) for pair in combinations(NAMES, 2)]


def test_long_numbers_beside_a_map_have_room() -> None:
    # the name of an axis that went to 1,500 was cut off on the page
    X, y = irises([2, 3])
    left = [
        charts.border_panel(summarise(trained(frame, y))["models"][0]["borders"]).to_dict()["padding"]["left"]
        for frame in (X, X.with_columns(pl.col("petal width") * 1000))
    ]
    assert left == [52, 59]


def test_one_feature_is_drawn_as_a_strip() -> None:
    X, y = irises([2])
    models = {"tree": DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)}
    chart = draw_borders(models, X, y)
    assert '"petal length"' in json.dumps(chart.to_dict())


def test_charts_without_borders_say_so(weather: Evaluation) -> None:
    summary = summarise(weather)
    with pytest.raises(InputError, match="a model whose borders were measured; got none"):
        charts.border_chart(summary)
    X, y = irises([2, 3])
    worded = X.with_columns(pl.Series("colour", ["red", "blue"] * 75))
    with pytest.raises(InputError, match="tree: the column 'colour' is nominal"):
        draw_borders({"tree": DecisionTreeClassifier()}, worded, y)


def test_classes_differ_by_colour_and_when_these_begin_again_by_shape() -> None:
    assert len(set(class_colours(LIGHT))) == len(set(class_colours(DARK))) == len(SHAPES)
    looks = {(colour_of(LIGHT, number), shape_of(number)) for number in range(40)}
    assert len(looks) == 40
    assert colour_of(PAGE, 9) == "var(--class-2)"


# Report


def test_the_page_has_the_section_and_the_pictures(pages: dict[str, str]) -> None:
    # four of the twelve cuts through space are filled by one class, and show nothing
    for page, pictures in ((pages["plane"], 2), (pages["space"], 8)):
        assert '<section id="borders"' in page
        drawn = re.findall(r'<svg [^>]*aria-labelledby="borders-.*?</svg>', page, flags=re.S)
        assert len(drawn) == pictures
        for svg in drawn:
            assert ElementTree.fromstring(svg).tag == f"{SVG}svg"
        assert "--class-1: #0f5a9e;" in page
        assert "<b>near</b>" not in page


def test_the_same_evaluation_gives_the_same_page(plane: Evaluation, pages: dict[str, str]) -> None:
    assert render_page(plane) == pages["plane"]


def test_json_has_the_terms_and_the_reason(plane: Evaluation, weather: Evaluation) -> None:
    told = json.loads(to_json(summarise(plane)))["models"][0]["borders"]
    total = (
        told["fit"]
        + 0.5 * told["similarity_right"]
        - 0.5 * told["similarity_wrong"]
        - 0.025 * told["border_size"]
    )
    assert told["measure"] == pytest.approx(total)
    absent = json.loads(to_json(summarise(weather)))["models"][0]
    assert absent["borders"] is None
    assert absent["absent"]["borders"] == ANSWERS_ONLY


def test_files_of_predictions_have_no_section_but_a_reason(weather: Evaluation) -> None:
    page = render_page(weather)
    assert '<section id="borders"' not in page
    assert f"Not judged, because {ANSWERS_ONLY}" in page


def test_nominal_columns_leave_a_reason_in_page_and_terminal(capsys: Any) -> None:
    from rich.console import Console

    X, y = irises([2, 3])
    evaluation = trained(X.with_columns(pl.Series("colour", ["red", "blue"] * 75)), y)
    assert "No <b>borders</b>: the column &#39;colour&#39; is nominal" in render_page(evaluation)
    print_report(summarise(evaluation), Console(width=200))
    assert "not judged here, because the column 'colour' is nominal" in capsys.readouterr().out


def test_the_terminal_says_the_shape(plane: Evaluation, weather: Evaluation, capsys: Any) -> None:
    from rich.console import Console

    print_report(summarise(plane), Console(width=200))
    out = capsys.readouterr().out
    assert "Borders: what shape does the model have?" in out
    assert "its borders are" in out
    print_report(summarise(weather), Console(width=200))
    assert "Borders:" not in capsys.readouterr().out


# A real browser


def test_the_pictures_fit_a_phone_and_follow_light_and_dark(
    chromium: Any, pages: dict[str, str], tmp_path: Path
) -> None:
    region = "getComputedStyle(document.querySelector('#borders svg.chart [fill^=\"var(--class\"]')).fill"
    for name, page in pages.items():
        place = tmp_path / f"{name}.html"
        place.write_text(page, encoding="utf-8")
        seen = []
        for dark in (False, True):
            chromium.open(place, width=360, dark=dark)
            assert chromium.complaints() == []
            assert chromium.run("document.documentElement.scrollWidth") == 360
            seen.append(chromium.run(region))
        assert seen[0] != seen[1]
