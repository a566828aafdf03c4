"""Gaines's INDUCT: PRISM's rules, kept as general as chance allows, in one of three forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.data.discretise import midpoint
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import fraction, one_of
from fivefold.learners.base import Learner
from fivefold.learners.rules._clause_kernels import (
    AT_MOST,
    ATTRIBUTE,
    CORRECT,
    COVERED,
    EQUALS,
    HIGH,
    LOW,
    OPERATOR,
)
from fivefold.learners.rules.chance import TIE, Chance
from fivefold.learners.rules.clauses import (
    Clause,
    Clauses,
    ClauseSet,
    Mask,
    Pool,
    Terms,
    both,
    cases_and_errors,
    grow,
    most_accurate,
    terms_of,
    values_of,
)
from fivefold.learners.theories import RippleDownNode, RippleDownTree, RuleList, RuleSet, Theory


@dataclass(frozen=True, eq=False)
class FoundClause:
    """A clause for a class, and how it does among the cases that it was found in.

    Parameters
    ----------
    clause : Clause
        Its intervals.
    outcome : int
        The class.
    correct, covered : int
        How many cases it covers, and how many of them are of the class.
    log_r : float
        The logarithm of the probability that chance does as well.
    terms : ndarray
        Its terms as codes.
    """

    clause: Clause
    outcome: int
    correct: int
    covered: int
    log_r: float
    terms: Terms = field(repr=False)


@dataclass(frozen=True, eq=False)
class Search:
    """How clauses are looked for.

    Parameters
    ----------
    classes : ndarray of int
        The class of each training case.
    n_classes : int
        How many classes there are.
    chance : Chance
        The measure r.
    least_r : bool
        Whether each term is the one with the least r, until r falls no more. Otherwise it is the one with the
        greatest share of the class, until the clause is pure, and then the last terms are dropped as long as r
        falls.
    max_r : float
        A clause with a greater r is not taken.
    distinct : tuple of ndarray
        The different numbers of each numeric attribute.
    """

    classes: NDArray[np.int32]
    n_classes: int
    chance: Chance
    least_r: bool
    max_r: float
    distinct: tuple[NDArray[np.float64], ...]

    def counts(self, pool: Pool) -> NDArray[np.int64]:
        """Count the classes of some cases."""
        return np.bincount(self.classes[pool.rows], minlength=self.n_classes)

    def best(self, pool: Pool, outcomes: Iterable[int], *, as_majority: bool = False) -> FoundClause | None:
        """Give the clause with the least r among those for some classes, if there is one that is good enough.

        With `as_majority` a clause must be for the most frequent class of the cases that it covers.
        """
        found = [self._best_for(pool, outcome) for outcome in outcomes]
        good = [one for one in found if one.terms.size and one.log_r <= self._max_log_r]
        if as_majority:
            good = [one for one in good if self.counts(pool.meeting(one.terms)).argmax() == one.outcome]
        if not good:
            return None
        least = min(one.log_r for one in good) + TIE
        return max((one for one in good if one.log_r <= least), key=lambda one: one.correct)

    @property
    def _max_log_r(self) -> float:
        return log(self.max_r) + TIE if self.max_r else -inf

    def _best_for(self, pool: Pool, outcome: int) -> FoundClause:
        wanted = self.classes == outcome
        path = grow(pool, wanted, self._less_likely if self.least_r else _purer)
        logs = self._logs(path, path[0])
        end = len(path) - 1
        while end and logs[end - 1] < logs[end] - TIE:
            end -= 1
        terms, (correct, covered) = path[1 : end + 1], path[end, [CORRECT, COVERED]].tolist()
        return FoundClause(self._clause(terms), outcome, correct, covered, float(logs[end]), terms)

    def _logs(self, terms: Terms, whole: NDArray[np.int64]) -> NDArray[np.float64]:
        correct, covered = terms[:, [CORRECT, COVERED]].T.copy()
        return self.chance.logs(correct, covered, int(whole[CORRECT]), int(whole[COVERED]))

    def _less_likely(self, found: Terms, path: Terms) -> int | None:
        now = self._logs(path[-1:], path[0])[0]
        logs = np.where(_narrows(found, path), self._logs(found, path[0]), inf)
        least = logs.min(initial=inf)
        if least >= now - TIE:
            return None
        return int(np.argmax(np.where(logs <= least + TIE, found[:, CORRECT], -1)))

    def _clause(self, terms: Terms) -> Clause:
        clause: Clause = {}
        for term in terms:
            a = int(term[ATTRIBUTE])
            clause = both(clause, {a: _interval(term, self.distinct[a])})
        return clause


def _purer(found: Terms, path: Terms) -> int | None:
    return most_accurate(found, _narrows(found, path))


def _narrows(found: Terms, path: Terms) -> Mask:
    # a term that all cases meet says nothing
    return np.asarray(found[:, COVERED] < path[-1, COVERED])


def _interval(term: NDArray[np.int64], distinct: NDArray[np.float64]) -> tuple[float, float]:
    if term[OPERATOR] == EQUALS:
        return float(term[LOW]) - 1.0, float(term[LOW])
    cut = midpoint(float(distinct[term[LOW]]), float(distinct[term[HIGH]]))
    return (-inf, cut) if term[OPERATOR] == AT_MOST else (cut, inf)


NONE = -1


def rules_of_classes(search: Search, pool: Pool) -> list[FoundClause]:
    """Learn rules for one class after the other, each class from all cases."""
    return [found for outcome in range(search.n_classes) for found in _rules_for(search, pool, outcome)]


def _rules_for(search: Search, pool: Pool, outcome: int) -> Iterator[FoundClause]:
    while found := search.best(pool, [outcome]):
        yield found
        pool = pool.failing(found.terms)
        if not search.counts(pool)[outcome]:
            return


def list_of_rules(search: Search, pool: Pool) -> tuple[list[FoundClause], int]:
    """Learn rules in order, and the class of the cases that are left, for which there is no good clause."""
    rules: list[FoundClause] = []
    while found := search.best(pool, np.flatnonzero(search.counts(pool)).tolist(), as_majority=True):
        rules.append(found)
        pool = pool.failing(found.terms)
    # a clause leaves some case over, as each of its terms excludes one
    return rules, int(np.argmax(search.counts(pool)))


@dataclass(frozen=True, eq=False)
class Exceptions:
    """Rules with exceptions, each before its exceptions and these before what is otherwise.

    Parameters
    ----------
    rules : sequence of Found
        The rules.
    exception, otherwise : list of int
        For each rule the first one that is looked at where it holds, and where it does not; -1 for none.
    default : int
        The class of cases for which no rule holds.
    """

    rules: Sequence[FoundClause]
    exception: Sequence[int]
    otherwise: Sequence[int]
    default: int

    def in_order(self) -> Iterator[tuple[int, Clause]]:
        """Give the rules, each with the clauses that lead to it, so that the first that holds decides."""
        waiting: list[tuple[int, Clause, bool]] = [(0, {}, False)] if self.rules else []
        while waiting:
            place, above, seen = waiting.pop()
            own = both(above, self.rules[place].clause)
            if seen:
                yield place, own
                continue
            after = [
                (self.otherwise[place], above, False),
                (place, above, True),
                (self.exception[place], own, False),
            ]
            waiting += [step for step in after if step[0] != NONE]


def rules_with_exceptions(search: Search, pool: Pool) -> Exceptions:
    """Learn a rule, exceptions to it from the cases that it covers, and further rules from the others."""
    default = int(np.argmax(search.counts(pool)))
    rules: list[FoundClause] = []
    links: dict[str, list[int]] = {"exception": [], "otherwise": []}
    waiting: list[tuple[Pool, int, str, int]] = [(pool, default, "", NONE)]
    while waiting:
        cases, given, branch, parent = waiting.pop()
        present = np.flatnonzero(search.counts(cases))
        found = search.best(cases, present[present != given].tolist())
        if found is None:
            continue
        place = len(rules)
        rules.append(found)
        for places in links.values():
            places.append(NONE)
        if branch:
            links[branch][parent] = place
        waiting += [
            (cases.failing(found.terms), given, "otherwise", place),
            (cases.meeting(found.terms), found.outcome, "exception", place),
        ]
    return Exceptions(rules, links["exception"], links["otherwise"], default)


@dataclass(frozen=True)
class MeasuredRule:
    """A rule, and how it did among the training cases that it was learnt from.

    Parameters
    ----------
    rule : Rule
        The rule.
    covered, correct : int
        How many of these cases it covers, and how many of those are of its class.
    r : float
        The probability that cases drawn at random would be of its class as often.

    Examples
    --------
    >>> from fivefold.data.conditions import Equals
    >>> print(MeasuredRule(Rule((Equals("tears", "reduced"),), "none"), 12, 12, (15 / 24) ** 12))
    if tears = reduced then none (12, r = 0.00355)
    """

    rule: Rule
    covered: int
    correct: int
    r: float

    def __str__(self) -> str:
        return f"{self.rule} ({cases_and_errors(self.covered, self.correct)}, r = {self.r:.3g})"


Values = NDArray[np.float64]  # one row an attribute, as `values_of` gives them


@dataclass(frozen=True, eq=False)
class LabelledValues:
    """The training cases, and the names of their attributes and classes."""

    columns: tuple[Column, ...]
    labels: tuple[Any, ...]
    values: Values
    classes: NDArray[np.int32]


class Model(ABC):
    """What has been learnt, in one of the forms."""

    def __init__(self, cases: LabelledValues, found: Sequence[FoundClause]) -> None:
        self.columns = cases.columns
        self.labels = cases.labels
        self.measured = tuple(
            MeasuredRule(self.rule(one.clause, one.outcome), one.covered, one.correct, exp(one.log_r))
            for one in found
        )

    def rule(self, clause: Clause, outcome: int) -> Rule:
        """Say a clause for a class in terms of the columns."""
        return Rule(terms_of(clause, self.columns), self.labels[outcome])

    @abstractmethod
    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give one class for each case."""

    @abstractmethod
    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give the classes of each case in a row."""

    @abstractmethod
    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Give the class probabilities of each case in a row."""

    @abstractmethod
    def rules(self) -> list[Rule]:
        """Give the rules."""

    @abstractmethod
    def text(self) -> str:
        """Write the rules with their measures."""

    @abstractmethod
    def theory(self) -> Theory:
        """Describe the rules in the form whose length in bits is defined."""


class RulesOfClasses(Model):
    """Rules without an order, several or none of which may speak."""

    def __init__(self, cases: LabelledValues, found: Sequence[FoundClause]) -> None:
        super().__init__(cases, found)
        outcomes = np.array([one.outcome for one in found], dtype=np.int32)
        clauses = [one.clause for one in found]
        self._set = ClauseSet.learn(clauses, outcomes, cases.values, cases.classes, len(cases.labels))

    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give the class of the most precise rule that holds for each case."""
        return self._set.choices(values)

    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give the classes of all rules that hold for each case."""
        return self._set.sets(values)

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Give the frequencies of the classes among cases with the same answers."""
        return self._set.probabilities(values)

    def rules(self) -> list[Rule]:
        """Give the rules, class by class."""
        return [one.rule for one in self.measured]

    def text(self) -> str:
        """Write the rules, one a line."""
        return "\n".join(map(str, self.measured))

    def theory(self) -> RuleSet:
        """Describe the rules as a set."""
        return RuleSet(tuple(self.rules()), self.labels)


class _Ordered(Model):
    """Rules of which the first that holds decides; the last always holds."""

    def __init__(
        self,
        cases: LabelledValues,
        found: Sequence[FoundClause],
        ordered: Sequence[tuple[Clause, int]],
        default: int,
    ) -> None:
        super().__init__(cases, found)
        self._ordered = [*ordered, (Clause(), default)]
        self._clauses = Clauses.of([clause for clause, _ in self._ordered])
        self._outcomes = np.array([outcome for _, outcome in self._ordered], dtype=np.intp)
        n_classes, n_rules = len(cases.labels), len(self._ordered)
        cells = self._clauses.first(cases.values) * n_classes + cases.classes
        self._counts = np.bincount(cells, minlength=n_rules * n_classes).reshape(n_rules, n_classes)

    def choices(self, values: Values) -> NDArray[np.intp]:
        """Give the class of the first rule that holds for each case."""
        return np.asarray(self._outcomes[self._clauses.first(values)])

    def sets(self, values: Values) -> NDArray[np.bool_]:
        """Give this class alone."""
        return np.asarray(self.choices(values)[:, np.newaxis] == np.arange(len(self.labels)))

    def probabilities(self, values: Values) -> NDArray[np.float64]:
        """Give the frequencies of the classes among the cases that the same rule decides."""
        shares = (self._counts + 1) / (self._counts + 1).sum(axis=1, keepdims=True)
        return np.asarray(shares[self._clauses.first(values)])

    def rules(self) -> list[Rule]:
        """Give the rules in order."""
        return [self.rule(clause, outcome) for clause, outcome in self._ordered]


class ListOfRules(_Ordered):
    """Rules that are looked at one after the other."""

    def __init__(self, cases: LabelledValues, found: Sequence[FoundClause], default: int) -> None:
        super().__init__(cases, found, [(one.clause, one.outcome) for one in found], default)

    def text(self) -> str:
        """Write the rules in order, and what is otherwise."""
        left, right = self._counts[-1].sum(), self._counts[-1, self._outcomes[-1]]
        default = f"otherwise {self.labels[self._outcomes[-1]]} ({cases_and_errors(left, right)})"
        return "\n".join([*map(str, self.measured), default])

    def theory(self) -> RuleList:
        """Describe the rules as a list."""
        *rules, default = self.rules()
        return RuleList(tuple(rules), self.labels, default.outcome)


class RulesWithExceptions(_Ordered):
    """Rules that may have exceptions, and these again."""

    def __init__(self, cases: LabelledValues, tree: Exceptions) -> None:
        ordered = [(clause, tree.rules[place].outcome) for place, clause in tree.in_order()]
        super().__init__(cases, tree.rules, ordered, tree.default)
        self._tree = tree

    def text(self) -> str:
        """Write each rule above its exceptions, which stand further to the right."""
        counts = self._counts.sum(axis=0)
        default = self._tree.default
        lines = [f"always {self.labels[default]} ({cases_and_errors(counts.sum(), counts[default])})"]
        places = {0: (1, "except")}
        for place, measured in enumerate(self.measured):
            depth, word = places[place]
            lines.append(f"{'|   ' * depth}{word} {measured}")
            places[self._tree.exception[place]] = depth + 1, "except"
            places[self._tree.otherwise[place]] = depth, "else"
        return "\n".join(lines)

    def theory(self) -> RippleDownTree:
        """Describe the rules as a tree, whose root is the default."""
        nodes: dict[int, RippleDownNode | None] = {NONE: None}
        for place in reversed(range(len(self.measured))):
            rule = self.measured[place].rule
            after = nodes[self._tree.exception[place]], nodes[self._tree.otherwise[place]]
            nodes[place] = RippleDownNode(rule.terms, rule.outcome, *after)
        return RippleDownTree(RippleDownNode((), self.labels[self._tree.default], nodes.get(0)), self.labels)


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
        cases = LabelledValues(self.columns_, labels, values_of(columns), classes)
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


def _learn_dnf(cases: LabelledValues, search: Search, pool: Pool) -> Model:
    return RulesOfClasses(cases, rules_of_classes(search, pool))


def _learn_list(cases: LabelledValues, search: Search, pool: Pool) -> Model:
    return ListOfRules(cases, *list_of_rules(search, pool))


def _learn_ripple(cases: LabelledValues, search: Search, pool: Pool) -> Model:
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
