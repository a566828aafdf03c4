"""Andersson, Davidsson and Lindén (1999): measure-based classifier performance evaluation."""

from fivefold.papers.andersson1999.experiment import jobs
from fivefold.papers.andersson1999.report import CITATION, report
from fivefold.papers.paper import Paper

PAPER = Paper(
    "andersson1999",
    CITATION,
    "Table 1 (seven classifiers on the petals of iris), Figures 1 and 2",
    jobs,
    report,
)
