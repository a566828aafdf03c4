"""Nested cross-validation: an interval for the error that knows folds are not independent."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from fivefold.errors import InputError
from fivefold.truth.asking import Asking
from fivefold.truth.cases import Ints
from fivefold.truth.error_estimate import Floats, Interval
from fivefold.truth.folds import deal
from fivefold.truth.training_sets import Chain, TrainingSets

REASON = (
    "holds for the error of the rule learnt from these cases and for that of the learner on samples of this size; "
    "the plain spread of cross-validation is too small, as folds share training cases, and is inflated by what "
    "nested cross-validation (Bates, Hastie and Tibshirani) finds"
)


@dataclass(frozen=True, eq=False)
class Pairs(TrainingSets):
    """Each fold and each pair of folds left out in turn; cases in fold -1 always teach and are never asked.

    Parameters
    ----------
    parts : ndarray of int
        The fold of each case.
    left_out : tuple of tuple of int
        Which folds are left out together: one or two.
    """

    parts: Ints
    left_out: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_cases", self.parts.shape[0])

    def __len__(self) -> int:
        return len(self.left_out)

    def train(self, place: int) -> Ints:
        """Take all other folds."""
        return np.flatnonzero(~self._apart(place))

    def test(self, place: int) -> Ints:
        """Ask the folds that were left out."""
        return np.flatnonzero(self._apart(place))

    def _apart(self, place: int) -> NDArray[np.bool_]:
        folds = self.left_out[place]
        return np.asarray((self.parts == folds[0]) | (self.parts == folds[-1]))


@dataclass(frozen=True, eq=False)
class NestedErrors:
    """The errors of one deal.

    Parameters
    ----------
    alone : ndarray of shape (K, m)
        Errors on the cases of each fold after learning from all others.
    paired : ndarray of shape (K, K, m)
        Entry (f, g): errors on the cases of fold f when g was left out, too; the diagonal has no meaning.
    """

    alone: Floats
    paired: Floats


def nested_interval(asking: Asking, n_splits: int, n_repeats: int, confidence: float) -> Interval:
    """Make the interval from several deals."""
    n = len(asking.cases)
    if n_splits < 3 or n // n_splits < 2:
        raise InputError(
            'at least 3 folds of at least 2 cases with interval="nested-cv"', f"{n_splits} folds of {n} cases"
        )
    deals = tuple(_deal(n, n_splits, asking.rng) for _ in range(n_repeats))
    judged = asking.judge(Chain(deals))
    per_deal = len(deals[0])
    errors = [
        _errors(asking, deals[r], judged.said[r * per_deal : (r + 1) * per_deal], n_splits)
        for r in range(n_repeats)
    ]
    estimate, low, high = nested_limits(errors, n, confidence)
    return Interval(low, high, confidence, "nested-cv", REASON, estimate)


def nested_limits(deals: list[NestedErrors], n_cases: int, confidence: float) -> tuple[float, float, float]:
    """Compute the estimate and the ends of the interval around it from the errors of all deals."""
    k = deals[0].alone.shape[0]
    off = ~np.eye(k, dtype=np.bool_)
    nested = np.stack([deal.paired[off] for deal in deals])
    mse = float(np.mean([_mean_squared_error(deal, off) for deal in deals]))
    spread = float(nested.std(ddof=1))
    centre, plain = float(nested.mean()), float(np.mean([deal.alone.mean() for deal in deals]))
    plain_error = spread / np.sqrt(n_cases * (k - 1) / k)
    inflation = float(np.clip(np.sqrt(max(0.0, mse)) / plain_error, 1, np.sqrt(k))) if spread > 0 else 1.0
    bias = (centre - plain) * (1 + ((k - 2) / k) ** 1.5)
    half = float(ndtri(0.5 + confidence / 2)) * spread / np.sqrt(n_cases) * inflation
    estimate = float(np.clip(centre - bias, 0.0, 1.0))
    return estimate, float(max(0.0, centre - bias - half)), float(min(1.0, centre - bias + half))


def _mean_squared_error(deal: NestedErrors, off: NDArray[np.bool_]) -> float:
    """Estimate the mean squared error of cross-validation in the other folds as an estimate for each fold."""
    k, m = deal.alone.shape
    inner = np.array([deal.paired[off[:, f], f].mean() for f in range(k)])
    a = inner - deal.alone.mean(axis=1)
    b = deal.alone.var(axis=1, ddof=1) / m
    return float(np.mean(a**2 - b))


def _deal(n_cases: int, n_splits: int, rng: np.random.Generator) -> Pairs:
    """Deal folds of equal size; what is left over always teaches."""
    parts = np.full(n_cases, -1, dtype=np.int64)
    dealt = rng.permutation(n_cases)[: n_cases // n_splits * n_splits]
    parts[dealt] = deal(dealt.size, n_splits, rng)
    alone = tuple((fold,) for fold in range(n_splits))
    return Pairs(parts, (*alone, *combinations(range(n_splits), 2)))


def _errors(asking: Asking, sets: Pairs, said: list[Ints], k: int) -> NestedErrors:
    m = int(np.count_nonzero(sets.parts == 0))
    alone, paired = np.empty((k, m)), np.zeros((k, k, m))
    for place, folds in enumerate(sets.left_out):
        rows = sets.test(place)
        wrong = said[place] != asking.cases.codes[rows]
        for fold in folds:
            own = wrong[sets.parts[rows] == fold]
            if len(folds) == 1:
                alone[fold] = own
            else:
                paired[fold, sum(folds) - fold] = own
    return NestedErrors(alone, paired)
