"""A set of slices: sentences, a table, queries, and the rows they select."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, overload

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column, read_columns, sql_identifier
from fivefold.inputs.options import RandomState
from fivefold.results.metric import Direction
from fivefold.results.result import Result
from fivefold.slices.slice import Slice
from fivefold.slices.stability import Stability, measure_stability

FindAgain = Callable[[NDArray[np.intp]], frozenset[frozenset[Any]]]


@dataclass(frozen=True)
class Correction:
    """How many tests were made, and what was done about it.

    Parameters
    ----------
    correction : str
        ``"layered"``, ``"westfall-young"`` or ``"holm"``.
    alpha : float
        The chance of any false finding that was allowed.
    n_tests : tuple of int
        Conjunctions of each length that the correction accounts for.
    alphas : tuple of float
        The level of one test at each length.
    n_permutations : int
        0 where there were none.
    """

    correction: str
    alpha: float
    n_tests: tuple[int, ...]
    alphas: tuple[float, ...]
    n_permutations: int = 0

    @property
    def total(self) -> int:
        """The number of tests."""
        return sum(self.n_tests)

    def __str__(self) -> str:
        how = f" over {self.n_permutations:,} permutations" if self.n_permutations else ""
        return (
            f"{self.total:,} tests were made and corrected for together ({self.correction}{how}): in data without "
            f"any pattern the chance of even one slice is at most {self.alpha:.0%}"
        )


@dataclass(frozen=True, eq=False)
class SliceSet(Result, Sequence[Slice]):
    """Slices in the order of their importance: the largest effect first.

    Parameters
    ----------
    slices : tuple of Slice
        The slices.
    n_cases : int
        Cases that were searched.
    n_agree : int or None
        How many agree; None where numbers were sliced.
    rate : float
        Their share, or the mean of the numbers.
    tests : Correction
        How many tests were made, and the correction.
    schema : tuple of Column
        The columns, without their values.
    afterwards : frozenset of str
        Columns that are not known when a model is used: the truth, the answers.
    note : str
        What else must be said.
    """

    title: ClassVar[str] = "Slices"
    unit: ClassVar[str] = "difference from average"
    direction: ClassVar[Direction] = "neither"

    slices: tuple[Slice, ...] = field(repr=False)
    n_cases: int
    n_agree: int | None
    rate: float
    tests: Correction
    schema: tuple[Column, ...] = field(repr=False)
    afterwards: frozenset[str] = frozenset()
    note: str = ""
    find_again: FindAgain | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.slices)

    @overload
    def __getitem__(self, place: int) -> Slice: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Slice, ...]: ...
    def __getitem__(self, place: int | slice) -> Slice | tuple[Slice, ...]:
        return self.slices[place]

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices)

    def deployable(self) -> SliceSet:
        """Keep the slices that name nothing but attributes: those of use before the truth is known."""
        return self._keep(lambda one: not self._names_afterwards(one))

    def naming_afterwards(self) -> SliceSet:
        """Keep the slices that name the truth or an answer."""
        return self._keep(self._names_afterwards)

    def worse(self, by: float = 0.0) -> SliceSet:
        """Keep the slices below average.

        Parameters
        ----------
        by : float
            How far below at least; 0.1 is ten percentage points.
        """
        return self._keep(lambda one: one.difference < 0 and one.difference <= -by)

    def _names_afterwards(self, one: Slice) -> bool:
        return any(term.column in self.afterwards for term in one.terms)

    def _keep(self, wanted: Callable[[Slice], bool]) -> SliceSet:
        return replace(self, slices=tuple(one for one in self.slices if wanted(one)))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each slice."""
        rows = [one.row() for one in self.slices]
        if not rows:
            return {name: [] for name in ("conditions", "n", "rate", "difference", "effect_size", "sql")}
        return {name: [row[name] for row in rows] for name in rows[0]}

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """Say which cases of a table lie in which slices.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            Cases with the columns that the slices name.

        Returns
        -------
        ndarray of shape (n, number of slices)
        """
        columns = self._read(X)
        named = {column.name: column for column in columns}
        marked = np.ones((len(columns[0]), len(self.slices)), dtype=bool)
        for place, one in enumerate(self.slices):
            for term in one.terms:
                marked[:, place] &= term.holds(named)
        return marked

    def flag(self, X: Any, *, by: float = 0.1) -> NDArray[np.bool_]:
        """Flag the cases that lie in any slice far below average which names attributes only.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes.
        by : float
            How far below average a slice must be; 0.1 is ten percentage points. A large slice may be below average
            for certain and yet hardly at all: with 0 such slices soon cover all cases.
        """
        return np.asarray(self.deployable().worse(by).mask(X).any(axis=1))

    def _read(self, X: Any) -> tuple[Column, ...]:
        wanted = {term.column for one in self.slices for term in one.terms}
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            known = [column for column in self.schema if column.name not in self.afterwards]
            return self._checked(read_columns(X, like=known), wanted)
        present = [column for column in self.schema if column.name in frame.columns]
        if not present:
            raise InputError(
                "the columns that were searched", f"the columns {show(frame.columns)}", "pass the same table"
            )
        chosen = frame.select([column.name for column in present]).to_native()
        return self._checked(read_columns(chosen, like=present), wanted)

    def _checked(self, columns: tuple[Column, ...], wanted: set[str]) -> tuple[Column, ...]:
        absent = sorted(wanted - {column.name for column in columns})
        if absent:
            raise InputError(
                f"a column called {show(absent[0])}, which a slice names",
                f"the columns {show([column.name for column in columns])}",
                "add it, or use .deployable() for the slices that name attributes only",
            )
        return columns

    def to_sql(self, table: str | None = None) -> list[str]:
        """Write each slice as the text of a WHERE clause, or as a query on a table.

        Parameters
        ----------
        table : str, optional
            The name of a table to select from.
        """
        before = "" if table is None else f"SELECT * FROM {sql_identifier(table)} WHERE "
        return [before + one.to_sql() for one in self.slices]

    def summary(self, most: int = 10) -> str:
        """Say the most important slices, and how many tests stand behind them.

        Parameters
        ----------
        most : int
            The number of slices to name.
        """
        told = [str(self), *(f"{place}. {one}" for place, one in enumerate(self.slices[:most], start=1))]
        if len(self.slices) > most:
            told.append(f"… and {len(self.slices) - most} more.")
        return "\n".join(told)

    def stability(
        self, *, n_samples: int = 20, sample_size: int | None = None, random_state: RandomState = None
    ) -> Stability:
        """Search random samples of the cases, and see how far they agree about the slices.

        Parameters
        ----------
        n_samples : int
            Samples, without replacement.
        sample_size : int, optional
            Cases in each; by default 5,000, or half of the cases if that is less.
        random_state : int, Generator or None
            For the samples.
        """
        if self.find_again is None:
            raise InputError(
                "slices that know the cases they come from",
                "slices without them: of a Dask DataFrame, of another engine, or of numbers",
                "search a sample in memory",
            )
        size = min(5000, self.n_cases // 2) if sample_size is None else sample_size
        return measure_stability(self.find_again, self.n_cases, n_samples, size, random_state)

    def __str__(self) -> str:
        many = f"{len(self.slices):,} slice{'' if len(self.slices) == 1 else 's'}"
        rate = f"{self.rate:.1%}" if self.n_agree is not None else f"{self.rate:.4g}"
        return f"{many} of {self.n_cases:,} cases (average {rate}). {self.tests}." + (
            self.note and f" {self.note}"
        )
