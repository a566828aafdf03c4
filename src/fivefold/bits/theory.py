"""I(T): how many bits the theory of a fitted model takes, and whether it pays for its own description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from fivefold.bits.codes import Encoding, encode
from fivefold.bits.theory_codes import TheoryLength, code_theory
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import CategoricalFeatures, Column, read_columns
from fivefold.learners.theories import HasTheory, Theory
from fivefold.results import HIGHER, Result


def theory_length(
    estimator: Any, X: Any, *, categorical_features: CategoricalFeatures = "from_dtype"
) -> float | None:
    r"""Give the bits that a theory takes when it is sent to one who knows the questions: I(T).

    The receiver knows the values of all attributes in `X`, the list of classes and the kind of theory. Symbols
    that repeat are sent by adaptive codes,
    :math:`A(s) = -\lg [(c_s+1) / \sum_{a\,\text{allowed}} (c_a+1)]`. For a decision tree, each node before its
    branches: leaf or test, unless no attribute varies among the questions that come there; for a test the
    attribute, among those that vary there, and its cut, :math:`\lg(u-1)` bits for *u* different numbers; for a
    leaf its class. The other kinds are in `docs/decisions/0003-theory-codes.md`.

    On the set that a theory was learnt from, :math:`I(D|Q) - I(D|T,Q) - I(T)` is a certificate: above zero, the
    theory has found something. It is not a good guide to the best size of a theory on small data.

    Parameters
    ----------
    estimator : fitted model or theory
        A theory from `fivefold.learners`, anything with a method ``theory()``, scikit-learn's
        ``DecisionTreeClassifier``, or a ``Pipeline`` that ends in one of these and whose other steps have not
        used the classes.
    X : dataframe or array-like
        The questions. What makes no difference to any of them is not sent.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal, as in `fivefold.data`; not used for scikit-learn's trees.

    Returns
    -------
    float or None
        Bits; None where there is no code for such a theory (neighbours, margins, networks, forests).

    References
    ----------
    J. G. Cleary, S. Legg and I. H. Witten (1996). An MDL estimate of the significance of rules. Working
    paper 96/03, University of Waikato. The codes themselves are Fivefold's own.

    Examples
    --------
    One cut of one of three attributes, which has 22 different values, and three classes:
    lg 12 bits for the shape, lg 3 for the attribute, lg 21 for the cut, lg 3 + lg 4 for the two classes.

    >>> import fivefold as ff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> X = X[:, [0, 1, 3]]
    >>> stump = DecisionTreeClassifier(max_depth=1).fit(X, y)
    >>> round(ff.bits.theory_length(stump, X), 3)
    13.147
    >>> print(ff.bits.theory_length_details(stump, X))
    13.1 bits for a decision tree of size 2: structure 3.6, attributes 1.6, values 4.4, classes 3.6
    """
    length = theory_length_details(estimator, X, categorical_features=categorical_features)
    return None if length is None else length.value


def theory_length_details(
    estimator: Any, X: Any, *, categorical_features: CategoricalFeatures = "from_dtype"
) -> TheoryLength | None:
    """Give `theory_length` by what the bits are spent on; it has the same parameters."""
    theory = _find_theory(estimator, X, categorical_features)
    return None if theory is None else code_theory(*theory)


@dataclass(frozen=True, eq=False)
class DescriptionGain(Result, title="Description gain", unit="bits", direction=HIGHER):
    """The training set, sent as a theory and what the theory leaves open.

    Parameters
    ----------
    null, answers, theory : float
        Bits of the classes without a theory, of the classes given its answers, and of the theory itself.
    n_train : int
        Number of training cases.
    test : Encoding or None
        The test cases, if there were any.
    """

    null: float
    answers: float
    theory: float
    n_train: int
    test: Encoding | None = None

    @property
    def significance(self) -> float:
        """Bits saved on the training set before the theory is paid for."""
        return self.null - self.answers

    @property
    def gain(self) -> float:
        """Bits saved on the training set once the theory is paid for."""
        return self.significance - self.theory

    @property
    def proven(self) -> bool:
        """Whether the theory pays for itself; if not, it may only repeat its training set."""
        return self.gain > 0

    @property
    def shrinkage(self) -> float | None:
        """Bits per case that the saving loses from training to test; None without test cases."""
        return None if self.test is None else self.significance / self.n_train - self.test.per_case

    def columns(self) -> Mapping[str, Any]:
        """Give the parts of the account as one row."""
        parts = ("null", "answers", "theory", "gain", "proven", "shrinkage")
        return {part: [getattr(self, part)] for part in parts}

    def __str__(self) -> str:
        verdict = "pays for itself" if self.proven else "not proven: possible overfitting"
        return (
            f"{self.null:.1f} bits without a theory; {self.answers:.1f} given its answers + {self.theory:.1f} "
            f"for itself: gain {self.gain:+.1f} bits, {verdict}"
        )


def description_gain(
    estimator: Any, X: Any, y: object, *, X_test: Any = None, y_test: object = None, code: str = "frequency"
) -> DescriptionGain | None:
    r"""Account for a fitted theory on its own training set: :math:`I(D|Q) - I(D|T,Q) - I(T)`.

    A gain above zero certifies that the theory has found something, for it compresses the data it was made
    from although it had to be sent too. It is a certificate, not a tuner: on small data it prefers theories
    that are simpler than the best.

    Parameters
    ----------
    estimator : fitted classifier
        With ``predict_sets`` or ``predict``, and a theory that has a code (see `theory_length`).
    X, y : array-like
        The training set.
    X_test, y_test : array-like, optional
        Cases that it has not seen, for ``shrinkage``.
    code : str
        As in `code_length`.

    Returns
    -------
    DescriptionGain or None
        None where no code is defined for the theory (nearest neighbours, networks, forests …).

    Examples
    --------
    >>> import fivefold as ff
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> account = ff.bits.description_gain(DecisionTreeClassifier(max_depth=2).fit(X, y), X, y)
    >>> account.proven
    True
    """
    theory = theory_length(estimator, X)
    if theory is None:
        return None
    if (X_test is None) != (y_test is None):
        raise InputError("X_test and y_test together", f"only {'y_test' if X_test is None else 'X_test'}")
    train = _encode(estimator, X, y, code)
    test = None if X_test is None else _encode(estimator, X_test, y_test, code)
    return DescriptionGain(train.null, train.total, theory, train.per_example.shape[0], test)


def _encode(estimator: Any, X: Any, y: object, code: str) -> Encoding:
    predict = getattr(estimator, "predict_sets", getattr(estimator, "predict", None))
    if predict is None:
        raise InputTypeError("a classifier with predict or predict_sets", type(estimator).__name__)
    return encode(y, predict(X), classes=getattr(estimator, "classes_", None), code=code)


def _find_theory(
    model: Any, X: Any, categorical_features: CategoricalFeatures
) -> tuple[Theory, tuple[Column, ...]] | None:
    """Give the theory of a model and the questions as it reads them; None if it has no theory."""
    from sklearn.pipeline import Pipeline
    from sklearn.tree import DecisionTreeClassifier

    if isinstance(model, get_args(Theory)):
        return model, read_columns(X, categorical_features=categorical_features)
    _check_fitted(model)
    *before, last = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    # A step that has seen the classes is a part of the theory, and there is no code for it.
    if any(map(_uses_classes, before)) or not isinstance(last, HasTheory | DecisionTreeClassifier):
        return None
    if before:
        return _find_theory(last, model[:-1].transform(X), categorical_features)
    if not isinstance(last, HasTheory):
        from fivefold.learners.trees.sklearn_trees import sklearn_tree_columns, sklearn_tree_theory

        return (sklearn_tree_theory(last), sklearn_tree_columns(last, X)) if last.n_outputs_ == 1 else None
    # a learner of ours reads the questions as it read its training cases
    theory, fitted = last.theory(), getattr(last, "columns_", None)
    if theory is None:
        return None
    return theory, read_columns(X, categorical_features=categorical_features, like=fitted)


def _check_fitted(model: Any) -> None:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(model, BaseEstimator):
        return
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InputError("a fitted model", f"{type(model).__name__} before fit", "call fit first") from None


def _uses_classes(step: Any) -> bool:
    from sklearn.cross_decomposition import CCA, PLSSVD, PLSCanonical, PLSRegression
    from sklearn.feature_selection import SelectorMixin, VarianceThreshold
    from sklearn.utils import get_tags

    # scikit-learn's filters and projections onto targets do not always say in their tags that they use them
    supervised = SelectorMixin, PLSCanonical, PLSRegression, PLSSVD, CCA
    chooses = isinstance(step, supervised) and not isinstance(step, VarianceThreshold)
    if chooses or any(map(_uses_classes, _parts(step))):
        return True
    return hasattr(step, "__sklearn_tags__") and bool(get_tags(step).target_tags.required)


def _parts(step: Any) -> Iterator[Any]:
    # the steps of Pipeline, FeatureUnion and ColumnTransformer
    for attribute in ("steps", "transformer_list", "transformers"):
        for part in getattr(step, attribute, None) or ():
            if isinstance(part, tuple) and len(part) > 1:
                yield part[1]
