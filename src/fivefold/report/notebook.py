"""An evaluation in the cell of a notebook: a table, the bits and the first findings."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from fivefold.report import formats
from fivefold.report.charts.bits import bits_chart
from fivefold.report.charts.svg import inline_svg
from fivefold.report.summary import to_json
from fivefold.report.template import fill, variables
from fivefold.report.theme import DARK, LIGHT, PAGE

WIDTH = 640
SHOWN = 8


def render_notebook(summary: Mapping[str, Any]) -> str:
    """Write a piece of HTML without scripts that several cells of one notebook can show at once."""
    # two cells must not share the names of their pictures
    identity = f"fivefold-{hashlib.blake2b(to_json(summary).encode(), digest_size=6).hexdigest()}"
    told = ", ".join(
        f"{model['name']} {formats.number(model['bits']['saved'], 1)}" for model in summary["models"]
    )
    chart = inline_svg(
        bits_chart(summary, PAGE, WIDTH),
        f"{identity}-bits",
        "Bits saved by each model",
        formats.visible(told),
    )
    return fill(
        "notebook.html.j2",
        summary=summary,
        identity=identity,
        chart=chart,
        shown=SHOWN,
        light=variables(LIGHT),
        dark=variables(DARK),
    )
