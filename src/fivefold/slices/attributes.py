"""Attributes: what slices ask of a table's columns; dates are ordered, texts measured, identifiers left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs import frames
from fivefold.inputs.columns import (
    CategoricalFeatures,
    Column,
    Derivation,
    nominal_mask,
    open_objects,
    read_column,
    read_columns,
    read_like,
    refuse_too_many_rows,
)
from fivefold.inputs.frames import Labels, OpenTable
from fivefold.inputs.groups import IDENTIFIER
from fivefold.inputs.labels import is_missing, read_objects
from fivefold.plain_text import listed
from fivefold.slices.dates import DatePart, Dates, of_text, of_times, take_times
from fivefold.slices.texts import LEAST_SHARE, ContainsWord, is_prose, read_texts, text_features

# of fewer rows nothing can be told
LEAST_ROWS = 30
# columns of so few values, or of so many rows a value, are categories
FEW_VALUES, ROWS_A_VALUE = 20, 10
# of more values than this at least one must be as frequent as words are
MOST_VALUES = 1000
# identifiers have so many different values for each row
ALMOST_ALL = 0.9
# columns of a Dask DataFrame are judged by so many rows
SAMPLE_ROWS = 10_000
_NAMED = 12
LEFT_OUT, READ_AS = "Left out: {} ({})", "Read: {} as {}"
TWIN = "the same split of the cases as"
_DIGITS, _TWIN_SAMPLE = 9, 1_000  # to which two straight columns are compared; rows that are compared first


@dataclass(frozen=True, eq=False)
class Source:
    """A column of the table, and what is made of it: itself, other attributes, or nothing.

    name: Its name.
    nominal: Whether it is nominal, where it is taken as it is.
    derivations: What is asked of its dates or text.
    left_out: Why it is no attribute; empty where it is one.
    read_as: What is made of it, in words; empty where it is taken as it is.
    measure: Whether what too few of all rows have is no attribute; it was chosen from some of them.
    """

    name: str
    nominal: bool = False
    derivations: tuple[Derivation, ...] = ()
    left_out: str = ""
    read_as: str = ""
    measure: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is taken as it is."""
        return not self.derivations and not self.left_out


@dataclass(frozen=True, eq=False)
class Attributes:
    """The attributes of a table, and what must be said of its columns.

    columns: The attributes.
    left_out: Columns that are none, and why.
    read_as: Columns that others were made of, and which.
    repeated: Columns that are no attributes, but may say which cases belong together.
    problem: Why there are no attributes.
    """

    columns: tuple[Column, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    read_as: Mapping[str, str] = field(default_factory=dict)
    repeated: tuple[Column, ...] = ()
    problem: str = ""

    def without_twins(self) -> Attributes:
        """Leave out columns that part the cases as an earlier one does: the probability of the other class."""
        whole = [column for column in self.columns if not column.is_part]
        twins = {name: f"{TWIN} {other}" for name, other in find_twins(whole).items()}
        columns = tuple(
            column
            for column in self.columns
            if (column.derived.source if column.derived else column.name) not in twins
        )
        return replace(self, columns=columns, left_out={**self.left_out, **twins})


def read_attributes(
    X: Any,
    categorical_features: CategoricalFeatures = "from_dtype",
    keep: Sequence[str] = (),
    narrow: bool = False,
) -> Attributes:
    """Read a table as attributes of slices: columns as they are, and what dates and texts can be asked.

    Parameters
    ----------
    X : dataframe or 2-D array-like
        The table.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal, as in `read_columns`; if named, texts are taken as they are.
    keep : sequence of str
        Names, or patterns such as ``"id*"``, of columns to take as they are.
    narrow : bool
        Whether to keep few categories in a byte a case.

    Examples
    --------
    >>> X = pl.DataFrame({"id": [f"c{i}" for i in range(60)], "day": ["2025-03-14", "2025-03-15"] * 30})
    >>> attributes = read_attributes(X)
    >>> [column.name for column in attributes.columns]
    ['day', 'weekday of day']
    >>> attributes.left_out
    {'id': 'all 60 values differ: an identifier'}
    """
    refuse_too_many_rows(X)
    plain = frames.plain_matrix(X)
    names = filter(lambda name: isinstance(name, str), getattr(X, "columns", ()))
    if plain is not None and not np.isinf(plain[0]).any() and not any(map(IDENTIFIER.search, names)):
        check_keep(keep, [])
        return Attributes(read_columns(X, categorical_features=categorical_features))
    table = open_attributes(X)
    sources = plan_sources(table, categorical_features, keep)
    return read_sources(table, sources, narrow)


def open_attributes(X: Any) -> OpenTable:
    """Open a table; dates become columns of polars, other objects are read."""
    if isinstance(X, np.ndarray) and X.dtype.kind == "M" and X.ndim == 2:
        X = pl.DataFrame({f"x{place}": take_times(column) for place, column in enumerate(X.T)})
    table = frames.open_table(X)
    opened = [_open_objects(values, name) for values, name in zip(table.columns, table.names, strict=True)]
    return open_objects(OpenTable(table.names, opened, table.named))


def _open_objects(values: Any, name: str) -> Any:
    if isinstance(values, nw.Series) and str(getattr(values.to_native(), "dtype", "")).startswith("period"):
        return nw.from_native(values.to_native().dt.to_timestamp(), series_only=True)
    if isinstance(values, nw.Series) and frames.holds_objects(values):
        values = frames.object_array(values)
    if isinstance(values, np.ndarray) and values.dtype == object:
        times = take_times(values)
        try:
            return read_objects(values, name) if times is None else nw.from_native(times, series_only=True)
        except (InputError, InputTypeError):  # one such column must not cost all others
            return nw.from_native(pl.Series(name, values.tolist(), dtype=pl.Object), series_only=True)
    return values


def plan_sources(
    table: OpenTable,
    categorical_features: CategoricalFeatures,
    keep: Sequence[str],
    sample: Mapping[str, Any] | None = None,
) -> tuple[Source, ...]:
    """Decide what becomes of every column; nothing here looks at an outcome.

    `sample` has other values of some columns, by which they are judged.
    """
    kept = check_keep(keep, table.names)
    nominal = nominal_mask(table, categorical_features)
    by_type = isinstance(categorical_features, str)
    taken = set(table.names)
    sources = []
    for name, values, is_nominal in zip(table.names, table.columns, nominal, strict=True):
        seen = values if sample is None else sample.get(name, values)
        source = _judge(name, seen, is_nominal, by_type, name in kept)
        free = tuple(part for part in source.derivations if part.name == name or part.name not in taken)
        sources.append(replace(source, derivations=free))
    return tuple(sources)


def check_keep(keep: Sequence[str], names: Sequence[str]) -> set[str]:
    """Give the columns that some names or patterns mean; complain about those that mean none."""
    listed = isinstance(keep, Collection) and not isinstance(keep, str)
    if not listed or not all(isinstance(pattern, str) for pattern in keep):
        raise InputTypeError("keep to be a list of names", show(keep), "such as ['customer', 'id*']")
    kept = set[str]()
    for pattern in keep:
        meant = {name for name in names if name == pattern or fnmatchcase(name, pattern)}
        if not meant:
            raise InputError(
                "keep to name columns of X", show(pattern), f"the columns are {show(list(names), 200)}"
            )
        kept |= meant
    return kept


def _judge(name: str, values: Any, nominal: bool, by_type: bool, kept: bool) -> Source:
    """Decide what becomes of a column."""
    plain = Source(name, nominal)
    if isinstance(values, nw.Series) and isinstance(values.dtype, nw.Date | nw.Datetime):
        times = take_times(values)
        assert times is not None
        return _as_dates(name, of_times(name, times), times, "dates" if times.dtype == pl.Date else "times")
    if why := _unusable(values):
        return Source(name, left_out=why)
    if not nominal:
        why = "" if kept else _numbers_identify(name, values)
        return Source(name, left_out=why) if why else plain
    if not by_type or _few_categories(name, values):
        return plain
    texts = as_texts(values)
    return plain if texts is None else _judge_texts(name, texts, kept)


def _few_categories(name: str, values: Any) -> bool:
    """Tell by its categories alone that a column is nominal: few for its rows, and no dates."""
    if not isinstance(values, Labels) or len(values.values) > min(MOST_VALUES, len(values) // ROWS_A_VALUE):
        return False
    different = as_texts(Labels(values.values, np.arange(len(values.values))))
    return different is None or _recognise_dates(name, different) == ""


def _recognise_dates(name: str, texts: pl.Series) -> Dates | str:
    """Recognise dates, at the cost of a glance where no text begins with a digit."""
    return of_text(name, texts) if texts.str.contains(r"^\d").any() else ""


def _unusable(values: Any) -> str:
    """Say why a column of its type cannot stand in a slice; nothing if it can."""
    dtype = values.dtype if isinstance(values, nw.Series) else None
    if isinstance(dtype, nw.Duration | nw.Time):
        return f"{type(dtype).__name__.lower()}s without a date: turn them into numbers, such as hours"
    if isinstance(dtype, nw.List | nw.Array | nw.Struct):
        return f"a {type(dtype).__name__.lower()} in each cell: give each part a column of its own"
    if isinstance(dtype, nw.Unknown | nw.Object):
        kinds = {type(value).__name__ for value in values.to_list() if not is_missing(value)}
        kinds = kinds if isinstance(dtype, nw.Object) else {str(values.to_native().dtype)}
        return f"values of type {', '.join(sorted(kinds))}: turn them into text or numbers"
    odd = [type(value) for value in getattr(values, "values", ()) if not isinstance(value, str | int | float)]
    if odd and isinstance(values, Labels):  # no query selects them
        return f"categories of type {odd[0].__name__}: turn them into text, as .astype(str) does"
    rows = np.flatnonzero(np.isinf(_numbers(values)))
    if rows.size:
        many = f"{rows.size:,} row{'s' * (rows.size > 1)}"
        return f"infinite in {many}, first in row {rows[0]}: leave these cells empty, or cap them"
    return "bytes: decode them to text" if isinstance(dtype, nw.Binary) else ""


def _numbers(values: Any) -> NDArray[Any]:
    """Give the numbers of a column of floating-point numbers, and none of any other."""
    numbers: NDArray[Any] = np.empty(0)
    if isinstance(values, Labels):
        if values.kind == "f":
            numbers = np.array([*values.values, np.nan], dtype=np.float64)[values.codes]
    elif isinstance(values, nw.Series):
        if values.dtype.is_float():
            numbers = np.asarray(values.to_numpy(), dtype=np.float64)
    elif values.dtype.kind == "f":
        numbers = values
    return numbers


def _as_dates(name: str, dates: Dates, series: pl.Series, what: str) -> Source:
    parts = dates.parts(series)
    also = f", with their {listed([part.unit for part in parts])}" if parts else ""
    return Source(name, derivations=(dates, *parts), read_as=what + also)


def _numbers_identify(name: str, values: Any) -> str:
    """Say why a column of numbers is an identifier: whole, all different, and called so."""
    if not IDENTIFIER.search(name) or isinstance(values, Labels):
        return ""
    numbers = values.to_numpy() if isinstance(values, nw.Series) else np.asarray(values)
    if numbers.dtype.kind not in "iuf" or numbers.size < LEAST_ROWS or np.any(numbers != np.floor(numbers)):
        return ""
    return _all_differ(numbers.size, numbers.size) if np.unique(numbers).size == numbers.size else ""


def _all_differ(different: int, known: int) -> str:
    many = "all" if different == known else f"{different:,} of"
    return f"{many} {known:,} values differ: an identifier"


def as_texts(values: Any) -> pl.Series | None:
    """Give a column of text, or of categories that are text, as one of polars; None for all else."""
    try:
        return _as_texts(values)
    except UnicodeEncodeError:  # half of a character, which no file can hold, is a category like any other
        return None


def _as_texts(values: Any) -> pl.Series | None:
    if isinstance(values, Labels):
        return _texts_of_labels(values)
    if isinstance(values, np.ndarray):
        return pl.Series(values.tolist(), dtype=pl.String) if values.dtype.kind in "UT" else None
    if not isinstance(values.dtype, nw.String | nw.Categorical | nw.Enum):
        return None
    native = values.to_native()
    if values.implementation.is_polars():
        return pl.Series(native.cast(pl.String))
    of_pandas = getattr(getattr(native, "dtype", None), "storage", "") == "pyarrow"
    if isinstance(values.dtype, nw.String) and (of_pandas or values.implementation.is_pyarrow()):
        # cell by cell a million would take 0.4 s
        return pl.Series(values.to_arrow()).cast(pl.String)
    cells = [None if is_missing(value) else value for value in values.to_list()]
    return pl.Series(cells, dtype=pl.String) if all(isinstance(cell, str | None) for cell in cells) else None


def _texts_of_labels(labels: Labels) -> pl.Series | None:
    if not labels.values or not all(type(value) is str for value in labels.values):
        return None
    codes = pl.Series(np.asarray(labels.codes, dtype=np.int32))
    texts = pl.Series(labels.values, dtype=pl.String)
    return texts.gather(codes.set(codes < 0, None).cast(pl.UInt32))


def _judge_texts(name: str, texts: pl.Series, kept: bool) -> Source:
    """Tell dates, categories, text and identifiers apart by the values alone."""
    reading = _recognise_dates(name, texts)
    if isinstance(reading, Dates):
        return _as_dates(name, reading, texts, "ISO dates" if reading.day else "ISO times")
    category = Source(name, True, read_as=reading)
    known = len(texts) - texts.null_count()
    different = texts.n_unique() - (texts.null_count() > 0)
    few = different <= FEW_VALUES or (different * ROWS_A_VALUE <= known and different <= MOST_VALUES)
    if kept or few or known < LEAST_ROWS:
        return category
    if not reading and is_prose(texts):
        features = text_features(name, texts)
        return Source(name, derivations=features, read_as=_say_texts(features), measure=True)
    also = f" ({reading})" if reading else ""
    if different >= ALMOST_ALL * known:
        return Source(name, left_out=_all_differ(different, known) + also)
    if different > MOST_VALUES and _largest_share(texts) < LEAST_SHARE:
        why = f"none of its {different:,} values has {LEAST_SHARE:.0%} of the rows"
        return Source(name, left_out=why + also)
    return category


def _largest_share(texts: pl.Series) -> float:
    counts = texts.drop_nulls().value_counts()["count"]
    return int(counts.max()) / len(texts)  # type: ignore[arg-type]


def read_sources(table: OpenTable, sources: Sequence[Source], narrow: bool = False) -> Attributes:
    """Read a table as it was decided; on request keep few categories in a byte a case."""
    columns, read_as, repeated = list[Column](), dict[str, str](), list[Column]()
    for values, source in zip(table.columns, sources, strict=True):
        if source.plain:
            columns.append(read_column(values, source.name, source.nominal))
        made = derive(values, source.derivations)
        if source.measure:
            made = [column for column in made if not _is_rare(column)]
        columns += made
        columns = [_narrow(column) for column in columns] if narrow else columns
        if source.read_as:
            asked = [column.derived for column in made if column.derived]
            read_as[source.name] = _say_texts(asked) if source.measure else source.read_as
        if source.left_out.startswith("none of"):
            repeated.append(read_column(values, source.name, True))
    left_out = {source.name: source.left_out for source in sources if source.left_out}
    if not columns:
        listed = "; ".join(f"{name} ({why})" for name, why in left_out.items())
        raise InputError(
            "at least one column that can stand in a slice", listed, "keep=[...] takes one as it is"
        )
    return Attributes(tuple(columns), left_out, read_as, tuple(repeated))


def _narrow(column: Column) -> Column:
    few = column.categories is not None and len(column.categories) <= np.iinfo(np.int8).max
    return replace(column, values=column.values.astype(np.int8, copy=False)) if few else column


def _is_rare(column: Column) -> bool:
    """Say whether a word is too rare after all; it was chosen from some of the rows."""
    if column.categories is None:
        return False
    share = int(np.count_nonzero(column.values == 1)) / max(int(np.count_nonzero(column.values >= 0)), 1)
    return not LEAST_SHARE <= share <= 1 - LEAST_SHARE


def _say_texts(features: Sequence[Derivation]) -> str:
    """Say what is asked of texts, and which words were looked for."""
    words = [feature.phrase for feature in features if isinstance(feature, ContainsWord)]
    others = [feature.what for feature in features if not isinstance(feature, ContainsWord)]  # type: ignore[attr-defined]
    sentence = f"text: {', '.join(others)}"
    if words:
        listed = ", ".join(words[:_NAMED]) + (", …" if len(words) > _NAMED else "")
        sentence += (
            f", and {len(words)} words or phrases that at least {LEAST_SHARE:.0%} of the rows have ({listed})"
        )
    return sentence


def judge_columns(X: Any, keep: Sequence[str] = ()) -> Attributes:
    """Say what would become of each column, and read whole columns only: words are not looked for."""
    table = open_attributes(X)
    sources = plan_sources(table, "from_dtype", keep)
    whole = [replace(source, derivations=source.derivations[:1], measure=False) for source in sources]
    return read_sources(table, whole)


def say_columns(what: str, columns: Mapping[str, str], most: int = 5) -> str:
    """Say something of columns, in a sentence that names the first of them.

    Examples
    --------
    >>> say_columns(LEFT_OUT, {"id": "all values differ", "code": "an identifier"})
    'Left out: id (all values differ); code (an identifier).'
    """
    if not columns:
        return ""
    before, _, how = what.partition("{}")
    listed = "; ".join(name + how.format(why) for name, why in list(columns.items())[:most])
    return f"{before}{listed}{f'; and {len(columns) - most} more' if len(columns) > most else ''}."


def derive(values: Any, derivations: Sequence[Derivation]) -> list[Column]:
    """Make attributes of an opened column; what cannot be read as its dates or text is missing."""
    if not derivations:
        return []
    times = take_times(values) if isinstance(values, nw.Series) else None
    series = as_texts(values) if times is None else times
    if series is None:
        raise InputTypeError(
            f"dates or text in column {show(derivations[0].source)}, as before",
            f"a column of {getattr(values, 'dtype', type(values).__name__)}",
        )
    if not isinstance(derivations[0], Dates):
        return read_texts(series, derivations)
    clock = derivations[0].clock(series)
    parts = [part.read(clock) for part in derivations if isinstance(part, DatePart)]
    return [derivations[0].read(series, clock), *parts]


def read_again(X: Any, schema: Sequence[Column], wanted: Callable[[Column], bool]) -> tuple[Column, ...]:
    """Read the columns of another table that are wanted, as they were read before; those that it has."""
    table = open_attributes(X)
    by_name = dict(zip(table.names, table.columns, strict=True))
    columns = list[Column]()
    derived: dict[str, list[Derivation]] = {}
    for column in schema:
        if column.derived is not None:
            if column.derived.source in by_name and wanted(column):
                derived.setdefault(column.derived.source, []).append(column.derived)
        elif column.name in by_name:
            columns.append(read_like(by_name[column.name], column))
    for source, derivations in derived.items():
        dates = next((c.derived for c in schema if c.name == source and isinstance(c.derived, Dates)), None)
        whole = derivations if dates is None or dates in derivations else [dates, *derivations]
        columns += derive(by_name[source], whole)
    return tuple(columns)


def find_twins(columns: Sequence[Column]) -> dict[str, str]:
    """Say of each column that tells nothing beyond an earlier one which that is.

    Two columns of numbers are twins where one is a straight or monotone function of the other, tie for tie, such
    as the probabilities of two classes; nominal columns where they are the same but for the names of their values.

    Examples
    --------
    >>> from fivefold.inputs.columns import read_columns
    >>> find_twins(read_columns([[0.1, 0.9, 1], [0.7, 0.3, 0], [0.5, 0.5, 1]]))
    {'x1': 'x0'}
    """
    twins: dict[str, str] = {}
    seen: dict[bytes, list[Column]] = {}
    for column in columns:
        looks = {look.tobytes() for look in _looks(column, column.values[:_TWIN_SAMPLE])}
        others = (other for look in looks for other in seen.get(look, ()) if _are_twins(column, other))
        if first := next(others, None):
            twins[column.name] = first.name
            continue
        for look in looks:
            seen.setdefault(look, []).append(column)
    return twins


def _are_twins(first: Column, second: Column) -> bool:
    return any(
        look.shape == other.shape and np.allclose(look, other, rtol=0.0, atol=10.0**-_DIGITS)
        for look in _looks(first, first.values)
        for other in _looks(second, second.values)
    )


def _looks(column: Column, values: NDArray[Any]) -> list[NDArray[Any]]:
    """Give the forms that columns have in common where they part the cases alike; none where all are equal."""
    if column.categories is not None:
        return _partition(values)
    known = ~np.isnan(values)
    numbers, ranks = np.unique(values[known], return_inverse=True)
    if numbers.size < 2:
        return []
    # rounding may make ties of numbers that are far from zero: straight lines are compared with few digits
    half = 0.5 * numbers[0]  # halves, as the whole distance may be no number
    levels = (0.5 * values[known] - half) / (0.5 * numbers[-1] - half)
    forms = [] if numbers.size > 2 else _partition(np.where(known, values > numbers[0], -1))
    for form in (np.round(levels, _DIGITS) + 0.0, ranks.astype(np.float64)):
        spread = np.full(values.size, -1.0)
        spread[known] = _upright(form)
        forms.append(spread)
    return forms


def _upright(form: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn numbers from 0 on so that the first that is not in the middle lies below it."""
    turned = np.round(form.max() - form, _DIGITS) + 0.0
    uneven = np.flatnonzero(np.abs(form - turned) > 2 * 10.0**-_DIGITS)
    return turned if uneven.size and form[uneven[0]] > turned[uneven[0]] else form


def _partition(codes: NDArray[Any]) -> list[NDArray[np.float64]]:
    """Number the values in the order in which they appear; -1 is missing."""
    values, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    if np.count_nonzero(values >= 0) < 2:
        return []
    place = np.argsort(np.argsort(np.where(values < 0, codes.size, first))).astype(np.float64)
    # lest it be taken for a form of numbers
    return [np.append(np.where(values < 0, -1.0, place)[inverse], -2.0)]


def is_dask(values: Any) -> bool:
    """Say whether this is a collection of Dask, without importing it."""
    return type(values).__module__.partition(".")[0] == "dask" and hasattr(values, "to_delayed")


def take_named(X: Any, labels: Sequence[Any]) -> tuple[Any, tuple[Any, ...]]:
    """Take the columns out of a table that are named as labels; of a Dask DataFrame they are only looked for."""
    if not is_dask(X) and any(map(is_dask, labels)):
        hint = "compute() the labels, or pass both from Dask"
        raise InputTypeError("X to be a Dask DataFrame like the labels", type(X).__name__, hint)
    names = [label for label in labels if isinstance(label, str)]
    if not names:
        return X, tuple(labels)
    frame = X if is_dask(X) else frames.as_frame(X, eager_only=True)
    if not hasattr(frame, "columns"):
        raise InputTypeError("a dataframe, for labels by the name of a column", type(X).__name__)
    for name in names:
        if name not in frame.columns:
            raise InputError(
                "the name of a column of X", show(name), f"the columns are {show(list(frame.columns), 200)}"
            )
    if is_dask(X):
        return X, tuple(labels)
    taken = tuple(frame[label] if isinstance(label, str) else label for label in labels)
    native = (label.to_native() if isinstance(label, nw.Series) else label for label in taken)
    return frame.drop(names).to_native(), tuple(native)
