"""The experiments of Bailey and Elkan: estimates of error beside the true error, which is known exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.ensemble import RandomForestClassifier

from fivefold import truth
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.foil.estimator import Foil
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.settings import Settings
from fivefold.study.job import Job, task
from fivefold.study.seeds import derive_seed

CONCEPTS = ("dnf1", "dnf1_star", "dnf2", "dnf3", "dnf4")
N_CASES = 100
N_SETS = 100
CHUNK = 10
N_RESAMPLES = 50
# 63, 80 and 126 are where the out-of-bag error of 100, 126 and 200 cases is to be drawn
SIZES = (20, 40, 63, 80, 100, 126, 160, 200)
N_CURVE = 10
METHODS: Mapping[str, Mapping[str, Any]] = {
    "cv": {"method": "loo"},
    "632": {"method": "632", "n_resamples": N_RESAMPLES},
    "eb": {"method": "bootstrap", "n_resamples": N_RESAMPLES},
}
FOIL = "FOIL"
# Nearest to the table over all concepts at once; FOIL 6 prunes clauses, which the paper does not speak of.
LEARNERS: Mapping[str, Any] = {
    FOIL: Foil(target=True, info="paper", pruning=False),
    "FOIL 6": Foil(target=True),
    "C4.5": C45Tree(),
    "naive Bayes": NaiveBayes(),
    "forest": RandomForestClassifier(n_estimators=25),
}
# A forest takes a thousand times as long as FOIL's batch kernel.
_SETS_OF_OTHERS = {"C4.5": 50, "naive Bayes": 50, "forest": 10}
_QUICK_SETS, _QUICK_SIZES = 30, (20, 63, 100, 160)


def jobs(settings: Settings) -> list[Job]:
    """Give the jobs: scatter plots, learning curves, and resamples with and without copies."""
    scatter = [
        _job(settings, "scatter", concept, name, N_CASES, chunk)
        for name in ([FOIL] if settings.quick else LEARNERS)
        for concept in CONCEPTS
        for chunk in range(_sets(settings, name) // CHUNK)
    ]
    sizes = _QUICK_SIZES if settings.quick else SIZES
    concepts = ("dnf1", "dnf1_star") if settings.quick else CONCEPTS
    curves = [_job(settings, "scatter", c, FOIL, n, -1 - n) for c in concepts for n in sizes if n != N_CASES]
    copies = [_job(settings, "copies", c, FOIL, n, 0) for c in ("dnf1", "dnf1_star") for n in sizes]
    return scatter + curves + copies


def _sets(settings: Settings, learner: str) -> int:
    whole = _SETS_OF_OTHERS.get(learner, N_SETS)
    return min(whole, _QUICK_SETS) if settings.quick else whole


def _job(settings: Settings, kind: str, concept: str, learner: str, n: int, chunk: int) -> Job:
    # the training sets of a concept are the same for all learners
    seed = derive_seed(settings.seed, kind, concept, n, chunk)
    params = {
        "concept": concept,
        "learner": LEARNERS[learner],
        "n": n,
        "sets": CHUNK,
        "resamples": N_RESAMPLES,
    }
    labels: dict[str, str | int] = {
        "kind": kind,
        "concept": concept,
        "learner": learner,
        "n": n,
        "chunk": chunk,
    }
    return Job(f"bailey1993.{kind}", params, seed, labels)


@task("bailey1993.scatter")
def scatter(params: Mapping[str, Any], seed: int) -> dict[str, list[float]]:
    """Draw training sets, learn, and give the true error and its estimates for each, in per cent."""
    found = truth.simulate(
        params["learner"],
        params["concept"],
        params["n"],
        methods=METHODS,
        n_repeats=params["sets"],
        random_state=seed,
    )
    estimates = {name: _per_cent(values) for name, values in found.estimates.items()}
    return {"err": _per_cent(found.true_error), **estimates}


@task("bailey1993.copies")
def copies(params: Mapping[str, Any], seed: int) -> dict[str, list[float]]:
    """Learn from training sets, from resamples, and from resamples without copies: true errors in per cent."""
    found = truth.multiset_errors(
        params["learner"],
        params["concept"],
        params["n"],
        n_repeats=params["sets"],
        n_resamples=params["resamples"],
        random_state=seed,
    )
    return {
        "whole": _per_cent(found.whole),
        "multisets": _per_cent(found.multisets.mean(axis=1)),
        "sets": _per_cent(found.sets.mean(axis=1)),
    }


def _per_cent(values: Any) -> list[float]:
    return [100.0 * float(value) for value in values]
