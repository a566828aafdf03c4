"""Conditions on one column ("age <= 30"), which rules and slices are made of."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import Column, Derivation, plain_value
from fivefold.inputs.labels import is_missing

Columns: TypeAlias = Sequence[Column] | Mapping[str, Column]


@dataclass(frozen=True)
class Term(ABC):
    """A condition on one column; on a missing value it fails, unless it asks for missing values.

    `of` is what the column was made of, where it is no column of the table itself.
    """

    column: str
    of: Derivation | None = field(default=None, kw_only=True, repr=False)

    def holds(self, columns: Columns) -> NDArray[np.bool_]:
        """Say for each case whether the condition holds."""
        return self._holds(find_column(columns, self.column))

    def to_text(self) -> str:
        """Write the condition for people."""
        return self._write(self.column, TEXT if self.of is None else replace(TEXT, value=self.of.show))

    def to_words(self) -> str:
        """Say the condition as one would in a sentence."""
        return (self.of.say(self) if self.of is not None else "") or self.to_text()

    def to_sql(self) -> str:
        """Write the condition in standard SQL, names and values quoted; missing is NULL."""
        name = SQL.name(self.column) if self.of is None else self.of.sql(SQL.name(self.of.source))
        return self._write(name, SQL)

    def to_python(self) -> str:
        """Write the condition as a mask over a pandas frame `df`, names and values quoted.

        Examples
        --------
        >>> print(Equals("sex", "O'Hara").to_python(), "&", Within("age", 25, 35).to_python())
        (df['sex'] == "O'Hara") & (df['age'] > 25) & (df['age'] <= 35)
        """
        name = PYTHON.name(self.column) if self.of is None else self.of.python(PYTHON.name(self.of.source))
        return f"({self._write(name, PYTHON)})"

    def __str__(self) -> str:
        return self.to_text()

    @abstractmethod
    def _holds(self, column: Column) -> NDArray[np.bool_]: ...

    @abstractmethod
    def _write(self, name: str, style: Style) -> str: ...


@dataclass(frozen=True)
class Equals(Term):
    """The column has this value.

    Examples
    --------
    >>> print(Equals("outlook", "sunny"))
    outlook = sunny
    >>> print(Equals("name", "O'Hara").to_sql())
    "name" = 'O''Hara'
    """

    value: Hashable

    def __post_init__(self) -> None:
        _check_values((self.value,))

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        return _equal(column, self.value)

    def _write(self, name: str, style: Style) -> str:
        if style.readings(self.value):
            return style.write_one_of(name, (self.value,))
        return f"{name} {style.equal} {style.value(self.value)}"


@dataclass(frozen=True)
class NotEquals(Term):
    """The column has a value, and not this one.

    Examples
    --------
    >>> print(NotEquals("outlook", "sunny"))
    outlook != sunny
    """

    value: Hashable

    def __post_init__(self) -> None:
        _check_values((self.value,))

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        return ~_equal(column, self.value) & ~column.missing

    def _write(self, name: str, style: Style) -> str:
        if style.readings(self.value):
            return style.lacks.format(name=style.write_one_of(name, (self.value,)), source=name)
        return style.unequal.format(name=name, value=style.value(self.value))


@dataclass(frozen=True)
class OneOf(Term):
    """The column has one of these values.

    Examples
    --------
    >>> print(OneOf("outlook", ("rain", "sunny")))
    outlook in {rain, sunny}
    """

    values: tuple[Hashable, ...]

    def __post_init__(self) -> None:
        _check_values(self.values)

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        return np.asarray(np.logical_or.reduce([_equal(column, value) for value in self.values]))

    def _write(self, name: str, style: Style) -> str:
        return style.write_one_of(name, self.values)


@dataclass(frozen=True)
class AtMost(Term):
    """The number is no larger than the cut.

    Examples
    --------
    >>> print(AtMost("age", 30.0))
    age <= 30
    """

    cut: float

    def __post_init__(self) -> None:
        _check_cut(self.cut, self.column)

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        return np.asarray(numeric_values(column) <= self.cut)

    def _write(self, name: str, style: Style) -> str:
        return f"{name} <= {style.value(self.cut)}"


@dataclass(frozen=True)
class Above(Term):
    """The number is larger than the cut.

    Examples
    --------
    >>> print(Above("age", 30.5))
    age > 30.5
    """

    cut: float

    def __post_init__(self) -> None:
        _check_cut(self.cut, self.column)

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        return np.asarray(numeric_values(column) > self.cut)

    def _write(self, name: str, style: Style) -> str:
        return f"{name} > {style.value(self.cut)}"


@dataclass(frozen=True)
class Within(Term):
    """The number lies between two ends: low < x <= high, where either end may be infinite.

    Examples
    --------
    >>> print(Within("age", 30, 40), "|", Within("age", 30, float("inf")))
    30 < age <= 40 | age > 30
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            _check_number(end, self.column)
        if not self.low < self.high:
            raise InputError(f"low < high for {show(self.column)}", f"low {self.low}, high {self.high}")

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        values = numeric_values(column)
        return np.asarray((values > self.low) & (values <= self.high))

    def _write(self, name: str, style: Style) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return name + style.known
        if math.isinf(self.low):
            return f"{name} <= {style.value(self.high)}"
        if math.isinf(self.high):
            return f"{name} > {style.value(self.low)}"
        return style.between.format(name=name, low=style.value(self.low), high=style.value(self.high))


@dataclass(frozen=True)
class During(Term):
    """The date or time lies in a span: start <= t < end, where either may be infinite.

    The ends are numbers of the column, whose derivation writes them as dates.
    """

    start: float
    end: float

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        values = numeric_values(column)
        return np.asarray((values >= self.start) & (values < self.end))

    def ends(self) -> list[tuple[str, float]]:
        """Give the comparisons to make: an operator, and what to compare with."""
        ends = [] if math.isinf(self.start) else [(">=", self.start)]
        return ends + ([] if math.isinf(self.end) else [("<", self.end)])

    def _write(self, name: str, style: Style) -> str:
        if style.between is TEXT.between:
            first = "" if math.isinf(self.start) else f"{style.value(self.start)} <= "
            last = "" if math.isinf(self.end) else f" < {style.value(self.end)}"
            if first and not last:
                return f"{name} >= {style.value(self.start)}"
            return f"{first}{name}{last}" if first or last else name + style.known
        assert self.of is not None
        moment = self.of.stamp if style is PYTHON else self.of.literal
        ends = (f"{name} {operator} {style.value(moment(end))}" for operator, end in self.ends())
        return style.both.join(ends) or name + style.known


@dataclass(frozen=True)
class Has(Term):
    """The text has what its derivation asks for, or it has not; `column` says it in words."""

    present: bool

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        return np.asarray(column.values == int(self.present))

    def _write(self, name: str, style: Style) -> str:
        assert self.of is not None
        if not style.lacks:
            return self.of.show(self.present)
        return name if self.present else style.lacks.format(name=name, source=style.name(self.of.source))


@dataclass(frozen=True)
class IsMissing(Term):
    """The column has no value.

    Examples
    --------
    >>> print(IsMissing("age"))
    age is missing
    """

    def _holds(self, column: Column) -> NDArray[np.bool_]:
        return column.missing

    def _write(self, name: str, style: Style) -> str:
        if self.of is not None:  # whether a part is known is a question to the whole
            name = style.name(self.of.source)
        return name + style.missing


@dataclass(frozen=True)
class Rule:
    """If all terms hold, then the outcome, a class; a rule without terms always holds.

    Examples
    --------
    >>> print(Rule((Equals("outlook", "sunny"), Above("humidity", 75.0)), "no"))
    if outlook = sunny and humidity > 75 then no
    """

    terms: tuple[Term, ...]
    outcome: Hashable

    def holds(self, columns: Columns) -> NDArray[np.bool_]:
        """Say for each case whether all terms hold."""
        first = next(iter(columns.values() if isinstance(columns, Mapping) else columns), None)
        if first is None:
            raise InputError("at least one column", "none")
        truth = np.ones(len(first), dtype=bool)
        for term in self.terms:
            truth &= term.holds(columns)
        return truth

    def to_text(self) -> str:
        """Write the rule for people."""
        conditions = " and ".join(term.to_text() for term in self.terms)
        return f"if {conditions} then {self.outcome}" if self.terms else f"always {self.outcome}"

    def to_sql(self) -> str:
        """Write the conditions as the text of a WHERE clause."""
        return " AND ".join(term.to_sql() for term in self.terms) or "TRUE"

    def __str__(self) -> str:
        return self.to_text()


def find_column(columns: Columns, name: str) -> Column:
    """Find a column by its name."""
    named = columns if isinstance(columns, Mapping) else {column.name: column for column in columns}
    if name not in named:
        raise InputError(f"a column called {show(name)}", f"the columns {show(list(named))}")
    return named[name]


def _equal(column: Column, value: Any) -> NDArray[np.bool_]:
    if column.categories is None:
        if not isinstance(value, numbers.Real):
            raise InputTypeError(
                f"a number to compare with the numeric column {show(column.name)}",
                show(value),
                "read the column as nominal: categorical_features=[...]",
            )
        return np.asarray(column.values == float(value))
    return np.asarray(column.values == category_code(column, value))


def category_code(column: Column, value: Hashable) -> int:
    """Give the code of a value of a nominal column; -2, which no case has, if the column lacks the value."""
    if column.categories is None:
        raise InputTypeError(
            f"a nominal column {show(column.name)} to look for the value {show(value)}",
            "a numeric one",
            "read it as nominal: categorical_features=[...]",
        )
    return column.categories.index(value) if value in column.categories else -2


def numeric_values(column: Column) -> NDArray[np.float64]:
    """Give the numbers of a numeric column; a nominal one is an error."""
    if column.categories is not None:
        raise InputTypeError(
            f"a numeric column {show(column.name)} to compare with a cut",
            f"a nominal one with the values {show(column.categories)}",
        )
    return column.values


def _check_values(values: tuple[Hashable, ...]) -> None:
    if not values:
        raise InputError("at least one value", "none")
    if len(set(values)) < len(values):
        raise InputError("different values", show(values))
    if any(is_missing(value) for value in values):
        raise InputError("a value to compare with", show(values), "use IsMissing to ask for missing values")


def _check_cut(cut: float, column: str) -> None:
    _check_number(cut, column)
    if math.isinf(cut):
        raise InputError(f"a finite cut for {show(column)}", show(cut), "Within may have infinite ends")


def _check_number(value: Any, column: str) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or math.isnan(value):
        raise InputError(f"a number to compare {show(column)} with", show(value))


@dataclass(frozen=True)
class Style:
    """How names, values and operators are written."""

    name: Callable[[str], str]
    value: Callable[[object], str]
    equal: str
    unequal: str
    one_of: str
    between: str
    missing: str
    known: str
    both: str = ""
    lacks: str = ""
    # what else than the text of a file its reader may have made of a value
    readings: Callable[[object], Sequence[object]] = lambda value: ()

    def write_one_of(self, name: str, values: Sequence[object]) -> str:
        """Write that a column has one of some values, however it was read."""
        read = [other for value in values for other in self.readings(value)]
        listed = ", ".join(map(self.value, [*values, *read]))
        return name + ".astype(object)" * bool(read) + self.one_of.format(listed)


def sql_identifier(name: str) -> str:
    """Quote the name of a column: standard SQL's double quotes, doubled inside."""
    return '"' + _without_null(name).replace('"', '""') + '"'


def sql_literal(value: object) -> str:
    """Write a text, number or truth value as a literal of standard SQL."""
    if isinstance(value, str):
        return "'" + _without_null(value).replace("'", "''") + "'"
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return plain_value(float(value))
    raise InputTypeError("a text, a finite number or a truth value for SQL", show(value))


def _without_null(text: str) -> str:
    # many SQL engines end a text at its first NUL, which would cut the closing quote off
    if "\0" in text:
        raise InputError("text without NUL characters for SQL", show(text))
    return text


def _python_literal(value: object) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    return repr(plain).removesuffix(".0") if isinstance(plain, float) else repr(plain)


def _read_by_pandas(value: object) -> Sequence[object]:
    """Give what pandas makes of some texts of a CSV file: a truth value of true, the number 99 of 00099."""
    if not isinstance(value, str):
        return ()
    if value in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return (value.lower() == "true",)
    try:
        number = int(value) if value.isdecimal() else float(value)
    except ValueError:
        return ()
    return (number,) if abs(number) < math.inf else ()


TEXT = Style(
    name=str,
    value=plain_value,
    equal="=",
    unequal="{name} != {value}",
    one_of=" in {{{}}}",
    between="{low} < {name} <= {high}",
    missing=" is missing",
    known=" has a value",
)
SQL = Style(
    name=sql_identifier,
    value=sql_literal,
    equal="=",
    unequal="{name} <> {value}",
    one_of=" IN ({})",
    between="{name} > {low} AND {name} <= {high}",
    missing=" IS NULL",
    known=" IS NOT NULL",
    both=" AND ",
    lacks="NOT ({name})",
)
# each comparison stands in brackets of its own
PYTHON = Style(
    name="df[{!r}]".format,
    value=_python_literal,
    equal="==",
    unequal="{name} != {value}) & ({name}.notna()",
    one_of=".isin([{}])",
    between="{name} > {low}) & ({name} <= {high}",
    missing=".isna()",
    known=".notna()",
    both=") & (",
    lacks="~{name}) & ({source}.notna()",
    readings=_read_by_pandas,
)
