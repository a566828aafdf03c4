"""Evaluate models themselves.

Those that are not fitted are fitted to a part of the cases and asked the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from fivefold.errors import InputError, InputTypeError, show
from fivefold.evaluate.error_estimates import PATIENCE
from fivefold.evaluate.evaluation import Evaluation
from fivefold.evaluate.exam import Exam, LabelledCases, all_classes, split_cases
from fivefold.evaluate.judging import UNNAMED, Setting, evaluate_models
from fivefold.evaluate.model_views import VIEWS
from fivefold.evaluate.named_models import is_fitted, name_models
from fivefold.evaluate.protocol import describe_protocol
from fivefold.evaluate.training import CameFitted, Trained, train
from fivefold.inputs.options import RandomState, as_generator, one_of


def evaluate(
    models: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    y_test: Any = None,
    views: Sequence[str] | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> Evaluation:
    """Judge classifiers in five views, and say first where the views disagree.

    ======================  ===================================  ===============================================
    models                  without `X_test`                     with `X_test`
    ======================  ===================================  ===============================================
    all fitted              asked about all of `X`               asked about `X_test`
    none fitted             clones are fitted to two thirds of   clones are fitted to `X` and asked about
                            the cases and asked about the rest   `X_test`
    some fitted             as above, and the fitted ones are    as above
                            asked about the same third
    ======================  ===================================  ===============================================

    No clone sees a case that it is asked about. On which cases a model was trained that came fitted nobody can
    tell: if it has seen the test cases its numbers are too good, and beside models that were fitted here the
    first findings say so.

    Parameters
    ----------
    models : classifier, mapping of name to classifier, or sequence of classifiers or (name, classifier) pairs
        Anything with `predict`; with `fit` and `get_params` if it is not fitted. `predict_proba` with `classes_`
        gives probabilities, `predict_sets` answers of several classes or none. None of them is changed.
    X : dataframe or 2-D array-like
        The cases.
    y : array-like
        Their classes: text, whole numbers or booleans.
    X_test, y_test : optional
        Cases to ask about; without them a third of the cases, drawn class by class.
    views : sequence of {"bits", "bets", "truth", "slices", "borders"}, optional
        The views to take; all by default. Bits are always counted. Cross-validation for the truth is left out,
        with its reason, where its fits would read more than a million cells; name "truth" here to wait for it.
    n_jobs : int, optional
        How many fits run at the same time, as in joblib. The result does not depend on it.
    random_state : int, Generator or None
        The source of the split, of orders, draws and folds, and of the seeds of models that have none. With None,
        a seed is drawn, and kept in the result.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import fivefold as ff
    >>> iris = ff.data.load("IR")
    >>> models = {"1R": ff.learners.OneR(), "tree": ff.learners.C45Tree()}
    >>> found = ff.evaluate(models, iris.X, iris.y, views=["bits", "bets"], random_state=0)
    >>> print(found)
    Evaluation of 2 models on 50 cases of 3 classes
    >>> print(found.protocol)
    1R and tree were fitted to 100 of the 150 cases and asked about the other 50, drawn class by class.
    """
    named = name_models(models)
    seed = _as_seed(random_state)
    chosen, patience = _read_views(views)
    cases, test = LabelledCases.read(X, y), _read_test(X_test, y_test)
    fitted = {name: model for name, model in named.items() if is_fitted(model)}
    exam = _set_exam(cases, test, fitted, len(fitted) < len(named), seed)
    origins = _ask_all(named, fitted, exam, seed, n_jobs)
    setting = Setting(seed, _name_of(y), chosen, n_jobs, patience, describe_protocol(origins, exam))
    return evaluate_models([each.predictions for each in origins], trained=origins, setting=setting)


def _set_exam(
    cases: LabelledCases, test: LabelledCases | None, fitted: Mapping[str, Any], some_learn: bool, seed: int
) -> Exam:
    """Decide which cases are for learning and which are for asking; see the table above."""
    classes = all_classes([cases, test] if test else [cases], fitted)
    if test is not None:
        return Exam(cases if some_learn else None, test, classes)
    return split_cases(cases, classes, random_state=seed) if some_learn else Exam(None, cases, classes)


def _ask_all(
    named: Mapping[str, Any], fitted: Mapping[str, Any], exam: Exam, seed: int, n_jobs: int | None
) -> list[Trained | CameFitted]:
    def one(name: str, model: Any) -> Trained | CameFitted:
        if name in fitted:
            return CameFitted(exam.question(name, model), model)
        return train(name, model, exam, seed)

    if n_jobs in (None, 1) or len(named) == 1:
        return [one(name, model) for name, model in named.items()]
    from joblib import Parallel, delayed

    done: list[Trained | CameFitted] = Parallel(n_jobs=n_jobs)(
        delayed(one)(name, model) for name, model in named.items()
    )
    return done


def _as_seed(random_state: RandomState) -> int:
    """Keep a seed as it is, so that it stands in the result; draw one otherwise."""
    rng = as_generator(random_state)
    return int(random_state) if isinstance(random_state, Integral) else int(rng.integers(2**31))


def _read_views(views: Sequence[str] | None) -> tuple[tuple[str, ...], float]:
    """Give the views to take, and for how long to wait for cross-validation."""
    if views is None:
        return VIEWS, PATIENCE
    if isinstance(views, str):
        raise InputTypeError("views to be a list", show(views), f"write [{views!r}]")
    asked = {one_of(view, VIEWS, "each of views") for view in views}
    if not asked:
        raise InputError("views to name at least one", "none", f"they are {', '.join(VIEWS)}")
    return tuple(view for view in VIEWS if view in asked), float("inf")


def _read_test(X_test: Any, y_test: Any) -> LabelledCases | None:
    if (X_test is None) != (y_test is None):
        lacking = "X_test" if X_test is None else "y_test"
        raise InputError("X_test and y_test together", f"no {lacking}")
    return None if X_test is None else LabelledCases.read(X_test, y_test, ("X_test", "y_test"))


def _name_of(y: Any) -> str:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else UNNAMED
