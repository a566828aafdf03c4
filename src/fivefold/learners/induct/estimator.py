"""The INDUCT estimator."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import fraction, one_of
from fivefold.learners.base import Learner
from fivefold.learners.induct.forms import list_of_rules, rules_of_classes, rules_with_exceptions
from fivefold.learners.induct.measured_rule import MeasuredRule
from fivefold.learners.induct.models import Cases, ListOfRules, Model, RulesOfClasses, RulesWithExceptions
from fivefold.learners.induct.searching import Search
from fivefold.learners.induct.significance import Chance
from fivefold.learners.prism.clauses import values_of
from fivefold.learners.prism.pool import Pool
from fivefold.learners.theories import Theory

_MAX_R = {"dnf": 1.0, "list": 1.0, "ripple": 0.05}


class Induct(Learner):
    r"""INDUCT: rules as PRISM grows them, made as general as is good for their significance.

    A rule that covers t of T cases, p of them among the P cases of its class, is measured by the probability r
    that t cases drawn at random hold as many of the class,

    .. math:: r = \sum_{i=p}^{t} \binom{t}{i} q^i (1-q)^{t-i}, \qquad q = \frac{P}{T}.

    The best clause for a class is grown by the term with the greatest p/t until it covers no other class; then
    its last term is dropped as long as r falls. What is made of clauses is the `form`:

    ``"dnf"``
        Clauses for one class after the other, each class from all cases; covered cases are put aside. Several
        classes may be the answer, or none.
    ``"list"``
        Of the best clauses of all classes the one with the least r; then the same with the cases that it does
        not cover. A clause must be for the most frequent class of the cases that it covers. The first clause that
        holds decides. The last has no terms, and is for the class that is most frequent among the cases that are
        left.
    ``"ripple"``
        Ripple-down rules. The default is the most frequent class. The clause with the least r for another class
        makes an exception to it; exceptions to the exception are learnt from the cases that it covers, further
        exceptions to the default from the others. The last clause on the way that holds decides.

    Parameters
    ----------
    form : {"dnf", "list", "ripple"}
        The form of the rules.
    statistic : {"binomial", "hypergeometric"}
        Whether r is for draws with replacement, as above, or without.
    search : {"prism", "min_r"}
        How a clause is grown: as above, or by the term with the least r as long as r falls.
    max_r : float or None
        A clause with a greater r is not taken. None for 1 with ``"dnf"`` and ``"list"``, which keeps them all,
        and 0.05 with ``"ripple"``.
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
    measured_rules_ : tuple of MeasuredRule
        The clauses in the order of learning, each with its class, t, p and r. Of ripple-down rules each is
        without the clauses that lead to it, and stands before its exceptions.

    Notes
    -----
    A numeric column is cut in two midway between neighbouring values of the cases that a clause covers so far.
    Of equal terms the one that covers more of the class is taken, then that of the first attribute, then the
    first value; of equal clauses the one that is right more often, then that of the first class. A term that
    all cases meet is not added. A missing value meets no term, so ``missing_test`` makes no difference.

    With ``"dnf"``, `predict` and `predict_proba` resolve sets as `Prism` does. With the other forms `predict`
    gives the class of the deciding clause, and `predict_proba` the class frequencies of the training cases that it
    decides, with one added to each count. A ripple-down rule may be significant for a class that is not the most
    frequent one among the cases it decides; then the two differ.

    References
    ----------
    B. R. Gaines (1991). Refining induction into knowledge. AAAI Workshop on Knowledge Discovery in Databases,
    1-10.
    B. R. Gaines and P. Compton (1995). Induction of ripple-down rules applied to modeling large databases.
    Journal of Intelligent Information Systems 5, 211-228.
    I. H. Witten and E. Frank (2000). Data Mining. Morgan Kaufmann. (The list and the draws without replacement.)

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import Induct
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> play = ["no", "no", "yes", "yes", "yes", "no", "yes"]
    >>> print(Induct(form="list").fit(golf, play))
    if outlook = sunny then no (2, r = 0.184)
    if windy = True and outlook = rain then no (1, r = 0.2)
    otherwise yes (4)
    >>> print(Induct(form="ripple", max_r=0.5).fit(golf, play))
    always yes (7/3)
    |   except if outlook = sunny then no (2, r = 0.184)
    |   else if windy = True and outlook = rain then no (1, r = 0.2)
    """

    measured_rules_: tuple[MeasuredRule, ...]

    def __init__(
        self,
        *,
        form: str = "dnf",
        statistic: str = "binomial",
        search: str = "prism",
        max_r: float | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.form = form
        self.statistic = statistic
        self.search = search
        self.max_r = max_r
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        form = one_of(self.form, _MAX_R, "form")
        max_r = _MAX_R[form] if self.max_r is None else fraction(self.max_r, "max_r")
        chance = Chance.for_cases(classes.size, self.statistic)
        least_r = one_of(self.search, ("prism", "min_r"), "search") == "min_r"
        codes, distinct = _ranks(columns)
        search = Search(classes, self.classes_.size, chance, least_r, max_r, distinct)
        pool = Pool.of(codes, np.array([-1 if c.categories is None else len(c.categories) for c in columns]))
        labels = tuple(self.classes_.tolist())
        cases = Cases(self.columns_, labels, values_of(columns), classes)
        self._model = _LEARN[form](cases, search, pool)
        self.measured_rules_ = self._model.measured

    def _choices(self, columns: Sequence[Column]) -> NDArray[np.intp]:
        return self._model.choices(values_of(columns))

    def _probabilities(self, columns: Sequence[Column]) -> NDArray[np.float64]:
        return self._model.probabilities(values_of(columns))

    def _sets(self, columns: Sequence[Column], missing_fails: bool) -> NDArray[np.bool_]:
        return self._model.sets(values_of(columns))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # a list or a branch ends where no clause is significant, however many cases are left
        tags.classifier_tags.poor_score = self.form != "dnf"
        return tags

    def to_text(self) -> str:
        """Write the rules, each with the training cases it was learnt from, its errors among them, and its r."""
        check_is_fitted(self)
        return self._model.text()

    def rules(self) -> list[Rule]:
        """Give the rules.

        With ``"dnf"`` all that hold for a case speak. With the other forms the first that holds decides, and the
        last always holds; a ripple-down rule has the clauses that lead to it among its terms, and stands after
        its exceptions.
        """
        check_is_fitted(self)
        return self._model.rules()

    def theory(self) -> Theory:
        """Describe the rules in the form whose length in bits is defined."""
        check_is_fitted(self)
        return self._model.theory()


def _learn_dnf(cases: Cases, search: Search, pool: Pool) -> Model:
    return RulesOfClasses(cases, rules_of_classes(search, pool))


def _learn_list(cases: Cases, search: Search, pool: Pool) -> Model:
    return ListOfRules(cases, *list_of_rules(search, pool))


def _learn_ripple(cases: Cases, search: Search, pool: Pool) -> Model:
    return RulesWithExceptions(cases, rules_with_exceptions(search, pool))


_LEARN = {"dnf": _learn_dnf, "list": _learn_list, "ripple": _learn_ripple}


def _ranks(columns: Sequence[Column]) -> tuple[NDArray[np.int32], tuple[NDArray[np.float64], ...]]:
    """Give each value as its place among those of its column, and the different numbers of each column."""
    codes = np.empty((len(columns), len(columns[0])), dtype=np.int32)
    distinct = []
    for own, column in zip(codes, columns, strict=True):
        own[:] = -1
        known = ~column.missing
        numbers, places = np.unique(column.values[known], return_inverse=True)
        own[known] = column.values[known] if column.categories is not None else places
        distinct.append(numbers if column.categories is None else np.empty(0))
    return codes, tuple(distinct)
