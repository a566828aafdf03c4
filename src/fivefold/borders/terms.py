"""The terms of the measure, as the paper has them, and the weights between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.frames import as_numbers
from fivefold.inputs.options import amount, finite

Floats = NDArray[np.float64]
Fit: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], float]
Similarity: TypeAlias = Callable[[Floats, float], Floats]
Simplicity: TypeAlias = Callable[[Any, float], float]


@dataclass(frozen=True)
class MeasureWeights:
    """What the terms weigh: fit a0, similarity a1 with its parts k1 (right) and k2 (wrong), simplicity a2.

    Examples
    --------
    >>> MeasureWeights().a2, MeasureWeights(a2=0.1)
    (0.025, MeasureWeights(a0=1.0, a1=1.0, a2=0.1, k1=0.5, k2=0.5))
    """

    a0: float = 1.0
    a1: float = 1.0
    a2: float = 0.025
    k1: float = 0.5
    k2: float = 0.5

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            finite(value, f"the weight {name}")

    def total(self, fit: float, right: float, wrong: float, simplicity: float) -> float:
        r"""Put the terms together: :math:`a_0 f + a_1 (k_1 r - k_2 w) + a_2 s`."""
        return float(self.a0 * fit + self.a1 * (self.k1 * right - self.k2 * wrong) + self.a2 * simplicity)


def as_measure_weights(weights: Any) -> MeasureWeights:
    """Take weights as they are, or some of them by name; the paper's for the others."""
    if weights is None:
        return MeasureWeights()
    if isinstance(weights, MeasureWeights):
        return weights
    known = [field.name for field in fields(MeasureWeights)]
    if not isinstance(weights, Mapping):
        raise InputTypeError(
            f"weights to be MeasureWeights or a mapping with some of {', '.join(known)}",
            show(weights),
            "weights of the cases are sample_weight",
        )
    unknown = [name for name in weights if name not in known]
    if unknown:
        raise InputError(f"weights named {', '.join(known)}", show(unknown[0]))
    return MeasureWeights(**weights)


def margin_similarity(distances: Floats, b: float) -> Floats:
    r"""Reward distance on the right side and punish it on the wrong: :math:`\pm (1 - 2^{-b|d|})`.

    Parameters
    ----------
    distances : ndarray
        Signed distances: above zero for right cases.
    b : float
        How steep it is: at a distance of 1/b it is one half.

    Examples
    --------
    >>> margin_similarity(np.array([0.0, 0.1, -0.1, np.inf, -np.inf]), 10.0).tolist()
    [0.0, 0.5, -0.5, 1.0, -1.0]
    """
    far, steepness = as_numbers(distances, "distances"), as_steepness(b)
    with np.errstate(over="ignore"):  # too far for a float is infinitely far
        return np.asarray(np.sign(far) * (1 - np.exp2(-steepness * np.abs(far))))


def as_steepness(b: object) -> float:
    """Check how steep the similarity is to be."""
    if (number := amount(b, "b")) == 0:
        raise InputError("b to be a finite number above zero", show(b))
    return number


def steepness(b: object, n_cases: int, n_columns: int) -> float:
    """Check how steep the similarity is to be; by default the inverse distance of so many cases on a grid."""
    return float(n_cases ** (1 / n_columns)) if b is None else as_steepness(b)
