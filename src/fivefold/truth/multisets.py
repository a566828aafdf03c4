"""Multisets: what an estimator gains from the copies of rows in a bootstrap resample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.data.dnf_concepts import Concept
from fivefold.inputs.options import RandomState, positive_int
from fivefold.results import LOWER, Result
from fivefold.training.fit_predict import check_fits_and_predicts
from fivefold.training.seeds import stream
from fivefold.training.splits import Rows
from fivefold.truth.error_estimate import Floats
from fivefold.truth.simulation import World, as_concept, errors_after, run_repeats, training_set


@dataclass(frozen=True, eq=False)
class MultisetErrors(
    Result, title="True error after bootstrap resamples", unit="share of wrong answers", direction=LOWER
):
    """True errors after learning from all cases, from resamples, and from resamples without copies.

    Parameters
    ----------
    n : int
        Cases in each training set.
    whole : ndarray of shape (n_repeats,)
        The true error after learning from each training set.
    multisets : ndarray of shape (n_repeats, n_resamples)
        The true error after learning from each bootstrap resample of it.
    sets : ndarray of shape (n_repeats, n_resamples)
        The same after the copies have been removed.
    """

    n: int
    whole: Floats = field(repr=False)
    multisets: Floats = field(repr=False)
    sets: Floats = field(repr=False)

    @property
    def gain(self) -> float:
        """How much lower the true error is with the copies than without; below 0 they do harm."""
        return float(np.mean(self.sets - self.multisets))

    @property
    def gain_standard_error(self) -> float:
        """The standard error of the gain over training sets."""
        by_set = np.mean(self.sets - self.multisets, axis=1)
        return float(by_set.std(ddof=1) / np.sqrt(by_set.size))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each training set, with means over its resamples."""
        return {"whole": self.whole, "multisets": self.multisets.mean(axis=1), "sets": self.sets.mean(axis=1)}

    def __str__(self) -> str:
        whole, multisets, sets = (
            100 * float(np.mean(part)) for part in (self.whole, self.multisets, self.sets)
        )
        return (
            f"true error {whole:.1f}% from {self.n:,} cases, {multisets:.1f}% from resamples of them, "
            f"{sets:.1f}% without the copies"
        )


def multiset_errors(
    estimator: Any,
    concept: Concept | str,
    n: int,
    *,
    n_repeats: int = 10,
    n_resamples: int = 50,
    n_test: int = 20_000,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> MultisetErrors:
    """Compare what is learnt from bootstrap resamples with what is learnt from the same without copies.

    Where the two are equal, the estimator makes nothing of copies, and learns from a resample as from a training
    set of 0.632 n cases; then the error out of bag estimates the error after so many cases, and not after n.

    Parameters
    ----------
    estimator, concept, n, n_repeats, n_test, n_jobs, random_state
        As in `simulate`.
    n_resamples : int
        Resamples of each training set; one that happens to hold one class only is drawn anew.

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, figure 5.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> nearest = KNeighborsClassifier(1)
    >>> errors = ff.truth.multiset_errors(nearest, "dnf4", 30, n_repeats=3, n_resamples=5, random_state=0)
    >>> abs(errors.gain) < 0.02
    True
    """
    check_fits_and_predicts(estimator)
    known = as_concept(concept)
    positive_int(n, "n", least=2)
    positive_int(n_resamples, "n_resamples")
    run = partial(_errors_of_one, estimator, known, n, n_resamples, n_test)
    rows = np.array(run_repeats(run, n_repeats, n_jobs=n_jobs, random_state=random_state))
    whole, multisets, sets = np.split(rows, [1, 1 + n_resamples], axis=1)
    return MultisetErrors(n, whole[:, 0], multisets, sets)


def _errors_of_one(
    estimator: Any, known: World, n: int, n_resamples: int, n_test: int, seed: int
) -> list[float]:
    """Give the true errors after one training set, its resamples, and these without copies."""
    X, y = training_set(known, n, stream(seed, "cases"))
    rng = stream(seed, "resamples")
    multisets = np.array([_resample(y, rng) for _ in range(n_resamples)])
    counts = np.concatenate([np.ones((1, n), dtype=np.int64), multisets, np.minimum(multisets, 1)])
    return [error.value for error in errors_after(estimator, known, X, y, counts, n_test, seed)]


def _resample(y: NDArray[np.bool_], rng: np.random.Generator) -> Rows:
    while True:
        counts = np.bincount(rng.integers(y.size, size=y.size), minlength=y.size)
        if len(np.unique(y[counts > 0])) > 1:
            return counts
