"""Cross-validation: every case is asked after learning from others."""

from __future__ import annotations

from typing import Any

import numpy as np

from fivefold.errors import InputError
from fivefold.truth.asking import Asking
from fivefold.truth.error_estimate import ErrorEstimate, Floats
from fivefold.truth.folds import deal, read_splits
from fivefold.truth.judging import Judged
from fivefold.truth.nested_cv import nested_interval
from fivefold.truth.options import CvOptions, NoOptions
from fivefold.truth.sayings import NO_INTERVAL, about_answers, about_small_folds
from fivefold.truth.training_sets import Chain, LeftOut, TrainingSets


def leave_one_out(asking: Asking, options: NoOptions) -> ErrorEstimate:
    """Leave out one case at a time."""
    n = len(asking.cases)
    judged = asking.judge(LeftOut(np.arange(n), n))
    return _estimate(judged, [range(n)], "loo", "leave-one-out", [NO_INTERVAL, *about_answers(judged)])


def cross_validation(asking: Asking, options: CvOptions) -> ErrorEstimate:
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


def repeated_folds(asking: Asking, options: CvOptions) -> TrainingSets:
    """Deal the cases as often as there are repetitions."""
    codes = asking.cases.codes if options.stratify else None
    n, k = len(asking.cases), options.n_splits
    return Chain(tuple(LeftOut(deal(n, k, asking.rng, codes), k) for _ in range(options.n_repeats)))


def _given(asking: Asking, options: CvOptions) -> ErrorEstimate:
    judged = asking.judge(read_splits(options.splits, asking.cases))
    n = len(judged.sets)
    said = [NO_INTERVAL, *about_answers(judged)]
    return _estimate(judged, [range(n)], "cv", f"{n} given splits", said)


def _estimate(
    judged: Judged, repetitions: list[range], method: str, words: str, said: list[str], **more: Any
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
