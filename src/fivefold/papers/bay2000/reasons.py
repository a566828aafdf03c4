"""Why numbers differ or cannot be compared, where that is known."""

from __future__ import annotations


def why(what: str, where: str) -> str:
    """Give the reason for a difference; "" where it is not known."""
    if what in ("rules", "median_effect", "mean_size", "stability"):
        c5 = "C5.0 is rebuilt, and whether -m was tuned anew is not said"
        engine = c5 if where == "C5" else "the cuts are not all printed"
        return f"one number without a spread; other models of the same kind; {engine}"
    if what == "agree" and where == "1NN vs 5NN":
        return "the paper's distance between cases is not given"
    if what.startswith("Table"):
        return "another model of the same kind"
    return ""
