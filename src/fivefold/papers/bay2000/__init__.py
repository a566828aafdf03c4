"""Bay and Pazzani (2000): characterizing model errors and differences."""

from fivefold.papers.bay2000.experiment import jobs
from fivefold.papers.bay2000.report import CITATION, report
from fivefold.papers.paper import Paper

PAPER = Paper(
    "bay2000",
    CITATION,
    "Three queries on Adult: Tables 4-6, Figure 2, rules in English, stability of STUCCO and C5",
    jobs,
    report,
)
