"""The concepts of the paper."""

from __future__ import annotations

from fivefold.checks.options import one_of
from fivefold.data.concepts.dnf import Concept

__all__ = ["concept", "concept_names"]

_FORMULAS = {
    "dnf1": "B C | ~A C D | ~C B | A ~D",
    "dnf1_star": "B C | ~A C D | ~C D | A ~D",
    "dnf2": "B C ~D E | ~A F G ~H",
    "dnf3": "B C ~D ~E",
    "dnf4": "~B C | ~A C D",
}


def concept_names() -> list[str]:
    """Name the concepts that `concept` knows.

    Examples
    --------
    >>> concept_names()
    ['dnf1', 'dnf1_star', 'dnf2', 'dnf3', 'dnf4']
    """
    return list(_FORMULAS)


def concept(name: str) -> Concept:
    """Give a concept of Bailey and Elkan's experiments, over 50 attributes.

    Parameters
    ----------
    name : {"dnf1", "dnf1_star", "dnf2", "dnf3", "dnf4"}
        The concept. ``"dnf1"`` is as printed; since B C or not C B is B, it is simpler than it looks, and it does
        not give the printed numbers. ``"dnf1_star"`` has ~C D for ~C B and does; that the paper meant it is a
        conjecture.

    Returns
    -------
    Concept

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    Examples
    --------
    >>> print(concept("dnf3"), concept("dnf3").probability)
    B C ~D ~E 0.0625
    """
    return Concept.parse(_FORMULAS[one_of(name, _FORMULAS, "name")])
