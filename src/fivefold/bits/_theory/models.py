"""From a fitted model and its questions to a theory and the columns that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from fivefold.errors import InputError
from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns
from fivefold.learners.theories import HasTheory, Theory


def find_theory(
    model: Any, X: Any, categorical_features: CategoricalFeatures
) -> tuple[Theory, tuple[Column, ...]] | None:
    """Give the theory of a model and the questions as it reads them; None if it has no theory."""
    from sklearn.pipeline import Pipeline

    if isinstance(model, get_args(Theory)):
        return model, read_columns(X, categorical_features=categorical_features)
    _check_fitted(model)
    if isinstance(model, Pipeline):
        return _find_in_pipeline(model, X, categorical_features)
    if isinstance(model, HasTheory):
        # a learner of ours reads the questions as it read its training cases
        theory, fitted = model.theory(), getattr(model, "columns_", None)
        if theory is None:
            return None
        return theory, read_columns(X, categorical_features=categorical_features, like=fitted)
    return _find_in_sklearn_tree(model, X)


def _find_in_pipeline(
    pipeline: Any, X: Any, categorical_features: CategoricalFeatures
) -> tuple[Theory, tuple[Column, ...]] | None:
    steps = [step for _, step in pipeline.steps]
    # A step that has seen the classes is a part of the theory, and there is no code for it.
    if any(_uses_classes(step) for step in steps[:-1]):
        return None
    if not isinstance(steps[-1], HasTheory) and not _is_sklearn_tree(steps[-1]):
        return None
    if len(steps) > 1:
        X = pipeline[:-1].transform(X)
    return find_theory(steps[-1], X, categorical_features)


def _find_in_sklearn_tree(model: Any, X: Any) -> tuple[Theory, tuple[Column, ...]] | None:
    from fivefold.learners.sklearn_trees import tree_columns, tree_theory

    if not _is_sklearn_tree(model) or model.n_outputs_ != 1:
        return None
    return tree_theory(model), tree_columns(model, X)


def _is_sklearn_tree(model: Any) -> bool:
    from sklearn.tree import DecisionTreeClassifier

    return isinstance(model, DecisionTreeClassifier)


def _check_fitted(model: Any) -> None:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(model, BaseEstimator):
        return
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InputError("a fitted model", f"{type(model).__name__} before fit", "call fit first") from None


def _uses_classes(step: Any) -> bool:
    from sklearn.cross_decomposition import CCA, PLSSVD, PLSCanonical, PLSRegression
    from sklearn.feature_selection import SelectorMixin, VarianceThreshold
    from sklearn.utils import get_tags

    # scikit-learn's filters and projections onto targets do not always say in their tags that they use them
    supervised = SelectorMixin, PLSCanonical, PLSRegression, PLSSVD, CCA
    if isinstance(step, supervised) and not isinstance(step, VarianceThreshold):
        return True
    if any(_uses_classes(part) for part in _parts(step)):
        return True
    return hasattr(step, "__sklearn_tags__") and bool(get_tags(step).target_tags.required)


def _parts(step: Any) -> Iterator[Any]:
    # the steps of Pipeline, FeatureUnion and ColumnTransformer
    for attribute in ("steps", "transformer_list", "transformers"):
        for part in getattr(step, attribute, None) or ():
            if isinstance(part, tuple) and len(part) > 1:
                yield part[1]
