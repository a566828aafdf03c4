"""Simulate: which estimates of error can be trusted when the truth is known?"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fivefold.data.dnf_concepts import Concept, concept
from fivefold.data.exact_error import TrueError
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results import Direction, Result, make_frame
from fivefold.training.labelled_table import LabelledTable, check_learner, read_labelled_table
from fivefold.training.splits import Copies
from fivefold.truth.estimation import estimate_error
from fivefold.truth.refits import ask

Floats = NDArray[np.float64]
SUMMARY = ("mean", "bias", "bias_standard_error", "spread", "rmse", "correlation")


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
class Simulation(Result):
    """The true error and its estimates in training sets drawn from a known concept.

    Parameters
    ----------
    learner : str
        The learner.
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

    title: ClassVar[str] = "Estimates against the truth"
    unit: ClassVar[str] = "share of wrong answers"
    direction: ClassVar[Direction] = "neither"

    learner: str
    concept: Concept
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
        table: dict[str, list[Any]] = {"estimate": list(self.quality)}
        for name in SUMMARY:
            table[name] = [getattr(found, name) for found in self.quality.values()]
        return make_frame(table, library)

    def sentence(self) -> str:
        """Say in plain words what was found."""
        heads = (
            f"Over {self.n_repeats} training sets of {self.n:,} cases the true error of {self.learner} is "
            f"{_percent(self.true_mean)} on average and varies by {_percent(self.true_spread)} from set to set."
        )
        return " ".join([heads, *(_judge(label, found) for label, found in self.quality.items())])

    def __str__(self) -> str:
        parts = [
            f"{label}: bias {100 * found.bias:+.1f}, spread {100 * found.spread:.1f}, r {found.correlation:.2f}"
            for label, found in self.quality.items()
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


def _judge(label: str, found: Quality) -> str:
    error = found.bias_standard_error
    if abs(found.bias) <= 2 * error:
        side = f"shows no bias ({100 * found.bias:+.1f} points, standard error {100 * error:.1f})"
    else:
        word = "high" if found.bias > 0 else "low"
        side = f"is too {word} by {_percent(abs(found.bias))} (standard error {100 * error:.1f} points)"
    follows = (
        ""
        if math.isnan(found.correlation)
        else f", and its correlation with the true error is {found.correlation:.2f}"
    )
    return f"The estimate {label} {side}, varies by {_percent(found.spread)}{follows}."


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


@dataclass(frozen=True)
class Recipe:
    """How an estimate is made: a method of `estimate_error` and its options."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)


Methods: TypeAlias = Mapping[str, Recipe]
MethodsGiven: TypeAlias = str | Iterable[str] | Mapping[str, str | Mapping[str, Any]]


def read_methods(methods: MethodsGiven) -> Methods:
    """Read one method, several, or a mapping from a name of one's own to a method and its options.

    Examples
    --------
    >>> read_methods({"ten folds": {"method": "cv", "n_splits": 10}})
    {'ten folds': Recipe(method='cv', options={'n_splits': 10})}
    """
    if isinstance(methods, str):
        methods = [methods]
    named = methods if isinstance(methods, Mapping) else {each: each for each in methods}
    if not named:
        raise InputError("at least one method", "none")
    return {_label(label): _recipe(label, given) for label, given in named.items()}


def _label(label: object) -> str:
    if not isinstance(label, str) or label == "true_error":
        raise InputTypeError("methods to be named by text", show(label))
    return label


def _recipe(label: str, given: object) -> Recipe:
    if isinstance(given, str):
        return Recipe(given)
    if not isinstance(given, Mapping) or not isinstance(given.get("method"), str):
        raise InputTypeError(
            f"a method, or a mapping with a method and its options, for {show(label)}",
            show(given),
            "write {'method': 'cv', 'n_splits': 10}",
        )
    if "metric" in given:
        raise InputError("estimates of error only", f"metric={show(given['metric'])} for {show(label)}")
    return Recipe(given["method"], {name: value for name, value in given.items() if name != "method"})


# all made of the same two numbers, the error out of bag and the error of resubstitution
FAMILY = ("bootstrap", "632", "632+")


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Give randomness that depends on the seed and the purpose alone, and not on what else is asked."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def estimate_all(
    learner: Any, X: NDArray[np.bool_], y: NDArray[np.bool_], methods: Methods, seed: int
) -> dict[str, float]:
    """Estimate the error in each way; the bootstrap and its mixtures share their resamples."""
    made: dict[str, dict[str, float]] = {}
    found = {}
    for label, recipe in methods.items():
        name, key = _source(recipe)
        if key not in made:
            made[key] = _make(learner, X, y, name, recipe, stream(seed, key))
        found[label] = made[key][recipe.method]
    return found


def _source(recipe: Recipe) -> tuple[str, str]:
    """Give the method that is run for a recipe, and what tells runs apart."""
    shared = recipe.method in FAMILY and set(recipe.options) <= {"n_resamples"}
    name = "632+" if shared else recipe.method
    return name, f"{name} {sorted(recipe.options.items())}"


def _make(
    learner: Any, X: Any, y: Any, name: str, recipe: Recipe, rng: np.random.Generator
) -> dict[str, float]:
    options = dict(recipe.options)
    if name in ("632", "632+"):
        # only the number counts here, and the check costs as many fits again
        options.setdefault("check_duplicates", False)
    made = estimate_error(learner, X, y, method=name, random_state=rng, **options)
    if name != "632+":
        return {name: made.value}
    inside, outside = made.parts["resubstitution"], made.parts["bootstrap"]
    return {"bootstrap": outside, "632": 0.368 * inside + 0.632 * outside, "632+": made.value}


T = TypeVar("T")


@dataclass(frozen=True)
class Repeat:
    """One training set: the true error of what was learnt from it, and each estimate of that error."""

    truth: TrueError
    estimates: dict[str, float]


def as_concept(given: Any) -> Concept:
    """Take a concept or the name of one."""
    if isinstance(given, str):
        return concept(given)
    if isinstance(given, Concept):
        return given
    raise InputTypeError("a Concept or the name of one", f"{show(given)} ({type(given).__name__})")


def repeat(
    run: Callable[[int], T], n_repeats: int, *, n_jobs: int | None, random_state: RandomState
) -> list[T]:
    """Run something with one seed for each repeat, so that neither their order nor `n_jobs` matters."""
    n_repeats = positive_int(n_repeats, "n_repeats", least=2)
    return share_out(run, draw_seeds(n_repeats, as_generator(random_state)), n_jobs)


def draw_seeds(n: int, rng: np.random.Generator) -> list[int]:
    """Draw seeds, one for each piece of work."""
    return [int(seed) for seed in rng.integers(0, 2**62, size=n)]


def share_out(run: Callable[[Any], T], items: Iterable[Any], n_jobs: int | None) -> list[T]:
    """Run something for each item, several at the same time if asked."""
    if n_jobs in (None, 1):
        return [run(item) for item in items]
    from joblib import Parallel, delayed

    done: list[T] = Parallel(n_jobs=n_jobs)(delayed(run)(item) for item in items)
    return done


def estimate_once(learner: Any, known: Concept, n: int, methods: Methods, n_test: int, seed: int) -> Repeat:
    """Draw one training set, learn from it, and estimate the error in each way."""
    X, y = training_set(known, n, stream(seed, "cases"))
    whole = np.ones((1, n), dtype=np.int64)
    (truth,) = errors_after(learner, known, read_labelled_table(X, y), whole, n_test, seed)
    return Repeat(truth, estimate_all(learner, X, y, methods, seed))


def errors_after(
    learner: Any, known: Concept, cases: LabelledTable, counts: NDArray[np.int64], n_test: int, seed: int
) -> list[TrueError]:
    """Give the true error of what is learnt from each training set, whose cases are counted in a row."""
    judge = stream(seed, "truth")
    states = iter(judge.spawn(counts.shape[0]))

    def question(model: Any, _X: Any, _rows: Any) -> TrueError:
        return known.true_error(model, n_cases=n_test, random_state=next(states))

    return ask(learner, cases, Copies(counts), question, n_jobs=None, rng=stream(seed, "learner"))


def training_set(
    known: Concept, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Draw cases; a set of one class only, from which nothing can be learnt, is drawn anew."""
    while True:
        X, y = known.sample(n, rng)
        if y.any() and not y.all():
            return X, y


def simulate(
    learner: Any,
    concept: Concept | str,
    n: int,
    *,
    methods: MethodsGiven = ("cv", "632"),
    n_repeats: int = 100,
    n_test: int = 20_000,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> Simulation:
    r"""Draw training sets from a known concept and compare estimates of error with the true error.

    For training sets :math:`X_1, \dots, X_R`, true errors :math:`\mathrm{Err}_r` of what is learnt from them and
    estimates :math:`\widehat{\mathrm{Err}}_r`, the bias is the mean of
    :math:`\widehat{\mathrm{Err}}_r - \mathrm{Err}_r`, the spread the standard deviation of
    :math:`\widehat{\mathrm{Err}}_r`, and the correlation that of the two over the training sets: does the estimate
    know a lucky training set from an unlucky one?

    Parameters
    ----------
    learner : classifier
        Any object with `fit` and `predict` that can learn from booleans. A rule learner that should learn the
        concept as the paper's does is ``Foil(target=True)``.
    concept : Concept or str
        What is true, or the name of one of the paper's concepts.
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
    >>> found = ff.truth.simulate(foil, "dnf2", 100, methods=("loo", "632"), n_repeats=20, random_state=0)
    >>> found.exact
    True
    >>> abs(found.quality["loo"].bias) < found.quality["632"].bias
    True
    """
    check_learner(learner)
    known, recipes = as_concept(concept), read_methods(methods)
    positive_int(n, "n", least=2)
    positive_int(n_test, "n_test", least=2)
    run = partial(estimate_once, learner, known, n, recipes, n_test)
    repeats = repeat(run, n_repeats, n_jobs=n_jobs, random_state=random_state)
    return _collect(repeats, type(learner).__name__, known, n, {k: r.method for k, r in recipes.items()})


def _collect(
    repeats: Sequence[Repeat], learner: str, known: Concept, n: int, methods: dict[str, str]
) -> Simulation:
    return Simulation(
        learner=learner,
        concept=known,
        n=n,
        true_error=np.array([each.truth.value for each in repeats]),
        true_error_standard_error=np.array([each.truth.standard_error for each in repeats]),
        estimates={label: np.array([each.estimates[label] for each in repeats]) for label in methods},
        methods=methods,
    )
