"""The expected calibration error over bins, plain and with its bias removed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.bets.calibration import SELECTED, Events, read_events
from fivefold.formulas import Floats
from fivefold.inputs.options import as_weights, one_of, positive_int, refuse_weights
from fivefold.plain_text import counted
from fivefold.results import LOWER, Result, metric

MOST_BINS = 1_000_000
_NO_WEIGHTS = "the correction for bias counts whole cases; repeat the rows instead"


@dataclass(frozen=True, eq=False)
class CalibrationBins(Result, title="Expected calibration error", unit="probability", direction=LOWER):
    """Stated probabilities against what happened, bin by bin.

    Parameters
    ----------
    value : float
        The calibration error.
    bins : ndarray of int of shape (n,)
        The bin of each case.
    cases : ndarray of shape (bins,)
        Cases in each bin that has any, or the sum of their weights.
    stated, happened : ndarray of shape (bins,)
        Mean stated probability in each bin, and the share that happened; NaN where all weights are 0.
    """

    value: float
    bins: NDArray[np.int64] = field(repr=False)
    cases: Floats = field(repr=False)
    stated: Floats = field(repr=False)
    happened: Floats = field(repr=False)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each bin."""
        return {"cases": self.cases, "stated": self.stated, "happened": self.happened}

    def __str__(self) -> str:
        return f"{self.title}: {self.value:.4f} in {counted(self.cases.size, 'bin')}"


@dataclass(frozen=True, eq=False)
class DebiasedCalibrationBins(CalibrationBins, title="Debiased calibration error"):
    """The same, for the calibration error less what chance adds to it."""


@metric(CalibrationBins, reads="probabilities", weighted=True)
def expected_calibration_error(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    n_bins: int = 15,
    strategy: str = "width",
    event: object = SELECTED,
    sample_weight: object = None,
) -> float:
    r"""Mean distance between stated probability and share that happened, over bins.

    .. math:: \mathrm{ECE} = \sum_i \frac{n_i}{N} \left|\bar f_i - \bar p_i\right|

    It is never zero by chance: even a calibrated model scores about :math:`\sqrt{\text{bins}/N}`, which
    `debiased_calibration_error` removes.

    Parameters
    ----------
    y_true, y_prob, classes, sample_weight
        As in `information_reward`.
    n_bins : int
        Number of bins.
    strategy : {"width", "mass"}
        Bins of equal width over [0, 1], or of about equal numbers of cases (equal probabilities together).
    event : "selected" or a class
        As in `miscalibration`.

    References
    ----------
    M. P. Naeini, G. Cooper and M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian
    binning", AAAI 2015.

    Examples
    --------
    >>> import fivefold as ff
    >>> round(ff.bets.expected_calibration_error([1, 0, 1, 0], [0.9, 0.9, 0.9, 0.9]), 3)
    0.4
    """
    events, weights, bins = _bins(y_true, y_prob, classes, event, n_bins, strategy, sample_weight)
    return _mean_gap(events, weights, bins)


def expected_calibration_error_details(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    n_bins: int = 15,
    strategy: str = "width",
    event: object = SELECTED,
    sample_weight: object = None,
) -> CalibrationBins:
    """Give `expected_calibration_error` with the numbers of each bin; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> print(ff.bets.expected_calibration_error_details([1, 0, 1, 0], [0.9, 0.9, 0.9, 0.9]))
    Expected calibration error: 0.4000 in 1 bin
    """
    events, weights, bins = _bins(y_true, y_prob, classes, event, n_bins, strategy, sample_weight)
    return CalibrationBins(_mean_gap(events, weights, bins), *_bin_table(events, weights, bins))


@metric(DebiasedCalibrationBins, reads="probabilities")
def debiased_calibration_error(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    n_bins: int = 15,
    strategy: str = "mass",
    event: object = SELECTED,
    sample_weight: None = None,
) -> float:
    r"""Root of the squared calibration error, less what chance adds to it.

    .. math:: \sqrt{\max\left(0, \sum_i \frac{n_i}{N}
        \left[(\bar f_i - \bar p_i)^2 - \frac{\bar f_i (1 - \bar f_i)}{n_i - 1}\right]\right)}

    Bins with a single case have no estimate of their own noise and are left out.

    Parameters
    ----------
    y_true, y_prob, classes, n_bins, strategy, event
        As in `expected_calibration_error`.
    sample_weight : None
        Refused: the correction counts whole cases.

    References
    ----------
    A. Kumar, P. Liang and T. Ma, "Verified uncertainty calibration", NeurIPS 2019.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.debiased_calibration_error([1, 0] * 8, [0.5] * 16)   # chance explains it
    0.0
    """
    refuse_weights(sample_weight, _NO_WEIGHTS)
    events, _, bins = _bins(y_true, y_prob, classes, event, n_bins, strategy)
    return _debiased_gap(events, bins)


def debiased_calibration_error_details(
    y_true: object,
    y_prob: object,
    *,
    classes: object = None,
    n_bins: int = 15,
    strategy: str = "mass",
    event: object = SELECTED,
    sample_weight: None = None,
) -> DebiasedCalibrationBins:
    """Give `debiased_calibration_error` with the numbers of each bin; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bets.debiased_calibration_error_details([1, 0] * 8, [0.5] * 16).happened
    array([0.5])
    """
    refuse_weights(sample_weight, _NO_WEIGHTS)
    events, _, bins = _bins(y_true, y_prob, classes, event, n_bins, strategy)
    return DebiasedCalibrationBins(_debiased_gap(events, bins), *_bin_table(events, None, bins))


def _bins(
    y_true: object,
    y_prob: object,
    classes: object,
    event: object,
    n_bins: int,
    strategy: str,
    sample_weight: object = None,
) -> tuple[Events, Floats | None, NDArray[np.int64]]:
    """Put each event into a bin, numbered from 0; a probability on an edge belongs to the lower bin."""
    events = read_events(y_true, y_prob, classes, event)
    weights = as_weights(sample_weight, events.p.shape[0])
    positive_int(n_bins, "n_bins", most=MOST_BINS)
    one_of(strategy, ("width", "mass"), "strategy")
    edges = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    if strategy == "mass":
        edges = np.unique(np.quantile(events.p, edges, method="inverted_cdf", weights=weights))
    return events, weights, np.searchsorted(edges, events.p, side="left")


def _bin_table(
    events: Events, weights: Floats | None, bins: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[Any], Floats, Floats]:
    """Number the bins that have cases anew, and give their cases, stated probability and share that happened."""
    _, bins = np.unique(bins, return_inverse=True)
    share = np.ones(bins.size) if weights is None else weights
    cases, stated, happened = (
        np.bincount(bins, weights=values) for values in (share, share * events.p, share * events.happened)
    )
    with np.errstate(invalid="ignore"):  # a bin of cases without any weight has no mean
        return bins, cases, stated / cases, happened / cases


def _mean_gap(events: Events, weights: Floats | None, bins: NDArray[np.int64]) -> float:
    gap = events.happened - events.p if weights is None else weights * (events.happened - events.p)
    total = events.p.shape[0] if weights is None else weights.sum()
    return float(np.abs(np.bincount(bins, weights=gap)).sum() / total)


def _debiased_gap(events: Events, bins: NDArray[np.int64]) -> float:
    _, n, stated, rate = _bin_table(events, None, bins)
    squared = (rate - stated) ** 2 - rate * (1 - rate) / np.maximum(n - 1, 1)
    return float(np.sqrt(max(0.0, float(n[n > 1] @ squared[n > 1]) / events.p.shape[0])))
