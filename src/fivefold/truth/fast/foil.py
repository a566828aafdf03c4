"""FOIL on boolean tables: all concepts in one compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np

from fivefold.inputs.columns import Column, read_columns
from fivefold.learners.foil.concepts import learn_concepts
from fivefold.learners.foil.estimator import Foil
from fivefold.truth.cases import Cases, Codes
from fivefold.truth.fast_paths import Answerer
from fivefold.truth.training_sets import TrainingSets


def concepts(learner: Foil, cases: Cases) -> Answerer | None:
    """Learn one of two classes as a concept."""
    wanted = np.flatnonzero(cases.classes == learner.target) if learner.target is not None else np.empty(0)
    if cases.classes.size != 2 or wanted.size != 1:
        return None
    columns = read_columns(cases.X, categorical_features=learner.categorical_features)
    if not all(map(_is_boolean, columns)):
        return None
    table = np.column_stack([column.values == 1 for column in columns])
    target, other = int(wanted[0]), 1 - int(wanted[0])
    options: dict[str, Any] = {
        name: getattr(learner, name) for name in ("info", "negation", "pruning", "min_accuracy")
    }

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        learnt = learn_concepts(table, cases.codes == target, sets.counts(places), **options)
        said = np.where(learnt.covers(table), target, other).astype(np.int32)
        return [said[row, sets.test(place)] for row, place in enumerate(places)]

    return answer


def _is_boolean(column: Column) -> bool:
    return column.categories == (False, True) and not column.missing.any()
