#!/usr/bin/env python3
"""Print the version that src/fivefold/__init__.py declares, for the build."""

from __future__ import annotations

import re
from pathlib import Path

TEXT = (Path(__file__).resolve().parents[1] / "src/fivefold/__init__.py").read_text(encoding="utf-8")
print(re.findall(r'^__version__ = "(.+)"', TEXT, re.M)[0])
