from .data import outcome_data
from .markdown import outcome_markdown, summary_markdown
from .page import outcome_page
from .text import print_outcome

__all__ = [
    "outcome_data",
    "outcome_markdown",
    "outcome_page",
    "print_outcome",
    "summary_markdown",
]
