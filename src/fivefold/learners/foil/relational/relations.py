"""Relations as ground tuples over types: what relational FOIL learns from."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import one_of

Tuple: TypeAlias = tuple[Hashable, ...]


class _Outside:
    """A value outside the closed world; written ``^``."""

    def __repr__(self) -> str:
        return "^"

    def __reduce__(self) -> str:
        return "OUTSIDE"  # there is but one, also in copies of what holds it


OUTSIDE: Final = _Outside()


@dataclass(frozen=True)
class Type:
    """A kind of constants that arguments of relations may take.

    Parameters
    ----------
    name : str
        Its name.
    constants : iterable
        Its constants, any hashable values; none for a continuous type.
    theory : iterable
        Those of them that may stand in a clause.
    order : {"discover", "given", "none"}
        Which order of the constants recursion may go along: the one that the relations suggest, if any; that in
        which they are given, smallest first; or none.
    continuous : bool
        Whether the values are numbers, which clauses may compare but not name.

    Examples
    --------
    >>> Type("N", range(4), theory=[0], order="given")
    Type(name='N', constants=(0, 1, 2, 3), theory=(0,), order='given', continuous=False)
    """

    name: str
    constants: tuple[Hashable, ...] = ()
    theory: tuple[Hashable, ...] = ()
    order: str = "discover"
    continuous: bool = False

    def __init__(
        self,
        name: str,
        constants: Iterable[Hashable] = (),
        theory: Iterable[Hashable] = (),
        order: str = "discover",
        continuous: bool = False,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "constants", tuple(constants))
        object.__setattr__(self, "theory", tuple(theory))
        object.__setattr__(self, "order", one_of(order, ("discover", "given", "none"), "order"))
        object.__setattr__(self, "continuous", continuous)
        if len(set(self.constants)) < len(self.constants):
            twice = next(c for c in self.constants if self.constants.count(c) > 1)
            raise InputError(f"different constants of type {show(name)}", f"{show(twice)} twice")
        if continuous == bool(self.constants):
            what = "constants of a continuous type" if continuous else "no constants"
            raise InputError("a type to have constants or to be continuous", f"{what} for type {show(name)}")
        for constant in self.theory:
            if constant not in set(self.constants):
                raise InputError(f"theory constants among those of type {show(name)}", show(constant))


@dataclass(frozen=True)
class Relation:
    """A relation as the tuples for which it holds.

    Parameters
    ----------
    name : str
        Its name.
    types : iterable of str
        The name of the type of each argument.
    positive : iterable of tuple
        The tuples for which it holds. None is a missing value, `OUTSIDE` one outside the closed world.
    negative : iterable of tuple, optional
        Those for which it does not hold. By default all other tuples of its types: the closed world.
    keys : iterable of str
        The ways in which a clause may use it: one character an argument, ``#`` if it must be bound by an earlier
        literal, ``-`` if it need not. All ways by default.
    target : bool
        Whether a definition of it is to be learnt.

    Examples
    --------
    >>> Relation("succ", ["N", "N"], [(0, 1), (1, 2)]).positive
    ((0, 1), (1, 2))
    """

    name: str
    types: tuple[str, ...]
    positive: tuple[Tuple, ...]
    negative: tuple[Tuple, ...] | None = None
    keys: tuple[str, ...] = ()
    target: bool = False

    def __init__(
        self,
        name: str,
        types: Iterable[str],
        positive: Iterable[Sequence[Hashable]],
        negative: Iterable[Sequence[Hashable]] | None = None,
        keys: Iterable[str] = (),
        target: bool = False,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "types", tuple(types))
        object.__setattr__(self, "positive", tuple(map(tuple, positive)))
        object.__setattr__(self, "negative", None if negative is None else tuple(map(tuple, negative)))
        object.__setattr__(self, "keys", tuple(keys))
        object.__setattr__(self, "target", target)
        if not self.types:
            raise InputError(f"at least one argument of relation {show(name)}", "none")
        for key in self.keys:
            if len(key) != len(self.types) or set(key) - set("#-"):
                raise InputError(
                    f"keys of {len(self.types)} characters # or -", f"{show(key)} for {show(name)}"
                )
        for row in (*self.positive, *(self.negative or ())):
            if len(row) != len(self.types):
                raise InputError(f"tuples of {len(self.types)} for relation {show(name)}", show(row))


@dataclass(frozen=True)
class Examples:
    """Tuples with the answers that a definition should give."""

    relation: str
    tuples: tuple[Tuple, ...]
    answers: tuple[bool, ...]


@dataclass(frozen=True)
class Relations:
    """A task for relational FOIL: types, relations over them, and perhaps examples to test definitions on.

    Parameters
    ----------
    types : iterable of Type
        The types.
    relations : iterable of Relation
        The relations; those with ``target=True`` are to be defined.
    tests : iterable of Examples
        Examples for testing.

    Examples
    --------
    >>> task = Relations(
    ...     [Type("N", range(4))],
    ...     [Relation("less", "NN", [(a, b) for a in range(4) for b in range(a + 1, 4)], target=True),
    ...      Relation("succ", "NN", [(0, 1), (1, 2), (2, 3)])],
    ... )
    >>> task.targets
    ('less',)
    """

    types: tuple[Type, ...]
    relations: tuple[Relation, ...]
    tests: tuple[Examples, ...] = ()

    def __init__(
        self, types: Iterable[Type], relations: Iterable[Relation], tests: Iterable[Examples] = ()
    ) -> None:
        object.__setattr__(self, "types", tuple(types))
        object.__setattr__(self, "relations", tuple(relations))
        object.__setattr__(self, "tests", tuple(tests))
        _check_names([t.name for t in self.types], "types")
        _check_names([r.name for r in self.relations], "relations")
        types_by_name = {t.name: t for t in self.types}
        for relation in self.relations:
            _check_tuples(relation, types_by_name)

    @property
    def targets(self) -> tuple[str, ...]:
        """The relations to be defined."""
        return tuple(relation.name for relation in self.relations if relation.target)

    def relation(self, name: str) -> Relation:
        """Find a relation by its name."""
        for relation in self.relations:
            if relation.name == name:
                return relation
        raise InputError(f"one of the relations {show([r.name for r in self.relations])}", show(name))

    @classmethod
    def read(cls, path: str | Path) -> Relations:
        """Read a task from a file in FOIL's format, usually called ``*.d``."""
        from fivefold.learners.foil.relational.reading import parse

        if not isinstance(path, str | Path):
            raise InputTypeError("a path to a file", f"{show(path)} ({type(path).__name__})")
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as problem:
            line = problem.object.count(b"\n", 0, problem.start) + 1
            got = f"bytes that are none in line {line} of {Path(path).name}"
            raise InputError("a text in UTF-8", got, "save the file in UTF-8") from None
        return parse(text, Path(path).name)

    @classmethod
    def parse(cls, text: str) -> Relations:
        r"""Read a task from a text in FOIL's format.

        Examples
        --------
        >>> task = Relations.parse("X: a, *b.\n\nsame(X,X)\na,a\nb,b\n.\n")
        >>> task.relation("same").positive, task.types[0].theory
        ((('a', 'a'), ('b', 'b')), ('b',))
        """
        from fivefold.learners.foil.relational.reading import parse

        return parse(text, "the text")


def _check_names(names: list[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{what} with different names", f"{show(name)} twice")
    if not names:
        raise InputError(f"at least one of the {what}", "none")


def _check_tuples(relation: Relation, types: dict[str, Type]) -> None:
    for name in relation.types:
        if name not in types:
            raise InputError(
                f"types out of {show(list(types))}", f"{show(name)} in relation {show(relation.name)}"
            )
    kinds = [types[name] for name in relation.types]
    known: list[Any] = [None if kind.continuous else {*kind.constants, None, OUTSIDE} for kind in kinds]
    for row in (*relation.positive, *(relation.negative or ())):
        for value, kind, constants in zip(row, kinds, known, strict=True):
            if constants is None:
                _check_number(value, row, relation.name)
            elif value not in constants:
                raise InputError(
                    f"constants of type {show(kind.name)}", f"{show(value)} in {relation.name}{show(row)}"
                )


def _check_number(value: Any, row: Tuple, name: str) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputTypeError("a number or None", f"{show(value)} in {name}{show(row)}")
    if not math.isfinite(value):
        raise InputError("a finite number", f"{show(value)} in {name}{show(row)}", "None is a missing value")
