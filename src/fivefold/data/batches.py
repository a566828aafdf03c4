"""Batches: large files read piece by piece into compact columns, so that they may be larger than memory."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fivefold.data.csv_text import as_numbers, first_record, read_csv_text
from fivefold.data.locations import free_memory, too_large
from fivefold.errors import InputError
from fivefold.inputs import few_numbers
from fivefold.progress import part

# smaller files are read at once
PIECE = 1 << 24
ROWS = 1 << 18
_SAMPLE = 1 << 16
_CACHED = 1 << 17
# one byte a row numbers so many different texts
FEW_TEXTS = 255
# beyond, whole numbers are no exact floats
_EXACT = 1 << 53
_DATE = re.compile(r"\s*\d{4}[-/.]\d|\s*\d{1,2}[-/.]\d{1,2}[-/.]\d{4}")


class NotNumbersError(Exception):
    """Columns that were taken for numbers hold something else."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__()
        self.names = set(names)


class Compact:
    """A column that grows piece by piece: texts, and on request numbers, are numbered while few are different.

    Examples
    --------
    >>> column = Compact()
    >>> column.add(pl.Series(["red", "blue"]))
    >>> column.add(pl.Series(["red", None]))
    >>> column.finish("colour").to_physical().to_list()
    [1, 0, 1, None]
    """

    def __init__(self, few_numbers: bool = False, n_rows: int = 0) -> None:
        self.pieces: list[pl.Series] = []
        # numbers of texts and numbers have room here where the rows are known beforehand: it need not move later
        self.n_rows, self.room, self.filled = n_rows, np.empty(0, dtype=np.uint8), 0
        # both None where the pieces are what they are
        self.texts: list[str] | None = None
        self.levels: NDArray[np.float64] | None = np.empty(0) if few_numbers else None
        self.dtype: pl.DataType = pl.Null()

    def add(self, values: pl.Series) -> None:
        """Append a piece."""
        if not self.pieces and not self.filled:
            self.dtype = values.dtype
            self.texts = [] if self.dtype == pl.String else None
            self.levels = self.levels if self.dtype.is_float() or self.dtype.is_integer() else None
            if self.texts is not None or self.levels is not None:
                self.room = np.empty(self.n_rows, dtype=np.uint16 if self.texts is None else np.uint8)
        if self.texts is not None:
            values = self._number(values, self.texts)
        elif self.levels is not None:
            values = self._place(values, self.levels)
        end = self.filled + len(values)
        if end > self.room.size or values.null_count():
            self._leave_room()
            self.pieces.append(values)
        else:
            self.room[self.filled : end], self.filled = values.to_numpy(), end

    def _leave_room(self) -> None:
        if self.filled:
            self.pieces.append(pl.Series(self.room[: self.filled]))
        self.room, self.filled = np.empty(0, dtype=np.uint8), 0

    def _place(self, values: pl.Series, levels: NDArray[np.float64]) -> pl.Series:
        """Number numbers; give up where they are many, no exact floats, or NaN, which stands for null here."""
        floats = values.cast(pl.Float64)
        if not floats.is_nan().any() and (self.dtype.is_float() or (floats.abs() < _EXACT).all()):
            more, codes = few_numbers.number_more(levels, floats.to_numpy())
            if len(more) <= few_numbers.MOST_NUMBERS:
                self.levels = more
                return pl.Series(codes.astype(np.uint16))
        self._leave_room()
        different = self.different()
        self.pieces = [different.gather(piece) for piece in self.pieces]
        self.levels = None
        return values

    def different(self) -> pl.Series:
        """Give the different numbers in the order of their places."""
        return pl.Series(self.levels, dtype=pl.Float64).fill_nan(None).cast(self.dtype)

    def _number(self, values: pl.Series, texts: list[str]) -> pl.Series:
        coded = values.cast(pl.Enum(texts), strict=False)
        if coded.null_count() > values.null_count():
            new = values.filter(coded.is_null()).unique().drop_nulls()
            if len(texts) + len(new) > FEW_TEXTS:
                self._leave_room()
                self.pieces = [pl.Series(texts, dtype=pl.String).gather(piece) for piece in self.pieces]
                self.texts = None
                return values
            texts += new.sort().to_list()
            coded = values.cast(pl.Enum(texts))
        return coded.to_physical().cast(pl.UInt8)

    def finish(self, name: str) -> pl.Series:
        """Give the whole column and let go of the pieces: few texts as an Enum in their order, dates as texts."""
        self._leave_room()
        # in one piece: numpy then reads numbers where they are
        whole = pl.concat(self.pieces, rechunk=True) if len(self.pieces) > 1 else self.pieces[0]
        self.pieces = []
        if self.texts is not None:
            plain = not self.texts or any(map(_DATE.match, self.texts))
            dtype = pl.String if plain else pl.Enum(sorted(self.texts))
            whole = pl.Series(self.texts or [None], dtype=dtype).gather(whole)
        elif self.levels is not None:
            whole = whole.cast(pl.UInt8) if len(self.levels) <= FEW_TEXTS else whole
        elif whole.dtype.is_integer():
            whole = whole.shrink_dtype()
        return whole.alias(name)


def read_csv_pieces(
    path: Path,
    where: str,
    separator: str | None,
    missing: Sequence[str],
    kinds_of: Callable[[Sequence[str]], Mapping[str, str]],
    few: bool = False,
) -> pl.DataFrame | few_numbers.CompactFrame:
    """Read a CSV file of several columns: numbers as Float64, few texts as an Enum, others as String.

    `kinds_of` takes the header and says which columns are nominal; these stay text. On request, few different
    numbers are kept as places.
    """
    with path.open("rb") as file:
        header, separator, skipped = first_record(file.read(PIECE), where, separator)
        file.seek(skipped)
        sample = file.read(min(PIECE, _SAMPLE))
    texts = {name for name, kind in kinds_of(header).items() if kind == "nominal"}
    try:
        _Layout(header, separator, list(missing), texts).read(sample[: sample.rfind(b"\n")], where)
    except NotNumbersError as found:
        texts |= found.names
    except InputError:
        pass  # what is wrong there is told below, with its line
    while True:
        try:
            layout = _Layout(header, separator, list(missing), texts)
            return _read_csv(path, where, layout, skipped, few)
        except NotNumbersError as found:
            texts |= found.names


class _Layout:
    """What is known of a CSV file before its rows are read."""

    def __init__(self, header: list[str], separator: str, missing: list[str], texts: set[str]) -> None:
        self.header, self.separator, self.missing = header, separator, missing
        self.types = {name: pl.String if name in texts else pl.Float64 for name in header}
        self.numbers = [name for name in header if name not in texts]

    def read(self, piece: bytes, where: str) -> pl.DataFrame:
        """Read whole lines."""
        frame = None if b'"' in piece else self._read_typed(piece)
        if frame is not None:
            return frame
        head = self.separator.join(f'"{name.replace(chr(34), 2 * chr(34))}"' for name in self.header)
        texts, _ = read_csv_text(head.encode() + b"\n" + piece, where, self.separator)
        texts = texts.with_columns(pl.all().replace(self.missing, None))
        numbers, fits = as_numbers(texts.select(self.numbers))
        if not all(fits.values()):
            raise NotNumbersError(name for name, fit in fits.items() if not fit)
        return texts.with_columns(numbers)

    def _read_typed(self, piece: bytes) -> pl.DataFrame | None:
        try:
            frame = pl.read_csv(
                io.BytesIO(piece),
                has_header=False,
                schema=self.types,
                separator=self.separator,
                quote_char=None,
                null_values=self.missing,
            )
        except pl.exceptions.PolarsError:
            return None
        # polars fills up a short line: count the separators where one may be
        whole = not frame[:, -1].null_count() or (
            piece.count(self.separator.encode()) == (frame.width - 1) * frame.height
        )
        finite = frame.select(pl.col(self.numbers).is_finite().all()).row(0) if self.numbers else ()
        return frame if whole and all(finite) and not self._loses_zeros(piece) else None

    def _loses_zeros(self, piece: bytes) -> bool:
        """Whether a cell among the numbers has a digit behind a first zero, as codes have."""
        data, separator = np.frombuffer(b"\n" + piece, dtype=np.uint8), ord(self.separator)
        zeros = []
        for start in range(0, data.size, _CACHED):  # many times faster than all at once
            near = data[start : start + _CACHED + 2]
            before, zero, digit = near[:-2], near[1:-1] == ord("0"), near[2:] - ord("0") < 10
            begins = (before <= ord(" ")) | (before == separator)
            zeros.append(np.flatnonzero(begins & zero & digit) + start)
        places = np.concatenate(zeros)
        if not places.size:
            return False
        ends = np.flatnonzero((data == separator) | (data == ord("\n")))
        cells = np.unique((np.searchsorted(ends, places, side="right") - 1) % len(self.header))
        return any(self.header[cell] in self.numbers for cell in cells)


def _read_csv(
    path: Path, where: str, layout: _Layout, skipped: int, few: bool
) -> pl.DataFrame | few_numbers.CompactFrame:
    columns = {name: Compact(few) for name in layout.header}
    size, done, line = path.stat().st_size, skipped, 1
    with part(total=size) as step:
        for piece in _pieces(path, skipped):
            frame = layout.read(piece, f"{where}, counted from row {line}" if line > 1 else where)
            for name, column in columns.items():
                column.add(frame[name])
            done += len(piece)
            line += frame.height
            _check_room(columns.values(), size / max(done, 1) - 1, where)
            step.advance(len(piece))
    return _put_together(columns)


def _put_together(columns: Mapping[str, Compact]) -> pl.DataFrame | few_numbers.CompactFrame:
    frame = pl.DataFrame([column.finish(name) for name, column in columns.items()])
    numbers = {name: column.different() for name, column in columns.items() if column.levels is not None}
    return few_numbers.CompactFrame(frame, numbers) if numbers else frame


def _check_room(columns: Collection[Compact], more: float, where: str) -> None:
    """Refuse what will not fit before the system ends the process for it: so much more as is here now.

    While the pieces of columns are put together, they take their room twice.
    """
    held = sum(piece.estimated_size() for column in columns for piece in column.pieces)
    held += sum(column.room[: column.filled].nbytes for column in columns)
    if (1 + 2 * more) * held + 4 * PIECE > free_memory():
        raise too_large(where, 2 * (1 + more) * held)


def _pieces(path: Path, skipped: int) -> Iterator[bytes]:
    """Give the lines below the header, many at a time; a line break in quotes ends none.

    Blank lines at the end of a piece wait for the next one: at the end of the file they hold no row.
    """
    waiting = b""
    with path.open("rb") as file:
        file.seek(skipped)
        while block := file.read(PIECE):
            block = waiting + block + file.readline()
            while b'"' in block and block.count(b'"') % 2 and (line := file.readline()):
                block += line
            piece = block.rstrip(b"\r\n")
            end = block.find(b"\n", len(piece)) + 1 or len(block)
            waiting = block[end:] if piece else block
            if piece:
                yield piece


def compact_texts(
    frames: Iterable[pl.DataFrame], where: str, n_rows: int, few: bool = False
) -> pl.DataFrame | few_numbers.CompactFrame:
    """Put frames of the same columns below each other, few texts as an Enum, few numbers on request as places."""
    columns: dict[str, Compact] = {}
    done = 0
    with part(total=n_rows) as step:
        for frame in frames:
            for series in frame:
                columns.setdefault(series.name, Compact(few, n_rows)).add(series)
            done += frame.height
            _check_room(columns.values(), n_rows / max(done, 1) - 1, where)
            step.advance(frame.height)
    if not columns:
        raise InputError("at least one row", f"none in {where}", "check the file")
    return _put_together(columns)
