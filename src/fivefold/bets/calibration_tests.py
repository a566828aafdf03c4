"""Tests of calibration: whether stated probabilities are those with which things happen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, expit, i0e, log_expit, logit

from fivefold.formulas import Floats
from fivefold.inputs.answers import as_probabilities, of_all_classes
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results import Result, say_p

# Rounding must not decide between a draw and an observation that are the same in exact arithmetic.
_ROUNDING = 1e-9
_ALPHA = 0.05
# How probable each way of being wrong is: boastful or timid, too high or too low, bent; the rest is both at once.
# The power against each hangs on these; most real forecasts that are wrong are boastful or shifted.
_EXTREME, _SHIFTED, _BENT = 0.35, 0.2, 0.06
_BOASTFUL = 2 / 3  # of the first
# How far off, in standard errors: so much is seen in about two of three samples.
_FAR = 2.5
# So many outcomes, of many classes so many for each, are redrawn one by one; the sum of all others is normal.
_REDRAWN, _REDRAWN_OF_CLASS = 8_000, 200


@dataclass(frozen=True)
class ClassCalibration:
    """Calibration of the stated probabilities of one class against the rest.

    Parameters
    ----------
    event : object
        The class.
    stated, happened : float
        Mean stated probability, and the share of cases in which the class was true.
    slope : float
        Slope of the logistic regression of the outcome on the stated log-odds: below 1 the probabilities are too
        extreme, above 1 too timid; NaN where it has none.
    likelihood_ratio_p_value : float
        Of intercept 0 and slope 1 (chi-square with two degrees of freedom); NaN where there is no slope, or where
        cases belong together.
    bend_p_value : float
        Of no bend beyond intercept and slope, by redrawing.
    p_value : float
        Of calibration, by redrawing, adjusted for all classes.
    shift : float
        Standard score of calibration in the large: above 0 more was stated than happened.
    too_extreme : float
        Standard score of the log-odds from 0 (or, if the mean may be right, from it): above 0 they lie too far.
    """

    event: object
    stated: float
    happened: float
    slope: float
    likelihood_ratio_p_value: float
    bend_p_value: float
    p_value: float
    shift: float
    too_extreme: float


@dataclass(frozen=True, eq=False)
class CalibrationTest(Result, title="Test of calibration", unit="p-value"):
    """Whether stated probabilities are right, as far as chance allows to tell.

    Parameters
    ----------
    p_value : float
        Of calibration, for all classes together; 0 if something happened that had been called impossible.
    classes : tuple of ClassCalibration
        Each class against the rest; of two classes the second.
    n_resamples : int
        How often all outcomes were drawn anew with their stated probabilities.
    too_extreme : float or None
        Standard score of the log-odds of all classes together, above 0 if they are too extreme, where that is more
        probable than that single classes are wrong; else None, and of two classes.
    """

    p_value: float
    classes: tuple[ClassCalibration, ...]
    n_resamples: int
    too_extreme: float | None = None

    @property
    def worst(self) -> ClassCalibration:
        """The class with the strongest evidence against its probabilities."""
        return min(self.classes, key=lambda judged: judged.p_value)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each class."""
        names = ClassCalibration.__dataclass_fields__
        return {name: [getattr(judged, name) for judged in self.classes] for name in names}

    def sentence(self, chance: str) -> str:
        """Say what is wrong, of all classes or of the worst, and how well chance explains it ("p = 0.01")."""
        judged, common = self.worst, self.too_extreme
        if self.p_value == 0:
            return f"What happened had been given probability 0 ({chance})."
        extreme = judged.too_extreme if common is None else common
        if common is None and max(abs(judged.shift), abs(extreme)) < 1.96 and judged.bend_p_value < _ALPHA:
            wrong = "right on average, but wrong in parts of their range"
            return f"Its probabilities of {judged.event!r} are {wrong} ({chance})."
        # where events are rare the two are all but the same, and means say more
        if common is None and abs(judged.shift) > 0.8 * abs(extreme):
            happened = f"{judged.happened:.1%} happened ({chance})"
            return f"It states {judged.stated:.1%} for {judged.event!r} on average, but {happened}."
        of = f" of {judged.event!r}" if common is None else ""
        return f"Its probabilities{of} are too {'extreme' if extreme > 0 else 'timid'} ({chance})."

    def __str__(self) -> str:
        chance = f"{say_p(self.p_value)}, {self.n_resamples} redraws"
        wrong = f"Miscalibrated. {self.sentence(chance)}"
        return wrong if self.p_value < _ALPHA else f"no miscalibration beyond chance ({chance})"


def calibration_test(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    n_resamples: int = 999,
    groups: object = None,
    random_state: RandomState = 0,
) -> CalibrationTest:
    r"""Test whether the stated probabilities are those with which things happen.

    Of two classes the second is judged from 0 to 1, of more each against the rest and all together. Four sums
    :math:`\sum_i \varphi(p_i)(y_i - p_i)` are compared with chance: of :math:`\varphi = \mathrm{logit}\,p`
    (over-confidence), of :math:`\varphi = 1` (calibration in the large), of both (the score form of the test of
    intercept and slope), and of polynomials of the rank of p orthogonal to them (bends). The mean likelihood ratio
    of being wrong in these ways, weighted by how common they are, is compared with that of outcomes drawn anew
    with the stated probabilities, so the level holds for any number of cases.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `miscalibration`.
    n_resamples : int
        Number of redraws.
    groups : array-like, optional
        Which cases belong together. Then the sums of whole groups change their signs at random, too (the wild
        bootstrap), and the larger p-value holds; the likelihood-ratio test has none.
    random_state : int, Generator, RandomState or None
        Seed of the redraws.

    References
    ----------
    D. R. Cox, "Two further applications of a model for binary regression", Biometrika 45, 1958;
    D. J. Spiegelhalter, "Probabilistic prediction in patient management", Statistics in Medicine 5, 1986.

    Examples
    --------
    >>> import fivefold as ff
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.uniform(size=500)
    >>> happened = rng.uniform(size=500) < chance
    >>> ff.bets.calibration_test(happened, chance).p_value > 0.05
    True
    >>> bold = ff.bets.calibration_test(happened, chance**2 / (chance**2 + (1 - chance) ** 2))
    >>> bold.p_value < 0.01, bold.worst.slope < 1
    (True, True)
    """
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    n_resamples, belonging = positive_int(n_resamples, "n_resamples"), read_groups(groups, truth.size)
    return measure_calibration(truth, prob, universe, n_resamples, random_state, belonging)


def measure_calibration(
    truth: NDArray[np.int32],
    prob: NDArray[Any],
    universe: NDArray[Any],
    n_resamples: int = 999,
    random_state: RandomState = 0,
    groups: Groups | None = None,
) -> CalibrationTest:
    """Test the calibration of checked input."""
    full = of_all_classes(prob)
    judged = np.arange(1 if universe.size == 2 else 0, universe.size)
    functions, turns = _score_functions(full, judged)
    outcomes = truth[:, np.newaxis] == judged
    residuals = outcomes - full[:, judged]
    seen = np.einsum("ik,kij->kj", residuals, functions)
    rng, scores, crowd = as_generator(random_state), seen, 1.0
    draws = [_redraw_scores(full, functions, judged, n_resamples, rng)]
    if groups is not None:
        sums = np.zeros((groups.n_groups, *seen.shape))
        np.add.at(sums, groups.codes, (residuals.T[:, :, np.newaxis] * functions).transpose(1, 0, 2))
        scores = seen / np.maximum(np.sqrt((sums**2).sum(axis=0)), 1.0)
        crowd = max(float(np.linalg.norm(sums[:, :, 4].sum(axis=1))), 1.0)
        draws.append(_turn_groups(sums, n_resamples, rng))
    observed, together, bends = _weigh(seen[np.newaxis], turns)
    chances = [_weigh(drawn, turns) for drawn in draws]
    impossible = (full[np.arange(truth.size), truth] <= 0)[:, np.newaxis] & (outcomes | (judged.size == 1))
    classes = tuple(
        ClassCalibration(
            universe.tolist()[place],
            float(full[:, place].mean()),
            float(outcomes[:, k].mean()),
            *_slope(full[:, place], outcomes[:, k], groups is None),
            max(_share_as_large(bent[:, k], bends[0, k]) for _, _, bent in chances),
            0.0
            if impossible[:, k].any()
            else max(_share_as_large(each.max(axis=1), observed[0, k]) for each, _, _ in chances),
            -float(scores[k, 0]),
            -float(max(turns[k] @ scores[k, :2], scores[k, 1] if abs(scores[k, 0]) < 1.96 else 0.0, key=abs)),
        )
        for k, place in enumerate(judged)
    )
    p_value = 0.0 if impossible.any() else max(_share_as_large(drawn, together[0]) for _, drawn, _ in chances)
    # more than half of the evidence is against what the classes have in common
    shared = together[0] - np.logaddexp.reduce(observed[0]) + np.log(judged.size) > np.log(2)
    return CalibrationTest(
        p_value, classes, n_resamples, -float(seen[:, 4].sum()) / crowd if shared else None
    )


def _score_functions(full: Floats, judged: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Give for each class constant, slope and two bends, orthonormal under p(1 - p), and the common log-odds.

    With them goes, for each class, the direction of its log-odds in the plane of constant and slope.
    """
    functions = np.zeros((judged.size, full.shape[0], 5))
    turns = np.zeros((judged.size, 2))
    for k, place in enumerate(judged):
        inside = (full[:, place] > 0) & (full[:, place] < 1)
        functions[k, inside, :4], turns[k] = _orthonormal(full[inside, place])
    if judged.size > 1:
        logs = np.log(np.where(full > 0, full, 1.0))
        # sum over classes of p log^2 p less the square of the mean: what chance gives to the common log-odds
        scale = np.sqrt(np.sum(full * (logs - np.sum(full * logs, axis=1)[:, None]) ** 2))
        functions[:, :, 4] = logs.T / scale if scale > 0 else 0.0
    return functions, turns


def _orthonormal(p: Floats) -> tuple[Floats, Floats]:
    odds, weight = logit(p), p * (1 - p)
    _, place = np.unique(p, return_inverse=True)
    mass = np.bincount(place, weight)
    rank = (2 * np.cumsum(mass) - mass)[place] / max(mass.sum(), np.finfo(float).tiny) - 1
    columns = np.column_stack([np.ones(p.size), odds, 3 * rank**2 - 1, 5 * rank**3 - 3 * rank])
    for j in range(4):
        size = float(weight @ columns[:, j] ** 2)
        for _ in range(2):  # twice, for rounding
            columns[:, j] -= columns[:, :j] @ (columns[:, :j].T @ (weight * columns[:, j]))
        rest = float(weight @ columns[:, j] ** 2)
        columns[:, j] = columns[:, j] / np.sqrt(rest) if rest > 1e-9 * size else 0.0
    turn = columns[:, :2].T @ (weight * odds)
    length = float(np.hypot(*turn))
    return columns, turn / length if length > 0 else np.array([1.0, 0.0])


def _redraw_scores(
    full: Floats, functions: Floats, judged: NDArray[np.int64], draws: int, rng: np.random.Generator
) -> Floats:
    """Scores of outcomes drawn anew: those that weigh most one by one, the sum of the others by its normal law."""
    # ties go by what is stated of a case, not by where it stands
    key = np.cos(np.arange(full.shape[1]))
    loud = np.array([np.abs(part).max(axis=1) for part in functions])
    # the third moment says how far a case is from normal; its cube root does not overflow
    skew = (loud * np.cbrt(full * (1 - full))[:, judged].T).max(axis=0)
    order = np.lexsort((full @ key, np.sort(full, axis=1) @ key, -skew))
    lead, rest = np.split(order, [max(_REDRAWN, _REDRAWN_OF_CLASS * judged.size)])
    scores, row = np.empty((draws, judged.size, 5)), np.arange(lead.size)
    # the least probable class of a case goes first, so that the order of classes does not matter
    classes = np.argsort(full[lead], axis=1)
    ends = np.cumsum(np.take_along_axis(full[lead], classes, axis=1), axis=1)[:, :-1] + row[:, np.newaxis]
    ends = np.column_stack([ends, row + 1]).ravel()
    for start in range(0, draws, 100):
        chance = rng.random((min(100, draws - start), lead.size)) * (1 - _ROUNDING) + row
        drawn = classes.ravel()[np.searchsorted(ends, chance, side="right")]
        if judged.size == 1:
            scores[start : start + 100, 0] = (drawn == 1) @ functions[0, lead]
            continue
        places = (np.arange(len(drawn))[:, np.newaxis] * judged.size + drawn).ravel()
        for j in range(5):
            sums = np.bincount(places, functions[drawn, lead, j].ravel(), len(drawn) * judged.size)
            scores[start : start + 100, :, j] = sums.reshape(-1, judged.size)
    scores -= np.einsum("ik,kij->kj", full[lead][:, judged], functions[:, lead])
    if rest.size:
        scores += _normal_scores(full[rest][:, judged], functions[:, rest], draws, rng)
    return scores


def _turn_groups(sums: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Scores where each group gets a sign: as it has more than was stated, it could have as much less."""
    squares = (sums**2).sum(axis=(1, 2))
    # signs go by what a group has, not by where it or a class stands
    sums = sums[np.argsort(squares + sums.sum(axis=1) @ np.cos(np.arange(sums.shape[2])))]
    # sums around estimates are a little too small where few groups count
    many = max(float(squares.sum()) ** 2 / max(float(np.sum(squares**2)), 1e-300), 1.5)
    signs = (rng.integers(0, 2, (draws, len(sums))) * 2.0 - 1.0) * np.sqrt(many / (many - 1))
    return np.asarray(np.einsum("bg,gkj->bkj", signs, sums))


def _normal_scores(p: Floats, functions: Floats, draws: int, rng: np.random.Generator) -> Floats:
    flat = (p.T[:, :, np.newaxis] * functions).transpose(1, 0, 2).reshape(p.shape[0], -1)
    covariance = -flat.T @ flat
    for k in range(p.shape[1]):
        block = slice(5 * k, 5 * k + 5)
        covariance[block, block] += functions[k].T @ (p[:, k, np.newaxis] * functions[k])
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((draws, root.shape[0])) @ root.T).reshape(draws, -1, 5)


def _weigh(scores: Floats, turns: Floats) -> tuple[Floats, Floats, Floats]:
    r"""Give the evidence against each class, against all together, and of bends.

    It is the log of the mean likelihood ratio, up to a constant: of a score z that is off by d to either side
    :math:`\cosh dz`, of the log-odds :math:`(2 e^{-dz} + e^{dz}) / 3`, of two that are off by d in any direction
    :math:`I_0(d \sqrt{z_1^2 + z_2^2})`.
    """
    sizes = np.hypot(scores[:, :, :3:2], scores[:, :, 1:4:2])
    both, bends = (np.log(i0e(_FAR * size)) + _FAR * size for size in np.moveaxis(sizes, 2, 0))
    extreme = _log_ratio(np.einsum("bkj,kj->bk", scores[:, :, :2], turns), _BOASTFUL)
    ways = np.stack([extreme, _log_ratio(scores[:, :, 0], 0.5), both, bends])
    prior = np.array([_EXTREME, _SHIFTED, 1 - _EXTREME - _SHIFTED - _BENT, _BENT])
    each = np.logaddexp.reduce(ways + np.log(prior)[:, np.newaxis, np.newaxis], axis=0)
    n_classes = scores.shape[1]
    if n_classes == 1:
        return each, each[:, 0], bends
    common = np.log(_EXTREME) + _log_ratio(scores[:, :, 4].sum(axis=1), _BOASTFUL)
    return each, np.logaddexp(common, np.logaddexp.reduce(each, axis=1) - np.log(n_classes)), bends


def _log_ratio(scores: Floats, below: float) -> Floats:
    return np.asarray(np.logaddexp(np.log(below) - _FAR * scores, np.log1p(-below) + _FAR * scores))


def _share_as_large(drawn: Floats, observed: float) -> float:
    return float((np.count_nonzero(drawn >= observed - _ROUNDING) + 1) / (drawn.size + 1))


def _slope(p: Floats, happened: NDArray[np.bool_], independent: bool) -> tuple[float, float]:
    """Fit intercept and slope of the log-odds; give the slope and the p-value of the likelihood-ratio test.

    The test is for independent cases; for others its p-value is NaN.
    """
    inside = (p > 0) & (p < 1)
    odds, y = logit(p[inside]), happened[inside]
    if y.size == 0 or y.all() or not y.any() or np.ptp(odds) == 0:
        return float("nan"), float("nan")
    columns, line = np.column_stack([np.ones(odds.size), odds]), np.array([0.0, 1.0])
    for _ in range(50):
        fitted = expit(columns @ line)
        curvature = columns.T @ (columns * (fitted * (1 - fitted))[:, np.newaxis]) + 1e-12 * np.eye(2)
        step = np.linalg.solve(curvature, columns.T @ (y - fitted))
        # a step of more than 1 would overshoot; where one value of p parts the outcomes, steps never end
        line = line + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    ended = bool(np.abs(step).max() < 1e-6 and fitted.min() < 1 - 1e-9 and fitted.max() > 1e-9)
    gain = np.sum(log_expit(np.where(y, 1, -1) * (columns @ line)) - log_expit(np.where(y, 1, -1) * odds))
    p_value = float(chdtrc(2, max(2 * float(gain), 0.0))) if independent else float("nan")
    return float(line[1]) if ended else float("nan"), p_value
