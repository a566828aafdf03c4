"""Training sets drawn from a known concept: the truth in each, and what estimates make of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fivefold.data.dnf_concepts import Concept, concept
from fivefold.data.exact_error import TrueError
from fivefold.errors import InputTypeError, show
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.truth.cases import Cases, read_cases
from fivefold.truth.estimates import estimate_all, stream
from fivefold.truth.methods import Methods
from fivefold.truth.refits import ask
from fivefold.truth.training_sets import Copies

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
    (truth,) = errors_after(learner, known, read_cases(X, y), whole, n_test, seed)
    return Repeat(truth, estimate_all(learner, X, y, methods, seed))


def errors_after(
    learner: Any, known: Concept, cases: Cases, counts: NDArray[np.int64], n_test: int, seed: int
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
