"""Evaluate models, or what they said about known cases: one call, five views, one verdict."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from fivefold.bits.codes import mixture_null
from fivefold.data.locations import free_memory
from fivefold.errors import InputError, InputTypeError, show
from fivefold.evaluation import comparisons
from fivefold.evaluation.bets_view import BetsView
from fivefold.evaluation.bits_view import BitsView
from fivefold.evaluation.borders_view import BordersView, look_at_borders
from fivefold.evaluation.confidence_view import ConfidenceView
from fivefold.evaluation.evaluation import Evaluation, ModelViews
from fivefold.evaluation.findings import ALPHA, CAME_FITTED, NOT_ASKED, Advantage, Finding, Importance
from fivefold.evaluation.models import (
    CameFitted,
    LabelledCases,
    Trained,
    ask,
    choose_split,
    describe_protocol,
    is_fitted,
    name_models,
    name_numbers,
    open_models,
    why_no_probabilities,
)
from fivefold.evaluation.slices_view import (
    Measures,
    SlicesView,
    judge_features,
    look_at_differences,
    look_at_slices,
    read_features,
)
from fivefold.evaluation.truth_view import BUDGET, Budget, find_doubts, find_memories, look_at_truth
from fivefold.formulas import holm
from fivefold.inputs.answers import AnswerRules
from fivefold.inputs.few_numbers import CompactFrame
from fivefold.inputs.frames import as_few
from fivefold.inputs.groups import find_unnamed_groups, groups_of_test, warn_of_groups
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int, refuse_weights
from fivefold.inputs.predictions import Predictions, predictions_from_table
from fivefold.inputs.roles import ColumnRole, Roles
from fivefold.progress import Step, part, shows_progress
from fivefold.results import ANSWERS_ONLY, VIEW_NAMES
from fivefold.slices.attributes import READ_AS, Attributes, say_columns
from fivefold.slices.stucco import Stucco
from fivefold.training.fit_predict import in_parallel

Origin = Trained | CameFitted

UNNAMED = "true class"
# what an evaluation takes for a case beside what was read: once, for a column and for each model; the same where
# few different numbers are kept as places. Measured on millions of cases
_BYTES, _COMPACT_BYTES = (50, 4, 28), (20, 1, 8)
# about a million cases are asked to draw and measure the borders of four features, and models such as nearest
# neighbours read many training cells for each
MOST_BORDER_CELLS = 500_000


@shows_progress
def evaluate(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    X_test: Any = None,
    y_test: Any = None,
    groups: Any = None,
    groups_test: Any = None,
    views: Sequence[str] | None = None,
    coverage: float | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    hold_back: float = 0.0,
    budget: float | None = None,
    keep: Sequence[str] = (),
    classes: Sequence[Any] | None = None,
    sample_weight: None = None,
    trust: bool = False,
    progress: bool | None = None,
) -> Evaluation:
    """Judge classifiers in five views, and say first where the views disagree.

    ======================  ===================================  ===============================================
    estimators              without `X_test`                     with `X_test`
    ======================  ===================================  ===============================================
    all fitted              asked about all of `X`               asked about `X_test`
    none fitted             clones are fitted to two thirds of   clones are fitted to `X` and asked about
                            the cases and asked about the rest   `X_test`
    some fitted             as above, and the fitted ones are    as above
                            asked about the same third
    ======================  ===================================  ===============================================

    No clone sees a case that it is asked about. Nobody can tell on which cases a model was trained that comes
    fitted: if it has seen the test cases its numbers are too good, and beside models that were fitted here the
    first findings say so. Test cases that stand in `X` too are counted, also for models that came fitted; and
    where a fitted model is all but perfect, clones are fitted to parts of the cases to see whether that can be.

    Parameters
    ----------
    estimators : classifier, mapping of name to classifier, or sequence of classifiers or (name, classifier) pairs
        Anything with `predict`; with `fit` and `get_params` if it is not fitted. `predict_proba` with `classes_`
        gives probabilities, `predict_sets` answers of several classes or none. None of them is changed.
    X : dataframe or 2-D array-like
        The cases.
    y : array-like
        Their classes: text, whole numbers or booleans.
    X_test, y_test : optional
        Cases to ask about; without them a third of the cases, drawn class by class.
    groups : array-like or str, optional
        Which cases belong together, such as all of one customer: a column, or the name of one in `X` (and in
        `X_test`), which is then no attribute. No split tears them apart, and tests and intervals respect them.
    groups_test : array-like, optional
        The same of the cases in `X_test`, where `groups` is no name.
    views : sequence of {"bits", "bets", "truth", "slices", "borders"}, optional
        The views to take; all by default. Bits are always counted.
    coverage : float, optional
        What models that answer with sets promise to hold, such as 0.9; they are judged by it, also class by class.
    n_jobs : int, optional
        How many fits, and parts of the search for slices, run at the same time, as in joblib. The result does not
        depend on it.
    random_state : int, Generator or None
        The source of the split, of orders, draws and folds, and of the seeds of models that have none. With None,
        a seed is drawn, and kept in the result.
    hold_back : float
        The share of the cases on which slices are measured again, as in `fivefold.slices.find_errors`.
    budget : float, optional
        Seconds that the fits for the truth may take, all models together; 30 by default, and without limit where
        `views` are named. What would take longer is left out whole, and said with what it would take; what is
        done gives the same numbers on every machine.
    keep : sequence of str
        Columns that may stand in slices though they look like identifiers or text, as in `find_errors`.
    classes : sequence, optional
        All classes, where some may not occur. For fitted models that know the classes as numbers 0, 1, … it says
        what these are called, in their order. (XGBoost's are told numbers by themselves when fitted here.)
    sample_weight : None
        Refused: no split may tear copies of a case apart, and models take weights in ways of their own.
    trust : bool
        Whether estimators may be given as files (``.joblib``, ``.pkl``, ``.skops``), which can run any code when
        they are loaded.
    progress : bool, optional
        Whether to tell on standard error what is being done; by default on a terminal and in a notebook.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import fivefold as ff
    >>> iris = ff.data.load("IR")
    >>> models = {"1R": ff.learners.OneR(), "tree": ff.learners.C45Tree()}
    >>> evaluation = ff.evaluate(models, iris.X, iris.y, views=["bits", "bets"])
    >>> evaluation
    <Evaluation of 2 models on 50 cases of 3 classes: 1R and tree cannot be told apart on 50 cases.>
    >>> print(evaluation.protocol)
    1R and tree were fitted to 100 of the 150 cases and asked about the other 50, drawn class by class.
    """
    refuse_weights(
        sample_weight,
        "splits would tear the copies of a case apart; evaluate_predictions(weight=) takes whole numbers of cases",
    )
    named = name_models(open_models(estimators, trust))
    rng, name = as_generator(random_state), getattr(y, "name", None)
    seed = int(random_state) if isinstance(random_state, Integral) else int(rng.integers(2**31))
    chosen, seconds = _read_views(views), read_budget(budget, views is not None)
    cases, test = LabelledCases.read(X, y, groups=groups), _read_test(X_test, y_test, groups, groups_test)
    fitted = name_numbers({name: model for name, model in named.items() if is_fitted(model)}, classes)
    named |= fitted
    split = choose_split(cases, test, fitted, len(fitted) < len(named), seed, classes)
    with part(total=2) as step:
        given = [(name, model, name in fitted, split, seed) for name, model in named.items()]
        origins = in_parallel(lambda one: ask(*one), given, n_jobs, prefer=None, what="model")
        step.advance()
        return evaluate_models(
            [origin.predictions for origin in origins],
            seed,
            target=name if isinstance(name, str) and name else UNNAMED,
            trained=origins,
            views=chosen,
            n_jobs=n_jobs,
            budget=seconds,
            coverage=coverage,
            hold_back=hold_back,
            keep=keep,
            protocol=describe_protocol(origins, split),
        )


@shows_progress
def evaluate_predictions(
    table: Any,
    *,
    target: str,
    predictions: Sequence[str] | Mapping[str, str] = (),
    probabilities: Mapping[str, Any] | None = None,
    features: Sequence[str] | None = None,
    classes: object = None,
    coverage: float | None = None,
    groups: str | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    hold_back: float = 0.0,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    unknown_answers: str = "error",
    normalise: bool = False,
    mapping: Mapping[str, str] | None = None,
    confidence: Mapping[str, str] | None = None,
    weight: str | None = None,
    progress: bool | None = None,
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
        Columns that describe the cases; by default all that have no other role and do not look as if another model
        had said them. ``evaluation.columns`` tells what each column was taken for, and why.
    classes : array-like, optional
        All classes of the problem; without it those that occur.
    groups : str, optional
        Column that says which cases belong together, such as all of one customer; tests and intervals respect it.
    random_state : int
        Seed of everything random; the same seed gives the same evaluation.
    coverage, n_jobs, hold_back, progress : optional
        As in `evaluate`.
    drop, keep : sequence of str
        Columns that are no attributes, and columns that are, whatever they look like: names or patterns (``p_*``).
    unknown_answers : {"error", "wrong", "none"}
        What an answer that is no class of the truth, of `classes` or of the probabilities is: an error, a wrong
        answer, or no answer. In bits both name no class, and tell nothing.
    normalise : bool
        Whether blanks around, capitals and forms of the same character (Unicode NFKC; also ``1.0`` and ``1``) make
        no difference in answers and true classes. ``evaluation.notes`` counts what was changed.
    mapping : mapping of str to str, optional
        What answers stand for: ``{"I cannot answer": "", "yes": "Y"}``; an empty text is no answer.
    confidence : mapping of model name to column, optional
        How sure each model is of its answers, from 0 to 1 or from 0 to 100, or in words that `mapping` turns into
        numbers. It is judged as the probability that the answer is right.
    weight : str, optional
        Column of how many cases each row stands for, a whole number: all views are as if the row were repeated.
        Other weights have no meaning where cases are counted, and are refused.

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
    >>> evaluation = ff.evaluate_predictions(table, target="y", predictions=["good", "lazy"])
    >>> print(evaluation.scorecard.headline)
    Take good: by accuracy and bits it is better than lazy, beyond chance.
    >>> evaluation.frame().select("model", "accuracy").rows()
    [('good', 1.0), ('lazy', 0.5)]
    """
    seed = positive_int(random_state, "random_state", least=0)
    answers = predictions_from_table(
        table,
        target=target,
        predictions=predictions,
        probabilities=probabilities,
        features=features,
        classes=classes,
        groups=groups,
        drop=drop,
        keep=keep,
        rules=AnswerRules(unknown_answers, normalise, {} if mapping is None else mapping),
        confidence=confidence,
        weight=weight,
    )
    return evaluate_models(
        answers, seed, target=target, n_jobs=n_jobs, coverage=coverage, hold_back=hold_back
    )


def read_budget(budget: Any, unlimited: bool = False) -> float:
    """Give the seconds that fits may take."""
    if budget is None:
        return float("inf") if unlimited else BUDGET
    if isinstance(budget, bool) or not isinstance(budget, Real):
        raise InputTypeError("budget to be seconds or infinite", f"{show(budget)} ({type(budget).__name__})")
    seconds: Any = budget  # a whole number may be too large for a float
    if not seconds >= 0:
        raise InputError("budget to be at least 0 seconds", show(budget), "float('inf') has no limit")
    return float(seconds) if seconds <= sys.float_info.max else float("inf")


def _read_views(views: Sequence[str] | None) -> tuple[str, ...]:
    """Give the views to take."""
    if views is None:
        return VIEW_NAMES
    if isinstance(views, str):
        raise InputTypeError("views to be a list", show(views), f"write [{views!r}]")
    if not isinstance(views, Sequence):
        raise InputTypeError("views to be a list", f"{show(views)} ({type(views).__name__})")
    asked = {one_of(view, VIEW_NAMES, "each of views") for view in views}
    if not asked:
        raise InputError("views to name at least one", "none", f"they are {', '.join(VIEW_NAMES)}")
    return tuple(view for view in VIEW_NAMES if view in asked)


def _read_test(X_test: Any, y_test: Any, groups: Any, groups_test: Any) -> LabelledCases | None:
    groups = groups_of_test(X_test, groups, groups_test)
    if (X_test is None) != (y_test is None):
        lacking = "X_test" if X_test is None else "y_test"
        raise InputError("X_test and y_test together", f"no {lacking}")
    return None if X_test is None else LabelledCases.read(X_test, y_test, ("X_test", "y_test"), groups)


MOST_SEARCHED = 100
_TOO_MANY = f"slices are searched for the {MOST_SEARCHED} most accurate models only"


def _most_accurate(predictions: Sequence[Predictions]) -> frozenset[str]:
    """Name the models whose slices are searched: all, but of very many the most accurate."""
    ordered = predictions
    if len(predictions) > MOST_SEARCHED:
        ordered = sorted(predictions, key=lambda answers: -float(answers.right().mean()))
    return frozenset(answers.name for answers in ordered[:MOST_SEARCHED])


@dataclass(frozen=True)
class _Options:
    """How to judge; see `evaluate_models`."""

    random_state: int
    target: str
    views: Sequence[str]
    n_jobs: int | None
    budget: Budget
    hold_back: float
    n_models: int
    searched: frozenset[str]
    keep: Sequence[str] = ()
    attributes: dict[int, Attributes] = field(default_factory=dict)

    def miner(self) -> Stucco:
        """Give what searches for slices: once for every model, and once where two differ, at one level in all."""
        alpha = ALPHA / (self.n_models + (self.n_models > 1))
        # as find_errors and the command line search, so that a report does not miss what they prove
        seed, n_jobs = self.random_state, self.n_jobs
        return Stucco(alpha=alpha, correction="auto", missing_as_value=True, n_jobs=n_jobs, random_state=seed)

    def attributes_of(self, predictions: Predictions) -> Attributes:
        """Read the attributes of the cases, once for all models that share them."""
        key = id(predictions.features)
        if key not in self.attributes:
            keep = self.keep if predictions.roles is None else predictions.roles.kept
            self.attributes[key] = read_features(predictions.features, keep)
        return self.attributes[key]


def evaluate_models(
    predictions: Sequence[Predictions],
    random_state: int = 0,
    *,
    target: str = UNNAMED,
    trained: Sequence[Origin] = (),
    views: Sequence[str] = VIEW_NAMES,
    n_jobs: int | None = None,
    budget: float = BUDGET,
    coverage: float | None = None,
    hold_back: float = 0.0,
    keep: Sequence[str] = (),
    protocol: str = "",
    source: str = "",
    notes: Sequence[str] = (),
) -> Evaluation:
    """Evaluate checked predictions on the same cases; options are those of `evaluate`, and:

    Parameters
    ----------
    predictions : sequence of Predictions
        What each model said.
    target : str
        What slices call the true class.
    trained : sequence of Trained or CameFitted
        Where the models come from, for the views of their borders and of the truth; where that is known.
    protocol, source : str
        Which cases the models were trained on and which they were asked; where the predictions came from.
    notes : sequence of str
        What was noticed while they were read.
    """
    _check_models(predictions)
    time = Budget(budget, sum(isinstance(origin, Trained) for origin in trained))
    most_accurate = _most_accurate(predictions)
    options = _Options(
        random_state, target, views, n_jobs, time, hold_back, len(predictions), most_accurate, keep
    )
    groups = predictions[0].groups
    if groups is not None:
        protocol = f"{protocol} Tests and intervals respect {groups}.".lstrip()
    known = {origin.predictions.name: origin for origin in trained}
    with part(total=len({"bits", *views}) * len(predictions) + 2 + ("truth" in views)) as step:
        looks = [_look(answers, known.get(answers.name), options, step) for answers in predictions]
        models = comparisons.cover_sets(_adjust(looks), coverage)
        step.begin("differences between models")
        differences = _differences(models, options)
        step.begin("comparison of models")
        advantages = comparisons.compare_models(models)
        findings = _find(models, advantages, differences, trained, "truth" in views)
        findings += _find_unnamed_groups(models, options)
        if "truth" in views:
            step.begin("whether cases were known")
            truths = [model.truth for model in models if model.truth]
            findings += find_memories(truths, trained, random_state, time, n_jobs=n_jobs)
    roles = _roles_of(predictions[0].roles, options.attributes_of(predictions[0]))
    return Evaluation(
        models,
        advantages,
        tuple(sorted(findings, key=lambda finding: finding.importance)),
        random_state,
        differences,
        comparisons.rank_models(models, advantages),
        target if target != UNNAMED else "",
        protocol,
        source,
        roles.columns,
        _notes(notes, models, roles, options),
    )


def _check_models(predictions: Sequence[Predictions]) -> None:
    if not predictions:
        raise InputError("at least one model", "none")
    names = [answers.name for answers in predictions]
    if len(set(names)) < len(names):
        raise InputError("models of different names", f"{names}")
    _check_room(predictions)


def _notes(
    noticed: Sequence[str], models: Sequence[ModelViews], roles: Roles, options: _Options
) -> tuple[str, ...]:
    """Give what was noticed while predictions were read, how columns were taken, and how many models there are."""
    first = models[0].predictions
    notes = [*noticed, *(note for model in models for note in model.predictions.notes)]
    notes += [roles.say_left_out(), roles.say_unjudged(model.name for model in models)]
    notes += [say_columns(READ_AS, options.attributes_of(first).read_as)]
    notes += [comparisons.say_hurried(models), comparisons.say_many(models)]
    return tuple(dict.fromkeys(note for note in notes if note))


def columns_of(roles: Roles | None, features: Any) -> tuple[ColumnRole, ...]:
    """Say what each column was taken for, also those that no slice can name; nothing is searched."""
    return _roles_of(roles, judge_features(features, () if roles is None else roles.kept)).columns


def _roles_of(roles: Roles | None, attributes: Attributes) -> Roles:
    return (roles or Roles(())).leave_out(attributes.left_out).read_as(attributes.read_as)


def _check_room(predictions: Sequence[Predictions]) -> None:
    """Refuse what will not fit into memory before the system ends the process for it."""
    first, free = predictions[0], free_memory()
    once, column, each = _COMPACT_BYTES if isinstance(first.features, CompactFrame) else _BYTES
    matrix = 0 if as_few(first.probabilities) is not None else 8 * first.n_classes
    width = len(getattr(first.features, "columns", ()))
    needed = first.n_cases * (once + column * width + matrix + each * len(predictions))
    if needed > free:
        raise InputError(
            f"cases that can be judged in the memory that is free ({free / 1e9:.1f} GB)",
            f"{first.n_cases:,} cases, which take about {needed / 1e9:.1f} GB",
            "judge a part of the cases drawn at random, leave out columns (--drop), or use a larger machine",
        )


def _find(
    models: Sequence[ModelViews],
    advantages: Sequence[Advantage],
    differences: SlicesView | None,
    origins: Sequence[Origin],
    truth: bool,
) -> list[Finding]:
    """Collect all findings, view by view."""
    return [
        *comparisons.find_disagreements(models, advantages),
        *comparisons.find_known_groups(origins),
        *comparisons.find_repeats(models, origins),
        *find_doubts(origins),
        _baseline(models[0].bits),
        *(model.bits.finding() for model in models),
        *comparisons.find_coverage(models),
        *comparisons.advantage_findings(advantages, "bits"),
        *(model.bets.finding() for model in models if model.bets),
        *(model.confidence.finding() for model in models if model.confidence),
        *comparisons.advantage_findings(advantages, "bets"),
        *(model.truth.finding() for model in models if model.truth),
        *(comparisons.find_rows_needed(models, advantages) if truth else ()),
        *(model.slices.finding() for model in models if model.slices),
        *([differences.finding()] if differences else []),
        *(model.borders.finding() for model in models if model.borders),
    ]


def _find_unnamed_groups(models: Sequence[ModelViews], options: _Options) -> list[Finding]:
    """Warn of columns that look like groups, or like larger ones: by how many models are right on each case."""
    first = models[0].predictions
    attributes = options.attributes_of(first)
    n_right = sum((model.right for model in models), np.zeros(first.n_cases))
    columns = [column for column in (*attributes.columns, *attributes.repeated) if not column.is_part]
    found = find_unnamed_groups(columns, n_right, first.groups)[:1]
    evidence = [{"looks_like_groups": name, "values": n_values} for name, n_values in found]
    about = tuple(model.name for model in models), warn_of_groups(found)
    return [Finding("truth", *about, known, Importance.ALARM, ("groups",)) for known in evidence]


def _baseline(view: BitsView) -> Finding:
    """Say what a model would reach that has learned nothing but the most frequent class."""
    sentence = (
        f"Always answering {view.default_class!r} is right on {view.default_rate:.1%} of the cases "
        f"and saves no bits: without any answers the classes take {view.null:,.1f} bits."
    )
    known = {"default_class": view.default_class, "default_rate": view.default_rate}
    return Finding("bits", (), sentence, known | {"null_bits": view.null})


def _look(predictions: Predictions, origin: Origin | None, options: _Options, step: Step) -> ModelViews:
    """Take every view of one model that was asked for; where one has nothing to say, keep the reason."""
    views, seed, name = options.views, options.random_state, predictions.name
    step.begin(f"{name}: bits")
    bits = BitsView.of(predictions, seed, options.n_models)
    absent = {view: NOT_ASKED for view in VIEW_NAMES if view not in views and view != "bits"}
    bets = slices = borders = truth = None
    if "bets" in views:
        step.begin(f"{name}: bets")
        bets, absent["bets"] = _bets(predictions, origin, seed)
    if "truth" in views:
        step.begin(f"{name}: truth")
        truth = look_at_truth(bits, origin, seed, options.budget, n_jobs=options.n_jobs)
    if "slices" in views:
        step.begin(f"{name}: slices")
        attributes = options.attributes_of(predictions)
        absent["slices"] = attributes.problem or ("" if name in options.searched else _TOO_MANY)
        if not absent["slices"]:
            measures = _measures(predictions, bits, bets)
            slices = look_at_slices(
                predictions, attributes, options.target, options.miner(), measures, options.hold_back
            )
    if "borders" in views:
        step.begin(f"{name}: borders")
        borders, absent["borders"] = _borders(origin, options)
    confidence = None
    if predictions.confidence is not None:
        step.begin(f"{name}: confidence")
        confidence = ConfidenceView.of(predictions, seed)
    absent = {view: reason for view, reason in absent.items() if reason}
    return ModelViews(name, predictions, bits, bets, absent, slices, borders, truth, confidence)


def _adjust(models: Sequence[ModelViews]) -> tuple[ModelViews, ...]:
    """Adjust to all models the p-values of learning and calibration, and which groups count as the worst."""
    chances = [model.bits.chance_p_value if model.bits.encoding.cells.varied else np.nan for model in models]
    learning = np.nan_to_num(holm(np.array(chances)), nan=1.0).tolist()
    views = [(model.bets, model.confidence.bets if model.confidence else None) for model in models]
    p_values = [view.calibration_p if view else np.nan for pair in views for view in pair]
    adjusted = holm(np.array(p_values)).reshape(-1, 2).tolist()
    found = [model.slices.found for model in models if model.slices]
    by_truth = any(slices.worse() and not slices.deployable().worse() for slices in found)
    return tuple(
        replace(
            model,
            bits=model.bits.adjust(learned),
            slices=model.slices and replace(model.slices, by_truth=by_truth),
            bets=bets and replace(bets, calibration_adjusted_p=stated),
            confidence=model.confidence
            and replace(model.confidence, bets=replace(model.confidence.bets, calibration_adjusted_p=sure)),
        )
        for model, learned, (bets, _), (stated, sure) in zip(models, learning, views, adjusted, strict=True)
    )


def _measures(predictions: Predictions, bits: BitsView, bets: BetsView | None) -> Measures:
    """Give what is known of each case, so that slices can show how all measures change inside them."""
    cells = bits.encoding.cells
    gains = mixture_null(cells.totals)[cells.labels] - bits.encoding.mean_by_cell
    measures: dict[tuple[str, str], Any] = {("bits saved", "a case"): lambda rows: gains[cells.codes[rows]]}
    if bets is not None:
        reward, k = bets.log_reward.per_example, predictions.n_classes
        measures["reward of bets on all classes", "bits a case"] = lambda rows: reward[rows]
        measures["probability that was given to the truth", "mean"] = lambda rows: np.exp2(reward[rows]) / k
    return measures


def _bets(predictions: Predictions, origin: Origin | None, random_state: int) -> tuple[BetsView | None, str]:
    if predictions.probabilities is None and predictions.confidence is not None:
        return None, "probabilities of the classes were not stated, only confidence in the answers"
    if predictions.probabilities is None:
        return None, why_no_probabilities(origin.model) if origin else "no probabilities were stated"
    if predictions.n_cases < 2:
        return None, "one case alone has no calibration"
    return BetsView.of(predictions, random_state), ""


def _borders(origin: Origin | None, options: _Options) -> tuple[BordersView | None, str]:
    if not isinstance(origin, Trained):
        return None, CAME_FITTED if origin else ANSWERS_ONLY
    if origin.n_cells > MOST_BORDER_CELLS and options.budget.seconds < float("inf"):
        large = f"it was trained on more than {MOST_BORDER_CELLS:,} cells"
        return None, f"{large}, so its borders would take long"
    try:
        name, seed = origin.predictions.name, options.random_state
        return look_at_borders(name, origin.model, origin.X, origin.y, seed)
    except (InputError, InputTypeError) as problem:
        return None, f"borders need {problem.expected}, but got {problem.got}"


def _differences(models: Sequence[ModelViews], options: _Options) -> SlicesView | None:
    """Find where the two models that save most bits differ."""
    searched = [model for model in comparisons.best_first(models) if model.slices]
    judged = sorted(searched, key=lambda one: -one.bits.saved)
    if len(judged) < 2:
        return None
    first, second = judged[0].predictions, judged[1].predictions
    attributes = options.attributes_of(first)
    return look_at_differences(first, second, attributes, options.miner(), options.hold_back)
