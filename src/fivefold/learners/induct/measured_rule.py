"""A rule with its measure."""

from __future__ import annotations

from dataclasses import dataclass

from fivefold.data.conditions import Rule
from fivefold.learners.prism.clauses import cases_and_errors


@dataclass(frozen=True)
class MeasuredRule:
    """A rule, and how it did among the training cases that it was learnt from.

    Parameters
    ----------
    rule : Rule
        The rule.
    covered, correct : int
        How many of these cases it covers, and how many of those are of its class.
    r : float
        The probability that cases drawn at random would be of its class as often.

    Examples
    --------
    >>> from fivefold.data.conditions import Equals
    >>> print(MeasuredRule(Rule((Equals("tears", "reduced"),), "none"), 12, 12, (15 / 24) ** 12))
    if tears = reduced then none (12, r = 0.00355)
    """

    rule: Rule
    covered: int
    correct: int
    r: float

    def __str__(self) -> str:
        return f"{self.rule} ({cases_and_errors(self.covered, self.correct)}, r = {self.r:.3g})"
