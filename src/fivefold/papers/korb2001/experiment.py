"""The experiment of Korb, Hope and Hughes.

Five learners on random splits of two thirds, judged as gamblers.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold

from fivefold import bets
from fivefold.bets.recalibration import Map, fit_map
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.bayes.one_r import DecisionStump
from fivefold.learners.mml.graph import MMLGraph
from fivefold.learners.mml.tree import MMLTree
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.korb2001.published import DATA, RUNS
from fivefold.papers.readings import DEFAULT, Readings, split_jobs
from fivefold.papers.settings import Settings
from fivefold.papers.splits import split_rows, table_of
from fivefold.study.job import Job, task

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
    data, runs = (_QUICK_DATA, _QUICK_RUNS) if settings.quick else (DATA, RUNS)
    return split_jobs("korb2001.split", READINGS, NEAREST, data, runs, settings, {"recalibrate": True})


@task("korb2001.split")
def judge(params: Mapping[str, Any], seed: int) -> dict[str, float | None]:
    """Train on two thirds and bet on the rest, in the order of the file."""
    table = table_of(params["data"])
    n_train = 2 * len(table.y) // 3
    train, test = map(np.sort, split_rows(params["data"], n_train, params["splits"], params["split"]))
    model = clone(params["model"]).fit(table.X[train], table.y[train])
    classes, truth = np.unique(table.y), table.y[test]
    stated = _over(classes, model, table.X[test])
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


def _over(classes: NDArray[Any], model: Any, X: Any) -> NDArray[np.float64]:
    """Give probabilities for all classes of the data set, also those that are absent from the training cases."""
    prob = np.zeros((len(X), len(classes)))
    prob[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    return prob


def _scale(model: Any, X: Any, y: NDArray[Any], classes: NDArray[Any]) -> Map:
    """Learn one temperature for the log odds from answers to training cases that were left out in turn."""
    out_of_fold = np.empty((len(y), len(classes)))
    for fit, rest in KFold(5, shuffle=True, random_state=0).split(y):
        out_of_fold[rest] = _over(classes, clone(model).fit(X[fit], y[fit]), X[rest])
    return fit_map("temperature", out_of_fold, np.searchsorted(classes, y).astype(np.int32))
