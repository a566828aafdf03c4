"""The report: results in, a summary, charts and one self-contained page out."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from fivefold.report.summary import summarise, to_json

if TYPE_CHECKING:
    from fivefold.report.page import render_page, render_summary

__all__ = ["render_page", "render_summary", "summarise", "to_json"]


def __getattr__(name: str) -> object:
    # The page needs the charts, which take a while to load; a summary does not.
    if name in ("render_page", "render_summary"):
        return getattr(importlib.import_module("fivefold.report.page"), name)
    raise AttributeError(f"module 'fivefold.report' has no attribute {name!r}")
