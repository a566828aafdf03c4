"""Locations: what a name given for a file stands for, and the bytes that are there."""

from __future__ import annotations

import bz2
import glob
import gzip
import io
import lzma
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeAlias
from urllib.parse import urlsplit

from fivefold.errors import DamagedFileError, InputError, InputTypeError, show
from fivefold.inputs.options import instance_of

Names: TypeAlias = str | PathLike[str] | Iterable[str | PathLike[str]]

STANDARD_INPUT = "-"
FORMATS = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".data"), "csv"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".arff": "arff",
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "json"),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods"), "excel"),
}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PACKED = {".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"}
_PIECE = 1 << 24


@dataclass(frozen=True)
class Location:
    """One file to read: on this machine, at an address, or standard input.

    given: What the user wrote, or what a pattern stood for.
    sheet: The sheet of a workbook, written ``book.xlsx#sheet``.
    """

    given: str
    sheet: str | None = None
    _open: Callable[[], IO[bytes]] | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return "standard input" if self.given == STANDARD_INPUT else self._parts().name

    @property
    def stem(self) -> str:
        """Its name without folder and endings."""
        return "standard-input" if self.given == STANDARD_INPUT else self._parts().name.split(".")[0]

    @property
    def is_local(self) -> bool:
        """Whether it is a path on this machine."""
        return self._open is None and self.given != STANDARD_INPUT

    @property
    def path(self) -> Path | None:
        """Its place on this machine, if it is a plain file there."""
        path = Path(self.given)
        return path if self.is_local and path.is_file() else None

    @property
    def format(self) -> str | None:
        """Say by its ending, or by its first bytes where it has no name, what kind of file it is."""
        if self.given != STANDARD_INPUT:
            parts = self._parts()
            ending = parts.with_suffix("").suffix if parts.suffix.lower() in _PACKED else parts.suffix
            known = FORMATS.get(ending.lower())
            if known or self.path is not None:
                return known
        return _format_of(self.data)

    def _parts(self) -> PurePosixPath | Path:
        if _ADDRESS.match(self.given):
            return PurePosixPath(urlsplit(self.given).path or self.given)
        return Path(self.given)

    @cached_property
    def data(self) -> bytes:
        """Its bytes, unpacked where they are packed."""
        if self.given == STANDARD_INPUT:
            if sys.stdin is None or sys.stdin.isatty():
                hint = "pipe a file into the command: `… | fivefold`"
                raise InputError("rows on standard input", "nothing", hint)
            packed = sys.stdin.buffer.read()
        elif self._open is not None:
            with _reaching(self.given), self._open() as file:
                packed = file.read()
        else:
            packed = Path(self.given).read_bytes()
        return _unpacked(packed, self.name)

    @property
    def is_packed(self) -> bool:
        """Whether the bytes of a plain file on this machine must be unpacked."""
        return any(mark.match(self.start(16)) for mark, *_ in _PACKERS)

    def start(self, n_bytes: int) -> bytes:
        """Give the first bytes of a plain file on this machine, without reading all of it."""
        if self.path is None:
            return b""
        with self.path.open("rb") as file:
            return file.read(n_bytes)


def locate(names: Names) -> list[Location]:
    """Find out what names stand for: paths, patterns such as ``runs/*.csv``, addresses, ``-`` for standard input.

    Examples
    --------
    >>> [(location.name, location.format) for location in locate(["a/first.csv", "b/second.parquet.zst"])]
    [('first.csv', 'csv'), ('second.parquet.zst', 'parquet')]
    """
    given: Any = [names] if isinstance(names, str | PathLike) else names
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise InputTypeError("a path to a file, or several", f"{show(names)} ({type(names).__name__})")
    locations = [location for name in given for location in _located(_as_text(name))]
    if not locations:
        raise InputError("at least one file", "none")
    _check_no_file_twice(locations)
    return locations


def _check_no_file_twice(locations: list[Location]) -> None:
    """Refuse what a pattern and a name beside it easily do: count all cases of a file double."""
    seen = set()
    for location in locations:
        place = (str(location.path.resolve()) if location.path else location.given), location.sheet
        if place in seen:
            raise InputError(
                "each file once", f"{show(location.given)} twice", "its cases would count double"
            )
        seen.add(place)


def _as_text(name: Any) -> str:
    instance_of(name, (str, PathLike), "a path to a file")
    text = fspath(name)
    if not isinstance(text, str) or "\0" in text or not text:
        raise InputError("a path to a file", show(text))
    return text


def _located(name: str) -> list[Location]:
    if name == STANDARD_INPUT:
        return [Location(name)]
    if _ADDRESS.match(name):
        return _remote(name)
    path = Path(name)
    if path.is_dir():
        raise InputError("a file", f"the folder {show(name)}", f"name a file in it, or {str(path / '*')!r}")
    if path.exists():
        return [Location(name)]
    if glob.has_magic(name):
        # Path.glob knows no pattern that begins at the root or at the home of a user
        matches = glob.glob(str(path.expanduser()), recursive=True)  # noqa: PTH207
        if matches := sorted(match for match in matches if not Path(match).is_dir()):
            return [Location(match) for match in matches]
        raise InputError(f"files that match {show(name)}", "none", "check the pattern and the folder")
    book, mark, sheet = name.rpartition("#")
    if mark and Path(book).is_file():
        return [Location(book, sheet)]
    return [Location(name)]


def _remote(address: str) -> list[Location]:
    try:
        import fsspec
        from fsspec.core import url_to_fs
    except ImportError:
        hint = f"pip install {_packages(address)}"
        raise InputError("fsspec, which opens addresses", f"{show(address)} without it", hint) from None
    with _reaching(address):
        system, path = url_to_fs(address)
        if not glob.has_magic(path):
            return [Location(address, _open=lambda: fsspec.open(address, "rb").open())]
        matches = sorted(system.glob(path))
    if not matches:
        raise InputError(f"files that match {show(address)}", "none", "check the pattern")
    return [
        Location(system.unstrip_protocol(match), _open=lambda match=match: system.open(match, "rb"))  # type: ignore[misc]
        for match in matches
    ]


def _packages(address: str) -> str:
    """Name what fsspec needs for an address."""
    helpers = {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "http": "aiohttp", "https": "aiohttp"}
    helpers |= {"abfs": "adlfs", "az": "adlfs", "hf": "huggingface_hub", "sftp": "paramiko"}
    helper = helpers.get(address.split("://", 1)[0].lower(), "")
    return f"fsspec {helper}".strip()


@contextmanager
def _reaching(address: str) -> Iterator[None]:
    """Say in our own words what goes wrong at an address."""
    try:
        yield
    except ImportError as problem:
        raise InputError(
            f"what opens {show(address)}", str(problem), f"pip install {_packages(address)}"
        ) from None
    except MemoryError:
        raise
    except Exception as problem:  # every kind of storage has errors of its own
        reason = str(problem) or type(problem).__name__
        raise InputError(
            f"a file at {show(address)}", reason, "check the address, the network and your rights"
        ) from problem


def _format_of(data: bytes) -> str | None:
    if data.startswith(b"PAR1"):
        return "parquet"
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return "excel"
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    return "arff" if start.startswith(b"%") or start[:9].lower() == b"@relation" else "csv"


def _open_zstd(file: IO[bytes]) -> Any:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdFile

        return ZstdFile(file)
    try:
        from backports.zstd import ZstdFile
    except ImportError:
        pass
    else:
        return ZstdFile(file)
    try:
        from pyarrow import CompressedInputStream
    except ImportError:
        raise InputError(
            "backports.zstd, which unpacks zstd", "Python without it", "pip install backports.zstd"
        ) from None
    return CompressedInputStream(file, "zstd")


_PACKERS: list[tuple[re.Pattern[bytes], str, Callable[[IO[bytes]], Any]]] = [
    (re.compile(rb"\x1f\x8b"), "gzip", lambda file: gzip.GzipFile(fileobj=file)),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "zstd", _open_zstd),
    (re.compile(rb"BZh[1-9]1AY&SY"), "bzip2", bz2.BZ2File),
    (re.compile(rb"\xfd7zXZ\x00"), "xz", lzma.LZMAFile),
]
# and ZstdError, a class of an optional package
_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError)


def _unpacked(data: bytes, where: str) -> bytes:
    for mark, packer, opener in _PACKERS:
        if mark.match(data):
            room = free_memory() / 2  # for the text and what is made of it
            try:
                return _read_all(opener(io.BytesIO(data)), room, where)
            except Exception as problem:
                damaged = isinstance(problem, _DAMAGED) or type(problem).__name__ == "ZstdError"
                if isinstance(problem, InputError) or not damaged:
                    raise
                raise DamagedFileError(
                    f"a whole {packer} file at {where}", f"a damaged one ({problem})", "fetch it again"
                ) from problem
    return data


def _read_all(file: Any, room: float, where: str) -> bytes:
    pieces, size = [], 0
    while piece := file.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > room:
            raise too_large(where, size)
    return b"".join(pieces)


def too_large(where: str, size: float) -> InputError:
    """Say that something does not fit into memory."""
    return InputError(
        f"{where} to fit into the memory that is free ({free_memory() / 1e9:.1f} GB)",
        f"more than {size / 1e9:.1f} GB",
        "leave out columns that are not used, or work on a machine with more memory",
    )


def free_memory() -> float:
    """Give the bytes that this process may still take, infinity where nothing is known."""
    free = float("inf")
    for measure in (_free_on_machine, _free_in_container, _free_below_limit):
        try:
            free = min(free, measure())
        except (ImportError, OSError, ValueError, KeyError):  # another system
            continue
    return max(free, 0.0)


def _free_on_machine() -> float:
    facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text("ascii").splitlines())
    return int(facts["MemAvailable"].split()[0]) * 1024.0


def _free_in_container() -> float:
    group = Path("/sys/fs/cgroup")
    most = float((group / "memory.max").read_text("ascii").strip().replace("max", "inf"))
    facts = dict(line.split() for line in (group / "memory.stat").read_text("ascii").splitlines())
    # pages of files count as used but give way
    return most - int((group / "memory.current").read_text("ascii")) + int(facts["file"])


def _free_below_limit() -> float:
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    return float("inf") if most == resource.RLIM_INFINITY else float(most - pages * resource.getpagesize())
