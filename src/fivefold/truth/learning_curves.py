"""Learning curves: the true error and its estimates as training sets grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from fivefold.data.dnf_concepts import Concept
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import RandomState, as_generator, positive_int
from fivefold.results import Direction, Result
from fivefold.truth.simulation import MethodsGiven, Simulation, simulate


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
        r"""Give one row for each size and measure: its mean and its standard deviation over training sets.

        ``distinct`` is the number of different cases that the measure learns from: the size itself, but for the
        bootstrap's error out of bag the expected number in a resample, :math:`n (1 - (1 - 1/n)^n)`. Drawn there,
        that error lies on the curve of the true error if copies of a case teach the estimator nothing.
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
    options: dict[str, Any] = {"methods": methods, "n_repeats": n_repeats, "n_test": n_test, "n_jobs": n_jobs}
    return LearningCurve(
        tuple(
            simulate(estimator, concept, n, random_state=rng, **options)
            for n, rng in zip(grid, streams, strict=True)
        )
    )


def _rows(simulation: Simulation) -> list[tuple[int, float, str, float, float, float]]:
    n, resampled = simulation.n, simulation.n * (1 - (1 - 1 / simulation.n) ** simulation.n)
    rows = [(n, float(n), "true_error", simulation.true_mean, simulation.true_spread, 0.0)]
    for label, quality in simulation.quality.items():
        distinct = resampled if simulation.methods[label] == "bootstrap" else float(n)
        rows.append((n, distinct, label, quality.mean, quality.spread, quality.bias))
    return rows
