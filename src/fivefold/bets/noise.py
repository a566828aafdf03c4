"""The noise floor: how miscalibrated a perfectly calibrated model would look by chance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from fivefold.bets import _kernels
from fivefold.bets.cells import Cells
from fivefold.inputs.options import RandomState, as_generator

MANY_CELLS = 20_000
# Rounding must not decide between a draw and an observation that are the same in exact arithmetic.
_ROUNDING = 1 + 1e-12


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


def noise_floor(cells: Cells, observed: float, draws: int, random_state: RandomState) -> NoiseFloor:
    """Compare the observed miscalibration with that of outcomes drawn from the stated probabilities."""
    spread = cells.squares - cells.cases * (cells.rate - cells.mean) ** 2
    if cells.ends.shape[0] > MANY_CELLS:
        floor = _normal_floor(cells, spread, observed)
    else:
        floor = _drawn_floor(cells, spread, observed, draws, random_state)
    impossible = np.any((cells.p >= 1.0) & ~cells.happened) or np.any((cells.p <= 0.0) & cells.happened)
    return replace(floor, p_value=0.0) if impossible else floor


def _drawn_floor(
    cells: Cells, spread: NDArray[np.float64], observed: float, draws: int, random_state: RandomState
) -> NoiseFloor:
    rng = as_generator(random_state)
    drawn = np.sqrt(np.maximum(_kernels.redraw(cells.p, cells.ends, spread, draws, rng), 0.0))
    as_large = np.count_nonzero(drawn * _ROUNDING >= observed)
    p_value = float((as_large + 1) / (draws + 1))
    return NoiseFloor(float(drawn.mean()), float(np.quantile(drawn, 0.95)), p_value, draws)


def _normal_floor(cells: Cells, spread: NDArray[np.float64], observed: float) -> NoiseFloor:
    mean, variance = _kernels.redraw_moments(cells.p, cells.ends, spread)
    if variance <= 0.0:
        return NoiseFloor(
            float(np.sqrt(mean)), float(np.sqrt(mean)), 1.0 if observed**2 <= mean * _ROUNDING else 0.0, 0
        )
    law = norm(mean, np.sqrt(variance))
    # sqrt is concave: E sqrt(S) = sqrt(mean) - variance / (8 mean^1.5), to second order
    typical = np.sqrt(mean) - variance / (8 * mean**1.5)
    return NoiseFloor(float(typical), float(np.sqrt(law.ppf(0.95))), float(law.sf(observed**2)), 0)
