"""Why numbers differ, where that is known."""

from __future__ import annotations


def why(concept: str, estimate: str) -> str:
    """Give the reason for a difference; "" where it is not known."""
    if concept == "dnf1":
        return "the printed formula is not the concept behind the printed numbers; see dnf1_star"
    if concept == "pooled" and estimate == "632 bootstrap":
        return "the paper says close to zero, without a number; that holds within concepts, not over all four"
    if estimate == "632 bootstrap":
        return "presumably their FOIL learned worse from resamples with copies than ours does"
    return ""
