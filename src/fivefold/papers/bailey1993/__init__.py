"""Bailey and Elkan (1993): estimating the accuracy of learned concepts."""

from fivefold.papers.bailey1993.experiment import jobs
from fivefold.papers.bailey1993.report import CITATION, report
from fivefold.papers.paper import Paper

PAPER = Paper(
    "bailey1993",
    CITATION,
    "The table of errors (4 concepts, 100 training sets), Figures 1-5, and three more learners",
    jobs,
    report,
)
