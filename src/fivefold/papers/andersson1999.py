"""Andersson, Davidsson and Lindén (1999): measure-based classifier performance evaluation."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

from fivefold.borders.border_measure import measure
from fivefold.borders.measure_classifier import MeasureClassifier
from fivefold.borders.sizes import border_segments
from fivefold.borders.terms import MeasureWeights
from fivefold.learners.theories import DecisionTree, Leaf, NumericSplit
from fivefold.learners.trees.id3 import ID3
from fivefold.papers.claims import Decision, Sought, Test
from fivefold.papers.comparison import LIMIT, Cell, Figure, Outcome, Sample, columns_of
from fivefold.papers.experiment import Paper, Settings, known_as, table_of
from fivefold.papers.printed import read_published
from fivefold.study.job import Job, task

if TYPE_CHECKING:
    import polars as pl


PUBLISHED = read_published("andersson1999")
TABLE = PUBLISHED["terms"]
Array = NDArray[Any]
NAMES = ("petal_length", "petal_width")


def petals() -> tuple[NDArray[np.float64], Array]:
    """Give length and width, each between 0 and 1, and the class by its number."""
    table = table_of("IR")
    X = table.X.select(NAMES).to_numpy().astype(np.float64)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), np.unique(table.y, return_inverse=True)[1]


class StatLogTree:
    """The pruned tree of Michie, Spiegelhalter and Taylor (1994), p. 10: 2.65 and 4.95 cm long, 1.65 cm wide."""

    def fit(self, X: Array, y: Array) -> StatLogTree:
        """Move the cuts to where the scale of the petals puts them."""
        raw = table_of("IR").X.select(NAMES).to_numpy()
        low, span = raw.min(axis=0), np.ptp(raw, axis=0)
        self.classes_ = np.unique(y)
        self.short, self.long = ((cut - low[0]) / span[0] for cut in (2.65, 4.95))
        self.wide = (1.65 - low[1]) / span[1]
        return self

    def theory(self) -> DecisionTree:
        """Give the tree, so that its borders are found exactly."""
        setosa, versicolor, virginica = (Leaf((label,)) for label in (0, 1, 2))
        lengths = NumericSplit("x0", self.long, versicolor, virginica)
        widths = NumericSplit("x1", self.wide, lengths, virginica)
        return DecisionTree(NumericSplit("x0", self.short, setosa, widths), (0, 1, 2))

    def predict(self, X: Array) -> Array:
        """Give the class of each case."""
        length, width = np.asarray(X).T
        late = (width > self.wide) | (length > self.long)
        return np.where(length <= self.short, 0, np.where(late, 2, 1))


def _network(nodes: int, epochs: int) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        return MLPClassifier(
            (nodes,), activation="logistic", solver="lbfgs", max_iter=epochs, random_state=seed
        )

    return make


MAKERS: Mapping[str, Callable[[int], Any]] = {
    "ID3": lambda seed: ID3(),
    "pruned-tree": lambda seed: StatLogTree(),
    "backprop-30": _network(30, 26_500),
    "backprop-2": _network(2, 20_000),
    "1-NN": lambda seed: KNeighborsClassifier(1),
    "10-NN": lambda seed: KNeighborsClassifier(10),
    "measure-based": lambda seed: MeasureClassifier(random_state=seed, progress=False),
}
RANDOM = ("backprop-30", "backprop-2", "measure-based")
# How ties of votes and identical cases of different classes are treated, so that the paper's rows come out.
OPTIONS: Mapping[str, Mapping[str, str]] = {"10-NN": {"ties": "highest"}, "1-NN": {"duplicates": "paper"}}


def trained(name: str, seed: int) -> Any:
    """Train one of the classifiers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MAKERS[name](seed).fit(*petals())


N_SEEDS = 20
_QUICK_SEEDS = 8


def jobs(settings: Settings) -> list[Job]:
    """Give a job for each classifier, and for each seed of those that draw numbers."""
    seeds = _QUICK_SEEDS if settings.quick else N_SEEDS
    return [_job(settings, name, place) for name in MAKERS for place in range(seeds if name in RANDOM else 1)]


def _job(settings: Settings, name: str, place: int) -> Job:
    params = {"model": name, "options": dict(OPTIONS.get(name, {})), "rows": known_as("IR")}
    return Job(
        "andersson1999.measure", params, settings.random_state * 1000 + place, {"model": name, "seed": place}
    )


@task("andersson1999.measure")
def judge(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Train a classifier, measure it, and keep its borders and regions for the figures."""
    X, y = petals()
    model = trained(params["model"], seed)
    measured = measure(model, X, y, **params["options"])
    return {
        "fit": measured.fit,
        "similarity_right": measured.similarity_right,
        "similarity_wrong": measured.similarity_wrong,
        "border_size": measured.border_size,
        "measure": measured.value,
        "method": str(measured.method),
        "segments": _segments(model, measured.window, params["options"]),
    }


def _segments(model: Any, window: Any, options: Mapping[str, str]) -> list[list[float]]:
    segments, _ = border_segments(model, window, **options)
    return [[round(float(value), 5) for value in ends.ravel()] for ends in segments.ends]


# what the figures call the classifiers
_DRAWN = {
    "ID3": "ID3",
    "pruned-tree": "pruned tree",
    "backprop-30": "backprop with 30 nodes",
    "backprop-2": "backprop with 2 nodes",
    "1-NN": "1-NN",
    "10-NN": "10-NN",
    "measure-based": "learner",
}


def report(frame: pl.DataFrame) -> Outcome:
    """Make the outcome of finished jobs."""
    return Outcome.of(PUBLISHED, (*_formula(), *_table(frame)), _figures(frame))


def _formula() -> list[Cell]:
    """The printed measure from the printed terms: the formula, row by row."""
    cells = []
    for row in TABLE.rows:
        value = MeasureWeights().total(*_terms(row))
        place = ("Table 1, formula", row, "measure")
        # three terms rounded to half a unit each, with weights of 1, 0.5 and 0.5, make up to one and a half units
        cells.append(
            Cell.of_exact(place, "measure from the printed terms", TABLE[row, "measure"], value, units=1.5)
        )
    return cells


def _table(frame: pl.DataFrame) -> list[Cell]:
    cells = []
    for (row, term), number in TABLE.numbers.items():
        sample = Sample.of(frame.filter(model=row)[term].drop_nulls() if term in frame.columns else [])
        if not sample.runs:
            continue
        place = (TABLE.label, row, term.replace("_", " "))
        if row == "ID3":
            cells.append(Cell.uncompared(place, TABLE.quantity, replace(number, decimals=3), sample.mean))
        elif row in RANDOM:
            # the paper has one network, or one search, of many that its description allows
            cells.append(Cell.of_means(place, TABLE.quantity, replace(number, decimals=3), sample, runs=1))
        else:
            cells.append(Cell.of_exact(place, TABLE.quantity, number, sample.mean, units=1.0))
    return cells


def _figures(frame: pl.DataFrame) -> list[Figure]:
    X, y = petals()
    names = np.unique(table_of("IR").y)[y].tolist()
    flowers = [_point(xy, name, -1) for xy, name in zip(X.tolist(), names, strict=True)]
    figures = []
    for model, name in _DRAWN.items():
        runs = frame.filter(model=model, seed=0)
        if runs.is_empty():
            continue
        borders = [
            _point(end, "border", place)
            for place, ends in enumerate(json.loads(runs["segments"][0]))
            for end in (ends[:2], ends[2:])
        ]
        label = f"{'Figure 2' if model == 'measure-based' else 'Figure 1'}, {name}"
        columns = columns_of(flowers + borders)
        note = f"{runs['fit'][0]:.1%} of the cases lie on their side of borders {runs['border_size'][0]:.2f} long."
        figures.append(
            Figure(label, "Cases and borders", columns, "petal length", "petal width", ("border",), note)
        )
    return figures


def _point(xy: Sequence[float], series: str, group: int) -> dict[str, Any]:
    return {"x": xy[0], "y": xy[1], "series": series, "group": group}


# of each kind the version that fits too closely, and the one that does not
KINDS = (("ID3", "pruned-tree"), ("backprop-30", "backprop-2"), ("1-NN", "10-NN"))
SIX = tuple(name for kind in KINDS for name in kind)


def _measures(frame: pl.DataFrame) -> dict[str, Array]:
    """Give the measure of each classifier by seed; one that draws no numbers has the same for all."""
    runs = {str(name): own["measure"].to_numpy() for (name,), own in frame.group_by(["model"])}
    if not set(MAKERS) <= set(runs):
        return {}
    seeds = min(len(runs[name]) for name in RANDOM)
    return {name: np.resize(runs[name], seeds) for name in MAKERS}


def _above(*pairs: tuple[str, str]) -> Test:
    """Whether the first of each pair has the higher measure."""

    def seek(frame: pl.DataFrame) -> list[Sought]:
        runs = _measures(frame)
        return [_difference(f"{high} less {low}", runs[high] - runs[low]) for high, low in pairs if runs]

    return seek


def _difference(what: str, differences: Array) -> Sought:
    """Where neither of two classifiers draws numbers, nothing random is in their difference."""
    if not np.ptp(differences):
        return Sought.of_exact(what, float(differences[0]), above=0)
    return Sought.of_mean(what, differences, above=0)


def _kinds_are_near(frame: pl.DataFrame) -> list[Sought]:
    """Compare the difference of two versions of a kind with that of the same version of two kinds."""
    runs = _measures(frame)
    across = [pair for version in zip(*KINDS, strict=True) for pair in combinations(version, 2)]
    gaps = [[np.abs(runs[a] - runs[b]) for a, b in pairs if runs] for pairs in (KINDS, across)]
    return [_difference("all kinds", np.mean(gaps[0], axis=0) - np.mean(gaps[1], axis=0))] if runs else []


def _rounding(frame: pl.DataFrame) -> list[Sought]:
    return [Sought.of_exact(cell.row, cell.distance, above=-LIMIT, below=LIMIT) for cell in _formula()]


def _terms(row: str) -> tuple[float, float, float, float]:
    """Give the printed terms of a classifier, simplicity being the border with a minus."""
    fit, right, wrong, size, _ = (TABLE[row, term].value for term in TABLE.columns)
    return fit, right, wrong, -size


def _influence(frame: pl.DataFrame) -> Decision:
    """Compare what fit, similarity and simplicity, each weighted, contribute to differences among the six."""
    weighted = MeasureWeights().total
    terms = [
        (weighted(f, 0, 0, 0), weighted(0, r, w, 0), weighted(0, 0, 0, s)) for f, r, w, s in map(_terms, SIX)
    ]
    spreads = np.std(terms, axis=0, ddof=1)
    ratio = Sought.of_exact("largest over least", float(spreads.max() / spreads.min()), below=2)
    named = zip(("fit", "similarity", "simplicity"), spreads, strict=True)
    return Decision("", [ratio], f"Deviations: {', '.join(f'{name} {own:.4f}' for name, own in named)}.")


def _winners(frame: pl.DataFrame) -> list[Sought]:
    """Name the best of the six by the printed terms, each weight of the measure halved, kept or doubled."""
    terms = {row: _terms(row) for row in SIX}

    def winner(a0: float, a1: float, a2: float) -> str:
        weights = MeasureWeights(a0=a0, a1=a1, a2=a2 * MeasureWeights().a2)
        return max(SIX, key=lambda row: weights.total(*terms[row]))

    best = {winner(*times) for times in product((0.5, 1.0, 2.0), repeat=3)}
    return [Sought.of_exact(f"different winners ({', '.join(sorted(best))})", len(best), above=1)]


TESTS: Mapping[str, Test] = {
    "best": _above(*(("10-NN", name) for name in SIX if name != "10-NN")),
    "learner": _above(*(("measure-based", name) for name in SIX)),
    "overfitting": _above(*((loose, close) for close, loose in KINDS)),
    "kinds": _kinds_are_near,
    "weights": _winners,
    "influence": _influence,
    "formula": _rounding,
}
PAPER = Paper(PUBLISHED, jobs, report, tests=TESTS)
