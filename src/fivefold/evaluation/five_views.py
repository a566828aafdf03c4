"""Evaluate models, or what they said about known cases: one call, five views, one verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError, InputTypeError, show
from fivefold.evaluation.bets_view import BetsView
from fivefold.evaluation.bits_view import BitsView
from fivefold.evaluation.comparisons import (
    VIEWS,
    Comparison,
    ModelViews,
    compare_accuracy,
    compare_with_best,
    comparison_findings,
    find_disagreements,
    find_repeats,
    find_rows_needed,
    rank_models,
)
from fivefold.evaluation.evaluation import Evaluation
from fivefold.evaluation.findings import ANSWERS_ONLY, CAME_FITTED, NOT_ASKED, Finding
from fivefold.evaluation.models import (
    CameFitted,
    Exam,
    LabelledCases,
    Trained,
    all_classes,
    describe_protocol,
    find_doubts,
    is_fitted,
    name_models,
    split_cases,
    train,
    why_no_probabilities,
)
from fivefold.evaluation.slices_view import SlicesView, look_at_differences, look_at_slices
from fivefold.evaluation.truth_view import PATIENCE, look_at_truth
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int
from fivefold.inputs.predictions import Predictions, predictions_from_table

if TYPE_CHECKING:
    from fivefold.evaluation.borders_view import BordersView


UNNAMED = "true class"
# about so many cases are asked to draw and measure the borders of four features; they get more time than a fit
# training cells, of which models such as nearest neighbours read many for each question
BORDER_PATIENCE = 0.5


@dataclass(frozen=True)
class Setting:
    """How to judge.

    Parameters
    ----------
    random_state : int
        Seed of everything random.
    target : str
        What slices call the true class.
    views : tuple of str
        The views to take; bits are always counted, for all others stand beside them.
    n_jobs : int or None
        How many fits run at the same time.
    patience : float
        How many cells the fits of a model's cross-validation may read; borders are found for models that were
        trained on half as many.
    protocol : str
        Which cases the models were trained on and which they were asked.
    """

    random_state: int = 0
    target: str = UNNAMED
    views: tuple[str, ...] = VIEWS
    n_jobs: int | None = None
    patience: float = PATIENCE
    protocol: str = ""


Origin = Trained | CameFitted | None


def evaluate_models(
    said: Sequence[Predictions],
    random_state: int = 0,
    *,
    target: str = UNNAMED,
    trained: Sequence[Trained | CameFitted] = (),
    setting: Setting | None = None,
) -> Evaluation:
    """Evaluate checked predictions on the same cases.

    Parameters
    ----------
    said : sequence of Predictions
        What each model said.
    random_state : int
        Seed of everything random.
    target : str
        What slices call the true class.
    trained : sequence of Trained or CameFitted
        Where the models come from, for the views of their borders and of the truth; where that is known.
    setting : Setting, optional
        More of how to judge; instead of `random_state` and `target`.
    """
    if not said:
        raise InputError("at least one model", "none")
    if len({each.name for each in said}) < len(said):
        raise InputError("models of different names", f"{[each.name for each in said]}")
    how = setting or Setting(random_state, target)
    known = {each.predictions.name: each for each in trained}
    models = tuple(_look(each, known.get(each.name), how) for each in said)
    differences = look_at_differences(models, how.random_state) if "slices" in how.views else None
    comparisons = _compare(models)
    found = _find(models, comparisons, differences, trained, how)
    return Evaluation(
        models,
        comparisons,
        tuple(sorted(found, key=lambda each: each.importance)),
        how.random_state,
        differences,
        rank_models(models, comparisons),
        how.target if how.target != UNNAMED else "",
        how.protocol,
    )


def _find(
    models: Sequence[ModelViews],
    comparisons: Sequence[Comparison],
    differences: SlicesView | None,
    origins: Sequence[Trained | CameFitted],
    how: Setting,
) -> list[Finding]:
    """Collect all findings, view by view."""
    trained = {each.predictions.name: each for each in origins if isinstance(each, Trained)}
    learners = [model for model in models if model.name in trained]
    return [
        *find_disagreements(models, comparisons),
        *find_doubts(origins),
        _baseline(models[0]),
        *(model.bits.finding() for model in models),
        *comparison_findings([each for each in comparisons if each.view == "bits"]),
        *(model.bets.finding() for model in models if model.bets),
        *comparison_findings([each for each in comparisons if each.view == "bets"]),
        *(model.truth.finding() for model in models if model.truth),
        *(
            find_repeats(learners, next(iter(trained.values())).X)
            if learners and "truth" in how.views
            else ()
        ),
        *(find_rows_needed(models, comparisons) if "truth" in how.views else ()),
        *(model.slices.finding() for model in models if model.slices),
        *([differences.finding()] if differences else []),
        *(model.borders.finding() for model in models if model.borders),
    ]


def _baseline(model: ModelViews) -> Finding:
    """Say what a model would reach that has learned nothing but the most frequent class."""
    view = model.bits
    sentence = (
        f"Always answering {view.default_class!r} is right on {view.default_rate:.1%} of the cases "
        f"and saves no bits: without any answers the classes take {view.encoding.null:,.1f} bits."
    )
    evidence = {
        "default_class": view.default_class,
        "default_rate": view.default_rate,
        "null_bits": view.encoding.null,
    }
    return Finding("bits", (), sentence, evidence)


def _look(said: Predictions, origin: Origin, how: Setting) -> ModelViews:
    bits = BitsView.of(said, how.random_state)
    absent = {view: NOT_ASKED for view in VIEWS if view not in how.views and view != "bits"}
    bets = slices = borders = truth = None
    if "bets" in how.views:
        bets, absent["bets"] = _bets(said, origin, how.random_state)
    if "truth" in how.views:
        truth = look_at_truth(bits, origin, how.random_state, n_jobs=how.n_jobs, patience=how.patience)
    if "slices" in how.views:
        slices, absent["slices"] = look_at_slices(
            said, how.target, how.random_state, _measures(said, bits, bets)
        )
    if "borders" in how.views:
        borders, absent["borders"] = _borders(origin, how)
    absent = {view: reason for view, reason in absent.items() if reason}
    return ModelViews(said.name, said, bits, bets, absent, slices, borders, truth)


def _measures(
    said: Predictions, bits: BitsView, bets: BetsView | None
) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Give what is known of each case, so that slices can show how all measures change inside them."""
    measures = {("bits saved", "a case"): bits.encoding.null_per_example - bits.encoding.mean_per_example}
    if bets is not None:
        reward = bets.log_reward.per_example
        measures["reward of bets on all classes", "bits a case"] = reward
        measures["probability that was given to the truth", "mean"] = np.exp2(reward) / said.n_classes
    return measures


def _bets(said: Predictions, origin: Origin, random_state: int) -> tuple[BetsView | None, str]:
    if said.probabilities is None:
        return None, why_no_probabilities(origin.model) if origin else "no probabilities were stated"
    if said.n_cases < 2:
        return None, "one case alone has no calibration"
    return BetsView.of(said, random_state), ""


def _borders(origin: Origin, how: Setting) -> tuple[BordersView | None, str]:
    if not isinstance(origin, Trained):
        return None, CAME_FITTED if origin else ANSWERS_ONLY
    limit = BORDER_PATIENCE * how.patience
    if origin.n_cells > limit:
        return None, f"it was trained on more than {limit:,.0f} cells, and its borders would take long"
    # Geometry takes a while to load, and a file of predictions does not need it.
    from fivefold.evaluation.borders_view import look_at_borders

    try:
        return look_at_borders(origin.predictions.name, origin.model, origin.X, origin.y, how.random_state)
    except (InputError, InputTypeError) as problem:
        return None, f"borders need {problem.expected}, and there is {problem.got}"


def _compare(models: Sequence[ModelViews]) -> tuple[Comparison, ...]:
    names = [model.name for model in models]
    bits = [-model.bits.encoding.mean_per_example for model in models]
    found = [
        *compare_accuracy(names, [model.right for model in models]),
        *compare_with_best("bits", names, bits, "bits a case"),
    ]
    stated = [(model.name, model.bets.log_reward.per_example) for model in models if model.bets]
    if len(stated) > 1:
        bettors, scores = zip(*stated, strict=True)
        found += compare_with_best("bets", bettors, scores, "bits a case")
    return tuple(found)


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


def evaluate_predictions(
    table: Any,
    *,
    target: str,
    predictions: Sequence[str] | Mapping[str, str] = (),
    probabilities: Mapping[str, Any] | None = None,
    features: Sequence[str] | None = None,
    classes: object = None,
    random_state: int = 0,
) -> Evaluation:
    """Evaluate models by what they said about known cases; the models themselves are not needed.

    Parameters
    ----------
    table : pandas, polars or pyarrow table
        One row for each case.
    target : str
        Column of the true class.
    predictions : sequence of str, or mapping of model name to column
        Columns of answers: one class, several ("cat|dog"), or none (empty).
    probabilities : mapping of model name to columns, optional
        A prefix (columns ``prefix + class``), a single column (of the second of two classes), or a mapping of
        class to column.
    features : sequence of str, optional
        Columns that describe the cases; by default all that have no other role.
    classes : array-like, optional
        All classes of the problem; without it those that occur.
    random_state : int
        Seed of everything random; the same seed gives the same evaluation.

    Returns
    -------
    Evaluation

    Notes
    -----
    All views are taken except borders, which need the model. Truth can say how well the error of these answers is
    known, and how many cases would settle which of the two best models is better; how a model from other training
    cases would do it cannot.

    Examples
    --------
    >>> import fivefold as ff
    >>> import polars as pl
    >>> table = pl.DataFrame({"y": ["a", "b"] * 40, "good": ["a", "b"] * 40, "lazy": ["a"] * 80})
    >>> found = ff.evaluate_predictions(table, target="y", predictions=["good", "lazy"])
    >>> print(found)
    Evaluation of 2 models on 80 cases of 2 classes
    >>> found.frame().select("model", "accuracy").rows()
    [('good', 1.0), ('lazy', 0.5)]
    """
    seed = positive_int(random_state, "random_state", least=0)
    said = predictions_from_table(
        table,
        target=target,
        predictions=predictions,
        probabilities=probabilities,
        features=features,
        classes=classes,
    )
    return evaluate_models(said, seed, target=target)
