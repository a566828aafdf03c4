"""Korb, Hope and Hughes (2001): information reward and calibration of five learners."""

from fivefold.papers.korb2001.experiment import jobs
from fivefold.papers.korb2001.published import DATA
from fivefold.papers.korb2001.report import CITATION, report
from fivefold.papers.paper import Paper

PAPER = Paper(
    "korb2001",
    CITATION,
    "Tables 1-7 (16 data sets, 5 learners, 25 splits), and recalibrated probabilities",
    jobs,
    report,
    DATA,
)
