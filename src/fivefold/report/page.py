"""One self-contained page: everything inside, nothing fetched, nothing from the data trusted."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fivefold.errors import InputError, show
from fivefold.evaluate import Evaluation
from fivefold.report import formats
from fivefold.report.charts.reliability import cells
from fivefold.report.figures import draw_figures
from fivefold.report.summary import summarise
from fivefold.report.theme import DARK, LIGHT, Theme

TITLE = "What the models learned"
_SHOWN_FINDINGS = 20
_MINUS = re.compile(r"(?<=[\s(])-(?=\d)")
_SECTIONS = (
    ("found", "What was found", "findings.html.j2"),
    ("overview", "Overview", "overview.html.j2"),
    ("bits", "Bits", "bits.html.j2"),
    ("bets", "Bets", "bets.html.j2"),
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
    environment = _environment()
    style = _trusted("style.css.j2", light=_variables(LIGHT), dark=_variables(DARK))
    script = _trusted("page.js")
    sections = [
        {"anchor": anchor, "heading": heading, "template": template}
        for anchor, heading, template in _SECTIONS
        if summary["comparisons"] or anchor != "comparisons"
    ]
    return environment.get_template("page.html.j2").render(
        summary=summary,
        title=title,
        sections=sections,
        figures=draw_figures(summary),
        style=style,
        script=script,
        policy=_policy(style, script),
        shown_findings=_SHOWN_FINDINGS,
        absent=formats.ABSENT,
    )


def write_page(path: str | os.PathLike[str], html: str) -> None:
    """Write a page so that an interruption leaves either the old file or the new one, never half of it.

    Parameters
    ----------
    path : path-like
        Where to write.
    html : str
        The page.
    """
    place = Path(path)
    if place.is_dir() or not place.parent.is_dir():
        raise InputError("a file in a folder that exists", show(str(place)))
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part")
    written = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(html)
        written.chmod(_usual_mode(place))
        written.replace(place)
    except BaseException:
        written.unlink(missing_ok=True)
        raise


def _usual_mode(place: Path) -> int:
    """Permissions of the file that is replaced, or those that a new file would have."""
    if place.exists():
        return place.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("fivefold.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalise,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    named = ("number", "percent", "p_value", "interval", "evidence", "words")
    environment.filters.update({name: getattr(formats, name) for name in named})
    environment.filters.update(percents=_percents, p_equals=_p_equals, typeset=_typeset, cells=cells)
    return environment


def _trusted(template: str, **values: str) -> Markup:
    """Render the project's own style sheet or script, in which there is nothing to escape."""
    return Markup(
        _environment().get_template(template).render({key: Markup(text) for key, text in values.items()})
    )


def _variables(theme: Theme) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in theme.colours().items())


def _policy(style: str, script: str) -> str:
    """Allow this style sheet and this script by their hashes, and nothing else at all."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _finalise(value: Any) -> Any:
    return formats.visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _percents(pair: Sequence[float | None]) -> str:
    return "" if None in pair else " to ".join(formats.percent(end) for end in pair)


def _p_equals(value: float | None) -> str:
    text = formats.p_value(value)
    return text if text.startswith("<") else f"= {text}"


def _typeset(sentence: str, names: Sequence[str]) -> Markup:
    """Set the names of models apart, so that one written from right to left does not turn the words around it."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"\Z"
    pieces = re.split(rf"(?<!\w)({either})(?!\w)", sentence)
    shown = [escape(formats.visible(piece)) for piece in pieces]
    shown[0::2] = [Markup(_MINUS.sub("−", text).replace(" %", "\u00a0%")) for text in shown[0::2]]
    shown[1::2] = [Markup("<bdi>{}</bdi>").format(name) for name in shown[1::2]]
    return Markup().join(shown)
