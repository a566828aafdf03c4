"""I(T): how many bits a theory takes, when it is sent to one who knows the questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from fivefold.bits._theory.ledger import Ledger, NoCodeError
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.learners.theories import DecisionTree, RippleDownTree, RuleList, RuleSet, Theory
from fivefold.results.metric import Direction
from fivefold.results.result import Result

_PARTS = ("structure", "attributes", "values", "classes", "counts", "refund")


@dataclass(frozen=True)
class TheoryLength(Result):
    """The bits of a theory by what they are spent on.

    Parameters
    ----------
    kind : str
        What sort of theory it is.
    size : int
        The number of leaves, rules or cells that were sent.
    structure : float
        Where branches and rules end, and what is there at all.
    attributes : float
        Which attributes are tested.
    values : float
        Which cuts, values and operators they are tested with.
    classes : float
        Which classes are answered.
    counts : float
        How many rules or intervals there are.
    refund : float
        Zero or less: what was paid for an order that has no meaning.
    unsent : int
        Branches, conditions, rules and cells that make no difference to any of the questions, so that
        nothing was sent for them. None on the questions that a model was fitted on, as a rule.
    """

    title: ClassVar[str] = "Description length of the theory"
    unit: ClassVar[str] = "bits"
    direction: ClassVar[Direction] = "lower is better"

    kind: str
    size: int
    structure: float
    attributes: float
    values: float
    classes: float
    counts: float
    refund: float
    unsent: int

    @property
    def total(self) -> float:
        """All bits together."""
        return self.structure + self.attributes + self.values + self.classes + self.counts + self.refund

    def columns(self) -> Mapping[str, Any]:
        """Give the parts, one a row."""
        return {"part": list(_PARTS), "bits": [getattr(self, part) for part in _PARTS]}

    def __str__(self) -> str:
        spent = ", ".join(f"{part} {getattr(self, part):.1f}" for part in _PARTS if getattr(self, part))
        unsent = f"; {self.unsent} parts touch no question and are not sent" if self.unsent else ""
        return f"{self.total:.1f} bits for a {self.kind} of size {self.size}: {spent}{unsent}"


def theory_length(
    model: Any, X: Any, *, categorical_features: CategoricalFeatures = "from_dtype"
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
    model : fitted model or theory
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
    >>> print(ff.bits.describe_theory(stump, X))
    13.1 bits for a decision tree of size 2: structure 3.6, attributes 1.6, values 4.4, classes 3.6
    """
    length = describe_theory(model, X, categorical_features=categorical_features)
    return None if length is None else length.total


def describe_theory(
    model: Any, X: Any, *, categorical_features: CategoricalFeatures = "from_dtype"
) -> TheoryLength | None:
    """Account for the bits of `theory_length`, which has the same parameters."""
    from fivefold.bits._theory.models import find_theory

    found = find_theory(model, X, categorical_features)
    if found is None:
        return None
    theory, columns = found
    try:
        kind, ledger = _code(theory, columns)
    except NoCodeError:
        return None
    return TheoryLength(kind=kind, **vars(ledger))


def _code(theory: Theory, columns: Sequence[Column]) -> tuple[str, Ledger]:
    from fivefold.bits._theory import rules, single, trees

    if isinstance(theory, DecisionTree):
        return "decision tree", trees.code_tree(theory, columns)
    if isinstance(theory, RuleSet):
        return "rule set", rules.code_rule_set(theory, columns)
    if isinstance(theory, RuleList):
        return "rule list", rules.code_rule_list(theory, columns)
    if isinstance(theory, RippleDownTree):
        return "ripple-down tree", rules.code_ripple_down(theory, columns)
    return "single-attribute rule", single.code_single_attribute_rule(theory, columns)
