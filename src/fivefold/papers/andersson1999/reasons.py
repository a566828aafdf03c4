"""Why numbers differ or cannot be compared, where that is known."""

from __future__ import annotations


def why(row: str, term: str) -> str:
    """Give the reason for a difference; "" where it is not known."""
    if row == "ID3":
        return "many trees fit these cases; random consistent trees have borders from 2.2 to 4.2 long"
    if row.startswith("backprop"):
        return "the networks of 1999 cannot be trained again from the description"
    if row == "1-NN":
        return "which label counts for a flower that is once versicolor and twice virginica is not said"
    if row == "pruned-tree":
        return "the cut points are those of the book, from memory"
    return "another random search" if row == "measure-based" else ""
