"""Plan: data sets x estimators x splits x views, with one seed; made in Python or read from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from fivefold.data.files import read
from fivefold.data.sources import load
from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.columns import Kind
from fivefold.inputs.options import instance_of, positive_int, yes_or_no
from fivefold.learners.by_name import make_learner
from fivefold.plain_text import counted
from fivefold.study.job import Job, fingerprint, import_class
from fivefold.study.store import as_path
from fivefold.study.study import Study
from fivefold.study.trial import TASK, View
from fivefold.training.splits import Folds, Holdout, PlannedSplits

__all__ = ["Folds", "Holdout", "Plan", "make_plan", "read_plan"]


MOST_JOBS = 1_000_000


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be compared; make one with `make_plan` or `read_plan`.

    Parameters
    ----------
    name : str
        The study's name.
    data : mapping of label to Table
        The data sets.
    estimators : mapping of label to Recipe
        The estimators.
    splits : Holdout or Folds
        How each data set is split; the same for all estimators.
    views : mapping of label to View
        What is measured.
    random_state : int
        The seed of everything random.
    """

    name: str
    data: Mapping[str, Table]
    estimators: Mapping[str, Recipe]
    splits: PlannedSplits
    views: Mapping[str, View]
    random_state: int

    def __repr__(self) -> str:
        sizes = (len(self.data), len(self.estimators), len(self.splits.recipes()), len(self.views))
        counts = " x ".join(map(counted, sizes, ("data set", "estimator", "split", "view")))
        return f"Plan {self.name!r}: {counts}"

    def jobs(self) -> list[Job]:
        """Give a job for each combination; those that differ in the view only are one group."""
        splits = self.splits.recipes()
        n_jobs = len(self.data) * len(self.estimators) * len(splits) * len(self.views)
        if n_jobs > MOST_JOBS:
            raise InputError(f"a plan of at most {MOST_JOBS:,} jobs", f"{n_jobs:,}", "take fewer splits")
        views = {
            label: {"kind": view.kind, "options": view.all_options()} for label, view in self.views.items()
        }
        jobs = []
        for data, table in self.data.items():
            code = fingerprint(table)
            for name, recipe in self.estimators.items():
                learner = {"learner": recipe.estimator_for(table)}
                if recipe.version is not None:
                    learner["learner_version"] = recipe.version
                jobs += [
                    Job(
                        TASK,
                        {"data": code, **learner, "split": split, "view": view},
                        self.random_state,
                        {"data": data, "estimator": name, "split": number, "view": label},
                        f"{data} {name} {number}",
                    )
                    for number, split in enumerate(splits)
                    for label, view in views.items()
                ]
        return jobs

    def study(self, path: str | PathLike[str]) -> Study:
        """Give the study of this plan, with its results in a file.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from fivefold.study import Holdout, make_plan
        >>> plan = make_plan("small", data=["LA"], estimators=["1r", "nb"], splits=Holdout(3), views=["accuracy"])
        >>> study = plan.study(pathlib.Path(tempfile.mkdtemp(), "small.study"))
        >>> print(study.run(engine="serial"))
        small: 6 jobs, 6 finished, 0 failed, 0 open
        """
        return Study(
            self.name, self.jobs(), Path(path), shared={fingerprint(t): t for t in self.data.values()}
        )


def make_plan(
    name: str,
    *,
    data: Sequence[Any] | Mapping[str, Any],
    estimators: Sequence[Any] | Mapping[str, Any],
    splits: PlannedSplits | Mapping[str, Any] | None = None,
    views: Sequence[str] | Mapping[str, Any] = ("accuracy", "bits", "bets"),
    random_state: int = 0,
    folder: str | PathLike[str] = ".",
) -> Plan:
    """Make a plan of data sets, estimators, splits and views.

    Parameters
    ----------
    name : str
        The study's name.
    data : sequence, or mapping of label to data set
        Names of `fivefold.data.load`, tables, or mappings ``{"path": …, "target": …}`` with the options of
        `fivefold.data.read`.
    estimators : sequence, or mapping of label to estimator
        Names that ``fivefold learners`` lists, estimators, or mappings ``{"learner": name, "params": {…}}`` or
        ``{"class": dotted path, "params": {…}, "encode": true}``; "encode" turns nominal attributes into
        indicators and fills missing numbers with the median, for estimators that take numbers only. Results
        hang on the source of your own class, too; raise "version" where what it imports from other files changes.
    splits : Holdout, Folds or mapping, optional
        By default 25 random halves.
    views : sequence, or mapping of label to options
        "accuracy", "bits", "bets", "theory", or metrics such as "auc". A mapping may have several of one kind:
        ``{"fails": {"view": "bits", "missing_test": "fails"}}``.
    random_state : int
        The seed of everything random.
    folder : path
        To which the paths of files are relative.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> make_plan("trees", data=["IR", "BC"],
    ...     estimators={"c45": {}, "forest": {"class": "sklearn.ensemble.RandomForestClassifier", "encode": True}},
    ...     splits={"kind": "folds", "n_splits": 10}, views=["accuracy", "bits"])
    Plan 'trees': 2 data sets x 2 estimators x 10 splits x 2 views
    """
    if not isinstance(name, str) or not name:
        raise InputTypeError("a name for the study", show(name))
    instance_of(folder, (str, PathLike), "folder to be a path")
    return Plan(
        name,
        {label: find_table(label, spec, Path(folder)) for label, spec in _labelled(data, "data").items()},
        {label: find_estimator(label, spec) for label, spec in _labelled(estimators, "estimators").items()},
        make_splits(splits),
        {label: find_view(label, spec) for label, spec in _labelled(views, "views").items()},
        positive_int(random_state, "random_state", least=0),
    )


_PARTS = ("name", "random_state", "data", "estimators", "splits", "views")


def read_plan(path: str | PathLike[str]) -> Plan:
    """Read a plan from a TOML file; the arguments of `make_plan` are its keys.

    Parameters
    ----------
    path : path
        The file. The paths of data in it are relative to its folder; its name is that of the study unless it says
        otherwise.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "first.toml")
    >>> _ = path.write_text('''
    ... data = ["BC", "IR"]
    ... estimators = ["1r", "c45"]
    ... splits = { n_repeats = 5, train = "2/3" }
    ... ''')
    >>> read_plan(path)
    Plan 'first': 2 data sets x 2 estimators x 5 splits x 3 views
    """
    path = as_path(path, "a plan")
    try:
        options = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise InputError(
            "a plan in TOML", f"{str(path)!r} ({problem})", "docs/study.md shows the format"
        ) from problem
    for name in options:
        if name not in _PARTS:
            raise InputError(f"a plan with {', '.join(_PARTS)}", f"{show(name)} in {str(path)!r}")
    for name in ("data", "estimators"):
        if name not in options:
            raise InputError(f"{name} in the plan", f"{str(path)!r} without", f"add [{name}]")
    return make_plan(options.pop("name", path.stem), **options, folder=path.parent)


def make_splits(splits: PlannedSplits | Mapping[str, Any] | None) -> PlannedSplits:
    """Make splits of a mapping whose ``kind`` is "holdout" or "folds"."""
    if isinstance(splits, (Holdout, Folds)):
        return splits
    if splits is not None and not isinstance(splits, Mapping):
        raise InputTypeError("splits as a table of options", f"{show(splits)} ({type(splits).__name__})")
    options = dict(splits or {})
    kind = options.pop("kind", "holdout")
    kinds: dict[Any, Any] = {"holdout": Holdout, "folds": Folds}
    if kind not in kinds:
        raise InputError('splits of kind "holdout" or "folds"', show(kind))
    options = _options(options, f"{kind} splits", kinds[kind].__dataclass_fields__)
    made: PlannedSplits = kinds[kind](**options)
    return made


def _labelled(given: Any, what: str) -> dict[str, Any]:
    """Give every entry a label: that of the mapping, or its own name."""
    if isinstance(given, Mapping):
        entries = list(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str):
        entries = [(_name_of(entry), entry) for entry in given]
    else:
        raise InputTypeError(f"{what} as a list or a mapping", f"{show(given)} ({type(given).__name__})")
    if not entries:
        raise InputError(f"at least one entry in {what}", "none")
    labels = [label for label, _ in entries]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise InputError(f"different labels in {what}", f"{show(twice[0])} twice", "use a mapping of labels")
    return dict(entries)


def _name_of(entry: Any) -> str:
    if isinstance(entry, str):
        return entry
    name = getattr(entry, "name", None)
    return name if isinstance(name, str) else type(entry).__name__


@dataclass(frozen=True, eq=False)
class Recipe:
    """An estimator of a plan; with `encode` it gets indicators for nominal values, medians for missing numbers."""

    estimator: Any
    encode: bool = False
    version: str | int | None = None

    def estimator_for(self, table: Table) -> Any:
        """Give the estimator as it is trained on a table."""
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
    return [name for name, kind_of in table.kinds.items() if kind_of == kind]


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
        instance_of(options.setdefault(name, []), (list,), f"{name} of data set {label!r} as a list")
    kinds: dict[str, Kind] = dict.fromkeys(options["nominal"], "nominal")
    kinds |= dict.fromkeys(options["numeric"], "numeric")
    missing = ("", *options["missing"])
    return read(folder / options["path"], target=options["target"], kinds=kinds, missing=missing)


def find_estimator(label: str, spec: Any) -> Recipe:
    """Make an estimator of a plan: an object, a short name, or a dotted path, with parameters."""
    if isinstance(spec, Recipe):
        return spec
    if hasattr(spec, "get_params") and not isinstance(spec, type):
        return Recipe(spec)
    if isinstance(spec, str):
        return Recipe(make_learner(spec))
    options = _options(spec, f"estimator {label!r}", ("learner", "class", "params", "encode", "version"))
    if "learner" in options and "class" in options:
        raise InputError(f"a learner or a class for {label!r}", "both")
    estimator = (
        _make_class(label, options["class"])
        if "class" in options
        else make_learner(options.get("learner", label))
    )
    version = options.get("version")
    if version is not None and (isinstance(version, bool) or not isinstance(version, (str, int))):
        raise InputTypeError(f"the version of estimator {label!r} as text or a whole number", show(version))
    encode = yes_or_no(options.get("encode", False), "encode")
    return Recipe(_with_params(label, estimator, options.get("params", {})), encode, version)


def _make_class(label: str, path: Any) -> Any:
    instance_of(path, (str,), f"a dotted path as the class of estimator {label!r}")
    kind = import_class(path)
    for method in ("fit", "predict", "get_params"):
        if not callable(getattr(kind, method, None)):
            raise InputError(
                f"a classifier as the class of estimator {label!r}", f"{path!r}, which has no method {method}"
            )
    try:
        return kind()
    except TypeError as problem:
        raise InputError(
            f"a class for estimator {label!r} that can be made without arguments",
            f"{path!r} ({problem})",
            "pass an estimator in Python instead",
        ) from problem


def _with_params(label: str, estimator: Any, params: Any) -> Any:
    instance_of(params, (Mapping,), f"the params of estimator {label!r} as a table")
    known = estimator.get_params(deep=False)
    for name in params:
        if name not in known:
            raise InputError(
                f"a parameter of estimator {label!r}", show(name), f"it has {', '.join(known) or 'none'}"
            )
    return estimator.set_params(**params)


def find_view(label: str, spec: Any) -> View:
    """Make a view of a plan: a name, or a mapping of options with the kind under ``view``."""
    if isinstance(spec, View):
        return spec
    if isinstance(spec, str):
        return View(spec)
    instance_of(spec, (Mapping,), f"view {label!r} as a table of options")
    options = dict(spec)
    return View(options.pop("view", label), options)


def _options(spec: Any, what: str, allowed: Collection[str]) -> dict[str, Any]:
    instance_of(spec, (Mapping,), f"{what} as a name or a table of options")
    for name in spec:
        if name not in allowed:
            raise InputError(f"an option of {what}", show(name), f"the options are {', '.join(allowed)}")
    return dict(spec)
