"""Groups: rows that belong together, such as all cases of one customer, checked and numbered once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs._kernels import transplant
from fivefold.inputs.columns import Column
from fivefold.inputs.frames import as_array, as_few, as_frame
from fivefold.inputs.labels import is_missing, number_items, read_text
from fivefold.plain_text import counted

Floats = NDArray[np.float64]

# groups of like size that exchange their outcomes, at the least
LEAST_DONORS = 20
# a column of fewer values than this, or of more rows a value, is an attribute like any other
LEAST_GROUPS = 20
MOST_ROWS = 60
# of how many rearrangements how many may agree as much for a column to look like a group
REARRANGEMENTS, MOST_REACHED = 999, 2
# numbers of a column that is called so are names: what is next to what means nothing
IDENTIFIER = re.compile(r"(?:^|[\W_])(?i:id|uuid|guid|key|index|idx|rowid|row|nr|no)$|[a-z]I[dD]$")
OWNER = re.compile(r"(?i)\b(?:customer|client|user|person|patient|subject|account|household|session|group)$")
# of so many cases groups are looked for at the most
MOST_TESTED = 50_000
_PARTS = 6  # in which words are compared; a third of them may hold some that are odd


@dataclass(frozen=True, eq=False)
class Groups:
    """Which rows belong together: the group of each, from 0 up to the largest without a gap, and what they are.

    What each group is called is kept of whole tables only.
    """

    codes: NDArray[np.int64] = field(repr=False)
    name: str = ""
    values: frozenset[Any] = field(default=frozenset(), repr=False)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of rows in each group."""
        return np.bincount(self.codes)

    @property
    def n_groups(self) -> int:
        """The number of groups."""
        return self.sizes.size

    @property
    def effective_number(self) -> float:
        """How many groups of equal size would vary as much."""
        return len(self) ** 2 / float(self.sizes @ self.sizes)

    def part(self, rows: NDArray[Any] | slice) -> Groups:
        """Take some of the rows, and number their groups anew."""
        return Groups(np.unique(self.codes[rows], return_inverse=True)[1].astype(np.int64), self.name)

    def totals(self, values: NDArray[Any]) -> Floats:
        """Sum numbers over the rows of each group."""
        return np.bincount(self.codes, values, minlength=self.n_groups).astype(np.float64)

    def __str__(self) -> str:
        return f"{counted(self.n_groups, 'group')}{f' of {self.name}' if self.name else ''}"

    def __len__(self) -> int:
        return len(self.codes)


def read_groups(groups: object, n_rows: int, name: str = "groups") -> Groups | None:
    """Read the group of each row: texts, numbers, dates; None stays None.

    Examples
    --------
    >>> groups = read_groups(["anna", "bob", "anna"], 3)
    >>> groups.codes.tolist(), str(groups)
    ([0, 1, 0], '2 groups')
    """
    if groups is None:
        return None
    if isinstance(groups, Groups):
        codes, label, values = groups.codes, groups.name, groups.values
    else:
        own = getattr(groups, "name", None)
        codes, values = _number(groups, name)
        label = own if isinstance(own, str) else ""
    if codes.size != n_rows:
        raise InputError(f"{name} to have one value for each of the {n_rows} cases", f"{codes.size} values")
    if codes.size and codes.max() == 0:
        raise InputError(
            "at least two groups of cases", "one", "cases that all belong together are one observation"
        )
    return Groups(codes, label, values)


def _number(values: object, name: str) -> tuple[NDArray[np.int64], frozenset[Any]]:
    """Number the groups in the order in which they appear, however they are written; with what they are called."""
    labels = read_text(values)
    if labels is None:
        codes, different = _items(as_array(values, name), name)
    else:
        codes, first = number_items(labels.codes)
        different = [labels.values[code] if code >= 0 else None for code in labels.codes[first].tolist()]
    empty = [place for place, value in enumerate(different) if is_missing(value)]
    if empty:
        lacking = np.flatnonzero(np.isin(codes, empty))
        raise InputError(
            f"{name} to name a group for every case",
            f"none in row {lacking[0]} ({lacking.size} in all)",
            "give each such case a group of its own, or leave it out",
        )
    numbers: dict[Any, int] = {}
    try:
        place = [numbers.setdefault(value, len(numbers)) for value in different]
    except TypeError:
        raise InputTypeError(f"{name} to hold texts, numbers or dates", show(different[0])) from None
    return np.array(place, dtype=np.int64)[codes] if place else codes.astype(np.int64), frozenset(numbers)


def _items(array: NDArray[Any], name: str) -> tuple[NDArray[np.int32], list[Any]]:
    """Number the items of an array; dates and durations by their ticks."""
    if array.ndim != 1:
        raise InputTypeError(f"{name} to be one column", f"an array of shape {array.shape}")
    if array.dtype.kind not in "mM":
        codes, first = number_items(array)
        return codes, array[first].tolist()
    codes, first = number_items(array.view(np.int64))
    return codes, [None if np.isnat(value) else value for value in array[first]]


def take_groups(X: Any, groups: Any) -> tuple[Any, Any]:
    """Where groups are the name of a column, take it out of the table: it is no attribute then."""
    if not isinstance(groups, str):
        return X, groups
    frame = as_frame(X, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputTypeError("a dataframe, for groups by the name of a column", type(X).__name__)
    if groups not in frame.columns:
        raise InputError(
            "groups to name a column of X", show(groups), f"the columns are {show(list(frame.columns), 200)}"
        )
    return frame.drop(groups).to_native(), frame[groups].to_native()


def groups_of_test(X_test: Any, groups: Any, groups_test: Any) -> Any:
    """Give the groups of test cases: their own, or the name of the column that has them in both tables."""
    if X_test is None and groups_test is not None:
        raise InputError(
            "groups_test with X_test", "no X_test", "groups says which cases of X belong together"
        )
    if X_test is not None and groups is not None and groups_test is None and not isinstance(groups, str):
        raise InputError(
            "groups_test beside groups and X_test", "none", "or groups as the name of a column of both"
        )
    return groups if isinstance(groups, str) and groups_test is None else groups_test


def in_one_order(contents: NDArray[np.int64], groups: Groups) -> tuple[NDArray[np.intp], Groups]:
    """Order rows by what their groups hold, and then by what they hold; with their groups in this order."""
    known, contents = np.unique(contents, return_inverse=True)
    held = np.zeros(groups.n_groups, dtype=np.int64)
    np.add.at(held, groups.codes, np.random.default_rng(0).integers(2**62, size=known.size)[contents])
    codes = np.argsort(np.argsort(held, kind="stable"))[groups.codes]
    rows = np.lexsort((contents, codes))
    return rows, Groups(codes[rows], groups.name)


def intraclass_correlation(values: NDArray[Any], groups: Groups) -> float:
    r"""Estimate how much alike the numbers of a group are: 0 as of any two cases, 1 all equal.

    The estimate of the analysis of variance, from mean squares :math:`B` between and :math:`W` within groups,

    .. math:: \hat\rho = \frac{B - W}{B + (m_0 - 1) W}, \quad m_0 = \frac{N - \sum_c m_c^2 / N}{G - 1},

    brought into the range from 0 to 1.

    Examples
    --------
    >>> groups = read_groups([1, 1, 2, 2, 3, 3], 6)
    >>> intraclass_correlation(np.array([0.0, 0, 1, 1, 0, 0]), groups)
    1.0
    """
    n, sizes = len(values), groups.sizes
    if groups.n_groups in (1, n):
        return 0.0
    numbers = np.asarray(values, dtype=np.float64)
    between, within = _mean_squares(numbers - numbers.mean(), groups)
    typical = (n - float(sizes @ sizes) / n) / (groups.n_groups - 1)
    scale = between + (typical - 1) * within
    return float(np.clip((between - within) / scale, 0.0, 1.0)) if scale > 0 else 0.0


def crowd_at_worst(values: NDArray[Any], groups: Groups) -> float:
    """Give how many cases of a group may come out alike, by the largest correlation that is not refuted at 1%.

    Where no two values differ nothing is refuted, and all cases of a group may come out alike.
    """
    n, n_groups = len(values), groups.n_groups
    # the size of the group of a case drawn at random
    crowd = float(groups.sizes @ groups.sizes) / n
    if n_groups in (1, n):
        return crowd
    numbers = np.asarray(values, dtype=np.float64)
    between, within = _mean_squares(numbers - numbers.mean(), groups)
    correlation = 1.0
    if within > 0:
        ratio = between / within / float(fdtri(n_groups - 1, n - n_groups, 0.01))
        typical = (n - crowd) / (n_groups - 1)
        correlation = float(np.clip((ratio - 1) / (ratio + typical - 1), 0.0, 1.0))
    return 1 + (crowd - 1) * correlation


def _mean_squares(deviations: Floats, groups: Groups) -> tuple[float, float]:
    explained = float((groups.totals(deviations) ** 2 / groups.sizes).sum())
    # not by a product of matrices, whose last digits depend on the processor
    rest = float((deviations**2).sum()) - explained
    return explained / (groups.n_groups - 1), max(rest, 0.0) / (len(deviations) - groups.n_groups)


def deal_between(
    groups: Groups, correlation: float, rng: np.random.Generator, draws: int
) -> Iterator[NDArray[np.int64]]:
    """Deal outcomes anew: each group gets those of another of like size, in random order.

    Gives the row whose outcome each row gets. Where nothing explains the outcomes, groups of equal size are
    exchangeable, and so are the rows of a group. A larger group is filled up so that its outcomes keep the
    correlation.
    """
    order = np.argsort(groups.codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(groups.sizes)]).astype(np.int64)
    source, strata = np.empty(order.size, dtype=np.int64), _strata(groups.sizes)
    by_stratum = np.argsort(strata, kind="stable")
    donors = np.empty(by_stratum.size, dtype=np.int64)
    for _ in range(draws):
        donors[by_stratum] = np.lexsort((rng.random(donors.size), strata))
        transplant(starts, donors, correlation, rng.random((2, order.size)), source)
        dealt = np.empty(order.size, dtype=np.int64)
        dealt[order] = order[source]
        yield dealt


def _strata(all_sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the strata of groups of like size, each of so many that outcomes can be exchanged."""
    sizes, number = np.unique(all_sizes, return_counts=True)
    strata, stratum, members = np.zeros(sizes.size, dtype=np.int64), 0, 0
    for place, many in enumerate(number):
        if members >= LEAST_DONORS and number[place:].sum() >= LEAST_DONORS:
            stratum, members = stratum + 1, 0
        strata[place] = stratum
        members += many
    return strata[np.searchsorted(sizes, all_sizes)]


def find_unnamed_groups(
    columns: Sequence[Column], outcomes: NDArray[Any], known: Groups | None = None
) -> tuple[tuple[str, int], ...]:
    """Find columns that look like groups: values that repeat, and outcomes that agree where they do.

    Gives the name of each and the number of its values. Numbers are compared with their neighbours, for what
    changes with a number, such as age, is an attribute, and so are words, such as towns, of which a few are odd;
    unless their column is called as names are. Such columns come first, but before them what holds such groups
    whole, and makes these agree. Where groups are known, only that is looked for.
    """
    rng, numbers = np.random.default_rng(0), np.asarray(outcomes, float)
    if known is not None:
        first, numbers = np.unique(known.codes, return_index=True)[1], known.totals(numbers) / known.sizes
        kept = [(column, column.values[first]) for column in columns]
        columns = [replace(one, values=own) for one, own in kept if np.all(one.values == own[known.codes])]
    columns_like_groups = []
    for column in columns:
        codes, name = _repeated(column), column.name
        named = bool(IDENTIFIER.search(name) or OWNER.search(name))
        n_blocks = 1 if named else MOST_TESTED if column.categories is None else _PARTS
        if codes is not None and _agree(codes, numbers, n_blocks, rng):
            columns_like_groups.append((not named, name, codes))
    found = sorted(columns_like_groups, key=lambda like: like[0])
    larger = find_unnamed_groups(columns, outcomes, Groups(found[0][2])) if found and known is None else ()
    return (*larger, *((name, int(codes.max()) + 1) for _, name, codes in found))


def warn_of_groups(columns: Sequence[tuple[str, int]]) -> str:
    """Say that cases may belong together; nothing where no column looks like it."""
    if not columns:
        return ""
    name = columns[0][0]
    return (
        f"Warning: cases with the same {name} have similar outcomes more often than by chance. If they belong "
        f"together, intervals are too narrow and there are too many alarms: say so (groups={name!r}, or --groups)."
        " If they are copies, leave them out."
    )


def _repeated(column: Column) -> NDArray[np.int64] | None:
    """Number the values of a column in their order, if they may be names of groups."""
    values, few = column.values, as_few(column.values)
    different = values if few is None else few.levels[few.counts > 0]
    if column.categories is not None:
        if _too_few(len(column.categories), values.size) or np.any(values < 0):
            return None
    elif not np.isfinite(different).all() or (
        _whole(different[:MOST_ROWS])
        and _whole(different)
        and _too_few(float(np.ptp(different)) + 1 if values.size else 0, values.size)
    ):
        return None
    _, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
    if len(sizes) == codes.size or _too_few(len(sizes), codes.size) or 2 * sizes.max() > codes.size:
        return None  # what most cases have is a usual amount, such as 0, and no name
    return codes.astype(np.int64)


def _too_few(n_values: float, n_rows: int) -> bool:
    """Whether so many values at the most are too few for groups; known before they are counted."""
    return n_values < LEAST_GROUPS or n_rows > MOST_ROWS * n_values


def _whole(values: NDArray[Any]) -> bool:
    return bool(np.all(values == np.floor(values)))


def _agree(codes: NDArray[np.int64], outcomes: Floats, n_blocks: int, rng: np.random.Generator) -> bool:
    """Say whether outcomes agree within groups more than in all but a few rearrangements.

    These are of blocks of at least three neighbours, and of several blocks the third that agree most does not
    count: outcomes that change with a number, or at a few values, tell of an attribute.
    """
    kept = np.cumsum(np.bincount(codes))[codes] <= MOST_TESTED
    groups, outcomes = Groups(codes[kept]), outcomes[kept]
    if groups.n_groups < LEAST_GROUPS or groups.n_groups == len(groups):
        return False
    places = np.arange(groups.n_groups) // max(3, -(-groups.n_groups // n_blocks))
    blocks = places[groups.codes]
    sizes = np.bincount(blocks)
    deviations = outcomes - (np.bincount(blocks, outcomes) / sizes)[blocks]
    spread = np.bincount(blocks, deviations**2)
    varied = np.flatnonzero(spread > 0)
    counted = -(-2 * varied.size // 3)

    def agreement(values: Floats) -> float:
        between = np.bincount(places, groups.totals(values) ** 2 / groups.sizes)
        return float(np.sort((between * sizes / np.maximum(spread, 1e-300))[varied])[:counted].sum())

    seen, by_block, dealt = agreement(deviations), np.argsort(blocks, kind="stable"), np.empty(blocks.size)
    reached = 0
    for _ in range(REARRANGEMENTS):
        dealt[by_block] = deviations[np.lexsort((rng.random(blocks.size), blocks))]
        # sums in another order may differ by rounding
        reached += agreement(dealt) >= seen * (1 - 1e-9)
        if reached > MOST_REACHED:
            return False
    return varied.size > 0
