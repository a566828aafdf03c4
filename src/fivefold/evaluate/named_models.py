"""Models as a caller gives them: one, several, or by name; fitted or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fivefold.errors import InputError, InputTypeError, show


def name_models(models: Any) -> dict[str, Any]:
    """Give every model a name: its own, or that of its class, numbered where a class occurs twice.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> list(name_models([DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier()]))
    ['DecisionTreeClassifier 1', 'DecisionTreeClassifier 2']
    """
    if isinstance(models, Mapping):
        named = [(name, model) for name, model in models.items()]
    elif isinstance(models, Sequence) and not isinstance(models, str):
        named = _number([_pair(each) for each in models])
    else:
        named = [_pair(models)]
    if not named:
        raise InputError("at least one model", "none")
    for name, model in named:
        _check(name, model)
    if len(dict(named)) < len(named):
        raise InputError("models of different names", show([name for name, _ in named]))
    return dict(named)


def is_fitted(model: Any) -> bool:
    """Say whether a model can answer as it is.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> is_fitted(DummyClassifier()), is_fitted(DummyClassifier().fit([[0], [0]], ["a", "b"]))
    (False, True)
    """
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(model, "fit"):
        return True
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _pair(each: Any) -> tuple[Any, Any]:
    """Take a pair of name and model as scikit-learn's pipelines have them, or a model alone."""
    if isinstance(each, tuple) and len(each) == 2:
        return each
    return type(each).__name__, each


def _number(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    names = [name for name, _ in pairs]
    given = [isinstance(name, str) and name != type(model).__name__ for name, model in pairs]
    return [
        (name, model) if own or names.count(name) == 1 else (f"{name} {1 + names[:place].count(name)}", model)
        for place, ((name, model), own) in enumerate(zip(pairs, given, strict=True))
    ]


def _check(name: Any, model: Any) -> None:
    from sklearn.base import is_regressor

    if not isinstance(name, str) or not name:
        raise InputTypeError("a name for every model", f"{show(name)} ({type(name).__name__})")
    if isinstance(model, type):
        raise InputTypeError(
            f"the model {name!r} to be an object", f"the class {model.__name__}", f"write {model.__name__}()"
        )
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise InputTypeError(
            f"the model {name!r} to be a classifier", f"the regressor {type(model).__name__}"
        )
    if not callable(getattr(model, "predict", None)):
        raise InputTypeError(
            f"the model {name!r} to have predict", f"{show(model)} ({type(model).__name__}) without it"
        )
