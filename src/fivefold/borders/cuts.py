"""The cuts of models that are constant between cuts of single columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.utils.validation import check_is_fitted

from fivefold.borders.affine import Affine
from fivefold.borders.boxes import column_names, theory_of
from fivefold.data.conditions import Above, AtMost, Term, Within
from fivefold.learners._nodes import Leaf, NumericSplit
from fivefold.learners.theories import (
    DecisionTree,
    NumericCells,
    RippleDownTree,
    RuleList,
    RuleSet,
    SingleAttributeRule,
    Theory,
)

_ENSEMBLES = (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)

Cut = tuple[int, float]


def model_cuts(model: Any, affine: Affine) -> list[NDArray[np.float64]] | None:
    """Give the cuts of each column in units of the window; None if the model has other borders."""
    if not affine.is_axis_parallel:
        return None
    d = affine.offset.size
    if isinstance(model, _ENSEMBLES):
        found = _ensemble_cuts(model)
    else:
        found = _theory_cuts(theory_of(model), column_names(model, d))
    if found is None:
        return None
    by_column: list[list[float]] = [[] for _ in range(d)]
    for column, cut in found:
        by_column[column].append(affine.cut(column, cut))
    return [np.array(sorted(set(cuts)), dtype=np.float64) for cuts in by_column]


def _ensemble_cuts(model: Any) -> list[Cut] | None:
    """Collect the cuts of all trees of an ensemble; None if one of its members is no tree."""
    check_is_fitted(model)
    members = np.asarray(model.estimators_, dtype=object).ravel()
    if not all(hasattr(member, "tree_") for member in members):
        return None
    columns = getattr(model, "estimators_features_", None)
    cuts: list[Cut] = []
    for i, member in enumerate(members):
        tree = member.tree_
        tests = tree.children_left != tree.children_right
        tested = tree.feature[tests] if columns is None else np.asarray(columns[i])[tree.feature[tests]]
        cuts.extend(zip(tested.tolist(), tree.threshold[tests].tolist(), strict=True))
    return cuts


def _theory_cuts(theory: Theory | None, names: Sequence[str]) -> list[Cut] | None:
    """Collect the cuts of a description; None if it has other tests than of numbers."""
    place = {name: i for i, name in enumerate(names)}
    if isinstance(theory, SingleAttributeRule):
        if not isinstance(theory.cells, NumericCells):
            return None
        return [(place[theory.column], cut) for cut in theory.cells.cuts]
    if isinstance(theory, DecisionTree):
        tests = [node for node in theory.nodes() if not isinstance(node, Leaf)]
        numeric = [test for test in tests if isinstance(test, NumericSplit)]
        return [(place[test.column], test.cut) for test in numeric] if len(numeric) == len(tests) else None
    if theory is None:
        return None
    terms = list(_terms(theory))
    if not all(isinstance(term, (AtMost, Above, Within)) for term in terms):
        return None
    return [(place[term.column], end) for term in terms for end in _ends(term)]


def _terms(theory: RuleSet | RuleList | RippleDownTree) -> Iterator[Term]:
    rules = theory.nodes() if isinstance(theory, RippleDownTree) else theory.rules
    for rule in rules:
        yield from rule.terms


def _ends(term: Term) -> list[float]:
    if isinstance(term, Within):
        return [end for end in (term.low, term.high) if np.isfinite(end)]
    return [term.cut] if isinstance(term, (AtMost, Above)) else []
