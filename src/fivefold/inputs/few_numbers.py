"""Few different numbers in many rows: columns and tables that keep each as its place, in a byte or two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.inputs._kernels import at_codes, count_codes, number_rows

if TYPE_CHECKING:
    import polars as pl

MOST_NUMBERS = 1 << 16
"""Two bytes number so many."""


class FewNumbers(np.lib.mixins.NDArrayOperatorsMixin):
    """Numbers, or rows of numbers, of which few are different; they pass for an array.

    What is asked of each number, such as whether it is above another, is asked of the different ones alone. All
    else is asked of the array itself, so that results are the same to the last bit.

    Examples
    --------
    >>> few = FewNumbers(np.array([0, 1, 0], dtype=np.uint8), np.array([0.25, 4.0]))
    >>> (few > 1).tolist(), (1 / few).levels.tolist(), few.mean()
    ([False, True, False], [4.0, 0.25], np.float64(1.5))
    """

    def __init__(self, codes: NDArray[Any], levels: NDArray[Any]) -> None:
        self.codes, self.levels = codes, levels
        self.shape, self.ndim, self.dtype = (len(codes), *levels.shape[1:]), levels.ndim, levels.dtype
        self.size = math.prod(self.shape)

    @classmethod
    def together(cls, columns: Sequence[FewNumbers]) -> FewNumbers | None:
        """Put columns beside each other; None where too many rows are different."""
        codes, levels = columns[0].codes, columns[0].levels[:, np.newaxis]
        for column in columns[1:]:
            pairs, width = np.empty(0, dtype=np.uint64), len(column.levels)
            joint = np.empty(codes.size, dtype=np.uint16)
            for start in range(0, codes.size, MOST_NUMBERS):
                rows = slice(start, start + MOST_NUMBERS)
                pairs, numbers = number_more(pairs, codes[rows] * np.uint64(width) + column.codes[rows])
                joint[rows] = numbers
                if len(pairs) > MOST_NUMBERS:
                    return None
            first, second = np.divmod(pairs.astype(np.int64), width)
            codes, levels = joint, np.column_stack([levels[first], column.levels[second]])
        return cls(codes, levels)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many cases have each of the different numbers."""
        return count_codes(self.codes, len(self.levels))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, tuple):
            return FewNumbers(self.codes, self.levels[:, rows[1]])[rows[0]]
        codes = self.codes[rows]
        return FewNumbers(codes, self.levels) if np.ndim(codes) else self.levels[codes]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(np.asarray(self), name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return at_codes(self.levels, self.codes).astype(dtype or self.dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **options: Any) -> Any:
        few = [values if isinstance(values, FewNumbers) else None for values in given]
        elementwise = method == "__call__" and ufunc.signature is None and not options
        elementwise &= all(
            of.codes is self.codes if of else np.ndim(v) == 0 for of, v in zip(few, given, strict=True)
        )
        plain = [
            v if of is None else of.levels if elementwise else np.asarray(of)
            for of, v in zip(few, given, strict=True)
        ]
        result = getattr(ufunc, method)(*plain, **options)
        if not elementwise:
            return result
        return FewNumbers(self.codes, result) if result.dtype.kind == "f" else at_codes(result, self.codes)


def number_more(known: NDArray[Any], words: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Number words of 64 bits, the known ones as before; also give all that are known then."""
    both = np.concatenate([known, words])
    codes, first = number_rows(both.view(np.uint64)[:, np.newaxis])
    return both[first], codes[len(known) :]


@dataclass(frozen=True, eq=False)
class CompactFrame:
    """A frame of polars in which columns hold places of few `numbers`, and are read when they are asked for."""

    frame: pl.DataFrame
    numbers: Mapping[str, pl.Series]

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.frame.columns

    def __len__(self) -> int:
        return self.frame.height

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return CompactFrame(self.frame[key], self.numbers)
        series = self.frame[key]
        if key in self.numbers:
            series = self.numbers[key].gather(series).alias(key)
        return nw.from_native(series, series_only=True)

    def select(self, names: Sequence[str]) -> CompactFrame:
        """Take some columns."""
        return CompactFrame(self.frame.select(names), self.numbers)

    def to_native(self) -> CompactFrame:
        """Give itself, as it is nobody else's frame."""
        return self

    def few(self, name: str) -> FewNumbers | None:
        """Give a column whose different numbers are few, missing as NaN; None for any other."""
        if name not in self.numbers:
            return None
        return FewNumbers(self.frame[name].to_numpy(), self.numbers[name].cast(float).to_numpy())
