"""Everything that shows an evaluation, by the names that an evaluation asks for."""

from __future__ import annotations

from fivefold.evaluate.evaluation import Evaluation
from fivefold.report.markdown import render_markdown
from fivefold.report.notebook import render_notebook
from fivefold.report.page import render_page
from fivefold.report.summary import summarise, to_json


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
