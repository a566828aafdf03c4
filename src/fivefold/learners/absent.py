"""Methods that a kind of model does not have, although other learners do."""

from __future__ import annotations

from typing import Any


class Absent:
    """A method that is not there: ``hasattr`` says so, and calling it gives the reason.

    Parameters
    ----------
    reason : str
        Why there is no such method.

    Examples
    --------
    >>> class Picture:
    ...     to_text = Absent("a picture has no words")
    >>> hasattr(Picture(), "to_text")
    False
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__} has no {self.name}(): {self.reason}")
