"""Slices as plain dictionaries: what JSON holds, and what the page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fivefold.evaluate.slices_view import SliceRows, SlicesView
from fivefold.report import formats
from fivefold.slices.slice_set import Slice, SliceSet


def summarise_slices(view: SlicesView | None) -> dict[str, Any] | None:
    """Turn the slices of a model, or of two, into plain numbers, texts, lists and dictionaries.

    Examples
    --------
    >>> summarise_slices(None) is None
    True
    """
    if view is None:
        return None
    found = view.found
    rows = [*map(_rows, view.rows), *[None] * (len(found) - len(view.rows))]
    return {
        "models": list(view.models),
        "pair": list(view.names_of_pair),
        "rate": found.rate,
        "n_agree": found.n_agree,
        "n_cases": found.n_cases,
        "n_tests": found.tests.total,
        "correction": found.tests.correction,
        "alpha": found.tests.alpha,
        "told": str(found),
        "left_out": list(view.left_out),
        "slices": [_slice(one, found, told) for one, told in zip(found, rows, strict=True)],
    }


def _slice(one: Slice, found: SliceSet, rows: dict[str, Any] | None) -> dict[str, Any]:
    return {
        **one.row(),
        "interval": one.interval,
        "python": one.to_python(),
        "known_before": not any(term.column in found.afterwards for term in one.terms),
        "sentence": one.sentence,
        "rows": rows,
    }


def _rows(rows: SliceRows) -> dict[str, Any]:
    return {
        "features": [
            {"name": one.name, "values": one.values, "inside": one.inside, "outside": one.outside}
            for one in rows.features
        ],
        "pairs": [
            {"first": one.first, "second": one.second, "inside": one.inside, "outside": one.outside}
            for one in rows.pairs
        ],
        "measures": [
            {"name": one.name, "unit": one.unit, "inside": one.inside, "outside": one.outside}
            for one in rows.measures
        ],
    }


def shares(feature: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give a row for each value of a feature: its share inside and outside of a slice, in per cent.

    Examples
    --------
    >>> shares({"values": ["a", "b"], "inside": [1, 3], "outside": [0, 0]})
    [{'value': 'a', 'inside': 25.0, 'outside': 0.0}, {'value': 'b', 'inside': 75.0, 'outside': 0.0}]
    """
    inside, outside = sum(feature["inside"]), sum(feature["outside"])
    return [
        {"value": value, "inside": 100 * here / max(inside, 1), "outside": 100 * there / max(outside, 1)}
        for value, here, there in zip(feature["values"], feature["inside"], feature["outside"], strict=True)
    ]


def pair_shares(pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give a row for each pair of truth and answer, as `shares` does for values, with the counts."""
    names = ("inside", "outside")
    table = shares(
        {"values": [pair["first"] for pair in pairs]} | {n: [pair[n] for pair in pairs] for n in names}
    )
    return [
        {**row, "second": pair["second"], "n_inside": pair["inside"], "n_outside": pair["outside"]}
        for row, pair in zip(table, pairs, strict=True)
    ]


def points(pair: Sequence[float]) -> str:
    """Write an interval of shares in points.

    Examples
    --------
    >>> points([-0.1253, 0.02])
    '−12.5 to +2.0'
    """
    return formats.interval([100 * end for end in pair], 1, signed=True)
