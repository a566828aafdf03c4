"""One self-contained page: everything inside, nothing fetched, nothing from the data trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fivefold.evaluate.absence import ANSWERS_ONLY
from fivefold.evaluate.evaluation import Evaluation
from fivefold.report import formats
from fivefold.report.figures import draw_figures
from fivefold.report.summary import summarise
from fivefold.report.template import render

TITLE = "What the models learned"
_SHOWN_FINDINGS = 20
_SECTIONS = (
    ("found", "What was found", "findings.html.j2"),
    ("overview", "Overview", "overview.html.j2"),
    ("bits", "Bits", "bits.html.j2"),
    ("bets", "Bets", "bets.html.j2"),
    ("truth", "Truth", "truth.html.j2"),
    ("slices", "Slices", "slices.html.j2"),
    ("borders", "Borders", "borders.html.j2"),
    ("comparisons", "Comparisons", "comparisons.html.j2"),
    ("method", "How each number was made", "method.html.j2"),
)


def render_page(evaluation: Evaluation, *, title: str = TITLE, source: str = "", target: str = "") -> str:
    """Write an evaluation as one HTML page that needs nothing else.

    The page fetches nothing, follows the reader's choice of light or dark, prints, and sorts its tables by
    keyboard; it reads well without scripts too. The same evaluation gives the same page, byte for byte.

    Parameters
    ----------
    evaluation : Evaluation
        What was found.
    title : str
        Title of the page.
    source : str
        Where the predictions came from.
    target : str
        Name of the true class's column.

    Examples
    --------
    >>> import fivefold as ff
    >>> import polars as pl
    >>> table = pl.DataFrame({"y": ["a", "b"] * 40, "model": ["a", "b"] * 40})
    >>> found = ff.evaluate_predictions(table, target="y", predictions=["model"])
    >>> page = render_page(found, title="A first look")
    >>> page.startswith("<!DOCTYPE html>"), "<h1>A first look</h1>" in page
    (True, True)
    """
    return render_summary(summarise(evaluation, source=source, target=target), title=title)


def render_summary(summary: Mapping[str, Any], *, title: str = TITLE) -> str:
    """Write a summary as one HTML page; see `render_page`."""
    sections = [
        {"anchor": anchor, "heading": heading, "template": template}
        for anchor, heading, template in _SECTIONS
        if _has(summary, anchor)
    ]
    return render(
        "page.html.j2",
        summary=summary,
        title=title,
        sections=sections,
        figures=draw_figures(summary),
        shown_findings=_SHOWN_FINDINGS,
        absent=formats.ABSENT,
    )


def _has(summary: Mapping[str, Any], section: str) -> bool:
    """Say whether there is anything to put into a section."""
    if section in ("truth", "slices"):
        return any(model[section] for model in summary["models"])
    if section == "borders":
        return any(model["absent"].get("borders") != ANSWERS_ONLY for model in summary["models"])
    return section != "comparisons" or bool(summary["comparisons"])
