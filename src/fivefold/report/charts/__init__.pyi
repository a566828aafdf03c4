from .bits import bits_chart
from .borders import border_chart, border_panel, draw_borders
from .curve import curve_chart
from .reliability import reliability_chart, reliability_panel

__all__ = [
    "bits_chart",
    "border_chart",
    "border_panel",
    "curve_chart",
    "draw_borders",
    "reliability_chart",
    "reliability_panel",
]
