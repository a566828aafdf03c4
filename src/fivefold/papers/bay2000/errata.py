"""Errors found in Bay and Pazzani (2000)."""

from __future__ import annotations

from fivefold.papers.outcome import Erratum

ERRATA = (
    Erratum(
        "Section 4.1",
        "A and N are the examples where agree = 0 and agree = 1; the average agreement is |A| / (|A| + |N|)",
        "The two are swapped: the average agreement is that of the examples with agree = 1.",
        "All printed differences are taken from 13,811 / 16,281 = 84.8 %, the share that is right.",
    ),
    Erratum(
        "Table 5, admin-clerical",
        "+5 % with an effect of +82",
        "+4 %",
        "1,841 test cases are clerks: 82 / 1,841 = 4.45 %.",
    ),
    Erratum(
        "Section 5.1 and Table 6, three rules",
        "married -13 % and -925; machine-op-inspct +5 % and +46; armed-forces spouse -55 % and -6",
        "No whole number of right answers gives both printed numbers; each misses by one unit of rounding.",
        "The group sizes are in the file: 7,403, 1,020 and 10 cases. The other 50 printed rules are consistent.",
    ),
    Erratum(
        "Section 5.2",
        "as we can see from the statistics in Table 2",
        "Table 4",
        "Table 2 is the procedure MDiff.",
    ),
)
