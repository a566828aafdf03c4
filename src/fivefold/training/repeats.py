"""Repeats: asked rows that equal a learned row in every attribute, and whether chance explains so many."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.special import gammaln, xlog1py, xlogy

from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import Column, read_columns

Keys = NDArray[np.uint64]
Rounding: TypeAlias = Callable[[NDArray[Any]], NDArray[Any]]

# the level at which repeats are too many for chance
CHANCE = 0.01
_MISSING = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_ROWS = 65_536
# the last digits of a number that is not whole, of 52, which arithmetic may change
_LAST_DIGITS = np.uint64(2**20)


def find_seen(asked: Any, learned: Any) -> tuple[NDArray[np.bool_], float]:
    """Say which asked rows equal a learned one, and bound the probability of so many if chance dealt the rows.

    Numbers that one table has rounded are judged as rounded in both.

    Examples
    --------
    >>> seen, p_value = find_seen([[1, 2], [3, 4]], [[3, 4], [5, 6], [7, 8]])
    >>> seen.tolist(), p_value
    ([False, True], 1.0)
    """
    keys, rounded = row_keys(asked, learned), row_keys(asked, learned, rounded=True)
    seen, p_value = _judge(*keys)
    if all(map(np.array_equal, keys, rounded)):
        return seen, p_value
    # numbers of which one table alone is rounded are not dealt by chance
    alike, p_value = _judge(*rounded)
    return (alike if p_value < CHANCE else seen), p_value


def _judge(asked: Keys, learned: Keys) -> tuple[NDArray[np.bool_], float]:
    seen = np.isin(asked, learned)
    return seen, chance_of_repeats(asked, learned) if seen.any() else 1.0


def chance_of_repeats(asked: Keys, learned: Keys) -> float:
    """Bound the probability that so many asked rows equal a learned one if all were dealt out by chance.

    Rows repeat by nature where few differ, so the rows of both tables are taken together and dealt anew: a row of
    which there are m is asked x times, and these are seen unless x = m. For independent deals the number seen has
    a moment generating function in closed form, from which Chernoff's bound follows; divided by the probability
    that a deal asks as many as here, it holds for deals of these sizes. Two tables that are equal row by row are
    also judged by the orders in which chance could have put the rows.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.arange(100, dtype=np.uint64)
    >>> chance_of_repeats(rows[:10], rows) < 1e-6, chance_of_repeats(rows % 2, 1 - rows[:10] % 2)
    (True, 1.0)
    """
    n, total = asked.size, asked.size + learned.size
    n_seen, share = int(np.count_nonzero(np.isin(asked, learned))), asked.size / total
    _, copies = np.unique(np.concatenate([asked, learned]), return_counts=True)
    sizes, number = np.unique(copies[copies > 1], return_counts=True)
    tilt = np.geomspace(1e-3, 20, 80)[:, None]
    all_deals = sizes * np.log1p(share * np.expm1(tilt))
    none_learned = sizes * (np.log(share) + tilt)
    growth = all_deals + np.log1p(
        np.exp(sizes * np.log(share) - all_deals) - np.exp(none_learned - all_deals)
    )
    deals = gammaln(total + 1) - gammaln(n + 1) - gammaln(total - n + 1)
    as_many = float(deals + xlogy(n, share) + xlog1py(total - n, -share))
    bound = float(np.min(growth @ number - tilt[:, 0] * n_seen)) - as_many
    if np.array_equal(asked, learned):
        _, alike = np.unique(asked, return_counts=True)
        # twice, for the better of two bounds is taken
        bound = np.log(2) + min(bound, float(gammaln(alike + 1).sum() - gammaln(n + 1)))
    return float(np.exp(min(bound, 0.0)))


def row_keys(asked: Any, learned: Any, rounded: bool = False) -> tuple[Keys, Keys]:
    """Give a number for each row of two tables that is the same for rows that are equal but for their last digits.

    Columns may stand in any order. Rows that hold texts or dates are taken at their word. If asked, what one table
    has `rounded` to some digits is rounded so in both.

    Examples
    --------
    >>> import polars as pl
    >>> known = pl.DataFrame({"a": ["x", "y", None], "b": [1, 2, 3]})
    >>> asked, learned = row_keys(pl.DataFrame({"b": [9.0, 2.0], "a": ["w", "y"]}), known)
    >>> [int(key in learned) for key in asked]
    [0, 1]
    """
    if issparse(asked) != issparse(learned):
        asked, learned = (X.toarray() if issparse(X) else X for X in (asked, learned))
    if issparse(asked):
        cells = asked.tocoo(copy=True), learned.tocoo(copy=True)
        single = _fits(cells[0].data, _single) != _fits(cells[1].data, _single)
        return _sparse_keys(cells[0], single), _sparse_keys(cells[1], single)
    try:
        tables = read_columns(asked), read_columns(learned)
    except (InputError, InputTypeError):
        return _keys_of_words(asked), _keys_of_words(learned)
    by_name = {column.name: column for column in tables[0]}
    if {column.name for column in tables[1]} <= by_name.keys():
        tables = tuple(by_name[column.name] for column in tables[1]), tables[1]
    grids = (*_GRIDS, (_single,)) if rounded else ((_single,),)
    roundings = [_shared_rounding(pair, grids) for pair in zip(*tables, strict=False)]
    roundings += [None] * abs(len(tables[0]) - len(tables[1]))
    return _keys_of_columns(tables[0], roundings), _keys_of_columns(tables[1], roundings)


def _shared_rounding(pair: tuple[Column, Column], grids: Sequence[Sequence[Rounding]]) -> Rounding | None:
    """Give the coarsest rounding that the numbers of one column show, and those of the other do not."""
    if any(column.categories for column in pair):
        return None
    found = []
    for grid in grids:
        fits = ([_fits(column.values, rounding) for column in pair] for rounding in grid)
        both = next((known for known in zip(grid, fits, strict=True) if any(known[1])), None)
        if both is not None and not all(both[1]):
            found.append(both[0])
    if len(found) < 2:
        return found[0] if found else None
    numbers = [np.asarray(column.values) for column in pair]
    with np.errstate(invalid="ignore"):
        moved = [max(np.median(np.nan_to_num(np.abs(by(x) - x))) for x in numbers) for by in found]
    return found[int(np.argmax(moved))]


def _keys_of_columns(columns: Sequence[Column], roundings: Sequence[Rounding | None]) -> Keys:
    keys = np.zeros(len(columns[0]) if columns else 0, dtype=np.uint64)
    for start in range(0, keys.size, _ROWS):
        part = slice(start, start + _ROWS)
        for column, rounding in zip(columns, roundings, strict=False):
            keys[part] = _stir(keys[part] + _codes(column, part, rounding))
    return keys


def _keys_of_words(X: Any) -> Keys:
    frame = nw.from_native(X, pass_through=True, allow_series=True)
    if isinstance(frame, nw.DataFrame):
        X = frame[:, np.argsort([str(name) for name in frame.columns]).tolist()].iter_rows()
    # what numpy prints of long arrays leaves out their middle
    words = (row.tobytes() if isinstance(row, np.ndarray) and row.dtype != object else row for row in X)
    return np.array([_digest(row) for row in words], dtype=np.uint64)


def _sparse_keys(cells: Any, single: bool) -> Keys:
    """Give the keys of sparse rows: sums over what is not zero, in any order."""
    cells.sum_duplicates()
    filled = cells.data != 0
    keys = np.zeros(cells.shape[0], dtype=np.uint64)
    places, values = _stir(cells.col[filled].astype(np.uint64)), cells.data[filled]
    np.add.at(keys, cells.row[filled], _stir(places + _bits(_single(values) if single else values)))
    return keys


def _codes(column: Column, part: slice, rounding: Rounding | None) -> Keys:
    values = column.values[part]
    if column.categories is None:
        return np.where(np.isnan(values), _MISSING, _bits(values if rounding is None else rounding(values)))
    table = np.array([*(_digest(label) for label in column.categories), _MISSING], dtype=np.uint64)
    return np.asarray(table[values])


def _bits(values: NDArray[Any]) -> Keys:
    """Give the bits of numbers, rounded if they are not whole; both zeros are one."""
    exact = values.astype(np.float64) + 0.0
    bits = exact.view(np.uint64)
    return np.where(exact == np.rint(exact), bits, (bits + _LAST_DIGITS // 2) & ~(_LAST_DIGITS - 1))


def _fits(values: NDArray[Any], rounding: Rounding) -> bool:
    # mostly the first few tell
    parts = (values[start : start + _ROWS] for start in range(0, len(values), _ROWS))
    return all(np.array_equal(_bits(part), _bits(rounding(part))) for part in (values[:99], *parts))


def _single(values: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        return np.asarray(values).astype(np.float32)


def _decimals(values: NDArray[Any], digits: int) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        return np.asarray(np.round(values, digits))


def _significant(values: NDArray[Any], digits: int) -> NDArray[np.float64]:
    """Round to significant digits, as %.6g writes numbers."""
    with np.errstate(all="ignore"):
        unit = 10.0 ** (np.floor(np.log10(np.abs(values))) - digits + 1)
        return np.where((values == 0) | ~np.isfinite(values), values, np.rint(values / unit) * unit)


# from coarse to fine
_GRIDS: tuple[Sequence[Rounding], ...] = (
    [partial(_decimals, digits=digits) for digits in range(9)],
    [partial(_significant, digits=digits) for digits in range(2, 10)],
)


def _digest(label: Any) -> int:
    label = label.item() if isinstance(label, np.generic) else label
    # another table may have it in a column of numbers
    if isinstance(label, int | float) and abs(label) < sys.float_info.max:
        return int(_bits(np.array(label, dtype=np.float64)))
    return int.from_bytes(hashlib.blake2b(repr(label).encode(), digest_size=8).digest(), "little")


def _stir(keys: Keys) -> Keys:
    """Spread every bit over all others (the finish of splitmix64; overflow is meant)."""
    first, second = _MIX
    keys = keys + _MISSING
    keys = (keys ^ (keys >> np.uint64(30))) * first
    keys = (keys ^ (keys >> np.uint64(27))) * second
    return np.asarray(keys ^ (keys >> np.uint64(31)))
