"""Tables of probabilities: of values given the class, and of values given the class and another value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.learners.super_parent._kernels import add_logs, count_pairs

NO_PARENT = -1
_LIMIT = 10**8

Parents: TypeAlias = NDArray[np.int64]
Pair: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Cases:
    """Training cases as codes, one row an attribute, -1 for missing; and how probabilities are estimated.

    `sizes` has the number of values of each attribute, `m` their equivalent sample sizes, `class_m` that of the
    classes.
    """

    codes: NDArray[np.int32]
    classes: NDArray[np.int32]
    n_classes: int
    sizes: NDArray[np.int64]
    m: NDArray[np.float64]
    class_m: float

    def take(self, rows: NDArray[np.int64]) -> Cases:
        """Give some of the cases."""
        codes = np.ascontiguousarray(self.codes[:, rows])
        return Cases(codes, self.classes[rows], self.n_classes, self.sizes, self.m, self.class_m)

    @property
    def all_pairs(self) -> list[tuple[int, int]]:
        """Each attribute with each parent that it may have, or none."""
        n = self.sizes.size
        return [(a, p) for a in range(n) for p in range(NO_PARENT, n) if a != p]


@dataclass(frozen=True, eq=False)
class Tables:
    """Logarithms of probabilities.

    Parameters
    ----------
    logs : dict of (attribute, parent) to pair of ndarray of shape (parent values, values, classes)
        The second of the pair is for a case that does not count itself: its class and values occur once less.
    prior : pair of ndarray of shape (classes,)
        The same for the classes, up to a constant.
    """

    logs: dict[tuple[int, int], Pair]
    prior: Pair

    @classmethod
    def estimate(cls, cases: Cases, pairs: Iterable[tuple[int, int]]) -> Self:
        r"""Estimate :math:`P(v | c, u) = (n_{vcu} + m/k) / (n_{cu} + m)` for pairs of attribute and parent."""
        pairs = list(pairs)
        _check_total(cases, pairs)
        counts = np.bincount(cases.classes, minlength=cases.n_classes)
        more = cases.class_m / cases.n_classes
        with np.errstate(divide="ignore"):
            prior = np.log(counts + more), np.log(np.maximum(counts - 1, 0) + more)
            return cls({pair: _pair_logs(cases, *pair) for pair in pairs}, prior)

    def joint(
        self, codes: NDArray[np.int32], parents: Parents, own_classes: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Give the logarithm of the joint probability of each case and class, up to a constant.

        Parameters
        ----------
        codes : ndarray
            The cases, one row an attribute.
        parents : ndarray
            The parent of each attribute.
        own_classes : ndarray, optional
            The classes of cases that the tables count, and that are not to count themselves.
        """
        plain, own = self.prior
        logs = np.tile(plain, (codes.shape[1], 1))
        if own_classes is not None:
            logs[np.arange(own_classes.size), own_classes] = own[own_classes]
        else:
            own_classes = np.full(codes.shape[1], -1, dtype=np.int32)
        no_values = np.zeros_like(own_classes)
        for a, p in enumerate(parents.tolist()):
            above = no_values if p == NO_PARENT else codes[p]
            add_logs(logs, self.logs[a, p], self.logs[a, NO_PARENT], codes[a], above, own_classes)
        return logs


def _pair_logs(cases: Cases, a: int, p: int) -> Pair:
    above = np.zeros_like(cases.classes) if p == NO_PARENT else cases.codes[p]
    shape = (1 if p == NO_PARENT else int(cases.sizes[p]), int(cases.sizes[a]), cases.n_classes)
    counts = count_pairs(cases.codes[a], above, cases.classes, shape)
    whole = counts.sum(axis=1, keepdims=True)
    # where a case is taken away there is at least one
    return _logs(counts, whole, cases.m[a]), _logs(
        np.maximum(counts - 1, 0), np.maximum(whole - 1, 0), cases.m[a]
    )


def _logs(counts: NDArray[np.float64], whole: NDArray[np.float64], m: float) -> NDArray[np.float64]:
    # without any case and with m = 0 all values are equally probable, as they are for every m above 0
    nothing = whole + m == 0
    k = max(counts.shape[1], 1)
    return np.asarray(np.log((counts + (m + nothing) / k) / (whole + m + nothing)))


def _check_total(cases: Cases, pairs: list[tuple[int, int]]) -> None:
    sizes = cases.sizes.tolist()
    total = cases.n_classes * sum(sizes[a] * (1 if p == NO_PARENT else sizes[p]) for a, p in pairs)
    if total > _LIMIT:
        raise InputError(
            "attributes with fewer values",
            f"attributes with up to {max(sizes)} values, whose pairs make {total} probabilities",
            "leave out columns that name each case, or put rare values together",
        )
