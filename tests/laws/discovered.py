"""Every metric there is, and data that each of them can read."""

import inspect
from dataclasses import dataclass

import numpy as np
from hypothesis import settings

import fivefold.bets
import fivefold.bits
from fivefold.results import METRICS, all_metrics

VIEWS = (fivefold.bits, fivefold.bets)
PUBLIC = {name: getattr(view, name) for view in VIEWS for name in view.__all__}
ALL = sorted(all_metrics())
BY_PROBABILITY = [name for name in ALL if METRICS[name].reads == "probabilities"]
BY_ANSWER = [name for name in ALL if METRICS[name].reads == "answers"]
WITH_A_MODEL = [name for name in ALL if METRICS[name].reads != "truth"]

# every law is tried on every metric, so a third of the usual examples is plenty
a_few_times = settings(max_examples=settings().max_examples // 3)


@dataclass
class Cases:
    """True classes, and what a model said about them."""

    truth: np.ndarray
    answers: np.ndarray
    stated: np.ndarray
    classes: np.ndarray

    def rows(self, index):
        return Cases(self.truth[index], self.answers[index], self.stated[index], self.classes)

    def said(self, name):
        """Give what the metric reads beside the truth, as a list of arguments."""
        reads = METRICS[name].reads
        return {"truth": [], "answers": [self.answers], "probabilities": [self.stated]}[reads]


def draw(name, seed, n=60):
    """Draw cases of several classes, all of which occur, for a metric."""
    rng = np.random.default_rng(seed)
    k = 2 if METRICS[name].two_classes_only else int(rng.integers(2, 5))
    stated = rng.dirichlet(np.ones(k), size=n)
    truth = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    answers = np.where(rng.uniform(size=n) < 0.6, truth, rng.integers(k, size=n))
    return Cases(truth, answers, stated, np.arange(k))


def takes(name, option):
    return option in inspect.signature(METRICS[name].function).parameters


def score(name, cases, **options):
    return call(METRICS[name].function, name, cases, **options)


def details(name, cases, **options):
    return call(PUBLIC[f"{name}_details"], name, cases, **options)


def call(function, name, cases, **options):
    options = {"classes": cases.classes} | options
    return function(cases.truth, *cases.said(name), **options)
