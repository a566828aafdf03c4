from .claims import Judgement, Part
from .comparison import Cell, Extra, Figure, Mark, Outcome, Sample
from .experiment import Paper, Settings
from .printed import Claim, Erratum, Number, Printed, Published, read_published
from .registry import NAMES, paper, run, show

__all__ = [
    "NAMES",
    "Cell",
    "Claim",
    "Erratum",
    "Extra",
    "Figure",
    "Judgement",
    "Mark",
    "Number",
    "Outcome",
    "Paper",
    "Part",
    "Printed",
    "Published",
    "Sample",
    "Settings",
    "paper",
    "read_published",
    "run",
    "show",
]
