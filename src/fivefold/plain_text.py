"""Text that may leave for a terminal: nothing from data steers it, and every encoding can write it."""

from __future__ import annotations

import codecs
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

_UNUSUAL = re.compile(r"[^\x20-\x7e\n\t]")
# Joiners build emoji and letters of several scripts; the other format characters have no place in a name.
_JOINERS = "\u200c\u200d"


def visible(text: str) -> str:
    r"""Show characters that would hide, steer a terminal, or turn the direction of what follows, as their code.

    Examples
    --------
    >>> visible("a\u202eb\x1b[2J"), visible("naïve 🌲")
    ('a⟨U+202E⟩b⟨U+001B⟩[2J', 'naïve 🌲')
    """
    return _UNUSUAL.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    letter = match[0]
    return f"⟨U+{ord(letter):04X}⟩" if _hides(letter) else letter


def _hides(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cf", "Cs"} and letter not in _JOINERS


def counted(number: int, noun: str) -> str:
    """Say how many there are: 1 case, 2,000 classes."""
    many = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else many}"


def listed(names: Sequence[str], shown: int = sys.maxsize) -> str:
    """Write names one after the other, of many the first and how many more there are.

    Examples
    --------
    >>> listed("a"), listed("abc"), listed("abcd", 2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    rest = [f"{len(names) - shown} more"] if len(names) > shown else []
    *first, last = [*names[:shown], *rest]
    return f"{', '.join(first)} and {last}" if first else last


def plain_json(text: str, encoding: str | None = None) -> str:
    r"""Escape in JSON, as JSON does, what a terminal obeys and what an encoding does not have.

    Examples
    --------
    >>> plain_json('["\x9b é"]'), plain_json('["é"]', "ascii")
    ('["\\u009b é"]', '["\\u00e9"]')
    """
    return _UNUSUAL.sub(
        lambda match: (
            json.dumps(match[0])[1:-1] if _hides(match[0]) or not _writable(match[0], encoding) else match[0]
        ),
        text,
    )


def _writable(text: str, encoding: str | None) -> bool:
    if encoding is None:
        return True
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


_SUBSTITUTES = str.maketrans(
    {
        "•": "*", "·": "*", "−": "-", "–": "-", "—": "-", "…": "...", "±": "+-", "×": "x", "≤": "<=", "≥": ">=",
        "≠": "!=", "≈": "~", "∞": "inf", "→": "->", "⟨": "<", "⟩": ">", "“": '"', "”": '"', "‘": "'", "’": "'",
        "\N{NO-BREAK SPACE}": " ", "²": "^2", "√": "sqrt", "━": "-", "─": "-", "│": "|",
    }
)  # fmt: skip
_HANDLER = "fivefold.substitute"


def _substitute(problem: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    letters = problem.object[problem.start : problem.end].translate(_SUBSTITUTES)
    return letters.encode("ascii", "backslashreplace").decode("ascii"), problem.end


codecs.register_error(_HANDLER, _substitute)


def writable(text: str, encoding: str | None) -> str:
    r"""Put plain substitutes in place of what an encoding does not have, and codes where there are none.

    Examples
    --------
    >>> writable("• −3 ± 1 … 猫", "latin-1")
    '* -3 ± 1 ... \\u732b'
    """
    if encoding is None or _writable(text, encoding):
        return text
    return text.encode(encoding, _HANDLER).decode(encoding)


class PlainStream:
    """A stream that lets no escape sequence through and meets no text that it cannot write.

    What draws on the terminal itself, and has made the texts visible before, writes to `styled`.
    """

    def __init__(self, stream: TextIO, *, lets_styles_through: bool = False) -> None:
        self._stream = stream
        self._lets_styles_through = lets_styles_through

    @property
    def styled(self) -> PlainStream:
        """The same stream for text whose escape sequences are our own."""
        return PlainStream(self._stream, lets_styles_through=True)

    def write(self, text: str) -> int:
        """Write a text; as other streams do, give its length."""
        shown = text if self._lets_styles_through else visible(text)
        self._stream.write(writable(shown, getattr(self._stream, "encoding", None)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after the other."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # who finds it writes past this stream
            raise AttributeError(name)
        return getattr(self._stream, name)


def styled(stream: Any) -> Any:
    """Give the stream on which escape sequences of our own are obeyed."""
    return stream.styled if isinstance(stream, PlainStream) else stream
