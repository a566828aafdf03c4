"""Papers: every table and figure of the five papers, re-run beside the published numbers."""

from fivefold.papers.cell import Cell, Mark, Sample
from fivefold.papers.outcome import Erratum, Extra, Figure, Outcome
from fivefold.papers.paper import Paper
from fivefold.papers.printed import Number, Printed
from fivefold.papers.registry import NAMES, paper
from fivefold.papers.running import run, show
from fivefold.papers.settings import Settings

__all__ = [
    "NAMES",
    "Cell",
    "Erratum",
    "Extra",
    "Figure",
    "Mark",
    "Number",
    "Outcome",
    "Paper",
    "Printed",
    "Sample",
    "Settings",
    "paper",
    "run",
    "show",
]
