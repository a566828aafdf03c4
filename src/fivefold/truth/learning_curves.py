"""Learning curves: the error as training sets grow, in simulations with known truth and in one table of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.special import stdtrit

from fivefold.data.dnf_concepts import Concept
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.groups import Groups
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results import Direction, Result, declared
from fivefold.training.fit_predict import check_fits_and_predicts, read_labelled_table
from fivefold.training.splits import FoldSplits, GivenSplits, Rows, draw, draw_groups
from fivefold.truth.cross_validation import check_fold_options, repeated_folds
from fivefold.truth.error_estimate import Floats
from fivefold.truth.refits import ERROR, Refits
from fivefold.truth.simulation import MethodsGiven, Simulation, simulate

# the whole of a training set, and how often it is halved
HALVINGS = 3
FEWEST_CASES = 10


def distinct_cases(n: int) -> float:
    r"""Give the expected number of different cases in a bootstrap resample of `n`: :math:`n (1 - (1 - 1/n)^n)`.

    Examples
    --------
    >>> round(distinct_cases(100), 2)
    63.4
    """
    return n * (1 - (1 - 1 / n) ** n)


@dataclass(frozen=True, eq=False)
class LearningCurve(Result):
    """Simulations with training sets of several sizes.

    Parameters
    ----------
    simulations : tuple of Simulation
        One for each size.
    """

    title: ClassVar[str] = "Learning curve"
    unit: ClassVar[str] = "share of wrong answers"
    direction: ClassVar[Direction] = "lower is better"

    simulations: tuple[Simulation, ...] = field(repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the training sets."""
        return tuple(simulation.n for simulation in self.simulations)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each size and measure: its mean and its standard deviation over training sets.

        ``distinct`` is the number of different cases that the measure learns from: the size itself, but for the
        bootstrap's error out of bag the expected number of different cases in a resample. Drawn there, that
        error lies on the curve of the true error if copies of a case teach the estimator nothing.
        """
        rows = [row for simulation in self.simulations for row in _rows(simulation)]
        names = ("n", "distinct", "measure", "mean", "spread", "bias")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def __str__(self) -> str:
        points = ", ".join(f"{100 * s.true_mean:.1f}% at {s.n:,}" for s in self.simulations)
        return f"true error of {self.simulations[0].estimator}: {points}"


def learning_curve(
    estimator: Any,
    concept: Concept | str,
    sizes: Iterable[int],
    *,
    methods: MethodsGiven = ("cv", "632", "bootstrap"),
    n_repeats: int = 10,
    n_test: int = 20_000,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> LearningCurve:
    """Simulate training sets of several sizes.

    Parameters
    ----------
    estimator, concept, methods, n_repeats, n_test, n_jobs, random_state
        As in `simulate`.
    sizes : iterable of int
        The sizes of the training sets.

    Returns
    -------
    LearningCurve
        ``.frame()`` has the means and the standard deviations of the true error and of each estimate.

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, figures 2 to 4.

    Examples
    --------
    >>> import fivefold as ff
    >>> foil = ff.learners.Foil(target=True)
    >>> curve = ff.truth.learning_curve(foil, "dnf3", (20, 80), methods="cv", random_state=0)
    >>> small, large = curve.simulations
    >>> small.true_mean > large.true_mean
    True
    """
    if not isinstance(sizes, Iterable):
        raise InputTypeError("sizes to be a sequence of numbers", f"{show(sizes)} ({type(sizes).__name__})")
    grid = [positive_int(n, "each of sizes", least=2) for n in sizes]
    if not grid:
        raise InputError("at least one size", "none")
    streams = as_generator(random_state).spawn(len(grid))
    options: dict[str, Any] = {
        "methods": methods,
        "n_repeats": n_repeats,
        "n_test": n_test,
        "n_jobs": n_jobs,
    }
    return LearningCurve(
        tuple(
            simulate(estimator, concept, n, random_state=rng, **options)
            for n, rng in zip(grid, streams, strict=True)
        )
    )


def _rows(simulation: Simulation) -> list[tuple[int, float, str, float, float, float]]:
    n = simulation.n
    truth = (n, float(n), "true_error", simulation.true_mean, simulation.true_spread, 0.0)
    estimates = [
        (n, _distinct(simulation, label), label, quality.mean, quality.spread, quality.bias)
        for label, quality in simulation.quality.items()
    ]
    return [truth, *estimates]


def _distinct(simulation: Simulation, label: str) -> float:
    bootstrap = simulation.methods[label] == "bootstrap"
    return distinct_cases(simulation.n) if bootstrap else float(simulation.n)


@dataclass(frozen=True, eq=False)
class ErrorBySize(Result):
    """The error of an estimator after training sets of several sizes, on cases that taught none of them.

    Parameters
    ----------
    sizes : tuple of int
        Cases in the training sets, in ascending order.
    errors : tuple of float
        Mean error after training sets of each size.
    gain : float
        How much lower the error is after the largest training sets than after those of half their size.
    gain_interval : (float, float)
        95% interval of that gain.
    """

    title: ClassVar[str] = "Error by size"
    unit: ClassVar[str] = "share of wrong answers"
    direction: ClassVar[Direction] = "lower is better"

    sizes: tuple[int, ...] = field(metadata=declared(meaning="Cases in the training sets."))
    errors: tuple[float, ...] = field(
        metadata=declared(meaning="Mean error on cases left out, for each size.")
    )
    gain: float = field(
        metadata=declared(meaning="How much lower the error is after the largest than after half of them.")
    )
    gain_interval: tuple[float, float] = field(metadata=declared(meaning="95% interval of that gain."))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each size."""
        return {"n": list(self.sizes), "error": list(self.errors)}

    @property
    def sentence(self) -> str:
        """What twice the training cases brought, in words."""
        low, high = (100 * end for end in self.gain_interval)
        half, whole = self.sizes[-2:]
        start = f"Twice the training cases, {whole:,} instead of {half:,},"
        if low > 0:
            gain = f"{100 * self.gain:.1f} points off its error (95% interval {low:.1f} to {high:.1f})"
            return f"{start} took {gain}."
        change = f"{-100 * self.gain:+.1f} points, {-high:+.1f} to {-low:+.1f}"
        if high < 0:
            return f"{start} made it worse ({change} of error)."
        return f"{start} brought no proven gain ({change} of error)."

    def __str__(self) -> str:
        points = ", ".join(
            f"{100 * error:.1f}% of {n:,}" for n, error in zip(self.sizes, self.errors, strict=True)
        )
        return f"error by size of the training set: {points}"


def error_by_size(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    n_splits: int = 5,
    n_repeats: int = 4,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> ErrorBySize:
    r"""Find how the error falls as the training set grows, from parts of one table of cases.

    Of each fold that is left out, the others teach: all of their cases, and a half, a quarter and an eighth of
    them, drawn class by class. The gain by the last doubling is the mean of :math:`d_i`, by how many of its
    answers to case i the estimator was wrong less often after twice the cases, with the interval

    .. math:: \bar d \pm t_{n - 1} \sqrt{2 s_d^2 / n + (1/J + 1/(k - 1))\, \tau^2 + (1.6 / n)^2}.

    Each case is asked and also teaches: hence its variance twice. What the J means of folds spread beyond their
    cases, :math:`\tau^2`, is due to training sets that share cases (Nadeau and Bengio's correction, k folds).
    And where no answer changed among n cases, a difference of some cases in n may still have been missed.

    Parameters
    ----------
    estimator : classifier
        An object with `fit` and `predict`; each training set gets a clone.
    X : dataframe or 2-D array-like
        The cases.
    y : array-like
        Their classes: text, whole numbers or booleans.
    groups : array-like or str, optional
        Which cases belong together; folds and parts of them keep them whole.
    n_splits, n_repeats : int
        Folds, and how often cases are dealt into them.
    n_jobs : int, optional
        How many fits run at the same time, as in joblib. The result does not depend on it.
    random_state : int, Generator or None
        The source of folds and parts, and of the seeds of an estimator whose own ``random_state`` is None.

    Returns
    -------
    ErrorBySize
        ``.frame()`` has the mean error after each size, ``.gain`` what the last doubling brought.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    Examples
    --------
    >>> import fivefold as ff
    >>> votes = ff.data.load("VO")
    >>> curve = ff.truth.error_by_size(ff.learners.NaiveBayes(), votes.X, votes.y)
    >>> curve.sizes
    (44, 87, 174, 348)
    """
    check_fits_and_predicts(estimator)
    check_fold_options(n_splits, n_repeats, stratify=True)
    refits = Refits(estimator, read_labelled_table(X, y, groups), ERROR, n_jobs, as_generator(random_state))
    folds = repeated_folds(refits, n_splits, n_repeats, stratify=True)
    whole = len(refits.table) - len(refits.table) // n_splits
    sizes = sorted({round(whole / 2**halved) for halved in range(HALVINGS + 1)})
    sizes = [size for size in sizes if size >= FEWEST_CASES]
    if len(sizes) < 2:
        raise InputError(
            f"at least {FEWEST_CASES} cases in half of a training set",
            f"{len(refits.table)} cases in {n_splits} folds",
        )
    wrong = [_wrong_after(refits, folds, size) for size in sizes]
    errors = [float(answers.mean()) for answers in wrong]
    gain = errors[-2] - errors[-1]
    half = _half_width(wrong[-2] - wrong[-1], folds.parts, refits.table.groups)
    return ErrorBySize(tuple(sizes), tuple(errors), gain, (max(gain - half, -1.0), min(gain + half, 1.0)))


def _wrong_after(refits: Refits, folds: FoldSplits, size: int) -> Floats:
    """Tell which cases were answered wrongly after training sets of one size, in each deal."""
    places = range(len(folds))
    pairs = [(_part_of(refits, folds.train(place), size), folds.test(place)) for place in places]
    answers = refits.labels(GivenSplits(len(refits.table), pairs))
    wrong = np.zeros(folds.parts.shape)
    for place, (_, asked) in enumerate(pairs):
        wrong[place // len(folds.left_out), asked] = answers[place] != refits.table.codes[asked]
    return wrong


def _part_of(refits: Refits, rows: Rows, size: int) -> Rows:
    """Draw so many of the rows, class by class, or whole groups of about so many."""
    if size >= rows.size:
        return rows
    classes, groups = refits.table.codes[rows], refits.table.groups
    if groups is None:
        return rows[draw(rows.size, size, refits.rng, classes)]
    return rows[draw_groups(groups.part(rows), size, refits.rng, classes)]


def _half_width(differences: Floats, parts: Rows, groups: Groups | None) -> float:
    """Give half of the interval of a mean difference from those of each case in each deal."""
    n_deals, n = differences.shape
    n_folds = int(parts.max()) + 1
    means = [
        deal[folds == k].mean()
        for deal, folds in zip(differences, parts, strict=True)
        for k in range(n_folds)
    ]
    of_fold = n_folds * float(np.mean([_variance(deal, groups) for deal in differences]))
    spread = max(0.0, float(np.var(means, ddof=1)) - of_fold)
    shared = (1 / (n_deals * n_folds) + 1 / (n_folds - 1)) * spread
    variance = 2 * _variance(differences.mean(axis=0), groups) + shared + (1.6 / n) ** 2
    freedom = (n if groups is None else groups.n_groups) - 1
    return float(stdtrit(freedom, 0.975)) * float(np.sqrt(variance))


def _variance(values: Floats, groups: Groups | None) -> float:
    """Give the variance of a mean; the cases of a group count as one."""
    apart = values - values.mean()
    sums = apart if groups is None else groups.totals(apart)
    return float(np.sum(sums**2)) / values.size**2 * sums.size / (sums.size - 1)
