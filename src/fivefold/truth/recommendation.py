"""Recommend: which estimate of error can be trusted for this estimator on data like mine?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from typing import Any, ClassVar

import numpy as np

from fivefold.data.dnf_concepts import Concept
from fivefold.errors import InputError
from fivefold.inputs.columns import read_columns
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.progress import part, shows_progress
from fivefold.results import Direction, Result
from fivefold.training.fit_predict import (
    LabelledTable,
    check_fits_and_predicts,
    in_parallel,
    read_labelled_table,
)
from fivefold.training.seeding import draw_seeds
from fivefold.truth.error_estimate import Floats
from fivefold.truth.estimation import estimate_error
from fivefold.truth.simulation import (
    SUMMARY,
    MethodsGiven,
    Quality,
    Simulation,
    estimate_once,
    read_methods,
    simulate,
)

__all__ = ["Likeness", "Recommendation", "find_similar", "recommend"]

N_SPLITS = 10
MOST_BITS = 5  # in one column
FAR = 0.05  # from the difficulty of the data
# clauses, and attributes in each: from what one glance finds to what a few hundred cases cannot show
EASY = ((1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (1, 4))
HARD = ((3, 2), (4, 3), (2, 4), (4, 4), (6, 4))
NOISE_SHARES = (0.25, 0.5, 0.9)  # of the error; a learner that fits noise errs more often than labels do
HIGHEST_NOISE = 0.45
PILOT_REPEATS = 6
PILOT_CASES = 2_000


@shows_progress
def recommend(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    methods: MethodsGiven = ("holdout", "cv", "632", "632+"),
    n_concepts: int = 4,
    n_repeats: int = 50,
    n_test: int = 5_000,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    progress: bool | None = None,
) -> Recommendation:
    r"""Name the estimate of error that comes nearest to the truth on known concepts like the data.

    Random concepts are made with as many boolean attributes as the data have columns, or bits in their columns,
    and with the same class balance. Of these, some are kept on which the estimator errs about as often as on the
    data: one half of them are hard to learn, the other half have noisy labels. How often it errs on the data is
    told by cross-validation, with one error and one right answer added, as nobody errs never. On each concept
    `simulate` compares the estimates with the true error in training sets of the size of the data, and the
    estimate with the smallest root mean squared error over all of them is recommended.

    Parameters
    ----------
    estimator : classifier
        An object with `fit` and `predict`. It must be able to learn from booleans, since the concepts have no
        other attributes.
    X : dataframe or 2-D array-like
        The cases. Beside the estimator's error only their number matters and how many bits they hold: a column of
        v different values holds :math:`\lceil \lg v \rceil`, but no more than five.
    y : array-like
        Their classes.
    methods : str, sequence of str, or mapping
        The estimates to choose from, as in `simulate`.
    n_concepts : int
        How many concepts are simulated; the first, third and so on have no noise.
    n_repeats : int
        Training sets drawn from each.
    n_test : int
        Cases that the true error is simulated with where it cannot be computed exactly.
    n_jobs : int, optional
        How many training sets are worked on at the same time. The result does not depend on it.
    random_state : int, Generator, RandomState or None
        Where the randomness comes from.
    progress : bool, optional
        Whether to tell on standard error what is being done; by default on a terminal and in a notebook.

    Returns
    -------
    Recommendation
        ``.method``, ``.quality`` and ``.sentence()``; ``.assumptions`` says what it rests on.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> X, y = ff.data.concept("dnf4").sample(60, random_state=0)
    >>> advice = ff.truth.recommend(BernoulliNB(), X, y, methods=("cv", "632"), n_repeats=10, random_state=0)
    >>> advice.method in ("cv", "632")
    True
    """
    check_fits_and_predicts(estimator)
    table, named = read_labelled_table(X, y), read_methods(methods)
    positive_int(n_concepts, "n_concepts")
    rng = as_generator(random_state)
    options: dict[str, Any] = {
        "methods": {label: {"method": method, **more} for label, (method, more) in named.items()},
        "n_repeats": n_repeats,
        "n_test": n_test,
        "n_jobs": n_jobs,
        "random_state": rng,
    }
    with part(total=2 + n_concepts) as step:
        step.begin("cross-validation")
        like = _describe(estimator, table, X, y, n_jobs, rng)
        step.begin("looking for similar concepts")
        concepts = find_similar(estimator, like, n_concepts, n_jobs=n_jobs, rng=rng)
        simulations = []
        for number, (concept, _) in enumerate(concepts, 1):
            step.begin(f"concept {number} of {n_concepts}")
            simulations.append(simulate(estimator, concept, like.n, **options))
    return Recommendation(like, tuple(simulations))


def _describe(
    estimator: Any, table: LabelledTable, X: Any, y: Any, n_jobs: int | None, rng: np.random.Generator
) -> Likeness:
    n = len(table)
    if n < N_SPLITS:
        raise InputError(f"at least {N_SPLITS} cases", f"{n}", "fewer say nothing about the learner")
    estimate = estimate_error(estimator, X, y, n_splits=N_SPLITS, n_jobs=n_jobs, random_state=rng)
    difficulty = (n * estimate.value + 1) / (n + 2)
    balance = np.bincount(table.codes).max() / n
    values = [np.unique(column.values[~column.missing]).size for column in read_columns(X)]
    bits = sum(min(max(1, math.ceil(math.log2(max(v, 1)))), MOST_BITS) for v in values)
    return Likeness(n, len(values), bits, float(balance), difficulty)


@dataclass(frozen=True)
class Likeness:
    """What the concepts should share with the data.

    Parameters
    ----------
    n : int
        Cases.
    n_columns, n_bits : int
        Columns, and the bits that they hold: the fewest and the most boolean attributes.
    balance : float
        The share of the largest class.
    difficulty : float
        The estimator's error, as estimated from the data.
    """

    n: int
    n_columns: int
    n_bits: int
    balance: float
    difficulty: float


@dataclass(frozen=True, eq=False)
class Recommendation(Result):
    """What each estimate is worth on known concepts that are like the data.

    Parameters
    ----------
    data : Likeness
        What the concepts were to share with the data.
    simulations : tuple of Simulation
        One for each concept.
    """

    title: ClassVar[str] = "Recommended estimate of error"
    unit: ClassVar[str] = "share of wrong answers"
    direction: ClassVar[Direction] = "lower is better"

    data: Likeness
    simulations: tuple[Simulation, ...] = field(repr=False)

    @cached_property
    def quality(self) -> dict[str, Quality]:
        """The quality of each estimate over all concepts, the best first."""
        labels = self.simulations[0].estimates
        pooled = {label: _pool([s.quality[label] for s in self.simulations]) for label in labels}
        return dict(sorted(pooled.items(), key=lambda pair: pair[1].rmse))

    @property
    def method(self) -> str:
        """The estimate with the smallest root mean squared error."""
        return next(iter(self.quality))

    @cached_property
    def clear(self) -> bool:
        """Whether the best estimate beats the next by more than two standard errors of the difference."""
        if len(self.quality) < 2:
            return True
        first, second = list(self.quality)[:2]
        gains = [_gain(simulation, first, second) for simulation in self.simulations]
        mean = np.mean([gain.mean() for gain in gains])
        variance = np.sum([gain.var(ddof=1) / gain.size for gain in gains]) / len(gains) ** 2
        return bool(mean > 2 * math.sqrt(variance))

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the recommendation takes for granted."""
        data = self.data
        reached = [simulation.true_mean for simulation in self.simulations]
        widths = " or ".join(str(width) for width in dict.fromkeys((data.n_columns, data.n_bits)))
        assumptions = [
            f"the data are like {len(self.simulations)} random formulas over {widths} fair, independent bits",
            f"there are two classes, one of which has {data.balance:.0%} of the cases (further classes are taken "
            "together)",
            f"the learner errs in about {data.difficulty:.1%} of cases, as cross-validation says (on the formulas "
            f"in {', '.join(f'{error:.1%}' for error in reached)})",
            f"the {data.n:,} cases are independent",
        ]
        if min(abs(error - data.difficulty) for error in reached) > max(FAR, data.difficulty / 2):
            assumptions.append("it matters little that none of the formulas is about as hard as the data")
        return tuple(assumptions)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each estimate, the best first."""
        table: dict[str, list[Any]] = {"estimate": list(self.quality)}
        for name in SUMMARY:
            table[name] = [getattr(quality, name) for quality in self.quality.values()]
        return table

    def sentence(self) -> str:
        """Say which estimate to use, how good it is, and what that rests on."""
        best = self.quality[self.method]
        head = (
            f"Use {self.method}: on concepts like these data it misses the true error by {100 * best.rmse:.1f} "
            f"points (bias {100 * best.bias:+.1f}, spread {100 * best.spread:.1f})."
        )
        return " ".join([head, *self._runner_up(), f"This assumes that {'; that '.join(self.assumptions)}."])

    def _runner_up(self) -> list[str]:
        if len(self.quality) < 2:
            return []
        name, quality = list(self.quality.items())[1]
        verdict = "clearly worse" if self.clear else "not clearly worse"
        return [
            f"Next is {name}, {verdict}, with {100 * quality.rmse:.1f} points (bias {100 * quality.bias:+.1f})."
        ]

    def __str__(self) -> str:
        rest = ", ".join(f"{label} {100 * quality.rmse:.1f}" for label, quality in self.quality.items())
        return f"use {self.method}{'' if self.clear else ' (no clear winner)'}; points off the truth: {rest}"


def _pool(parts: Sequence[Quality]) -> Quality:
    known = [part.correlation for part in parts if not math.isnan(part.correlation)]
    return Quality(
        mean=float(np.mean([part.mean for part in parts])),
        bias=float(np.mean([part.bias for part in parts])),
        bias_standard_error=math.sqrt(sum(part.bias_standard_error**2 for part in parts)) / len(parts),
        spread=math.sqrt(np.mean([part.spread**2 for part in parts])),
        rmse=math.sqrt(np.mean([part.rmse**2 for part in parts])),
        correlation=float(np.mean(known)) if known else float("nan"),
    )


def _gain(simulation: Simulation, first: str, second: str) -> Floats:
    """Give for each training set how much nearer the first estimate came, in squares."""
    off = {label: (simulation.estimates[label] - simulation.true_error) ** 2 for label in (first, second)}
    return off[second] - off[first]


def find_similar(
    estimator: Any, like: Likeness, n_concepts: int, *, n_jobs: int | None, rng: np.random.Generator
) -> list[tuple[Concept, float]]:
    """Find concepts on which the estimator errs about as often as on the data, and how often it does.

    An estimator may err because the concept is hard or because labels are noisy, and estimates fare differently in
    the two worlds. So concepts without noise and with it take turns, the nearest first. Real columns say the same
    thing twice and are not all irrelevant, so that there may be fewer attributes than the columns have bits.
    """
    clean = list(_draw_concepts(like, EASY + HARD, (0.0,), rng))
    noisy = list(_draw_concepts(like, EASY, NOISE_SHARES, rng))
    trials = [(concept, draw_seeds(PILOT_REPEATS, rng)) for concept in clean + noisy]
    pilot = partial(_pilot_error, estimator, like.n)
    errors = in_parallel(pilot, trials, n_jobs, prefer=None, what="candidate")
    rated = list(zip(clean + noisy, errors, strict=True))
    worlds = (
        sorted(world, key=lambda pair: abs(pair[1] - like.difficulty))
        for world in (rated[: len(clean)], rated[len(clean) :])
    )
    ranked = [candidate for pair in zip(*worlds, strict=False) for candidate in pair]
    if n_concepts > len(ranked):
        raise InputError(f"n_concepts of at most {len(ranked)} for such data", f"{n_concepts}")
    return ranked[:n_concepts]


def _pilot_error(estimator: Any, n: int, trial: tuple[Concept, list[int]]) -> float:
    """Give the mean true error on a few training sets of a concept."""
    known, seeds = trial
    return float(
        np.mean([estimate_once(estimator, known, n, {}, PILOT_CASES, seed)[0].value for seed in seeds])
    )


def _draw_concepts(
    like: Likeness,
    shapes: Sequence[tuple[int, int]],
    noise_shares: Sequence[float],
    rng: np.random.Generator,
) -> Iterator[Concept]:
    widths = dict.fromkeys((like.n_columns, like.n_bits))
    for share, width, (n_clauses, n_literals) in product(noise_shares, widths, shapes):
        if n_literals <= width and (n_clauses == 1 or n_literals < width):
            noise = min(share * like.difficulty, HIGHEST_NOISE)
            yield _draw_concept(n_clauses, n_literals, width, like.balance, noise, rng)


def _draw_concept(
    n_clauses: int, n_literals: int, width: int, balance: float, noise: float, rng: np.random.Generator
) -> Concept:
    """Draw clauses until they are no tautology."""
    while True:
        clauses = tuple(_clause(n_literals, width, rng) for _ in range(n_clauses))
        try:
            return Concept(clauses, width, balance, noise)
        except InputError:
            continue


def _clause(n_literals: int, n_attributes: int, rng: np.random.Generator) -> tuple[tuple[int, bool], ...]:
    places = np.sort(rng.choice(n_attributes, size=n_literals, replace=False)).tolist()
    return tuple((place, bool(rng.integers(2))) for place in places)
