"""What every code of a theory writes down: bits by what they are spent on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fivefold.errors import InputError, show
from fivefold.formulas.adaptive import AdaptiveCoder
from fivefold.learners._nodes import Label

HINT = "pass the questions that the model was fitted on"


class NoCodeError(Exception):
    """A theory says something that its code has no words for, whatever the questions are."""


@dataclass
class Ledger:
    """The bits spent so far."""

    structure: float = 0.0
    attributes: float = 0.0
    values: float = 0.0
    classes: float = 0.0
    counts: float = 0.0
    refund: float = 0.0
    unsent: int = 0
    size: int = 0


class ClassCoder:
    """Prices class labels by the adaptive code over all classes."""

    def __init__(self, classes: Sequence[Label]) -> None:
        self.place = {label: place for place, label in enumerate(classes)}
        self._coder = AdaptiveCoder(len(classes))

    def cost(self, label: Label) -> float:
        """Give the bits of one class."""
        return self._coder.cost(self.place[label])


def no_word(test: str, column: str) -> InputError:
    """Make the error for a test that splits the given questions in a way the code cannot name."""
    return InputError(f"questions that have values on both sides of {test}", f"those of {show(column)}", HINT)
