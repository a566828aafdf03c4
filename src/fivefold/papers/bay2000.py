"""Bay and Pazzani (2000): characterizing model errors and differences."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from fivefold.data.conditions import Term
from fivefold.inputs.columns import Column, read_columns
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.bayes.super_parent import SuperParent
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.comparison import Cell, Extra, Figure, Outcome
from fivefold.papers.experiment import Paper, Settings, known_as, table_of
from fivefold.papers.printed import Printed, read_published
from fivefold.slices.engines import C5Engine
from fivefold.slices.find import find_differences, find_errors
from fivefold.study.job import Job, task
from fivefold.training.seeding import derive_seed

QUERIES = ("MC4 errors", "1NN vs 5NN", "NB vs SP")
PUBLISHED = read_published("bay2000")
# our names of the tables of printed rules, and the query that they belong to
RULE_TABLES = {"occupations": "NB vs SP", "stucco_rules": "MC4 errors", "c5_rules": "MC4 errors"}
N_CASES = 16_281
BINS = {
    "age": [25, 35, 45, 55],
    "hours-per-week": [20, 39, 45, 60],
    "capital-gain": [0, 3500, 7500, 10000],
    "capital-loss": [0, 1000, 1500, 2000],
}
TRAIN, TEST = "adult-train", "adult-test"
_MISSING = "?"


@lru_cache(maxsize=8)
def answers(model: str) -> NDArray[Any]:
    """Give what a model says of the test cases."""
    train, test = table_of(TRAIN), table_of(TEST)
    learner, seen = {
        "MC4": (C45Tree(missing="value"), binned),
        "1NN": (_neighbours(1), _filled),
        "5NN": (_neighbours(5), _filled),
        "NB": (NaiveBayes(), binned),
        "SP": (SuperParent(random_state=0), binned),
    }[model]
    predicted: NDArray[Any] = learner.fit(seen(train.X), train.y).predict(seen(test.X))
    return predicted


def _known(X: pl.DataFrame) -> pl.DataFrame:
    """Leave out what names a case: the sampling weight."""
    return X.drop("fnlwgt")


def _filled(X: pl.DataFrame) -> pl.DataFrame:
    """Make missing a value of its own."""
    return _known(X).with_columns(pl.col(pl.Enum).cast(pl.String).fill_null(_MISSING))


def binned(X: pl.DataFrame) -> pl.DataFrame:
    """Cut numbers as the paper does, before any learner sees them."""
    cuts = [pl.col(name).cut(list(map(float, at))).cast(pl.String) for name, at in BINS.items()]
    return _known(X).drop("education-num").with_columns(*cuts)


def _neighbours(k: int) -> Any:
    numeric = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    columns = make_column_transformer(
        (MinMaxScaler(), numeric), remainder=OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    )
    return make_pipeline(columns, KNeighborsClassifier(k, algorithm="brute"))


def inside(conditions: str) -> NDArray[np.bool_]:
    """Say which test cases meet conditions as they are written in the paper's file."""
    table = table_of(TEST)
    truth = np.ones(len(table.y), dtype=bool)
    for condition in conditions.split(" & "):
        name, _, value = condition.partition("=")
        truth &= _meets(table.y if name == "salary" else table.X[name].to_numpy(), value)
    return truth


def _meets(values: NDArray[Any], value: str) -> NDArray[np.bool_]:
    if value.startswith("("):
        low, high = map(float, value.strip("(]").split(","))
        return np.asarray((values > low) & (values <= high))
    return np.asarray(values == (float(value) if values.dtype.kind in "fiu" else value))


PAIRS = {"1NN vs 5NN": ("1NN", "5NN"), "NB vs SP": ("NB", "SP")}
Rows = Any  # row numbers, or a slice


@dataclass(frozen=True)
class Rule:
    """A rule: its terms, the cases beyond the average, and a sentence where there is one."""

    terms: frozenset[Term]
    effect: float
    sentence: str = ""


def agreement(query: str) -> NDArray[np.bool_]:
    """Say on which test cases the model is right, or the two models agree."""
    first, second = (
        (answers(n) for n in PAIRS[query]) if query in PAIRS else (answers("MC4"), table_of(TEST).y)
    )
    return np.asarray(first == second)


def stucco_rules(query: str, rows: Rows) -> list[Rule]:
    """Give what STUCCO shows."""
    table = table_of(TEST)
    X = table.X.drop("fnlwgt", "education-num")[rows]
    options: dict[str, Any] = {"bins": BINS, "missing_as_value": True, "summary": "paper"}
    if query in PAIRS:
        first, second = (answers(name)[rows] for name in PAIRS[query])
        slices = find_differences(X, first, second, names=PAIRS[query], **options)
    else:
        y_pred = answers("MC4")[rows]
        slices = find_errors(X, table.y[rows], y_pred, model="MC4", target="salary", **options)
    return [Rule(frozenset(part.terms), part.effect_size, part.sentence) for part in slices]


def c5_rules(query: str, rows: Rows) -> list[Rule]:
    """Give the rules of C5.0 as in the paper: costs balanced, -m chosen by the median effect, nothing tested."""
    table = table_of(TEST)
    X = binned(table.X)[rows]
    if query not in PAIRS:
        X = X.with_columns(pl.Series("salary", table.y[rows].astype(str)))
    columns, agree = read_columns(X), agreement(query)[rows]
    return [
        Rule(frozenset(terms), _effect(columns, agree, terms)) for terms in C5Engine().propose(columns, agree)
    ]


def _effect(columns: Sequence[Column], agree: NDArray[np.bool_], terms: Sequence[Term]) -> float:
    inside = reduce(np.logical_and, (term.holds(columns) for term in terms))
    return float(agree[inside].sum() - inside.sum() * agree.mean())


RULE_FINDERS = {"S": stucco_rules, "C5": c5_rules}


N_SAMPLES, SAMPLE_SIZE = 20, 5000
_SHOWN = 40


def jobs(settings: Settings) -> list[Job]:
    """Give a job for each query and engine; a quick run leaves out the neighbours and takes five samples."""
    queries = ("MC4 errors",) if settings.quick else QUERIES
    return [_job(settings, query, engine) for query in queries for engine in RULE_FINDERS]


def _job(settings: Settings, query: str, engine: str) -> Job:
    params = {
        "query": query,
        "engine": engine,
        "rows": [known_as(TRAIN), known_as(TEST)],
        "samples": 5 if settings.quick else N_SAMPLES,
    }
    seed = derive_seed(settings.random_state, query, engine)
    return Job("bay2000.query", params, seed, {"query": query, "engine": engine})


@task("bay2000.query")
def ask(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Find the rules of one query with one engine, and how stable they are."""
    query, find = params["query"], RULE_FINDERS[params["engine"]]
    rules = find(query, slice(None))
    agreements, unions = _stability(query, find, params["samples"], seed)
    agree = agreement(query)
    return {
        "agree": int(agree.sum()),
        "rules": len(rules),
        "median_effect": float(np.median([abs(rule.effect) for rule in rules])) if rules else 0.0,
        "mean_size": float(np.mean([len(rule.terms) for rule in rules])) if rules else 0.0,
        "stability": float(np.mean(agreements)),
        "agreements": agreements,
        "unions": unions,
        "sentences": [rule.sentence for rule in rules if rule.sentence][:_SHOWN],
        "printed": _printed_rules(query, agree),
    }


def _stability(
    query: str, find: Callable[[str, Any], list[Rule]], n_samples: int, seed: int
) -> tuple[list[float], list[int]]:
    """Give for each pair of samples the share of rules in common, and the number of rules of both together."""
    rng = np.random.default_rng(seed)
    sets = []
    for _ in range(n_samples):
        rows = np.sort(rng.choice(len(table_of(TEST).y), SAMPLE_SIZE, replace=False))
        sets.append({rule.terms for rule in find(query, rows)})
    unions = [len(a | b) for a, b in combinations(sets, 2)]
    both = [len(a & b) for a, b in combinations(sets, 2)]
    return [b / u if u else 1.0 for b, u in zip(both, unions, strict=True)], unions


def _printed_rules(query: str, agree: Any) -> list[dict[str, Any]]:
    """Measure our models in the areas that the paper's rules name."""
    average = float(agree.mean())
    rows = []
    for table in (table for table, of_query in RULE_TABLES.items() if of_query == query):
        for conditions in PUBLISHED[table].rows:
            cases = agree[inside(conditions)]
            rows.append(
                {
                    "conditions": conditions,
                    "n": int(cases.size),
                    "difference": 100 * (float(cases.mean()) - average),
                    "effect": float(cases.sum() - cases.size * average),
                }
            )
    return rows


Results: TypeAlias = Mapping[tuple[str, str], Mapping[str, Any]]
"""The numbers of each query and engine."""


def report(frame: pl.DataFrame) -> Outcome:
    """Make the outcome of finished jobs."""
    results = {(row["query"], row["engine"]): row for row in frame.to_dicts()}
    cells = (*_agreements(results), *_summary(results), *_rules(results))
    return Outcome.of(PUBLISHED, cells, [_stability_figure(results)], _sentences(results))


def _agreements(results: Results) -> list[Cell]:
    cells, printed = [], PUBLISHED["agreement"]
    for (query, column), number in printed.numbers.items():
        if (query, "S") not in results:
            continue
        agree = results[query, "S"]["agree"]
        share = agree / N_CASES
        ours, unit = (share, 1.0) if number.decimals else (float(agree), float(N_CASES))
        error = sqrt(2 * share * (1 - share) / N_CASES) * unit
        cells.append(Cell.of_estimate((printed.label, query, column), printed.quantity, number, ours, error))
    return cells


def _summary(results: Results) -> list[Cell]:
    cells, printed = [], PUBLISHED["summary"]
    for (name, column), number in printed.numbers.items():
        query, _, engine = column.rpartition(", ")
        if (query, engine) in results:
            place = (printed.label, name.replace("_", " "), column)
            ours = float(results[query, engine][name])
            cells.append(Cell.uncompared(place, printed.quantity, number, ours))
    return cells


def _rules(results: Results) -> list[Cell]:
    cells = []
    for table, query in RULE_TABLES.items():
        if (query, "S") not in results:
            continue
        row = results[query, "S"]
        measured = {area["conditions"]: area for area in json.loads(row["printed"])}
        for conditions in PUBLISHED[table].rows:
            cells += _compare(PUBLISHED[table], conditions, measured[conditions], row["agree"] / N_CASES)
    return cells


def _compare(printed: Printed, conditions: str, area: Mapping[str, Any], average: float) -> list[Cell]:
    share = min(max(area["difference"] / 100 + average, 0.0), 1.0)
    n = area["n"]
    # an area without any error, or without any right answer, still has an uncertain share: one case each is added
    smoothed = (share * n + 1) / (n + 2)
    error = sqrt(2 * smoothed * (1 - smoothed) / n)
    ours = ((area["difference"], 100 * error), (area["effect"], error * n))
    return [
        Cell.of_estimate(
            (printed.label, conditions, column), printed.quantity, printed[conditions, column], *value
        )
        for column, value in zip(printed.columns, ours, strict=True)
    ]


def _stability_figure(results: Results) -> Figure:
    columns: dict[str, list[Any]] = {"x": [], "y": [], "series": []}
    for engine, name in (("C5", "C5"), ("S", "STUCCO")):
        if ("MC4 errors", engine) in results:
            row = results["MC4 errors", engine]
            unions = json.loads(row["unions"])
            columns["x"] += json.loads(row["agreements"])
            columns["y"] += unions
            columns["series"] += [name] * len(unions)
    title = "Stability of C5 and STUCCO: pairs of rule sets from samples"
    note = "Each point is a pair of samples: the share of rules in common, and how many both have together."
    return Figure("Figure 2", title, columns, "agreement", "rules of both together", (), note)


def _sentences(results: Results) -> list[Extra]:
    note = "The most surprising first, as STUCCO's summary shows them."
    extras = []
    for (query, engine), row in results.items():
        sentences = json.loads(row["sentences"])
        if engine == "S" and sentences:
            extras.append(Extra(f"Rules in English: {query}", {"rule": sentences}, note))
    return extras


PAPER = Paper(PUBLISHED, jobs, report)
