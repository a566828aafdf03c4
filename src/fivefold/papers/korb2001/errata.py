"""Errors found in Korb, Hope and Hughes (2001)."""

from __future__ import annotations

from fivefold.papers.outcome import Erratum

ERRATA = (
    Erratum(
        "Equation 3 and Table 3",
        "Miscalibration of a learner",
        "It depends on the order of the rows: cells of ten are cut through equal probabilities.",
        "The stump on CH has two different probabilities. The paper prints 4.925; in the order of the file we get "
        "4.9, shuffled 1.6, with equal probabilities together 0.03. See the table of both rules.",
    ),
    Erratum(
        "Equation 3",
        "A measure of miscalibration",
        "A sum over cells, which grows with the square root of their number, and so with the number of cases.",
        "Values above 1 for CH, HY, MU and SE, the largest data sets.",
    ),
    Erratum(
        "Section 5",
        "Repeated 25 times to obtain the 95 % confidence intervals shown in Tables 1, 2 and 3",
        "± 1.96 standard deviations of single runs; an interval of the mean would be five times narrower.",
        "SO, C4.5: .975 ± .087 is a deviation of .044; one run of 16 cases has a binomial deviation of .039.",
    ),
    Erratum(
        "Table 6, BC, C4.5",
        ".606",
        "-.606",
        "With +.606 the three correlations (.410, -.602, .606) cannot belong to any numbers: their determinant is "
        "-.197. It is the only one of 80 triples.",
    ),
    Erratum(
        "Footnote 3",
        "For misclassifications 1 + lg(1 - P(X_i)), X_i the actual class",
        "P must be that of the selected class.",
        "GL, stump: -.058 is printed; the selected class gives -.02, the actual class -.91.",
    ),
    Erratum(
        "Section 5, the range of probabilities",
        "n is the sample size",
        "n is the number of training cases.",
        "SO, C4.5: .975 x .97728 - .025 x 5 = .828 with n = 31, as printed; n = 16 gives .831, n = 47 gives .821.",
    ),
    Erratum(
        "Section 5, naive Bayes",
        "Implemented as described in Mitchell (1997); results comparable with other reports",
        "Neither: an equivalent sample size of about the number of training cases comes near all 16 accuracies.",
        "CH .704, MU .910, HY .951, SE .909 are printed; the usual m = 1 gives .87, .98, .99, .96, m = n gives "
        ".71, .91, .95, .91. Over all data sets 12 of 16 accuracies lie inside ± with m = 1, 16 with m = n.",
    ),
)
