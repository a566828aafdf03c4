"""An evaluation as Markdown: a table and the findings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fivefold.report import formats

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
