"""The published form of the JSON that Fivefold writes, generated from what the results declare."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import reduce
from operator import or_
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec

from fivefold.evaluation.evaluation import SCHEMA_VERSION, Evaluation
from fivefold.inputs.options import one_of
from fivefold.results import Declared, Number, numbers_of

DESCRIPTION = (
    "What `fivefold report --json` prints and `Evaluation.to_json()` writes. The first number of the version "
    "changes when something that was there changes its meaning or goes away, the second when something is added."
)
_NUMBER = float | Literal["Infinity", "-Infinity"] | None


def load_schema(version: str = SCHEMA_VERSION) -> dict[str, Any]:
    """Give the JSON Schema (draft 2020-12) of evaluations, with the metrics that are registered now.

    Parameters
    ----------
    version : str
        The version, as JSON names it under "schema".

    Examples
    --------
    >>> schema = load_schema()
    >>> schema["title"], schema["$defs"]["BitsView"]["properties"]["saved"]["title"]
    ('Evaluation of models by Fivefold', 'Bits saved')
    """
    one_of(version, (SCHEMA_VERSION,), "version")
    _, parts = msgspec.json.schema_components([_Structs().of(Evaluation)], ref_template="#/$defs/{name}")
    root = parts.pop("Evaluation")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **root,
        "title": "Evaluation of models by Fivefold",
        "description": DESCRIPTION,
        "$defs": parts,
    }


class _Structs:
    """Strict structures of msgspec for results, records and typed dictionaries, each made once."""

    def __init__(self) -> None:
        self._made: dict[type, Any] = {}

    def of(self, result: type) -> Any:
        """Give the structure of what a class writes as JSON."""
        if result not in self._made:
            entries = _hinted(result) if is_typeddict(result) else _declared(result)
            keys = {f"part_{place}": key for place, (key, _, _) in enumerate(entries)}
            parts = [
                (name, Annotated[self._json(hint), _meta(number)], *_default(hint))
                for name, (_, hint, number) in zip(keys, entries, strict=True)
            ]
            # those that may be absent come last
            made = msgspec.defstruct(
                result.__name__, sorted(parts, key=len), rename=keys, forbid_unknown_fields=True
            )
            made.__doc__ = (result.__doc__ or "").strip().split("\n", 1)[0]
            self._made[result] = made
        return self._made[result]

    def _json(self, hint: Any) -> Any:
        """Give the type that a value of this type has in JSON."""
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._limited(inner[0], inner[1])
        if origin in (Union, UnionType):
            return reduce(or_, (self._json(part) for part in inner))
        if origin is NotRequired:
            return self._json(inner[0])
        if origin in (list, tuple, Sequence, dict, Mapping):
            return self._several(origin, inner)
        return self._plain(hint)

    def _several(self, origin: Any, inner: tuple[Any, ...]) -> Any:
        if origin in (dict, Mapping):
            return dict[str, self._json(inner[1])]  # type: ignore[misc]
        if origin is tuple and inner[-1] is not Ellipsis:
            return tuple[tuple(self._json(part) for part in inner)]  # type: ignore[misc]
        return list[self._json(inner[0])]  # type: ignore[misc]

    def _plain(self, hint: Any) -> Any:
        if hint is float:
            return _NUMBER
        if isinstance(hint, type) and issubclass(hint, Enum):
            return Literal[tuple(part.name.lower() for part in hint)]
        if is_typeddict(hint) or (isinstance(hint, type) and is_dataclass(hint)):
            return self.of(hint)
        return hint

    def _limited(self, kind: Any, limits: tuple[Any, ...]) -> Any:
        """Keep the limits of a number, the least length of anything else, or the texts that are allowed."""
        if isinstance(limits[0], str):
            return Literal[limits]
        low, high, *null = limits
        if kind in (int, float):
            number = Annotated[kind, msgspec.Meta(ge=low, le=high)]
            return number | None if null else number
        return Annotated[self._json(kind), msgspec.Meta(min_length=low)]


def _declared(result: type) -> list[tuple[str, Any, Number]]:
    """Give key, type and declaration of everything that a result or a record writes."""
    names = vars(sys.modules[result.__module__])
    written = {field.name: field.type for field in fields(result)}
    entries = []
    for number in numbers_of(result):
        item = vars(result).get(number.name)
        if not number.name:
            hint: Any = float | None
        elif isinstance(item, Declared):
            hint = get_type_hints(item.function, names, include_extras=True)["return"]
        else:
            # only this one: other fields may name types that are known to checkers alone
            hint = eval(str(written[number.name]), names)
        if number.key is not None:
            entries.append((number.key, hint, number))
    return entries


def _meta(number: Number) -> msgspec.Meta:
    return msgspec.Meta(
        title=number.title or None,
        description=number.meaning or None,
        extra_json_schema={"unit": number.unit} if number.unit else None,
    )


def _default(hint: Any) -> tuple[Any, ...]:
    return (None,) if get_origin(hint) is NotRequired else ()


def _hinted(shape: type) -> list[tuple[str, Any, Number]]:
    hints = get_type_hints(shape, vars(sys.modules[shape.__module__]), include_extras=True)
    return [(key, hint, Number()) for key, hint in hints.items()]
