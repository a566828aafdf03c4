"""The report: results in, a summary, charts and one self-contained page out."""

from fivefold.report.summary import summarise, to_json

__all__ = ["summarise", "to_json"]
