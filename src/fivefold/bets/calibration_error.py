"""The expected calibration error, plain and with its bias removed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fivefold.bets.cells import SELECTED, read_events
from fivefold.inputs.options import as_weights, one_of, positive_int, refuse_weights
from fivefold.results.metric import metric

_NO_WEIGHTS = "the correction for bias counts whole cases; repeat the rows instead"


@metric(
    "Expected calibration error",
    unit="probability",
    direction="lower is better",
    reads="probabilities",
    weighted=True,
)
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
    y_true, y_prob, classes, event
        As in `miscalibration`.
    n_bins : int
        Number of bins.
    strategy : {"width", "mass"}
        Bins of equal width over [0, 1], or of about equal numbers of cases (equal probabilities together).
    sample_weight : array-like of shape (n,), optional
        Weights of the cases.

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
    events = read_events(y_true, y_prob, classes, event)
    weights = as_weights(sample_weight, events.p.shape[0])
    bins = _bins(events.p, n_bins, strategy, weights)
    gap = events.happened - events.p if weights is None else weights * (events.happened - events.p)
    total = events.p.shape[0] if weights is None else weights.sum()
    return float(np.abs(np.bincount(bins, weights=gap)).sum() / total)


@metric(
    "Debiased calibration error",
    unit="probability",
    direction="lower is better",
    reads="probabilities",
)
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
    y_true, y_prob, classes, event
        As in `miscalibration`.
    n_bins, strategy
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
    events = read_events(y_true, y_prob, classes, event)
    bins = _bins(events.p, n_bins, strategy)
    n = np.bincount(bins)
    kept = n > 1
    rate = np.bincount(bins, weights=events.happened)[kept] / n[kept]
    stated = np.bincount(bins, weights=events.p)[kept] / n[kept]
    squared = (rate - stated) ** 2 - rate * (1 - rate) / (n[kept] - 1)
    return float(np.sqrt(max(0.0, float(n[kept] @ squared) / events.p.shape[0])))


def _bins(
    p: NDArray[np.float64], n_bins: int, strategy: str, weights: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Put each probability into a bin, numbered from 0; a value on an edge belongs to the lower bin."""
    positive_int(n_bins, "n_bins")
    one_of(strategy, ("width", "mass"), "strategy")
    if strategy == "width":
        edges = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    else:
        shares = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
        edges = np.unique(np.quantile(p, shares, method="inverted_cdf", weights=weights))
    return np.searchsorted(edges, p, side="left")
