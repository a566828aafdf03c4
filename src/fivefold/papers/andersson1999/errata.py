"""Errors found in Andersson, Davidsson and Lindén (1999)."""

from __future__ import annotations

from fivefold.papers.outcome import Erratum

ERRATA = (
    Erratum(
        "Section 4.2, similarity of wrong cases",
        "1/2^(b d) - 1 for a misclassified case, whose distance d is negative",
        "2^(-b |d|) - 1, which lies between -1 and 0.",
        "As printed the term would be positive and without bound. With the correction the printed terms give all "
        "seven printed measures (Table 1, formula).",
    ),
    Erratum(
        "Table 1, ID3 and 1-nearest neighbour",
        "Subset-fit 1.000",
        "At most 0.993 on these two columns.",
        "A flower 4.8 cm long and 1.8 cm wide is once versicolor and twice virginica: no classifier is right "
        "about all 150. The paper must count a case as right when an identical case has its class.",
    ),
    Erratum(
        "Section 2",
        "C = U x K",
        "The set of functions from U to K.",
        "A classifier gives one category to each instance.",
    ),
)
