"""What each value of an attribute says about the classes, and the class probabilities that it adds up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import Term


@dataclass(frozen=True)
class Evidence:
    r"""For a case in which all terms hold, the bits that they add to each class.

    The bits are logarithms of probabilities, :math:`\lg P(v \mid c)`; without terms :math:`\lg P(c)`. All the
    evidence that holds for a case, added up and normalised, is its class probability:

    .. math::

        P(c \mid x) = \frac{2^{b_c(x)}}{\sum_k 2^{b_k(x)}}, \qquad b_c(x) = \sum_{\text{evidence that holds}} b_c.

    Parameters
    ----------
    terms : tuple of Term
        The conditions, as in rules and slices.
    classes : tuple of label
        The classes.
    bits : tuple of float
        What the conditions add to each class.

    Examples
    --------
    >>> from fivefold.data.conditions import Equals
    >>> print(Evidence((Equals("windy", True),), ("no", "yes"), (-1.0, -2.0)))
    windy = True: 1 bit for no against yes
    >>> print(Evidence((), ("a", "b", "c"), (-2.0, -1.0, -2.0)))
    always: 1 bit for b against a
    """

    terms: tuple[Term, ...]
    classes: tuple[Any, ...]
    bits: tuple[float, ...]

    @classmethod
    def from_logs(cls, terms: Sequence[Term], classes: NDArray[Any], logs: NDArray[np.float64]) -> Self:
        """Make evidence from natural logarithms of probabilities."""
        bits = np.where(np.isneginf(logs), -np.inf, logs / np.log(2))
        return cls(tuple(terms), tuple(classes.tolist()), tuple(bits.tolist()))

    @property
    def favourite(self) -> Any:
        """The class that gains most, the first among equals."""
        return self.classes[int(np.argmax(self.bits))]

    def __str__(self) -> str:
        condition = " and ".join(term.to_text() for term in self.terms) or "always"
        least = int(np.argmin(self.bits))
        if max(self.bits) == self.bits[least]:
            return f"{condition}: the same for all classes"
        gap = max(self.bits) - self.bits[least]
        unit = "bit" if gap == 1 else "bits"
        return f"{condition}: {gap:.3g} {unit} for {self.favourite} against {self.classes[least]}"


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
