"""Hold-out: learn from one part of the cases, ask the other."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from fivefold.truth.asking import Asking
from fivefold.truth.error_estimate import ErrorEstimate, Interval
from fivefold.truth.folds import GivenSplits, draw
from fivefold.truth.options import HoldoutOptions
from fivefold.truth.sayings import ONE_SPLIT, about_answers


def holdout(asking: Asking, options: HoldoutOptions) -> ErrorEstimate:
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
