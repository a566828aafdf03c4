"""How an evaluation finds what draws it: by name, because pages and charts stand above evaluations."""

from __future__ import annotations

import importlib
from typing import Any, Protocol, cast

_MODULE = "fivefold.report.display"


class Display(Protocol):
    """What a module must offer to show evaluations."""

    def page(self, evaluation: Any) -> str:
        """Write a whole HTML page."""

    def json(self, evaluation: Any) -> str:
        """Write JSON that follows the published schema."""

    def notebook(self, evaluation: Any) -> str:
        """Write HTML for the cell of a notebook."""

    def markdown(self, evaluation: Any) -> str:
        """Write Markdown."""


def display() -> Display:
    """Load what shows evaluations, on first use: charts take a while."""
    return cast(Display, importlib.import_module(_MODULE))
