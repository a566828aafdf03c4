"""Templates: the project's own words around values from data that nobody trusts."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from fivefold.plain_text import visible
from fivefold.report import formats
from fivefold.report.charts.scores import cells
from fivefold.report.theme import DARK, LIGHT, Theme, class_variables

_LONG_WORD = 24
_PARTS = re.compile(r"([_./:-])(?=\w)")
_MINUS = re.compile(r"(?<=[\s(])-(?=\d)")


def render(template: str, **values: Any) -> str:
    """Fill a template of a whole page, with the style sheet, the script and the policy that allows only these."""
    style = _trusted("style.css.j2", light=variables(LIGHT), dark=variables(DARK))
    script = _trusted("page.js")
    policy = _policy(style, script)
    return _environment().get_template(template).render(style=style, script=script, policy=policy, **values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalise,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    named = ("number", "percent", "p_value", "interval", "evidence", "words", "points")
    environment.filters.update({name: getattr(formats, name) for name in named})
    environment.filters.update(percents=_percents, typeset=_typeset, cells=cells)
    environment.filters.update(
        shares=_shares, pair_shares=_pair_shares, has_long_word=_has_long_word, breakable=_breakable
    )
    return environment


def fill(template: str, **values: Any) -> str:
    """Fill a template of a piece of a page."""
    return _environment().get_template(template).render(**values)


def _trusted(template: str, **values: str) -> Markup:
    """Render the project's own style sheet or script, in which there is nothing to escape."""
    return Markup(
        _environment().get_template(template).render({key: Markup(text) for key, text in values.items()})
    )


def variables(theme: Theme) -> Markup:
    """Declare the colours of a theme for a style sheet."""
    named = " ".join(f"--{name}: {colour};" for name, colour in theme.colours().items())
    return Markup(f"{named} {class_variables(theme)}")


def _policy(style: str, script: str) -> str:
    """Allow this style sheet and this script by their hashes, and nothing else at all."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _finalise(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _has_long_word(text: str) -> bool:
    """Tell texts that a narrow column may break inside of a word; all others it breaks between words only."""
    return max(map(len, text.split()), default=0) > _LONG_WORD


def _breakable(name: str) -> Markup:
    """Let a long name break after the signs that part its words."""
    shown = str(escape(visible(name)))
    return Markup(_PARTS.sub(r"\1<wbr>", shown) if _has_long_word(name) else shown)


def _percents(pair: Sequence[float | None]) -> str:
    return "" if None in pair else " to ".join(formats.percent(end) for end in pair)


def _typeset(sentence: str, names: Sequence[str]) -> Markup:
    """Set the names of models apart, so that one written from right to left does not turn the words around it."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or r"\Z"
    pieces = re.split(rf"(?<!\w)({either})(?!\w)", sentence)
    shown = [escape(visible(piece)) for piece in pieces]
    shown[0::2] = [Markup(_MINUS.sub("−", text).replace(" %", "\u00a0%")) for text in shown[0::2]]
    shown[1::2] = [Markup("<bdi>{}</bdi>").format(_breakable(name)) for name in pieces[1::2]]
    return Markup().join(shown)


def _shares(feature: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give a row for each value of a feature: its share inside and outside of a slice, in per cent.

    Examples
    --------
    >>> _shares({"values": ["a", "b"], "inside": [1, 3], "outside": [0, 0]})
    [{'value': 'a', 'inside': 25.0, 'outside': 0.0}, {'value': 'b', 'inside': 75.0, 'outside': 0.0}]
    """
    inside, outside = sum(feature["inside"]), sum(feature["outside"])
    return [
        {"value": value, "inside": 100 * here / max(inside, 1), "outside": 100 * there / max(outside, 1)}
        for value, here, there in zip(feature["values"], feature["inside"], feature["outside"], strict=True)
    ]


def _pair_shares(pairs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Give a row for each pair of truth and answer, as `_shares` does for values, with the counts."""
    names = ("inside", "outside")
    table = _shares(
        {"values": [pair["first"] for pair in pairs]} | {n: [pair[n] for pair in pairs] for n in names}
    )
    return [
        {**row, "second": pair["second"], "n_inside": pair["inside"], "n_outside": pair["outside"]}
        for row, pair in zip(table, pairs, strict=True)
    ]
