"""What a number is called, its unit, direction, format and meaning: declared once, for all that shows it.

A result declares its numbers where it computes them (`number`, `declared`), a metric where it is defined
(`metric`). Text, page, data frames, JSON and its schema follow. Here are also the habits that all results share,
the words for numbers in sentences, and the way results are written to files.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache, wraps
from inspect import signature
from operator import attrgetter
from pathlib import Path
from typing import IO, Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, show
from fivefold.inputs._kernels import AT_ONCE
from fivefold.inputs.options import one_of
from fivefold.plain_text import listed, visible
from fivefold.registry import load_all

Direction = Literal["higher is better", "lower is better", "neither"]
HIGHER: Direction = "higher is better"
LOWER: Direction = "lower is better"
Reads = Literal["answers", "probabilities", "truth"]
F = TypeVar("F", bound=Callable[..., float])
T = TypeVar("T")

Share = Annotated[float, (0.0, 1.0)]
"""A number from 0 to 1."""
Count = Annotated[int, (0, None)]
"""A whole number that is not below 0."""
PValue = Annotated[float, (0.0, 1.0, None)]
"""A number from 0 to 1, or not a number where there was no test."""
Interval = tuple[float, float]
"""The two ends of an interval, of 95 % unless said otherwise."""

VIEW_NAMES = ("bits", "bets", "truth", "slices", "borders")
ANSWERS_ONLY = "only answers are known, not the model itself"
"""Why views that need a model say nothing of a file of predictions; pages leave them out."""


@dataclass(frozen=True)
class Number:
    """What a number is called and how it is written.

    Parameters
    ----------
    title : str
        What a person calls it. Without one it stands in JSON only.
    unit : str
        Its unit.
    direction : str
        Which way is better.
    format : str
        How it is written: ",.1f" and the like, "+.3f" with its sign, "±.3f", ".1%", ",d", "p" for p-values,
        "text".
    meaning : str
        What it means, in a sentence; of a property the first line of its docstring.
    tables : tuple of {"terminal", "page", "evidence"}
        The tables of models in which it has a column; on a page, evidence is folded.
    heading : str
        A short title for the terminal.
    note : str
        Small print under the title on a page; else the unit, if the title does not name it.
    below : tuple of str
        Numbers in small print below it, such as its interval; left out where they have a column of their own.
    zero : str
        What is written for 0, where that says more.
    column : str
        Its column in data frames; an interval has two, which end in ``_low`` and ``_high``.
    key : str or None
        Its name in JSON, by default that of the attribute; None if it is put together from others.
    reads : tuple of str
        Where in JSON it is found, if not under its key: in one place ("cross_validation.error"), or several.
    name : str
        The attribute; empty for a registered metric.
    """

    title: str = ""
    unit: str = ""
    direction: Direction = "neither"
    format: str = ",.3f"
    meaning: str = ""
    tables: tuple[str, ...] = ()
    heading: str = ""
    note: str = ""
    below: tuple[str, ...] = ()
    zero: str = ""
    column: str = ""
    key: str | None = ""
    reads: tuple[str, ...] = ()
    name: str = ""

    def named(self, name: str, doc: str | None = None) -> Number:
        """Complete the declaration by the name of the attribute and its docstring."""
        key = name if self.key == "" else self.key
        meaning = self.meaning or (doc or "").strip().split("\n", 1)[0]
        return replace(self, name=name, key=key, meaning=meaning, reads=self.reads or (key or name,))

    def value(self, result: Any) -> Any:
        """Give the number of a result."""
        return getattr(result, self.name) if self.name else result.metrics.get(self.key)


class Declared(Generic[T]):
    """A property that carries the declaration of its number; the value is computed once."""

    def __init__(self, function: Callable[[Any], T], number: Number) -> None:
        self.function, self.number, self.__doc__ = function, number, function.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.number = self.number.named(name, self.__doc__)

    @overload
    def __get__(self, result: None, owner: type) -> Self: ...
    @overload
    def __get__(self, result: object, owner: type) -> T: ...
    def __get__(self, result: Any, owner: type) -> Any:
        if result is None:
            return self
        # kept beside the fields, where it is found before this is asked again
        value = result.__dict__[self.number.name] = self.function(result)
        return value


def number(title: str = "", **details: Any) -> Callable[[Callable[[Any], T]], Declared[T]]:
    """Make a property of a method and declare its number; see `Number`.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Answers:
    ...     right: int
    ...     n: int
    ...     @number("Accuracy", direction=HIGHER, format=".1%")
    ...     def accuracy(self) -> float:
    ...         "Share of right answers."
    ...         return self.right / self.n
    >>> Answers(3, 4).accuracy, Answers.accuracy.number.title, Answers.accuracy.number.meaning
    (0.75, 'Accuracy', 'Share of right answers.')
    """
    return lambda function: Declared(function, Number(title, **details))


def forwarded(place: str, kind: Any, meaning: str, title: str = "", **details: Any) -> Declared[Any]:
    """Declare a number that a part of the result has computed: where it is, its type, and its meaning."""

    def read(result: Any) -> Any:
        return attrgetter(place)(result)

    read.__annotations__ = {"return": kind}
    return Declared(read, Number(title, meaning=meaning, **details))


def declared(title: str = "", **details: Any) -> dict[str, Number]:
    """Declare the number of a field, as the metadata of ``dataclasses.field``; see `Number`."""
    return {"number": Number(title, **details)}


class View:
    """Base of what one view says about a model: a dataclass that declares its numbers."""

    metrics: Mapping[str, float | None]

    def __init_subclass__(cls, *, view: str, **more: Any) -> None:
        super().__init_subclass__(**more)
        VIEWS[view] = cls

    def finding(self) -> Any:
        """Say what the view sees."""
        raise NotImplementedError

    def __str__(self) -> str:
        return visible(str(self.finding()))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # what a notebook shows of it, instead of all of its fields
        printer.text(str(self))


VIEWS: dict[str, type[View]] = {}
"""What each view is made of, by its name."""


def numbers_of_view(view: str) -> tuple[Number, ...]:
    """Give the declared numbers of a view by its name."""
    if view not in VIEWS:
        raise InputError(
            f"the view {view!r} to be declared", "none so far", "import fivefold.evaluation.evaluation before"
        )
    return numbers_of(VIEWS[view])


def numbers_of(result: type) -> tuple[Number, ...]:
    """Give the declared numbers of a class of results, and for a view those of the metrics registered for it.

    A dataclass that declares none is a record: all of its fields count.
    """
    views = [name for name, view in VIEWS.items() if view is result]
    return (*_declared_by(result), *(known.number for view in views for known in metrics_of(view)))


@cache
def _declared_by(result: type) -> tuple[Number, ...]:
    properties = [item.number for item in vars(result).values() if isinstance(item, Declared)]
    named = [(item.name, item.metadata.get("number")) for item in fields(result)]
    own = [number.named(name) for name, number in named if number]
    return (*properties, *own) or tuple(Number().named(name) for name, _ in named)


def plain(value: Any) -> Any:
    """Turn results and arrays into what JSON knows.

    Numbers that JSON cannot write become texts ("-Infinity", "Infinity") or None (not a number).

    Examples
    --------
    >>> plain({"found": np.array([1.0, np.inf, np.nan])})
    {'found': [1.0, 'Infinity', None]}
    """
    if value is None or type(value) in (str, int, bool):  # most of what there is
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if is_dataclass(value):
        shown = [known for known in numbers_of(type(value)) if known.key is not None]
        return {known.key: plain(known.value(value)) for known in shown}
    if isinstance(value, Enum):
        value = value.name.lower()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


@dataclass(frozen=True)
class Metric:
    """What is known of a metric without calling it.

    Parameters
    ----------
    name, title, unit, direction : str
        The function's name, what a person calls it, the unit of its value, and which way is better.
    reads : {"answers", "probabilities", "truth"}
        What it needs beside the truth.
    order_free, weighted, two_classes_only : bool
        Whether the order of the cases leaves the value unchanged, whether it takes ``sample_weight``, and whether
        it is defined for two classes only.
    function : callable
        The metric itself.
    view, place : {"bits", "bets"} or None, int
        The view of an evaluation that shows it, if any does, and where: those of lower places first.
    number : Number
        How that view writes it.
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
    view: str | None
    place: int
    number: Number


METRICS: dict[str, Metric] = {}


def metric(
    declares: str | type[Result],
    *,
    unit: str = "",
    direction: Direction = "neither",
    reads: Reads,
    order_free: bool = True,
    weighted: bool = False,
    two_classes_only: bool = False,
    view: Literal["bits", "bets"] | None = None,
    place: int = 100,
    key: str = "",
    format: str = ",.3f",
    heading: str = "",
) -> Callable[[F], F]:
    """Enter a metric in the registry and leave the function as it is.

    Its title, unit and direction are those of the class of its details, or given: then a title comes first.
    With a `view`, every evaluation computes it too, and shows it in that view's tables, in frames and in JSON,
    under `key` or the function's name. There it is given classes as positions, 0 for the first, and answers of
    several classes or none as a boolean matrix.
    """
    title = declares if isinstance(declares, str) else declares.title
    if not isinstance(declares, str):
        unit, direction = declares.unit, declares.direction

    def enter(function: F) -> F:
        name = function.__name__
        column = key or name
        shown = Number(
            title, unit, direction, format, tables=("terminal", "page"), heading=heading, column=column
        )
        shown = replace(shown.named(column, function.__doc__), name="")
        facts = title, unit, direction, reads, order_free, weighted, two_classes_only
        described: Any = function
        METRICS[name] = described.metric = Metric(name, *facts, function, view, place, shown)
        return function

    return enter


def all_metrics() -> Mapping[str, Metric]:
    """Give all metrics by their names, and load those that are not."""
    load_all()
    return METRICS


def metrics_of(view: str) -> list[Metric]:
    """Give the metrics that a view of an evaluation shows, in the same order whatever was loaded first."""
    shown = [known for known in METRICS.values() if known.view == view]
    return sorted(shown, key=lambda known: (known.place, known.name))


def measure_registered(view: str, predictions: Any) -> dict[str, float | None]:
    """Compute the metrics registered for a view; None where one is not defined for these predictions."""
    return {str(known.number.key): _measure(known, predictions) for known in metrics_of(view)}


def _measure(known: Metric, predictions: Any) -> float | None:
    """Compute one metric on positions instead of labels: they were checked before, and are coded in no time."""
    given: tuple[Any, ...] = (predictions.truth,)
    if known.reads == "answers":
        single = predictions.answers.ndim == 1 and predictions.answers.min() >= 0
        given += (predictions.answers if single else predictions.sets(),)
    elif known.reads == "probabilities":
        if predictions.probabilities is None:
            return None
        given += (predictions.probabilities,)
    takes_classes = "classes" in signature(known.function).parameters
    options = {"classes": np.arange(predictions.n_classes)} if takes_classes else {}
    try:
        return float(known.function(*given, **options))
    except InputError:
        return None


class Result:
    """Base of all results; subclasses are frozen dataclasses that name their columns.

    What the main number is called, its unit and direction are keywords of the class, as in `CaseScores`.
    """

    title: ClassVar[str]
    unit: ClassVar[str]
    direction: ClassVar[Direction] = "neither"

    def __init_subclass__(cls, title: str = "", unit: str = "", direction: Direction | None = None) -> None:
        super().__init_subclass__()
        for name, words in (("title", title), ("unit", unit), ("direction", direction)):
            if words:
                setattr(cls, name, words)
        cls.__repr__ = vars(cls).get("__repr__", brief)  # type: ignore[method-assign]
        if "__str__" in vars(cls):
            cls.__str__ = _without_escapes(cls.__str__)  # type: ignore[method-assign]

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


_FEW_NUMBERS = 8


def brief(result: Any) -> str:
    """Write the fields of a dataclass, and of arrays their shape."""
    shown = [f"{item.name}={_brief(getattr(result, item.name))}" for item in fields(result) if item.repr]
    return f"{type(result).__qualname__}({', '.join(shown)})"


def _brief(value: object) -> str:
    if isinstance(value, np.ndarray) and value.size > _FEW_NUMBERS:
        return f"<{' x '.join(map(str, value.shape))} numbers>"
    return repr(value)


def _without_escapes(write: Callable[[Any], str]) -> Callable[[Any], str]:
    """Let no name from data steer the terminal on which a result is printed."""

    @wraps(write)
    def text(result: Any) -> str:
        return visible(write(result))

    return text


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
class CaseScores(Result, title="Score", unit="per case"):
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
        if self.weights is None:
            apart = (part - self.mean for part in in_pieces(self.per_example))
            return float(np.sqrt(sum(float(part @ part) for part in apart) / (n * (n - 1))))
        heard = self.weights > 0
        pull = self.weights[heard] / self.weights.sum()
        return float(np.sqrt(n / (n - 1) * np.sum((pull * (self.per_example[heard] - self.mean)) ** 2)))

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each case."""
        return {self.title.lower().replace(" ", "_"): self.per_example}

    def __str__(self) -> str:
        return f"{self.title}: {self.mean:.4f} {self.unit} ({self.uncertainty()}{self.direction})"

    def uncertainty(self) -> str:
        """Say how far off the mean may be, followed by "; "; empty where that is not known."""
        return f"s.e. {self.standard_error:.4f}; " if np.isfinite(self.standard_error) else ""


def in_pieces(values: Any) -> Iterator[NDArray[Any]]:
    """Give numbers some at a time, so that very many are never written out beside themselves."""
    return (np.asarray(values[start : start + AT_ONCE]) for start in range(0, len(values), AT_ONCE))


def total_of(values: Any) -> float:
    """Add numbers up, piece by piece: however they are kept, the sum is the same to the last bit."""
    return sum(float(part.sum()) for part in in_pieces(values))


def mean_of(per_example: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
    """(Weighted) mean in which a weight of zero silences even an infinite score."""
    if weights is None:
        return total_of(per_example) / len(per_example)
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
    return f"row{'s' if len(rows) > 1 else ''} {listed(names)}"


def write_csv(frame: Any, raw: bool = False) -> bytes:
    r"""Write a polars frame as CSV; unless `raw`, a text that a spreadsheet would run begins with an apostrophe.

    Examples
    --------
    >>> import polars as pl
    >>> write_csv(pl.DataFrame({"=a": ["=1+1", "-3.5", "-x", None], "n": [-1, 2, 3, 4]}))
    b"'=a,n\n'=1+1,-1\n-3.5,2\n'-x,3\n,4\n"
    """
    import polars as pl

    if not raw:
        frame = frame.rename({name: _harmless(name) for name in frame.columns})
        frame = frame.with_columns(
            pl.Series(name, list(map(_harmless, frame[name])), pl.String)
            for name, kind in frame.schema.items()
            if kind == pl.String
        )
    return str(frame.write_csv()).encode()


def _harmless(text: str | None) -> str | None:
    if text is None or not text.startswith(("=", "+", "-", "@", "\t", "\r")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text, whole or not at all."""
    write_whole(path, lambda file: file.write(text.encode()))


def write_whole(path: str | os.PathLike[str], write: Callable[[IO[bytes]], object]) -> None:
    """Write beside the place and move the file there whole: a reader never sees half of it.

    A link goes on leading to the file, and what is no file, such as a pipe or a device, is written to as it is.
    """
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        with Path(path).open("wb") as stream:
            write(stream)
        return
    place = Path(path).resolve()
    if place.is_dir() or not place.parent.is_dir():
        raise InputError("a file in a folder that exists", show(str(path)))
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
