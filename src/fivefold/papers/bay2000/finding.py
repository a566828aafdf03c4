"""The rules of one query: STUCCO's slices, or what C5.0 makes of the same cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fivefold.data.conditions import Term
from fivefold.inputs.columns import Column, read_columns
from fivefold.papers.bay2000.models import BINS, TEST, answers, binned
from fivefold.papers.splits import table_of
from fivefold.slices.find import find_differences, find_errors
from fivefold.slices.learner_engines import C5Engine

PAIRS = {"1NN vs 5NN": ("1NN", "5NN"), "NB vs SP": ("NB", "SP")}
Rows = Any  # row numbers, or a slice


@dataclass(frozen=True)
class Found:
    """A rule: its terms, the cases beyond the average, and a sentence where there is one."""

    terms: frozenset[Term]
    effect: float
    sentence: str = ""


def agreement(query: str) -> NDArray[np.bool_]:
    """Say on which test cases the model is right, or the two models agree."""
    first, second = (
        (answers(n) for n in PAIRS[query]) if query in PAIRS else (answers("MC4"), table_of(TEST).y)
    )
    return np.asarray(first == second)


def stucco_rules(query: str, rows: Rows) -> list[Found]:
    """Give what STUCCO shows."""
    table = table_of(TEST)
    X = table.X.drop("fnlwgt", "education-num")[rows]
    options: dict[str, Any] = {"bins": BINS, "missing_as_value": True}
    if query in PAIRS:
        first, second = (answers(name)[rows] for name in PAIRS[query])
        found = find_differences(X, first, second, names=PAIRS[query], **options)
    else:
        said = answers("MC4")[rows]
        found = find_errors(X, table.y[rows], said, model="MC4", target="salary", **options)
    return [Found(frozenset(one.terms), one.effect_size, one.sentence) for one in found]


def c5_rules(query: str, rows: Rows) -> list[Found]:
    """Give the rules of C5.0 as in the paper: costs balanced, -m chosen by the median effect, nothing tested."""
    table = table_of(TEST)
    X = binned(table.X)[rows]
    if query not in PAIRS:
        X = X.with_columns(pl.Series("salary", table.y[rows].astype(str)))
    columns, agree = read_columns(X), agreement(query)[rows]
    return [
        Found(frozenset(terms), _effect(columns, agree, terms))
        for terms in C5Engine().propose(columns, agree)
    ]


def _effect(columns: Sequence[Column], agree: NDArray[np.bool_], terms: Sequence[Term]) -> float:
    inside = reduce(np.logical_and, (term.holds(columns) for term in terms))
    return float(agree[inside].sum() - inside.sum() * agree.mean())


ENGINES = {"S": stucco_rules, "C5": c5_rules}
