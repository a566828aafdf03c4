"""The published form of the JSON that Fivefold writes, one file a version."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

__all__ = ["SCHEMA_VERSION", "load_schema"]

SCHEMA_VERSION = "1.0"


def load_schema(version: str = SCHEMA_VERSION) -> dict[str, Any]:
    """Read the JSON Schema (draft 2020-12) of evaluations.

    Parameters
    ----------
    version : str
        The version, as JSON names it under "schema".

    Examples
    --------
    >>> load_schema()["title"]
    'Evaluation of models by Fivefold'
    """
    text = (files(__name__) / f"evaluation-{version}.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
