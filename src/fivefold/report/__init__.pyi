from .notebook import render_markdown, render_notebook
from .page import render_page, render_summary
from .paper_report import outcome_data, outcome_markdown, outcome_page, print_outcome, summary_markdown
from .summary import summarise, to_json

__all__ = [
    "outcome_data",
    "outcome_markdown",
    "outcome_page",
    "print_outcome",
    "render_markdown",
    "render_notebook",
    "render_page",
    "render_summary",
    "summarise",
    "summary_markdown",
    "to_json",
]
