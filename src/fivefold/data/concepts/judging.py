"""How wrong a model is about a formula: exactly where its rules can be read, else by simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.checks.labels import is_missing
from fivefold.data.concepts.expansion import Cell, Conjunction, Rules, expand
from fivefold.data.concepts.hypothesis import read_rules
from fivefold.data.concepts.sampling import draw, holds
from fivefold.errors import InputError, show

__all__ = ["Shares", "exact_shares", "formula_shares", "simulated_shares"]

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Shares:
    """The shares of wrong answers within the concept and outside it, and how many cases gave each."""

    missed: float
    false_alarms: float
    n_each: int | None = None


def formula_shares(
    hypothesis: tuple[Conjunction, ...], formula: tuple[Conjunction, ...], max_states: int
) -> Shares | None:
    """Judge another formula: a case for which one of its conjunctions holds is taken to be of the concept."""
    rules = Rules(dict(enumerate(hypothesis)), dict.fromkeys(range(len(hypothesis)), True))
    cells = expand(rules, formula, max_states)
    return None if cells is None else _shares(cells, {held: (held > 0, held == 0) for held in cells})


def exact_shares(
    model: Any, formula: tuple[Conjunction, ...], n_attributes: int, max_states: int, probe: Bools
) -> Shares | None:
    """Judge a model by its rules; None if it has none, too many, or if they do not settle its answers.

    A model whose answer depends on nothing but which of its rules hold, or on the first of them if it says so,
    gives one answer in each cell of the expansion, and is asked for it. The cases of `probe` are asked beside
    them, and must get the answers of their cells.
    """
    rules = read_rules(model, n_attributes)
    cells = None if rules is None else expand(rules, formula, max_states)
    if rules is None or cells is None:
        return None
    examples = _as_cases([cell.example for cell in cells.values()], n_attributes)
    said_true, said_false = ask(model, np.concatenate([examples, probe]))
    answers = {held: (bool(said_true[k]), bool(said_false[k])) for k, held in enumerate(cells)}
    for k, held in enumerate(_held(rules, probe), start=len(cells)):
        if answers[held] != (said_true[k], said_false[k]):
            return None
    return _shares(cells, answers)


def simulated_shares(
    model: Any,
    formula: tuple[Conjunction, ...],
    n_attributes: int,
    n_cases: int,
    rng: np.random.Generator,
) -> Shares:
    """Judge a model by fresh cases, half of them of the concept."""
    half = -(-n_cases // 2)
    X = draw(formula, np.arange(2 * half) < half, n_attributes, rng)
    said_true, said_false = ask(model, X)
    return Shares(float(np.mean(~said_true[:half])), float(np.mean(~said_false[half:])), half)


def ask(model: Any, X: Bools) -> tuple[Bools, Bools]:
    """Say which cases a model takes to be of the concept, and which not; one may be neither."""
    answers = np.asarray(model.predict(_named(model, X))).astype(object)
    said_true, said_false = (np.equal(answers, value).astype(bool) for value in (True, False))
    for answer in answers[~said_true & ~said_false]:
        if not is_missing(answer):
            raise InputError(
                "a model that answers True or False (or 1 or 0, or None)",
                show(answer),
                "fit it with the y that sample gives",
            )
    return said_true, said_false


def _named(model: Any, X: Bools) -> Any:
    """Give cases the names of the attributes that the model was fitted with, if there were any."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return X
    import polars as pl

    return pl.DataFrame(X, schema=list(names))


def _shares(cells: Mapping[int, Cell], answers: Mapping[int, tuple[bool, bool]]) -> Shares:
    true, false = (sum(part) for part in zip(*((c.true, c.false) for c in cells.values()), strict=True))
    missed = sum(cell.true for held, cell in cells.items() if not answers[held][0])
    false_alarms = sum(cell.false for held, cell in cells.items() if not answers[held][1])
    return Shares(missed / true, false_alarms / false)


def _held(rules: Rules, X: Bools) -> list[int]:
    masks = [0] * X.shape[0]
    for number, rule in rules.conjunctions.items():
        for row in np.flatnonzero(holds((rule,), X)).tolist():
            masks[row] |= 1 << number
    return [rules.cell(mask) for mask in masks]


def _as_cases(masks: list[int], n_attributes: int) -> Bools:
    width = -(-n_attributes // 8)
    raw = np.frombuffer(b"".join(mask.to_bytes(width, "little") for mask in masks), dtype=np.uint8)
    bits = np.unpackbits(raw.reshape(len(masks), width), axis=1, bitorder="little")
    return np.asarray(bits[:, :n_attributes].astype(bool))
