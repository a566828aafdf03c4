"""Which of two estimators is better, and how sure can one be?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fivefold.errors import InputError, InputTypeError, show
from fivefold.inputs.groups import Groups, groups_of_test, read_groups, take_groups
from fivefold.inputs.labels import encode_truth
from fivefold.inputs.options import RandomState, as_generator
from fivefold.results import Direction, Result, say_p
from fivefold.training import fit_predict as training
from fivefold.training.class_alignment import class_positions
from fivefold.training.fit_predict import Codes
from fivefold.training.repeats import CHANCE, find_seen
from fivefold.training.splits import Resamples, Splits, draw, draw_groups, read_splits
from fivefold.truth.cross_validation import check_fold_options, one_split, repeated_folds
from fivefold.truth.error_estimate import Floats
from fivefold.truth.paired_tests import (
    RULES_NOT_LEARNERS,
    CorrectedT,
    CorrelatedBayes,
    McNemar,
    corrected_t,
    correlated_bayes,
    from_wrong,
)
from fivefold.truth.refits import Refits, as_measure
from fivefold.truth.rows_needed import RowsNeeded

ONE_DATA_SET = (
    "All folds are cut from one data set: the result is about samples of this size from the same source, and no "
    "other problem."
)
NO_HALVES = (
    "Whether another such sample would lead to quite other rules is not known, for the learners cannot be trained "
    "on half of the cases: equal learners of that kind had p < 0.05 in up to 40% of samples."
)
# half-samples: as many as folds, within these limits
FEWEST_HALVES, MOST_HALVES = 10, 40


@dataclass(frozen=True, eq=False)
class Comparison(Result, title="Comparison", unit="difference"):
    """Two estimators, the question that each test answers, and the answer.

    Parameters
    ----------
    names : (str, str)
        What the estimators are called.
    metric : str
        What was measured.
    metric_direction : str
        Which way is better.
    value_a, value_b : float
        Mean over folds.
    differences : ndarray
        First less second, in each fold.
    corrected : CorrectedT
        The corrected resampled t test of Nadeau and Bengio.
    bayes : CorrelatedBayes
        The Bayesian correlated t test.
    mcnemar : McNemar or None
        McNemar's exact test of two fitted rules, if there was a test set.
    luck : float or None
        Variance of the difference by the sample that is learnt from, over that by the cases asked, as halves of
        the cases show it; None if they are too few to learn from.
    warnings : tuple of str
        What must be known, in sentences.
    """

    names: tuple[str, str]
    metric: str
    metric_direction: Direction
    value_a: float
    value_b: float
    differences: Floats = field(repr=False)
    corrected: CorrectedT
    bayes: CorrelatedBayes
    mcnemar: McNemar | None = None
    luck: float | None = None
    warnings: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """Mean difference, first less second."""
        return self.corrected.difference

    @property
    def p_first_better(self) -> float:
        """Probability that the first is better by more than makes no difference; below, if there is no better."""
        return self.bayes.p_above if self.metric_direction == "higher is better" else self.bayes.p_below

    @property
    def p_second_better(self) -> float:
        """Probability that the second is better by more than makes no difference."""
        return self.bayes.p_below if self.metric_direction == "higher is better" else self.bayes.p_above

    def rows_needed(self, *, alpha: float = 0.05, power: float = 0.8) -> RowsNeeded:
        """Find how many test rows, or groups of them, would settle whether the two fitted rules differ."""
        if self.mcnemar is None:
            raise InputError(
                "a comparison with test cases", "one by folds alone", "pass X_test and y_test, or test_size"
            )
        return self.mcnemar.rows_needed(alpha, power)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each test."""
        tests = [test for test in (self.corrected, self.bayes, self.mcnemar) if test is not None]
        return {
            "test": [type(test).__name__ for test in tests],
            "question": [test.question for test in tests],
            "answer": [str(test) for test in tests],
            "p_value": [None if isinstance(test, CorrelatedBayes) else test.p_value for test in tests],
        }

    def __str__(self) -> str:
        first, second = self.names
        return (
            f"{self.metric.replace('_', ' ')} of {first} {self.value_a:.4f}, of {second} {self.value_b:.4f}: "
            f"{say_p(self.corrected.p_value)} (corrected t); {first} better with probability "
            f"{self.p_first_better:.2f}, {second} {self.p_second_better:.2f}, no practical difference "
            f"{self.bayes.p_equivalent:.2f} (Bayesian beliefs, not a test)"
        )


def compare(
    estimator_a: Any,
    estimator_b: Any,
    X: Any,
    y: Any,
    *,
    metric: Any = "error",
    n_splits: int = 10,
    n_repeats: int = 10,
    stratify: bool = True,
    cv: Any = None,
    rope: float = 0.01,
    X_test: Any = None,
    y_test: Any = None,
    test_size: float | int | None = None,
    names: tuple[str, str] | None = None,
    groups: Any = None,
    groups_test: Any = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> Comparison:
    """Compare two estimators on the same folds, and two fitted rules on the same test cases.

    Three tests answer three questions. The corrected resampled t test: is the mean difference over data sets like
    this one zero? What another data set would change is estimated from 10 to 40 halves of this one, of which both
    learn. The Bayesian correlated t test: how probable is it that either is better, or neither? McNemar's: do
    *these two fitted rules* err equally often?

    Parameters
    ----------
    estimator_a, estimator_b : classifier
        Objects with `fit` and `predict`.
    X, y, n_jobs, random_state
        As in `estimate_error`.
    metric : str or callable
        As in `estimate_error`; measured fold by fold.
    n_splits, n_repeats, stratify, cv
        The folds, as in `estimate_error`; by default ten times ten.
    rope : float
        Differences up to this make no practical difference, in the unit of the metric.
    X_test, y_test : optional
        Test cases for McNemar's test; the rules are learnt from all of `X`. If more of them than chance explains
        stand in `X`, the first of the warnings says so.
    test_size : float or int, optional
        Without test cases: the share or number of cases of `X` to hold out for McNemar's test.
    names : (str, str), optional
        What to call the estimators; by default after their types.
    groups : array-like or str, optional
        Which cases belong together, as in `estimate_error`; McNemar's test then goes by sums over groups.
    groups_test : array-like, optional
        The same of the cases in `X_test`, where `groups` is no name.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281.

    A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017). Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis. JMLR 18 (77).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> comparison = compare(GaussianNB(), KNeighborsClassifier(7), X, y, n_repeats=2, random_state=0)
    >>> comparison.corrected.p_value > 0.05
    True
    """
    training.check_fits_and_predicts(estimator_a, "estimator_a")
    training.check_fits_and_predicts(estimator_b, "estimator_b")
    check_fold_options(n_splits, n_repeats, stratify)
    table = training.read_labelled_table(X, y, groups)
    measure, rng = as_measure(metric), as_generator(random_state)
    a, b = (Refits(estimator, table, measure, n_jobs, rng) for estimator in (estimator_a, estimator_b))
    if cv is None:
        splits: Splits = repeated_folds(a, n_splits, n_repeats, stratify=stratify)
    else:
        splits = read_splits(cv, table.classes[table.codes], table.groups, rng)
    answers_a, answers_b = a.run(splits), b.run(splits)
    scores_a, scores_b = answers_a.scores(), answers_b.scores()
    if undefined := np.count_nonzero(~np.isfinite([scores_a, scores_b]).all(axis=0)):
        raise InputError(
            f"{measure.name} to be a finite number for both in every fold",
            f"none in {undefined} of {len(splits)}",
            "larger or stratified folds may help, or another metric",
        )
    differences, share = scores_a - scores_b, _test_share(splits)
    belonging = groups_of_test(X_test, groups, groups_test)
    if X_test is not None:
        X_test, belonging = take_groups(X_test, belonging)
    rules = _fitted_rules(a, b, X_test, y_test, test_size, belonging)
    known = _about_seen(X_test, table.X) if X_test is not None else ()
    units = table.groups or Groups(np.arange(len(table)))  # the independent draws
    luck = _luck(a, b, len(splits), units, table.codes if stratify else None)
    freedom = max(1, int(units.effective_number - 1))
    of_folds: dict[str, Any] = {"test_share": share, "luck": luck or 0.0, "freedom": freedom}
    said = {NO_HALVES: luck is None, RULES_NOT_LEARNERS: rules is not None}
    warnings = [*known, ONE_DATA_SET, *(sentence for sentence, holds in said.items() if holds)]
    return Comparison(
        names=_read_names(names, estimator_a, estimator_b),
        metric=measure.name,
        metric_direction=measure.direction,
        value_a=float(scores_a.mean()),
        value_b=float(scores_b.mean()),
        differences=differences,
        corrected=corrected_t(differences, **of_folds),
        bayes=correlated_bayes(differences, rope=rope, **of_folds),
        mcnemar=rules,
        luck=luck,
        warnings=tuple(dict.fromkeys([*warnings, *answers_a.warnings(), *answers_b.warnings()])),
    )


def _about_seen(X_test: Any, X: Any) -> tuple[str, ...]:
    """Say that test cases are training cases, where chance does not explain so many that are equal."""
    seen, p_value = find_seen(X_test, X)
    n_seen = int(np.count_nonzero(seen))
    if p_value >= CHANCE:
        return ()
    if n_seen == seen.size:
        return (
            f"This is not a test: all {n_seen:,} cases of X_test are in X, on which both models were trained.",
        )
    return (
        f"{n_seen:,} of the {seen.size:,} cases of X_test are in X, on which both models were trained: more "
        "than chance explains. McNemar's test counts what the models know by heart.",
    )


def _test_share(splits: Splits) -> float:
    sizes = [(splits.test(place).size, splits.train(place).size) for place in range(len(splits))]
    return float(np.mean([n_test / (n_test + n_train) for n_test, n_train in sizes]))


def _luck(a: Refits, b: Refits, n_folds: int, units: Groups, y: Codes | None) -> float | None:
    """Let both learn from halves of the cases, which share less than folds do, and compare them on the others."""
    n, codes, groups = len(a.table), a.table.codes, a.table.groups
    halves = np.zeros((min(max(n_folds, FEWEST_HALVES), MOST_HALVES), n), dtype=np.int64)
    for half in halves:
        half[draw(n, n // 2, a.rng, y) if groups is None else draw_groups(groups, n // 2, a.rng, y)] = 1
    splits, gaps = Resamples(halves, out_of_bag=True), np.zeros(halves.shape)
    try:
        answers = zip(a.labels(splits), b.labels(splits), strict=True)
    except InputError:
        return None
    for gap, half, (of_a, of_b) in zip(gaps, halves, answers, strict=True):
        gap[half == 0] = 1.0 * (of_a != codes[half == 0]) - (of_b != codes[half == 0])
    return luck_of_halves(*(np.array([units.totals(row) for row in rows]) for rows in (gaps, 1 - halves)))


def luck_of_halves(gaps: Floats, asked: Floats) -> float:
    r"""Estimate the variance of a mean gap by the sample that is learnt from, over that by the cases asked.

    Case i adds :math:`(t_i + \tau_i) / n` to the mean, by its own gap and by what it teaches about the others.
    Beyond :math:`\sum t_i^2 / n^2` that is the variance of the gap among rules learnt from random halves, and the
    mean of :math:`t_i` times the change of that gap where i is learnt from.

    Parameters
    ----------
    gaps, asked : ndarray of shape (n_halves, n_units)
        The sum of the gaps in each unit, a case or a group, and how many cases it has; 0 where it was learnt from.
    """
    out, sizes, n_asked = 1.0 * (asked > 0), asked.max(axis=0), asked.sum(axis=1)
    apart = gaps - asked * (gaps.sum(axis=1) / n_asked)[:, None]
    by_cases = float(np.mean((apart**2).sum(axis=1) / n_asked)) / sizes.sum()
    times, total = out.sum(axis=0), gaps.sum(axis=0)
    # by how much a rule differs from the others in a unit; products of different units have no noise in the mean
    beyond = gaps - out * (total - gaps) / np.maximum(times - out, 1)
    products = beyond.sum(axis=1) ** 2 - (beyond**2).sum(axis=1)
    by_rule = max(0.0, float(np.mean(products / np.maximum(n_asked**2 - (asked**2).sum(axis=1), 1))))
    rules, own = beyond.sum(axis=1) / n_asked, total / np.maximum(times, 1)
    taught = 4 / len(gaps) * (rules - rules.mean()) @ (out.mean(axis=0) - out)
    by_both = float((own - sizes * own.sum() / sizes.sum()) @ taught / sizes.sum())
    return max(0.0, by_rule + by_both) / by_cases if by_cases > 0 else 0.0


def _read_names(names: Any, *estimators: Any) -> tuple[str, str]:
    if names is None:
        first, second = map(training.class_name, estimators)
        return (first, second) if first != second else (f"{first} (first)", f"{second} (second)")
    if not isinstance(names, list | tuple) or len(names) != 2 or not all(isinstance(n, str) for n in names):
        raise InputTypeError("names to be two texts", f"{show(names)} ({type(names).__name__})")
    return names[0], names[1]


def _fitted_rules(
    a: Refits, b: Refits, X_test: Any, y_test: Any, test_size: Any, belonging: Any
) -> McNemar | None:
    """Test the rules that both learn from all rows, or from all but some that are held out."""
    if (X_test is None) != (y_test is None):
        raise InputError("X_test and y_test together", "one of them")
    if X_test is not None and test_size is not None:
        raise InputError("either X_test and y_test or test_size", "both")
    if X_test is not None:
        truth = encode_truth(y_test, a.table.classes, "y_test")
        training.check_n_rows(X_test, truth.size, ("X_test", "y_test"))
        groups = read_groups(belonging, truth.size, "groups_test")
        return from_wrong(_labels_of(a, X_test) != truth, _labels_of(b, X_test) != truth, groups)
    if test_size is None:
        return None
    split = one_split(a, test_size, stratify=True)
    test = split.test(0)
    groups = None if a.table.groups is None else a.table.groups.part(test)
    truth = a.table.codes[test]
    return from_wrong(a.labels(split)[0] != truth, b.labels(split)[0] != truth, groups)


def _labels_of(refits: Refits, X_test: Any) -> Codes:
    """Learn from all rows and answer others."""

    def ask(model: Any, X: Any, rows: Any) -> Codes:
        return class_positions(model.predict(X_test), refits.table.classes)

    everything = Resamples(np.ones((1, len(refits.table)), dtype=np.int64), out_of_bag=True)
    seeds = training.refit_seeds(refits.estimator, 1, refits.rng)
    return training.fit_and_ask(refits.estimator, refits.table, everything, ask, seeds)[0]
