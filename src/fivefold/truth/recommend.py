"""Recommend: which estimate of error can be trusted for this learner on data like mine?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fivefold.errors import InputError
from fivefold.inputs.columns import read_columns
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.truth.cases import Cases, check_learner, read_cases
from fivefold.truth.estimate_error import estimate_error
from fivefold.truth.methods import MethodsGiven, read_methods
from fivefold.truth.recommendation import Recommendation
from fivefold.truth.similar_concepts import Likeness, find_similar
from fivefold.truth.simulate import simulate

FOLDS = 10
MOST_BITS = 5  # in one column


def recommend(
    learner: Any,
    X: Any,
    y: Any,
    *,
    methods: MethodsGiven = ("holdout", "cv", "632", "632+"),
    n_concepts: int = 4,
    n_repeats: int = 50,
    n_test: int = 5_000,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> Recommendation:
    r"""Name the estimate of error that comes nearest to the truth on known concepts like the data.

    Random concepts are made with as many boolean attributes as the data have columns, or bits in their columns,
    and with the same class balance. Of these, some are kept on which the learner errs about as often as on the
    data: one half of them are hard to learn, the other half have noisy labels. How often it errs on the data is
    told by cross-validation, with one error and one right answer added, as nobody errs never. On each concept
    `simulate` compares the estimates with the true error in training sets of the size of the data, and the
    estimate with the smallest root mean squared error over all of them is recommended.

    Parameters
    ----------
    learner : classifier
        An object with `fit` and `predict`. It must be able to learn from booleans, since the concepts have no
        other attributes.
    X : dataframe or 2-D array-like
        The cases. Beside the learner's error only their number matters and how many bits they hold: a column of v
        different values holds :math:`\lceil \lg v \rceil`, but no more than five.
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
    check_learner(learner)
    cases, recipes = read_cases(X, y), read_methods(methods)
    positive_int(n_concepts, "n_concepts")
    rng = as_generator(random_state)
    like = _describe(learner, cases, X, y, n_jobs, rng)
    found = find_similar(learner, like, n_concepts, n_jobs=n_jobs, rng=rng)
    given = {label: {"method": recipe.method, **recipe.options} for label, recipe in recipes.items()}
    simulations = tuple(
        simulate(
            learner,
            each.concept,
            like.n,
            methods=given,
            n_repeats=n_repeats,
            n_test=n_test,
            n_jobs=n_jobs,
            random_state=rng,
        )
        for each in found
    )
    return Recommendation(like, simulations)


def _describe(
    learner: Any, cases: Cases, X: Any, y: Any, n_jobs: int | None, rng: np.random.Generator
) -> Likeness:
    if len(cases) < FOLDS:
        raise InputError(f"at least {FOLDS} cases", f"{len(cases)}", "fewer say nothing about the learner")
    told = estimate_error(learner, X, y, method="cv", n_splits=FOLDS, n_jobs=n_jobs, random_state=rng)
    difficulty = (len(cases) * told.value + 1) / (len(cases) + 2)
    balance = np.bincount(cases.codes).max() / len(cases)
    values = [np.unique(column.values[~column.missing]).size for column in read_columns(X)]
    bits = sum(min(max(1, math.ceil(math.log2(max(v, 1)))), MOST_BITS) for v in values)
    return Likeness(len(cases), len(values), bits, float(balance), difficulty)
