"""Errors found in Cleary, Legg and Witten (1996)."""

from __future__ import annotations

from fivefold.papers.outcome import Erratum

ERRATA = (
    Erratum(
        "Section 3, after the frequency-weighted code",
        "In the limit the complexity cannot exceed that of the frequency code, which ignores the theory.",
        "It can. With single answers α already counts hits, and r weighs it by the class frequency once more.",
        "A theory that always answers the majority class of frequency 0.9 costs 0.652 bits a case where the "
        "frequency code costs 0.469 (`tests/published/test_cleary1996.py`).",
    ),
    Erratum(
        "Section 3, constant weight",
        "In the limit the complexity stays below lg n bits a case, whatever the sequence.",
        "Not where the sizes of answers vary.",
        "100 classes, 2 % single answers that are always right and 98 % answers with 50 classes that are right "
        "30 % of the time: 6.870 bits a case against lg 100 = 6.644.",
    ),
    Erratum(
        "Section 4, analytic curve",
        "It is easily shown that I_f(D|T,Q) = lg (N+1)!/(j!(N-j)!).",
        "That is the simple Laplace code; the frequency-weighted code is near it only where classes are balanced.",
        "N = 1581, 95 % default, 97 % correct: the formula gives 291.4 bits, the code of Table 1 about 142.7.",
    ),
    Erratum(
        "Section 2, entropy example",
        "-0.25 lg 0.25 - 0.75 lg 0.25 = 0.81 bits",
        "-0.25 lg 0.25 - 0.75 lg 0.75 = 0.81 bits",
        "As printed the sum is 2 bits.",
    ),
    Erratum(
        "Table 2, baseline of CH",
        "52.7",
        "52.2",
        "1,669 of the 3,196 cases are of the more frequent class.",
    ),
    Erratum(
        "Table 2, column VO",
        "Sixteen names in the header",
        "Fifteen columns of numbers survive; that of VO is lost.",
        "The last column is that of V1: its 1R is 85.7 % correct; 1R is about 95 % correct on VO.",
    ),
    Erratum(
        "Section 3, the first code",
        "The sentence about m = n says that bits are spent on an impossible hit.",
        "With m = n bits are spent on an impossible miss; with m = 0 on an impossible hit.",
        "The code's own formula: p codes whether the answer holds the class.",
    ),
)
