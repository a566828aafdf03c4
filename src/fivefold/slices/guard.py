"""A guard: a classifier that knows where it should not be trusted."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv, cross_val_predict
from sklearn.utils import assert_all_finite, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from fivefold.data.cut_points import Bins
from fivefold.errors import InputError
from fivefold.inputs.groups import Groups, read_groups
from fivefold.inputs.options import RandomState
from fivefold.slices.find import find_errors
from fivefold.training.splits import Rows, codes_for, groups_for


def _has_probabilities(guard: SliceGuard) -> bool:
    used = getattr(guard, "estimator_", guard.estimator)
    other = getattr(guard, "fallback_", guard.fallback)
    return hasattr(used, "predict_proba") and (other is None or hasattr(other, "predict_proba"))


@dataclass(eq=False, repr=False)
class SliceGuard(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier with a list of the areas in which it is far less accurate than average.

    At fitting time the answers of the classifier to cases that it was not trained on (by cross-validation) are
    searched for slices. At prediction time `flag` marks the cases that lie in a slice far below average, and a
    `fallback`, if there is one, answers in its place there: the paper's uses 1 and 3.

    Parameters
    ----------
    estimator : classifier
        The classifier to guard.
    fallback : classifier, optional
        Answers the flagged cases; it is trained on all cases.
    cv : int or splitter
        How the cases are split for the answers that are searched.
    by : float
        How far below average a slice must be for its cases to be flagged; 0.1 is ten percentage points.
    alpha, min_support_difference, max_terms, bins
        As in `find_errors`.
    random_state : int, Generator or None
        As in `find_errors`.

    Attributes
    ----------
    slices_ : SliceSet
        Where the classifier is less accurate than average, by that much.
    estimator_, fallback_ : classifier
        Trained on all cases; `fallback_` may be None.
    classes_ : ndarray
        The classes.

    References
    ----------
    S. D. Bay and M. J. Pazzani, "Characterizing model errors and differences", ICML 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.random.default_rng(0).random((2000, 2))
    >>> y = (X[:, 0] > 0.5) ^ (X[:, 1] > 0.75)
    >>> guard = SliceGuard(LogisticRegression(), bins=4).fit(X, y)
    >>> guard.flag([[0.3, 0.9], [0.3, 0.1]])
    array([ True, False])
    >>> guard.reasons([[0.3, 0.9]])[0][0]
    'x1 > 0.7...'
    """

    estimator: Any
    _: KW_ONLY
    fallback: Any = None
    cv: Any = 5
    by: float = 0.1
    alpha: float = 0.05
    min_support_difference: float = 0.02
    max_terms: int = 2
    bins: Bins = None
    random_state: RandomState = None

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Train the classifier and find out where it errs.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes.
        y : array-like
            The classes.
        groups : array-like, optional
            Which cases belong together: they are never split between training and asking, and the tests of the
            slices respect them.
        """
        if y is None:
            raise InputError("a class for each case", "requires y to be passed, but the target y is None")
        assert_all_finite(column_or_1d(y, warn=True), input_name="y")
        check_classification_targets(y)
        groups, spare = read_groups(groups, len(y)), self.fallback
        told, parts = groups_for(self.estimator, groups), self._parts(X, y, groups)
        self.estimator_ = clone(self.estimator).fit(X, y, **told)
        self.fallback_ = None if spare is None else clone(spare).fit(X, y, **groups_for(spare, groups))
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        y_pred = cross_val_predict(clone(self.estimator), X, y, cv=parts, params=told)
        self.slices_ = find_errors(
            X,
            y,
            y_pred,
            alpha=self.alpha,
            min_support_difference=self.min_support_difference,
            max_terms=self.max_terms,
            bins=self.bins,
            include_target=False,
            groups=groups,
            random_state=self.random_state,
            correction="layered",  # an estimator without a seed must not flag other cases each time
        ).worse(self.by)
        return self

    def _parts(self, X: Any, y: Any, groups: Groups | None) -> list[tuple[Rows, Rows]]:
        """Part the cases for learning and asking; what learns may itself deal the groups that are left to it."""
        cv = StratifiedGroupKFold(self.cv) if groups is not None and isinstance(self.cv, int) else self.cv
        parts = list(check_cv(cv, y, classifier=True).split(X, y, codes_for(cv, groups)))
        for learn, _ in parts:
            groups_for(self.estimator, groups and groups.part(learn))
        return parts

    def flag(self, X: Any) -> NDArray[np.bool_]:
        """Flag the cases that lie in an area where the classifier is not to be trusted.

        Parameters
        ----------
        X : dataframe or 2-D array-like
            The attributes, in the columns of fitting time.
        """
        check_is_fitted(self)
        return self.slices_.flag(X, by=self.by)

    def reasons(self, X: Any) -> list[list[str]]:
        """Name the slices in which each case lies, the strongest evidence first; `X` is that of `flag`."""
        check_is_fitted(self)
        reasons = [part.conditions for part in self.slices_]
        return [[reasons[place] for place in np.flatnonzero(row)] for row in self.slices_.mask(X)]

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer; the fallback, if there is one, answers the flagged cases. `X` is that of `flag`."""
        check_is_fitted(self)
        return self._route(X, "predict")

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give probabilities; the fallback's, if there is one, for the flagged cases. `X` is that of `flag`."""
        check_is_fitted(self)
        return self._route(X, "predict_proba")

    def _route(self, X: Any, method: str) -> NDArray[Any]:
        answers = np.asarray(getattr(self.estimator_, method)(X))
        if self.fallback_ is None or len(answers) == 0:
            return answers
        others = np.asarray(getattr(self.fallback_, method)(X))
        flagged = self.flag(X)
        return np.where(flagged if answers.ndim == 1 else flagged[:, None], others, answers)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        for name in ("allow_nan", "categorical", "string"):
            setattr(tags.input_tags, name, getattr(inner.input_tags, name))
        tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        tags.input_tags.sparse = False
        return tags
