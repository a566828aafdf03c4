"""What each known data set must look like, who made it, and where it comes from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from fivefold.errors import InputError, show
from fivefold.inputs.options import close_names

_LISTS = ("numeric", "everyday")
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
    everyday : tuple of str
        What else people call it.
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
    everyday: tuple[str, ...] = ()
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

    Parameters
    ----------
    code : str
        One of :func:`names`, or what else people call it ("iris", "votes"); case does not matter.

    Examples
    --------
    >>> describe("MU").rows, describe("MU").missing_by_attribute
    (8124, {'stalk-root': 2480})
    """
    name = find_code(code) if isinstance(code, str) else None
    if name is None:
        close = close_names(code, known_names(), otherwise=f"one of {', '.join(_catalogue())}")
        raise InputError("the code of a known data set", show(code), close)
    return _catalogue()[name]


def find_code(name: str) -> str | None:
    """Give the code of a data set by its code or its everyday name, in any case; None if there is none.

    Examples
    --------
    >>> find_code("Mushroom"), find_code("cheese")
    ('MU', None)
    """
    return known_names().get(name.casefold().replace("_", "-").replace(" ", "-"))


@cache
def known_names() -> Mapping[str, str]:
    """Give the codes by all names that data sets have, in small letters."""
    sets = _catalogue().values()
    return {name.casefold(): facts.code for facts in sets for name in (facts.code, *facts.everyday)}


@cache
def _catalogue() -> Mapping[str, SetDescription]:
    sets = tomllib.loads((files("fivefold.data") / "sets" / "catalogue.toml").read_text("utf-8"))
    return {
        code: SetDescription(code, **facts | {key: tuple(facts.get(key, ())) for key in _LISTS})
        for code, facts in sets.items()
    }
