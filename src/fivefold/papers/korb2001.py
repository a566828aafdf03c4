"""Korb, Hope and Hughes (2001): information reward and calibration of five learners."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from fivefold import bets
from fivefold.bets.recalibration import Map, fit_map
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.bayes.one_r import DecisionStump
from fivefold.learners.mml.graph import MMLGraph
from fivefold.learners.mml.tree import MMLTree
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.comparison import (
    Cell,
    Extra,
    Outcome,
    columns_of,
    compare_means,
    compare_readings,
    correlation,
    nearest_only,
    samples,
)
from fivefold.papers.experiment import DEFAULT, Paper, Readings, Settings, split_jobs, split_rows, table_of
from fivefold.papers.printed import read_published
from fivefold.study.job import Job, task
from fivefold.training.class_alignment import predicted_probabilities
from fivefold.training.fit_predict import fit_to_rows

PUBLISHED = read_published("korb2001")
DATA = PUBLISHED["properties"].rows
_QUICK_DATA = ("BC", "G2", "GL", "HD", "HE", "IR", "LA", "LY", "SO", "V1", "VO")
_QUICK_RUNS = 10

# What the descriptions leave open, each choice on all data sets at once.
READINGS: Readings = {
    "C4.5": {DEFAULT: C45Tree(), "unpruned": C45Tree(prune=False)},
    "MML Tree": {
        DEFAULT: MMLTree(),
        "alpha=.5": MMLTree(alpha=0.5),
        "alpha=auto": MMLTree(alpha="auto"),
        "lookahead=2": MMLTree(lookahead=2),
        "cut_code=uniform": MMLTree(cut_code="uniform"),
    },
    "MML Graph": {
        DEFAULT: MMLGraph(),
        "alpha=.5": MMLGraph(alpha=0.5),
        "alpha=auto": MMLGraph(alpha="auto"),
        "cut_code=uniform": MMLGraph(cut_code="uniform"),
    },
    "Naive Bayes": {
        DEFAULT: NaiveBayes(),
        "m=n": NaiveBayes(m="n"),
        "m=n, equal width": NaiveBayes(m="n", numeric="equal_width"),
        "m=0": NaiveBayes(m=0.0),
        "m=k": NaiveBayes(m="k"),
        "equal width": NaiveBayes(numeric="equal_width"),
        "gaussian": NaiveBayes(numeric="gaussian"),
    },
    "DStump": {DEFAULT: DecisionStump(), "leaf_alpha=1": DecisionStump(leaf_alpha=1.0)},
}
# The reading of each learner that comes nearest over all data sets; the tables show it.
NEAREST: Mapping[str, str] = {
    "C4.5": DEFAULT,
    "MML Tree": "alpha=auto",
    "MML Graph": "alpha=auto",
    "Naive Bayes": "m=n",
    "DStump": DEFAULT,
}


def jobs(settings: Settings) -> list[Job]:
    """Give a job for each data set, reading of a learner, and split."""
    data, runs = (_QUICK_DATA, _QUICK_RUNS) if settings.quick else (DATA, PUBLISHED.runs)
    return split_jobs("korb2001.split", READINGS, NEAREST, data, runs, settings, {"recalibrate": True})


@task("korb2001.split")
def judge(params: Mapping[str, Any], seed: int) -> dict[str, float | None]:
    """Train on two thirds and bet on the rest, in the order of the file."""
    table = table_of(params["data"])
    n_train = 2 * len(table.y) // 3
    train, test = map(np.sort, split_rows(params["data"], n_train, params["splits"], params["split"]))
    model = fit_to_rows(params["model"], table.X, table.y, train)
    classes, truth = np.unique(table.y), table.y[test]
    stated = predicted_probabilities(model, table.X[test], classes)
    values = _judge(truth, stated, classes, n_train)
    if not params.get("recalibrate", False):
        return values
    again = _scale(params["model"], table.X[train], table.y[train], classes)(stated)
    return values | {f"recalibrated_{name}": v for name, v in _judge(truth, again, classes, n_train).items()}


def _judge(
    truth: NDArray[Any], prob: NDArray[np.float64], classes: NDArray[Any], n_train: int
) -> dict[str, float | None]:
    right = classes[np.argmax(prob, axis=1)] == truth
    with warnings.catch_warnings():
        # cutting through ties is what the paper did
        warnings.filterwarnings("ignore", message=".*cuts through", category=UserWarning)
        cut = bets.miscalibration(truth, prob, classes=classes, ties="paper")
    return {
        "accuracy": float(np.mean(right)),
        "reward": bets.information_reward(truth, prob, classes=classes, clip=n_train),
        "miscalibration": cut,
        "together": bets.miscalibration(truth, prob, classes=classes, ties="together"),
    }


def _scale(model: Any, X: Any, y: NDArray[Any], classes: NDArray[Any]) -> Map:
    """Learn one temperature for the log odds from answers to training cases that were left out in turn."""
    out_of_fold = np.empty((len(y), len(classes)))
    for taught, rest in KFold(5, shuffle=True, random_state=0).split(y):
        fitted = fit_to_rows(model, X, y, taught)
        out_of_fold[rest] = predicted_probabilities(fitted, X[rest], classes)
    return fit_map("temperature", out_of_fold, np.searchsorted(classes, y).astype(np.int32))


MEANS = ("accuracy", "reward", "miscalibration")
CORRELATIONS = (("reward", "accuracy"), ("reward", "miscalibration"), ("accuracy", "miscalibration"))


def report(frame: pl.DataFrame) -> Outcome:
    """Make the outcome of finished jobs."""
    shown = nearest_only(frame, NEAREST)
    return Outcome.of(
        PUBLISHED,
        (*_means(shown), *_correlations(shown), *_properties(shown)),
        extras=(_spreads(shown), _ties(shown), _recalibrated(shown), *_readings(frame)),
    )


def _means(frame: pl.DataFrame) -> list[Cell]:
    cells = []
    for value in MEANS:
        ours = samples(frame, "data", "scheme", value)
        cells += compare_means(PUBLISHED[value], ours, runs=PUBLISHED.runs, spread_divisor=1.96)
    return cells


def _correlations(shown: pl.DataFrame) -> list[Cell]:
    cells = []
    for first, second in CORRELATIONS:
        printed = PUBLISHED[f"{first}_{second}"]
        for (data, learner), runs in shown.group_by(["data", "scheme"], maintain_order=True):
            place = (str(data), str(learner))
            ours = correlation(runs[first].to_numpy(), runs[second].to_numpy())
            counts = (len(runs), PUBLISHED.runs)
            own = (printed.label, *place)
            cells.append(Cell.of_correlations(own, printed.quantity, printed[place], ours, runs=counts))
    return cells


def _properties(shown: pl.DataFrame) -> list[Cell]:
    cells, printed = [], PUBLISHED["properties"]
    for data in dict.fromkeys(shown["data"]):
        table = table_of(data)
        n_train = 2 * len(table.y) // 3
        ours = (n_train, len(table.y) - n_train, len(table.columns), len(table.classes))
        for column, value in zip(printed.columns, ours, strict=True):
            cells.append(Cell.of_exact((printed.label, data, column), column, printed[data, column], value))
    return cells


def _spreads(shown: pl.DataFrame) -> Extra:
    """The spread of single runs beside the interval of the mean, which the paper takes for each other."""
    parts = {value: samples(shown, "data", "scheme", value) for value in MEANS}
    columns: dict[str, list[Any]] = _places(parts["accuracy"])
    for value, sampled in parts.items():
        columns[value] = [round(sample.mean, 3) for sample in sampled.values()]
        columns[f"± run ({value})"] = [_rounded(1.96 * sample.deviation) for sample in sampled.values()]
        columns[f"± mean ({value})"] = [_rounded(1.96 * sample.error) for sample in sampled.values()]
    note = (
        "± run: where 95 % of single runs lie; ± mean: the interval of the mean. The paper prints the first."
    )
    return Extra("Spread of single runs, and interval of the mean", columns, note)


def _places(sampled: Iterable[tuple[str, str]]) -> dict[str, list[Any]]:
    places = list(sampled)
    return {"data": [data for data, _ in places], "learner": [learner for _, learner in places]}


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 3)


def _ties(shown: pl.DataFrame) -> Extra:
    """Miscalibration when cells are cut through equal probabilities, and when those stay together."""
    cut = samples(shown, "data", "scheme", "miscalibration")
    together = samples(shown, "data", "scheme", "together")
    return Extra(
        "Miscalibration by both rules for equal probabilities",
        {
            **_places(cut),
            "published": [PUBLISHED["miscalibration"][place].value for place in cut],
            "cut through ties": [round(sample.mean, 3) for sample in cut.values()],
            "ties together": [round(together[place].mean, 3) for place in cut],
        },
        "Where they differ much, the published number measures the order of the rows and not calibration.",
    )


def _recalibrated(shown: pl.DataFrame) -> Extra:
    """What one temperature, learnt on the training cases, does to each learner: the paper's future work."""
    rows = []
    for (learner,), runs in shown.group_by(["scheme"], maintain_order=True):
        rewards = runs.group_by("data", maintain_order=True).agg(
            pl.col("reward", "recalibrated_reward").mean()
        )
        before, after = (rewards[name].to_numpy() for name in ("reward", "recalibrated_reward"))
        rows.append(
            {
                "learner": learner,
                "reward": round(float(before.mean()), 3),
                "recalibrated": round(float(after.mean()), 3),
                "better on": int((after > before).sum()),
                "worse on": int((after < before).sum()),
            }
        )
    note = "Mean reward over the data sets, in bits; temperature scaling learnt out of fold on the training cases."
    return Extra("Beyond the paper: the reward after recalibration", columns_of(rows), note)


def _readings(frame: pl.DataFrame) -> list[Extra]:
    def inside(runs: pl.DataFrame) -> dict[str, str]:
        return {f"inside ±, {value}": _inside(runs, value) for value in ("accuracy", "reward")}

    return compare_readings(frame, _means, NEAREST, PUBLISHED["accuracy"].label, inside)


def _inside(runs: pl.DataFrame, value: str) -> str:
    """Count means of ours that lie within the published mean and its ±."""
    inside = []
    for place, sample in samples(runs, "data", "scheme", value).items():
        number = PUBLISHED[value][place]
        allowed = (number.spread or 0) + 10.0**-number.decimals / 2
        inside.append(abs(sample.mean - number.value) <= allowed)
    return f"{sum(inside)} of {len(inside)}"


PAPER = Paper(PUBLISHED, jobs, report, DATA)
