"""Calibration: stated probabilities against what happened, cell by cell, and against what chance would do."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from fivefold.bets import _kernels
from fivefold.errors import InputError, show
from fivefold.formulas import Floats, binomial_quantile
from fivefold.inputs._kernels import at_codes
from fivefold.inputs.answers import as_probabilities
from fivefold.inputs.few_numbers import FewNumbers
from fivefold.inputs.frames import as_few
from fivefold.inputs.options import (
    RandomState,
    as_generator,
    as_weights,
    one_of,
    positive_int,
    refuse_weights,
)
from fivefold.results import LOWER, CaseScores, Result, mean_of, metric, say_p, total_of

SELECTED = "selected"
MANY_CELLS = 20_000
# Rounding must not decide between a draw and an observation that are the same in exact arithmetic.
_ROUNDING = 1 + 1e-12
_TIED_SHARE = 0.10
_NO_WEIGHTS = "the cells count whole cases and divide by their number less one; repeat the rows instead"


@dataclass(frozen=True, eq=False)
class Events:
    """One event a case: its stated probability, and whether it happened."""

    p: Floats
    happened: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Cells:
    """Sorted events and where each cell of them ends."""

    p: Floats
    happened: NDArray[np.bool_]
    ends: NDArray[np.int64]
    cases: NDArray[np.int64]
    hits: NDArray[np.int64]
    mean: Floats
    squares: Floats


@dataclass(frozen=True)
class NoiseFloor:
    """Miscalibration that chance alone gives to a model whose probabilities are right.

    Parameters
    ----------
    mean : float
        Mean of the statistic when each outcome is drawn anew with its stated probability.
    q95 : float
        Its 95 % quantile.
    p_value : float
        Probability of a value at least as large as the one observed; 0 if something happened that had been
        called impossible, which no chance explains.
    draws : int
        Number of redraws; 0 where the distribution was taken as normal with its exact mean and variance,
        which is done above 20,000 cells.
    """

    mean: float
    q95: float
    p_value: float
    draws: int


@dataclass(frozen=True, eq=False)
class Reliability(Result, title="Miscalibration", unit="probability, summed over cells", direction=LOWER):
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
    min_cases, ties, event
        As they were asked for.
    """

    n_cases: int
    cases: NDArray[np.int64] = field(repr=False)
    hits: NDArray[np.int64] = field(repr=False)
    stated: Floats = field(repr=False)
    low: Floats = field(repr=False)
    high: Floats = field(repr=False)
    miscalibration: float
    rms: float
    signed: float
    signed_standard_error: float
    floor: NoiseFloor
    min_cases: int
    ties: str
    event: object

    @property
    def value(self) -> float:
        """The miscalibration."""
        return self.miscalibration

    @property
    def happened(self) -> Floats:
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


@dataclass(frozen=True, eq=False)
class ConfidenceGaps(CaseScores, title="Signed confidence", unit="probability"):
    """Probability of each case's selected class, less one if it is right."""


@metric(Reliability, reads="probabilities")
def miscalibration(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    min_cases: int = 10,
    ties: str = "together",
    event: object = SELECTED,
    sample_weight: None = None,
) -> float:
    r"""Distance of the stated probabilities from what happened, cell by cell.

    The cases are sorted by the probability :math:`p` of their selected class and cut into cells of at least
    ``min_cases``; with :math:`\bar f_i` the share of right answers in cell :math:`i`,

    .. math:: \sqrt{\sum_i \sum_{j \in i} \frac{(\bar f_i - p_{ij})^2}{n_i - 1}}.

    It is a sum over cells: it grows with the square root of their number and values above 1 are normal. Read
    it beside its noise floor, which `reliability` gives.

    Parameters
    ----------
    y_true, y_prob, classes
        As in `information_reward`.
    min_cases : int
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
    refuse_weights(sample_weight, _NO_WEIGHTS)
    return _miscalibration(make_cells(read_events(y_true, y_prob, classes, event), min_cases, ties))


def reliability(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    min_cases: int = 10,
    ties: str = "together",
    event: object = SELECTED,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
    sample_weight: None = None,
) -> Reliability:
    """Compare stated probabilities with what happened, cell by cell, and with what chance alone would do.

    These are the details of `miscalibration`.

    Parameters
    ----------
    y_true, y_prob, classes, min_cases, ties, event, sample_weight
        As in `miscalibration`.
    n_resamples : int
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
    refuse_weights(sample_weight, _NO_WEIGHTS)
    positive_int(n_resamples, "n_resamples")
    events = read_events(y_true, y_prob, classes, event)
    return measure_reliability(events, min_cases, ties, event, n_resamples, random_state)


miscalibration_details = reliability


@metric(ConfidenceGaps, reads="probabilities", weighted=True)
def signed_confidence(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> float:
    r"""Mean probability of the selected class less the share of right answers, :math:`\overline{p - f}`.

    Above zero the model is over-confident, below zero under-confident.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.

    Examples
    --------
    >>> import fivefold as ff
    >>> round(ff.bets.signed_confidence([1, 0, 1, 0], [0.9, 0.9, 0.9, 0.9]), 3)
    0.4
    """
    return signed_confidence_details(y_true, y_prob, classes=classes, sample_weight=sample_weight).value


def signed_confidence_details(
    y_true: object, y_prob: object, *, classes: object = None, sample_weight: object = None
) -> ConfidenceGaps:
    """Give `signed_confidence` with the difference of each case; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.signed_confidence_details([1, 0], [0.75, 0.75]).per_example
    array([-0.25,  0.75])
    """
    events = read_events(y_true, y_prob, classes, SELECTED)
    weights = as_weights(sample_weight, events.p.shape[0])
    gaps = events.p - events.happened
    return ConfidenceGaps(gaps, float(np.average(gaps, weights=weights)), weights)


def measure_reliability(
    events: Events,
    min_cases: int = 10,
    ties: str = "together",
    event: object = SELECTED,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
) -> Reliability:
    """Measure the reliability of checked events."""
    n = events.p.shape[0]
    signed = mean_of(events.p) - float(events.happened.mean())
    error = float(np.sqrt(total_of(events.p * (1 - events.p))) / n)
    cells = make_cells(events, min_cases, ties)
    value = _miscalibration(cells)
    low, high = (
        binomial_quantile(level, cells.cases, np.clip(cells.mean, 0.0, 1.0)) / cells.cases
        for level in (0.025, 0.975)
    )
    return Reliability(
        n_cases=n,
        cases=cells.cases,
        hits=cells.hits,
        stated=cells.mean,
        low=low,
        high=high,
        miscalibration=value,
        rms=float(np.sqrt(cells.squares.sum() / n)),
        signed=signed,
        signed_standard_error=error,
        floor=noise_floor(cells, value, n_resamples, random_state),
        min_cases=min_cases,
        ties=ties,
        event=event,
    )


def _miscalibration(cells: Cells) -> float:
    return float(np.sqrt(np.sum(cells.squares / (cells.cases - 1))))


def read_events(y_true: object, y_prob: object, classes: object, event: object) -> Events:
    """Check the input and pick the event: a class, or whichever class is selected."""
    truth, prob, universe = as_probabilities(y_true, y_prob, classes)
    return pick_events(truth, prob, universe, event)


def pick_events(
    truth: NDArray[np.int32], prob: NDArray[Any], universe: NDArray[Any], event: object
) -> Events:
    """Pick the event from checked input; ``None`` means the second of two classes, else the selected one."""
    if event is None:
        code = 1 if universe.size == 2 else -1
    elif isinstance(event, str) and event == SELECTED:
        code = -1
    else:
        places = {label: place for place, label in enumerate(universe.tolist())}
        if (hasattr(event, "__len__") and not isinstance(event, str)) or event not in places:
            raise InputError(f"event to be 'selected' or one of {list(places)[:8]}", show(event))
        code = places[event]
    if code < 0 and (few := as_few(prob)) is not None:
        several = few.levels if few.ndim == 2 else np.column_stack([1.0 - few.levels, few.levels])
        selected = several.argmax(axis=1)
        chosen: Any = FewNumbers(few.codes, several[np.arange(selected.size), selected])
        return Events(chosen, truth == at_codes(selected.astype(truth.dtype), few.codes))
    if code < 0:
        return Events(*_kernels.selected_events(truth, *_kernels.columns(prob)))
    p = prob if prob.ndim == 1 else prob[:, code]
    p = p if as_few(p) else p.astype(np.float64)
    return Events(1.0 - p if prob.ndim == 1 and code == 0 else p, truth == code)


def count_alarms(events: Events) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Give the different probabilities, falling, and the false alarms and hits of a threshold at each."""
    if (few := as_few(events.p)) is not None:
        levels, of = np.unique(np.abs(few.levels), return_inverse=True)
        n, hits = (np.bincount(of, part.counts).astype(np.int64) for part in (few, few[events.happened]))
        occurs = np.flatnonzero(n)[::-1]
        return levels[occurs], np.cumsum((n - hits)[occurs]), np.cumsum(hits[occurs])
    p, happened = sort_events(events.p, events.happened)
    firsts = np.append(0, np.flatnonzero(p[1:] != p[:-1]) + 1)[::-1]
    hits = np.cumsum(np.add.reduceat(happened, firsts[::-1], dtype=np.int64)[::-1])
    return p[firsts], p.size - firsts - hits, hits


def sort_events(p: Floats, happened: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """Sort events by probability; few different ones are counted. The order among equals is not defined."""
    few = as_few(p)
    if few is None:
        # the bits of numbers from 0 to 1 are in their order, and leave room for the outcome
        keys = np.abs(p).view(np.int64) << 1
        keys |= happened
        keys.sort()
        outcomes = (keys & 1).astype(np.bool_)
        keys >>= 1
        return keys.view(np.float64), outcomes
    order = np.argsort(few.levels)
    counts, hits = few.counts[order], few[happened].counts[order]
    outcomes = np.repeat(np.tile([True, False], order.size), np.column_stack([hits, counts - hits]).ravel())
    return np.repeat(np.abs(few.levels[order]), counts), outcomes


def make_cells(events: Events, min_cases: int, ties: str) -> Cells:
    """Sort the events and cut them into cells of at least ``min_cases`` cases.

    ``ties="together"`` never separates equal probabilities; ``ties="paper"`` cuts every ``min_cases`` cases
    in row order, through ties. What is left over joins the last cell.
    """
    positive_int(min_cases, "min_cases", least=2)
    one_of(ties, ("together", "paper"), "ties")
    n = events.p.shape[0]
    if n < 2:
        raise InputError("at least 2 cases", f"{n}", "one case alone has no calibration")
    if ties == "paper":
        order = np.argsort(events.p, kind="stable")
        p, happened = events.p[order], events.happened[order]
        ends = np.append(np.arange(1, max(n // min_cases, 1)) * min_cases, n)
        _warn_of_cut_ties(p, ends)
    else:
        p, happened = sort_events(events.p, events.happened)
        ends = _kernels.tied_ends(p, min_cases)
    return Cells(p, happened, ends, *_kernels.cell_statistics(p, happened, ends))


def _warn_of_cut_ties(p: Floats, ends: NDArray[np.int64]) -> None:
    cuts = ends[:-1]
    tied = np.unique(p[cuts][p[cuts] == p[cuts - 1]])
    share = sum(np.searchsorted(p, tied, "right") - np.searchsorted(p, tied, "left")) / p.shape[0]
    if share > _TIED_SHARE:
        warnings.warn(
            f"{share:.0%} of the cases have a probability that ties='paper' cuts through, so the result hangs "
            "on the order of the rows; ties='together' does not",
            UserWarning,
            stacklevel=4,
        )


def noise_floor(cells: Cells, observed: float, n_resamples: int, random_state: RandomState) -> NoiseFloor:
    """Compare the observed miscalibration with that of outcomes drawn from the stated probabilities."""
    spread = cells.squares - cells.cases * (cells.hits / cells.cases - cells.mean) ** 2
    if cells.ends.shape[0] > MANY_CELLS:
        floor = _normal_floor(cells, spread, observed)
    else:
        floor = _drawn_floor(cells, spread, observed, n_resamples, random_state)
    impossible = np.any((cells.p >= 1.0) & ~cells.happened) or np.any((cells.p <= 0.0) & cells.happened)
    return replace(floor, p_value=0.0) if impossible else floor


def _drawn_floor(
    cells: Cells, spread: Floats, observed: float, n_resamples: int, random_state: RandomState
) -> NoiseFloor:
    rng = as_generator(random_state)
    drawn = np.sqrt(np.maximum(_kernels.redraw(cells.p, cells.ends, spread, n_resamples, rng), 0.0))
    as_large = np.count_nonzero(drawn * _ROUNDING >= observed)
    p_value = float((as_large + 1) / (n_resamples + 1))
    return NoiseFloor(float(drawn.mean()), float(np.quantile(drawn, 0.95)), p_value, n_resamples)


def _normal_floor(cells: Cells, spread: Floats, observed: float) -> NoiseFloor:
    mean, variance = _kernels.redraw_moments(cells.p, cells.ends, spread)
    if variance <= 0.0:
        root = float(np.sqrt(mean))
        return NoiseFloor(root, root, float(observed**2 <= mean * _ROUNDING), 0)
    sd = np.sqrt(variance)
    # sqrt is concave: E sqrt(S) = sqrt(mean) - variance / (8 mean^1.5), to second order
    typical = np.sqrt(mean) - variance / (8 * mean**1.5)
    q95, p_value = np.sqrt(mean + sd * ndtri(0.95)), ndtr(-(observed**2 - mean) / sd)
    return NoiseFloor(float(typical), float(q95), float(p_value), 0)
