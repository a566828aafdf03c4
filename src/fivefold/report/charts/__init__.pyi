from .borders import border_chart, border_panel
from .scores import bits_chart, curve_chart, reliability_chart, reliability_panel

__all__ = [
    "bits_chart",
    "border_chart",
    "border_panel",
    "curve_chart",
    "reliability_chart",
    "reliability_panel",
]
