"""Cross-validation, the interval by nested cross-validation, and the hold-out.

Every row is asked after learning from others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from fivefold.errors import InputError
from fivefold.training.labelled_table import Ints
from fivefold.training.splits import Chain, GivenSplits, LeftOut, TrainingSets, deal, draw, read_splits
from fivefold.truth.error_estimate import (
    NO_INTERVAL,
    ONE_SPLIT,
    ErrorEstimate,
    Floats,
    Interval,
    about_answers,
    about_small_folds,
)
from fivefold.truth.options import CvOptions, HoldoutOptions, NoOptions
from fivefold.truth.refits import RefitAnswers, Refits

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


def nested_interval(asking: Refits, n_splits: int, n_repeats: int, confidence: float) -> Interval:
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


def _errors(asking: Refits, sets: Pairs, said: list[Ints], k: int) -> NestedErrors:
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


def leave_one_out(asking: Refits, options: NoOptions) -> ErrorEstimate:
    """Leave out one case at a time."""
    n = len(asking.cases)
    judged = asking.judge(LeftOut(np.arange(n), n))
    return _estimate(judged, [range(n)], "loo", "leave-one-out", [NO_INTERVAL, *about_answers(judged)])


def cross_validation(asking: Refits, options: CvOptions) -> ErrorEstimate:
    """Leave out one fold at a time, in one or several deals."""
    if options.splits is not None:
        return _given(asking, options)
    options.check_size(len(asking.cases))
    if options.interval is not None and asking.measure.kind != "error":
        raise InputError(
            'metric="error" with interval="nested-cv"',
            f'metric="{asking.measure.name}"',
            "leave interval out",
        )
    judged = asking.judge(repeated_folds(asking, options))
    places = [
        range(start, start + options.n_splits) for start in range(0, len(judged.sets), options.n_splits)
    ]
    times = f", {options.n_repeats} times" if options.n_repeats > 1 else ""
    kind = "stratified " if options.stratify else ""
    words = f"{kind}{options.n_splits}-fold cross-validation{times}"
    rarest = int(np.bincount(asking.cases.codes).min())
    said = [*about_small_folds(rarest, options.n_splits), *about_answers(judged)]
    interval = None
    if options.interval is None:
        said = [NO_INTERVAL, *said]
    else:
        interval = nested_interval(asking, options.n_splits, options.nested_repeats, options.confidence)
    return _estimate(judged, places, "cv", words, said, interval=interval)


def repeated_folds(asking: Refits, options: CvOptions) -> TrainingSets:
    """Deal the cases as often as there are repetitions."""
    codes = asking.cases.codes if options.stratify else None
    n, k = len(asking.cases), options.n_splits
    return Chain(tuple(LeftOut(deal(n, k, asking.rng, codes), k) for _ in range(options.n_repeats)))


def _given(asking: Refits, options: CvOptions) -> ErrorEstimate:
    judged = asking.judge(read_splits(options.splits, asking.cases))
    n = len(judged.sets)
    said = [NO_INTERVAL, *about_answers(judged)]
    return _estimate(judged, [range(n)], "cv", f"{n} given splits", said)


def _estimate(
    judged: RefitAnswers, repetitions: list[range], method: str, words: str, said: list[str], **more: Any
) -> ErrorEstimate:
    measure, sets = judged.measure, judged.sets
    means = np.array([judged.together(places) for places in repetitions])
    if measure.kind in ("error", "scorer"):
        scores = judged.scores()
        tested = np.array([sets.test(place).size for place in range(len(sets))])
        which = np.repeat(np.arange(len(repetitions)), [len(places) for places in repetitions])
        sd_folds = _within(scores, repetitions)
    else:
        scores, which, sd_folds = means, np.arange(len(means)), None
        tested = np.array([sum(sets.test(place).size for place in places) for places in repetitions])
    several = len(means) > 1
    sd = float(means.std(ddof=1)) if several else None
    return ErrorEstimate(
        value=float(means.mean()),
        method=method,
        description=words,
        metric=measure.name,
        metric_direction=measure.direction,
        scores=scores,
        n_tested=tested.astype(np.int64),
        repetition=which.astype(np.int64),
        n_fits=len(sets),
        per_example=judged.per_example(),
        sd_folds=sd_folds,
        sd_repetitions=sd,
        standard_error=None if sd is None else sd / float(np.sqrt(len(means))),
        warnings=tuple(said),
        **more,
    )


def _within(scores: Floats, repetitions: list[range]) -> float | None:
    """Give the standard deviation of folds around the mean of their own repetition."""
    groups = [scores[places.start : places.stop] for places in repetitions]
    freedom = sum(len(group) - 1 for group in groups)
    if freedom == 0:
        return None
    return float(np.sqrt(sum(((group - group.mean()) ** 2).sum() for group in groups) / freedom))


def holdout(asking: Refits, options: HoldoutOptions) -> ErrorEstimate:
    """Give the measure on the cases that were held out."""
    n = len(asking.cases)
    n_test = options.n_test(n)
    test = draw(n, n_test, asking.rng, asking.cases.codes if options.stratify else None)
    judged = asking.judge(GivenSplits(n, ((np.setdiff1d(np.arange(n), test), test),)))
    scores = judged.scores()
    interval = None
    if asking.measure.kind == "error":
        interval = binomial_interval(round(float(scores[0]) * n_test), n_test, options.confidence)
    return ErrorEstimate(
        value=float(scores[0]),
        method="holdout",
        description=f"{n_test} of {n} cases held out",
        metric=asking.measure.name,
        metric_direction=asking.measure.direction,
        scores=scores,
        n_tested=np.array([n_test]),
        repetition=np.zeros(1, dtype=np.int64),
        n_fits=1,
        per_example=judged.per_example(),
        interval=interval,
        warnings=(ONE_SPLIT, *about_answers(judged)),
    )


def binomial_interval(wrong: int, n: int, confidence: float) -> Interval:
    """Give Clopper and Pearson's exact interval for the error of one fitted rule."""
    tail = (1 - confidence) / 2
    low = float(betaincinv(wrong, n - wrong + 1, tail)) if wrong else 0.0
    high = float(betaincinv(wrong + 1, n - wrong, 1 - tail)) if wrong < n else 1.0
    reason = (
        f"the {n} test cases had no part in learning, so their answers by this one fitted rule are independent "
        f"trials, {wrong} of them wrong; it says nothing of rules learnt from other samples"
    )
    return Interval(low, high, confidence, "binomial", reason, wrong / n)
