from .page import render_page, render_summary
from .summary import summarise, to_json

__all__ = [
    "render_page",
    "render_summary",
    "summarise",
    "to_json",
]
