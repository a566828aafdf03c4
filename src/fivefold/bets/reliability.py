"""Miscalibration: how far stated probabilities lie from what happened, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from fivefold.bets.cells import SELECTED, Cells, Events, make_cells, read_events
from fivefold.bets.noise import NoiseFloor, noise_floor
from fivefold.inputs.options import RandomState, as_weights, positive_int, refuse_weights
from fivefold.results.metric import Direction, metric
from fivefold.results.result import Result
from fivefold.results.wording import say_p

NO_WEIGHTS = "the cells count whole cases and divide by their number less one; repeat the rows instead"


@dataclass(frozen=True, eq=False)
class Reliability(Result):
    """Stated probabilities against what happened, cell by cell.

    Parameters
    ----------
    n_cases : int
        Number of cases.
    cases, hits : ndarray of shape (cells,)
        Cases in each cell, and those whose event happened.
    stated : ndarray of shape (cells,)
        Mean stated probability in each cell.
    low, high : ndarray of shape (cells,)
        Where the share that happened should lie 95 % of the time if the probabilities are right.
    miscalibration : float
        Equation 3 of the paper: a sum over cells, so it grows with their number.
    rms : float
        Root mean square distance over the cases; comparable across sample sizes.
    signed : float
        Mean stated probability less the share that happened; above zero is over-confident.
    signed_standard_error : float
        Its standard error if the probabilities are right.
    floor : NoiseFloor
        What chance alone would give.
    min_cell : int
        Least number of cases in a cell.
    ties : str
        How equal probabilities were treated.
    event : object
        The event: "selected", or a class.
    """

    title: ClassVar[str] = "Miscalibration"
    unit: ClassVar[str] = "probability, summed over cells"
    direction: ClassVar[Direction] = "lower is better"

    n_cases: int
    cases: NDArray[np.int64] = field(repr=False)
    hits: NDArray[np.int64] = field(repr=False)
    stated: NDArray[np.float64] = field(repr=False)
    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)
    miscalibration: float
    rms: float
    signed: float
    signed_standard_error: float
    floor: NoiseFloor
    min_cell: int
    ties: str
    event: object

    @property
    def happened(self) -> NDArray[np.float64]:
        """Share of each cell's events that happened."""
        return self.hits / self.cases

    @property
    def cells(self) -> Any:
        """The cells as a polars frame, one row each."""
        return self.frame()

    @property
    def p_value(self) -> float:
        """Probability that chance alone gives a miscalibration this large."""
        return self.floor.p_value

    @property
    def advice(self) -> str:
        """Say which way the probabilities err, if chance does not explain it."""
        if abs(self.signed) <= 1.96 * self.signed_standard_error:
            return "neither over- nor under-confident beyond chance"
        return "over-confident: shrink" if self.signed > 0 else "under-confident: sharpen"

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each cell."""
        return {
            "cases": self.cases,
            "stated": self.stated,
            "happened": self.happened,
            "signed": self.stated - self.happened,
            "low": self.low,
            "high": self.high,
        }

    def __str__(self) -> str:
        return (
            f"miscalibration {self.miscalibration:.3f} in {self.cases.size} cells (chance alone: "
            f"{self.floor.mean:.3f}, {say_p(self.floor.p_value)}); rms {self.rms:.3f}; {self.advice}"
        )


def reliability(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    min_cell: int = 10,
    ties: str = "together",
    event: object = SELECTED,
    draws: int = 1000,
    random_state: RandomState = 0,
    sample_weight: None = None,
) -> Reliability:
    """Compare stated probabilities with what happened, cell by cell, and with what chance alone would do.

    Parameters
    ----------
    y_true, y_prob, classes, min_cell, ties, event, sample_weight
        As in `miscalibration`.
    draws : int
        Number of times all outcomes are drawn anew with their stated probabilities for the noise floor.
    random_state : int, Generator, RandomState or None
        Seed of these draws.

    Examples
    --------
    >>> import fivefold as ff
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> chance = rng.uniform(size=400)
    >>> happened = rng.uniform(size=400) < chance
    >>> honest = ff.bets.reliability(happened, chance)
    >>> honest.advice
    'neither over- nor under-confident beyond chance'
    >>> boastful = ff.bets.reliability(happened, chance**3 / (chance**3 + (1 - chance) ** 3))
    >>> boastful.advice, boastful.floor.p_value < 0.01
    ('over-confident: shrink', True)
    """
    refuse_weights(sample_weight, NO_WEIGHTS)
    positive_int(draws, "draws")
    events = read_events(y_true, y_prob, classes, event)
    return measure_reliability(events, min_cell, ties, event, draws, random_state)


def measure_reliability(
    events: Events,
    min_cell: int = 10,
    ties: str = "together",
    event: object = SELECTED,
    draws: int = 1000,
    random_state: RandomState = 0,
) -> Reliability:
    """Measure the reliability of checked events."""
    cells = make_cells(events, min_cell, ties)
    value = _miscalibration(cells)
    low, high = binom.ppf([[0.025], [0.975]], cells.cases, np.clip(cells.mean, 0.0, 1.0)) / cells.cases
    n = events.p.shape[0]
    return Reliability(
        n_cases=n,
        cases=cells.cases,
        hits=cells.hits,
        stated=cells.mean,
        low=low,
        high=high,
        miscalibration=value,
        rms=float(np.sqrt(cells.squares.sum() / n)),
        signed=float(events.p.mean() - events.happened.mean()),
        signed_standard_error=float(np.sqrt(np.sum(events.p * (1 - events.p))) / n),
        floor=noise_floor(cells, value, draws, random_state),
        min_cell=min_cell,
        ties=ties,
        event=event,
    )


@metric(
    "Miscalibration",
    unit="probability, summed over cells",
    direction="lower is better",
    reads="probabilities",
)
def miscalibration(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    min_cell: int = 10,
    ties: str = "together",
    event: object = SELECTED,
    sample_weight: None = None,
) -> float:
    r"""Distance of the stated probabilities from what happened, cell by cell.

    The cases are sorted by the probability :math:`p` of their selected class and cut into cells of at least
    ``min_cell``; with :math:`\bar f_i` the share of right answers in cell :math:`i`,

    .. math:: \sqrt{\sum_i \sum_{j \in i} \frac{(\bar f_i - p_{ij})^2}{n_i - 1}}.

    It is a sum over cells: it grows with the square root of their number and values above 1 are normal. Read
    it beside its noise floor, which `reliability` gives.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_prob : array-like of shape (n, k) or (n,)
        Probabilities in class order, or of the second of two classes.
    classes : array-like, optional
        All classes in the order of the columns; without it the sorted classes of ``y_true``.
    min_cell : int
        Least number of cases in a cell.
    ties : {"together", "paper"}
        ``"together"`` keeps equal probabilities in one cell. ``"paper"`` cuts through them in row order, as
        the published numbers do; they then hang on the order of the rows, and a warning says so.
    event : "selected" or a class
        Whose probability is judged: of the most probable class, or of a fixed one.
    sample_weight : None
        Refused: the cells count whole cases.

    References
    ----------
    K. B. Korb, L. R. Hope and M. J. Hughes, ECML 2001, equation 3.

    Examples
    --------
    >>> import fivefold as ff
    >>> round(ff.bets.miscalibration([1, 0] * 10, [0.5] * 20), 6)   # right half of the time, and says so
    0.0
    >>> round(ff.bets.miscalibration([1, 0] * 10, [0.9] * 20), 6)
    0.410391
    """
    refuse_weights(sample_weight, NO_WEIGHTS)
    return _miscalibration(make_cells(read_events(y_true, y_prob, classes, event), min_cell, ties))


def _miscalibration(cells: Cells) -> float:
    return float(np.sqrt(np.sum(cells.squares / (cells.cases - 1))))


@metric("Signed confidence", unit="probability", direction="neither", reads="probabilities", weighted=True)
def signed_confidence(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> float:
    r"""Mean probability of the selected class less the share of right answers, :math:`\overline{p - f}`.

    Above zero the model is over-confident, below zero under-confident.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `miscalibration`.
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.

    Examples
    --------
    >>> import fivefold as ff
    >>> round(ff.bets.signed_confidence([1, 0, 1, 0], [0.9, 0.9, 0.9, 0.9]), 3)
    0.4
    """
    events = read_events(y_true, y_prob, classes, SELECTED)
    weights = as_weights(sample_weight, events.p.shape[0])
    return float(np.average(events.p - events.happened, weights=weights))
