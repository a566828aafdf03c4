"""Gaines's INDUCT: PRISM's rules, kept as general as chance allows, in one of three forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, inf, log
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.data.cut_points import midpoint
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import fraction, one_of
from fivefold.learners.base import Columns, Floats, Ints, Weights, cases_and_errors, ranks_of, sizes_of
from fivefold.learners.rules import _clause_kernels as kernels
from fivefold.learners.rules.chance import TIE, Chance
from fivefold.learners.rules.clauses import (
    Clause,
    ClauseList,
    Clauses,
    ClauseSet,
    Mask,
    Pool,
    RuleLearner,
    Terms,
    Values,
    both,
    grow,
    most_accurate,
)
from fivefold.learners.theories import RippleDownNode, RippleDownTree, RuleList, RuleSet, Theory


@dataclass(frozen=True, eq=False)
class FoundClause:
    """A clause for a class, and how it does among the cases that it was found in.

    It covers `covered` cases, `correct` of them of the class; `log_r` is the logarithm of the probability that
    chance does as well, `terms` are its terms as codes.
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

    With `least_r` each term is the one with the least r, until r falls no more. Otherwise it is the one with the
    greatest share of the class, until the clause is pure, and then the last terms are dropped as long as r falls.
    A clause with an r above `max_r` is not taken. `distinct` has the different numbers of each numeric attribute.
    """

    classes: Ints
    n_classes: int
    chance: Chance
    least_r: bool
    max_r: float
    distinct: tuple[Floats, ...]

    def counts(self, pool: Pool) -> NDArray[np.int64]:
        """Count the classes of some cases."""
        return np.bincount(self.classes[pool.rows], minlength=self.n_classes)

    def best(self, pool: Pool, outcomes: Iterable[int], *, as_majority: bool = False) -> FoundClause | None:
        """Give the clause with the least r among those for some classes, if there is one that is good enough.

        With `as_majority` a clause must be for the most frequent class of the cases that it covers.
        """
        max_log_r = log(self.max_r) + TIE if self.max_r else -inf
        clauses = [self._best_for(pool, outcome) for outcome in outcomes]
        good = [clause for clause in clauses if clause.terms.size and clause.log_r <= max_log_r]
        if as_majority:
            good = [c for c in good if self.counts(pool.meeting(c.terms)).argmax() == c.outcome]
        if not good:
            return None
        least = min(clause.log_r for clause in good) + TIE
        return max((c for c in good if c.log_r <= least), key=lambda clause: clause.correct)

    def _best_for(self, pool: Pool, outcome: int) -> FoundClause:
        wanted = self.classes == outcome
        path = grow(pool, wanted, self._less_likely if self.least_r else _purer)
        logs = self._logs(path, path[0])
        end = len(path) - 1
        while end and logs[end - 1] < logs[end] - TIE:
            end -= 1
        terms, (correct, covered) = path[1 : end + 1], path[end, [kernels.CORRECT, kernels.COVERED]].tolist()
        return FoundClause(self._clause(terms), outcome, correct, covered, float(logs[end]), terms)

    def _logs(self, terms: Terms, whole: NDArray[np.int64]) -> Floats:
        correct, covered = terms[:, [kernels.CORRECT, kernels.COVERED]].T.copy()
        return self.chance.logs(correct, covered, int(whole[kernels.CORRECT]), int(whole[kernels.COVERED]))

    def _less_likely(self, terms: Terms, path: Terms) -> int | None:
        now = self._logs(path[-1:], path[0])[0]
        logs = np.where(_narrows(terms, path), self._logs(terms, path[0]), inf)
        least = logs.min(initial=inf)
        if least >= now - TIE:
            return None
        return int(np.argmax(np.where(logs <= least + TIE, terms[:, kernels.CORRECT], -1)))

    def _clause(self, terms: Terms) -> Clause:
        clause: Clause = {}
        for term in terms:
            a = int(term[kernels.ATTRIBUTE])
            clause = both(clause, {a: _interval(term, self.distinct[a])})
        return clause


def _purer(terms: Terms, path: Terms) -> int | None:
    return most_accurate(terms, _narrows(terms, path))


def _narrows(terms: Terms, path: Terms) -> Mask:
    # a term that all cases meet says nothing
    return np.asarray(terms[:, kernels.COVERED] < path[-1, kernels.COVERED])


def _interval(term: NDArray[np.int64], distinct: Floats) -> tuple[float, float]:
    if term[kernels.OPERATOR] == kernels.EQUALS:
        return float(term[kernels.LOW]) - 1.0, float(term[kernels.LOW])
    cut = midpoint(float(distinct[term[kernels.LOW]]), float(distinct[term[kernels.HIGH]]))
    return (-inf, cut) if term[kernels.OPERATOR] == kernels.AT_MOST else (cut, inf)


@dataclass(frozen=True)
class MeasuredRule:
    """A rule, and how it did among the training cases that it was learnt from.

    rule: The rule.
    covered, correct: How many of these cases it covers, and how many of those are of its class.
    r: The probability that cases drawn at random would be of its class as often.

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


NONE = -1


@dataclass(frozen=True, eq=False)
class LabelledValues:
    """The training cases, and the names of their attributes and classes."""

    columns: tuple[Column, ...]
    labels: tuple[Any, ...]
    values: Values
    classes: Ints

    def measure(self, clauses: Sequence[FoundClause]) -> tuple[MeasuredRule, ...]:
        """Say clauses as rules with their measures."""
        outcomes = np.array([c.outcome for c in clauses], dtype=np.int32)
        rules = Clauses.of([c.clause for c in clauses]).rules(outcomes, self.columns, self.labels)
        measured = zip(rules, clauses, strict=True)
        return tuple(MeasuredRule(rule, c.covered, c.correct, exp(c.log_r)) for rule, c in measured)


class RulesOfClasses(ClauseSet):
    """Rules for one class after the other, each class from all cases; several or none of them may speak."""

    def __init__(self, cases: LabelledValues, search: Search, pool: Pool) -> None:
        learnt = [c for outcome in range(search.n_classes) for c in _clauses_for(search, pool, outcome)]
        outcomes = np.array([c.outcome for c in learnt], dtype=np.int32)
        clauses = Clauses.of([c.clause for c in learnt])
        super().__init__(clauses, outcomes, cases.values, cases.classes, len(cases.labels))
        self.labels = cases.labels
        self.measured = cases.measure(learnt)
        self.rules = [measured.rule for measured in self.measured]

    def text(self) -> str:
        """Write the rules, one a line."""
        return "\n".join(map(str, self.measured)) or "no rule is good enough"

    def theory(self) -> RuleSet:
        """Describe the rules as a set."""
        return RuleSet(tuple(self.rules), self.labels)


def _clauses_for(search: Search, pool: Pool, outcome: int) -> Iterator[FoundClause]:
    while clause := search.best(pool, [outcome]):
        yield clause
        pool = pool.failing(clause.terms)
        if not search.counts(pool)[outcome]:
            return


class OrderedRules(ClauseList):
    """Rules of which the first that holds decides; the last always holds."""

    def __init__(
        self, cases: LabelledValues, learnt: Sequence[FoundClause], ordered: Sequence[tuple[Clause, int]]
    ) -> None:
        clauses = Clauses.of([clause for clause, _ in ordered])
        outcomes = np.array([outcome for _, outcome in ordered], dtype=np.intp)
        super().__init__(clauses, outcomes, cases.values, cases.classes, len(cases.labels))
        self.labels = cases.labels
        self.measured = cases.measure(learnt)
        self.rules = clauses.rules(outcomes, cases.columns, cases.labels)


class ListOfRules(OrderedRules):
    """Rules that are looked at one after the other; the last is for the cases without a good clause."""

    def __init__(self, cases: LabelledValues, search: Search, pool: Pool) -> None:
        clauses: list[FoundClause] = []
        while clause := search.best(pool, np.flatnonzero(search.counts(pool)).tolist(), as_majority=True):
            clauses.append(clause)
            pool = pool.failing(clause.terms)
        # a clause leaves some case over, as each of its terms excludes one
        default = int(np.argmax(search.counts(pool)))
        super().__init__(cases, clauses, [*((c.clause, c.outcome) for c in clauses), ({}, default)])

    def text(self) -> str:
        """Write the rules in order, and what is otherwise."""
        default = f"otherwise {self.labels[self.outcomes[-1]]} ({self.cases(-1)})"
        return "\n".join([*map(str, self.measured), default])

    def theory(self) -> RuleList:
        """Describe the rules as a list."""
        *rules, default = self.rules
        return RuleList(tuple(rules), self.labels, default.outcome)


class RulesWithExceptions(OrderedRules):
    """Rules that may have exceptions, and these again.

    A rule is learnt, exceptions to it from the cases that it covers, and further rules from the others. Each
    stands before its exceptions and these before what is otherwise; `_links` has for each rule the first one
    that is looked at where it holds, and where it does not, -1 for none.
    """

    def __init__(self, cases: LabelledValues, search: Search, pool: Pool) -> None:
        self._default = int(np.argmax(search.counts(pool)))
        self._links: dict[str, list[int]] = {"exception": [], "otherwise": []}
        clauses: list[FoundClause] = []
        waiting: list[tuple[Pool, int, str, int]] = [(pool, self._default, "", NONE)]
        while waiting:
            here, given, branch, parent = waiting.pop()
            present = np.flatnonzero(search.counts(here))
            clause = search.best(here, present[present != given].tolist())
            if clause is None:
                continue
            place = len(clauses)
            clauses.append(clause)
            for places in self._links.values():
                places.append(NONE)
            if branch:
                self._links[branch][parent] = place
            waiting += [
                (here.failing(clause.terms), given, "otherwise", place),
                (here.meeting(clause.terms), clause.outcome, "exception", place),
            ]
        super().__init__(cases, clauses, [*self._in_order(clauses), ({}, self._default)])

    def _in_order(self, clauses: Sequence[FoundClause]) -> Iterator[tuple[Clause, int]]:
        """Give the rules, each with the clauses that lead to it, so that the first that holds decides."""
        waiting: list[tuple[int, Clause, bool]] = [(0, {}, False)] if clauses else []
        while waiting:
            place, above, seen = waiting.pop()
            own = both(above, clauses[place].clause)
            if seen:
                yield own, clauses[place].outcome
                continue
            after = [
                (self._links["otherwise"][place], above, False),
                (place, above, True),
                (self._links["exception"][place], own, False),
            ]
            waiting += [step for step in after if step[0] != NONE]

    def text(self) -> str:
        """Write each rule above its exceptions, which stand further to the right."""
        counts, default = self.counts.sum(axis=0), self._default
        lines = [f"always {self.labels[default]} ({cases_and_errors(counts.sum(), counts[default])})"]
        places = {0: (1, "except")}
        for place, measured in enumerate(self.measured):
            depth, word = places[place]
            lines.append(f"{'|   ' * depth}{word} {measured}")
            places[self._links["exception"][place]] = depth + 1, "except"
            places[self._links["otherwise"][place]] = depth, "else"
        return "\n".join(lines)

    def theory(self) -> RippleDownTree:
        """Describe the rules as a tree, whose root is the default."""
        nodes: dict[int, RippleDownNode | None] = {NONE: None}
        for place in reversed(range(len(self.measured))):
            rule = self.measured[place].rule
            after = (nodes[places[place]] for places in self._links.values())
            nodes[place] = RippleDownNode(rule.terms, rule.outcome, *after)
        return RippleDownTree(RippleDownNode((), self.labels[self._default], nodes.get(0)), self.labels)


Form: TypeAlias = RulesOfClasses | ListOfRules | RulesWithExceptions
# what is made of clauses, and the greatest r that a clause may have there
_FORMS: dict[str, tuple[Callable[[LabelledValues, Search, Pool], Form], float]] = {
    "dnf": (RulesOfClasses, 1.0),
    "list": (ListOfRules, 1.0),
    "ripple": (RulesWithExceptions, 0.05),
}


@dataclass(kw_only=True, eq=False, repr=False)
class Induct(RuleLearner):
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
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
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

    form: str = "dnf"
    statistic: str = "binomial"
    search: str = "prism"
    max_r: float | None = None
    categorical_features: CategoricalFeatures = "from_dtype"
    _model: Form = field(init=False)

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        form, usual_max_r = _FORMS[one_of(self.form, _FORMS, "form")]
        max_r = usual_max_r if self.max_r is None else fraction(self.max_r, "max_r")
        chance = Chance.for_cases(classes.size, self.statistic)
        least_r = one_of(self.search, ("prism", "min_r"), "search") == "min_r"
        codes, distinct = ranks_of(columns)
        search = Search(classes, self.classes_.size, chance, least_r, max_r, distinct)
        pool = Pool.of(codes, sizes_of(columns))
        labels = tuple(self.classes_.tolist())
        cases = LabelledValues(self.columns_, labels, self._ask(columns), classes)
        self._model = form(cases, search, pool)
        self.measured_rules_ = self._model.measured

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
        return list(self._model.rules)

    def theory(self) -> Theory:
        """Describe the rules in the form whose length in bits is defined."""
        check_is_fitted(self)
        return self._model.theory()
