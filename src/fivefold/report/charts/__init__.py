"""Charts of a summary: reliability, bits saved, accuracy against bits, and borders.

Every chart is a pure function of the summary that `fivefold.report.summarise` gives. The default theme suits a
notebook or a PNG; the page draws the same charts with `theme.PAGE`, whose colours its style sheet fills in.
"""

from fivefold.report.charts.bits import bits_chart
from fivefold.report.charts.borders import border_chart, border_panel, draw_borders
from fivefold.report.charts.curve import curve_chart
from fivefold.report.charts.reliability import reliability_chart, reliability_panel

__all__ = [
    "bits_chart",
    "border_chart",
    "border_panel",
    "curve_chart",
    "draw_borders",
    "reliability_chart",
    "reliability_panel",
]
