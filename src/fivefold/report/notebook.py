"""An evaluation in the cell of a notebook, as HTML or as Markdown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from fivefold.plain_text import visible
from fivefold.report.charts.scores import bits_chart, score_marks
from fivefold.report.page import fill, variables
from fivefold.report.summary import Summary, cut_to_best, number, to_json
from fivefold.report.theme import DARK, LIGHT, PAGE, inline_svg

WIDTH = 640
MOST_MODELS = 40
_MARKS = {"best": "★ ", "not told apart from the best": "≈ "}
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&])")


def render_notebook(summary: Summary) -> str:
    """Write a piece of HTML without scripts that several cells of one notebook can show at once."""
    summary = cut_to_best(summary, MOST_MODELS)
    # two cells must not share the names of their pictures
    identity = f"fivefold-{hashlib.blake2b(to_json(summary).encode(), digest_size=6).hexdigest()}"
    saved = ", ".join(f"{model['name']} {number(model['bits']['saved'], 1)}" for model in summary["models"])
    chart = inline_svg(
        bits_chart(summary, PAGE, WIDTH), f"{identity}-bits", "Bits saved by each model", visible(saved)
    )
    return fill(
        "notebook.html.j2",
        summary=summary,
        marks=score_marks(summary["scorecard"]),
        identity=identity,
        chart=chart,
        light=variables(LIGHT),
        dark=variables(DARK),
    )


def render_markdown(summary: Summary) -> str:
    """Write headline, warnings and scorecard, then the findings in order of importance."""
    card = summary["scorecard"]
    lines = [f"**{_escape(card['headline']['sentence'])}** {_escape(card['headline']['detail'])}", ""]
    lines += [f"* {_escape(warning['sentence'])}" for warning in card["warnings"]]
    titles = [column["title"].lower() for column in card["columns"]]
    lines += ["", _row(["model", *titles]), f"|---|{'---:|' * len(titles)}"]
    for row in card["rows"]:
        texts = [f"{_MARKS.get(score['standing'], '')}{score['text']}" for score in row["scores"]]
        lines.append(_row([_escape(row["name"]), *texts]))
    lines.append("")
    for sentence in filter(None, [summary["protocol"], *summary["notes"]]):
        lines += [_escape(sentence), ""]
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
