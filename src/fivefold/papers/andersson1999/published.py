"""What Andersson, Davidsson and Lindén (1999) print."""

from __future__ import annotations

from fivefold.papers.printed import Printed

TERMS = ("fit", "similarity_right", "similarity_wrong", "border_size", "measure")

# In Table 1, and in Section 5 for the measure-based algorithm.
TABLE = Printed.read(
    "Table 1",
    "terms of the measure",
    "",
    TERMS,
    """
ID3 1.000 0.586 0 3.406 1.208
pruned-tree 0.980 0.682 0.005 2.325 1.260
backprop-30 0.987 0.599 0.002 2.802 1.215
backprop-2 0.960 0.703 0.008 2.516 1.245
1-NN 1.000 0.679 0 3.330 1.256
10-NN 0.967 0.740 0.009 2.697 1.265
measure-based 0.973 0.731 0.007 1.891 1.288
""",
)
