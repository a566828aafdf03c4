"""Recommend: which estimate of error can be trusted for this estimator on data like mine?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, product, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fivefold.data.dnf_concepts import Concept
from fivefold.data.exact_error import TrueError, claims
from fivefold.errors import InputError
from fivefold.inputs.columns import read_columns
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.progress import part, shows_progress
from fivefold.results import LOWER, Result
from fivefold.training.fit_predict import LabelledTable, check_fits_and_predicts, read_labelled_table
from fivefold.truth.error_estimate import Floats
from fivefold.truth.estimation import estimate_error
from fivefold.truth.simulation import (
    MethodsGiven,
    Quality,
    Simulation,
    World,
    quality_columns,
    read_methods,
    simulate,
)

N_SPLITS = 10
MOST_BITS = 5  # in one column
FAR = 0.05  # from the difficulty of the data
# clauses, and attributes in each: from what one glance finds to what a few hundred cases cannot show
EASY = ((1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (1, 4))
HARD = ((3, 2), (4, 3), (2, 4), (4, 4), (6, 4))
NOISE_SHARES = (0.3, 0.6, 0.95)  # of the error; a learner that fits noise errs more often than labels do
HIGHEST_NOISE = 0.45
# what is compared of the data and a concept; with the first, the bias of every estimate is a function of them
PROFILE = {"(cv)": "cv", "(own cases)": "resubstitution", "(out of bag)": "bootstrap"}
# data are like no concept in all respects, so a concept may be as far off as twice its variance allows
UNLIKENESS = 2.0
CLEARLY = 0.9  # the least probability that an estimate is worse
LEAST_CONCEPTS = 6  # that the estimator can learn from, where it fails on others


@shows_progress
def recommend(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    methods: MethodsGiven = ("holdout", "cv", "632", "632+"),
    n_concepts: int = 48,
    n_repeats: int = 5,
    n_test: int = 2_000,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    progress: bool | None = None,
) -> Recommendation:
    r"""Name the estimate of error that comes nearest to the truth on known concepts like the data.

    Many random concepts are made: formulas over boolean attributes and hyperplanes through as many columns as the
    data have, with the same class balance, with and without noise. On each, `simulate` compares the estimates with
    the true error in training sets of the size of the data. A concept counts by how well it explains what was seen
    on the data: the errors :math:`a` in cross-validation, on the training cases and out of bag,

    .. math:: w \propto \exp\bigl(-\tfrac12 (a - \mu)^\top \Sigma^{-1} (a - \mu)\bigr),

    with the mean :math:`\mu` of the same three on the concept, and twice their covariance :math:`\Sigma` within
    concepts. So those count that let the learner overfit as it does on the data, and learn as fast. The estimate
    with the smallest weighted mean squared error is recommended.

    Parameters
    ----------
    estimator : classifier
        An object with `fit` and `predict`. It must be able to learn from booleans, which are all that most of the
        concepts have, and from numbers if the data have some.
    X : dataframe or 2-D array-like
        The cases. Beside the estimator's errors their number matters, and how many bits they hold: a column of v
        different values holds :math:`\lceil \lg v \rceil`, but no more than five.
    y : array-like
        Their classes.
    methods : str, sequence of str, or mapping
        The estimates to choose from, as in `simulate`.
    n_concepts : int
        How many concepts are simulated, or fewer if the columns do not allow so many.
    n_repeats, n_test, n_jobs, random_state
        As in `simulate`, for each concept.
    progress : bool, optional
        Whether to tell on standard error what is being done; by default on a terminal and in a notebook.

    Returns
    -------
    Recommendation
        ``.method``, ``.quality`` and ``.sentence()``; ``.rivals`` cannot be told apart from it; ``.assumptions``
        says what it rests on.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.naive_bayes import BernoulliNB
    >>> X, y = ff.data.concept("dnf4").sample(60, random_state=0)
    >>> advice = ff.truth.recommend(BernoulliNB(), X, y, methods=("cv", "632"), n_concepts=3, random_state=0)
    >>> advice.method in ("cv", "632")
    True
    """
    check_fits_and_predicts(estimator)
    table, named = read_labelled_table(X, y), read_methods(methods)
    positive_int(n_concepts, "n_concepts")
    rng = as_generator(random_state)
    asked: dict[str, Any] = {label: {"method": method, **more} for label, (method, more) in named.items()}
    run = partial(
        simulate, methods=asked | PROFILE, n_repeats=n_repeats, n_test=n_test, n_jobs=n_jobs, random_state=rng
    )
    with part() as step:
        step.begin("the errors on the data")
        like = _describe(estimator, table, X, y, n_jobs, rng)
        concepts = _draw_worlds(like, n_concepts, rng)
        simulations, failure = [], None
        for number, concept in enumerate(concepts, 1):
            step.begin(f"concept {number} of {len(concepts)}")
            try:
                simulations.append(run(estimator, concept, like.n))
            except (ValueError, TypeError) as error:  # it may be made for numbers only
                failure = error
    if failure is not None and len(simulations) < LEAST_CONCEPTS:
        expected = "an estimator that can learn from arrays of booleans without names of columns"
        raise InputError(expected, str(getattr(failure, "got", failure))) from failure
    return Recommendation(like, tuple(simulations), len(concepts) - len(simulations))


def _describe(
    estimator: Any, table: LabelledTable, X: Any, y: Any, n_jobs: int | None, rng: np.random.Generator
) -> Likeness:
    n = len(table)
    if n < N_SPLITS:
        raise InputError(f"at least {N_SPLITS} cases", f"{n}", "fewer say nothing about the learner")
    profile = tuple(
        estimate_error(estimator, X, y, method=method, n_jobs=n_jobs, random_state=rng).value
        for method in PROFILE.values()
    )
    balance = np.bincount(table.codes).max() / n
    columns = read_columns(X)
    values = [np.unique(column.values[~column.missing]).size for column in columns]
    bits = sum(min(max(1, math.ceil(math.log2(max(v, 1)))), MOST_BITS) for v in values)
    numeric = any(c.categories is None and v > 2 for c, v in zip(columns, values, strict=True))
    difficulty = (n * profile[0] + 1) / (n + 2)
    return Likeness(n, len(values), bits, float(balance), difficulty, profile, numeric)


@dataclass(frozen=True)
class Likeness:
    """What the concepts should share with the data."""

    n: int
    n_columns: int
    n_bits: int  # that the columns hold: as many boolean attributes at the most
    balance: float  # the share of the largest class
    difficulty: float  # the error in cross-validation, with one error and one right answer added
    profile: tuple[float, ...]  # the errors in cross-validation, on the training cases and out of bag
    numeric: bool = False  # whether a column has more than two numbers


@dataclass(frozen=True, eq=False)
class Recommendation(
    Result, title="Recommended estimate of error", unit="share of wrong answers", direction=LOWER
):
    """What each estimate is worth on known concepts that are like the data.

    Parameters
    ----------
    data : Likeness
        What the concepts were to share with the data.
    simulations : tuple of Simulation
        One for each concept.
    n_left_out : int
        Concepts that the estimator could not learn from.
    """

    data: Likeness
    simulations: tuple[Simulation, ...] = field(repr=False)
    n_left_out: int = 0

    @cached_property
    def weights(self) -> Floats:
        """How much each concept counts: the likelihood of the errors on the data, in shares of one."""
        profiles = np.array([[s.estimates[label] for label in PROFILE] for s in self.simulations])
        means, n_repeats = profiles.mean(axis=2), profiles.shape[2]
        gaps = means - np.array(self.data.profile)
        similar = np.argsort(np.abs(gaps[:, 0]), kind="stable")[: max(6, len(gaps) // 2)]
        covariance = np.mean([np.cov(profiles[place]) for place in similar], axis=0)
        # the mean of a few repeats varies too, and counts of n cases are no finer than one of them
        covariance = (
            UNLIKENESS * (1 + 1 / n_repeats) * covariance + np.eye(len(PROFILE)) / (2 * self.data.n) ** 2
        )
        distances = np.einsum("wi,ij,wj->w", gaps, np.linalg.inv(covariance), gaps)
        weights = np.exp((distances.min() - distances) / 2)
        return np.asarray(weights / weights.sum())

    @cached_property
    def quality(self) -> dict[str, Quality]:
        """The quality of each estimate over all concepts, the best first."""
        labels = [label for label in self.simulations[0].estimates if label not in PROFILE]
        pooled = {
            label: _pool([s.quality[label] for s in self.simulations], self.weights) for label in labels
        }
        return dict(sorted(pooled.items(), key=lambda pair: pair[1].rmse))

    @property
    def method(self) -> str:
        """The estimate with the smallest root mean squared error."""
        return next(iter(self.quality))

    @cached_property
    def worse(self) -> dict[str, float]:
        r"""How probable it is that each of the other estimates is further from the truth than the recommended one.

        By the weight :math:`s` of the concepts in which it is, and Laplace's rule for as many concepts as the
        weights are worth, :math:`(ms + 1) / (m + 2)` with :math:`m = 1 / \sum w^2`.
        """
        m = 1 / float(np.square(self.weights).sum())
        first, *others = self.quality
        off = {label: np.array([s.quality[label].rmse for s in self.simulations]) for label in self.quality}
        wins = {label: float(self.weights @ (off[label] > off[first])) for label in others}
        return {label: (m * share + 1) / (m + 2) for label, share in wins.items()}

    @property
    def rivals(self) -> tuple[str, ...]:
        """The estimates that cannot be told from the recommended one: worse with a probability below 90 %."""
        return tuple(label for label, probability in self.worse.items() if probability < CLEARLY)

    @property
    def clear(self) -> bool:
        """Whether every other estimate is worse with a probability of at least 90 %."""
        return not self.rivals

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the recommendation takes for granted."""
        data = self.data
        reached = float(self.weights @ [simulation.true_mean for simulation in self.simulations])
        widths = " or ".join(str(width) for width in dict.fromkeys((data.n_columns, data.n_bits)))
        assumptions = [
            f"the data are like some of {len(self.simulations)} random concepts, formulas over {widths} fair, "
            f"independent bits and hyperplanes through {data.n_columns} columns",
            f"there are two classes, one of which has {data.balance:.0%} of the cases (further classes are taken "
            "together)",
            f"the learner errs in about {data.profile[0]:.1%} of cases, as cross-validation says (on the "
            f"concepts in {reached:.1%})",
            f"the {data.n:,} cases are independent",
        ]
        if self.n_left_out:
            assumptions.append(f"it matters little that it failed on {self.n_left_out} further concepts")
        if abs(reached - data.difficulty) > max(FAR, data.difficulty / 2):
            assumptions.append("it matters little that none of the concepts is about as hard as the data")
        return tuple(assumptions)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each estimate, the best first."""
        return quality_columns(self.quality)

    def sentence(self) -> str:
        """Say which estimate to use, how good it is, and what that rests on."""
        best = self.quality[self.method]
        head = (
            f"Use {self.method}: on concepts like these data it misses the true error by {100 * best.rmse:.1f} "
            f"points (bias {100 * best.bias:+.1f}, spread {100 * best.spread:.1f})."
        )
        return " ".join([head, *self._beside(), f"This assumes that {'; that '.join(self.assumptions)}."])

    def _beside(self) -> list[str]:
        """Say which estimates are worse, and which cannot be told from the best."""
        sentences = []
        if self.rivals:
            sentences.append(f"It cannot be told apart from {self._listed(self.rivals)}.")
        worse = [label for label in self.worse if label not in self.rivals]
        if worse:
            verb = "is" if len(worse) == 1 else "are"
            sentences.append(f"Clearly worse {verb} {self._listed(worse)}.")
        return sentences

    def _listed(self, labels: Sequence[str]) -> str:
        return ", ".join(f"{label} ({100 * self.quality[label].rmse:.1f} points)" for label in labels)

    def __str__(self) -> str:
        rest = ", ".join(f"{label} {100 * quality.rmse:.1f}" for label, quality in self.quality.items())
        return f"use {self.method}{'' if self.clear else ' (no clear winner)'}; points off the truth: {rest}"


def _pool(parts: Sequence[Quality], weights: Floats) -> Quality:
    def mean(name: str, power: int = 1) -> float:
        return float(np.average([getattr(part, name) ** power for part in parts], weights=weights))

    errors = [part.bias_standard_error for part in parts]
    correlations = np.array([part.correlation for part in parts])
    known = ~np.isnan(correlations)
    return Quality(
        mean=mean("mean"),
        bias=mean("bias"),
        bias_standard_error=float(np.sqrt(weights**2 @ np.square(errors))),
        spread=math.sqrt(mean("spread", 2)),
        rmse=math.sqrt(mean("rmse", 2)),
        correlation=float(np.average(correlations[known], weights=weights[known]))
        if known.any()
        else math.nan,
    )


@dataclass(frozen=True)
class LinearConcept:
    """A hyperplane through normal attributes, or fair bits, with a direction of length one and noise across it."""

    weights: tuple[float, ...]
    noise: float  # its standard deviation; those of the attributes are one
    balance: float
    boolean: bool

    def sample(self, n: int, random_state: RandomState = None) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Draw cases."""
        rng = as_generator(random_state)
        X = rng.normal(size=(n, len(self.weights)))
        side = np.sign(X) if self.boolean else X
        across = side @ np.array(self.weights) + self.noise * rng.normal(size=n)
        edge = -float(ndtri(self.balance)) * math.hypot(1, self.noise)
        return (X > 0 if self.boolean else X), across > edge

    def true_error(self, model: Any, *, n_cases: int = 20_000, random_state: RandomState = 0) -> TrueError:
        """Give the share of fresh cases that a model gets wrong."""
        X, y = self.sample(n_cases, random_state)
        claimed, denied = claims(model, X)
        wrong = np.where(y, ~claimed, ~denied)
        error = float(wrong.mean())
        missed, false = (float(wrong[side].mean()) if side.any() else 0.0 for side in (y, ~y))
        return TrueError(error, missed, false, math.sqrt(error * (1 - error) / n_cases), n_cases)


def _draw_worlds(like: Likeness, n_concepts: int, rng: np.random.Generator) -> list[World]:
    """Draw concepts of three kinds by turns: hyperplanes, formulas without noise and with it.

    Real columns say the same thing twice and are not all irrelevant, so that formulas may have fewer attributes
    than the columns have bits.
    """
    kinds: list[list[World]] = [
        [plane for plane in _draw_hyperplanes(like, rng) if not plane.boolean or _has_both(plane, like.n)],
        list(_draw_concepts(like, EASY + HARD, (0.0,), rng)),
        list(_draw_concepts(like, EASY, NOISE_SHARES, rng)),
    ]
    mixed = ([kind[place] for place in rng.permutation(len(kind))] for kind in kinds)
    turns = chain.from_iterable(zip_longest(*mixed))
    return [world for world in turns if world is not None][:n_concepts]


def _draw_hyperplanes(like: Likeness, rng: np.random.Generator) -> Iterator[LinearConcept]:
    """Draw directions through one column, half of them and all; a share of the error cannot be avoided."""
    d = like.n_columns
    for n_relevant, share in product(dict.fromkeys((1, -(-d // 2), d)), (0.0, *NOISE_SHARES, 1.0)):
        weights = np.zeros(d)
        weights[:n_relevant] = rng.normal(size=n_relevant)
        weights /= np.linalg.norm(weights)
        # of two normal variables, so far apart in angle, the signs differ in this share of cases
        noise = math.tan(math.pi * min(share * like.difficulty, HIGHEST_NOISE))
        yield LinearConcept(tuple(weights.tolist()), noise, like.balance, not like.numeric)
    yield LinearConcept(tuple(weights.tolist()), 1e6, like.balance, not like.numeric)


def _has_both(plane: LinearConcept, n: int) -> bool:
    """Say whether bits reach both sides of a plane that would be as rare a class of normal attributes."""
    _, y = plane.sample(min(10 * n, 200_000), 0)
    return bool(y.any() and not y.all())


def _draw_concepts(
    like: Likeness, shapes: Sequence[tuple[int, int]], noise_shares: Sequence[float], rng: np.random.Generator
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
