"""Which of two estimators is better, and how sure can one be?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.inputs.labels import encode_truth
from fivefold.inputs.options import RandomState, as_generator
from fivefold.results import Direction, Result, say_p
from fivefold.training.labelled_table import LabelledTable, check_learner, read_labelled_table
from fivefold.training.splits import Copies, GivenSplits, TrainingSets, draw, read_splits
from fivefold.truth.cross_validation import repeated_folds
from fivefold.truth.error_estimate import about_answers
from fivefold.truth.options import CvOptions, n_test_rows
from fivefold.truth.paired_tests import (
    RULES_NOT_LEARNERS,
    CorrectedT,
    CorrelatedBayes,
    McNemar,
    corrected_t,
    correlated_bayes,
    from_wrong,
)
from fivefold.truth.refits import Refits, as_measure, ask
from fivefold.truth.rows_needed import RowsNeeded, rows_needed_to_compare

ONE_DATA_SET = (
    "All folds are cut from one data set: the result speaks of samples of this size from where these cases came "
    "from, and of no other problem."
)


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Two learners, the question that each test answers, and the answer.

    Parameters
    ----------
    names : (str, str)
        What the learners are called.
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
    warnings : tuple of str
        What must be known, in sentences.
    """

    title: ClassVar[str] = "Comparison"
    unit: ClassVar[str] = "difference"
    direction: ClassVar[Direction] = "neither"

    names: tuple[str, str]
    metric: str
    metric_direction: Direction
    value_a: float
    value_b: float
    differences: NDArray[np.float64] = field(repr=False)
    corrected: CorrectedT
    bayes: CorrelatedBayes
    mcnemar: McNemar | None = None
    warnings: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """Mean difference, first less second."""
        return self.corrected.difference

    @property
    def p_first_better(self) -> float:
        """Probability that the first is better by more than makes no difference; below, if there is no better."""
        higher = self.metric_direction == "higher is better"
        return self.bayes.p_above if higher else self.bayes.p_below

    @property
    def p_second_better(self) -> float:
        """Probability that the second is better by more than makes no difference."""
        higher = self.metric_direction == "higher is better"
        return self.bayes.p_below if higher else self.bayes.p_above

    def rows_needed(self, *, alpha: float = 0.05, power: float = 0.8) -> RowsNeeded:
        """Find how many test rows would settle whether the two fitted rules differ.

        Parameters
        ----------
        alpha, power : float
            As in `rows_needed_to_compare`.
        """
        if self.mcnemar is None:
            raise InputError(
                "a comparison with test cases", "one by folds alone", "pass X_test and y_test, or test_size"
            )
        b, c = self.mcnemar.only_a_wrong, self.mcnemar.only_b_wrong
        return rows_needed_to_compare(b, c, self.mcnemar.n, alpha=alpha, power=power)

    def columns(self) -> Mapping[str, Any]:
        """Give one row for each test."""
        tests: list[CorrectedT | CorrelatedBayes | McNemar] = [self.corrected, self.bayes]
        if self.mcnemar is not None:
            tests.append(self.mcnemar)
        return {
            "test": [type(one).__name__ for one in tests],
            "question": [one.question for one in tests],
            "answer": [str(one) for one in tests],
            "p_value": [None if isinstance(one, CorrelatedBayes) else one.p_value for one in tests],
        }

    def __str__(self) -> str:
        first, second = self.names
        return (
            f"{self.metric.replace('_', ' ')} of {first} {self.value_a:.4f}, of {second} {self.value_b:.4f}: "
            f"{say_p(self.corrected.p_value)} (corrected t); {first} better with probability "
            f"{self.p_first_better:.2f}, {second} {self.p_second_better:.2f}, no practical difference "
            f"{self.bayes.p_equivalent:.2f}"
        )


def compare(
    learner_a: Any,
    learner_b: Any,
    X: Any,
    y: Any,
    *,
    metric: Any = "error",
    n_splits: int = 10,
    n_repeats: int = 10,
    stratify: bool = True,
    splits: Any = None,
    rope: float = 0.01,
    X_test: Any = None,
    y_test: Any = None,
    test_size: float | int | None = None,
    names: tuple[str, str] | None = None,
    n_jobs: int | None = None,
    random_state: RandomState = None,
) -> Comparison:
    """Compare two learners on the same folds, and two fitted rules on the same test cases.

    Three tests answer three questions. The corrected resampled t test: is the mean difference over data sets like
    this one zero? The Bayesian correlated t test: how probable is it that either is better, or neither? McNemar's:
    do *these two fitted rules* err equally often?

    Parameters
    ----------
    learner_a, learner_b : classifier
        Objects with `fit` and `predict`.
    X : dataframe or 2-D array-like
        The cases.
    y : array-like
        Their classes.
    metric : str or callable
        As in `estimate_error`; measured fold by fold.
    n_splits, n_repeats, stratify, splits
        The folds, as in `estimate_error`; by default ten times ten.
    rope : float
        Differences up to this make no practical difference, in the unit of the metric.
    X_test, y_test : optional
        Test cases for McNemar's test; the rules are learnt from all of `X`.
    test_size : float or int, optional
        Without test cases: the share or number of cases of `X` to hold out for McNemar's test.
    names : (str, str), optional
        What to call the learners; by default after their types.
    n_jobs : int, optional
        How many fits run at the same time; the result does not depend on it.
    random_state : int, Generator or None
        The source of the folds, and of the seeds of learners that have none.

    Returns
    -------
    Comparison

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
    >>> found = compare(GaussianNB(), KNeighborsClassifier(7), X, y, n_repeats=2, random_state=0)
    >>> found.corrected.p_value > 0.05
    True
    """
    check_learner(learner_a, "learner_a")
    check_learner(learner_b, "learner_b")
    cases, measure, rng = read_labelled_table(X, y), as_measure(metric), as_generator(random_state)
    asking = [Refits(one, cases, measure, n_jobs, rng) for one in (learner_a, learner_b)]
    sets = _sets(asking[0], CvOptions(n_splits, n_repeats, stratify), splits)
    judged = [one.judge(sets) for one in asking]
    first, second = (one.scores() for one in judged)
    share = _test_share(sets)
    rules = _fitted_rules(asking, X_test, y_test, test_size)
    said = [ONE_DATA_SET, *([RULES_NOT_LEARNERS] if rules is not None else [])]
    said += list(dict.fromkeys(sentence for one in judged for sentence in about_answers(one)))
    return Comparison(
        names=_names(learner_a, learner_b) if names is None else names,
        metric=measure.name,
        metric_direction=measure.direction,
        value_a=float(first.mean()),
        value_b=float(second.mean()),
        differences=first - second,
        corrected=corrected_t(first - second, test_share=share),
        bayes=correlated_bayes(first - second, test_share=share, rope=rope),
        mcnemar=rules,
        warnings=tuple(said),
    )


def _sets(asking: Refits, options: CvOptions, splits: Any) -> TrainingSets:
    if splits is not None:
        return read_splits(splits, asking.cases)
    options.check_size(len(asking.cases))
    return repeated_folds(asking, options)


def _test_share(sets: TrainingSets) -> float:
    shares = [sets.test(p).size / (sets.test(p).size + sets.train(p).size) for p in range(len(sets))]
    return float(np.mean(shares))


def _names(learner_a: Any, learner_b: Any) -> tuple[str, str]:
    first, second = type(learner_a).__name__, type(learner_b).__name__
    return (first, second) if first != second else (f"{first} (first)", f"{second} (second)")


def _fitted_rules(asking: list[Refits], X_test: Any, y_test: Any, test_size: Any) -> McNemar | None:
    if (X_test is None) != (y_test is None):
        raise InputError("X_test and y_test together", "one of them")
    if X_test is not None and test_size is not None:
        raise InputError("either X_test and y_test or test_size", "both")
    if X_test is not None:
        truth = encode_truth(y_test, asking[0].cases.classes, "y_test")
        a, b = (_answers_to(one, X_test) for one in asking)
        if a.size != truth.size:
            raise InputError("one class for each row of X_test", f"{truth.size} classes for {a.size} rows")
        return from_wrong(a != truth, b != truth)
    return None if test_size is None else _held_out(asking, asking[0].cases, test_size)


def _answers_to(asking: Refits, X_test: Any) -> NDArray[np.int32]:
    """Learn from all cases and answer others."""
    everything = Copies(np.ones((1, len(asking.cases)), dtype=np.int64))

    def answer(model: Any, X: Any, rows: Any) -> NDArray[np.int32]:
        return asking.cases.places(model.predict(X_test))

    return ask(asking.learner, asking.cases, everything, answer, n_jobs=None, rng=asking.rng)[0]


def _held_out(asking: list[Refits], cases: LabelledTable, test_size: Any) -> McNemar:
    n = len(cases)
    test = draw(n, n_test_rows(test_size, n), asking[0].rng, cases.codes)
    split = GivenSplits(n, ((np.setdiff1d(np.arange(n), test), test),))
    a, b = (one.judge(split).said[0] for one in asking)
    return from_wrong(a != cases.codes[test], b != cases.codes[test])
