"""How often will an estimator be wrong on new cases?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from fivefold.errors import InputError, show
from fivefold.inputs.options import RandomState, as_generator, one_of
from fivefold.training.fit_predict import check_fits_and_predicts, read_labelled_table
from fivefold.truth.bootstrap import bootstrap, bootstrap_632, bootstrap_632_plus, resubstitution
from fivefold.truth.cross_validation import cross_validation, holdout, leave_one_out
from fivefold.truth.error_estimate import ErrorEstimate
from fivefold.truth.refits import Refits, as_measure

# the options of a method are the keywords of its function
METHODS: Mapping[str, Callable[..., ErrorEstimate]] = {
    "resubstitution": resubstitution,
    "holdout": holdout,
    "cv": cross_validation,
    "loo": leave_one_out,
    "bootstrap": bootstrap,
    "632": bootstrap_632,
    "632+": bootstrap_632_plus,
}


def estimate_error(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    method: str = "cv",
    metric: Any = "error",
    groups: Any = None,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
    **options: Any,
) -> ErrorEstimate:
    r"""Estimate how often an estimator will be wrong on new cases when it has learnt from all of these.

    With :math:`e_b` the error on the cases left out of a resample, averaged over resamples, and :math:`e_r` the
    error on the training cases themselves,

    .. math::

        e_{.632} = .368\, e_r + .632\, e_b, \qquad
        e_{.632+} = (1 - w)\, e_r + w \min(e_b, \gamma), \quad w = \frac{.632}{1 - .368 R}, \quad
        R = \frac{\min(e_b, \gamma) - e_r}{\gamma - e_r},

    where :math:`\gamma = \sum_k p_k (1 - q_k)` is the error if answers had nothing to do with classes; R is 0
    where :math:`e_b \le e_r` or :math:`\gamma \le e_r`.

    Parameters
    ----------
    estimator : classifier
        An object with `fit` and `predict`; each training set gets a clone.
    X : dataframe or 2-D array-like
        The cases.
    y : array-like
        Their classes: text, whole numbers or booleans.
    method : {"cv", "loo", "bootstrap", "632", "632+", "holdout", "resubstitution"}
        How the error is estimated.
    metric : str or callable
        ``"error"``; or a metric of Fivefold such as ``fivefold.bets.log_score``, which is measured on all answers
        of a repetition together; or a scorer of scikit-learn or its name, which is measured fold by fold.
    groups : array-like or str, optional
        Which cases belong together, such as all of one customer: a column, or the name of one, which is then no
        attribute. Folds and resamples keep them whole, so that the error is that on cases of new groups.
    n_jobs : int, optional
        How many fits run at the same time, as in joblib. The result does not depend on it, bit for bit.
    random_state : int, Generator or None
        The source of folds and resamples, and of the seeds of an estimator whose own ``random_state`` is None.
    **options
        With ``"cv"``: `n_splits` (10), `n_repeats` (1), `stratify` (True; False for Bailey and Elkan's folds),
        `cv` (a splitter of scikit-learn or pairs of training and test rows, instead of random folds),
        `interval` (None or ``"nested-cv"``) with `nested_repeats` (50) and `confidence` (0.95).
        With ``"holdout"``: `test_size` (1/3; a share or a number of cases), `stratify` (True) and
        `confidence` (0.95).
        With ``"bootstrap"``: `n_resamples` (50), `duplicates` (True; False learns from each drawn case once).
        With ``"632"`` and ``"632+"``: `n_resamples` (50), `check_duplicates` (True).

    Returns
    -------
    ErrorEstimate
        With `warnings`, which are sentences in the result and not Python warnings.

    Notes
    -----
    Resamples that leave no case out are skipped. After a training set with one class the answer is that class. An
    empty answer is wrong. The estimates of .632 and .632+ come with a test whether the learner notices repeated
    cases (on the first 20 resamples), without which they are not to be trusted.

    References
    ----------
    T. L. Bailey and C. Elkan (1993). Estimating the accuracy of learned concepts. IJCAI-93, 895-900.

    B. Efron and R. Tibshirani (1997). Improvements on cross-validation: the .632+ bootstrap method. JASA 92,
    548-560.

    S. Bates, T. Hastie and R. Tibshirani (2024). Cross-validation: what does it estimate and how well does it do
    it? JASA 119, 1434-1445.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(estimate_error(DecisionTreeClassifier(max_depth=2), X, y, method="loo", random_state=0))
    error by leave-one-out: 4.7% (1 warning, see .warnings)
    """
    function = METHODS[one_of(method, METHODS, "method")]
    _check_names(method, options)
    check_fits_and_predicts(estimator)
    table, measure = read_labelled_table(X, y, groups), as_measure(metric)
    return function(Refits(estimator, table, measure, n_jobs, as_generator(random_state)), **options)


def _check_names(method: str, options: Mapping[str, Any]) -> None:
    """Check that a method has all the options that were given."""
    allowed = _options_of(METHODS[method])
    unknown = [name for name in options if name not in allowed]
    if unknown:
        listed = f"the options {', '.join(allowed)}" if allowed else "no options"
        others = sorted(name for name, function in METHODS.items() if unknown[0] in _options_of(function))
        raise InputError(
            f'{listed} with method="{method}"',
            f"{unknown[0]}={show(options[unknown[0]])}",
            f"{unknown[0]} belongs to {', '.join(map(repr, others))}" if others else None,
        )


def _options_of(function: Callable[..., ErrorEstimate]) -> list[str]:
    return list(inspect.signature(function).parameters)[1:]
