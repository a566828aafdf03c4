"""Simulate: which estimates of error can be trusted when the truth is known, and as training sets grow?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from fivefold.data.dnf_concepts import concept
from fivefold.data.exact_error import TrueError
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import RandomState, as_generator, instance_of, positive_int
from fivefold.results import LOWER, Result, make_frame
from fivefold.training.fit_predict import (
    check_fits_and_predicts,
    fit_and_ask,
    in_parallel,
    read_labelled_table,
    refit_seeds,
)
from fivefold.training.seeds import draw_seeds, stream
from fivefold.training.splits import Resamples, Rows
from fivefold.truth.error_estimate import ErrorEstimate, Floats
from fivefold.truth.estimation import estimate_error

T = TypeVar("T")
Bools: TypeAlias = NDArray[np.bool_]
# a name of one's own, the method of `estimate_error` behind it, and its options
Methods: TypeAlias = Mapping[str, tuple[str, Mapping[str, Any]]]
MethodsGiven: TypeAlias = str | Iterable[str] | Mapping[str, str | Mapping[str, Any]]
# all made of the same two numbers, the error out of bag and the error of resubstitution
BOOTSTRAPS = ("bootstrap", "632", "632+")
_MOST_DRAWS = 10_000


@runtime_checkable
class World(Protocol):
    """What cases are drawn from, and what knows the true error of a model on them."""

    def sample(self, n: int, random_state: RandomState = ...) -> tuple[NDArray[Any], Bools]:
        """Draw cases and their classes."""

    def true_error(self, model: Any, *, n_cases: int = ..., random_state: RandomState = ...) -> TrueError:
        """Give the probability that a fitted model is wrong about the next case."""


def simulate(
    estimator: Any,
    concept: World | str,
    n: int,
    *,
    methods: MethodsGiven = ("cv", "632"),
    n_repeats: int = 100,
    n_test: int = 20_000,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> Simulation:
    r"""Draw training sets from a known concept and compare estimates of error with the true error.

    For training sets :math:`X_1, \dots, X_R`, true errors :math:`\mathrm{Err}_r` of what is learnt from them and
    estimates :math:`\widehat{\mathrm{Err}}_r`, the bias is the mean of
    :math:`\widehat{\mathrm{Err}}_r - \mathrm{Err}_r`, the spread the standard deviation of
    :math:`\widehat{\mathrm{Err}}_r`, and the correlation that of the two over the training sets: does the estimate
    know a lucky training set from an unlucky one?

    Parameters
    ----------
    estimator : classifier
        Any object with `fit` and `predict` that can learn from booleans. A rule learner that should learn the
        concept as the paper's does is ``Foil(target=True)``.
    concept : Concept or str
        What is true, or the name of one of the paper's concepts; or anything with its `sample` and `true_error`.
    n : int
        Cases in each training set. A set that happens to hold one class only is drawn anew.
    methods : str, sequence of str, or mapping
        Methods of `estimate_error`; or names of one's own for methods with options, as in
        ``{"ten folds": {"method": "cv", "n_splits": 10}}``.
    n_repeats : int
        How many training sets.
    n_test : int
        Cases that the true error is simulated with where it cannot be computed exactly.
    n_jobs : int, optional
        How many training sets are worked on at the same time, as in joblib. The result does not depend on it.
    random_state : int, Generator, RandomState or None
        Where the randomness comes from.

    Returns
    -------
    Simulation
        Numbers for each training set; ``.quality``, ``.summary()`` and ``.sentence()`` say what they mean.

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    Examples
    --------
    >>> import fivefold as ff
    >>> foil = ff.learners.Foil(target=True)
    >>> simulation = ff.truth.simulate(foil, "dnf2", 100, methods=("loo", "632"), n_repeats=20, random_state=0)
    >>> simulation.exact
    True
    >>> abs(simulation.quality["loo"].bias) < simulation.quality["632"].bias
    True
    """
    check_fits_and_predicts(estimator)
    known, named = as_concept(concept), read_methods(methods)
    positive_int(n, "n", least=2)
    positive_int(n_test, "n_test", least=2)
    run = partial(estimate_once, estimator, known, n, named, n_test)
    repeats = run_repeats(run, n_repeats, n_jobs=n_jobs, random_state=random_state)
    return Simulation(
        estimator=type(estimator).__name__,
        concept=known,
        n=n,
        true_error=np.array([truth.value for truth, _ in repeats]),
        true_error_standard_error=np.array([truth.standard_error for truth, _ in repeats]),
        estimates={label: np.array([estimates[label] for _, estimates in repeats]) for label in named},
        methods={label: method for label, (method, _) in named.items()},
    )


@dataclass(frozen=True)
class Quality:
    """How an estimate compares with the true error over many training sets.

    Parameters
    ----------
    mean : float
        The mean estimate.
    bias, bias_standard_error : float
        The mean of estimate minus true error, and its standard error.
    spread : float
        The standard deviation of the estimate.
    rmse : float
        The root of the mean squared distance from the true error of the same training set.
    correlation : float
        The correlation with the true error; NaN if one of the two never changes.
    """

    mean: float
    bias: float
    bias_standard_error: float
    spread: float
    rmse: float
    correlation: float


@dataclass(frozen=True, eq=False)
class Simulation(Result, title="Estimates against the truth", unit="share of wrong answers"):
    """The true error and its estimates in training sets drawn from a known concept.

    Parameters
    ----------
    estimator : str
        The type of the estimator.
    concept : Concept
        What is true.
    n : int
        Cases in each training set.
    true_error : ndarray of shape (n_repeats,)
        The true error of what was learnt from each training set.
    true_error_standard_error : ndarray of shape (n_repeats,)
        0 where the true error is exact.
    estimates : dict from str to ndarray of shape (n_repeats,)
        What each method made of each training set.
    methods : dict from str to str
        The method of `estimate_error` behind each name.
    """

    estimator: str
    concept: World
    n: int
    true_error: Floats = field(repr=False)
    true_error_standard_error: Floats = field(repr=False)
    estimates: Mapping[str, Floats] = field(repr=False)
    methods: Mapping[str, str]

    @property
    def n_repeats(self) -> int:
        """How many training sets there were."""
        return self.true_error.size

    @property
    def exact(self) -> bool:
        """Whether all true errors are exact."""
        return not self.true_error_standard_error.any()

    @property
    def true_mean(self) -> float:
        """The mean of the true error over training sets."""
        return float(self.true_error.mean())

    @property
    def true_spread(self) -> float:
        """The standard deviation of the true error itself over training sets."""
        return float(self.true_error.std(ddof=1))

    @cached_property
    def quality(self) -> dict[str, Quality]:
        """How near each estimate comes to the truth."""
        return {label: measure(values, self.true_error) for label, values in self.estimates.items()}

    @property
    def best(self) -> str:
        """The estimate with the smallest root mean squared error."""
        return min(self.quality, key=lambda label: self.quality[label].rmse)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each training set."""
        return {"repeat": np.arange(self.n_repeats), "true_error": self.true_error, **self.estimates}

    def summary(self, library: str = "polars") -> Any:
        """Give a data frame with one row for each estimate: bias, spread, correlation and so on."""
        return make_frame(quality_columns(self.quality), library)

    def sentence(self) -> str:
        """Say in plain words what was found."""
        heads = (
            f"Over {self.n_repeats} training sets of {self.n:,} cases the true error of {self.estimator} is "
            f"{100 * self.true_mean:.1f}% on average and varies by {_points(self.true_spread)} from set to set."
        )
        far = float(stdtrit(self.n_repeats - 1, 0.975))  # in standard errors
        return " ".join([heads, *(_sentence(label, quality, far) for label, quality in self.quality.items())])

    def __str__(self) -> str:
        parts = [
            f"{label}: bias {100 * q.bias:+.1f}, spread {100 * q.spread:.1f}"
            + ("" if math.isnan(q.correlation) else f", r {q.correlation:.2f}")
            for label, q in self.quality.items()
        ]
        return f"true error {100 * self.true_mean:.1f} ± {100 * self.true_spread:.1f}%; {'; '.join(parts)}"


def measure(estimates: Floats, truth: Floats) -> Quality:
    """Compare the estimates with the true errors of the same training sets."""
    off = estimates - truth
    varied = np.ptp(estimates) > 0 and np.ptp(truth) > 0
    return Quality(
        mean=float(estimates.mean()),
        bias=float(off.mean()),
        bias_standard_error=float(off.std(ddof=1) / math.sqrt(off.size)),
        spread=float(estimates.std(ddof=1)),
        rmse=float(np.sqrt(np.mean(off**2))),
        correlation=float(np.corrcoef(estimates, truth)[0, 1]) if varied else float("nan"),
    )


def quality_columns(estimates: Mapping[str, Quality]) -> dict[str, list[Any]]:
    """Give one row for each estimate: its name, and what is said of its quality."""
    qualities, names = estimates.values(), [item.name for item in fields(Quality)]
    return {"estimate": list(estimates), **{name: [getattr(q, name) for q in qualities] for name in names}}


def _sentence(label: str, quality: Quality, far: float) -> str:
    bias, error = quality.bias, quality.bias_standard_error
    if abs(bias) <= far * error:
        side = f"shows no bias beyond chance ({100 * bias:+.1f} points, standard error {100 * error:.1f})"
    else:
        word = "high" if bias > 0 else "low"
        side = f"is too {word} by {_points(abs(bias))} (standard error {100 * error:.1f})"
    known = not math.isnan(quality.correlation)
    follows = f", and its correlation with the true error is {quality.correlation:.2f}" if known else ""
    return f"The estimate {label} {side}, varies by {_points(quality.spread)}{follows}."


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


@dataclass(frozen=True, eq=False)
class LearningCurve(Result, title="Learning curve", unit="share of wrong answers", direction=LOWER):
    """Simulations with training sets of several sizes.

    Parameters
    ----------
    simulations : tuple of Simulation
        One for each size.
    """

    simulations: tuple[Simulation, ...] = field(repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the training sets."""
        return tuple(simulation.n for simulation in self.simulations)

    def columns(self) -> Mapping[str, Any]:
        r"""Give one row for each size and measure: its mean and its standard deviation over training sets.

        ``distinct`` is the number of different cases that the measure learns from: the size itself, but for the
        bootstrap's error out of bag the expected number in a resample, :math:`n (1 - (1 - 1/n)^n)`. Drawn there,
        that error lies on the curve of the true error if copies of a case teach the estimator nothing.
        """
        rows = [row for simulation in self.simulations for row in _rows(simulation)]
        names = ("n", "distinct", "measure", "mean", "spread", "bias")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def __str__(self) -> str:
        points = ", ".join(f"{100 * s.true_mean:.1f}% at {s.n:,}" for s in self.simulations)
        return f"true error of {self.simulations[0].estimator}: {points}"


def learning_curve(
    estimator: Any,
    concept: World | str,
    sizes: Iterable[int],
    *,
    methods: MethodsGiven = ("cv", "632", "bootstrap"),
    n_repeats: int = 10,
    n_test: int = 20_000,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> LearningCurve:
    """Simulate training sets of several sizes.

    Parameters
    ----------
    estimator, concept, methods, n_repeats, n_test, n_jobs, random_state
        As in `simulate`.
    sizes : iterable of int
        The sizes of the training sets.

    Returns
    -------
    LearningCurve
        ``.frame()`` has the means and the standard deviations of the true error and of each estimate.

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, figures 2 to 4.

    Examples
    --------
    >>> import fivefold as ff
    >>> foil = ff.learners.Foil(target=True)
    >>> curve = ff.truth.learning_curve(foil, "dnf3", (20, 80), methods="cv", random_state=0)
    >>> small, large = curve.simulations
    >>> small.true_mean > large.true_mean
    True
    """
    instance_of(sizes, (Iterable,), "sizes to be a sequence of numbers")
    grid = [positive_int(n, "each of sizes", least=2) for n in sizes]
    if not grid:
        raise InputError("at least one size", "none")
    streams = as_generator(random_state).spawn(len(grid))
    options: dict[str, Any] = {"methods": methods, "n_repeats": n_repeats, "n_test": n_test, "n_jobs": n_jobs}
    return LearningCurve(
        tuple(
            simulate(estimator, concept, n, random_state=rng, **options)
            for n, rng in zip(grid, streams, strict=True)
        )
    )


def _rows(simulation: Simulation) -> list[tuple[int, float, str, float, float, float]]:
    n, resampled = simulation.n, simulation.n * (1 - (1 - 1 / simulation.n) ** simulation.n)
    rows = [(n, float(n), "true_error", simulation.true_mean, simulation.true_spread, 0.0)]
    for label, quality in simulation.quality.items():
        distinct = resampled if simulation.methods[label] == "bootstrap" else float(n)
        rows.append((n, distinct, label, quality.mean, quality.spread, quality.bias))
    return rows


def read_methods(methods: MethodsGiven) -> Methods:
    """Read one method, several, or a mapping from a name of one's own to a method and its options.

    Examples
    --------
    >>> read_methods({"ten folds": {"method": "cv", "n_splits": 10}})
    {'ten folds': ('cv', {'n_splits': 10})}
    """
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Mapping | Sequence):
        raise InputTypeError("methods to be names of methods", f"{show(methods)} ({type(methods).__name__})")
    named = methods if isinstance(methods, Mapping) else {method: method for method in methods}
    if not named:
        raise InputError("at least one method", "none")
    return {label: _read_method(label, given) for label, given in named.items()}


def _read_method(label: object, given: object) -> tuple[str, Mapping[str, Any]]:
    if not isinstance(label, str) or label == "true_error":
        raise InputTypeError("methods to be named by text", show(label))
    if isinstance(given, str):
        return given, {}
    if not isinstance(given, Mapping) or not isinstance(given.get("method"), str):
        raise InputTypeError(
            f"a method, or a mapping with a method and its options, for {show(label)}",
            show(given),
            "write {'method': 'cv', 'n_splits': 10}",
        )
    if "metric" in given:
        raise InputError("estimates of error only", f"metric={show(given['metric'])} for {show(label)}")
    return given["method"], {name: value for name, value in given.items() if name != "method"}


def as_concept(given: Any) -> World:
    """Take a concept or the name of one."""
    if isinstance(given, str):
        return concept(given)
    if isinstance(given, World):
        return given
    raise InputTypeError("a Concept or the name of one", f"{show(given)} ({type(given).__name__})")


def run_repeats(
    run: Callable[[int], T], n_repeats: int, *, n_jobs: int | None, random_state: RandomState
) -> list[T]:
    """Run something with one seed for each repeat, so that neither their order nor `n_jobs` matters."""
    n_repeats = positive_int(n_repeats, "n_repeats", least=2)
    seeds = draw_seeds(n_repeats, as_generator(random_state))
    return in_parallel(run, seeds, n_jobs, prefer=None, what="training set")


def estimate_once(
    estimator: Any, known: World, n: int, methods: Methods, n_test: int, seed: int
) -> tuple[TrueError, dict[str, float]]:
    """Draw one training set, learn from it, and give the true error and each estimate of it."""
    X, y = training_set(known, n, stream(seed, "cases"))
    (truth,) = errors_after(estimator, known, X, y, np.ones((1, n), dtype=np.int64), n_test, seed)
    return truth, _estimates(estimator, X, y, methods, seed)


def training_set(known: World, n: int, rng: np.random.Generator) -> tuple[NDArray[Any], Bools]:
    """Draw cases; a set of one class only, from which nothing can be learnt, is drawn anew."""
    for _ in range(_MOST_DRAWS):
        X, y = known.sample(n, rng)
        if y.any() and not y.all():
            return X, y
    hint = "draw more cases, or from a concept whose classes are less rare"
    raise InputError(f"a concept with both classes among {n:,} cases", f"one in {_MOST_DRAWS:,} sets", hint)


def errors_after(
    estimator: Any, known: World, X: NDArray[Any], y: Bools, counts: Rows, n_test: int, seed: int
) -> list[TrueError]:
    """Give the true error of what is learnt from each training set, whose rows are counted in `counts`."""
    states = iter(stream(seed, "truth").spawn(len(counts)))

    def ask(model: Any, _X: Any, _rows: Any) -> TrueError:
        return known.true_error(model, n_cases=n_test, random_state=next(states))

    splits = Resamples(counts, out_of_bag=True)
    seeds = refit_seeds(estimator, len(counts), stream(seed, "learner"))
    return fit_and_ask(estimator, read_labelled_table(X, y), splits, ask, seeds)


def _estimates(estimator: Any, X: NDArray[Any], y: Bools, methods: Methods, seed: int) -> dict[str, float]:
    """Estimate the error in each way; the bootstrap and its mixtures share their resamples."""
    runs: dict[str, ErrorEstimate] = {}
    estimates = {}
    for label, (method, options) in methods.items():
        shared = method in BOOTSTRAPS and set(options) <= {"n_resamples"}
        name = "632+" if shared else method
        key = f"{name} {sorted(options.items())}"
        if key not in runs:
            # only the number counts here, and the check costs as many fits again
            more = {"check_duplicates": False} if name in ("632", "632+") else {}
            rng = stream(seed, key)
            runs[key] = estimate_error(estimator, X, y, method=name, random_state=rng, **{**more, **options})
        estimates[label] = _value(runs[key], method)
    return estimates


def _value(estimate: ErrorEstimate, method: str) -> float:
    """Give what a method says; .632+ is made of the numbers of the other bootstraps."""
    if method == estimate.method:
        return estimate.value
    inside, outside = estimate.parts["resubstitution"], estimate.parts["bootstrap"]
    return outside if method == "bootstrap" else 0.368 * inside + 0.632 * outside
