"""Re-run papers as text, Markdown, JSON and one HTML page."""

from fivefold.report.papers.data import outcome_data
from fivefold.report.papers.markdown import outcome_markdown, summary_markdown
from fivefold.report.papers.page import outcome_page
from fivefold.report.papers.text import print_outcome

__all__ = ["outcome_data", "outcome_markdown", "outcome_page", "print_outcome", "summary_markdown"]
