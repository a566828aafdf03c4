"""The papers by name."""

from __future__ import annotations

import importlib

from fivefold.errors import InputError, show
from fivefold.papers.experiment import Paper

NAMES = ("bailey1993", "cleary1996", "andersson1999", "bay2000", "korb2001")


def paper(name: str) -> Paper:
    """Give a paper by its first author and year.

    Examples
    --------
    >>> paper("korb2001").contents
    'Tables 1-7 (16 data sets, 5 learners, 25 splits), and recalibrated probabilities'
    """
    if not isinstance(name, str) or name not in NAMES:
        raise InputError(f"a paper ({', '.join(NAMES)})", show(name), "see `fivefold papers list`")
    found: Paper = importlib.import_module(f"fivefold.papers.{name}").PAPER
    return found
