"""Splits into training and test cases, drawn by seeds that do not know the learner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.options import positive_int, yes_or_no
from fivefold.study.seeds import generator

Rows: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Holdout:
    """Random halves, thirds or whatever, again and again.

    Parameters
    ----------
    repeats : int
        How many splits.
    train : float or str
        Share of the training cases, also as a fraction such as "2/3": of n cases, the whole part of n times the
        share is drawn for training.
    stratified : bool
        Whether each class is shared out like the whole, as nearly as whole cases allow.

    Examples
    --------
    >>> Holdout(repeats=2, train="2/3").recipes()[1]
    {'kind': 'holdout', 'train': '2/3', 'stratified': False, 'number': 1}
    """

    repeats: int = 25
    train: float | str = 0.5
    stratified: bool = False

    def __post_init__(self) -> None:
        positive_int(self.repeats, "repeats")
        yes_or_no(self.stratified, "stratified")
        self.share()

    def share(self) -> Fraction:
        """Give the share of training cases as an exact fraction."""
        try:
            share = Fraction(str(self.train))
        except (ValueError, ZeroDivisionError):
            share = Fraction(0)
        if not 0 < share < 1:
            raise InputError(
                "train to be a share between 0 and 1", show(self.train), 'for example 0.5 or "2/3"'
            )
        return share

    def recipes(self) -> list[dict[str, Any]]:
        """Describe each split, without drawing it."""
        share = str(self.share())
        return [
            {"kind": "holdout", "train": share, "stratified": self.stratified, "number": number}
            for number in range(self.repeats)
        ]


@dataclass(frozen=True)
class Folds:
    """Cross-validation: every case is a test case once in each repeat.

    Parameters
    ----------
    folds : int
        Into how many parts the cases are dealt out.
    repeats : int
        How often.
    stratified : bool
        Whether each class is dealt out evenly.
    """

    folds: int = 10
    repeats: int = 1
    stratified: bool = True

    def __post_init__(self) -> None:
        positive_int(self.folds, "folds", least=2)
        positive_int(self.repeats, "repeats")
        yes_or_no(self.stratified, "stratified")

    def recipes(self) -> list[dict[str, Any]]:
        """Describe each split, without drawing it."""
        common = {"kind": "folds", "folds": self.folds, "stratified": self.stratified}
        return [
            {**common, "number": repeat, "fold": fold}
            for repeat in range(self.repeats)
            for fold in range(self.folds)
        ]


Splits: TypeAlias = Holdout | Folds


def draw(recipe: Mapping[str, Any], y: NDArray[Any], seed: int, data: str) -> tuple[Rows, Rows]:
    """Draw the training and the test rows of a split, both in random order.

    The numbers are drawn from a generator that is seeded with (seed, data, number of the split): all learners see
    the same splits, whatever else is in the study.

    Parameters
    ----------
    recipe : mapping
        One of ``recipes()``.
    y : ndarray
        The class of each case.
    seed : int
        The study's seed.
    data : str
        The fingerprint of the table.
    """
    random = generator(seed, data, "split", recipe["number"])
    order = random.permutation(y.size)
    if recipe["kind"] == "folds":
        train, test = _deal(order, y, recipe["folds"], recipe["fold"], recipe["stratified"])
    else:
        train, test = _hold_out(order, y, Fraction(recipe["train"]), recipe["stratified"], random)
    if not (train.size and test.size):
        raise InputError(
            "a split with cases on both sides", f"{train.size} and {test.size} of {y.size} cases"
        )
    return train, test


def _deal(order: Rows, y: NDArray[Any], folds: int, fold: int, stratified: bool) -> tuple[Rows, Rows]:
    if stratified:
        dealt = np.empty(y.size, dtype=np.int64)
        dealt[np.argsort(y[order], kind="stable")] = np.arange(y.size) % folds
    else:
        dealt = np.arange(y.size) % folds
    return order[dealt != fold], order[dealt == fold]


def _hold_out(
    order: Rows, y: NDArray[Any], share: Fraction, stratified: bool, random: np.random.Generator
) -> tuple[Rows, Rows]:
    size = int(share * y.size)
    if not stratified:
        return order[:size], order[size:]
    codes = np.unique(y[order], return_inverse=True)[1]
    counts = np.bincount(codes)
    wanted = _quotas(counts, share, size, random)
    # the place of each case among those of its class, in the drawn order
    rank = np.empty(y.size, dtype=np.int64)
    starts = np.cumsum(counts) - counts
    rank[np.argsort(codes, kind="stable")] = np.arange(y.size) - np.repeat(starts, counts)
    chosen = rank < wanted[codes]
    return order[chosen], order[~chosen]


def _quotas(counts: Rows, share: Fraction, size: int, random: np.random.Generator) -> Rows:
    """Share out training cases to classes; those that lose most by rounding get the cases that are left."""
    exact = [share * int(count) for count in counts]
    wanted = np.array([int(quota) for quota in exact])
    ties = random.permutation(counts.size)
    hungry = sorted(range(counts.size), key=lambda c: (int(exact[c]) - exact[c], ties[c]))
    wanted[hungry[: size - int(wanted.sum())]] += 1
    return wanted
