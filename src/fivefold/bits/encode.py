"""The bits of each case, and how much of the total hangs on the order of the cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.bits.answers import AnswerSummary, summarise
from fivefold.bits.run_code import CODES, NO_WEIGHTS, null_bits, null_bits_per_example, run_code
from fivefold.errors import InputError
from fivefold.inputs.answers import as_answers
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int, refuse_weights
from fivefold.results.metric import Direction
from fivefold.results.result import Result


@dataclass(frozen=True, eq=False)
class Encoding(Result):
    """The true classes, sent to someone who has the answers.

    Parameters
    ----------
    code : str
        The code that was used.
    per_example : ndarray of shape (n,)
        Bits of each case, in the given order.
    null_per_example : ndarray of shape (n,)
        Bits of each case without any answers, in the given order.
    total, null : float
        Their sums.
    answers : AnswerSummary
        Coverage and sizes of the answers.
    shuffled : ndarray of shape (orderings,)
        Totals over random orders of the cases.
    mean_per_example : ndarray of shape (n,), or (0,) without random orders
        Bits of each case, averaged over the random orders.
    """

    title: ClassVar[str] = "Significance"
    unit: ClassVar[str] = "bits"
    direction: ClassVar[Direction] = "higher is better"

    code: str
    per_example: NDArray[np.float64] = field(repr=False)
    null_per_example: NDArray[np.float64] = field(repr=False)
    total: float
    null: float
    answers: AnswerSummary = field(repr=False)
    shuffled: NDArray[np.float64] = field(repr=False)
    mean_per_example: NDArray[np.float64] = field(repr=False)

    @property
    def significance(self) -> float:
        """Bits that the answers save in the given order."""
        return self.null - self.total

    @property
    def per_case(self) -> float:
        """Bits that the answers save for each case, in the given order."""
        return self.significance / len(self.per_example)

    @cached_property
    def mean(self) -> float:
        """Mean of the total over the random orders."""
        return float(self._need_orders().mean())

    @cached_property
    def sd(self) -> float:
        """Standard deviation of the total over the random orders (of the significance too)."""
        return float(self._need_orders(2).std(ddof=1))

    @property
    def mean_significance(self) -> float:
        """Mean of the significance over the random orders."""
        return self.null - self.mean

    def _need_orders(self, least: int = 1) -> NDArray[np.float64]:
        if self.shuffled.size < least:
            raise InputError(
                f"an encoding with at least {least} random order{'s'[: least - 1]}",
                f"orderings={self.shuffled.size}",
                "call encode(..., orderings=20)",
            )
        return self.shuffled

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each case."""
        return {"bits": self.per_example, "null_bits": self.null_per_example}

    def __str__(self) -> str:
        told = f"{self.significance:+.1f} bits saved of {self.null:.1f} ({self.code} code)"
        if self.shuffled.size > 1:
            told += f"; {self.mean_significance:+.1f} ± {self.sd:.1f} over {self.shuffled.size} orders"
        return told


def encode(
    y_true: object,
    predicted: object,
    *,
    classes: object = None,
    code: str = "frequency",
    orderings: int = 0,
    random_state: RandomState = None,
    sample_weight: None = None,
) -> Encoding:
    """Send the true classes to someone who has the answers, and keep the bits of each case.

    Parameters
    ----------
    y_true, predicted, classes, code, sample_weight
        As in `code_length`.
    orderings : int
        Number of random orders of the cases over which ``mean`` and ``sd`` are taken. The same seed gives the
        same orders, so that two models can be compared order by order.
    random_state : int, Generator, RandomState or None
        Seed of the orders.

    Examples
    --------
    >>> import fivefold as ff
    >>> truth = ["cat", "dog", "cat", "bird"] * 25
    >>> said = ["cat", "dog", "cat|dog".split("|"), None] * 25
    >>> told = ff.bits.encode(truth, said, code="mixture", orderings=20, random_state=0)
    >>> print(told)
    +83.8 bits saved of 155.5 (mixture code); +85.9 ± 7.2 over 20 orders
    >>> told.per_example.shape
    (100,)
    """
    refuse_weights(sample_weight, NO_WEIGHTS)
    one_of(code, CODES, "code")
    positive_int(orderings, "orderings", least=0)
    truth, answers, universe = as_answers(y_true, predicted, classes)
    return encode_coded(truth, answers, universe.size, code, orderings, random_state)


def encode_coded(
    truth: NDArray[np.int32],
    answers: NDArray[Any],
    n_classes: int,
    code: str,
    orderings: int,
    random_state: RandomState,
) -> Encoding:
    """Encode input that has already been checked."""
    per_example = np.empty(truth.shape[0])
    total = run_code(code, truth, answers, n_classes, per_example)
    shuffled, mean_per_example = _shuffle(truth, answers, n_classes, code, orderings, random_state)
    return Encoding(
        code,
        per_example,
        null_bits_per_example(code, truth, n_classes),
        total,
        null_bits(code, truth, n_classes),
        summarise(truth, answers, n_classes),
        shuffled,
        mean_per_example,
    )


def _shuffle(
    truth: NDArray[np.int32],
    answers: NDArray[Any],
    n_classes: int,
    code: str,
    orderings: int,
    random_state: RandomState,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Totals over random orders, and the bits of each case averaged over them."""
    n_cases = truth.shape[0] if orderings else 0
    totals, summed, bits = np.empty(orderings), np.zeros(n_cases), np.empty(n_cases)
    rng = as_generator(random_state)
    for index in range(orderings):
        order = rng.permutation(n_cases)
        totals[index] = run_code(code, truth[order], answers[order], n_classes, bits)
        summed[order] += bits
    return totals, summed / max(orderings, 1)
