"""An evaluation in the cell of a notebook, as HTML or as Markdown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fivefold.evaluation.evaluation import Evaluation
from fivefold.report import formats
from fivefold.report.charts.scores import bits_chart
from fivefold.report.page import render_page
from fivefold.report.summary import summarise, to_json
from fivefold.report.template import fill, variables
from fivefold.report.theme import DARK, LIGHT, PAGE, inline_svg

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&])")


def render_markdown(summary: Mapping[str, Any]) -> str:
    """Write the numbers of all models as a table, then the findings in order of importance."""
    lines = [
        _row(["model", "accuracy", "bits saved", "reward", "miscalibration p", "error, cross-validated"])
    ]
    lines.append("|---|---:|---:|---:|---:|---:|")
    lines += [_row(_cells(model)) for model in summary["models"]]
    lines.append("")
    if summary["protocol"]:
        lines += [_escape(summary["protocol"]), ""]
    lines += [f"{place}. {_escape(found['sentence'])}" for place, found in enumerate(summary["findings"], 1)]
    return "\n".join(lines) + "\n"


def _cells(model: Mapping[str, Any]) -> list[str]:
    bits, bets = model["bits"], model["bets"] or {}
    crossed = (model["truth"] or {}).get("cross_validation") or {}
    return [
        _escape(model["name"]),
        formats.percent(bits["accuracy"]),
        formats.number(bits["saved"], 1),
        formats.number(bets.get("reward"), 3, signed=True),
        formats.p_value(bets.get("p_value")),
        formats.percent(crossed.get("error")),
    ]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    r"""Take the meaning from signs that Markdown or HTML would read, and line breaks from the text.

    Examples
    --------
    >>> print(_escape("a*b <i>"))
    a\*b \<i\>
    """
    return _SPECIAL.sub(r"\\\1", " ".join(formats.visible(text).split()))


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


def page(evaluation: Evaluation) -> str:
    """Write a whole HTML page."""
    return render_page(evaluation)


def json(evaluation: Evaluation) -> str:
    """Write JSON that follows the published schema."""
    return to_json(summarise(evaluation))


def notebook(evaluation: Evaluation) -> str:
    """Write HTML for the cell of a notebook."""
    return render_notebook(summarise(evaluation))


def markdown(evaluation: Evaluation) -> str:
    """Write Markdown."""
    return render_markdown(summarise(evaluation))
