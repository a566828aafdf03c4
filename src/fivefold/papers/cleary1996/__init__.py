"""Cleary, Legg and Witten (1996): an MDL estimate of the significance of rules."""

from fivefold.papers.cleary1996.experiment import jobs
from fivefold.papers.cleary1996.published import DATA
from fivefold.papers.cleary1996.report import CITATION, report
from fivefold.papers.paper import Paper

PAPER = Paper(
    "cleary1996",
    CITATION,
    "Table 2 (16 data sets, 7 schemes, 25 half splits), Figures 1 and 2, theory lengths",
    jobs,
    report,
    DATA,
)
