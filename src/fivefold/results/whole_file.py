"""Write a file so that an interruption leaves either the old one or the new one, never half of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

from fivefold.errors import InputError, show


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
