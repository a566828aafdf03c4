"""A page of slices alone."""

from __future__ import annotations

from fivefold import __version__
from fivefold.evaluate.slices_view import SlicesView
from fivefold.report.slices import summarise_slices
from fivefold.report.summary import plain
from fivefold.report.template import render


def render_slices(view: SlicesView, *, source: str = "") -> str:
    """Write the slices of one model, or of two, as one HTML page that needs nothing else.

    Parameters
    ----------
    view : SlicesView
        The slices and what their rows are like.
    source : str
        Where the cases came from.
    """
    found = plain(summarise_slices(view))
    alone = len(view.models) == 1
    name = " and ".join(view.models)
    return render(
        "slices_page.html.j2",
        title=f"Where {name} fails" if alone else f"Where {name} differ",
        source=source,
        version=__version__,
        summary={
            "models": [{"name": name, "slices": found}] if alone else [],
            "differences": None if alone else found,
            "n_cases": view.found.n_cases,
        },
    )
