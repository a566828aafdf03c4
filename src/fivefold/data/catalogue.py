"""What each known data set must look like, who made it, and where it comes from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from fivefold.errors import InputError, show

LICENCE = "CC BY 4.0 (UCI Machine Learning Repository)"


@dataclass(frozen=True, slots=True)
class SetDescription:
    """What a data set is and must look like.

    Parameters
    ----------
    code : str
        Its name for ``load``.
    title : str
        Its name for people.
    file : str
        The file that holds it in a folder of one's own (``FIVEFOLD_DATA``) and in the cache.
    rows, attributes : int
        The number of cases, and of columns beside the class.
    numeric : tuple of str
        The numeric attributes; all others are nominal.
    class_counts : mapping of str to int
        The classes and how many cases each has.
    missing : int
        The number of missing cells.
    creators : str
        Whom to name when using the data.
    uci : int
        The number of the data set in the UCI repository.
    openml : int or None
        The number of the same data at OpenML, sometimes under other value names.
    missing_by_attribute : mapping of str to int
        Missing cells of single attributes, where they are documented.
    note : str
        What to know before using it.
    licence : str
        The terms of use.

    Examples
    --------
    >>> describe("BC").title, round(describe("BC").default_accuracy, 3)
    ('Breast Cancer (Ljubljana)', 0.703)
    """

    code: str
    title: str
    file: str
    rows: int
    attributes: int
    class_counts: Mapping[str, int]
    missing: int
    creators: str
    uci: int
    openml: int | None = None
    numeric: tuple[str, ...] = ()
    missing_by_attribute: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    licence: str = LICENCE

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, sorted."""
        return tuple(sorted(self.class_counts))

    @property
    def default_accuracy(self) -> float:
        """The share of the largest class."""
        return max(self.class_counts.values()) / self.rows


def names() -> list[str]:
    """Give the codes of the data sets that ``load`` knows.

    Examples
    --------
    >>> names()[:4]
    ['BC', 'CH', 'G2', 'GL']
    """
    return list(_catalogue())


def describe(code: str) -> SetDescription:
    """Say what a data set is: its size, classes, missing cells, creators and licence.

    Examples
    --------
    >>> describe("MU").rows, describe("MU").missing_by_attribute
    (8124, {'stalk-root': 2480})
    """
    if not isinstance(code, str) or code not in _catalogue():
        raise InputError("the code of a known data set", show(code), f"one of {', '.join(_catalogue())}")
    return _catalogue()[code]


@cache
def _catalogue() -> Mapping[str, SetDescription]:
    sets = tomllib.loads((files("fivefold.data") / "sets" / "catalogue.toml").read_text("utf-8"))
    return {
        code: SetDescription(code, **{**facts, "numeric": tuple(facts.get("numeric", ()))})
        for code, facts in sets.items()
    }
