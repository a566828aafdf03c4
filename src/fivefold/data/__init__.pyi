from .catalogue import SetDescription, describe, names
from .discretise import MDLP, CutPoints, EqualWidth, Quantiles
from .dnf_concepts import Concept, concept, concept_names
from .exact_error import TrueError
from .files import read
from .harness_logs import Runs, read_runs
from .sources import load
from .table import Table

__all__ = [
    "MDLP",
    "Concept",
    "CutPoints",
    "EqualWidth",
    "Quantiles",
    "Runs",
    "SetDescription",
    "Table",
    "TrueError",
    "concept",
    "concept_names",
    "describe",
    "load",
    "names",
    "read",
    "read_runs",
]
