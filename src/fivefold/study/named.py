"""Tables, learners and views by what a plan calls them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fivefold.data.files import read
from fivefold.data.sources import load
from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import Kind
from fivefold.inputs.options import yes_or_no
from fivefold.learners.by_name import make_learner
from fivefold.study.codec import import_class
from fivefold.study.views import View


@dataclass(frozen=True, eq=False)
class Recipe:
    """A learner of a plan.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Not fitted.
    encode : bool
        Whether it is given indicators in place of nominal attributes, and medians in place of missing numbers.
    """

    estimator: Any
    encode: bool = False

    def estimator_for(self, table: Table) -> Any:
        """Give the learner as it is trained on a table."""
        if not self.encode:
            return self.estimator
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import OneHotEncoder

        parts = [
            (
                "nominal",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                _names(table, "nominal"),
            ),
            ("numeric", SimpleImputer(strategy="median"), _names(table, "numeric")),
        ]
        encoder = ColumnTransformer([part for part in parts if part[2]])
        return Pipeline([("encode", encoder), ("learner", self.estimator)])


def _names(table: Table, kind: str) -> list[str]:
    return [name for name, each in table.kinds.items() if each == kind]


def find_table(label: str, spec: Any, folder: Path) -> Table:
    """Load a data set of a plan: a table, the name of a known set, or a file with its target."""
    if isinstance(spec, Table):
        return spec
    if isinstance(spec, str):
        return load(spec)
    options = _options(
        spec, f"data set {label!r}", ("name", "path", "target", "nominal", "numeric", "missing")
    )
    if "path" not in options:
        if set(options) - {"name"}:
            raise InputError(f"a path for data set {label!r}", show(spec), 'add path = "file.csv"')
        return load(options.get("name", label))
    if "name" in options or "target" not in options:
        raise InputError(f"a path and a target for data set {label!r}", show(spec))
    for name in ("nominal", "numeric", "missing"):
        if not isinstance(options.setdefault(name, []), list):
            raise InputTypeError(f"{name} of data set {label!r} as a list", show(options[name]))
    kinds: dict[str, Kind] = dict.fromkeys(options["nominal"], "nominal")
    kinds |= dict.fromkeys(options["numeric"], "numeric")
    missing = ("", *options["missing"])
    return read(folder / options["path"], target=options["target"], kinds=kinds, missing=missing)


def find_learner(label: str, spec: Any) -> Recipe:
    """Make a learner of a plan: an estimator, a short name, or a dotted path, with parameters."""
    if isinstance(spec, Recipe):
        return spec
    if hasattr(spec, "get_params") and not isinstance(spec, type):
        return Recipe(spec)
    if isinstance(spec, str):
        return Recipe(make_learner(spec))
    options = _options(spec, f"learner {label!r}", ("learner", "class", "params", "encode"))
    if "learner" in options and "class" in options:
        raise InputError(f"a learner or a class for {label!r}", "both")
    estimator = (
        _make_class(label, options["class"])
        if "class" in options
        else make_learner(options.get("learner", label))
    )
    return Recipe(
        _with_params(label, estimator, options.get("params", {})),
        yes_or_no(options.get("encode", False), "encode"),
    )


def _make_class(label: str, path: Any) -> Any:
    if not isinstance(path, str):
        raise InputTypeError(f"a dotted path as the class of learner {label!r}", show(path))
    found = import_class(path)
    for method in ("fit", "predict", "get_params"):
        if not callable(getattr(found, method, None)):
            raise InputError(
                f"a classifier as the class of learner {label!r}", f"{path!r}, which has no method {method}"
            )
    try:
        return found()
    except TypeError as problem:
        raise InputError(
            f"a class for learner {label!r} that can be made without arguments",
            f"{path!r} ({problem})",
            "pass an estimator in Python instead",
        ) from problem


def _with_params(label: str, estimator: Any, params: Any) -> Any:
    if not isinstance(params, Mapping):
        raise InputTypeError(f"the params of learner {label!r} as a table", show(params))
    known = estimator.get_params(deep=False)
    for name in params:
        if name not in known:
            raise InputError(
                f"a parameter of learner {label!r}", show(name), f"it has {', '.join(known) or 'none'}"
            )
    return estimator.set_params(**params)


def find_view(label: str, spec: Any) -> View:
    """Make a view of a plan: a name, or a mapping of options with the kind under ``view``."""
    if isinstance(spec, View):
        return spec
    if isinstance(spec, str):
        return View(spec)
    if not isinstance(spec, Mapping):
        raise InputTypeError(f"view {label!r} as a table of options", show(spec))
    options = dict(spec)
    return View(options.pop("view", label), options)


def _options(spec: Any, what: str, allowed: Collection[str]) -> dict[str, Any]:
    if not isinstance(spec, Mapping):
        raise InputTypeError(f"{what} as a name or a table of options", f"{show(spec)}")
    for name in spec:
        if name not in allowed:
            raise InputError(f"an option of {what}", show(name), f"the options are {', '.join(allowed)}")
    return dict(spec)
