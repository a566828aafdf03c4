"""Figures 1 to 5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fivefold.papers.bailey1993.experiment import FOIL, N_CASES
from fivefold.papers.bailey1993.gathering import Floats, gather
from fivefold.papers.bailey1993.published import CONCEPTS
from fivefold.papers.outcome import Figure

if TYPE_CHECKING:
    import polars as pl


_NAMES = {"err": "Err", "cv": "cross-validation", "632": "632 bootstrap", "eb": "e_b at 0.632 n"}
_X = "training cases"


def figures(frame: pl.DataFrame) -> list[Figure]:
    """Draw what is there: the scatter plots over all concepts, and the curves for both readings of dnf1."""
    drawn = [_scatter(frame, name) for name in ("cv", "632")]
    for concept in ("dnf1", "dnf1_star"):
        if gather(frame, "err", kind="scatter", concept=concept, learner=FOIL, n=20).size:
            drawn += _curves(frame, concept)
    return drawn


def _scatter(frame: pl.DataFrame, name: str) -> Figure:
    concepts = ("dnf1_star", *CONCEPTS[1:])
    xs: list[float] = []
    ys: list[float] = []
    series: list[str] = []
    for concept in concepts:
        where: dict[str, Any] = {"kind": "scatter", "concept": concept, "learner": FOIL, "n": N_CASES}
        err = gather(frame, "err", **where)
        xs += err.tolist()
        ys += gather(frame, name, **where).tolist()
        series += [concept] * err.size
    slope, start = np.polyfit(xs, ys, 1)
    ends = [0.0, max(xs)]
    return Figure(
        f"Figure 1, {_NAMES[name]}",
        f"{_NAMES[name]} against the true error, {len(xs)} training sets of {N_CASES} cases",
        {"x": xs + ends, "y": ys + [start + slope * x for x in ends], "series": [*series, "fit", "fit"]},
        "true error Err in %",
        f"{_NAMES[name]} in %",
        ("fit",),
        f"The least-squares line begins at {start:.1f} % and rises by {slope:.2f}.",
    )


def _sizes(frame: pl.DataFrame, concept: str) -> list[int]:
    own = frame.filter(kind="scatter", concept=concept, learner=FOIL)
    return sorted(own["n"].unique().to_list())


def _numbers(frame: pl.DataFrame, concept: str, n: int, name: str) -> Floats:
    # the paper has ten training sets at each size
    return gather(frame, name, kind="scatter", concept=concept, learner=FOIL, n=n)[:10]


def _curves(frame: pl.DataFrame, concept: str) -> list[Figure]:
    sizes = _sizes(frame, concept)
    return [
        _means(frame, concept, sizes),
        _spreads(frame, concept, sizes),
        _shifted(frame, concept, sizes),
        _copies(frame, concept),
    ]


def _means(frame: pl.DataFrame, concept: str, sizes: list[int]) -> Figure:
    columns: dict[str, list[Any]] = {name: [] for name in ("x", "y", "series", "low", "high")}
    for name in ("err", "cv", "632"):
        for n in sizes:
            values = _numbers(frame, concept, n, name)
            bar = values.std(ddof=1) if name == "err" else None
            row = (n, values.mean(), _NAMES[name], *_bar(values.mean(), bar))
            _add(columns, row)
    note = (
        "Bars: a standard deviation of the true error. The 632 bootstrap is first too low and then too high."
    )
    return Figure(
        "Figure 2", f"Learning curve of FOIL on {concept}", columns, _X, "error in %", _lines(), note
    )


def _bar(mean: float, bar: float | None) -> tuple[float | None, float | None]:
    return (None, None) if bar is None else (mean - bar, mean + bar)


def _spreads(frame: pl.DataFrame, concept: str, sizes: list[int]) -> Figure:
    columns: dict[str, list[Any]] = {name: [] for name in ("x", "y", "series")}
    for name in ("err", "cv", "632"):
        for n in sizes:
            _add(columns, (n, _numbers(frame, concept, n, name).std(ddof=1), _NAMES[name]))
    title = f"Standard deviation over ten training sets, FOIL on {concept}"
    return Figure("Figure 3", title, columns, _X, "standard deviation in points", _lines(), "")


def _shifted(frame: pl.DataFrame, concept: str, sizes: list[int]) -> Figure:
    columns: dict[str, list[Any]] = {name: [] for name in ("x", "y", "series")}
    for name, factor in (("err", 1.0), ("eb", 0.632)):
        for n in sizes:
            _add(columns, (factor * n, _numbers(frame, concept, n, name).mean(), _NAMES[name]))
    note = "The out-of-bag error of n cases lies on the curve of the true error after 0.632 n cases."
    title = f"The bootstrap drawn at 0.632 n, FOIL on {concept}"
    return Figure("Figure 4", title, columns, _X, "error in %", _lines(), note)


def _copies(frame: pl.DataFrame, concept: str) -> Figure:
    columns: dict[str, list[Any]] = {name: [] for name in ("x", "y", "series")}
    names = {"whole": "training sets", "multisets": "resamples", "sets": "resamples without copies"}
    own = frame.filter(kind="copies", concept=concept)
    for name, series in names.items():
        for n in sorted(own["n"].unique().to_list()):
            _add(columns, (n, gather(own, name, n=n).mean(), series))
    note = "FOIL learns worse from a resample with copies than from the same without them."
    title = f"True error after resamples with and without copies, FOIL on {concept}"
    return Figure("Figure 5", title, columns, _X, "true error in %", tuple(names.values()), note)


def _add(columns: dict[str, list[Any]], row: tuple[Any, ...]) -> None:
    for column, value in zip(columns.values(), row, strict=True):
        column.append(value if value is None or isinstance(value, str) else float(value))


def _lines() -> tuple[str, ...]:
    return tuple(_NAMES.values())
