"""Charts as SVG that stands inside a page."""

from __future__ import annotations

import re
from typing import Any

import altair as alt
from markupsafe import Markup

_OPENING = re.compile(r"^<svg [^>]*?width=\"([\d.]+)\" height=\"([\d.]+)\"[^>]*>")


def inline_svg(chart: alt.LayerChart, identity: str, title: str, description: str) -> Markup:
    """Draw a chart as an SVG element that is read aloud as one picture.

    Parameters
    ----------
    chart : altair.LayerChart
        The chart.
    identity : str
        Name of the element, unique in its page and plain.
    title, description : str
        What the picture is, and what it shows, for those who do not see it.
    """
    # Checking a specification against its schema takes longer than drawing it; the tests check it.
    drawn = draw_svg(chart.to_dict(validate=False))
    opening = _OPENING.match(drawn)
    assert opening is not None
    width, height = opening.groups()
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" width="{0}" height="{1}" '
        'viewBox="0 0 {0} {1}" aria-labelledby="{2}-title {2}-desc">'
        '<title id="{2}-title">{3}</title><desc id="{2}-desc">{4}</desc>'
    ).format(width, height, identity, title, description)
    return head + Markup(drawn[opening.end() :])


def draw_svg(spec: dict[str, Any]) -> str:
    """Draw a Vega-Lite specification; nothing is fetched."""
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    drawn: str = vl_convert.vegalite_to_svg(spec, vl_version=version, allowed_base_urls=[])
    return drawn
