from .cell import Cell, Mark, Sample
from .outcome import Erratum, Extra, Figure, Outcome
from .paper import Paper
from .printed import Number, Printed
from .registry import NAMES, paper
from .running import run, show
from .settings import Settings

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
