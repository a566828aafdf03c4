from .comparison import Cell, Extra, Figure, Mark, Outcome, Sample
from .experiment import Paper, Settings
from .printed import Erratum, Number, Printed, Published, read_published
from .registry import NAMES, paper, run, show

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
    "Published",
    "Sample",
    "Settings",
    "paper",
    "read_published",
    "run",
    "show",
]
