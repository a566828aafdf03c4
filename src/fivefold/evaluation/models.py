"""Models as they are given: named, fitted where they are not, and asked about cases that they have not seen."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from fivefold.data.table import Table
from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.groups import Groups, read_groups, take_groups
from fivefold.inputs.labels import (
    as_labels,
    distinct,
    encode_truth,
    given_classes,
    read_labels,
    refuse_strange_answers,
    sort_classes,
)
from fivefold.inputs.options import fraction, show_list, yes_or_no
from fivefold.inputs.predictions import Predictions
from fivefold.plain_text import listed
from fivefold.progress import part, track
from fivefold.results import make_frame
from fivefold.training.class_alignment import predicted_probabilities, predicted_sets
from fivefold.training.fit_predict import WANTS_NUMBERS, can_predict, check_n_rows, class_name, take_rows
from fivefold.training.seeds import refuse_class, seeded
from fivefold.training.splits import Rows, groups_for, split_by_class

MODEL_FILES = (".joblib", ".pkl", ".pickle", ".skops")
_CLASS_NUMBERS = "classes= says what its class numbers 0, 1, … are called, in their order"


def name_models(models: Any) -> dict[str, Any]:
    """Give every model a name: its own, or its class's (a pipeline's last step's), numbered where it recurs.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> list(name_models([DecisionTreeClassifier(max_depth=1), DecisionTreeClassifier()]))
    ['DecisionTreeClassifier 1', 'DecisionTreeClassifier 2']
    """
    if isinstance(models, Mapping):
        named = [(name, model) for name, model in models.items()]
    elif isinstance(models, Sequence) and not isinstance(models, str):
        named = _number([given if _is_pair(given) else (class_name(given), given) for given in models])
    else:
        named = [(class_name(models), models)]
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
    except AttributeError:  # no estimator of scikit-learn's, but with its habit of naming what was learned
        return any(name.endswith("_") and not name.startswith("_") for name in getattr(model, "__dict__", ()))
    return True


def _is_pair(given: Any) -> bool:
    """Tell a pair of name and model, as scikit-learn's pipelines have them, from a model alone."""
    return isinstance(given, tuple) and len(given) == 2


def open_models(models: Any, trust: bool) -> Any:
    """Load what is given as a file, if the user trusts it: a stored model can run any code when it is loaded."""
    if isinstance(models, Mapping):
        return {name: _open_model(model, trust) for name, model in models.items()}
    if isinstance(models, str | PathLike):
        models = [models]
    return [_open_pair(given, trust) for given in models] if isinstance(models, Sequence) else models


def _open_pair(given: Any, trust: bool) -> Any:
    if isinstance(given, str | PathLike):
        return Path(given).name.split(".")[0], _open_model(given, trust)
    return (given[0], _open_model(given[1], trust)) if _is_pair(given) else given


def _open_model(model: Any, trust: bool) -> Any:
    if not isinstance(model, str | PathLike):
        return model
    path = Path(model)
    if path.suffix.lower() not in MODEL_FILES:
        hint = "give an estimator, such as ff.learners.C45Tree(), or load the file yourself"
        raise InputError(f"a model, or a file that ends in {', '.join(MODEL_FILES)}", show(str(model)), hint)
    if not yes_or_no(trust, "trust"):
        hint = "a stored model can run any code when it is loaded; say so only of files from people you trust"
        raise InputError("trust=True with a model's file", f"trust=False for {show(path.name)}", hint)
    if not path.is_file():
        raise InputError("a file that is there", show(str(path)))
    if path.suffix.lower() == ".skops":
        try:
            storage = importlib.import_module("skops.io")
        except ImportError as error:
            raise ImportError("a .skops file needs skops: pip install skops") from error
        return _load(lambda: storage.load(path, trusted=storage.get_untrusted_types(file=path)), path)
    import joblib

    return _load(lambda: joblib.load(path), path)


def _load(load: Callable[[], Any], path: Path) -> Any:
    """Load a model; what is in a file of a model can go wrong in any way."""
    try:
        return load()
    except Exception as error:
        raise InputError(
            "a file of a model that can be loaded",
            f"{show(path.name)}, which gives {type(error).__name__}: {show(str(error), 120)}",
            "it may be damaged, or need a library or a version that is not installed",
        ) from error


def _number(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    names = [name for name, _ in pairs]
    given = [isinstance(name, str) and name != class_name(model) for name, model in pairs]
    return [
        (name, model) if own or names.count(name) == 1 else (f"{name} {1 + names[:place].count(name)}", model)
        for place, ((name, model), own) in enumerate(zip(pairs, given, strict=True))
    ]


def _check(name: Any, model: Any) -> None:
    from sklearn.base import is_regressor

    if not isinstance(name, str) or not name:
        raise InputTypeError("a name for every model", f"{show(name)} ({type(name).__name__})")
    who, kind = f"the model {name!r}", type(model).__name__
    refuse_class(model, f"{who} to be an object")
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise InputTypeError(f"{who} to be a classifier", f"the regressor {kind}")
    if not can_predict(model):
        hint = "a search needs refit=True" if getattr(model, "refit", None) is False else None
        raise InputTypeError(f"{who} to have predict", f"{show(model)} ({kind}) without it", hint)


def collect_answers(name: str, model: Any, X: Any, y: NDArray[Any], classes: NDArray[Any]) -> Predictions:
    """Collect a model's answers and probabilities over all classes, also those it has not seen."""
    return Predictions.from_answers(
        y,
        _answers(model, X, classes),
        y_prob=None if why_no_probabilities(model) else predicted_probabilities(model, X, classes),
        classes=classes,
        features=_describing(X),
        name=name,
    )


def _describing(X: Any) -> Any:
    """Give the columns that describe the cases; texts alone, as vectorisers learn from them, are one."""
    if getattr(X, "ndim", 1) == 1 and isinstance(next(iter(X), None), str):
        return make_frame({"text": list(X)}, "pandas" if hasattr(X, "iloc") else "polars")
    return None if issparse(X) else X


def why_no_probabilities(model: Any) -> str:
    """Say why a model's probabilities cannot be used; an empty text if they can.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> why_no_probabilities(LinearSVC())
    'it states no probabilities (there is no predict_proba)'
    """
    if not hasattr(model, "predict_proba"):
        return "it states no probabilities (there is no predict_proba)"
    if not hasattr(model, "classes_"):
        return "it does not say to which class each of its probabilities belongs (there is no classes_)"
    return ""


def _answers(model: Any, X: Any, classes: NDArray[Any]) -> Any:
    if not hasattr(model, "predict_sets"):
        return np.asarray(model.predict(X))
    sets = predicted_sets(model, X, classes)
    # answers with one class each become labels, which are faster to judge
    return classes[sets.argmax(axis=1)] if np.all(sets.sum(axis=1) == 1) else sets


def name_numbers(models: Mapping[str, Any], classes: Sequence[Any] | None) -> dict[str, Any]:
    """Name the classes of fitted models that know them as the numbers 0, 1, …."""
    if classes is None:
        return dict(models)
    names = given_classes(classes)

    def named(model: Any) -> Any:
        known = np.asarray(getattr(model, "classes_", ()))
        numbers = (
            known.dtype.kind in "iuf" and known.size == len(names) and np.all(known == np.arange(known.size))
        )
        if not numbers or names.dtype.kind in "iu":
            return model
        from fivefold.learners.labels import NumberedClasses

        return NumberedClasses(model, names)

    return {name: named(model) for name, model in models.items()}


@dataclass(frozen=True, eq=False)
class LabelledCases:
    """A table of cases and the class of each."""

    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    groups: Groups | None = field(default=None, repr=False)

    @classmethod
    def read(cls, X: Any, y: Any, names: tuple[str, str] = ("X", "y"), groups: Any = None) -> LabelledCases:
        """Check that there are as many classes, and groups, as rows."""
        labels = as_labels(y, names[1])
        # scikit-learn takes numbers and truth values only as such
        if labels.dtype == object and set(map(type, labels.tolist())) in ({bool}, {int}, {float}):
            labels = np.array(labels.tolist())
        X, groups = take_groups(X, groups)
        check_n_rows(X, len(labels), names)
        return cls(X, labels, read_groups(groups, len(labels)))

    def __len__(self) -> int:
        return len(self.y)

    def rows(self, rows: Rows) -> LabelledCases:
        """Take some of the cases, in the kind of table that came in."""
        groups = self.groups and self.groups.part(rows)
        return LabelledCases(take_rows(self.X, rows), self.y[rows], groups)


@dataclass(frozen=True, eq=False)
class Split:
    """Cases to learn from and cases to be asked about."""

    learn: LabelledCases | None
    ask: LabelledCases
    classes: NDArray[Any]
    rows: Rows | None = field(default=None, repr=False)
    by_class: bool = False
    given: LabelledCases | None = field(default=None, repr=False)

    def ask_model(self, name: str, model: Any) -> Predictions:
        """Collect what a fitted model says about the cases to be asked about."""
        answers = collect_answers(name, model, self.ask.X, self.ask.y, self.classes)
        return replace(answers, rows=self.rows, groups=self.ask.groups)


def choose_split(
    cases: LabelledCases,
    test: LabelledCases | None,
    fitted: Mapping[str, Any],
    some_learn: bool,
    seed: int,
    given: Sequence[Any] | None = None,
    test_share: float = 1 / 3,
) -> Split:
    """Decide which cases are for learning and which for asking, as the table at `evaluate` has it.

    Without a test, cases to be asked are drawn at random, class by class where every class has two cases.
    """
    classes = all_classes([cases, test] if test else [cases], fitted, given)
    if test is not None:
        _refuse_other_order(cases.X, test.X)
        return Split(cases if some_learn else None, test, classes, given=cases)
    if not some_learn:
        return Split(None, cases, classes)
    share = fraction(test_share, "test_share")
    learn, ask, by_class = split_by_class(cases.y, share, seed, cases.groups)
    split = Split(cases.rows(learn), cases.rows(ask), classes, ask, by_class)
    if split.ask.groups is not None and split.ask.groups.n_groups < 2:
        hint = "a larger test_share, or X_test; a single group is a single observation"
        raise InputError("at least two groups among the cases to be asked", f"one, of {cases.groups}", hint)
    return split


def _refuse_other_order(X: Any, X_test: Any) -> None:
    """Refuse the same columns in another order, for models take columns by their place."""
    ours, theirs = (list(getattr(t, "column_names", getattr(t, "columns", ()))) for t in (X, X_test))
    if ours != theirs and sorted(map(str, ours)) == sorted(map(str, theirs)):
        hint = "X_test = X_test[X.columns] puts them so"
        raise InputError("X_test with the columns of X in their order", show_list(theirs), hint)


def all_classes(
    tables: Sequence[LabelledCases], models: Mapping[str, Any], given: Sequence[Any] | None = None
) -> NDArray[Any]:
    """Collect the classes that occur or are given, and that fitted models know; every case must have one of them.

    The cases of the last table are those that are asked about.
    """
    columns = [read_labels(table.y, "y") for table in tables]
    labels = [] if given is None else given_classes(given).tolist()
    labels += [label for column in columns for label in distinct(column, "y")]
    asked = distinct(columns[-1], "y")
    refuse_strange_answers(asked, distinct(columns[0], "y"), "y")
    for name, model in models.items():
        known = getattr(model, "classes_", None)
        if known is not None:
            answers = distinct(known, f"the classes of {name!r}")
            refuse_strange_answers(asked, answers, f"the classes of {name!r}", _CLASS_NUMBERS)
            labels += answers
    labels = list(dict.fromkeys(labels))
    if len(labels) < 2:
        only = show(*labels) if labels else "missing values"
        raise InputError("y to hold at least two classes", f"only {only}")
    classes = sort_classes(labels)
    for column in columns:
        encode_truth(column, classes, "y")
    return classes


@dataclass(frozen=True, eq=False)
class Trained:
    """A model that was trained here, what it said about other cases, and how long a fit and its answers take."""

    predictions: Predictions
    model: Any = field(repr=False)
    X: Any = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    asked: Any = field(default=None, repr=False)
    groups: Groups | None = field(default=None, repr=False)
    seconds: float = field(default=0.0, repr=False)

    @property
    def n_cells(self) -> int:
        """How many cells the training cases have: cases times columns; texts have one column."""
        shape: tuple[int, ...] = getattr(self.X, "shape", ())
        return len(self.y) * (int(shape[1]) if len(shape) > 1 else 1)


@dataclass(frozen=True, eq=False)
class CameFitted:
    """A model that came fitted; `given`, with the table X, are cases beside the test: it may have learned them."""

    predictions: Predictions
    model: Any = field(repr=False)
    X: Any = field(default=None, repr=False)
    asked: Any = field(default=None, repr=False)
    given: LabelledCases | None = field(default=None, repr=False)


def train(name: str, model: Any, split: Split, random_state: int = 0) -> Trained:
    """Fit a clone of a model to the cases to learn from, and ask it about the others."""
    assert split.learn is not None
    learn, start = split.learn, perf_counter()
    with part() as step:
        step.begin(f"{name}: learning")
        fitted = fit_cases(seeded(model, random_state % 2**32, by_name=False), learn)
        step.begin(f"{name}: answers")
        answers = split.ask_model(name, fitted)
        seconds = perf_counter() - start
        return Trained(answers, fitted, learn.X, learn.y, split.ask.X, learn.groups, seconds)


def fit_cases(model: Any, learn: LabelledCases) -> Any:
    """Fit a model to the classes, or to their numbers where it takes nothing else, as XGBoost does."""
    told = groups_for(model, learn.groups)
    try:
        return model.fit(learn.X, learn.y, **told)
    except ValueError as error:
        if WANTS_NUMBERS not in str(error):
            raise
    from fivefold.learners.labels import NumberedClasses

    return NumberedClasses(model).fit(learn.X, learn.y, **told)


def hold_out(
    models: dict[str, Any],
    table: Table,
    *,
    test_share: float = 1 / 3,
    groups: str | None = None,
    random_state: int = 0,
    classes: Sequence[Any] | None = None,
) -> list[Trained | CameFitted]:
    """Fit each model to the same random part of the cases and collect its answers to the others.

    Those that came fitted are asked about the same others, or where all did about all cases.
    """
    cases = LabelledCases.read(table.X, table.y, groups=groups)
    fitted = name_numbers({name: model for name, model in models.items() if is_fitted(model)}, classes)
    split = choose_split(cases, None, fitted, len(fitted) < len(models), random_state, classes, test_share)
    named = track((models | fitted).items(), "model", len(models))
    return [ask(name, model, name in fitted, split, random_state) for name, model in named]


def ask(name: str, model: Any, fitted: bool, split: Split, seed: int) -> Trained | CameFitted:
    """Collect the answers of a model to the cases that are for asking; one that is not fitted is trained first."""
    try:
        if not fitted:
            return train(name, model, split, seed)
        with part(f"{name}: answers"):
            answers, given = split.ask_model(name, model), split.given
            return CameFitted(answers, model, given and given.X, split.ask.X, given)
    except Exception as error:
        error.add_note(f"This happened while {name!r} was being fitted or asked.")
        raise


def describe_protocol(origins: Sequence[Trained | CameFitted], split: Split) -> str:
    """Say who was fitted to which cases and asked about which."""
    from fivefold.learners.labels import NumberedClasses

    n_learn, asked = len(split.learn or ()), len(split.ask)
    here = [origin for origin in origins if isinstance(origin, Trained)]
    given = [origin for origin in origins if isinstance(origin, CameFitted)]
    numbered = [origin for origin in here if isinstance(origin.model, NumberedClasses)]
    sentences = []
    if split.learn is not None:
        cases = f"{n_learn:,} cases and asked about the {asked:,} given for the test"
        if split.rows is not None:
            drawn = "class by class" if split.by_class else "at random"
            drawn = "in whole groups" if split.ask.groups is not None else drawn
            others = f"the other {asked:,}, drawn {drawn}"
            cases = f"{n_learn:,} of the {n_learn + asked:,} cases and asked about {others}"
        sentences.append(f"{_were(here)} fitted to {cases}.")
    if numbered:
        sentences.append(f"{_were(numbered)} told the classes as numbers.")
    if given:
        which = "the same" if here else "all"
        only_if = f"only if {'it was' if len(given) == 1 else 'they were'} not trained on them"
        came = f"{_were(given, 'came already fitted and ')} asked about {which} {asked:,}"
        sentences.append(f"{came}, which is a test {only_if}.")
    return " ".join(sentences)


def _were(origins: Sequence[Trained | CameFitted], between: str = "") -> str:
    """Name the models of a sentence, with the verb."""
    names = [origin.predictions.name for origin in origins]
    return f"{listed(names)} {between}{'was' if len(names) == 1 else 'were'}"
