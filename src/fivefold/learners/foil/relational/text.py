"""A text in FOIL's format, read name by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from fivefold.errors import InputError, show

_PART = r"(?:\\.|\.(?=\d)|[^,\n|():.\\])"
_NAME = re.compile(f"{_PART}*", re.DOTALL)
_NAME_AT_LINE_START = re.compile(rf"(?!\.){_PART}*", re.DOTALL)


class Text:
    """A text and a place in it: a backslash takes the next character as it is, ``|`` starts a comment."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text if text.endswith("\n") else text + "\n"
        self.place = 0
        self.token = 0
        self.source = source

    def problem(self, expected: str, got: str, hint: str | None = None) -> InputError:
        """Say what is wrong with the latest name that was read, and where it stands."""
        line = self.text.count("\n", 0, self.token) + 1
        return InputError(expected, f"{got} in line {line} of {self.source}", hint)

    @contextmanager
    def at(self, token: int) -> Iterator[None]:
        """Add the line in which something starts to an error about it as a whole."""
        try:
            yield
        except InputError as problem:
            self.token = token
            raise self.problem(problem.expected, problem.got, problem.hint) from None

    def skip_line(self) -> None:
        """Go to the next line."""
        self.place = self.text.find("\n", self.place) + 1 or len(self.text)

    def skip_space(self) -> None:
        """Go to the next character of the line that means something."""
        while self.peek() in (" ", "\t", "|"):
            self.place = self.text.find("\n", self.place) if self.peek() == "|" else self.place + 1

    def skip_blank_lines(self) -> None:
        """Go to the next line that has something, or to the end."""
        self.skip_space()
        while self.peek() == "\n":
            self.place += 1
            self.skip_space()
        self.token = self.place

    def at_end(self) -> bool:
        """Tell whether nothing is left."""
        return self.place >= len(self.text)

    def peek(self) -> str:
        """Give the next character without going on; nothing at the end."""
        return self.text[self.place : self.place + 1]

    def line(self) -> str:
        """Give the rest of the line without its comment and without going on."""
        return self.text[self.place : self.text.find("\n", self.place)].split("|")[0].strip()

    def name(self) -> tuple[str, str]:
        """Read a name; give it and the character that ended it. Spaces within it count as one."""
        starts_line = self.text[self.place - 1 : self.place] in ("", "\n")
        self.skip_space()
        self.token = self.place
        found = (_NAME_AT_LINE_START if starts_line else _NAME).match(self.text, self.place)
        raw = found.group() if found else ""
        self.place += len(raw)
        if self.peek() == "|":
            self.skip_space()
        end = self.peek()
        self.place += 1
        return re.sub(" +", " ", re.sub(r"\\(.)", r"\1", raw, flags=re.DOTALL)).strip(), end

    def end_line(self, what: str) -> None:
        """Go to the next line; only a comment may be left of this one."""
        left = self.line()
        if left:
            self.token = self.place
            raise self.problem(f"nothing after {what}", show(left))
        self.skip_line()
