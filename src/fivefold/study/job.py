"""Job: one piece of work, known by the hash of everything that its result depends on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from fivefold.errors import InputError, show
from fivefold.inputs.options import positive_int
from fivefold.study.codec import Json, digest, encode

TaskFunction: TypeAlias = Callable[[Mapping[str, Any], int], Mapping[str, Any]]
F = TypeVar("F", bound=TaskFunction)


@dataclass(frozen=True)
class Task:
    """A kind of work: its name, its version and the function that does it."""

    name: str
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
        TASKS[name] = Task(name, version, function)
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
        parameters) and seed. A job with another parameter is another job; the same job has the same key on every
        machine.
    """

    task: str
    params: Mapping[str, Any]
    seed: int = 0
    labels: Mapping[str, str | int] = field(default_factory=dict)
    group: str | None = None

    def __post_init__(self) -> None:
        if self.task not in TASKS:
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
