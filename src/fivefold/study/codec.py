"""Values as JSON and back, exactly: the form in which jobs are named and results are kept."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import numbers
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from fivefold.errors import InputError, InputTypeError, show

Json: TypeAlias = Any

_ALLOWED = "None, booleans, numbers, text, lists, tuples, mappings with text keys, types and estimators"


def encode(value: Any, where: str = "the value") -> Json:
    """Turn a value into JSON from which `decode` makes an equal value again.

    Floats keep every bit, as Python writes the shortest text that reads back as the same number. What JSON does
    not have is tagged: ``{"$float": "inf"}``, ``{"$tuple": […]}``, ``{"$type": "numpy.float64"}``, and an
    estimator is its class with all its parameters, ``{"$estimator": "…", "params": {…}}``.

    Parameters
    ----------
    value : object
        None, a boolean, a number (also numpy's), text, a list, tuple or array, a mapping with text keys, a type
        that can be imported, or a scikit-learn estimator whose parameters are such values.
    where : str
        What the value is called in an error.

    Examples
    --------
    >>> encode({"depth": 3, "rate": float("inf")})
    {'depth': 3, 'rate': {'$float': 'inf'}}
    """
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, (numbers.Real, np.bool_)):
        return _encode_number(value, where)
    if isinstance(value, Mapping):
        return _encode_mapping(value, where)
    if isinstance(value, (list, tuple, np.ndarray)):
        return _encode_sequence(value, where)
    if isinstance(value, type):
        return {"$type": _path_of(value, where)}
    if hasattr(value, "get_params"):
        return _encode_estimator(value, where)
    raise InputTypeError(f"{where} to be made of {_ALLOWED}", f"{show(value)} ({type(value).__name__})")


def _encode_number(value: Any, where: str) -> Json:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int):
        return value
    if not isinstance(value, float):
        raise InputTypeError(
            f"{where} to be a whole number or a float", f"{value!r} ({type(value).__name__})"
        )
    return value if math.isfinite(value) else {"$float": str(value)}


def _encode_mapping(value: Mapping[Any, Any], where: str) -> Json:
    for name in value:
        if not isinstance(name, str) or name.startswith("$"):
            raise InputError(f'{where} to have names that are text and do not begin with "$"', show(name))
    return {name: encode(each, f"{where}, {name}") for name, each in value.items()}


def _encode_sequence(value: Any, where: str) -> Json:
    items = value.tolist() if isinstance(value, np.ndarray) else value
    encoded = [encode(each, f"{where}[{i}]") for i, each in enumerate(items)]
    return {"$tuple": encoded} if isinstance(value, tuple) else encoded


def _encode_estimator(value: Any, where: str) -> Json:
    params = value.get_params(deep=False)
    encoded = {name: encode(each, f"{where}, parameter {name}") for name, each in params.items()}
    return {"$estimator": _path_of(type(value), where), "params": encoded}


def _path_of(kind: type, where: str) -> str:
    path = f"{kind.__module__}.{kind.__qualname__}"
    if "<locals>" in path or kind.__module__ == "__main__":
        raise InputError(
            f"{where} to be of a class that other processes can import", path, "move it to a module"
        )
    return path


def decode(value: Json, *, estimators: bool = False) -> Any:
    """Make the value again that `encode` was given.

    Parameters
    ----------
    value : JSON value
        What `encode` gave.
    estimators : bool
        Whether types and estimators are made, for which their modules are imported; refused otherwise, as
        results need none.

    Examples
    --------
    >>> decode({"depth": 3, "rate": {"$float": "inf"}})
    {'depth': 3, 'rate': inf}
    """
    if isinstance(value, list):
        return [decode(each, estimators=estimators) for each in value]
    if not isinstance(value, dict):
        return value
    if "$float" in value:
        return float(value["$float"])
    if "$tuple" in value:
        return tuple(decode(each, estimators=estimators) for each in value["$tuple"])
    if "$type" in value or "$estimator" in value:
        return _decode_class(value, estimators)
    return {name: decode(each, estimators=estimators) for name, each in value.items()}


def _decode_class(value: dict[str, Any], estimators: bool) -> Any:
    if not estimators:
        raise InputError("plain values", show(value), "only jobs hold types and estimators, results do not")
    if "$type" in value:
        return import_class(value["$type"])
    params = {name: decode(each, estimators=True) for name, each in value["params"].items()}
    return import_class(value["$estimator"])(**params)


def import_class(path: str) -> type:
    """Import a class by its dotted path; nothing else than a class is given out.

    Examples
    --------
    >>> import_class("sklearn.naive_bayes.GaussianNB")
    <class 'sklearn.naive_bayes.GaussianNB'>
    """
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError, TypeError) as problem:
        raise InputError(
            "the dotted path of a class that can be imported", f"{path!r} ({problem})", "check the spelling"
        ) from problem
    if not isinstance(found, type):
        raise InputError("the dotted path of a class", f"{path!r}, which is {show(found)}")
    return found


def canonical(value: Json) -> str:
    """Write encoded JSON in one way only: sorted names, no spaces.

    Examples
    --------
    >>> canonical({"b": 1, "a": [1.0, None]})
    '{"a":[1.0,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Json) -> str:
    """Give the SHA-256 of encoded JSON in its canonical form, in hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
