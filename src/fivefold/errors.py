"""Errors that say what was expected, what came instead, and what to do about it."""

from __future__ import annotations

from fivefold.plain_text import visible


class FivefoldError(Exception):
    """Base of every error that Fivefold raises on purpose.

    Parameters
    ----------
    expected : str
        What the called function needs.
    got : str
        What it was given: the offending value and where it stood.
    hint : str, optional
        What the caller can do about it.

    Examples
    --------
    >>> print(InputError("one label for each case", "3 labels for 4 cases", "pass arrays of equal length"))
    expected one label for each case; got 3 labels for 4 cases. Hint: pass arrays of equal length.
    """

    exit_code = 1

    def __init__(self, expected: str, got: str, hint: str | None = None) -> None:
        super().__init__(expected, got, hint)
        self.expected = expected
        self.got = got
        self.hint = hint

    def __str__(self) -> str:
        hint = f" Hint: {self.hint}{'' if self.hint.endswith('?') else '.'}" if self.hint else ""
        return visible(f"expected {self.expected}; got {self.got}.{hint}")


class InputError(FivefoldError, ValueError):
    """A value that cannot be used; also a ``ValueError``, as scikit-learn's callers expect."""


class DamagedFileError(InputError):
    """A file of which something is gone or changed; the command line ends with 2."""

    exit_code = 2


class MissingFileError(InputError, FileNotFoundError):
    """A file that is not there; also a ``FileNotFoundError``."""

    def __str__(self) -> str:
        return FivefoldError.__str__(self)


class InputTypeError(FivefoldError, TypeError):
    """A value of a type that cannot be used; also a ``TypeError``."""


class DataUnavailableError(FivefoldError, LookupError):
    """A data set that is neither bundled, nor in a known folder, nor reachable over the network."""


def show(value: object, limit: int = 60) -> str:
    """Write an offending value into an error message, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
