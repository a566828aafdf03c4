"""Which column plays which role, as said on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fivefold.errors import InputError


def read_roles(
    prediction: Sequence[str], prefixes: Sequence[str], single: Sequence[str], columns: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Give the columns of answers and of probabilities by model name."""
    said = dict(_named(text, columns) for text in prediction)
    if len(said) < len(prediction):
        raise InputError("each model once", f"--prediction {' --prediction '.join(prediction)}")
    stated: dict[str, str] = {}
    for text in prefixes:
        stated |= _prefixes(text, said, columns)
    for text in single:
        name, separator, column = text.partition("=")
        stated[name] = column if separator else name
    return said, stated


def _named(text: str, columns: Sequence[str]) -> tuple[str, str]:
    """Split MODEL=COLUMN, unless the whole text is a column."""
    name, separator, column = text.partition("=")
    return (name, column) if separator and text not in columns else (text, text)


def _prefixes(text: str, said: Mapping[str, str], columns: Sequence[str]) -> dict[str, str]:
    if "{}" in text:
        found = {name: text.replace("{}", name) for name in said}
        found = {name: prefix for name, prefix in found.items() if any(c.startswith(prefix) for c in columns)}
        if not found:
            raise InputError(
                f"columns that begin with {text!r}, the name of a model in place of {{}}",
                f"the columns {', '.join(columns[:12])}",
            )
        return found
    name, separator, prefix = text.partition("=")
    if separator:
        return {name: prefix}
    if len(said) == 1:
        return {next(iter(said)): text}
    if not said:
        return {text.strip("_-.: ") or "model": text}
    raise InputError(
        "--probability-prefix MODEL=PREFIX where there are several models",
        repr(text),
        "'{}' stands for each name",
    )
