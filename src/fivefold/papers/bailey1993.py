"""Bailey and Elkan (1993): estimating the accuracy of learned concepts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from math import nan, sqrt
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri
from sklearn.neighbors import KNeighborsClassifier

from fivefold import truth
from fivefold.learners.bayes.naive_bayes import NaiveBayes
from fivefold.learners.foil.estimator import Foil
from fivefold.learners.trees.c45 import C45Tree
from fivefold.papers.claims import ALPHA, Decision, Sought, Test
from fivefold.papers.comparison import Cell, Extra, Figure, Outcome, Sample, columns_of, correlation
from fivefold.papers.experiment import Paper, Settings
from fivefold.papers.printed import Number, read_published
from fivefold.study.job import Job, task
from fivefold.training.seeds import derive_seed

if TYPE_CHECKING:
    import polars as pl


PUBLISHED = read_published("bailey1993")
ESTIMATES = PUBLISHED["errors"].columns
CONCEPTS = ("dnf1", "dnf1_star", "dnf2", "dnf3", "dnf4")
N_CASES = 100
# the paper has 100 training sets for a concept, and ten for a point of a curve; claims need more of ours
N_SETS = 400
N_CURVE_SETS = 100
N_COPIES_SETS = 20
CHUNK = 10
N_RESAMPLES = 50
# 63, 80 and 126 are where the out-of-bag error of 100, 126 and 200 cases is to be drawn
SIZES = (20, 40, 63, 80, 100, 126, 160, 200)
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
    "1-NN": KNeighborsClassifier(1),
}
# these take up to twenty times as long as FOIL's batch kernel
_SETS_OF_OTHERS = {"FOIL 6": 100, "C4.5": 50, "naive Bayes": 200, "1-NN": 30}
_QUICK_SETS, _QUICK_COPIES, _QUICK_SIZES = 30, 5, (20, 63, 100, 160)


def jobs(settings: Settings) -> list[Job]:
    """Give the jobs: scatter plots, learning curves, and resamples with and without copies."""
    scatter = [
        _job(settings, "scatter", concept, name, N_CASES, chunk)
        for name in LEARNERS
        for concept in (CONCEPTS if name == FOIL or not settings.quick else ("dnf1_star",))
        for chunk in range(_n_sets(settings, name) // CHUNK)
    ]
    sizes = _QUICK_SIZES if settings.quick else SIZES
    concepts = ("dnf1", "dnf1_star") if settings.quick else CONCEPTS
    at_point, at_copy = (CHUNK, CHUNK) if settings.quick else (N_CURVE_SETS, N_COPIES_SETS)
    curves = [
        _job(settings, "scatter", concept, FOIL, n, -1 - n - 1000 * chunk)
        for concept in concepts
        for n in sizes
        if n != N_CASES
        for chunk in range(at_point // CHUNK)
    ]
    copies = [
        _job(settings, "copies", concept, FOIL, n, chunk, _QUICK_COPIES if settings.quick else CHUNK)
        for concept in ("dnf1", "dnf1_star")
        for n in sizes
        for chunk in range(at_copy // CHUNK)
    ]
    return scatter + curves + copies


def _n_sets(settings: Settings, learner: str) -> int:
    if settings.quick:
        return _QUICK_SETS if learner == FOIL else CHUNK
    return _SETS_OF_OTHERS.get(learner, N_SETS)


def _job(
    settings: Settings, kind: str, concept: str, learner: str, n: int, chunk: int, sets: int = CHUNK
) -> Job:
    # the training sets of a concept are the same for all learners
    seed = derive_seed(settings.random_state, kind, concept, n, chunk)
    params = {
        "concept": concept,
        "learner": LEARNERS[learner],
        "n": n,
        "sets": sets,
        "resamples": N_RESAMPLES,
    }
    names: dict[str, str | int] = {"kind": kind, "concept": concept, "learner": learner}
    return Job(f"bailey1993.{kind}", params, seed, names | {"n": n, "chunk": chunk})


@task("bailey1993.scatter")
def scatter(params: Mapping[str, Any], seed: int) -> dict[str, list[float]]:
    """Draw training sets, learn, and give the true error and its estimates for each, in per cent."""
    about = (params["learner"], params["concept"], params["n"])
    simulation = truth.simulate(*about, methods=METHODS, n_repeats=params["sets"], random_state=seed)
    estimates = {name: _per_cent(values) for name, values in simulation.estimates.items()}
    return {"err": _per_cent(simulation.true_error), **estimates}


@task("bailey1993.copies")
def copies(params: Mapping[str, Any], seed: int) -> dict[str, list[float]]:
    """Learn from training sets, from resamples, and from resamples without copies: true errors in per cent."""
    about = (params["learner"], params["concept"], params["n"])
    draws = {"n_repeats": params["sets"], "n_resamples": params["resamples"]}
    errors = truth.multiset_errors(*about, **draws, random_state=seed)
    return {
        "whole": _per_cent(errors.whole),
        "multisets": _per_cent(errors.multisets.mean(axis=1)),
        "sets": _per_cent(errors.sets.mean(axis=1)),
    }


def _per_cent(values: Any) -> list[float]:
    return [100.0 * float(value) for value in values]


Floats: TypeAlias = NDArray[np.float64]
# what the paper calls the numbers of a training set
_NAMES = {"err": "Err", "cv": "cross-validation", "632": "632 bootstrap", "eb": "e_b at 0.632 n"}
_KEYS = {name: key for key, name in _NAMES.items()}
# the concepts behind the printed numbers
_POOLED = ("dnf1_star", "dnf2", "dnf3", "dnf4")


def report(frame: pl.DataFrame) -> Outcome:
    """Make the outcome of finished jobs."""
    cells = (*_table(frame), *_correlations(frame))
    return Outcome.of(PUBLISHED, cells, _figures(frame), (_other_learners(frame), _bias_by_error(frame)))


def _gather(frame: pl.DataFrame, key: str, **labels: str | int) -> Floats:
    """Give a number of all training sets with these labels, in the order of the jobs."""
    jobs = frame.filter(**labels)
    if jobs.is_empty() or key not in jobs.columns:
        return np.empty(0)
    lists = [json.loads(text) for text in jobs[key].drop_nulls()]
    return np.array([value for values in lists for value in values], dtype=np.float64)


def _sets(frame: pl.DataFrame, key: str, concept: str, n: int = N_CASES, learner: str = FOIL) -> Floats:
    """Give a number of all training sets of one size."""
    return _gather(frame, key, kind="scatter", concept=concept, learner=learner, n=n)


def _table(frame: pl.DataFrame) -> list[Cell]:
    """Compare means and standard deviations over training sets."""
    cells, runs = [], PUBLISHED.runs
    for concept, estimate in product(CONCEPTS, ESTIMATES):
        number, values = _printed(concept, estimate), _sets(frame, _KEYS[estimate], concept)
        place, what = ("Table, mean", concept, estimate), "mean over training sets in %"
        cells.append(Cell.of_means(place, what, number, Sample.of(values), runs=runs, spread=number.spread))
        place, what = ("Table, s.d.", concept, estimate), "standard deviation over training sets in points"
        cells.append(Cell.of_means(place, what, Number(number.spread or 0, 2), _deviation(values), runs=runs))
    return cells


def _printed(concept: str, estimate: str) -> Number:
    return PUBLISHED["errors"][concept.removesuffix("_star"), estimate]


def _deviation(values: Floats) -> Sample:
    """Give the standard deviation as the number of interest, its error by the jackknife."""
    if values.size < 3:
        return Sample.of([])
    without = np.array([np.delete(values, i).std(ddof=1) for i in range(values.size)])
    error = sqrt((values.size - 1) * float(np.mean((without - without.mean()) ** 2)))
    return Sample(float(values.std(ddof=1)), error * sqrt(values.size), values.size)


def _correlations(frame: pl.DataFrame) -> list[Cell]:
    cells, printed = [], PUBLISHED["correlations"]
    for first in ("dnf1", "dnf1_star"):
        pooled = [first, "dnf2", "dnf3", "dnf4"]
        err = np.concatenate([_sets(frame, "err", concept) for concept in pooled])
        for (_, estimate), number in printed.numbers.items():
            values = np.concatenate([_sets(frame, _KEYS[estimate], concept) for concept in pooled])
            place = (printed.label, f"four concepts, with {first}", estimate)
            runs = 4 * PUBLISHED.runs
            cells.append(Cell.of_correlations(place, printed.quantity, number, (err, values), runs=runs))
    return cells


def _other_learners(frame: pl.DataFrame) -> Extra:
    """Bias, spread and correlation of both estimates for every learner."""
    rows: list[dict[str, Any]] = []
    for learner, concept in product(LEARNERS, CONCEPTS):
        err = _sets(frame, "err", concept, learner=learner)
        if not err.size:
            continue
        row: dict[str, Any] = {"learner": learner, "concept": concept, "sets": err.size}
        row |= {"Err": _two(err.mean()), "s.d.": _two(err.std(ddof=1))}
        for key, name in (("cv", "cv"), ("632", ".632")):
            values = _sets(frame, key, concept, learner=learner)
            row |= {
                f"{name} bias": _two(np.mean(values - err)),
                f"{name} rmse": _two(np.sqrt(np.mean((values - err) ** 2))),
                f"{name} r": _two(correlation(err, values)),
            }
        rows.append(row)
    note = "Points of per cent. The estimate with the smaller root mean squared error is the one to trust."
    return Extra("Which estimate to trust, for five learners", columns_of(rows), note)


def _bias_by_error(frame: pl.DataFrame) -> Extra:
    """The paper's observation (ii): the bias of the 632 bootstrap hangs on the size of the error."""
    rows: list[dict[str, Any]] = []
    places = frame.filter(kind="scatter", learner=FOIL).select("concept", "n").unique(maintain_order=True)
    for concept, n in places.iter_rows():
        err, boot, cv = (_sets(frame, key, concept, n) for key in ("err", "632", "cv"))
        biases = {"cv bias": _two(np.mean(cv - err)), ".632 bias": _two(np.mean(boot - err))}
        rows.append({"concept": concept, "n": n, "Err": _two(err.mean()), **biases})
    rows.sort(key=lambda row: row["Err"])
    note = "The paper: upward where Err is below 15 %, downward above 30 %."
    return Extra("Bias of both estimates by the size of the error, FOIL", columns_of(rows), note)


def _two(value: Any) -> float | None:
    return None if np.isnan(value) else round(float(value), 2)


def _figures(frame: pl.DataFrame) -> list[Figure]:
    """Draw what is there: the scatter plots over all concepts, and the curves for both readings of dnf1."""
    scattered = any(_sets(frame, "err", concept).size for concept in _POOLED)
    figures = [_scatter(frame, key) for key in ("cv", "632") if scattered]
    for concept in ("dnf1", "dnf1_star"):
        if _sets(frame, "err", concept, 20).size:
            figures += _curves(frame, concept)
    return figures


def _scatter(frame: pl.DataFrame, key: str) -> Figure:
    errors = {concept: _sets(frame, "err", concept)[: PUBLISHED.runs].tolist() for concept in _POOLED}
    xs = [error for values in errors.values() for error in values]
    ys = [y for concept in _POOLED for y in _sets(frame, key, concept)[: PUBLISHED.runs].tolist()]
    series = [concept for concept, values in errors.items() for _ in values]
    slope, start = np.polyfit(xs, ys, 1)
    ends = [0.0, max(xs)]
    return Figure(
        f"Figure 1, {_NAMES[key]}",
        f"{_NAMES[key]} against the true error, {len(xs)} training sets of {N_CASES} cases",
        {"x": xs + ends, "y": ys + [start + slope * x for x in ends], "series": [*series, "fit", "fit"]},
        "true error Err in %",
        f"{_NAMES[key]} in %",
        ("fit",),
        f"The least-squares line begins at {start:.1f} % and rises by {slope:.2f}.",
    )


def _curves(frame: pl.DataFrame, concept: str) -> list[Figure]:
    """Draw Figures 2 to 5, of FOIL on one concept."""
    sizes = sorted(frame.filter(kind="scatter", concept=concept, learner=FOIL)["n"].unique().to_list())
    # the paper has ten training sets at each size
    sets = {(key, n): _sets(frame, key, concept, n)[:10] for key in _NAMES for n in sizes}
    of_foil = f"FOIL on {concept}"
    return [
        Figure(
            "Figure 2",
            f"Learning curve of {of_foil}",
            columns_of([_mean(key, n, sets[key, n]) for key, n in product(("err", "cv", "632"), sizes)]),
            "training cases",
            "error in %",
            tuple(_NAMES.values()),
            f"Bars: a standard deviation of the true error. {_where_off(sets, sizes)}",
        ),
        _curve(
            "Figure 3",
            f"Standard deviation over ten training sets, {of_foil}",
            [(n, sets[key, n].std(ddof=1), _NAMES[key]) for key, n in product(("err", "cv", "632"), sizes)],
            "standard deviation in points",
            _where_least(sets, sizes),
        ),
        _curve(
            "Figure 4",
            f"The bootstrap drawn at 0.632 n, {of_foil}",
            [
                (factor * n, sets[key, n].mean(), _NAMES[key])
                for (key, factor), n in product((("err", 1.0), ("eb", 0.632)), sizes)
            ],
            "error in %",
            _off_curve(sets, sizes),
        ),
        _copies(frame.filter(kind="copies", concept=concept), of_foil),
    ]


def _where_off(sets: Mapping[tuple[str, int], Floats], sizes: list[int]) -> str:
    """Say at which sizes the 632 bootstrap differs from the true error by more than chance would have it."""
    parts = {n: Sought.of_mean("", sets["632", n] - sets["err", n], above=0).at(0.95) for n in sizes}
    low, high = ([str(n) for n, part in parts.items() if part.holds is side] for side in (False, True))
    said = [f"{word} it after {', '.join(at)} cases" for word, at in (("below", low), ("above", high)) if at]
    return f"By 95 % intervals the 632 bootstrap lies {' and '.join(said) or 'nowhere off it'}."


def _where_least(sets: Mapping[tuple[str, int], Floats], sizes: list[int]) -> str:
    least = [min(("err", "cv", "632"), key=lambda key: sets[key, n].std()) for n in sizes].count("632")
    return f"That of the 632 bootstrap is the least of the three at {least} of {len(sizes)} sizes."


def _off_curve(sets: Mapping[tuple[str, int], Floats], sizes: list[int]) -> str:
    curve = [sets["err", n].mean() for n in sizes]
    inside = [n for n in sizes if 0.632 * n >= sizes[0]]
    off = [f"{sets['eb', n].mean() - np.interp(0.632 * n, sizes, curve):+.1f} after {n}" for n in inside]
    return f"Off the joined points of the true error, in points: {', '.join(off)} cases."


def _mean(key: str, n: int, values: Floats) -> dict[str, Any]:
    mean, bar = float(values.mean()), float(values.std(ddof=1)) if key == "err" else None
    low, high = (None, None) if bar is None else (mean - bar, mean + bar)
    return {"x": float(n), "y": mean, "series": _NAMES[key], "low": low, "high": high}


def _copies(frame: pl.DataFrame, of_foil: str) -> Figure:
    names = {"whole": "training sets", "multisets": "resamples", "sets": "resamples without copies"}
    sizes = sorted(frame["n"].unique().to_list())
    means = {(key, n): _gather(frame, key, n=n).mean() for key, n in product(names, sizes)}
    points = [(n, mean, names[key]) for (key, n), mean in means.items()]

    def over(key: str) -> float:
        return float(np.mean([means[key, n] - means["whole", n] for n in sizes]))

    return _curve(
        "Figure 5",
        f"True error after resamples with and without copies, {of_foil}",
        points,
        "true error in %",
        "Averaged over sizes, errors after resamples are "
        f"{over('multisets'):+.1f} points from those after training sets, {over('sets'):+.1f} without copies.",
        names.values(),
    )


def _curve(
    label: str,
    title: str,
    points: Iterable[tuple[Any, Any, str]],
    y_title: str,
    note: str = "",
    lines: Iterable[str] = _NAMES.values(),
) -> Figure:
    rows = [{"x": float(x), "y": float(y), "series": series} for x, y, series in points]
    columns = columns_of(rows, ("x", "y", "series"))
    return Figure(label, title, columns, "training cases", y_title, tuple(lines), note)


# The tests of the paper's claims, over the concepts behind the printed numbers.
_LITTLE = {"above": -(0.1**0.5), "below": 0.1**0.5}


def _each(frame: pl.DataFrame, statistic: Callable[..., float], *keys: str, **sought: float) -> list[Sought]:
    """Bootstrap a statistic of the training sets of each concept."""
    return [
        Sought.of_bootstrap(c, statistic, *(_sets(frame, key, c) for key in keys), **sought) for c in _POOLED
    ]


def _all(
    frame: pl.DataFrame, what: str, statistic: Callable[..., float], *keys: str, **sought: float
) -> Sought:
    """Bootstrap a statistic of the training sets of all concepts together, within concepts."""
    columns = [np.concatenate([_sets(frame, key, c) for c in _POOLED]) for key in keys]
    strata = [concept for concept in _POOLED for _ in _sets(frame, "err", concept)]
    return Sought.of_bootstrap(what, statistic, *columns, strata=strata, **sought)


def _ratio(a: Any, b: Any) -> float:
    return float(a / b) if b else nan


def _bias_share(err: Any, estimate: Floats) -> float:
    return _ratio((estimate - err).mean(), np.sqrt(np.mean((estimate - err) ** 2)))


def _biases(frame: pl.DataFrame, key: str) -> dict[tuple[str, int], Floats]:
    """Give estimate less true error of every training set by concept and size."""
    runs = frame.filter(kind="scatter", learner=FOIL)
    places = runs.select("concept", "n").unique(maintain_order=True).rows()
    return {(c, n): _sets(frame, key, c, n) - _sets(frame, "err", c, n) for c, n in places if c in _POOLED}


def _direction(frame: pl.DataFrame) -> Decision:
    biases = _biases(frame, "632")
    errors = {place: _sets(frame, "err", *place).mean() for place in biases}
    parts, against = [], []
    for words, low, sought in (("below 15 %", True, {"above": 0.0}), ("above 30 %", False, {"below": 0.0})):
        places = [place for place, error in errors.items() if (error < 15 if low else error > 30)]
        against += [f"{c} at {n}" for c, n in places if (biases[c, n].mean() < 0) == low]
        if places:
            what = f"Err {words} ({len(places)} curve points)"
            parts.append(Sought.of_mean(what, np.concatenate([biases[p] for p in places]), **sought))
    return Decision("", parts, f"Points where the mean has the other sign: {', '.join(against) or 'none'}.")


def _small_and_large(frame: pl.DataFrame) -> list[Sought]:
    ends = {(n, c): own for (c, n), own in _biases(frame, "632").items() if n in (20, 160, 200)}
    return [
        Sought.of_mean(f"{c} at {n}", own, **({"below": 0.0} if n == 20 else {"above": 0.0}))
        for (n, c), own in sorted(ends.items(), key=lambda item: item[0])
    ]


def _curve_biases(frame: pl.DataFrame) -> list[Sought]:
    sizes: dict[int, list[Floats]] = {}
    for (_, n), values in _biases(frame, "cv").items():
        sizes.setdefault(n, []).append(values)
    return [
        Sought.of_bootstrap(f"{n} cases", lambda v: _bias_share(0, v), np.concatenate(own), **_LITTLE)
        for n, own in sorted(sizes.items())
    ]


def _shifted(frame: pl.DataFrame) -> list[Sought]:
    """Compare e_b of n cases with the true error after 0.632 n, where both were run."""
    parts = []
    for concept, (n, fewer) in product(_POOLED, ((100, 63), (126, 80), (200, 126))):
        ours, theirs = (Sample.of(_sets(frame, key, concept, m)) for key, m in (("eb", n), ("err", fewer)))
        if ours.runs > 2 and theirs.runs > 2:
            off, error = ours.mean - theirs.mean, sqrt(ours.error**2 + theirs.error**2)
            parts.append(Sought.of_estimate(f"{concept} at {n}", off, error, above=-3, below=3))
    return parts


def _spreads(
    frame: pl.DataFrame,
    places: Mapping[str, tuple[str, int]],
    statistic: Callable[..., float],
    **sought: float,
) -> list[Sought]:
    """Bootstrap a statistic of the 632 bootstrap, Err and cross-validation at some concepts and sizes."""
    sets = {what: [_sets(frame, key, *at) for key in ("632", "err", "cv")] for what, at in places.items()}
    return [Sought.of_bootstrap(what, statistic, *own, **sought) for what, own in sets.items()]


def _steadiest(frame: pl.DataFrame) -> list[Sought]:
    places = {f"{n} cases": (c, n) for c, n in sorted(_biases(frame, "632")) if c == "dnf1_star"}
    return _spreads(
        frame, places, lambda boot, err, cv: _ratio(boot.std(), min(err.std(), cv.std())), below=1
    )


def _loses_lead(frame: pl.DataFrame) -> list[Sought]:
    places = {concept: (concept, SIZES[-1]) for concept in _POOLED[1:]}
    return _spreads(
        frame, places, lambda boot, err, cv: float(boot.std() - max(err.std(), cv.std())), above=0
    )


def _copies_matter(frame: pl.DataFrame, **sought: float) -> list[Sought]:
    """Which part of the error that a resample adds is that of its copies, and not of the cases it lacks."""

    def share(whole: Floats, multi: Floats, sets: Floats) -> float:
        return _ratio((multi - sets).sum(), (multi - whole).sum())

    runs = {concept: frame.filter(kind="copies", concept=concept) for concept in ("dnf1", "dnf1_star")}
    columns = {c: [_gather(own, key) for key in ("whole", "multisets", "sets")] for c, own in runs.items()}
    return [Sought.of_bootstrap(c, share, *own, **sought) for c, own in columns.items()]


def _one_set_each(frame: pl.DataFrame) -> list[Sought]:
    """Let a chi-square test compare FOIL with FOIL, each by the cross-validation of one training set."""
    parts = []
    for concept in _POOLED:
        errors = _sets(frame, "cv", concept) / 100
        a, b = errors[: errors.size // 2], errors[-(errors.size // 2) :]
        shared = (a + b) / 2
        differ = N_CASES * (a - b) ** 2 > 2 * shared * (1 - shared) * chdtri(1, ALPHA)
        parts.append(Sought.of_share(concept, int(differ.sum()), len(a), above=ALPHA))
    return parts


def _depends_on_learner(frame: pl.DataFrame) -> list[Sought]:
    parts = []
    for learner, sought in (
        (FOIL, {"above": 0.0}),
        ("1-NN", {"above": 0.0}),
        ("naive Bayes", {"below": 0.0}),
    ):
        sets = {key: [_sets(frame, key, c, learner=learner) for c in _POOLED] for key in ("err", "cv", "632")}
        err, cv, boot = (np.concatenate(values) for values in sets.values())
        parts.append(Sought.of_mean(learner, (boot - err) ** 2 - (cv - err) ** 2, **sought))
    return parts


def _correlated(frame: pl.DataFrame) -> Decision:
    within = [f"{c} {correlation(_sets(frame, 'err', c), _sets(frame, '632', c)):.2f}" for c in _POOLED]
    part = _all(frame, "four concepts", correlation, "err", "632", above=-0.2, below=0.2)
    return Decision("", [part], f"Within concepts: {', '.join(within)}.")


def _lead(err: Floats, cv: Floats, boot: Floats) -> float:
    return correlation(err, cv) - correlation(err, boot)


def _start(err: Floats, estimate: Floats) -> float:
    return float(np.polyfit(err, estimate, 1)[1])


TESTS: Mapping[str, Test] = {
    "err-varies": lambda f: _each(f, lambda err: _ratio(err.std(), err.mean()), "err", above=0.5),
    "cv-unbiased": lambda f: _each(f, _bias_share, "err", "cv", **_LITTLE),
    "cv-variable": lambda f: _each(
        f, lambda err, cv: _ratio(np.sqrt(np.mean((cv - err) ** 2)), err.mean()), "err", "cv", above=0.5
    ),
    "boot-biased": lambda f: [
        Sought.of_mean(c, _biases(f, "632").get((c, N_CASES), ()), above=0) for c in _POOLED
    ],
    "boot-steady": lambda f: _each(f, lambda boot, cv: _ratio(boot.std(), cv.std()), "632", "cv", below=1),
    "boot-steadiest": _steadiest,
    "boot-loses-lead": _loses_lead,
    "boot-direction": _direction,
    "boot-sizes": _small_and_large,
    "boot-r": _correlated,
    "cv-r": lambda f: [_all(f, "four concepts", _lead, "err", "cv", "632", above=0)],
    "intercepts": lambda f: [_all(f, _NAMES[key], _start, "err", key, above=0) for key in ("cv", "632")],
    "cv-sizes": _curve_biases,
    "no-resubstitution": lambda f: _each(
        f, lambda boot, eb: float(np.mean(boot - 0.632 * eb)) / 0.368, "632", "eb", below=1
    ),
    "eb-shifted": _shifted,
    "copies": lambda f: _copies_matter(f, above=-0.2, below=0.2),
    "copies-differ": lambda f: _copies_matter(f, above=0),
    "single-sets": _one_set_each,
    "learner-decides": _depends_on_learner,
}

PAPER = Paper(PUBLISHED, jobs, report, tests=TESTS)
