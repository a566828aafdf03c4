"""From the logarithms of joint probabilities to the probabilities of the classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Sums of logarithms that should be equal may differ in their last bits: then the first class wins, as in any tie.
TIE = 1e-10


def class_probabilities(logs: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Normalise the joint probabilities of each case; where all are zero, give the prior.

    Examples
    --------
    >>> class_probabilities(np.log([[0.1, 0.3]]), np.array([0.5, 0.5])).round(4).tolist()
    [[0.25, 0.75]]
    """
    top = logs.max(axis=1, keepdims=True)
    impossible = np.isneginf(top)
    gaps = np.where(impossible, 0.0, logs) - np.where(impossible, 0.0, top)
    joint = np.where(gaps > -TIE, 1.0, np.exp(gaps))
    posterior = joint / joint.sum(axis=1, keepdims=True)
    return np.asarray(np.where(impossible, prior, posterior))
