from .borders import border_chart, border_panel, draw_borders
from .scores import bits_chart, curve_chart, reliability_chart, reliability_panel

__all__ = [
    "bits_chart",
    "border_chart",
    "border_panel",
    "curve_chart",
    "draw_borders",
    "reliability_chart",
    "reliability_panel",
]
