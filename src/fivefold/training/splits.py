"""Splits: which rows are learnt from and which are asked about, dealt at random, resampled or given."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.groups import Groups
from fivefold.inputs.options import positive_int, yes_or_no
from fivefold.training.seeds import generator, shuffles_anew

Rows: TypeAlias = NDArray[np.int64]

# of so many draws of groups, the one with the most usual classes is taken
DRAWS_OF_GROUPS = 20


class Splits(ABC):
    """A sequence of training sets of rows, each with the rows that are asked after it.

    Each is made when it is needed: n sets of n rows fill a memory.
    """

    n_rows: int

    @abstractmethod
    def __len__(self) -> int:
        """Give the number of splits."""

    @abstractmethod
    def train(self, place: int) -> Rows:
        """Give the rows of a training set, each as often as it stands in it: ascending, or as they were given."""

    @abstractmethod
    def test(self, place: int) -> Rows:
        """Give the rows that are asked after it, in ascending order."""

    def counts_and_asked(self, places: range) -> tuple[Rows, NDArray[np.bool_]]:
        """Give how often each row stands in each of some training sets, and whether it is asked after it."""
        counts = np.zeros((len(places), self.n_rows), dtype=np.int64)
        asked = np.zeros(counts.shape, dtype=np.bool_)
        for row, place in enumerate(places):
            counts[row] = np.bincount(self.train(place), minlength=self.n_rows)
            asked[row, self.test(place)] = True
        return counts, asked


class FoldSplits(Splits):
    """Folds of the rows, each left out and asked in its turn, in one deal or several.

    `parts` has the fold of each row in each deal; a row in fold -1 always teaches and is never asked.
    `left_out` has the folds, one or two, that are left out together.
    """

    def __init__(self, parts: Rows, left_out: Iterable[tuple[int, ...]]) -> None:
        self.parts = np.atleast_2d(parts)
        self.left_out = tuple(left_out)
        self.n_rows: int = self.parts.shape[1]

    def __len__(self) -> int:
        return len(self.parts) * len(self.left_out)

    def train(self, place: int) -> Rows:
        """Take all other folds."""
        return np.flatnonzero(~self._apart(place))

    def test(self, place: int) -> Rows:
        """Ask the folds that were left out."""
        return np.flatnonzero(self._apart(place))

    def _apart(self, place: int) -> NDArray[np.bool_]:
        deal_number, turn = divmod(place, len(self.left_out))
        parts, folds = self.parts[deal_number], self.left_out[turn]
        return np.asarray((parts == folds[0]) | (parts == folds[-1]))


class Resamples(Splits):
    """Training sets given by how often each row stands in them; all rows are asked, or those out of the bag."""

    def __init__(self, copies: Rows, *, out_of_bag: bool) -> None:
        self.copies = copies
        self.out_of_bag = out_of_bag
        self.n_rows: int = copies.shape[1]

    def __len__(self) -> int:
        return len(self.copies)

    def train(self, place: int) -> Rows:
        """Repeat each row."""
        return np.repeat(np.arange(self.n_rows), self.copies[place])

    def test(self, place: int) -> Rows:
        """Ask every row, or those that were not drawn."""
        return np.flatnonzero(self.copies[place] == 0) if self.out_of_bag else np.arange(self.n_rows)


class GivenSplits(Splits):
    """Training and test rows as the caller gave them: pairs of the rows to learn from and the rows to ask."""

    def __init__(self, n_rows: int, pairs: Iterable[tuple[Rows, Rows]]) -> None:
        self.n_rows = n_rows
        self.pairs = tuple(pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def train(self, place: int) -> Rows:
        """Give the first of a pair."""
        return self.pairs[place][0]

    def test(self, place: int) -> Rows:
        """Give the second of a pair."""
        return self.pairs[place][1]


def read_splits(cv: Any, y: NDArray[Any], groups: Groups | None, rng: np.random.Generator) -> GivenSplits:
    """Read a splitter of scikit-learn, or pairs of training and test rows, which must leave groups whole."""
    n = len(y)
    if shuffles_anew(cv):
        cv = deepcopy(cv)
        cv.random_state = int(rng.integers(2**31))
    pairs = cv
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes)):
        pairs = list(cv.split(np.zeros((n, 1)), y, codes_for(cv, groups)))
    if not isinstance(pairs, Iterable) or isinstance(pairs, str):
        raise InputTypeError(
            "cv to be a splitter or pairs of training and test rows", f"{show(cv)} ({type(cv).__name__})"
        )
    read = [_read_pair(pair, place, n) for place, pair in enumerate(pairs)]
    if not read:
        raise InputError("cv to hold at least one pair of training and test rows", "none")
    for place, (train, test) in enumerate(read):
        if groups is not None and np.isin(groups.codes[test], groups.codes[train]).any():
            raise InputError(
                "cv that leaves groups whole", f"a group on both sides of split {place}", "use GroupKFold"
            )
    return GivenSplits(n, read)


def codes_for(cv: Any, groups: Groups | None) -> NDArray[np.int64] | None:
    """Give a splitter the groups if it asks for them, or is somebody's own; the others warn that they do not."""
    from sklearn.utils.metadata_routing import get_routing_for_object

    own = hasattr(cv, "split") and not type(cv).__module__.startswith("sklearn.")
    asks = get_routing_for_object(cv).consumes("split", ["groups"])
    if asks and not own:
        _check_dealt(cv, groups)
    return groups.codes if groups is not None and (own or asks) else None


def _check_dealt(cv: Any, groups: Groups | None) -> None:
    """Insist on groups for a splitter of scikit-learn that deals them, and on enough of them."""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    if groups is None:
        raise InputError(f"groups= for {type(cv).__name__}, which deals whole groups", "none")
    least = cv.n_splits if isinstance(cv, GroupKFold | StratifiedGroupKFold) else 2
    if groups.n_groups < least:
        got = f"{groups.n_groups} among those to learn from"
        raise InputError(f"at least {least} groups for {type(cv).__name__}", got, "fewer splits")


def groups_for(model: Any, groups: Groups | None) -> dict[str, Any]:
    """Give what the fit of a search or guard, also at the end of a pipeline, must be told of groups."""
    option = ""
    while isinstance(steps := getattr(model, "steps", None), list) and steps:
        option, model = f"{option}{steps[-1][0]}__", steps[-1][1]
    codes = codes_for(getattr(model, "cv", None), groups)
    if groups is not None and "groups" in signature(model.fit).parameters:
        codes = groups.codes
    return {} if codes is None else {f"{option}groups": codes}


def _read_pair(pair: Any, place: int, n_rows: int) -> tuple[Rows, Rows]:
    try:
        train, test = (np.arange(n_rows)[np.asarray(rows)] for rows in pair)
    except (TypeError, ValueError, IndexError):
        raise InputError(
            f"cv to be pairs of training and test rows from 0 to {n_rows - 1}",
            f"{show(pair)} in place {place}",
        ) from None
    both = np.intersect1d(train, test)
    if both.size or not test.size or not train.size:
        what = f"row {both[0]} in both" if both.size else "no row in one of them"
        raise InputError(
            "training and test rows that are apart, and some of each", f"{what}, in split {place}"
        )
    return train, np.unique(test)


def deal(order: Rows, n_folds: int, y: NDArray[Any] | None = None) -> Rows:
    """Deal shuffled rows into folds whose sizes differ by one at most, and give the fold of each row.

    With `y`, the rows are dealt class by class, so that the rows of a class are spread as evenly, too.
    """
    parts = np.empty(order.size, dtype=np.int64)
    parts[_by_class(order, y)] = np.arange(order.size) % n_folds
    return parts


def deal_whole(
    groups: Groups | None, n_rows: int, n_folds: int, rng: np.random.Generator, y: NDArray[Any] | None = None
) -> Rows:
    """Deal rows into folds at random, whole groups where rows belong together; give the fold of each row."""
    if groups is None:
        return deal(rng.permutation(n_rows), n_folds, y)
    return deal_groups(groups, n_folds, rng, y)


def draw(n_rows: int, n_drawn: int, rng: np.random.Generator, y: NDArray[Any] | None = None) -> Rows:
    """Draw some rows; with `y`, as many of each class as is due, up to rounding."""
    order = _by_class(rng.permutation(n_rows), y)
    if y is None:
        return np.sort(order[:n_drawn])
    # every (n / drawn)-th row of the classes laid out in a row, from a random start
    places = np.floor((np.arange(n_drawn) + rng.random()) * n_rows / n_drawn).astype(np.int64)
    return np.sort(order[places])


def _by_class(order: Rows, y: NDArray[Any] | None) -> Rows:
    """Lay the classes out one after the other, each in the given order of its rows."""
    return order if y is None else order[np.argsort(y[order], kind="stable")]


def deal_groups(
    groups: Groups, n_folds: int, rng: np.random.Generator, y: NDArray[Any] | None = None
) -> Rows:
    """Deal whole groups into folds of like sizes and, with `y`, like classes; give the fold of each row."""
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

    check_folds(n_folds, groups.n_groups, "groups")
    seed = int(rng.integers(2**31))
    nothing, parts = np.zeros((len(groups), 1)), np.empty(len(groups), dtype=np.int64)
    dealers: list[Any] = [GroupKFold(n_folds, shuffle=True, random_state=seed)]
    if y is not None and np.bincount(np.unique(y, return_inverse=True)[1]).min() >= n_folds:
        dealers.insert(0, StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed))
    for dealer in dealers:
        for fold, (_, rows) in enumerate(dealer.split(nothing, y, groups.codes)):
            parts[rows] = fold
        if np.bincount(parts, minlength=n_folds).all():  # by classes alone, a fold may get no group at all
            break
    return parts


def draw_groups(
    groups: Groups, n_drawn: int, rng: np.random.Generator, y: NDArray[Any] | None = None, fewest: int = 1
) -> Rows:
    """Draw whole groups of about so many rows; of several draws the one with the most usual size and classes."""
    classes = np.zeros(len(groups), dtype=np.int64) if y is None else np.unique(y, return_inverse=True)[1]
    counts = np.zeros((groups.n_groups, int(classes.max()) + 1))
    np.add.at(counts, (groups.codes, classes), 1)
    due, best, least = counts.sum(axis=0) * (n_drawn / len(groups)), np.empty(0, dtype=np.int64), np.inf
    for _ in range(DRAWS_OF_GROUPS):
        order = rng.permutation(groups.n_groups)
        sums = np.cumsum(counts[order], axis=0)[fewest - 1 : -1]
        off = np.abs(sums - due).sum(axis=1)
        if off.min() < least:
            least, best = float(off.min()), order[: int(off.argmin()) + fewest]
    return np.flatnonzero(np.isin(groups.codes, best))


def split_by_class(
    y: NDArray[Any], test_share: float, random_state: int, groups: Groups | None = None
) -> tuple[Rows, Rows, bool]:
    """Give sorted training and test rows, and whether they were drawn class by class.

    They are where every class has two rows and each side has room for every class. Groups stay whole.
    """
    from sklearn.model_selection import train_test_split

    if not 1 <= round(test_share * y.size) <= y.size - 1:
        raise InputError("a test share that leaves cases on both sides", f"{test_share} of {y.size} cases")
    if groups is not None:
        # one group tells nothing of others, and learning from one of three little
        n_drawn, fewest = round(test_share * y.size), 2 if groups.n_groups > 3 else 1
        drawn = draw_groups(groups, n_drawn, np.random.default_rng(random_state), y, fewest)
        return np.setdiff1d(np.arange(y.size), drawn), drawn, False
    counts = np.unique(y, return_counts=True)[1]
    by_class = bool(counts.min() >= 2 and min(test_share, 1 - test_share) * y.size >= counts.size)
    train, test = train_test_split(
        np.arange(y.size), test_size=test_share, random_state=random_state, stratify=y if by_class else None
    )
    return np.sort(train), np.sort(test), by_class


def check_folds(n_splits: int, n_rows: int, what: str = "cases") -> None:
    """Insist on as many rows, or groups of them, as folds."""
    if n_splits > n_rows:
        got, hint = f"{n_splits} folds of {n_rows} {what}", f"n_splits={n_rows} or fewer"
        raise InputError(f"no more folds than {what}", got, hint)


def n_test_rows(test_size: Any, n_rows: int) -> int:
    """Give the number of test rows that a share or a number of rows stands for."""
    if isinstance(test_size, bool) or not isinstance(test_size, numbers.Real):
        raise InputTypeError(
            "test_size to be a share or a number of cases", f"{show(test_size)} ({type(test_size).__name__})"
        )
    if isinstance(test_size, numbers.Integral):
        n_test = int(test_size)
    else:
        n_test = round(float(test_size) * n_rows) if 0 < float(test_size) < 1 else 0
    if not 1 <= n_test <= n_rows - 1:
        raise InputError("test_size that leaves cases on both sides", f"{show(test_size)} of {n_rows} cases")
    return n_test


MOST_SPLITS = 1_000_000


@dataclass(frozen=True)
class Holdout:
    """Random halves, thirds or whatever, again and again.

    Parameters
    ----------
    n_repeats : int
        How many splits.
    train : float or str
        Share of the training cases, also as a fraction such as "2/3": of n cases, the whole part of n times the
        share is drawn for training.
    stratified : bool
        Whether each class is shared out like the whole, as nearly as whole cases allow.

    Examples
    --------
    >>> Holdout(n_repeats=2, train="2/3").recipes()[1]
    {'kind': 'holdout', 'train': '2/3', 'stratified': False, 'number': 1}
    """

    n_repeats: int = 25
    train: float | str = 0.5
    stratified: bool = False

    def __post_init__(self) -> None:
        positive_int(self.n_repeats, "n_repeats", most=MOST_SPLITS)
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
            for number in range(self.n_repeats)
        ]


@dataclass(frozen=True)
class Folds:
    """Cross-validation: every case is a test case once in each repeat.

    Parameters
    ----------
    n_splits : int
        Into how many parts the cases are dealt out.
    n_repeats : int
        How often.
    stratified : bool
        Whether each class is dealt out evenly.
    """

    n_splits: int = 10
    n_repeats: int = 1
    stratified: bool = True

    def __post_init__(self) -> None:
        n_splits = positive_int(self.n_splits, "n_splits", least=2, most=MOST_SPLITS)
        positive_int(self.n_repeats, "n_repeats", most=MOST_SPLITS // n_splits)
        yes_or_no(self.stratified, "stratified")

    def recipes(self) -> list[dict[str, Any]]:
        """Describe each split, without drawing it."""
        common = {"kind": "folds", "folds": self.n_splits, "stratified": self.stratified}
        return [
            {**common, "number": repeat, "fold": fold}
            for repeat in range(self.n_repeats)
            for fold in range(self.n_splits)
        ]


PlannedSplits: TypeAlias = Holdout | Folds


def draw_planned(recipe: Mapping[str, Any], y: NDArray[Any], seed: int, data: str) -> tuple[Rows, Rows]:
    """Draw the training and the test rows of a planned split, both in random order.

    The numbers are drawn from a generator that is seeded with (seed, data, number of the split): all learners see
    the same splits, whatever else is in the study. `data` is the fingerprint of the table.
    """
    rng = generator(seed, data, "split", recipe["number"])
    order = rng.permutation(y.size)
    if recipe["kind"] == "folds":
        parts = deal(order, recipe["folds"], y if recipe["stratified"] else None)
        learnt = parts[order] != recipe["fold"]
    elif recipe["stratified"]:
        learnt = _due(y[order], Fraction(recipe["train"]), rng)
    else:
        learnt = np.arange(y.size) < int(Fraction(recipe["train"]) * y.size)
    train, test = order[learnt], order[~learnt]
    if not (train.size and test.size):
        raise InputError(
            "a split with cases on both sides", f"{train.size} and {test.size} of {y.size} cases"
        )
    return train, test


def _due(y: NDArray[Any], share: Fraction, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark the first cases of each class, as many as are due to it."""
    codes = np.unique(y, return_inverse=True)[1]
    counts = np.bincount(codes)
    wanted = _quotas(counts, share, int(share * y.size), rng)
    # the place of each case among those of its class
    rank = np.empty(y.size, dtype=np.int64)
    starts = np.cumsum(counts) - counts
    rank[np.argsort(codes, kind="stable")] = np.arange(y.size) - np.repeat(starts, counts)
    return np.asarray(rank < wanted[codes])


def _quotas(counts: Rows, share: Fraction, size: int, rng: np.random.Generator) -> Rows:
    """Share out training cases to classes; those that lose most by rounding get the cases that are left."""
    exact = [share * int(count) for count in counts]
    wanted = np.array([int(quota) for quota in exact])
    ties = rng.permutation(counts.size)
    hungry = sorted(range(counts.size), key=lambda c: (int(exact[c]) - exact[c], ties[c]))
    wanted[hungry[: size - int(wanted.sum())]] += 1
    return wanted
