"""Dates and times as attributes: read from ISO text or typed columns, cut at calendar units, said in words."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from math import isinf
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from fivefold.data.conditions import During, Equals, OneOf, Term, Within
from fivefold.errors import InputError, show
from fivefold.inputs.columns import Column, Derivation, FindCuts
from fivefold.inputs.frames import known_zone
from fivefold.inputs.labels import is_missing

Unit: TypeAlias = Literal["month", "weekday", "hour"]

# quantiles of dates: a change is dated to within a sixteenth of the rows
DATE_BINS = 8
# a cut moves to the start of a year, month or day that is nearer than this share of the way to the next cut
NEAR = 0.25
UNITS: tuple[Literal["Y", "M", "D", "h", "m", "s"], ...] = ("Y", "M", "D", "h", "m", "s")
SAMPLE = 5_000
DAY = 86_400_000_000
HOURS = (5.0, 11.0, 17.0)
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKEND = (6, 7)

_ZONE = r"Z|[+-]\d{2}(?::?\d{2})?"
_DAY = r"\d{4}-\d{2}-\d{2}"
_TIME = rf"{_DAY}[T ]\d{{2}}:\d{{2}}(?::\d{{2}}(?:[.,]\d{{1,9}})?)?"
_FORMS = {"day": rf"^{_DAY}$", "time": rf"^{_TIME}$", "zoned": rf"^{_TIME}(?:{_ZONE})$"}
_AMBIGUOUS = r"^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T,].*)?$"


def take_times(values: Any) -> pl.Series | None:
    """Give a column of dates or times of any library as one of polars; None for all else."""
    if isinstance(values, nw.Series):
        return _times_of_series(values) if isinstance(values.dtype, nw.Date | nw.Datetime) else None
    if values.dtype.kind == "M":
        unit = np.datetime_data(values.dtype)[0]
        times = pl.Series(values.astype("datetime64[us]"))
        return times.cast(pl.Date) if unit in "YMWD" else times
    return _times_of_objects(values.tolist())


def _times_of_series(values: nw.Series[Any]) -> pl.Series:
    if values.implementation.is_polars():
        return pl.Series(values.to_native())
    if values.implementation.is_pyarrow():
        return pl.Series(pl.from_arrow(values.to_native()))
    if isinstance(values.dtype, nw.Date):
        days = [None if is_missing(value) else value for value in values.to_list()]
        return pl.Series(days, dtype=pl.Date)
    zone: str | None = values.dtype.time_zone  # type: ignore[attr-defined]
    plain = values if zone is None else values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    times = pl.Series(plain.to_numpy().astype("datetime64[us]"))
    return times if zone is None else times.dt.replace_time_zone("UTC").dt.convert_time_zone(known_zone(zone))


def _times_of_objects(objects: list[Any]) -> pl.Series | None:
    known = [value for value in objects if not is_missing(value)]
    if not known or not all(isinstance(value, dt.date | np.datetime64) for value in known):
        return None
    cells = [None if is_missing(value) else value for value in objects]
    if all(isinstance(value, dt.date) and not isinstance(value, dt.datetime) for value in known):
        return pl.Series(cells, dtype=pl.Date)
    zoned = [getattr(value, "tzinfo", None) is not None for value in known]
    if any(zoned):
        if not all(zoned):
            return None
        cells = [value and value.astimezone(dt.UTC).replace(tzinfo=None) for value in cells]
    times = pl.Series(np.array(cells, dtype="datetime64[us]"))
    return times.dt.replace_time_zone("UTC") if any(zoned) else times


def of_times(source: str, times: pl.Series) -> Dates:
    """Describe a typed column."""
    zone = getattr(times.dtype, "time_zone", None)
    return Dates(source, times.dtype == pl.Date, False, zone or "")


def of_text(source: str, texts: pl.Series) -> Dates | str:
    """Recognise a column of ISO dates or times; give what else must be said of it, or nothing.

    All cells must have one form. Nothing is guessed: 03/04/2025 can be read in two ways.
    """
    sample = texts.gather_every(max(1, len(texts) // SAMPLE)).drop_nulls()
    if not len(sample):
        return ""
    if sample.str.contains(_AMBIGUOUS).all() and not sample.str.contains(f"^{_DAY}").any():
        ways = "can be read in two ways, day or month first (write 2025-03-15)"
        return f"text, for dates written like {sample[0]} {ways}"
    shares = {form: sample.str.contains(pattern).mean() for form, pattern in _FORMS.items()}
    if sum(shares.values()) < 0.5:  # type: ignore[arg-type]
        return ""
    known = texts.drop_nulls()
    form = max(shares, key=lambda form: float(shares[form]))  # type: ignore[arg-type]
    dates = _dates_of(source, form, known)
    odd = known.filter(~known.str.contains(_FORMS[form]) | _parse(known).is_null())
    if not len(odd):
        return dates
    return (
        f"text, for {len(odd):,} of {len(known):,} values are no dates like the others, "
        f"such as {show(odd[0], 30)}"
    )


def _dates_of(source: str, form: str, known: pl.Series) -> Dates:
    separator = "T" if form != "day" and known.str.contains("T", literal=True).all() else " "
    if form != "zoned":
        return Dates(source, form == "day", True, separator=separator)
    suffixes = known.str.extract(f"({_ZONE})$").unique().to_list()
    zone, suffix = ("", suffixes[0] or "") if len(suffixes) == 1 else ("UTC", "")
    return Dates(source, False, True, zone, separator, suffix)


def _parse(texts: pl.Series) -> pl.Series:
    """Read ISO text as microseconds, as written and whatever the zone; null where it is none."""
    different = texts.unique()
    if 2 * len(different) > len(texts):
        return _parse_each(texts)
    return texts.replace_strict(different, _parse_each(different), return_dtype=pl.Int64)


def _parse_each(texts: pl.Series) -> pl.Series:
    frame = (
        texts.alias("t")
        .to_frame()
        .select(
            pl.col("t").str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False).alias("day"),
            pl.col("t").str.contains(f"^{_DAY}$|^{_TIME}(?:{_ZONE})?$").alias("iso"),
            *(
                pl.col("t").str.slice(place, 2).cast(pl.Int64, strict=False).alias(unit)
                for unit, place in (("hour", 11), ("minute", 14))
            ),
            pl.col("t").str.extract(r":\d{2}:(\d{2})").cast(pl.Int64).alias("second"),
            pl.col("t").str.extract(r"[.,](\d{1,6})").alias("fraction"),
        )
    )
    # polars compares with null as null, which filters out
    right = (
        pl.col("iso")
        & (pl.col("hour").fill_null(0) < 24)
        & (pl.col("minute").fill_null(0) < 60)
        & (pl.col("second").fill_null(0) < 60)
    )
    fraction = pl.col("fraction").str.pad_end(6, "0").cast(pl.Int64).fill_null(0)
    seconds = sum(
        (pl.col(unit).fill_null(0) * size for unit, size in (("hour", 3600), ("minute", 60), ("second", 1))),
        start=pl.lit(0),
    )
    micros = pl.col("day").cast(pl.Int64) * DAY + seconds * 1_000_000 + fraction
    return frame.select(pl.when(right).then(micros).alias("t"))["t"]


def _shifts(texts: pl.Series) -> pl.Series:
    """Give how far the written clocks are ahead of UTC, in microseconds; 0 where nothing is said."""
    parts = texts.str.extract_groups(r"([+-])(\d{2}):?(\d{2})?$").struct.unnest()
    sign, hours, minutes = (parts.to_series(place) for place in range(3))
    written = texts.str.contains(r":\d{2}.*[+-]\d{2}(?::?\d{2})?$")
    size = hours.cast(pl.Int64, strict=False) * 60 + minutes.cast(pl.Int64, strict=False).fill_null(0)
    signed = pl.select(pl.when(sign == "-").then(-size).otherwise(size)).to_series() * 60_000_000
    return pl.select(pl.when(written).then(signed).otherwise(0)).to_series().fill_null(0)


@dataclass(frozen=True)
class Dates(Derivation):
    """A column of dates or times, as numbers of microseconds.

    day: Whether they are days, without a time.
    text: Whether the column is ISO text.
    zone: The time zone of the column, if it has one: the numbers are then of UTC.
    separator: What stands between day and time in a text.
    suffix: The zone that every text ends in: the numbers are then of its clock.
    """

    day: bool
    text: bool
    zone: str = ""
    separator: str = " "
    suffix: str = ""

    @property
    def name(self) -> str:
        """What the attribute is called: like the column."""
        return self.source

    def read(self, series: pl.Series, clock: pl.Series) -> Column:
        """Read a column, text or typed, whose clock on the wall is known."""
        if series.dtype != pl.String:
            numbers = self._of_typed(series)
        else:
            numbers = clock.to_physical()
            if self.zone or self.suffix:
                numbers = numbers - _shifts(series) + self._ahead
        values = numbers.cast(pl.Float64).fill_null(np.nan).to_numpy()
        return Column(self.name, "numeric", values, None, self)

    def _of_typed(self, series: pl.Series) -> pl.Series:
        if series.dtype == pl.Date:
            return series.cast(pl.Int64) * DAY
        return series.dt.cast_time_unit("us").to_physical() + self._ahead

    @property
    def _ahead(self) -> int:
        return int(_shifts(pl.Series([f"00:00{self.suffix}"]))[0])

    def clock(self, series: pl.Series) -> pl.Series:
        """Give what the calendar and the clock on the wall say."""
        if series.dtype == pl.String:
            return _parse(series).cast(pl.Datetime("us"))
        if series.dtype == pl.Date:
            return series.cast(pl.Datetime("us"))
        return series.dt.cast_time_unit("us").dt.replace_time_zone(None)

    def parts(self, series: pl.Series) -> tuple[DatePart, ...]:
        """Give the parts of the calendar in which the dates vary."""
        clock = self.clock(series.gather_every(max(1, len(series) // SAMPLE))).drop_nulls()
        units: tuple[Unit, ...] = ("month", "weekday") if self.day else ("month", "weekday", "hour")
        return tuple(
            DatePart(self.source, unit, self) for unit in units if getattr(clock.dt, unit)().n_unique() > 1
        )

    def cut(self, n_bins: int | None, quantiles: FindCuts) -> NDArray[np.float64]:
        """Cut at quantiles, moved to the start of a year, month, day or hour where one is near."""
        ends = quantiles(n_bins or DATE_BINS)
        gaps = np.diff(ends) if ends.size > 1 else np.zeros(1)
        near = NEAR * np.minimum(np.append(gaps, gaps[-1]), np.insert(gaps, 0, gaps[0]))[: ends.size]
        starts = [self._start(end, room) for end, room in zip(ends.tolist(), near.tolist(), strict=True)]
        return np.nextafter(np.unique(starts), -np.inf)

    def _start(self, end: float, room: float) -> float:
        """Give the start of the largest unit within the room; else of the next day or second after the end."""
        wall, finest = self._wall(end), "D" if self.day else "s"
        for unit in UNITS[: UNITS.index(finest) + 1]:
            first = wall.astype(f"datetime64[{unit}]")
            for start in (first, first + 1):
                moved = self._instant(start)
                if abs(moved - end) <= room and moved > end - room:
                    return moved
        return self._instant(wall.astype(f"datetime64[{finest}]") + 1)

    def given(self, points: Any) -> NDArray[np.float64]:
        """Read the cuts that somebody gave: ISO text, dates or times, in ascending order."""
        if isinstance(points, str) or not hasattr(points, "__iter__"):
            points = [points]
        starts = np.array([self._point(point) for point in points], dtype=np.float64)
        if not starts.size or (np.diff(starts) <= 0).any():
            raise InputError(f"dates in ascending order as cut points of {show(self.source)}", show(points))
        return np.nextafter(starts, -np.inf)

    def _point(self, point: Any) -> float:
        texts = pl.Series([point.isoformat() if isinstance(point, dt.date) else str(point)], dtype=pl.String)
        texts = texts.str.slice(0, 29)
        micros = _parse(texts)[0]
        if micros is None:
            raise InputError(
                f"ISO dates as cut points of {show(self.source)}",
                show(point),
                "write 2025-03-15, or 2025-03-15T12:00",
            )
        if not texts.str.contains(_FORMS["zoned"])[0]:
            return self._instant(np.datetime64(micros, "us"))
        if not self.zone and not self.suffix:
            raise InputError(
                f"cut points without a time zone, like {show(self.source)}", show(point), "leave the zone out"
            )
        return float(micros - int(_shifts(texts)[0]) + self._ahead)

    def _wall(self, value: float) -> np.datetime64:
        """Give the time on the wall that a number means."""
        instant = np.datetime64(int(value), "us")
        if not self.zone or self.zone == "UTC":
            return instant
        aware = instant.astype(dt.datetime).replace(tzinfo=dt.UTC)
        return np.datetime64(aware.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None), "us")

    def _instant(self, wall: Any) -> float:
        """Give the number that a time on the wall means."""
        micros = wall.astype("datetime64[us]")
        if self.zone and self.zone != "UTC":
            aware = micros.astype(dt.datetime).replace(tzinfo=ZoneInfo(self.zone))
            micros = np.datetime64(aware.astimezone(dt.UTC).replace(tzinfo=None), "us")
        return float(micros.astype(np.int64))

    def show(self, value: object) -> str:
        """Write a date, and the time where it is not midnight."""
        text = _shortest(self._wall(value), " ")  # type: ignore[arg-type]
        return f"{text} {self.zone}" if self.zone else text

    def between(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Move cuts to just before the next microsecond: what lies after an end begins there."""
        return np.asarray(np.nextafter(np.floor(points) + 1, -np.inf))

    def literal(self, value: float) -> str:
        """Write what SQL compares the column with; for text, the beginning of one at that time."""
        if self.zone:
            return self._with_zone(value)
        return _shortest(self._wall(value), self.separator if self.text else " ", whole=not self.text)

    def stamp(self, value: float) -> str:
        """Write what pandas compares the column with."""
        if self.zone:
            return self._with_zone(value)
        if self.suffix:
            return f"{self._wall(value)}{self.suffix}"
        return _shortest(self._wall(value), " ", whole=True)

    def _with_zone(self, value: float) -> str:
        aware = np.datetime64(int(value), "us").astype(dt.datetime).replace(tzinfo=dt.UTC)
        return str(aware.astimezone(ZoneInfo(self.zone)).isoformat(" "))

    def sql(self, column: str) -> str:
        """Write the column; texts of several zones must be read as times first."""
        return f"CAST({column} AS TIMESTAMP WITH TIME ZONE)" if self.text and self.zone else column

    def python(self, column: str) -> str:
        """Write the column of a pandas frame; text, Python's dates and Arrow's must be read as times first."""
        return f"{column}.astype('datetime64[us{', UTC' if self.zone or self.suffix else ''}]')"

    def say(self, condition: object) -> str:
        """Say a span: from 15 March 2025 to 31 May 2025."""
        if not isinstance(condition, During):
            return ""
        start, end = condition.start, condition.end
        words = [] if isinf(start) else [f"from {self._said(start)}"]
        if not isinf(end):
            last = f"to {self._said(end - DAY)}" if self.day else f"to before {self._said(end)}"
            words.append(last if words else f"before {self._said(end)}")
        return f"{self.source} {' '.join(words)}" if words else ""

    def _said(self, value: float) -> str:
        wall = self._wall(value).astype(dt.datetime)
        if not isinstance(wall, dt.datetime):  # a year that Python's calendar does not have
            return self.show(value)
        time = _shortest(np.datetime64(wall, "us"), " ")[11:]
        zone = f" {self.zone}" if self.zone else ""
        return f"{wall.day} {MONTHS[wall.month - 1]} {wall.year}{' ' * bool(time)}{time}{zone}"


def _shortest(wall: np.datetime64, separator: str, *, whole: bool = False) -> str:
    """Write a time with no more than it takes: a midnight as its day, a full minute without seconds."""
    text = str(wall.astype("datetime64[us]")).replace("T", separator)
    text = text.rstrip("0").rstrip(".") if "." in text else text
    day, _, time = text.partition(separator)
    if time in ("00:00:00", ""):
        return day
    return text.removesuffix(":00") if not whole and time.count(":") == 2 and time.endswith(":00") else text


@dataclass(frozen=True)
class DatePart(Derivation):
    """The month, the day of the week or the hour of a date."""

    unit: Unit
    dates: Dates

    @property
    def name(self) -> str:
        """What the attribute is called."""
        return f"{self.unit} of {self.source}"

    def read(self, clock: pl.Series) -> Column:
        """Read it from the clock on the wall."""
        numbers = getattr(clock.dt, self.unit)()
        if self.unit == "hour":
            hours = numbers.cast(pl.Float64).fill_null(np.nan).to_numpy()
            return Column(self.name, "numeric", hours, None, self)
        codes = (numbers.cast(pl.Int8) - 1).fill_null(-1).to_numpy()
        return Column(self.name, "nominal", codes, tuple(range(1, 13 if self.unit == "month" else 8)), self)

    def cut(self, n_bins: int | None, quantiles: FindCuts) -> NDArray[np.float64]:
        """Cut the day into night, morning, afternoon and evening, unless a number of quantiles is asked for."""
        return np.array(HOURS) if n_bins is None else np.unique(np.floor(quantiles(n_bins)))

    def sql(self, column: str) -> str:
        """Take the part from a typed column, or from the place where it stands in a text."""
        if self.dates.text and self.unit != "weekday":
            return f"CAST(SUBSTR({column}, {6 if self.unit == 'month' else 12}, 2) AS INTEGER)"
        if self.dates.text:
            column = f"CAST(SUBSTR({column}, 1, 10) AS DATE)"
        elif self.dates.zone:  # by the clock of the column, not that of the session
            column = f"{column} AT TIME ZONE '{self.dates.zone}'"
        return f"EXTRACT({'ISODOW' if self.unit == 'weekday' else self.unit.upper()} FROM {column})"

    def python(self, column: str) -> str:
        """Take the part from a column of a pandas frame."""
        zone = f", {self.dates.zone}" if self.dates.zone and not self.dates.text else ""
        clock = f"{column}{'.str[:16]' if self.dates.text else ''}.astype('datetime64[us{zone}]')"
        return f"({clock}.dt.day_of_week + 1)" if self.unit == "weekday" else f"{clock}.dt.{self.unit}"

    def show(self, value: object) -> str:
        """Write the name of a month or of a day."""
        if self.unit == "hour":
            return super().show(value)
        return (MONTHS if self.unit == "month" else WEEKDAYS)[int(value) - 1]  # type: ignore[call-overload]

    def say(self, condition: object) -> str:
        """Say it as one does: on a Saturday, in March, from 6:00 to 11:59."""
        match condition:
            case OneOf(values=values) if values == WEEKEND:
                return f"{self.source} at the weekend"
            case Equals(value=value):
                return f"{self.source} {'in' if self.unit == 'month' else 'on a'} {self.show(value)}"
            case Within(low=low, high=high) if not isinf(low) or not isinf(high):
                first, last = 0 if isinf(low) else int(low) + 1, 23 if isinf(high) else int(high)
                return f"{self.source} from {first}:00 to {last}:59"
        return ""


def weekend(part: DatePart) -> Term:
    """Give the condition that a date is a Saturday or a Sunday."""
    return OneOf(part.name, WEEKEND, of=part)
