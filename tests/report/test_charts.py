from __future__ import annotations

import copy
import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.bits import expected_significance
from fivefold.errors import InputError
from fivefold.evaluation import Evaluation, evaluate_predictions
from fivefold.plain_text import visible
from fivefold.report import summarise
from fivefold.report.charts import bits_chart, curve_chart, reliability_chart, reliability_panel
from fivefold.report.charts.scores import cells
from fivefold.report.theme import DARK, LIGHT, PAGE, inline_svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def summary(weather: Evaluation) -> dict[str, Any]:
    return summarise(weather)


def rows_of(spec: dict[str, Any], *keys: str) -> list[dict[str, Any]]:
    """Rows of the first data set in a specification that has all the keys."""
    layers = [spec, *spec.get("layer", [])]
    inline = [layer["data"]["values"] for layer in layers if "values" in layer.get("data", {})]
    for rows in [*spec.get("datasets", {}).values(), *inline]:
        if rows and set(keys) <= set(rows[0]):
            return rows
    raise AssertionError(f"no data with {keys}")


def domains(spec: Any, channel: str) -> list[list[float]]:
    """Every explicit domain of a channel, wherever it stands in a specification."""
    if isinstance(spec, list):
        return [found for item in spec for found in domains(item, channel)]
    if not isinstance(spec, dict):
        return []
    own = spec.get("encoding", {}).get(channel, {}).get("scale", {}).get("domain")
    return [*([own] if own else []), *(found for item in spec.values() for found in domains(item, channel))]


def test_reliability_shows_the_cells_of_the_diagram(summary: dict[str, Any]) -> None:
    honest = summary["models"][0]
    drawn = rows_of(
        reliability_panel(summary, honest).to_dict(), "stated", "happened", "low", "high", "cases"
    )
    for key, column in honest["bets"]["diagram"].items():
        assert [row[key] for row in drawn] == column
    assert sum(row["cases"] for row in drawn) == summary["n_cases"]
    for row in drawn:
        assert row["outside"] == (row["happened"] < row["low"] or row["happened"] > row["high"])


def test_all_panels_have_the_same_axes_and_hold_every_dot(summary: dict[str, Any]) -> None:
    spec = reliability_chart(summary).to_dict()
    found = [*domains(spec, "x"), *domains(spec, "y")]
    assert all(domain == found[0] for domain in found)
    low, high = found[0]
    for model in summary["models"]:
        for row in cells(model) if model["bets"] else []:
            assert all(low <= row[key] <= high for key in ("stated", "happened", "low", "high"))
    assert len(spec["concat"]) == 2


def test_no_probabilities_no_reliability() -> None:
    table = pl.DataFrame({"y": ["a", "b"] * 10, "m": ["a", "b"] * 10})
    found = summarise(evaluate_predictions(table, target="y", predictions=["m"]))
    with pytest.raises(InputError, match="states probabilities"):
        reliability_chart(found)


def test_shares_of_bits_stand_in_order_between_zero_and_all_bits(summary: dict[str, Any]) -> None:
    spec = bits_chart(summary).to_dict()
    drawn = rows_of(spec, "saved", "low", "high")
    assert [row["saved"] for row in drawn] == sorted(
        (m["bits"]["saved"] / m["bits"]["null"] for m in summary["models"]), reverse=True
    )
    low, high = domains(spec, "x")[0]
    assert low <= min(0, *(row["low"] for row in drawn))
    assert high == 1 >= max(row["high"] for row in drawn)


def test_the_curve_is_the_analytic_one(summary: dict[str, Any]) -> None:
    spec = curve_chart(summary).to_dict()
    data = [layer["data"]["values"] for layer in spec["layer"] if "values" in layer.get("data", {})]
    (curve,) = [rows for rows in [*spec.get("datasets", {}).values(), *data] if len(rows) > 50]
    rate = summary["models"][0]["bits"]["default_rate"]
    for row in curve:
        promised = expected_significance(summary["n_cases"], rate, row["accuracy"])
        assert row["saved"] == pytest.approx(promised)
    at_default = np.interp(rate, [row["accuracy"] for row in curve], [row["saved"] for row in curve])
    assert abs(at_default) < 0.01 * summary["models"][0]["bits"]["null"]
    points = rows_of(spec, "name", "accuracy", "saved")
    assert {(p["name"], p["accuracy"], p["saved"]) for p in points} >= {
        (m["name"], m["bits"]["accuracy"], m["bits"]["saved"]) for m in summary["models"]
    }


def test_no_curve_for_more_than_two_classes(hostile: Evaluation) -> None:
    spec = curve_chart(summarise(hostile)).to_dict()
    assert all(len(layer.get("data", {}).get("values", [])) < 50 for layer in spec["layer"])


def labels(saved: list[float]) -> tuple[list[float], float]:
    """Where the labels of models that save so many bits stand, in pixels from above, and how high the chart is."""
    shared = {"accuracy": 0.5, "null": 100.0, "default_class": "a", "default_rate": 0.5}
    models = [{"name": f"m{place}", "bits": {"saved": bits, **shared}} for place, bits in enumerate(saved)]
    spec = curve_chart({"models": models, "classes": ["a", "b", "c"], "n_cases": 99}).to_dict(validate=False)
    low, high = domains(spec, "y")[0]
    rows = rows_of(spec, "label_at")
    return [(high - row["label_at"]) / (high - low) * spec["height"] for row in rows], spec["height"]


@given(st.lists(st.floats(-10, 100), min_size=1, max_size=15))
def test_labels_never_lie_upon_each_other(saved: list[float]) -> None:
    places, height = labels(saved)
    # letters are 13 pixels high
    assert np.all(np.diff(sorted(places)) >= 13)
    assert max(places) <= height + 1e-6
    assert min(places) >= -1e-6


def test_a_lonely_label_stands_beside_its_point() -> None:
    places, height = labels([50.0])
    # the model, and the one that always answers the most frequent class; the axis ends 5 below 0
    assert sorted(places) == pytest.approx([50 / 105 * height, 100 / 105 * height])


def test_charts_leave_the_summary_alone(summary: dict[str, Any]) -> None:
    before = copy.deepcopy(summary)
    for chart in (reliability_chart, bits_chart, curve_chart):
        chart(summary).to_dict()
    assert summary == before


def test_one_drawing_serves_light_and_dark(summary: dict[str, Any]) -> None:
    plain = re.compile(r'"#[0-9a-f]{3,6}"')
    for chart in (bits_chart, curve_chart):
        drawn = str(inline_svg(chart(summary, PAGE), "id", "title", "description"))
        assert "var(--ink)" in drawn
        assert not plain.search(drawn)
        assert "style=" not in drawn, "the page's policy allows no style attributes"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_plain_themes_need_no_page(summary: dict[str, Any], theme: Any) -> None:
    assert "var(" not in bits_chart(summary, theme).to_json() + reliability_chart(summary, theme).to_json()


def test_hostile_names_are_text_and_only_text(hostile: Evaluation, hostile_names: list[str]) -> None:
    found = summarise(hostile)
    charts = {
        "bits": bits_chart(found, PAGE),
        "curve": curve_chart(found, PAGE, 320),
        "panel": reliability_panel(found, found["models"][0], PAGE),
    }
    for identity, chart in charts.items():
        title = "; ".join(visible(name) for name in hostile_names)
        root = ElementTree.fromstring(str(inline_svg(chart, identity, title, title)))
        tags = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert tags <= {"svg", "g", "path", "text", "line", "rect", "title", "desc"}
        assert root.find(f"{SVG}title").text == root.find(f"{SVG}desc").text == title
        assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)
    texts = [
        element.text
        for element in ElementTree.fromstring(str(inline_svg(charts["bits"], "bits", "", ""))).iter(
            f"{SVG}text"
        )
    ]
    for name in hostile_names:
        whole = visible(name)
        assert any(
            text == whole or ("…" in text and whole.startswith(text.partition("…")[0]))
            for text in texts
            if text
        )


def test_one_case_leaves_all_that_is_possible_and_is_drawn_all_the_same() -> None:
    table = pl.DataFrame({"y": ["a"], "m": ["a"]})
    found = summarise(evaluate_predictions(table, target="y", predictions=["m"], classes=["a", "b"]))
    assert found["models"][0]["bits"]["saved_share_interval"] == [-1.0, 1.0]
    ElementTree.fromstring(str(inline_svg(bits_chart(found, PAGE), "bits", "", "")))
    ElementTree.fromstring(str(inline_svg(curve_chart(found, PAGE), "curve", "", "")))


def test_curves_have_no_band_where_no_threshold_lies() -> None:
    from fivefold.report.charts.scores import roc_chart

    rng = np.random.default_rng(0)
    truth = np.arange(600) % 3 == 0
    fine = np.clip(0.3 + 0.3 * truth + 0.15 * rng.normal(size=600), 0.01, 0.99)
    coarse = np.where(fine > 0.45, 0.9, 0.1)
    table = pl.DataFrame({"y": np.where(truth, "yes", "no"), "fine": fine, "coarse": coarse})
    found = evaluate_predictions(table, target="y", probabilities={"fine": "fine", "coarse": "coarse"})
    for model, banded in zip(summarise(found)["models"], (True, False), strict=True):
        bands = [layer for layer in roc_chart([model]).layer if layer.mark["type"] == "area"]
        rows = bands[0].data.values
        places = [row["x"] for row in rows]
        assert bool(rows) == banded
        assert all(b - a <= 0.1 for a, b in pairwise(places))
