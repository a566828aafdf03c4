"""What came out, beside Tables 1 to 7."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from fivefold.papers.cell import Cell, Sample
from fivefold.papers.korb2001 import published as printed_in
from fivefold.papers.korb2001.errata import ERRATA
from fivefold.papers.korb2001.experiment import NEAREST
from fivefold.papers.korb2001.published import RUNS
from fivefold.papers.korb2001.reasons import why
from fivefold.papers.outcome import Extra, Outcome
from fivefold.papers.printed import Printed
from fivefold.papers.readings import compare_readings, nearest_only
from fivefold.papers.settings import Settings
from fivefold.papers.splits import table_of
from fivefold.papers.tables import compare_means, samples

CITATION = (
    "K. B. Korb, L. R. Hope and M. J. Hughes (2001). The evaluation of predictive learners: some theoretical and "
    "empirical results. ECML 2001, Springer LNCS 2167, 276-287."
)
NOTES = (
    "25 random splits of two thirds and one third; test cases in the order of the file, on which the paper's "
    "miscalibration depends (see the errors found).",
    "The paper's ± is 1.96 standard deviations of single runs; the standard error of a difference divides it by "
    "1.96 and by the square root of 25, and adds ours and what rounding is worth.",
    "What the descriptions of the learners leave open was tried on all data sets at once and never chosen for a "
    "single cell. The tables show the nearest reading of each: "
    + ", ".join(f"{k} {v}" for k, v in NEAREST.items())
    + "; see the table of readings.",
)
MEANS: Mapping[str, Printed] = {
    "accuracy": printed_in.ACCURACY,
    "reward": printed_in.REWARD,
    "miscalibration": printed_in.MISCALIBRATION,
}
CORRELATIONS = (
    (printed_in.REWARD_ACCURACY, "reward", "accuracy"),
    (printed_in.REWARD_MISCALIBRATION, "reward", "miscalibration"),
    (printed_in.ACCURACY_MISCALIBRATION, "accuracy", "miscalibration"),
)


def report(frame: pl.DataFrame, settings: Settings) -> Outcome:
    """Make the outcome of finished jobs."""
    main = nearest_only(frame, NEAREST)
    return Outcome(
        "korb2001",
        CITATION,
        (*_means(main), *_correlations(main), *_properties(main)),
        extras=(_spreads(main), _ties(main), _recalibrated(main), *_readings(frame)),
        errata=ERRATA,
        notes=NOTES,
    )


def _means(own: pl.DataFrame) -> list[Cell]:
    cells = []
    for value, printed in MEANS.items():
        ours = samples(own, "data", "scheme", value)
        cells += compare_means(
            printed,
            ours,
            runs=RUNS,
            spread_divisor=1.96,
            reasons=partial(why, value),
        )
    return cells


def _correlations(main: pl.DataFrame) -> list[Cell]:
    cells = []
    for printed, first, second in CORRELATIONS:
        for (data, learner), own in main.group_by(["data", "scheme"], maintain_order=True):
            place = (str(data), str(learner))
            cells.append(
                Cell.of_correlations(
                    (printed.label, *place),
                    printed.quantity,
                    printed[place],
                    _correlation(own[first].to_numpy(), own[second].to_numpy()),
                    runs=(len(own), RUNS),
                    reason=why(printed.label, *place),
                )
            )
    return cells


def _correlation(a: Any, b: Any) -> float:
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def _properties(main: pl.DataFrame) -> list[Cell]:
    cells = []
    for data in dict.fromkeys(main["data"]):
        table = table_of(data)
        train = 2 * len(table.y) // 3
        ours = (train, len(table.y) - train, len(table.columns), len(table.classes))
        for column, value in zip(printed_in.PROPERTIES.columns, ours, strict=True):
            place = (printed_in.PROPERTIES.label, data, column)
            cells.append(Cell.of_exact(place, column, printed_in.PROPERTIES[data, column], value))
    return cells


def _spreads(main: pl.DataFrame) -> Extra:
    """The spread of single runs beside the interval of the mean, which the paper takes for each other."""
    columns: dict[str, list[Any]] = {"data": [], "learner": []}
    parts = {value: samples(main, "data", "scheme", value) for value in MEANS}
    for data, learner in parts["accuracy"]:
        columns["data"].append(data)
        columns["learner"].append(learner)
    for value, own in parts.items():
        columns[value] = [round(sample.mean, 3) for sample in own.values()]
        columns[f"± run ({value})"] = [_rounded(1.96 * sample.deviation) for sample in own.values()]
        columns[f"± mean ({value})"] = [_rounded(1.96 * sample.error) for sample in own.values()]
    note = (
        "± run: where 95 % of single runs lie; ± mean: the interval of the mean. The paper prints the first."
    )
    return Extra("Spread of single runs, and interval of the mean", columns, note)


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 3)


def _ties(main: pl.DataFrame) -> Extra:
    """Miscalibration when cells are cut through equal probabilities, and when those stay together."""
    cut = samples(main, "data", "scheme", "miscalibration")
    together = samples(main, "data", "scheme", "together")
    places = list(cut)
    return Extra(
        "Miscalibration by both rules for equal probabilities",
        {
            "data": [data for data, _ in places],
            "learner": [learner for _, learner in places],
            "published": [MEANS["miscalibration"][place].value for place in places],
            "cut through ties": [round(cut[place].mean, 3) for place in places],
            "ties together": [round(together[place].mean, 3) for place in places],
        },
        "Where they differ much, the published number measures the order of the rows and not calibration.",
    )


def _recalibrated(main: pl.DataFrame) -> Extra:
    """What one temperature, learnt on the training cases, does to each learner: the paper's future work."""
    rows: dict[str, list[Any]] = {
        "learner": [],
        "reward": [],
        "recalibrated": [],
        "better on": [],
        "worse on": [],
    }
    for (learner,), own in main.group_by(["scheme"], maintain_order=True):
        per_set = own.group_by("data", maintain_order=True).agg(
            pl.col("reward", "recalibrated_reward").mean()
        )
        change = (per_set["recalibrated_reward"] - per_set["reward"]).to_numpy()
        rows["learner"].append(learner)
        rows["reward"].append(round(float(per_set["reward"].to_numpy().mean()), 3))
        rows["recalibrated"].append(round(float(per_set["recalibrated_reward"].to_numpy().mean()), 3))
        rows["better on"].append(int((change > 0).sum()))
        rows["worse on"].append(int((change < 0).sum()))
    note = "Mean reward over the data sets, in bits; temperature scaling learnt out of fold on the training cases."
    return Extra("Beyond the paper: the reward after recalibration", rows, note)


def _readings(frame: pl.DataFrame) -> list[Extra]:
    def inside(own: pl.DataFrame) -> dict[str, str]:
        return {f"inside ±, {value}": _inside(own, value) for value in ("accuracy", "reward")}

    return compare_readings(frame, _means, NEAREST, printed_in.ACCURACY.label, inside)


def _inside(own: pl.DataFrame, value: str) -> str:
    """Count means of ours that lie within the published mean and its ±."""
    ours: dict[tuple[str, str], Sample] = samples(own, "data", "scheme", value)
    printed = MEANS[value]
    inside = [
        abs(s.mean - printed[p].value) <= (printed[p].spread or 0) + 10.0 ** -printed[p].decimals / 2
        for p, s in ours.items()
    ]
    return f"{sum(inside)} of {len(inside)}"
