"""A re-run paper as plain data for programs."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import Any

from fivefold.papers.outcome import Outcome

SCHEMA = "fivefold/paper/1"


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Give everything that an outcome holds in types that JSON has; numbers that are not finite become None."""
    cells = [asdict(cell) | {"mark": cell.mark} for cell in outcome.cells]
    told = {
        "schema": SCHEMA,
        "paper": outcome.paper,
        "citation": outcome.citation,
        "complete": outcome.complete,
        "status": outcome.status,
        "counts": outcome.counts(),
        "cells": cells,
        "figures": [asdict(figure) for figure in outcome.figures],
        "extras": [asdict(extra) for extra in outcome.extras],
        "errata": [asdict(erratum) for erratum in outcome.errata],
        "notes": list(outcome.notes),
    }
    plain: dict[str, Any] = _plain(told)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not isfinite(value) else value
