"""Bay and Pazzani (2000): characterizing model errors and differences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import hypot, inf, isfinite, log, nan, sqrt
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from fivefold.data.conditions import Term, Within
from fivefold.inputs.columns import read_columns
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.bayes.super_parent import SuperParent
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.claims import Decision, Sought, Test
from fivefold.papers.comparison import Cell, Extra, Figure, Outcome, columns_of
from fivefold.papers.experiment import Paper, Settings, known_as, table_of
from fivefold.papers.printed import Printed, read_published
from fivefold.slices.engines import MIN_CASES, C5Engine
from fivefold.slices.find import find_differences, find_errors
from fivefold.slices.items import count_conjunctions
from fivefold.study.job import Job, task
from fivefold.training.seeds import derive_seed

QUERIES = ("MC4 errors", "1NN vs 5NN", "NB vs SP")
PUBLISHED = read_published("bay2000")
# our names of the tables of printed rules, and the query that they belong to
RULE_TABLES = {
    "occupations": "NB vs SP",
    "stucco_rules": "MC4 errors",
    "c5_rules": "MC4 errors",
    "text_errors": "MC4 errors",
    "text_differences": "NB vs SP",
}
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
    """A rule: its conditions in the words of the paper's file, the cases beyond the average, and a sentence."""

    terms: frozenset[str]
    effect: float
    sentence: str = ""


def _in_words(terms: Iterable[Term]) -> frozenset[str]:
    """Write terms of either engine, one cuts numbers itself, the other is given names of intervals, alike."""
    return frozenset(
        f"{term.column}=({term.low:g},{term.high:g}]"
        if isinstance(term, Within)
        else f"{term.column}={str(getattr(term, 'value', _MISSING)).replace(', ', ',')}"
        for term in terms
    )


def _printed_terms(conditions: str) -> frozenset[str]:
    """Read conditions of the paper's file; no gain and no loss are the lowest interval."""
    return frozenset(conditions.replace("=0", "=(-inf,0]").split(" & "))


def agreement(query: str) -> NDArray[np.bool_]:
    """Say on which test cases the model is right, or the two models agree."""
    first, second = (
        (answers(n) for n in PAIRS[query]) if query in PAIRS else (answers("MC4"), table_of(TEST).y)
    )
    return np.asarray(first == second)


def stucco_rules(query: str, rows: Rows, least: int) -> list[Rule]:
    """Give what STUCCO shows: conjunctions whose support shorter ones foretell but for `least` per cent."""
    table = table_of(TEST)
    X = table.X.drop("fnlwgt", "education-num")[rows]
    options: Any = {"bins": BINS, "missing_as_value": True, "summary": "paper", "correction": "layered"}
    options |= {"min_surprise": least / 100}
    if query in PAIRS:
        first, second = (answers(name)[rows] for name in PAIRS[query])
        slices = find_differences(X, first, second, names=PAIRS[query], **options)
    else:
        y_pred = answers("MC4")[rows]
        slices = find_errors(X, table.y[rows], y_pred, model="MC4", target="salary", **options)
    return [Rule(_in_words(part.terms), part.effect_size, part.sentence) for part in slices]


def c5_rules(query: str, rows: Rows, cost_power: float, min_cases: int) -> list[Rule]:
    """Give the rules of C5.0 at one setting; none where one of the two outcomes has no rule."""
    columns, agree = read_columns(_asked(query)[rows]), agreement(query)[rows]
    found = [tuple(terms) for terms in C5Engine((min_cases,), cost_power).propose(columns, agree)]
    counts = count_conjunctions(columns, agree, found)
    effects = counts[:, 1] - counts.sum(axis=1) * agree.mean()
    return [Rule(_in_words(terms), float(effect)) for terms, effect in zip(found, effects, strict=True)]


@lru_cache(maxsize=3)
def _asked(query: str) -> pl.DataFrame:
    """Give the attributes that a query is about, cut; the true class is one where errors are asked for."""
    table = table_of(TEST)
    X = binned(table.X)
    return X if query in PAIRS else X.with_columns(pl.Series("salary", table.y.astype(str)))


# costs of errors: inversely proportional to the class frequency as the paper says, its square root, and all equal
COSTS = {"printed": 1.0, "square root": 0.5, "equal": 0.0}
# how surprising a conjunction must be is not printed: half the least difference of supports, in %, or all of it
SURPRISES = (1, 2)
N_SAMPLES, SAMPLE_SIZE = 20, 5000
_QUICK_SAMPLES, _QUICK_LEAST = 8, (2, 5, 20, 80, 160)


def jobs(settings: Settings) -> list[Job]:
    """Give a job for each query with each setting of STUCCO and C5; a quick run takes fewer of C5."""
    least = _QUICK_LEAST if settings.quick else MIN_CASES
    # without costs only C5's own defaults are tried
    tried = [(costs, m) for costs, power in COSTS.items() for m in (least if power else least[:1])]
    return [
        _job(settings, query, *own)
        for query in QUERIES
        for own in [*(("S", "", least) for least in SURPRISES), *(("C5", *setting) for setting in tried)]
    ]


def _job(settings: Settings, query: str, engine: str, costs: str, least: int) -> Job:
    params = {
        "query": query,
        "engine": engine,
        "setting": [COSTS[costs], least] if costs else [least],
        "rows": [known_as(TRAIN), known_as(TEST)],
        "samples": _QUICK_SAMPLES if settings.quick else N_SAMPLES,
    }
    # all engines see the same samples, so that they can be compared within each
    seed = derive_seed(settings.random_state, query)
    labels: dict[str, str | int] = {"query": query, "engine": engine, "costs": costs, "least": least}
    # one process teaches the models of a query, which takes longer than to ask
    return Job("bay2000.query", params, seed, labels, group=query)


@task("bay2000.query", version=4)
def ask(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Find the rules of one query with one engine, and those of samples."""
    query, rng = params["query"], np.random.default_rng(seed)
    engines: dict[str, Callable[..., list[Rule]]] = {"S": stucco_rules, "C5": c5_rules}
    find = engines[params["engine"]]
    whole = find(query, slice(None), *params["setting"])
    drawn = (rng.choice(N_CASES, SAMPLE_SIZE, replace=False) for _ in range(params["samples"]))
    sampled = [find(query, np.sort(rows), *params["setting"]) for rows in drawn]
    sets = [{rule.terms for rule in rules} for rules in (whole, *sampled)]
    agree = agreement(query)
    return {
        "agree": int(agree.sum()),
        **_properties(whole),
        "samples": [_properties(rules) for rules in sampled],
        "pairs": [[len(a & b), len(a | b)] for a, b in combinations(sets[1:], 2)],
        "found": [[c, [_printed_terms(c) in own for own in sets]] for c in _conditions_of(query)],
        "sentences": [rule.sentence for rule in whole],
        "printed": _printed_rules(query, agree) if params["engine"] == "S" else [],
    }


def _properties(rules: Sequence[Rule]) -> dict[str, float]:
    """Give what Table 4 has of one set of rules."""
    return {
        "rules": len(rules),
        "median_effect": float(np.median([abs(rule.effect) for rule in rules] or [0])),
        "mean_size": float(np.mean([len(rule.terms) for rule in rules] or [0])),
        "single": sum(len(rule.terms) == 1 for rule in rules),
        "worse": sum(rule.effect < 0 for rule in rules),
    }


def _conditions_of(query: str) -> list[str]:
    """Give the rules that the paper prints for a query."""
    return [rule for table, asked in RULE_TABLES.items() if asked == query for rule in PUBLISHED[table].rows]


def _printed_rules(query: str, agree: Any) -> list[dict[str, Any]]:
    """Measure our models in the areas that the paper's rules name."""
    average = float(agree.mean())
    rows = []
    for conditions in _conditions_of(query):
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


Row: TypeAlias = Mapping[str, Any]
Results: TypeAlias = Mapping[tuple[str, str], Row]
"""The numbers of each query and engine; of C5 at the setting that is shown."""
FITTED = ("rules", "median_effect", "mean_size")


def report(frame: pl.DataFrame) -> Outcome:
    """Make the outcome of finished jobs."""
    rows = _rows(frame)
    results = _results(rows)
    cells = (*_agreements(results), *_summary(results), *_rules(results))
    extras = [*_found_again(results), *_settings(rows, results), *_sentences(results)]
    return Outcome.of(PUBLISHED, cells, _figures(rows, results), extras)


def _rows(frame: pl.DataFrame) -> list[Row]:
    nested = ("samples", "pairs", "found", "sentences", "printed")
    rows = [row | {name: json.loads(row[name]) for name in nested} for row in frame.to_dicts()]
    return [row | {"samples": columns_of(row["samples"]), "found": dict(row["found"])} for row in rows]


def _results(rows: Sequence[Row]) -> Results:
    """Keep the settings that come nearest to what the paper prints: of C5 for each query, of STUCCO for all."""
    stucco = [row for row in rows if row["engine"] == "S"]
    far = {
        least: sum(_distance(row) for row in stucco if row["least"] == least)
        for least in Counter(row["least"] for row in stucco)
    }
    nearest: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: far[row["least"]] if row["engine"] == "S" else _distance(row)):
        nearest.setdefault((row["query"], row["engine"]), row)
    return dict(sorted(nearest.items(), key=lambda item: (QUERIES.index(item[0][0]), item[0][1])))


# the tables of printed rules that an engine is to find
_OWN_RULES = {"S": ("stucco_rules", "occupations"), "C5": ("c5_rules",)}


def _distance(row: Row) -> float:
    """Add up the logarithms of what was found over what is printed, but for the stability.

    A setting that gives no rules for half of the samples is infinitely far: the paper refuses such.
    """
    printed = PUBLISHED["summary"]
    ratios = [row[name] / printed[name, f"{row['query']}, {row['engine']}"].value for name in FITTED]
    ratios += [hits / of for hits, of in [_again(row)] if of]
    ratios.append(float(np.median(row["samples"]["rules"]) > 0))
    return sum(abs(log(ratio)) if ratio else inf for ratio in ratios)


def _again(row: Row) -> tuple[int, int]:
    """Give how many of the rules that are printed of an engine and a query it finds, and of how many."""
    own = [table for table in _OWN_RULES[row["engine"]] if RULE_TABLES[table] == row["query"]]
    counts = [_found(row, table) for table in own]
    return sum(hits for hits, _, _ in counts), sum(of for _, of, _ in counts)


def _found(row: Row, table: str) -> tuple[int, int, list[str]]:
    """Give how many of a table's printed rules are found in the whole file, of how many, and which are not."""
    asked = [rule for rule in PUBLISHED[table].rows if rule in row["found"]]
    missed = [rule for rule in asked if not row["found"][rule][0]]
    return len(asked) - len(missed), len(asked), missed


def _shares(row: Row) -> NDArray[np.float64]:
    """Give the share of rules in common for each pair of samples; NaN where neither has any."""
    both, union = np.array(row["pairs"], dtype=np.float64).T
    return np.where(union > 0, both / np.maximum(union, 1), nan)


def _jackknife(values: NDArray[np.float64], n_samples: int) -> tuple[float, float]:
    """Give the mean over all pairs of samples, and its standard error: each sample is left out in turn."""
    pairs = np.array(list(combinations(range(n_samples), 2)))
    known = ~np.isnan(values)
    if not known.any():
        return nan, nan
    without = [values[known & (pairs != place).all(axis=1)] for place in range(n_samples)]
    means = np.array([part.mean() if part.size else nan for part in without])
    return float(values[known].mean()), float(sqrt((n_samples - 1) * np.mean((means - means.mean()) ** 2)))


def _number(row: Row, name: str) -> tuple[float, float]:
    """Give a number of Table 4 and its standard error, from how much it changes between samples.

    Of d cases out of n, a statistic's variance is (n - d) / d times that of all n (the delete-(n - d) jackknife).
    """
    if name == "stability":
        return _jackknife(_shares(row), len(row["samples"]["rules"]))
    known = np.array(row["samples"][name])[np.array(row["samples"]["rules"]) > 0]
    if len(known) < 2 or not np.mean(known):
        return float(row[name]), nan
    part = SAMPLE_SIZE / (N_CASES - SAMPLE_SIZE)
    return float(row[name]), float(row[name] * np.std(known, ddof=1) / np.mean(known) * sqrt(part))


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
            ours, error = _number(results[query, engine], name)
            cells.append(Cell.of_estimate(place, printed.quantity, number, ours, sqrt(2) * error))
    return cells


def _rules(results: Results) -> list[Cell]:
    cells = []
    for table, query in RULE_TABLES.items():
        row = results.get((query, "S"), {"printed": ()})
        areas = [area for area in row["printed"] if area["conditions"] in PUBLISHED[table].rows]
        cells += [cell for area in areas for cell in _compare(PUBLISHED[table], area, row["agree"] / N_CASES)]
    return cells


def _compare(printed: Printed, area: Row, average: float) -> list[Cell]:
    error, rule = _area_error(area, average), area["conditions"]
    ours = ((area["difference"], 100 * error), (area["effect"], error * area["n"]))
    return [
        Cell.of_estimate((printed.label, rule, column), printed.quantity, printed[rule, column], *value)
        for column, value in zip(printed.columns, ours, strict=True)
    ]


def _area_error(area: Row, average: float) -> float:
    """Give the standard error of two models' difference in how far an area lies off the average of all cases."""
    n, share = area["n"], min(max(area["difference"] / 100 + average, 0.0), 1.0)
    # an area without any error, or without any right answer, still has an uncertain share: one case each is added
    inside, outside = (share * n + 1) / (n + 2), (average * N_CASES - share * n) / (N_CASES - n)
    variance = inside * (1 - inside) / n + outside * (1 - outside) / (N_CASES - n)
    return float((1 - n / N_CASES) * sqrt(2 * variance))


_NAMES = {"C5": "C5", "S": "STUCCO"}


def _first(results: Results) -> dict[str, Row]:
    """Give what each engine found in the first query, of which the paper prints rules and a figure."""
    return {_NAMES[engine]: row for (query, engine), row in results.items() if query == QUERIES[0]}


def _same_share(rows: Iterable[Row], shown: Row) -> Row:
    """Give the setting of C5 whose -m is nearest to the share of a sample that the shown one is of the file."""
    share = shown["least"] * SAMPLE_SIZE / N_CASES
    alike = [row for row in rows if all(row[name] == shown[name] for name in ("query", "engine", "costs"))]
    return min(alike, key=lambda row: abs(log(row["least"] / share)))


def _figures(rows: Iterable[Row], results: Results) -> list[Figure]:
    own = _first(results)
    if (shown := own.pop("C5", None)) is not None:
        own |= {f"C5, -m {row['least']}": row for row in (shown, _same_share(rows, shown))}
    points = [
        {"x": both / union, "y": union, "series": name}
        for name, row in own.items()
        for both, union in row["pairs"]
        if union
    ]
    means = (f"{name}: {_number(row, 'stability')[0]:.2f}" for name, row in own.items())
    note = f"Each point is a pair of samples. Means of the share in common: {'; '.join(means)}."
    title = "Stability of C5 and STUCCO: pairs of rule sets from samples"
    return [Figure("Figure 2", title, columns_of(points), "agreement", "rules of both together", (), note)]


def _found_again(results: Results) -> list[Extra]:
    """Count the printed rules that the engines find again."""
    rows = []
    for table, engine in (("stucco_rules", "S"), ("c5_rules", "C5"), ("occupations", "S")):
        if (RULE_TABLES[table], engine) in results:
            row = results[RULE_TABLES[table], engine]
            hits, of, missed = _found(row, table)
            share = np.mean([row["found"][rule][1:] for rule in PUBLISHED[table].rows])
            rows.append((PUBLISHED[table].label, f"{hits} of {of}", f"{share:.0%}", "; ".join(missed)))
    note = (
        "Rules with the same conditions, in all 16,281 test cases; and their mean share in samples of 5,000."
    )
    return _extra(
        "Printed rules that are found again", "printed in, found, in samples, not found", rows, note
    )


def _extra(title: str, names: str, rows: Sequence[Sequence[Any]], note: str) -> list[Extra]:
    columns = columns_of([dict(zip(names.split(", "), row, strict=True)) for row in rows])
    return [Extra(title, columns, note)] if rows else []


def _settings(rows: Iterable[Row], results: Results) -> list[Extra]:
    """Show every setting that was tried, with those that the tables show."""
    lines: dict[str, list[Sequence[Any]]] = {"S": [], "C5": []}
    for row in rows:
        hits, of = _again(row)
        shown = " (shown)" if row is results[row["query"], row["engine"]] else ""
        setting = (row["costs"] + shown, row["least"]) if row["costs"] else (f"{row['least']} %{shown}",)
        found = (row["rules"], row["worse"], round(row["median_effect"]), round(row["mean_size"], 1))
        ends = (
            f"{end:.2f}" if isfinite(end) else "" for end in (_number(row, "stability")[0], _distance(row))
        )
        lines[row["engine"]].append((row["query"], *setting, *found, f"{hits} of {of}"[: 9 * of], *ends))
    names = "rules, worse than average, median effect, mean size, printed rules, stability, distance"
    far = (
        "The distance adds up the logarithms of what was found over what is printed: rules, median effect, mean "
        "size and printed rules, but not stability."
    )
    return [
        *_extra(
            "Settings of STUCCO", f"query, least surprise, {names}", lines["S"], f"{far} {_every_sixth()}"
        ),
        *_extra(
            "Settings of C5",
            f"query, costs, -m, {names}",
            lines["C5"],
            f"{far} Shown is the nearest with rules in most samples.",
        ),
    ]


def _every_sixth() -> str:
    """Say how many rules worse and better than average the paper's list must have had: it prints every sixth."""
    printed = PUBLISHED["stucco_rules"]
    effects = [printed[rule, "effect in cases"].value for rule in printed.rows if rule not in _OBVIOUS]
    worse = sum(effect < 0 for effect in effects)
    return (
        f"Of the paper's 143 rules on MC4 every sixth is printed, {worse} of them worse than average and "
        f"{len(effects) - worse} better: about {6 * worse} and {6 * (len(effects) - worse)} in all. The nearest "
        "setting for all three queries together is shown."
    )


_SHOWN = 40


def _sentences(results: Results) -> list[Extra]:
    note = "The most surprising first, as STUCCO's summary shows them."
    return [
        Extra(f"Rules in English: {query}", {"rule": row["sentences"][:_SHOWN]}, note)
        for (query, engine), row in results.items()
        if engine == "S" and row["sentences"]
    ]


def _pairs(frame: pl.DataFrame) -> dict[str, tuple[Row, Row]]:
    """Give for each query what C5, at the setting that is shown, and STUCCO found, where both are there."""
    results = _results(_rows(frame))
    return {q: (results[q, "C5"], results[q, "S"]) for q in QUERIES if {(q, "C5"), (q, "S")} <= set(results)}


def _more_stable(frame: pl.DataFrame) -> Decision:
    """Compare the stability at the setting that is shown, and at the same share of cases in a sample."""
    evidence, near, low, rows = [], [], [], _rows(frame)
    for query, (shown, stucco) in _pairs(frame).items():
        for row in {id(row): row for row in (shown, _same_share(rows, shown))}.values():
            gap = _jackknife(_shares(stucco) - _shares(row), len(row["samples"]["rules"]))
            evidence.append(Sought.of_estimate(f"{query}, -m {row['least']}", *gap, above=0))
        own = (row for row in rows if (row["query"], row["engine"]) == (query, "C5"))
        tried = [row for row in own if np.median(row["samples"]["rules"]) > 0]
        stable = {(r["costs"], r["least"], r["rules"]): _number(r, "stability")[0] for r in tried}
        limit = _number(stucco, "stability")[0]
        near += [
            f"{query}, {c} costs, -m {m} ({n} rules)" for (c, m, n), own in stable.items() if own >= limit
        ]
        small = [own for (_, m, _), own in stable.items() if m <= 40]
        low += [f"{min(small):.2f} to {max(small):.2f} against {limit:.2f} ({query})"] if small else []
    note = f"From -m 2 to 40 C5 has {', '.join(low)}. As stable as STUCCO: {'; '.join(near) or 'no setting'}."
    return Decision("", evidence, note if low else "")


def _compared(*names: str, sign: int = 1, queries: Sequence[str] = QUERIES) -> Test:
    """Compare numbers of both engines: STUCCO's less C5's, times the sign, is above 0."""

    def seek(frame: pl.DataFrame) -> list[Sought]:
        evidence = []
        for query, pair in ((query, pair) for query, pair in _pairs(frame).items() if query in queries):
            for name in names:
                (theirs, spread), (ours, error) = (_number(row, name) for row in pair)
                what = query if len(names) == 1 else f"{query}, {name}"
                evidence.append(
                    Sought.of_estimate(what, sign * (ours - theirs), hypot(spread, error), above=0)
                )
        return evidence

    return seek


def _worst_fragments(frame: pl.DataFrame) -> list[Sought]:
    """Compare the median effect of C5's rules in the other queries with that for the two nearest neighbours."""
    effects = {query: _number(row, "median_effect") for query, (row, _) in _pairs(frame).items()}
    least, error = effects.pop("1NN vs 5NN", (nan, nan))
    return [
        Sought.of_estimate(query, effect - least, hypot(own, error), above=0)
        for query, (effect, own) in effects.items()
        if isfinite(least)
    ]


_OBVIOUS = ("salary=>50K", "marital-status=Married-civ-spouse")


def _misses(frame: pl.DataFrame) -> list[Sought]:
    hits = {
        (name, rule): row["found"][rule][1:]
        for name, row in _first(_results(_rows(frame))).items()
        for rule in _OBVIOUS
    }
    sides = {"C5": {"below": 0.5}, "STUCCO": {"above": 0.5}}
    return [
        Sought.of_share(f"{n}: {rule}", sum(own), len(own), **sides[n]) for (n, rule), own in hits.items()
    ]


def _prints(frame: pl.DataFrame) -> list[Sought]:
    rows = _first(_results(_rows(frame)))
    found = {name: _found(row, f"{name.lower()}_rules") for name, row in rows.items()}
    return [
        Sought.of_share(f"{n}, {hits} of {of}", hits, of, above=0.5) for n, (hits, of, _) in found.items()
    ]


def _defaults(frame: pl.DataFrame) -> list[Sought]:
    evidence, plain = [], {row["query"]: row for row in _rows(frame) if row["costs"] == "equal"}
    for query in (query for query in _pairs(frame) if query in plain):
        effects = (row["samples"]["median_effect"] for row in (plain[query], _pairs(frame)[query][0]))
        smaller = [a < b for a, b in zip(*effects, strict=True)]
        evidence.append(Sought.of_share(query, sum(smaller), len(smaller), above=0.5))
    return evidence


def _areas(query: str, table: str, rules: Sequence[str]) -> Test:
    """Whether the models are better or worse than average where the paper says so."""

    def seek(frame: pl.DataFrame) -> list[Sought]:
        evidence = []
        for row in (row for key, row in _results(_rows(frame)).items() if key == (query, "S")):
            for area in (area for area in row["printed"] if area["conditions"] in rules):
                printed = PUBLISHED[table][area["conditions"], "difference in points"].value
                # of our models alone: the error of one share
                error = 100 * _area_error(area, row["agree"] / N_CASES) / sqrt(2)
                side = {"above" if printed > 0 else "below": 0.0}
                evidence.append(Sought.of_estimate(area["conditions"], area["difference"], error, **side))
        return evidence

    return seek


def _english(frame: pl.DataFrame) -> list[Sought]:
    told = {query: row["sentences"] for query, (_, row) in _pairs(frame).items() if row["sentences"]}
    shares = {query: sum(map(bool, own)) / len(own) for query, own in told.items()}
    return [Sought.of_exact(query, share, above=0.999) for query, share in shares.items()]


TESTS: Mapping[str, Test] = {
    "stability": _more_stable,
    "larger": _compared("rules", "stability", queries=QUERIES[:1]),
    "fragments": _compared("median_effect"),
    "fragments-most": _worst_fragments,
    "misses": _misses,
    "found": _prints,
    "long": _compared("mean_size", sign=-1, queries=QUERIES[1:2]),
    "main": _compared("single"),
    "defaults": _defaults,
    "errors": _areas("MC4 errors", "stucco_rules", _OBVIOUS),
    "occupations": _areas("NB vs SP", "occupations", PUBLISHED["occupations"].rows),
    "english": _english,
}
PAPER = Paper(PUBLISHED, jobs, report, tests=TESTS)
