"""The bootstrap: learn from resamples, ask the cases that were not drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fivefold.errors import InputError
from fivefold.truth.asking import Asking
from fivefold.truth.duplicates import measure_duplicates
from fivefold.truth.error_estimate import ErrorEstimate
from fivefold.truth.judging import Judged
from fivefold.truth.options import BootstrapOptions, CorrectedBootstrapOptions
from fivefold.truth.resubstitution import remember
from fivefold.truth.sayings import about_answers, about_duplicates, about_memory, about_skipped
from fivefold.truth.training_sets import OutOfBag

CHECKED = 20


def bootstrap(asking: Asking, options: BootstrapOptions) -> ErrorEstimate:
    """Average the error out of the bag over resamples."""
    drawn = resamples(asking, options.n_resamples)
    return _out_of_bag(asking, drawn if options.duplicates else drawn.without_duplicates())


def resamples(asking: Asking, n_resamples: int) -> OutOfBag:
    """Draw as many cases as there are, with replacement."""
    n = len(asking.cases)
    return OutOfBag(asking.rng.multinomial(n, np.full(n, 1 / n), size=n_resamples))


def _out_of_bag(asking: Asking, drawn: OutOfBag) -> ErrorEstimate:
    asked = drawn.with_test()
    judged = asking.judge(asked)
    scores, tested = judged.scores(), np.count_nonzero(asked.copies == 0, axis=1)
    sd = float(scores.std(ddof=1)) if len(scores) > 1 else None
    skipped = len(drawn) - len(asked)
    return ErrorEstimate(
        value=float(scores.mean()),
        method="bootstrap",
        description=f"the out-of-bag cases of {len(asked)} resamples",
        metric=asking.measure.name,
        metric_direction=asking.measure.direction,
        scores=scores,
        n_tested=tested.astype(np.int64),
        repetition=np.zeros(len(scores), dtype=np.int64),
        n_fits=len(asked),
        per_example=judged.per_example(),
        sd_folds=sd,
        standard_error=None if sd is None else sd / float(np.sqrt(len(scores))),
        warnings=tuple(about_skipped(skipped, len(drawn)) + about_answers(judged)),
    )


def point_632(asking: Asking, options: CorrectedBootstrapOptions) -> ErrorEstimate:
    """Mix the out-of-bag error with the resubstitution error, 632 parts to 368."""
    outside, inside, said = _both(asking, options)
    e_r, e_b = _value(inside), outside.value
    return _mixed(outside, "632", e_r, 0.632, 0.632, {"resubstitution": e_r, "bootstrap": e_b}, said)


def point_632_plus(asking: Asking, options: CorrectedBootstrapOptions) -> ErrorEstimate:
    """Mix them by how far the learner overfits."""
    if asking.measure.kind != "error":
        raise InputError(
            'metric="error" with method="632+"',
            f'metric="{asking.measure.name}"',
            "its weights need the error of a learner without information, which other measures do not have",
        )
    outside, inside, said = _both(asking, options)
    e_r = _value(inside)
    gamma = no_information_rate(inside)
    overfitting, weight, slope = weight_632_plus(e_r, outside.value, gamma)
    parts = {
        "resubstitution": e_r,
        "bootstrap": outside.value,
        "no_information": gamma,
        "relative_overfitting": overfitting,
        "weight": weight,
    }
    capped = replace(outside, value=min(outside.value, gamma))
    return _mixed(capped, "632+", e_r, weight, slope, parts, said)


def no_information_rate(remembered: Judged) -> float:
    r"""Give the error :math:`\gamma = \sum_k p_k (1 - q_k)` of these answers if they were dealt at random."""
    codes, said = remembered.cases.codes, remembered.said[0]
    k = remembered.cases.classes.size
    p = np.bincount(codes, minlength=k) / codes.size
    q = np.bincount(said[said >= 0], minlength=k) / codes.size
    return float(p @ (1 - q))


def weight_632_plus(e_r: float, e_b: float, gamma: float) -> tuple[float, float, float]:
    """Give the relative overfitting, the weight of the out-of-bag error, and the slope of the estimate in it."""
    capped = min(e_b, gamma)
    if capped <= e_r or gamma <= e_r:
        return 0.0, 0.632, 0.632
    overfitting = (capped - e_r) / (gamma - e_r)
    weight = 0.632 / (1 - 0.368 * overfitting)
    if e_b >= gamma:
        return overfitting, weight, 0.0
    return overfitting, weight, weight + overfitting * 0.368 * weight / (1 - 0.368 * overfitting)


def _both(
    asking: Asking, options: CorrectedBootstrapOptions
) -> tuple[ErrorEstimate, Judged, tuple[str, ...]]:
    if asking.measure.unit == "bits":
        raise InputError(
            "a measure of the average case with the .632 bootstrap",
            f"{asking.measure.name}, a sum over cases",
            "training cases and out-of-bag cases are not equally many",
        )
    drawn = resamples(asking, options.n_resamples)
    outside, inside = _out_of_bag(asking, drawn), remember(asking)
    said = list(outside.warnings)
    if asking.measure.kind == "error":
        said += about_memory(_value(inside), outside.value)
        if options.check_duplicates:
            found = measure_duplicates(asking, OutOfBag(drawn.copies[:CHECKED]))
            if found.ignores_duplicates:
                said.append(about_duplicates(found.disagreement, found.out_of_bag, found.n_resamples))
    return outside, inside, tuple(said)


def _value(remembered: Judged) -> float:
    return float(remembered.scores()[0])


def _mixed(
    outside: ErrorEstimate,
    method: str,
    e_r: float,
    weight: float,
    slope: float,
    parts: dict[str, float],
    said: tuple[str, ...],
) -> ErrorEstimate:
    error = outside.standard_error
    return replace(
        outside,
        value=(1 - weight) * e_r + weight * outside.value,
        method=method,
        description=f"the .{method} bootstrap of {len(outside.scores)} resamples",
        n_fits=outside.n_fits + 1,
        standard_error=None if error is None else slope * error,
        parts=parts,
        warnings=said,
    )
