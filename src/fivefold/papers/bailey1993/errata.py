"""Errors found in Bailey and Elkan (1993)."""

from __future__ import annotations

from fivefold.papers.outcome import Erratum

ERRATA = (
    Erratum(
        "Section 3, dnf1",
        "(B C) v (~A C D) v (~C B) v (A ~D)",
        "Not the concept behind the printed numbers; one letter changed, ~C D for ~C B, agrees with all of them.",
        "B C v ~C B is B alone, an unlikely thing to print. FOIL's error on the printed formula is about 11 %, "
        "the paper has 5.23; see the rows dnf1 and dnf1_star. The correction is a conjecture.",
    ),
    Erratum(
        "Section 4, Figure 1",
        "The correlation of 632 bootstrap with Err is close to zero.",
        "Not over all four concepts, as it is said; it is close to zero within dnf2 and dnf3.",
        "See the correlations above: about 0.4 for the pooled training sets.",
    ),
    Erratum(
        "Section 5, the comparison of Weinstein et al.",
        "A test similar to chi-square concludes that 129 of 141 is significantly better than 121 of 141.",
        "The chi-square test on the printed table does not.",
        "Chi-square is 2.256, p = 0.13 (with Yates's correction 1.727, p = 0.19).",
    ),
)
