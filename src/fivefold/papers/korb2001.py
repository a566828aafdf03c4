"""Korb, Hope and Hughes (2001): information reward and calibration of five learners."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations, product
from math import inf, isnan, log, nan, sqrt
from statistics import median
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import entr
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from fivefold import bets
from fivefold.bets.recalibration import Map, fit_map
from fivefold.data.discretise import Quantiles
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.bayes.one_r import DecisionStump
from fivefold.learners.mml.graph import MMLGraph
from fivefold.learners.mml.tree import MMLTree
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.claims import ALPHA, Decision, Sought, Test
from fivefold.papers.comparison import (
    Cell,
    Extra,
    Outcome,
    columns_of,
    compare_means,
    compare_readings,
    correlation,
    count_marks,
    nearest_only,
    samples,
)
from fivefold.papers.experiment import DEFAULT, Paper, Readings, Settings, split_jobs, split_rows, table_of
from fivefold.papers.printed import read_published
from fivefold.study.job import Job, task
from fivefold.training.class_alignment import predicted_probabilities
from fivefold.training.fit_predict import fit_to_rows

Array: TypeAlias = NDArray[Any]
PUBLISHED = read_published("korb2001")
DATA = PUBLISHED["properties"].rows
_QUICK_DATA = ("BC", "G2", "GL", "HD", "HE", "IR", "LA", "LY", "SO", "V1", "VO")
_QUICK_READINGS = ("HE", "IR", "LA")
_QUICK_RUNS = 4  # the fewest of which a correlation is compared


class MissingAsValue(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make missing a value of its own in every nominal column."""

    def fit(self, X: pl.DataFrame, y: object = None) -> MissingAsValue:
        """Learn nothing."""
        self.n_features_in_ = X.width
        return self

    def transform(self, X: pl.DataFrame) -> pl.DataFrame:
        """Fill what is missing with a question mark."""
        names = [name for name, kind in X.schema.items() if not kind.is_numeric()]
        return X.with_columns(pl.col(names).cast(pl.String).fill_null("?"))


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
        "m=n, missing a value": make_pipeline(MissingAsValue(), NaiveBayes(m="n")),
        "m=n, 8 intervals": make_pipeline(Quantiles(8), NaiveBayes(m="n")),
        "m=n, missing a value, 8 intervals": make_pipeline(Quantiles(8), MissingAsValue(), NaiveBayes(m="n")),
        "m=0": NaiveBayes(m=0.0),
        "m=k": NaiveBayes(m="k"),
        "equal width": NaiveBayes(numeric="equal_width"),
        "gaussian": NaiveBayes(numeric="gaussian"),
    },
    "DStump": {
        DEFAULT: DecisionStump(),
        "leaf_alpha=1": DecisionStump(leaf_alpha=1.0),
        "8 intervals": make_pipeline(Quantiles(8), DecisionStump()),
    },
}
# The reading of each learner that comes nearest over all data sets; the tables show it.
NEAREST: Mapping[str, str] = {
    "C4.5": DEFAULT,
    "MML Tree": "alpha=auto",
    "MML Graph": "alpha=auto",
    "Naive Bayes": "m=n, missing a value, 8 intervals",
    "DStump": DEFAULT,
}
# The order of the test cases that comes nearest to Table 3, which hangs on it.
ORDERS = ("file", "reversed", "shuffled")
NEAREST_ORDER: Mapping[str, str] = {
    "C4.5": "shuffled",
    "MML Tree": "shuffled",
    "MML Graph": "shuffled",
    "Naive Bayes": "file",
    "DStump": "reversed",
}
SIMPLE = ("Naive Bayes", "DStump")


def jobs(settings: Settings) -> list[Job]:
    """Give a job for each data set, reading of a learner, and split; a quick run tries readings on few."""
    make = partial(split_jobs, "korb2001.split", READINGS, NEAREST, for_shown={"recalibrate": True})
    if not settings.quick:
        return make(DATA, PUBLISHED.runs, settings)
    readings = make(_QUICK_READINGS, 3, replace(settings, quick=False))
    others = [job for job in readings if job.labels["variant"] != NEAREST[str(job.labels["scheme"])]]
    return make(_QUICK_DATA, _QUICK_RUNS, settings) + others


@task("korb2001.split", version=2)
def bet(params: Mapping[str, Any], seed: int) -> dict[str, float | None]:
    """Train on two thirds and bet on the rest; miscalibration in three orders of the test cases."""
    table = table_of(params["data"])
    n_train = 2 * len(table.y) // 3
    train, test = split_rows(params["data"], n_train, params["splits"], params["split"])
    model = fit_to_rows(params["model"], table.X, table.y, np.sort(train))
    classes, truth = np.unique(table.y), table.y[test]
    stated = predicted_probabilities(model, table.X[test], classes)
    values = _judge(truth, stated, classes, n_train)
    for order, rows in zip(ORDERS, (np.argsort(test), np.argsort(-test), np.arange(len(test))), strict=True):
        values[order] = _cut(truth[rows], stated[rows], classes)
    if not params.get("recalibrate", False):
        return values
    X, y = table.X[np.sort(train)], table.y[np.sort(train)]
    scaled = _scale(params["model"], X, y, classes)(stated)
    learnt = {
        "recalibrated": scaled,
        "incremental": bets.recalibrate_in_order(truth, stated, classes=classes),
    }
    for name, prob in learnt.items():
        values[f"{name}_reward"] = _judge(truth, prob, classes, n_train)["reward"]
    return values | _ranking(truth, stated, classes)


def _judge(truth: Array, prob: Array, classes: Array, n_train: int) -> dict[str, float | None]:
    return {
        "accuracy": float(np.mean(classes[np.argmax(prob, axis=1)] == truth)),
        "reward": bets.information_reward(truth, prob, classes=classes, clip=n_train),
        "together": bets.miscalibration(truth, prob, classes=classes, ties="together"),
    }


def _cut(truth: Array, prob: Array, classes: Array) -> float:
    with warnings.catch_warnings():
        # cutting through ties is what the paper did
        warnings.filterwarnings("ignore", message=".*cuts through", category=UserWarning)
        return bets.miscalibration(truth, prob, classes=classes, ties="paper")


def _ranking(truth: Array, prob: Array, classes: Array) -> dict[str, float | None]:
    """Give the area under the ROC curve and the lift of the first tenth; None where all cases are of one class."""
    if len(np.unique(truth)) < 2:
        return {"auc": None, "lift": None}
    # of several classes the most frequent is the event; of two the second
    labels, counts = np.unique(truth, return_counts=True)
    event = classes[1] if len(classes) == 2 else labels[np.argmax(counts)]
    lifted = bets.lift(truth, prob, classes=classes, event=event)
    return {"auc": bets.auc(truth, prob, classes=classes), "lift": lifted}


def _scale(model: Any, X: Any, y: Array, classes: Array) -> Map:
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
    ordered = _in_order(frame, NEAREST_ORDER)
    shown = nearest_only(ordered, NEAREST)
    return Outcome.of(
        PUBLISHED,
        (*_means(shown), *_correlations(shown), *_properties(shown)),
        extras=(
            *_orders(nearest_only(frame, NEAREST)),
            _ties(shown),
            _recalibrated(shown),
            _rankings(shown),
            *compare_readings(ordered, _means, NEAREST, PUBLISHED["accuracy"].label, _further),
            _by_data(ordered),
        ),
    )


def _in_order(frame: pl.DataFrame, orders: Mapping[str, str]) -> pl.DataFrame:
    """Take each learner's miscalibration in one order of the test cases."""
    chosen = [pl.when(scheme=scheme).then(pl.col(order)) for scheme, order in orders.items()]
    return frame.with_columns(pl.coalesce(chosen).alias("miscalibration"))


def _orders(shown: pl.DataFrame) -> list[Extra]:
    """Count the cells that agree in each order of the test cases, by learner."""
    rows = []
    for learner, order in product(dict.fromkeys(shown["scheme"]), ORDERS):
        runs = _in_order(shown.filter(scheme=learner), {learner: order})
        cells = [*_means(runs), *_correlations(runs)]
        row = {"learner": learner, "order": order + (" (shown)" if NEAREST_ORDER[learner] == order else "")}
        for name in ("miscalibration", "reward_miscalibration", "accuracy_miscalibration"):
            counts = count_marks(cell for cell in cells if cell.table == PUBLISHED[name].label)
            row[PUBLISHED[name].label] = f"{counts['agrees']} of {counts['agrees'] + counts['differs']}"
        rows.append(row)
    note = "Cells that agree with the test cases in the order of the file, in the reverse, and shuffled."
    return [Extra("Order of the test cases, on which Table 3 hangs", columns_of(rows), note)]


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
            own, ours = (printed.label, *place), (runs[first].to_numpy(), runs[second].to_numpy())
            quantity, number = printed.quantity, printed[place]
            cells.append(Cell.of_correlations(own, quantity, number, ours, runs=PUBLISHED.runs))
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


def _ties(shown: pl.DataFrame) -> Extra:
    """Miscalibration with cells cut through equal probabilities in three orders, and with those together."""
    means = shown.group_by("data", "scheme", maintain_order=True).agg(
        pl.col(*ORDERS, "together").mean().round(3)
    )
    published = [PUBLISHED["miscalibration"][row[:2]].value for row in means.select("data", "scheme").rows()]
    columns = means.insert_column(2, pl.Series("published", published)).to_dict(as_series=False)
    note = "Where the orders differ much, the published number measures the order of the rows and not calibration."
    return Extra("Miscalibration in three orders, and with equal probabilities together", columns, note)


def _recalibrated(shown: pl.DataFrame) -> Extra:
    """What one temperature does to each learner, learnt on the training cases or as answers become known."""
    rows = []
    for (learner,), runs in shown.group_by(["scheme"], maintain_order=True):
        means = runs.group_by("data").agg(pl.col("^(.*_)?reward$").mean())
        row: dict[str, Any] = {"learner": learner, "reward": round(means["reward"].to_numpy().mean(), 3)}
        for name in ("recalibrated", "incremental"):
            again = means[f"{name}_reward"]
            row[name] = round(again.to_numpy().mean(), 3)
            row[f"{name}: better on"] = f"{(again > means['reward']).sum()} of {len(means)}"
        rows.append(row)
    note = (
        "Mean reward over the data sets, in bits, with one temperature. Recalibrated: learnt out of fold on the "
        "training cases; incremental: learnt anew after 10, 20, 40, … test cases from those before."
    )
    return Extra("Beyond the paper: the reward after recalibration", columns_of(rows), note)


def _rankings(shown: pl.DataFrame) -> Extra:
    """Compare the reward with the area under the ROC curve and with lift: the paper's future work."""
    rows = []
    for name in ("accuracy", "auc", "lift"):
        ranked = shown.drop_nulls(name)
        within = [correlation(runs["reward"], runs[name]) for _, runs in ranked.group_by(["data", "scheme"])]
        known = [r for r in within if not isnan(r)]
        means = ranked.group_by("data", "scheme", maintain_order=True).agg(pl.col("reward", name).mean())
        signs = [
            np.sign(a["reward"] - b["reward"]) * np.sign(a[name] - b[name])
            for _, own in means.group_by(["data"])
            for a, b in combinations(own.to_dicts(), 2)
        ]
        rows.append(
            {
                "reward against": _IN_WORDS.get(name, name),
                "median correlation over runs": round(median(known), 2) if known else "",
                "pairs of learners in another order": f"{signs.count(-1)} of {len(signs)}",
            }
        )
    note = (
        "Pairs: the two means on a data set put two learners in opposite orders. "
        "Area and lift (second of two classes, or the most frequent of several) see no calibration."
    )
    return Extra("Beyond the paper: reward against ROC and lift", columns_of(rows), note)


_IN_WORDS = {"auc": "area under the ROC curve", "lift": "lift of the first tenth"}


def _by_data(frame: pl.DataFrame) -> Extra:
    """Name for each reading and data set the tables whose cells differ."""
    rows = []
    for (scheme, variant), own in frame.group_by(["scheme", "variant"], maintain_order=True):
        differ = dict.fromkeys(frame["data"], "–") | dict.fromkeys(own["data"], "")
        for cell in _means(own):
            differ[cell.row] += cell.table[-1] if cell.mark == "differs" else ""
        rows.append({"scheme": scheme, "reading": variant, **differ})
    note = (
        "1, 2, 3: accuracy, reward or miscalibration differs; empty where all agree, – where it was not run."
    )
    return Extra("Readings, data set by data set", columns_of(rows), note)


def _further(runs: pl.DataFrame) -> dict[str, str]:
    marks = count_marks(_correlations(runs))
    agree = f"{marks['agrees']} of {marks['agrees'] + marks['differs']}"
    return {f"inside ±, {value}": _inside(runs, value) for value in MEANS[:2]} | {"Tables 4 to 6": agree}


def _inside(runs: pl.DataFrame, value: str) -> str:
    """Count means of ours that lie within the published mean and its ±."""
    inside = []
    for place, sample in samples(runs, "data", "scheme", value).items():
        number = PUBLISHED[value][place]
        allowed = (number.spread or 0) + 10.0**-number.decimals / 2
        inside.append(abs(sample.mean - number.value) <= allowed)
    return f"{sum(inside)} of {len(inside)}"


Runs: TypeAlias = Mapping[str, Mapping[str, pl.DataFrame]]


def _runs(frame: pl.DataFrame) -> Runs:
    """Give the runs that are shown by data set and learner; those splits that all learners have."""
    shown = nearest_only(_in_order(frame, NEAREST_ORDER), NEAREST).sort("split")
    whole = shown.filter(pl.len().over("data", "split") == len(NEAREST))
    return {
        str(data): {learner: own.filter(scheme=learner) for learner in NEAREST}
        for (data,), own in whole.group_by(["data"], maintain_order=True)
    }


def _glass(value: str, sign: int) -> Callable[[pl.DataFrame], list[Sought]]:
    """Compare C4.5 with the others on GL, split by split."""

    def seek(frame: pl.DataFrame) -> list[Sought]:
        runs = {learner: own[value].to_numpy() for learner, own in _runs(frame).get("GL", {}).items()}
        gaps = {name: sign * (own - runs["C4.5"]) for name, own in runs.items() if name != "C4.5"}
        return [Sought.of_mean(name, gap, above=0) for name, gap in gaps.items()]

    return seek


def _worst_on_glass(frame: pl.DataFrame) -> list[Sought]:
    """Compare the rewards on GL, and the accuracy of C4.5 with the mean of the others."""
    runs = {name: own["accuracy"].to_numpy() for name, own in _runs(frame).get("GL", {}).items()}
    if not runs:
        return []
    lead = runs.pop("C4.5") - np.mean(list(runs.values()), axis=0)
    accuracy = Sought.of_mean("accuracy, C4.5's less the others' mean", lead, above=0)
    return [*_glass("reward", 1)(frame), accuracy]


def _contradictions(frame: pl.DataFrame) -> Decision:
    """Count pairs of learners that accuracy and reward put in opposite orders, both beyond chance."""
    pairs = [(data, own, *pair) for data, own in _runs(frame).items() for pair in combinations(NEAREST, 2)]
    named = []
    for data, own, a, b in pairs:
        gaps = [Sought.of_mean(a, (own[a][value] - own[b][value]), above=0) for value in MEANS[:2]]
        if {gap.at(1 - ALPHA / (2 * len(pairs))).holds for gap in gaps} == {True, False}:
            named.append(f"{a} and {b} on {data}")
    what = f"pairs in opposite orders, of {len(pairs)}:"
    # that no pair is proven to be one does not prove that there is none
    count = [Sought.of_estimate(what, len(named), 0.0 if named else inf, above=0.5)] if pairs else []
    return Decision("", count, f"They are: {'; '.join(named)}." if named else "")


def _pattern(statistic: Callable[[pl.DataFrame], float], most: float = 1, **side: float) -> Test:
    """Average over the data sets what the runs of each learner say, which lies between -`most` and `most`."""

    def seek(frame: pl.DataFrame) -> list[Sought]:
        values = {learner: [statistic(own[learner]) for own in _runs(frame).values()] for learner in NEAREST}
        known = {learner: [value for value in own if not isnan(value)] for learner, own in values.items()}
        return [Sought.of_mean(n, own, **side).cut(-most, most) for n, own in known.items() if own]

    return seek


def _correlated(first: str, second: str, **side: float) -> Test:
    return _pattern(lambda runs: correlation(runs[first], runs[second]), **side)


def _stronger(runs: pl.DataFrame) -> float:
    """Give by how much accuracy goes with the reward more closely than against miscalibration."""
    ra, _, am = (correlation(runs[a], runs[b]) for a, b in CORRELATIONS)
    return ra + am


def _partial(runs: pl.DataFrame) -> float:
    """Give the correlation of reward and miscalibration when accuracy is held fixed."""
    ra, rm, am = (correlation(runs[a], runs[b]) for a, b in CORRELATIONS)
    rest = (1 - ra**2) * (1 - am**2)
    return (rm - ra * am) / sqrt(rest) if rest > 1e-12 else nan


def _simple(value: str, sign: int) -> Test:
    """Count data sets, for the numbers are not of one scale: the two simple learners against the other three."""

    def seek(frame: pl.DataFrame) -> list[Sought]:
        means = [{name: own[value].mean() for name, own in runs.items()} for runs in _runs(frame).values()]
        table = pl.DataFrame(means, schema=list(NEAREST))
        gaps = sign * (table.select(SIMPLE) - table.drop(SIMPLE).mean_horizontal())
        hits = {name: int((gaps[name] > 0).sum()) for name in SIMPLE if len(gaps)}
        return [Sought.of_share(name, own, len(gaps), above=0.5) for name, own in hits.items()]

    return seek


def _proper(frame: pl.DataFrame) -> list[Sought]:
    """The expected reward at the true chance less the best at any other probability."""
    grid = np.arange(1, 100) / 100
    expected = np.outer(np.log2(grid), grid) + np.outer(np.log2(1 - grid), 1 - grid)
    best = expected.diagonal().copy()
    np.fill_diagonal(expected, -np.inf)
    return [Sought.of_exact("loss", float((best - expected.max(axis=0)).min()), above=0)]


def _knowledge(frame: pl.DataFrame) -> list[Sought]:
    """The expected reward where the stated probability of the likelier class is its chance, from 0.5 to 1."""
    chances = np.arange(50, 101) / 100
    rewards = 1 - entr([chances, 1 - chances]).sum(axis=0) / log(2)
    return [
        Sought.of_exact("least rise", float(np.diff(rewards).min()), above=0),
        Sought.of_exact("in ignorance", float(rewards[0]), above=-0.01, below=0.01),
        Sought.of_exact("in certainty", float(rewards[-1]), above=0.99, below=1.01),
    ]


TESTS: Mapping[str, Test] = {
    "glass": _worst_on_glass,
    "glass_cause": _glass("miscalibration", -1),
    "disagree": _contradictions,
    "follows": _correlated("reward", "accuracy", above=0),
    "accuracy_calibration": _correlated("accuracy", "miscalibration", below=0),
    "stronger": _pattern(_stronger, most=2, above=0),
    "reward_calibration": _correlated("reward", "miscalibration", below=0),
    "adds": _pattern(_partial, below=0),
    "simple": _simple("miscalibration", 1),
    "simple_together": _simple("together", 1),
    "worse": _simple("reward", -1),
    "proper": _proper,
    "knowledge": _knowledge,
}
PAPER = Paper(PUBLISHED, jobs, report, DATA, TESTS)
