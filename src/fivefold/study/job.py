"""Job: one piece of work, known by the hash of everything that its result depends on."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import positive_int
from fivefold.training.seeds import derive_seed, generator, seeded

__all__ = ["Job", "derive_seed", "fingerprint", "generator", "seeded", "shared", "task"]

Json: TypeAlias = Any

TaskFunction: TypeAlias = Callable[[Mapping[str, Any], int], Mapping[str, Any]]
F = TypeVar("F", bound=TaskFunction)


@dataclass(frozen=True)
class Task:
    """A kind of work: its version and the function that does it."""

    version: int
    function: TaskFunction


TASKS: dict[str, Task] = {}


def task(name: str, *, version: int = 1) -> Callable[[F], F]:
    """Enter a function in the registry of tasks, so that jobs can name it.

    The function is called as ``function(params, seed)`` in a worker process and gives a mapping of names to
    numbers, text, lists or None. Its result must hang on nothing but its arguments and the objects that it asks
    of :func:`fivefold.study.shared`. What it imports at the top of its module is kept to one thread while it runs.

    Parameters
    ----------
    name : str
        A name for keys and tables, such as "bailey1993.trial".
    version : int
        Raise it when the function's results change: jobs of another version are other jobs.

    Examples
    --------
    >>> @task("doc.double")
    ... def double(params, seed):
    ...     return {"twice": 2 * params["x"]}
    >>> Job("doc.double", {"x": 4}).key[:8]
    '868e67ee'
    """
    positive_int(version, "version")

    def enter(function: F) -> F:
        TASKS[name] = Task(version, function)
        return function

    return enter


@dataclass(frozen=True)
class Job:
    """One call of a task.

    Parameters
    ----------
    task : str
        The name of a registered task.
    params : mapping of str to value
        What the task is called with: None, booleans, numbers, text, lists, tuples, mappings, estimators. A table
        is named by its fingerprint and shared by the study.
    seed : int
        What the task is called with for everything random.
    labels : mapping of str to str or int
        What the job is called in tables of results, such as ``{"data": "BC", "split": 3}``. Not a part of the key.
    group : str, optional
        Jobs of one group run one after the other in the same process, so that they can share work. Not a part of
        the key.

    Attributes
    ----------
    key : str
        SHA-256 of the canonical JSON of task, version, parameters (an estimator as its class with all its
        parameters, and its source where it is the user's own) and seed. A job with another parameter is another
        job; the same job has the same key on every machine.
    """

    task: str
    params: Mapping[str, Any]
    seed: int = 0
    labels: Mapping[str, str | int] = field(default_factory=dict)
    group: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.task, str) or self.task not in TASKS:
            raise InputError(
                f"a registered task ({', '.join(sorted(TASKS)) or 'there are none'})",
                show(self.task),
                "import the module that has @task(…)",
            )
        positive_int(self.seed, "seed", least=0)

    @cached_property
    def encoded(self) -> Json:
        """The parameters as JSON."""
        return encode(self.params, f"the parameters of {self.task}")

    @cached_property
    def key(self) -> str:
        """The hash of everything that the result depends on."""
        version = TASKS[self.task].version
        return digest({"task": self.task, "version": version, "params": self.encoded, "seed": self.seed})


@dataclass(frozen=True)
class Outcome:
    """What became of one job: a value as JSON, or an error with its traceback."""

    key: str
    value: str | None
    error: str | None
    traceback: str | None
    seconds: float
    warnings: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """Whether the job is finished or failed."""
        return "finished" if self.value is not None else "failed"


def fingerprint(table: Table) -> str:
    """Hash what learners see of a table: attributes with their names, kinds and values, and the classes.

    Parameters
    ----------
    table : Table
        Its name and the name of its class do not count.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits.

    Examples
    --------
    >>> import fivefold as ff
    >>> from dataclasses import replace
    >>> iris = ff.data.load("IR")
    >>> fingerprint(iris) == fingerprint(replace(iris, name="flowers"))
    True
    >>> fingerprint(iris) == fingerprint(ff.data.load("BC"))
    False
    """
    if not isinstance(table, Table):
        raise InputTypeError(
            "a Table",
            f"{show(table)} ({type(table).__name__})",
            "make one with fivefold.data.Table.from_frame",
        )
    hashed = hashlib.sha256()
    for column in table.columns:
        head = [column.name, column.kind, None if column.categories is None else list(column.categories)]
        hashed.update(canonical(encode(head)).encode())
        if column.categories is None:
            # one NaN for all of them, and one zero
            values = np.where(np.isnan(column.values), np.nan, column.values + 0.0)
            hashed.update(values.astype("<f8").tobytes())
        else:
            hashed.update(column.values.astype("<i4").tobytes())
    labels, codes = np.unique(table.y, return_inverse=True)
    hashed.update(canonical(encode(labels.tolist())).encode())
    hashed.update(codes.astype("<i4").tobytes())
    return hashed.hexdigest()


_SHARED: dict[str, Any] = {}


def share(objects: Mapping[str, Any]) -> None:
    """Make objects known to the tasks that run in this process."""
    _SHARED.update(objects)


def shared(name: str) -> Any:
    """Give an object that the study shares with its jobs; for use inside a task.

    Parameters
    ----------
    name : str
        A name that was in ``Study(…, shared={name: object})``; the fingerprint for a table of a plan.
    """
    if not isinstance(name, str) or name not in _SHARED:
        raise InputError(
            "an object that the study shares with its jobs", show(name), "pass it in Study(…, shared=…)"
        )
    return _SHARED[name]


# Keys name a learner by the place where it stood when results were first stored: moving it leaves them valid.
_FIRST_PLACES = {
    "fivefold.borders.MeasureClassifier": "fivefold.borders.measure_classifier.estimator.MeasureClassifier",
    "fivefold.learners.C45Rules": "fivefold.learners.c45.rules.C45Rules",
    "fivefold.learners.C45Tree": "fivefold.learners.c45.tree.C45Tree",
    "fivefold.learners.C5Rules": "fivefold.learners.c5.rules.C5Rules",
    "fivefold.learners.DecisionStump": "fivefold.learners.decision_stump.DecisionStump",
    "fivefold.learners.Foil": "fivefold.learners.foil.estimator.Foil",
    "fivefold.learners.ID3": "fivefold.learners.id3.estimator.ID3",
    "fivefold.learners.Induct": "fivefold.learners.induct.estimator.Induct",
    "fivefold.learners.MMLGraph": "fivefold.learners.mml.graph.MMLGraph",
    "fivefold.learners.MMLTree": "fivefold.learners.mml.tree.MMLTree",
    "fivefold.learners.NaiveBayes": "fivefold.learners.naive_bayes.NaiveBayes",
    "fivefold.learners.OneR": "fivefold.learners.one_r.estimator.OneR",
    "fivefold.learners.ParsimoniousDiscrimination": (
        "fivefold.learners.discrimination.estimator.ParsimoniousDiscrimination"
    ),
    "fivefold.learners.Prism": "fivefold.learners.prism.estimator.Prism",
    "fivefold.learners.SuperParent": "fivefold.learners.super_parent.estimator.SuperParent",
}
# and a parameter by its first name
_FIRST_PARAMETERS = {
    "fivefold.learners.c45.rules.C45Rules": {"min_cases": "min_objs"},
    "fivefold.learners.c45.tree.C45Tree": {"min_cases": "min_objs"},
}
_PUBLIC_PLACES = {first: public for public, first in _FIRST_PLACES.items()}

_ALLOWED = "None, booleans, numbers, text, lists, tuples, mappings with text keys, types and estimators"


def encode(value: Any, where: str = "the value") -> Json:
    """Turn a value into JSON from which `decode` makes an equal value again; `where` is its name in an error.

    Floats keep every bit, as Python writes the shortest text that reads back as the same number. What JSON does
    not have is tagged: ``{"$float": "inf"}``, ``{"$tuple": […]}``, ``{"$type": "numpy.float64"}``, and an
    estimator is its class with all its parameters, ``{"$estimator": "…", "params": {…}}``, and the hash of the
    files that define it where no installed library brought them.

    Examples
    --------
    >>> encode({"depth": 3, "rate": float("inf")})
    {'depth': 3, 'rate': {'$float': 'inf'}}
    """
    if isinstance(value, (np.number, np.bool_)):
        value = value.item()
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": str(value)}
    if isinstance(value, Mapping):
        return _encode_mapping(value, where)
    if isinstance(value, (list, tuple, np.ndarray)):
        items = value.tolist() if isinstance(value, np.ndarray) else value
        encoded = [encode(item, f"{where}[{i}]") for i, item in enumerate(items)]
        return {"$tuple": encoded} if isinstance(value, tuple) else encoded
    if isinstance(value, type):
        return {"$type": _path_of(value, where)}
    if hasattr(value, "get_params"):
        return _encode_estimator(value, where)
    raise InputTypeError(f"{where} to be made of {_ALLOWED}", f"{show(value)} ({type(value).__name__})")


def _encode_mapping(value: Mapping[Any, Any], where: str) -> Json:
    for name in value:
        if not isinstance(name, str) or name.startswith("$"):
            raise InputError(f'{where} to have names that are text and do not begin with "$"', show(name))
    return {name: encode(part, f"{where}, {name}") for name, part in value.items()}


def _encode_estimator(value: Any, where: str) -> Json:
    path = _path_of(type(value), where)
    first_names = _FIRST_PARAMETERS.get(path, {})
    encoded = {
        first_names.get(name, name): encode(param, f"{where}, parameter {name}")
        for name, param in value.get_params(deep=False).items()
    }
    code = _code_of(type(value))
    return {"$estimator": path, "params": encoded, **({"code": code} if code else {})}


def _code_of(kind: type) -> str:
    """Hash the files of a class and of its parents that belong to no installed library; empty if all do.

    A library has a version, which is kept with each result; the user's own module has none, and is edited.
    """
    names = dict.fromkeys(parent.__module__ for parent in kind.__mro__)
    files = [_own_file(name) for name in names if name.partition(".")[0] not in ("builtins", "fivefold")]
    hashed = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file is not None]
    return digest(hashed) if hashed else ""


@cache
def _own_file(module: str) -> Path | None:
    """Give the file of a module that no library brought."""
    file = getattr(sys.modules.get(module), "__file__", None)
    path = None if file is None else Path(file).resolve()
    if path is None or not path.is_file() or {"site-packages", "dist-packages"} & set(path.parts):
        return None
    folders = {Path(folder).resolve() for name, folder in sysconfig.get_paths().items() if "lib" in name}
    return None if folders & set(path.parents) else path


def _path_of(kind: type, where: str) -> str:
    path = f"{kind.__module__}.{kind.__qualname__}"
    if "<locals>" in path or kind.__module__ == "__main__":
        raise InputError(
            f"{where} to be of a class that other processes can import", path, "move it to a module"
        )
    public = ".".join([*path.split(".")[:2], kind.__qualname__])
    return _FIRST_PLACES.get(public, path)


def decode(value: Json, *, estimators: bool = False) -> Any:
    """Make the value again that `encode` was given.

    With `estimators` types and estimators are made, too, for which their modules are imported; results need none.

    Examples
    --------
    >>> decode({"depth": 3, "rate": {"$float": "inf"}})
    {'depth': 3, 'rate': inf}
    """
    if isinstance(value, list):
        return [decode(item, estimators=estimators) for item in value]
    if not isinstance(value, dict):
        return value
    if "$float" in value:
        return float(value["$float"])
    if "$tuple" in value:
        return tuple(decode(item, estimators=estimators) for item in value["$tuple"])
    if "$type" in value or "$estimator" in value:
        return _decode_class(value, estimators)
    return {name: decode(part, estimators=estimators) for name, part in value.items()}


def _decode_class(value: dict[str, Any], estimators: bool) -> Any:
    if not estimators:
        raise InputError("plain values", show(value), "only jobs hold types and estimators, results do not")
    if "$type" in value:
        return import_class(value["$type"])
    path = value["$estimator"]
    names = {first: name for name, first in _FIRST_PARAMETERS.get(path, {}).items()}
    params = {
        names.get(name, name): decode(param, estimators=True) for name, param in value["params"].items()
    }
    return import_class(path)(**params)


def import_class(path: str) -> type:
    """Import a class by its dotted path; nothing else than a class is given out."""
    module, _, name = _PUBLIC_PLACES.get(path, path).rpartition(".")
    try:
        kind = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError, TypeError) as problem:
        raise InputError(
            "the dotted path of a class that can be imported", f"{path!r} ({problem})", "check the spelling"
        ) from problem
    if not isinstance(kind, type):
        raise InputError("the dotted path of a class", f"{path!r}, which is {show(kind)}")
    return kind


def canonical(value: Json) -> str:
    """Write encoded JSON in one way only: sorted names, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Json) -> str:
    """Give the SHA-256 of encoded JSON in its canonical form, in hexadecimal digits."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
