"""Code lengths: how many bits the answers of a model save, in all and case by case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from fivefold.bits import _kernels
from fivefold.bits.cells import AnswerCells
from fivefold.errors import InputError
from fivefold.formulas import Floats, log2_binomial, log2_factorial
from fivefold.inputs._kernels import AT_ONCE, at_codes, count_codes
from fivefold.inputs.answers import as_answers
from fivefold.inputs.labels import encode_truth, given_classes, infer_classes, read_labels
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int, refuse_weights
from fivefold.results import HIGHER, LOWER, Result, metric

CODES = ("laplace", "constant", "frequency", "corrected", "mixture")
# Degrees of trust in all answers alike, and cases that a memory for each answer starts with, of the mixture code.
ODDS = np.ldexp(1.0, np.arange(-16, 17))
MEMORIES = np.ldexp(1.0, np.arange(-2, 10, 2))
_CLASS_BLIND = ("laplace", "constant")
_NO_WEIGHTS = "a sequential code sends each case once and in turn; there is no such thing as half a case"
_NO_ROOM = np.empty(0)


@dataclass(frozen=True, eq=False)
class CaseBits(Result, title="Code length", unit="bits", direction=LOWER):
    """Bits of all cases in the given order.

    Parameters
    ----------
    value : float
        All bits together.
    per_example : ndarray of shape (n,)
        Bits of each case.
    code : str
        The code that was used.
    """

    value: float
    per_example: Floats = field(repr=False)
    code: str

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each case."""
        return {"bits": self.per_example}

    def __str__(self) -> str:
        return f"{self.title}: {self.value:.1f} bits for {self.per_example.size} cases ({self.code} code)"


@dataclass(frozen=True, eq=False)
class NullCaseBits(CaseBits, title="Bits of no information (null code)", direction="neither"):
    """Bits of all cases for someone who has no model."""


@dataclass(frozen=True, eq=False)
class AnswerSummary(Result, title="Answers", unit="cases"):
    """Counts of answers by their size.

    Parameters
    ----------
    n_cases, n_classes : int
        Cases and classes.
    by_size : ndarray of shape (n_classes + 1,)
        Number of cases answered with 0, 1, … classes.
    right_by_size : ndarray of shape (n_classes + 1,)
        Those among them whose true class is in the answer.
    """

    n_cases: int
    n_classes: int
    by_size: NDArray[np.int64]
    right_by_size: NDArray[np.int64]

    @property
    def coverage(self) -> float:
        """Share of cases whose true class is in the answer."""
        return float(self.right_by_size.sum() / self.n_cases)

    @property
    def accuracy(self) -> float:
        """Share of cases answered with the true class alone; several or no classes count as wrong."""
        return float(self.right_by_size[1] / self.n_cases)

    @property
    def mean_size(self) -> float:
        """Mean number of classes in an answer."""
        return float(self.by_size @ np.arange(self.n_classes + 1) / self.n_cases)

    @property
    def share_empty(self) -> float:
        """Share of cases without an answer."""
        return float(self.by_size[0] / self.n_cases)

    @property
    def share_single(self) -> float:
        """Share of cases answered with one class."""
        return float(self.by_size[1] / self.n_cases)

    @property
    def share_several(self) -> float:
        """Share of cases answered with more than one class, all of them included."""
        return float(self.by_size[2:].sum() / self.n_cases)

    @property
    def share_full(self) -> float:
        """Share of cases answered with every class, which says nothing."""
        return float(self.by_size[-1] / self.n_cases)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each size of answer."""
        sizes = np.arange(self.n_classes + 1)
        return {"size": sizes, "cases": self.by_size, "right": self.right_by_size}

    def __str__(self) -> str:
        return (
            f"{self.n_cases:,} cases: {self.share_single:.1%} answered with one class, {self.share_several:.1%} "
            f"with several, {self.share_empty:.1%} with none; truth in the answer {self.coverage:.1%}"
        )


@dataclass(frozen=True, eq=False)
class Encoding(Result, title="Significance", unit="bits", direction=HIGHER):
    """The true classes, sent to someone who has the answers.

    Parameters
    ----------
    code : str
        The code that was used.
    total, null : float
        Bits of all cases in the given order, with the answers and without.
    answers : AnswerSummary
        Coverage and sizes of the answers.
    shuffled : ndarray of shape (orderings,)
        Totals over random orders of the cases.
    cells : AnswerCells
        The cases, by answer and true class.
    mean_by_cell : ndarray of shape (m,), or (0,) without random orders
        Bits of a case of each cell, averaged over its cases and the random orders; they differ by their places in
        these only.
    """

    code: str
    total: float
    null: float
    answers: AnswerSummary = field(repr=False)
    shuffled: Floats = field(repr=False)
    cells: AnswerCells = field(repr=False)
    mean_by_cell: Floats = field(repr=False)

    @cached_property
    def per_example(self) -> Floats:
        """Bits of each case, in the given order."""
        bits = np.zeros(self.cells.n_cases)
        _run(self.code, self.cells, bits)
        return bits

    @cached_property
    def null_per_example(self) -> Floats:
        """Bits of each case without any answers, in the given order."""
        return _null_per_example(self.code, self.cells.labels[self.cells.codes], self.cells.n_classes)

    @property
    def significance(self) -> float:
        """Bits that the answers save in the given order."""
        return _saved(self.null, self.total)

    @property
    def value(self) -> float:
        """The significance."""
        return self.significance

    @property
    def per_case(self) -> float:
        """Bits that the answers save for each case, in the given order."""
        return self.significance / self.cells.n_cases

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
        return _saved(self.null, self.mean)

    def _need_orders(self, least: int = 1) -> Floats:
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
        saved = f"{self.significance:+.1f} bits saved of {self.null:.1f} ({self.code} code)"
        if self.shuffled.size > 1:
            saved += f"; {self.mean_significance:+.1f} over {self.shuffled.size} orders (s.d. {self.sd:.1f})"
        return saved


@metric(CaseBits, reads="answers", order_free=False)
def code_length(
    y_true: object,
    y_pred: object,
    *,
    classes: object = None,
    code: str = "frequency",
    sample_weight: None = None,
) -> float:
    r"""Bits needed to tell someone the true classes who already has the model's answers, :math:`I(D|T,Q)`.

    Let :math:`R_t` be the set of classes answered for case :math:`t`, :math:`p_i = (c_i + 1)/(t + n)` the
    running frequency of class :math:`i`, and :math:`r = \sum_{i \in R_t} p_i`. The frequency-weighted code
    sends the true class :math:`y` in

    .. math:: \lg\frac{\alpha r + \beta (1 - r)}{w\, p_y}, \qquad w = \alpha \text{ if } y \in R_t
        \text{ else } \beta

    bits and then adds :math:`p_y / r` to :math:`\alpha` or :math:`p_y / (1 - r)` to :math:`\beta`; both start
    at :math:`1/n`. The total depends on the order of the cases (a few bits in shuffled data; for other codes than
    the mixture many in data sorted by class); `encode` with ``orderings`` measures how much.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The true classes.
    y_pred : array-like
        Labels (``None`` or NaN for no answer), or a boolean ``(n, k)`` matrix in class order (MAPIE's
        ``(n, k, 1)`` too), or a sequence of collections of labels.
    classes : array-like, optional
        All classes of the problem. Their number enters every code, so name them when some may not occur;
        without it the sorted labels of ``y_true`` and ``y_pred`` are taken.
    code : {"frequency", "constant", "laplace", "corrected", "mixture"}
        ``"frequency"`` and ``"constant"`` are the paper's two codes as printed, ``"laplace"`` its first
        attempt. ``"corrected"`` repairs the double use of class frequencies; ``"mixture"`` never costs more
        than one bit above that of no information (the null code) and is the one to decide by: it sends how often
        each class comes, as its null does, then the cases in an order that is no one's, by a Bayes mixture of no
        trust, 32 degrees of trust in all answers alike, and memories of what was true at the same answer before.
    sample_weight : None
        Refused: a sequential code sends whole cases in turn.

    References
    ----------
    J. G. Cleary, S. Legg and I. H. Witten, "An MDL estimate of the significance of rules", 1996.

    Examples
    --------
    Four right answers in two classes leave 2.3 bits to be sent, against 4.9 bits without any answers:

    >>> import fivefold as ff
    >>> truth = ["yes", "no", "yes", "no"]
    >>> round(ff.bits.code_length(truth, ["yes", "no", "yes", "no"]), 2)
    2.28
    >>> round(ff.bits.null_code_length(truth), 2)
    4.91
    """
    truth, answers, n_classes = _read(y_true, y_pred, classes, code, sample_weight)
    return run_code(code, truth, answers, n_classes)


def code_length_details(
    y_true: object,
    y_pred: object,
    *,
    classes: object = None,
    code: str = "frequency",
    sample_weight: None = None,
) -> CaseBits:
    """Give `code_length` with the bits of each case; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bits.code_length_details(["a", "b"], ["a", "b"]).per_example.round(2)
    array([1.  , 0.74])
    """
    truth, answers, n_classes = _read(y_true, y_pred, classes, code, sample_weight)
    per_example = np.zeros(truth.shape[0])
    return CaseBits(run_code(code, truth, answers, n_classes, per_example), per_example, code)


@metric(NullCaseBits, reads="truth")
def null_code_length(
    y_true: object, *, classes: object = None, code: str = "frequency", sample_weight: None = None
) -> float:
    r"""Bits needed to tell someone the true classes who has no model, :math:`I(D|Q)`, the same in every order.

    For the codes that count classes ("frequency", "corrected", "mixture"), with :math:`c_i` cases of class
    :math:`i` among :math:`N`,

    .. math:: I(D|Q) = \lg \frac{(N + n - 1)!}{(n - 1)! \prod_i c_i!};

    for "constant" and "laplace", which do not, it is :math:`N \lg n`.

    Parameters
    ----------
    y_true, code, sample_weight
        As in `code_length`.
    classes : array-like, optional
        All classes of the problem; without it those that occur.

    Examples
    --------
    >>> import fivefold as ff
    >>> ff.bits.null_code_length(["a", "b", "a", "a"], code="constant")
    4.0
    """
    truth, n_classes = _read_truth(y_true, classes, code, sample_weight)
    return null_of_counts(code, count_codes(truth, n_classes))


def null_code_length_details(
    y_true: object, *, classes: object = None, code: str = "frequency", sample_weight: None = None
) -> NullCaseBits:
    """Give `null_code_length` with the bits of each case in turn; it has the same parameters.

    Examples
    --------
    >>> import fivefold as ff
    >>> print(ff.bits.null_code_length_details(["a", "b", "a", "a"], code="constant"))
    Bits of no information (null code): 4.0 bits for 4 cases (constant code)
    """
    truth, n_classes = _read_truth(y_true, classes, code, sample_weight)
    bits = null_of_counts(code, count_codes(truth, n_classes))
    return NullCaseBits(bits, _null_per_example(code, truth, n_classes), code)


@metric(Encoding, reads="answers", order_free=False)
def significance(
    y_true: object,
    y_pred: object,
    *,
    classes: object = None,
    code: str = "frequency",
    sample_weight: None = None,
) -> float:
    r"""Bits that the answers save, :math:`S = I(D|Q) - I(D|T,Q)`.

    Above zero the answers tell something that the class frequencies alone do not; below zero listening to them
    costs more than ignoring them. Under ``code="mixture"`` it is never below -1, is 0 for one and the same answer
    to all cases, and reaches k bits with probability :math:`2^{-k}` at most where the answers know nothing;
    `chance_test` sees weaker signs of learning.

    Parameters
    ----------
    y_true, y_pred, classes, code, sample_weight
        As in `code_length`.

    References
    ----------
    J. G. Cleary, S. Legg and I. H. Witten, "An MDL estimate of the significance of rules", 1996.

    Examples
    --------
    >>> import fivefold as ff
    >>> truth = (["well"] * 19 + ["ill"]) * 5
    >>> always_well = ["well"] * 100
    >>> ff.bits.significance(truth, always_well, code="mixture")   # 95 % correct, nothing learned
    0.0
    """
    truth, answers, n_classes = _read(y_true, y_pred, classes, code, sample_weight)
    null = null_of_counts(code, count_codes(truth, n_classes))
    return _saved(null, run_code(code, truth, answers, n_classes))


def _saved(null: float, total: float) -> float:
    """Bits saved; answers that tell nothing save 0, not what sums of many numbers are rounded by."""
    return null - total if abs(null - total) > 1e-9 * null else 0.0


def encode(
    y_true: object,
    y_pred: object,
    *,
    classes: object = None,
    code: str = "frequency",
    orderings: int = 0,
    random_state: RandomState = 0,
    sample_weight: None = None,
) -> Encoding:
    """Send the true classes to someone who has the answers, and keep the bits of each case.

    These are the details of `significance`, and of its dependence on the order of the cases.

    Parameters
    ----------
    y_true, y_pred, classes, code, sample_weight
        As in `code_length`.
    orderings : int
        Number of random orders of the cases over which ``mean`` and ``sd`` are taken. The same seed gives the
        same orders; of the mixture the same totals, however the rows are sorted.
    random_state : int, Generator, RandomState or None
        Seed of the orders.

    Examples
    --------
    >>> import fivefold as ff
    >>> truth = ["cat", "dog", "cat", "bird"] * 25
    >>> answers = ["cat", "dog", "cat|dog".split("|"), None] * 25
    >>> encoding = ff.bits.encode(truth, answers, code="mixture", orderings=20)
    >>> print(encoding)
    +129.7 bits saved of 155.5 (mixture code); +129.6 over 20 orders (s.d. 0.0)
    >>> encoding.per_example.shape
    (100,)
    """
    positive_int(orderings, "orderings", least=0)
    truth, answers, n_classes = _read(y_true, y_pred, classes, code, sample_weight)
    return encode_cells(AnswerCells.of(truth, answers, n_classes), code, orderings, random_state)


significance_details = encode


def summarise_answers(y_true: object, y_pred: object, *, classes: object = None) -> AnswerSummary:
    """Count answers by size: coverage, mean size and the shares of empty, single and full answers.

    Parameters
    ----------
    y_true, y_pred, classes
        As in `code_length`.

    Examples
    --------
    >>> import fivefold as ff
    >>> answers = ff.bits.summarise_answers(["a", "b", "c"], [{"a"}, {"a", "b"}, None], classes=["a", "b", "c"])
    >>> answers.mean_size, round(answers.coverage, 3), round(answers.accuracy, 3)
    (1.0, 0.667, 0.333)
    """
    truth, answers, universe = as_answers(y_true, y_pred, classes)
    cells = AnswerCells.of(truth, answers, universe.size)
    return AnswerSummary(cells.n_cases, cells.n_classes, *cells.tally())


def run_code(
    code: str, truth: NDArray[np.int32], answers: NDArray[Any], n_classes: int, out: Floats = _NO_ROOM
) -> float:
    """Total bits of checked input under ``code``; the bits of each case go into ``out`` if it has room."""
    if code == "mixture":
        return _run(code, AnswerCells.of(truth, answers, n_classes), out)
    if code == "laplace":
        return float(_kernels.laplace(truth, answers, n_classes, out))
    counts, corrected = code != "constant", code == "corrected"
    answers = answers if answers.ndim == 2 else answers.astype(np.int32, copy=False)
    return float(_kernels.weighted(truth, answers, n_classes, counts, corrected, out))


def _run(code: str, cells: AnswerCells, out: Floats = _NO_ROOM) -> float:
    """Total bits of the cases in the given order, as `run_code`."""
    if code != "mixture":
        return run_code(code, cells.labels[cells.codes], cells.answers[cells.codes], cells.n_classes, out)
    sent, bits = _own_order(cells.codes), np.empty(out.size)
    total = _send(_believe(cells), sent, _NO_ROOM, bits)
    if out.size:
        out[_own_order(np.arange(out.size))] = bits
    return total


def _believe(cells: AnswerCells) -> _kernels.Beliefs:
    price = counts_bits(cells.n_cases, cells.n_classes) / cells.n_cases
    return _kernels.Beliefs(cells, ODDS, MEMORIES, price)


def _send(beliefs: _kernels.Beliefs, codes: NDArray[Any], sums: Floats, out: Floats = _NO_ROOM) -> float:
    """Send cases in an order by the mixture code, from the beginning; give their bits."""
    _kernels.begin(beliefs)
    total = 0.0
    for start in range(0, codes.size, AT_ONCE):
        part = codes[start : start + AT_ONCE].astype(np.int32)
        total = _kernels.send(beliefs, part, sums, out[start : start + AT_ONCE])
    return total


def _own_order(codes: NDArray[Any]) -> NDArray[Any]:
    """Put cases in an order that has nothing to do with the one in which they stand.

    Rows are often sorted by time or class; in that order a memory would learn when each class comes, not what the
    answers tell. What is shuffled are the codes themselves: places would take eight times their room.
    """
    return np.random.default_rng(codes.size).permutation(codes)


def counts_bits(n_cases: int, n_classes: int) -> float:
    """Bits of how often each class comes, where all ways to share out the cases are as likely."""
    return log2_binomial(n_cases + n_classes - 1, n_classes - 1)


def null_of_counts(code: str, counts: NDArray[np.int64]) -> float:
    """Total bits of so many cases of each class under the code that knows no answers."""
    n_cases, n_classes = int(counts.sum()), counts.size
    if code in _CLASS_BLIND:
        return float(n_cases * np.log2(n_classes))
    nats = gammaln(n_cases + n_classes) - gammaln(n_classes) - gammaln(counts + 1).sum()
    return float(nats / np.log(2))


def encode_cells(cells: AnswerCells, code: str, orderings: int, random_state: RandomState) -> Encoding:
    """Encode cases that have been counted."""
    sums = np.zeros(len(cells.labels) if orderings else 0)
    shuffled = shuffle_totals(cells, code, orderings, random_state, sums)
    null = null_of_counts(code, cells.totals)
    answers = AnswerSummary(cells.n_cases, cells.n_classes, *cells.tally())
    mean_by_cell = sums / np.maximum(cells.counts, 1)[: sums.size] / max(orderings, 1)
    return Encoding(code, _run(code, cells), null, answers, shuffled, cells, mean_by_cell)


def _read(
    y_true: object, y_pred: object, classes: object, code: str, sample_weight: None
) -> tuple[NDArray[np.int32], NDArray[Any], int]:
    refuse_weights(sample_weight, _NO_WEIGHTS)
    one_of(code, CODES, "code")
    truth, answers, universe = as_answers(y_true, y_pred, classes)
    return truth, answers, universe.size


def _read_truth(
    y_true: object, classes: object, code: str, sample_weight: None
) -> tuple[NDArray[np.int32], int]:
    refuse_weights(sample_weight, _NO_WEIGHTS)
    one_of(code, CODES, "code")
    labels = read_labels(y_true, "y_true")
    universe = given_classes(classes) if classes is not None else infer_classes([labels], ["y_true"])
    return encode_truth(labels, universe), universe.size


def _null_per_example(code: str, truth: NDArray[np.int32], n_classes: int) -> Floats:
    """Bits of each case under the code that knows no answers."""
    if code in _CLASS_BLIND:
        return np.full(truth.shape[0], np.log2(n_classes))
    if code == "mixture":
        return np.asarray(mixture_null(np.bincount(truth, minlength=n_classes))[truth])
    return np.asarray(_kernels.frequency_null(truth, n_classes))


def mixture_null(totals: NDArray[np.int64]) -> Floats:
    """Bits of a case of each class without any answers, averaged over all orders of the cases."""
    n_cases, n_classes = int(totals.sum()), totals.size
    of_class = gammaln(totals + 1) / np.log(2) / np.maximum(totals, 1)
    return np.asarray((log2_factorial(n_cases) + counts_bits(n_cases, n_classes)) / n_cases - of_class)


def shuffle_totals(
    cells: AnswerCells, code: str, orderings: int, random_state: RandomState, sums: Floats = _NO_ROOM
) -> Floats:
    """Totals over random orders of the cases; the bits of each cell are added to ``sums`` if it has room."""
    rng, totals = as_generator(random_state), np.empty(orderings)
    beliefs = _believe(cells) if code == "mixture" and orderings else None
    given = cells.codes if beliefs is None else np.sort(cells.codes)  # whatever the order of the rows
    for place in range(orderings):
        codes = rng.permutation(given)
        if beliefs is not None:
            totals[place] = _send(beliefs, _own_order(codes), sums)
            continue
        bits = np.zeros(codes.size if sums.size else 0)
        labels, answers = at_codes(cells.labels, codes), at_codes(cells.answers, codes)
        totals[place] = run_code(code, labels, answers, cells.n_classes, bits)
        del labels, answers  # before there are others
        if sums.size:
            sums += np.bincount(codes, bits, minlength=sums.size)
    return totals
