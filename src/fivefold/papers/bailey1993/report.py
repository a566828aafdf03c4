"""What came out, beside the table and the figures."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from fivefold.papers.bailey1993.errata import ERRATA
from fivefold.papers.bailey1993.experiment import CONCEPTS, FOIL, LEARNERS, N_CASES
from fivefold.papers.bailey1993.figures import figures
from fivefold.papers.bailey1993.gathering import Floats, correlation, gather
from fivefold.papers.bailey1993.published import CORRELATIONS, ESTIMATES, RUNS, SCATTER
from fivefold.papers.bailey1993.reasons import why
from fivefold.papers.cell import Cell, Sample
from fivefold.papers.outcome import Extra, Outcome
from fivefold.papers.printed import Number
from fivefold.papers.settings import Settings

if TYPE_CHECKING:
    import polars as pl


CITATION = "T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900."
NOTES = (
    "Each training set: 100 cases of 50 boolean attributes, the class drawn by a coin; leave-one-out; "
    "50 bootstrap resamples, whose number the paper does not give. True errors of FOIL and C4.5 are exact.",
    "dnf1 is run as printed and as dnf1*, with the third clause ~C D instead of ~C B; see the errors found.",
    "FOIL is greedy, without the clause pruning of FOIL 6, of which the paper does not speak; this reading is "
    "nearest over all concepts at once. FOIL 6 as it is stands among the other learners.",
    "The other learners are what the paper's discussion asks for; the forest has 25 trees.",
)
_KEYS = dict(zip(ESTIMATES, ("err", "cv", "632"), strict=True))


def report(frame: pl.DataFrame, settings: Settings) -> Outcome:
    """Make the outcome of finished jobs."""
    return Outcome(
        "bailey1993",
        CITATION,
        (*_means(frame), *_spreads(frame), *_correlations(frame)),
        tuple(figures(frame)),
        (_other_learners(frame), _bias_by_error(frame)),
        ERRATA,
        NOTES,
    )


def _runs(frame: pl.DataFrame, concept: str, estimate: str, learner: str = FOIL) -> Floats:
    key = _KEYS.get(estimate, estimate)
    return gather(frame, key, kind="scatter", concept=concept, learner=learner, n=N_CASES)


def _means(frame: pl.DataFrame) -> list[Cell]:
    cells = []
    for concept in CONCEPTS:
        for estimate in ESTIMATES:
            number = SCATTER[concept.removesuffix("_star"), estimate]
            cells.append(
                Cell.of_means(
                    ("Table, mean", concept, estimate),
                    "mean over training sets in %",
                    number,
                    Sample.of(_runs(frame, concept, estimate)),
                    runs=RUNS,
                    spread=number.spread,
                    reason=why(concept, estimate),
                )
            )
    return cells


def _spreads(frame: pl.DataFrame) -> list[Cell]:
    cells = []
    for concept in CONCEPTS:
        for estimate in ESTIMATES:
            printed = SCATTER[concept.removesuffix("_star"), estimate].spread or 0.0
            place = ("Table, s.d.", concept, estimate)
            ours = _deviation(_runs(frame, concept, estimate))
            quantity = "standard deviation over training sets in points"
            cells.append(
                Cell.of_means(
                    place, quantity, Number(printed, 2), ours, runs=RUNS, reason=why(concept, estimate)
                )
            )
    return cells


def _deviation(values: Floats) -> Sample:
    """Give the standard deviation as the number of interest, its error by the jackknife."""
    if values.size < 3:
        return Sample.of([])
    without = np.array([np.delete(values, i).std(ddof=1) for i in range(values.size)])
    error = sqrt((values.size - 1) * float(np.mean((without - without.mean()) ** 2)))
    return Sample(float(values.std(ddof=1)), error * sqrt(values.size), values.size)


def _correlations(frame: pl.DataFrame) -> list[Cell]:
    cells = []
    for first in ("dnf1", "dnf1_star"):
        pooled = [first, "dnf2", "dnf3", "dnf4"]
        err = np.concatenate([_runs(frame, concept, "Err") for concept in pooled])
        for estimate, number in CORRELATIONS.items():
            ours = correlation(err, np.concatenate([_runs(frame, c, estimate) for c in pooled]))
            place = ("Section 4, correlation with Err", f"four concepts, with {first}", estimate)
            quantity = "correlation over all training sets"
            cells.append(
                Cell.of_correlations(
                    place, quantity, number, ours, runs=(err.size, 4 * RUNS), reason=why("pooled", estimate)
                )
            )
    return cells


def _other_learners(frame: pl.DataFrame) -> Extra:
    """Bias, spread and correlation of both estimates for every learner."""
    rows: list[dict[str, Any]] = []
    for learner in LEARNERS:
        for concept in CONCEPTS:
            err = _runs(frame, concept, "Err", learner)
            if not err.size:
                continue
            row: dict[str, Any] = {"learner": learner, "concept": concept, "sets": err.size}
            row |= {"Err": _two(err.mean()), "s.d.": _two(err.std(ddof=1))}
            for key, name in (("cv", "cv"), ("632", ".632")):
                values = gather(frame, key, kind="scatter", concept=concept, learner=learner, n=N_CASES)
                row |= {
                    f"{name} bias": _two(np.mean(values - err)),
                    f"{name} rmse": _two(np.sqrt(np.mean((values - err) ** 2))),
                    f"{name} r": _two(correlation(err, values)),
                }
            rows.append(row)
    note = "Points of per cent. The estimate with the smaller root mean squared error is the one to trust."
    return Extra("Which estimate to trust, for four learners", _columns(rows), note)


def _bias_by_error(frame: pl.DataFrame) -> Extra:
    """The paper's observation (ii): the bias of the 632 bootstrap hangs on the size of the error."""
    rows = []
    own = frame.filter(kind="scatter", learner=FOIL)
    for concept, n in own.select("concept", "n").unique(maintain_order=True).iter_rows():
        err, boot, cv = (gather(own, key, concept=concept, n=n) for key in ("err", "632", "cv"))
        rows.append(
            {
                "concept": concept,
                "n": n,
                "Err": _two(err.mean()),
                "cv bias": _two(np.mean(cv - err)),
                ".632 bias": _two(np.mean(boot - err)),
            }
        )
    rows.sort(key=lambda row: row["Err"])
    note = "The paper: upward where Err is below 15 %, downward above 30 %."
    return Extra("Bias of both estimates by the size of the error, FOIL", _columns(rows), note)


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def _two(value: Any) -> float | None:
    return None if np.isnan(value) else round(float(value), 2)
