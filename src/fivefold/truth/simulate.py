"""Simulate: which estimates of error can be trusted when the truth is known?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from fivefold.data.dnf_concepts import Concept
from fivefold.inputs.options import RandomState, positive_int
from fivefold.truth.cases import check_learner
from fivefold.truth.methods import MethodsGiven, read_methods
from fivefold.truth.repeats import Repeat, as_concept, estimate_once, repeat
from fivefold.truth.simulation import Simulation


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
