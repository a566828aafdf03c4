"""Choice of a model by the measure of its borders and by cross-validation, and of the measure's weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.borders.border_measure import measure
from fivefold.borders.terms import MeasureWeights
from fivefold.errors import InputError, InputTypeError, show
from fivefold.formulas import mean_interval
from fivefold.inputs.groups import Groups
from fivefold.inputs.options import RandomState, as_generator, one_of, positive_int
from fivefold.results import LOWER, Interval, Result
from fivefold.training import fit_predict as training
from fivefold.training.fit_predict import LabelledTable
from fivefold.training.splits import FoldSplits, Rows, check_folds, deal_whole

_PAPER = np.array([1.0, 1.0, 0.025])
# rows that are learnt from, and rows that are held out; the terms of each model, and what it gets wrong
Split = tuple[Rows, Rows]
Tried = tuple[NDArray[np.float64], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Choice(Result, title="Choice of a model", unit="share of cases", direction=LOWER):
    """Models beside each other by the measure of their borders and by cross-validation.

    Parameters
    ----------
    names : tuple of str
        The models, in the order given.
    measures : ndarray
        The measure of each, fitted to all cases and measured on them.
    errors : ndarray
        The share of cases that each gets wrong in cross-validation, on the same folds.
    by : {"cv", "measure"}
        Which of them decides.
    estimator : fitted classifier
        The chosen model, fitted to all cases.
    """

    names: tuple[str, ...]
    measures: NDArray[np.float64]
    errors: NDArray[np.float64]
    by: str
    estimator: Any

    @property
    def by_measure(self) -> str:
        """The model of the highest measure."""
        return self.names[int(np.lexsort((self.errors, -self.measures))[0])]

    @property
    def by_cv(self) -> str:
        """The model of the least cross-validated error; of several, that of the highest measure."""
        return self.names[int(np.lexsort((-self.measures, self.errors))[0])]

    @property
    def best(self) -> str:
        """The chosen model."""
        return self.by_cv if self.by == "cv" else self.by_measure

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each model."""
        return {"model": list(self.names), "measure": self.measures, "cv_error": self.errors}

    def __str__(self) -> str:
        if self.by_cv == self.by_measure:
            return f"{self.best}, by both: {self._judged(self.best)}"
        return (
            f"{self.by_cv} by cross-validation ({self._judged(self.by_cv)}), {self.by_measure} by the measure "
            f"({self._judged(self.by_measure)})"
        )

    def _judged(self, name: str) -> str:
        place = self.names.index(name)
        return f"cross-validated error {self.errors[place]:.1%}, measure {self.measures[place]:.3f}"


def choose(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    by: str = "cv",
    groups: Any = None,
    n_splits: int = 10,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    **options: Any,
) -> Choice:
    """Choose among models by cross-validation, with the measure of their borders beside it.

    Cross-validation tells better which model errs least on new cases: the measure sees only the training cases,
    and forgives one neighbour that knows them by heart. It tells what cross-validation does not, the shape of
    what was learnt, and decides where errors are equal.

    Parameters
    ----------
    estimators : mapping of name to classifier
        The candidates; clones are fitted.
    X : dataframe or 2-D array-like
        The cases: numeric columns without missing values.
    y : array-like
        Their classes.
    by : {"cv", "measure"}
        What decides: the error in cross-validation, or the measure alone, as in the paper.
    groups : array-like or str, optional
        Which cases belong together: a column, or the name of one, which is then no attribute. Folds keep them
        whole.
    n_splits : int
        Folds, dealt class by class; the same for all models.
    n_jobs : int, optional
        How many fits run at the same time, as in joblib.
    random_state : int, Generator or None
        The source of the folds.
    **options
        Those of `measure`.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> neighbours = {f"k={k}": KNeighborsClassifier(k) for k in (1, 10, 50)}
    >>> print(ff.borders.choose(neighbours, X[:, 2:], y))
    k=10, by both: cross-validated error 4.0%, measure 1.256
    """
    one_of(by, ("cv", "measure"), "by")
    table = _read(estimators, X, y, n_splits, groups)
    rng = as_generator(random_state)
    folds = deal_whole(table.groups, len(table), n_splits, rng, table.codes)
    splits = FoldSplits(folds, [(fold,) for fold in range(n_splits)])
    errors, measures, fitted = [], [], []
    for estimator in estimators.values():
        seeds = training.refit_seeds(estimator, n_splits + 1, rng)
        ask = training.label_positions(estimator, table)
        answers = training.fit_and_ask(estimator, table, splits, ask, seeds[:-1], n_jobs=n_jobs)
        wrong = [codes != table.codes[splits.test(place)] for place, codes in enumerate(answers)]
        errors.append(np.concatenate(wrong).mean())
        fitted.append(training.fit(estimator, table, np.arange(len(table)), seeds[-1]))
        measures.append(measure(fitted[-1], table.X, y, **options).value)
    names = tuple(map(str, estimators))
    choice = Choice(names, np.array(measures), np.array(errors), by, None)
    return replace(choice, estimator=fitted[names.index(choice.best)])


def _read(estimators: Any, X: Any, y: Any, n_splits: int, groups: Any) -> LabelledTable:
    if not isinstance(estimators, Mapping) or not estimators:
        raise InputTypeError(
            "estimators to map names to classifiers", show(estimators), "{'k=1': model, ...}"
        )
    for name, estimator in estimators.items():
        training.check_fits_and_predicts(estimator, str(name))
    table = training.read_labelled_table(X, y, groups)
    check_folds(positive_int(n_splits, "n_splits", least=2), len(table))
    return table


@dataclass(frozen=True, eq=False)
class ChosenWeights(Result, title="Weights of the measure", unit="share of cases", direction=LOWER):
    """Weights of the measure that are chosen from data, and how well models chosen with them do.

    Parameters
    ----------
    weights : MeasureWeights
        The weights; the largest is 1.
    names, measures
        The models, and the measure of each with these weights, as in `Choice`.
    wrong : ndarray of bool of shape (n, 3)
        Which cases are wrong when they had no part in choosing and fitting: by chosen weights, by the paper's,
        and by cross-validation.
    groups : Groups or None
        Which cases belong together.
    """

    weights: MeasureWeights
    names: tuple[str, ...]
    measures: NDArray[np.float64]
    wrong: NDArray[np.bool_]
    groups: Groups | None = None

    @property
    def best(self) -> str:
        """The model of the highest measure with these weights; of equal ones the first."""
        return self.names[int(np.argmax(self.measures))]

    @property
    def errors(self) -> dict[str, float]:
        """The share of held-out cases that are wrong by each way of choosing."""
        return dict(zip(("chosen", "paper", "cv"), self.wrong.mean(axis=0).tolist(), strict=True))

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the error by chosen weights less that by cross-validation."""
        return mean_interval(
            self.wrong[:, 0].astype(np.float64) - self.wrong[:, 2], -1.0, 1.0, groups=self.groups
        )

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each model."""
        return {"model": list(self.names), "measure": self.measures}

    def __str__(self) -> str:
        chosen, paper, cv = (f"{error:.1%}" for error in self.errors.values())
        low, high = (f"{100 * end:.1f}" for end in self.interval)
        return (
            f"{self.best}: fit weighs {self.weights.a0:.2g}, similarity {self.weights.a1:.2g}, simplicity "
            f"{self.weights.a2:.2g}. Wrong on held-out cases: {chosen} by these weights, {paper} by the paper's, "
            f"{cv} by cross-validation (difference {low} to {high} points)"
        )


def choose_weights(
    estimators: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    n_splits: int = 5,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    **options: Any,
) -> ChosenWeights:
    r"""Choose what fit, similarity and simplicity weigh, so that the measure picks models that err little.

    Those weights win whose model errs least on held-out cases, over folds f with training cases :math:`T_f`:

    .. math:: \hat a = \arg\min_a \sum_f \mathrm{wrong}_f \bigl( \arg\max_m M_a(m; T_f) \bigr)

    Tried are all shares in twentieths, each term in units of its spread between the models; of several that err
    alike, the one nearest to their centre is taken. Nested cross-validation tells what it is worth.

    Parameters
    ----------
    estimators, X, y, groups, n_splits, n_jobs, random_state, **options
        As in `choose`; every model is fitted to the folds, to as many folds within each, and to all cases.

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = {f"depth {d}": DecisionTreeClassifier(max_depth=d, random_state=0) for d in (1, 2, 4)}
    >>> chosen = ff.borders.choose_weights(trees, X[:, 2:], y)
    >>> chosen.best, {way: round(error, 2) for way, error in chosen.errors.items()}
    ('depth 2', {'chosen': 0.07, 'paper': 0.06, 'cv': 0.07})
    """
    if "weights" in options:
        raise InputError("no weights among the options", show(options["weights"]), "they are what is chosen")
    table, rng = _read(estimators, X, y, n_splits, groups), as_generator(random_state)
    whole = np.arange(len(table))
    outer = _splits(table, whole, n_splits, rng)
    inner = [split for train, _ in outer for split in _splits(table, train, n_splits, rng)]
    n_fits, models = len(outer) + len(inner) + 1, list(estimators.values())
    seeds = [training.refit_seeds(model, n_fits, rng) for model in models]
    tasks = list(zip([*outer, *inner, (whole, whole[:0])], zip(*seeds, strict=True), strict=True))
    *tried, (final, _) = training.in_parallel(partial(_try, models, table, options), tasks, n_jobs)
    wrong = np.zeros((len(table), 3), dtype=np.bool_)
    for fold, (_, test) in enumerate(outer):
        wrong[test] = _held_out(tried[fold], tried[n_splits * (fold + 1) :][:n_splits])
    learnt = _learn(tried[:n_splits])
    weights, names = MeasureWeights(*learnt.tolist()), tuple(map(str, estimators))
    return ChosenWeights(weights, names, final @ learnt, wrong, table.groups)


def _splits(table: LabelledTable, rows: Rows, n_splits: int, rng: np.random.Generator) -> list[Split]:
    """Deal rows into folds class by class; give what is learnt from and what is held out."""
    groups = table.groups and table.groups.part(rows)
    parts = deal_whole(groups, rows.size, n_splits, rng, table.codes[rows])
    return [(rows[parts != fold], rows[parts == fold]) for fold in range(n_splits)]


def _try(
    estimators: list[Any], table: LabelledTable, options: Mapping[str, Any], task: tuple[Split, Sequence[Any]]
) -> Tried:
    """Fit each model, and give its three terms on the cases it learnt from, and which others it gets wrong."""
    (train, test), seeds = task
    terms, wrong = [], []
    for estimator, seed in zip(estimators, seeds, strict=True):
        model = training.fit(estimator, table, train, seed)
        known = training.take_rows(table.X, train), table.labels(train)
        judged = measure(model, *known, weights=MeasureWeights(a2=1.0), **options)
        alike = (judged.similarity_right - judged.similarity_wrong) / 2
        # what is left of the measure is simplicity, whoever defined it; where it is the same, to the last digit
        terms.append((judged.fit, alike, round(judged.value - judged.fit - alike, 12)))
        answers = training.label_positions(estimator, table)(model, training.take_rows(table.X, test), test)
        wrong.append(answers != table.codes[test])
    return np.array(terms), np.array(wrong)


def _learn(tried: Sequence[Tried]) -> NDArray[np.float64]:
    """Find the weights of the three terms whose model errs least on what was held out."""
    terms = np.array([terms for terms, _ in tried])
    counts = np.array([wrong.sum(axis=1) for _, wrong in tried])
    spread = np.sqrt(terms.var(axis=1).mean(axis=0))
    shares = np.array([(i, j, 20 - i - j) for i in range(21) for j in range(21 - i)]) / 20
    scaled = shares / np.where(spread > 1e-9, spread, 1.0)
    top = np.argmax(terms @ scaled.T, axis=1)
    lost = np.take_along_axis(counts, top, axis=1).sum(axis=0)
    least = np.flatnonzero(lost == lost.min())
    off = np.sum((shares[least] - shares[least].mean(axis=0)) ** 2, axis=1)
    learnt = scaled[least[np.argmin(off)]]
    return np.asarray(learnt / learnt.max())


def _held_out(asked: Tried, within: Sequence[Tried]) -> NDArray[np.bool_]:
    """Tell which held-out cases are wrong by the three ways of choosing, from trials without these cases."""
    terms, wrong = asked
    tops = [np.argmax(terms @ weights) for weights in (_learn(within), _PAPER)]
    return np.asarray(wrong[[*tops, np.argmin(sum(missed.sum(axis=1) for _, missed in within))]].T)
