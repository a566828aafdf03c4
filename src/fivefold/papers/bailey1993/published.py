"""What Bailey and Elkan (1993) print."""

from __future__ import annotations

from fivefold.papers.printed import Number, Printed

RUNS = 100
ESTIMATES = ("Err", "cross-validation", "632 bootstrap")

# Per cent: mean and sample standard deviation over 100 training sets of 100 cases.
SCATTER = Printed.read(
    "Table in Section 4",
    "mean error",
    "%",
    ESTIMATES,
    """
dnf1 5.23±8.35 6.04±6.53 11.80±3.24
dnf2 4.57±7.95 4.69±5.42 15.16±3.12
dnf3 0.91±3.08 0.85±1.61 2.89±1.58
dnf4 0.73±2.56 0.94±1.71 3.47±1.41
""",
)
CONCEPTS = SCATTER.rows

# Section 4: "around 0.76", "close to zero", over all four concepts.
CORRELATIONS = {"cross-validation": Number(0.76, 2), "632 bootstrap": Number(0.0, 0)}

# Section 5: leave-one-out counts from Weinstein et al. (1992), right and wrong.
WEINSTEIN = ((129, 12), (121, 20))
