from .comparison import Cell, Erratum, Extra, Figure, Mark, Outcome, Sample
from .experiment import Paper, Settings
from .printed import Number, Printed
from .registry import NAMES, paper
from .running import run, show

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
