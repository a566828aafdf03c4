"""Plan: data sets x learners x splits x views, with one seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.options import positive_int
from fivefold.study.evaluation import TASK
from fivefold.study.fingerprints import fingerprint
from fivefold.study.job import Job
from fivefold.study.named import Recipe, find_learner, find_table, find_view
from fivefold.study.splits import Folds, Holdout, Splits
from fivefold.study.study import Study
from fivefold.study.views import View


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be compared; make one with `make_plan` or `read_plan`.

    Parameters
    ----------
    name : str
        The study's name.
    data : mapping of label to Table
        The data sets.
    learners : mapping of label to Recipe
        The learners.
    splits : Holdout or Folds
        How each data set is split; the same for all learners.
    views : mapping of label to View
        What is measured.
    seed : int
        The seed of everything random.
    """

    name: str
    data: Mapping[str, Table]
    learners: Mapping[str, Recipe]
    splits: Splits
    views: Mapping[str, View]
    seed: int

    def __repr__(self) -> str:
        sizes = (len(self.data), len(self.learners), len(self.splits.recipes()), len(self.views))
        counts = "{} data sets x {} learners x {} splits x {} views".format(*sizes)
        return f"Plan {self.name!r}: {counts}"

    def jobs(self) -> list[Job]:
        """Give a job for each combination; those that differ in the view only are one group."""
        jobs = []
        for data, table in self.data.items():
            code = fingerprint(table)
            for learner, recipe in self.learners.items():
                jobs.extend(self._jobs_of(code, data, learner, recipe.estimator_for(table)))
        return jobs

    def _jobs_of(self, code: str, data: str, learner: str, estimator: Any) -> list[Job]:
        views = {
            label: {"kind": view.kind, "options": view.all_options()} for label, view in self.views.items()
        }
        return [
            Job(
                TASK,
                {"data": code, "learner": estimator, "split": split, "view": view},
                self.seed,
                {"data": data, "learner": learner, "split": number, "view": label},
                f"{data} {learner} {number}",
            )
            for number, split in enumerate(self.splits.recipes())
            for label, view in views.items()
        ]

    def study(self, path: str | PathLike[str]) -> Study:
        """Give the study of this plan, with its results in a file.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> from fivefold.study import Holdout, make_plan
        >>> plan = make_plan("small", data=["LA"], learners=["1r", "nb"], splits=Holdout(3), views=["accuracy"])
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
    learners: Sequence[Any] | Mapping[str, Any],
    splits: Splits | Mapping[str, Any] | None = None,
    views: Sequence[str] | Mapping[str, Any] = ("accuracy", "bits", "bets"),
    seed: int = 0,
    folder: str | PathLike[str] = ".",
) -> Plan:
    """Make a plan of data sets, learners, splits and views.

    Parameters
    ----------
    name : str
        The study's name.
    data : sequence, or mapping of label to data set
        Names of `fivefold.data.load`, tables, or mappings ``{"path": …, "target": …}`` with the options of
        `fivefold.data.read`.
    learners : sequence, or mapping of label to learner
        Names of ``fivefold learners``, estimators, or mappings ``{"learner": name, "params": {…}}`` or
        ``{"class": dotted path, "params": {…}, "encode": true}``; "encode" turns nominal attributes into
        indicators and fills missing numbers with the median, for learners that take numbers only.
    splits : Holdout, Folds or mapping, optional
        By default 25 random halves.
    views : sequence, or mapping of label to options
        "accuracy", "bits", "bets", "theory", or metrics such as "auc". A mapping may have several of one kind:
        ``{"fails": {"view": "bits", "missing_test": "fails"}}``.
    seed : int
        The seed of everything random.
    folder : path
        To which the paths of files are relative.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> make_plan("trees", data=["IR", "BC"],
    ...     learners={"c45": {}, "forest": {"class": "sklearn.ensemble.RandomForestClassifier", "encode": True}},
    ...     splits={"kind": "folds", "folds": 10}, views=["accuracy", "bits"])
    Plan 'trees': 2 data sets x 2 learners x 10 splits x 2 views
    """
    if not isinstance(name, str) or not name:
        raise InputTypeError("a name for the study", show(name))
    return Plan(
        name,
        {label: find_table(label, spec, Path(folder)) for label, spec in _labelled(data, "data").items()},
        {label: find_learner(label, spec) for label, spec in _labelled(learners, "learners").items()},
        make_splits(splits),
        {label: find_view(label, spec) for label, spec in _labelled(views, "views").items()},
        positive_int(seed, "seed", least=0),
    )


def make_splits(splits: Splits | Mapping[str, Any] | None) -> Splits:
    """Make splits of a mapping whose ``kind`` is "holdout" or "folds"."""
    if isinstance(splits, (Holdout, Folds)):
        return splits
    options = dict(splits or {})
    kind = options.pop("kind", "holdout")
    kinds: dict[Any, Any] = {"holdout": Holdout, "folds": Folds}
    if kind not in kinds:
        raise InputError('splits of kind "holdout" or "folds"', show(kind))
    allowed = list(kinds[kind].__dataclass_fields__)
    for name in options:
        if name not in allowed:
            raise InputError(f"an option of {kind} splits", show(name), f"they have {', '.join(allowed)}")
    made: Splits = kinds[kind](**options)
    return made


def _labelled(given: Any, what: str) -> dict[str, Any]:
    """Give every entry a label: that of the mapping, or its own name."""
    if isinstance(given, Mapping):
        entries = list(given.items())
    elif isinstance(given, Sequence) and not isinstance(given, str):
        entries = [(_name_of(each), each) for each in given]
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
