"""An evaluation in the cell of a notebook, as HTML or as Markdown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from fivefold.report.charts.scores import bits_chart
from fivefold.report.formats import ABSENT, number, visible
from fivefold.report.summary import Summary, tabulate_all, to_json
from fivefold.report.template import fill, variables
from fivefold.report.theme import DARK, LIGHT, PAGE, inline_svg

WIDTH = 640
SHOWN = 8
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&])")


def render_notebook(summary: Summary) -> str:
    """Write a piece of HTML without scripts that several cells of one notebook can show at once."""
    # two cells must not share the names of their pictures
    identity = f"fivefold-{hashlib.blake2b(to_json(summary).encode(), digest_size=6).hexdigest()}"
    saved = ", ".join(f"{model['name']} {number(model['bits']['saved'], 1)}" for model in summary["models"])
    chart = inline_svg(
        bits_chart(summary, PAGE, WIDTH), f"{identity}-bits", "Bits saved by each model", visible(saved)
    )
    return fill(
        "notebook.html.j2",
        summary=summary,
        tables=tabulate_all(summary["models"], "brief"),
        identity=identity,
        chart=chart,
        shown=SHOWN,
        absent=ABSENT,
        light=variables(LIGHT),
        dark=variables(DARK),
    )


def render_markdown(summary: Summary) -> str:
    """Write the numbers of all models as a table, then the findings in order of importance."""
    tables = tabulate_all(summary["models"], "brief").values()
    titles = [column.title.lower() for table in tables for column in table.columns]
    lines = [_row(["model", *titles]), f"|---|{'---:|' * len(titles)}"]
    for model in summary["models"]:
        cells = [table.rows.get(model["name"]) for table in tables]
        texts = [
            text
            for table, row in zip(tables, cells, strict=True)
            for text in ([cell.text for cell in row] if row else [ABSENT] * len(table.columns))
        ]
        lines.append(_row([_escape(model["name"]), *texts]))
    lines.append("")
    if summary["protocol"]:
        lines += [_escape(summary["protocol"]), ""]
    lines += [
        f"{place}. {_escape(finding['sentence'])}" for place, finding in enumerate(summary["findings"], 1)
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escape(text: str) -> str:
    r"""Take the meaning from signs that Markdown or HTML would read, and line breaks from the text.

    Examples
    --------
    >>> print(_escape("a*b <i>"))
    a\*b \<i\>
    """
    return _SPECIAL.sub(r"\\\1", " ".join(visible(text).split()))
