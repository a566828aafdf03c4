"""Does a theory pay for its own description?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from fivefold.bits.encode import Encoding, encode
from fivefold.bits.theory import theory_length
from fivefold.errors import InputError, InputTypeError
from fivefold.results.metric import Direction
from fivefold.results.result import Result


@dataclass(frozen=True, eq=False)
class DescriptionGain(Result):
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

    title: ClassVar[str] = "Description gain"
    unit: ClassVar[str] = "bits"
    direction: ClassVar[Direction] = "higher is better"

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
        if self.test is None:
            return None
        return self.significance / self.n_train - self.test.per_case

    def columns(self) -> Mapping[str, Any]:
        """Give the parts of the account as one row."""
        return {
            "null": [self.null],
            "answers": [self.answers],
            "theory": [self.theory],
            "gain": [self.gain],
            "proven": [self.proven],
            "shrinkage": [self.shrinkage],
        }

    def __str__(self) -> str:
        verdict = "pays for itself" if self.proven else "not proven: possible overfitting"
        return (
            f"{self.null:.1f} bits without a theory; {self.answers:.1f} given its answers + {self.theory:.1f} "
            f"for itself: gain {self.gain:+.1f} bits, {verdict}"
        )


def description_gain(
    model: Any,
    X: Any,
    y: object,
    *,
    X_test: Any = None,
    y_test: object = None,
    code: str = "frequency",
) -> DescriptionGain | None:
    r"""Account for a fitted theory on its own training set: :math:`I(D|Q) - I(D|T,Q) - I(T)`.

    A gain above zero certifies that the theory has found something, for it compresses the data it was made
    from although it had to be sent too. It is a certificate, not a tuner: on small data it prefers theories
    that are simpler than the best.

    Parameters
    ----------
    model : fitted classifier
        With ``predict_sets`` or ``predict``, and a theory that has a code (see `theory_length`).
    X, y : array-like
        The training set.
    X_test, y_test : array-like, optional
        Cases that the model has not seen, for ``shrinkage``.
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
    theory = theory_length(model, X)
    if theory is None:
        return None
    if (X_test is None) != (y_test is None):
        raise InputError("X_test and y_test together", f"only {'y_test' if X_test is None else 'X_test'}")
    train = _encode(model, X, y, code)
    test = None if X_test is None else _encode(model, X_test, y_test, code)
    return DescriptionGain(train.null, train.total, theory, train.per_example.shape[0], test)


def _encode(model: Any, X: Any, y: object, code: str) -> Encoding:
    classes = getattr(model, "classes_", None)
    if hasattr(model, "predict_sets"):
        return encode(y, model.predict_sets(X), classes=classes, code=code)
    if hasattr(model, "predict"):
        return encode(y, model.predict(X), classes=classes, code=code)
    raise InputTypeError("a classifier with predict or predict_sets", type(model).__name__)
