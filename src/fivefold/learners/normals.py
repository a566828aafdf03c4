"""Normal distributions of numeric attributes, one for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_FLOOR = 1e-9


@dataclass(frozen=True, eq=False)
class Normals:
    """Means and variances of attributes in classes.

    Parameters
    ----------
    means, variances : ndarray of shape (n_attributes, n_classes)
        Of the known values. A variance of zero marks an attribute that has only one value.
    """

    means: NDArray[np.float64]
    variances: NDArray[np.float64]

    @classmethod
    def learn(
        cls,
        attributes: Sequence[NDArray[np.float64]],
        classes: NDArray[np.int32],
        weights: NDArray[np.float64],
        n_classes: int,
    ) -> Self:
        """Estimate from weighted cases, skipping missing values."""
        means, variances = np.zeros((2, len(attributes), n_classes))
        for place, values in enumerate(attributes):
            known = ~np.isnan(values)
            moments = _moments(values[known], classes[known], weights[known], n_classes)
            means[place], variances[place] = moments
        return cls(means, variances)

    def log_densities(self, attributes: Sequence[NDArray[np.float64]], n_cases: int) -> NDArray[np.float64]:
        """Sum the logarithms of the densities over the attributes, skipping missing values."""
        sums = np.zeros((n_cases, self.means.shape[1]))
        for values, mean, variance in zip(attributes, self.means, self.variances, strict=True):
            if variance.any():
                logs = -0.5 * ((values[:, np.newaxis] - mean) ** 2 / variance + np.log(2 * np.pi * variance))
                sums += np.where(np.isnan(logs), 0.0, logs)
        return sums

    def text(self, place: int, classes: NDArray[Any]) -> str:
        """Write the mean and the standard deviation of an attribute in each class."""
        spreads = np.sqrt(self.variances[place])
        named = zip(classes.tolist(), self.means[place], spreads, strict=True)
        return ", ".join(f"{label} {mean:.4g} ± {spread:.4g}" for label, mean, spread in named)


def _moments(
    values: NDArray[np.float64], classes: NDArray[np.int32], weights: NDArray[np.float64], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not values.size:
        return np.zeros(n_classes), np.zeros(n_classes)
    mean = np.average(values, weights=weights)
    variance = np.average((values - mean) ** 2, weights=weights)
    totals = np.bincount(classes, weights, n_classes)
    # a class without any known value is taken to be like all cases together
    divisors = np.where(totals > 0, totals, 1.0)
    means = np.where(totals > 0, np.bincount(classes, weights * values, n_classes) / divisors, mean)
    squares = np.bincount(classes, weights * (values - means[classes]) ** 2, n_classes) / divisors
    return means, np.where(totals > 0, squares, variance) + _FLOOR * variance
