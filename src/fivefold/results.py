"""What a metric is called, its unit and its direction; how every result shows itself and is written down."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs.options import one_of

Direction = Literal["higher is better", "lower is better", "neither"]
Reads = Literal["answers", "probabilities", "truth"]
F = TypeVar("F", bound=Callable[..., float])


@dataclass(frozen=True)
class Metric:
    """What is known of a metric without calling it.

    Parameters
    ----------
    name : str
        The function's name.
    title : str
        What a person calls it.
    unit : str
        The unit of its value.
    direction : str
        Which way is better.
    reads : {"answers", "probabilities", "truth"}
        What it needs beside the truth.
    order_free : bool
        Whether the order of the cases leaves the value unchanged.
    weighted : bool
        Whether it takes ``sample_weight``.
    two_classes_only : bool
        Whether it is defined for two classes only.
    function : callable
        The metric itself.
    """

    name: str
    title: str
    unit: str
    direction: Direction
    reads: Reads
    order_free: bool
    weighted: bool
    two_classes_only: bool
    function: Callable[..., float]


METRICS: dict[str, Metric] = {}


def metric(
    title: str,
    *,
    unit: str,
    direction: Direction,
    reads: Reads,
    order_free: bool = True,
    weighted: bool = False,
    two_classes_only: bool = False,
) -> Callable[[F], F]:
    """Enter a metric in the registry and leave the function as it is."""

    def enter(function: F) -> F:
        described: Any = function
        name = function.__name__
        METRICS[name] = described.metric = Metric(
            name, title, unit, direction, reads, order_free, weighted, two_classes_only, function
        )
        return function

    return enter


class Result:
    """Base of all results; subclasses are frozen dataclasses that name their columns."""

    title: ClassVar[str]
    unit: ClassVar[str]
    direction: ClassVar[Direction]

    def columns(self) -> Mapping[str, Any]:
        """Give the numbers of this result by column name."""
        raise AttributeError(f"{type(self).__name__} has no table of numbers")

    def frame(self, library: str = "polars") -> Any:
        """Give the numbers as a data frame.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}
            The library of the frame; only polars comes with Fivefold.
        """
        return make_frame(self.columns(), library)


def make_frame(columns: Mapping[str, Any], library: str = "polars") -> Any:
    """Build a data frame of the asked library from named columns."""
    import polars as pl

    one_of(library, ("polars", "pandas", "pyarrow"), "library")
    frame = pl.DataFrame(dict(columns))
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(frame.to_dict(as_series=False))
    return frame.to_arrow() if library == "pyarrow" else frame


@dataclass(frozen=True, eq=False)
class CaseScores(Result):
    """Scores of all cases in the given order.

    Parameters
    ----------
    per_example : ndarray of shape (n,)
        Score of each case.
    mean : float
        Their (weighted) mean.
    weights : ndarray of shape (n,) or None
        The weights, if there were any.
    """

    title: ClassVar[str] = "Score"
    unit: ClassVar[str] = "per case"
    direction: ClassVar[Direction] = "neither"

    per_example: NDArray[np.float64] = field(repr=False)
    mean: float
    weights: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def value(self) -> float:
        """The mean."""
        return self.mean

    @property
    def sum(self) -> float:
        """(Weighted) sum of the scores; as in the mean, a weight of zero silences even an infinite score."""
        return self.mean * float(self.per_example.size if self.weights is None else self.weights.sum())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, for cases drawn independently; NaN if a score is infinite."""
        n = self.per_example.shape[0]
        if n < 2 or not np.isfinite(self.mean):
            return float("nan")
        share = np.full(n, 1 / n) if self.weights is None else self.weights / self.weights.sum()
        return float(np.sqrt(n / (n - 1) * np.sum((share * (self.per_example - self.mean)) ** 2)))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each case."""
        return {self.title.lower().replace(" ", "_"): self.per_example}

    def __str__(self) -> str:
        error = self.standard_error
        spread = f" ± {error:.4f}" if np.isfinite(error) else ""
        return f"{self.title}: {self.mean:.4f}{spread} {self.unit} ({self.direction})"


def mean_of(per_example: NDArray[np.float64], weights: NDArray[np.float64] | None) -> float:
    """(Weighted) mean in which a weight of zero silences even an infinite score."""
    if weights is None:
        return float(per_example.mean())
    heard = weights > 0
    return float(np.average(per_example[heard], weights=weights[heard]))


def say_p(p_value: float) -> str:
    """Write a p-value for people: no false zeros, no digits that mean nothing.

    Examples
    --------
    >>> say_p(0.0382), say_p(0.0), say_p(3e-9)
    ('p = 0.038', 'p < 0.0001', 'p < 0.0001')
    """
    return "p < 0.0001" if p_value < 1e-4 else f"p = {p_value:.2g}"


def say_won(bits: float) -> str:
    """Write what a gambler wins, or loses.

    Examples
    --------
    >>> say_won(0.25), say_won(-0.06), say_won(-0.0001)
    ('wins +0.250', 'loses 0.060', 'wins +0.000')
    """
    return f"loses {-bits:.3f}" if round(bits, 3) < 0 else f"wins {abs(bits):+.3f}"


def say_rows(rows: Sequence[int] | NDArray[np.int64], shown: int = 5) -> str:
    """Name rows, the first few if there are many.

    Examples
    --------
    >>> say_rows([3]), say_rows([3, 8]), say_rows([3, 8, 9, 12], shown=2)
    ('row 3', 'rows 3 and 8', 'rows 3, 8 and 2 more')
    """
    names = [str(row) for row in rows[:shown]]
    if len(rows) > shown:
        names.append(f"{len(rows) - shown} more")
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return f"row{'s' if len(rows) > 1 else ''} {listed}"


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text, whole or not at all.

    Parameters
    ----------
    path : path-like
        Where to write.
    text : str
        What to write, as UTF-8 with the line ends that it has.
    """
    write_whole(path, lambda file: file.write(text.encode()))


def write_whole(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Write beside the place and move the file there whole: a reader never sees half of it.

    Parameters
    ----------
    path : path-like
        Where to write.
    write : callable
        Is given a file that is open for bytes.
    """
    place = Path(path)
    if place.is_dir() or not place.parent.is_dir():
        raise InputError("a file in a folder that exists", show(str(place)))
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_usual_mode(place))
        part.replace(place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _usual_mode(place: Path) -> int:
    """Permissions of the file that is replaced, or those that a new file would have."""
    if place.exists():
        return place.stat().st_mode & 0o777
    # a temporary file is private; the mask can only be read by setting it
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
