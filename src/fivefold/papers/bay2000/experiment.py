"""The three queries of Bay and Pazzani: where MC4 errs, and where two pairs of models differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from fivefold.papers.bay2000.finding import ENGINES, Found, agreement
from fivefold.papers.bay2000.models import TEST, TRAIN, inside
from fivefold.papers.bay2000.published import C5_RULES, OCCUPATIONS, QUERIES, STUCCO_RULES
from fivefold.papers.settings import Settings
from fivefold.papers.splits import known_as, table_of
from fivefold.study.job import Job, task
from fivefold.study.seeds import derive_seed

N_SAMPLES, SAMPLE_SIZE = 20, 5000
_SHOWN = 40


def jobs(settings: Settings) -> list[Job]:
    """Give a job for each query and engine; a quick run leaves out the neighbours and takes five samples."""
    queries = ("MC4 errors",) if settings.quick else QUERIES
    return [_job(settings, query, engine) for query in queries for engine in ENGINES]


def _job(settings: Settings, query: str, engine: str) -> Job:
    params = {
        "query": query,
        "engine": engine,
        "rows": [known_as(TRAIN), known_as(TEST)],
        "samples": 5 if settings.quick else N_SAMPLES,
    }
    seed = derive_seed(settings.seed, query, engine)
    return Job("bay2000.query", params, seed, {"query": query, "engine": engine})


@task("bay2000.query")
def ask(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Find the rules of one query with one engine, and how stable they are."""
    query, find = params["query"], ENGINES[params["engine"]]
    found = find(query, slice(None))
    agreements, unions = _stability(query, find, params["samples"], seed)
    agree = agreement(query)
    return {
        "agree": int(agree.sum()),
        "rules": len(found),
        "median_effect": float(np.median([abs(one.effect) for one in found])) if found else 0.0,
        "mean_size": float(np.mean([len(one.terms) for one in found])) if found else 0.0,
        "stability": float(np.mean(agreements)),
        "agreements": agreements,
        "unions": unions,
        "sentences": [one.sentence for one in found if one.sentence][:_SHOWN],
        "printed": _printed_rules(query, agree),
    }


def _stability(
    query: str, find: Callable[[str, Any], list[Found]], n_samples: int, seed: int
) -> tuple[list[float], list[int]]:
    """Give for each pair of samples the share of rules in common, and the number of rules of both together."""
    rng = np.random.default_rng(seed)
    sets = []
    for _ in range(n_samples):
        rows = np.sort(rng.choice(len(table_of(TEST).y), SAMPLE_SIZE, replace=False))
        sets.append({one.terms for one in find(query, rows)})
    unions = [len(a | b) for a, b in combinations(sets, 2)]
    both = [len(a & b) for a, b in combinations(sets, 2)]
    return [b / u if u else 1.0 for b, u in zip(both, unions, strict=True)], unions


def _printed_rules(query: str, agree: Any) -> list[dict[str, Any]]:
    """Measure our models in the areas that the paper's rules name."""
    printed = {"MC4 errors": (*STUCCO_RULES, *C5_RULES), "NB vs SP": OCCUPATIONS}.get(query, ())
    average = float(agree.mean())
    rows = []
    for rule in printed:
        own = agree[inside(rule.conditions)]
        rows.append(
            {
                "conditions": rule.conditions,
                "n": int(own.size),
                "difference": 100 * (float(own.mean()) - average),
                "effect": float(own.sum() - own.size * average),
            }
        )
    return rows
