"""From a table and labels to cases in groups.

Right and wrong answers, same and different ones, any groups.
"""

from __future__ import annotations

from typing import Any

from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns
from fivefold.inputs.frames import check_length
from fivefold.slices.cases import HeldCases
from fivefold.slices.extra_columns import add_columns
from fivefold.slices.labels import agreement, code_groups, code_together


def read_errors(
    X: Any, y_true: Any, y_pred: Any, *, target: str | None, categorical_features: CategoricalFeatures
) -> HeldCases:
    """Read wrong (0) and right (1) answers; the truth becomes an attribute `target`, unless that is None."""
    columns = read_columns(X, categorical_features=categorical_features)
    agree, truth, classes = agreement(y_true, y_pred)
    check_length(agree, len(columns[0]), "y_true")
    if target is not None:
        columns = add_columns(columns, [Column(target, "nominal", truth, classes)])
    return HeldCases(columns, agree, 2)


def read_differences(
    X: Any,
    pred_a: Any,
    pred_b: Any,
    y_true: Any = None,
    *,
    answers: tuple[str, ...],
    categorical_features: CategoricalFeatures,
) -> HeldCases:
    """Read different (0) and same (1) answers; with two names in `answers` they become attributes."""
    columns = read_columns(X, categorical_features=categorical_features)
    first, second, classes = code_together(pred_a, pred_b, ("pred_a", "pred_b"))
    check_length(first, len(columns[0]), "pred_a")
    extra = [
        Column(name, "nominal", codes, classes) for name, codes in zip(answers, (first, second), strict=False)
    ]
    said = () if y_true is None else (pred_a, pred_b)
    right = tuple(agreement(y_true, answer)[0] for answer in said)
    return HeldCases(add_columns(columns, extra), first == second, 2, right)


def read_groups(X: Any, groups: Any, *, categorical_features: CategoricalFeatures) -> HeldCases:
    """Read cases in any number of groups."""
    columns = read_columns(X, categorical_features=categorical_features)
    codes, names = code_groups(groups)
    check_length(codes, len(columns[0]), "groups")
    return HeldCases(columns, codes, len(names), group_names=names)
