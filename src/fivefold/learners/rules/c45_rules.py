"""Rules as C4.5, release 8, makes them from a tree: a list, class by class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.options import yes_or_no
from fivefold.learners.base import Columns, Floats, Ints, WeightedLearner, Weights
from fivefold.learners.rules import _c45_kernels as kernels
from fivefold.learners.rules.candidate_rules import (
    Branches,
    Population,
    by_attribute,
    clauses_of,
    lg,
    log_factorials,
    population_of,
    tree_paths,
)
from fivefold.learners.rules.clauses import ClauseList, RuleLearner
from fivefold.learners.theories import RuleList
from fivefold.learners.trees import c45
from fivefold.learners.trees.nodes import Nodes, TrainingTable

NEVER_FIRES_ABOVE = 0.7
EXHAUSTIVE_UP_TO = 10
N_CLIMBS = 11


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rules to choose from: the conditions of each, its class, its pessimistic error, and what it covers."""

    branches: Branches
    conditions: list[Ints]
    outcomes: Ints
    errors: NDArray[Any]
    covers: kernels.Bits


def find_candidates(
    cases: TrainingTable, population: Population, nodes: Nodes, limit: NDArray[Any], quirks: bool
) -> Candidates:
    """Generalise the path to every leaf that holds at least one case."""
    branches, flat, starts, targets = tree_paths(cases, nodes, inner=False)
    kept, errors = kernels.generalise(branches.met, population, flat, starts, targets, limit)
    conditions: dict[tuple[Any, ...], Ints] = {}
    highest: dict[tuple[Any, ...], Any] = {}
    for p in np.flatnonzero(errors >= 0):
        span = slice(starts[p], starts[p + 1])
        chosen = _sorted_conditions(branches, flat[span], kept[span], quirks)
        key = (int(targets[p]), *(_identity(branches, k, quirks) for k in chosen))
        # Of duplicates the first stays, with the largest error of all.
        conditions.setdefault(key, chosen)
        highest[key] = max(highest.get(key, errors[p]), errors[p])
    covers = np.zeros((len(conditions), branches.met.shape[1]), dtype=np.uint64)
    for r, key in enumerate(conditions):
        if highest[key] <= NEVER_FIRES_ABOVE:
            covers[r] = np.bitwise_and.reduce(branches.met[conditions[key]], axis=0)
    outcomes = np.array([key[0] for key in conditions], dtype=np.int32)
    worst = np.array(list(highest.values()), dtype=limit.dtype)
    return Candidates(branches, list(conditions.values()), outcomes, worst, covers)


def _sorted_conditions(branches: Branches, path: Ints, keep: NDArray[np.bool_], quirks: bool) -> Ints:
    if quirks:
        cuts = branches.cut.astype(np.float64)
        return kernels.sort_as_release8(path, keep, branches.attribute, branches.numeric, cuts)
    return by_attribute(branches, path[keep])


def _identity(branches: Branches, k: int, quirks: bool) -> tuple[Any, ...]:
    """Tell what makes a condition the same as another: in release 8 not the direction of a numeric one."""
    numeric = bool(branches.numeric[k])
    side = 0 if numeric and quirks else int(branches.branch[k])
    return int(branches.attribute[k]), side, float(branches.cut[k])


def question_lengths(cases: TrainingTable, weights: Floats, real: Any) -> tuple[NDArray[Any], Any]:
    """Give the bits to name a value or cut of each attribute, and those to name an attribute."""
    lengths = np.zeros(cases.forks.size, dtype=real)
    for a, place in enumerate(cases.place):
        if cases.numeric[a]:
            lengths[a] = _cut_bits(cases, int(place), real)
        else:
            lengths[a] = _value_bits(cases.codes[place], int(cases.forks[a]), weights, real)
    total = real.type(0)
    for length in lengths:
        total += length
    naming = real.type(0)
    for share in lengths / total if total > 0 else lengths:
        if share > 0:
            naming = real.type(naming - float(share) * np.log(float(share)) / np.log(2.0))
    return lengths, naming


def _cut_bits(cases: TrainingTable, place: int, real: Any) -> Any:
    unknown = bool(np.isnan(cases.values[place]).any())
    values = int(cases.edges[place + 1] - cases.edges[place]) + unknown
    return real.type(1) + lg(values, real) / real.type(2) if values > 1 else real.type(0)


def _value_bits(codes: Ints, forks: int, weights: Floats, real: Any) -> Any:
    counts = np.bincount(codes, weights=weights, minlength=forks + 1)
    total, bits = float(weights.sum()), real.type(0)
    for n in counts[1:]:
        if n > 0:
            bits = real.type(bits + n / total * float(lg(total, real) - lg(n, real)))
    return bits


def rule_lengths(candidates: Candidates, lengths: NDArray[Any], naming: Any) -> NDArray[Any]:
    """Give the bits of each rule: its conditions, how many there are, less the order that does not matter."""
    real = lengths.dtype
    log_factorial = log_factorials(max((len(c) for c in candidates.conditions), default=0) + 1, real)
    rule_bits = np.zeros(len(candidates.conditions), dtype=real)
    for r, conditions in enumerate(candidates.conditions):
        bits = real.type(0)
        for branch in conditions:
            bits += naming + lengths[candidates.branches.attribute[branch]]
        k = len(conditions)
        rule_bits[r] = float(bits + lg(k, real)) - log_factorial[k]
    return rule_bits


def select_rules(
    candidates: Candidates, lengths: NDArray[Any], population: Population, rng: np.random.RandomState
) -> list[NDArray[np.intp]]:
    """Choose, for each class, the subset of its rules with the shortest code."""
    log_factorial = log_factorials(len(lengths) + 2, lengths.dtype)
    share = (np.arange(N_CLIMBS) / 10.0).astype(lengths.dtype)
    chosen = []
    for c in range(len(population.sizes)):
        own = np.flatnonzero(candidates.outcomes == c)
        covers = candidates.covers[own]
        contest = kernels.Contest(covers, lengths[own], population, c, log_factorial)
        if own.size <= EXHAUSTIVE_UP_TO:
            best = kernels.best_of_all(contest)
        else:
            starts = rng.random_sample((N_CLIMBS, own.size)) < share[:, np.newaxis]
            best = kernels.best_climbed(contest, covers, starts)
        chosen.append(own[best])
    return chosen


def order_rules(
    candidates: Candidates, chosen: list[NDArray[np.intp]], population: Population
) -> tuple[NDArray[np.intp], int]:
    """Put the classes whose rules are least often wrong first; give the order and the default class."""
    unions = [np.bitwise_or.reduce(candidates.covers[own], axis=0) for own in chosen]
    left = np.bitwise_or.reduce(population.members, axis=0)
    order: list[NDArray[np.intp]] = []
    waiting = list(range(len(chosen)))
    while waiting:
        wrong = [
            kernels.weight_of_both(unions[c] & ~population.members[c], left, population.weights)
            for c in waiting
        ]
        c = waiting.pop(int(np.argmin(wrong)))
        order.append(chosen[c][np.argsort(candidates.errors[chosen[c]], kind="stable")])
        left = left & ~unions[c]
    uncovered = [kernels.weight_of_both(members, left, population.weights) for members in population.members]
    default = max(range(len(chosen)), key=lambda c: (uncovered[c], population.sizes[c], -c))
    return np.concatenate(order), default


@dataclass(kw_only=True, eq=False, repr=False)
class C45Rules(RuleLearner, WeightedLearner):
    r"""Rules as Quinlan's C4.5rules, release 8, makes them from an unpruned tree.

    Each path of the tree becomes a rule, which loses conditions as long as that does not raise the upper limit
    of its error at confidence `cf`. Of the rules of each class, the subset :math:`S` is kept for which

    .. math::

        \tfrac12 \Bigl( \sum_{r \in S} \text{bits}(r) - \lg |S|! \Bigr) + \text{bits of the exceptions to } S

    is least. The classes whose rules are wrong least often come first. A case gets the class of the first
    rule that covers it, or else the default class. A condition on a missing value is not met.

    Parameters
    ----------
    min_cases, cf, cut_penalty : as in `C45Tree`
        A smaller `cf` drops more conditions.
    quirks : bool
        Whether two numeric conditions that differ only in their direction count as equal when duplicate
        rules are merged, and conditions are compared as in release 8. False for what was meant.
    dtype : {"float32", "float64"}
        The precision of counts, gains, estimates and code lengths.
    random_state : int, RandomState instance or None
        Where the search for a subset starts, for classes with more than ten rules.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
    default_ : label
        The class of cases that no rule covers.
    errors_ : ndarray
        The pessimistic error estimate of each rule; C4.5 prints one less it as the rule's accuracy.
    n_rules_ : int
        How many rules there are, without the default.

    Notes
    -----
    The probabilities are those of the classes among the training cases that the same rule decides, with one
    added to each count. That is Fivefold's own: C4.5rules gives none.

    References
    ----------
    J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
    J. R. Quinlan (1995). MDL and categorical theories (continued). ICML, 464-470.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import C45Rules
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(C45Rules().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    if outlook = sunny then no (2)
    otherwise yes (5/1)
    """

    min_cases: float = 2
    cf: float = 0.25
    cut_penalty: str | Literal[False] = "release8"
    quirks: bool = True
    dtype: str = "float32"
    random_state: Any = None
    categorical_features: CategoricalFeatures = "from_dtype"
    _model: ClauseList = field(init=False)

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        c45.check_growth_options(self.min_cases, self.cf, self.cut_penalty, self.dtype)
        yes_or_no(self.quirks, "quirks")
        real = np.dtype(self.dtype)
        cases = c45.make_training_table(columns, classes, self.classes_.size, real)
        shares = np.ones(classes.size) if weights is None else weights
        options = c45.make_growth_options(self.min_cases, self.cut_penalty, cases, float(shares.sum()))
        nodes, _ = c45.grow_tree(cases, shares.astype(real), options)
        population = population_of(cases, shares)
        limit = c45.error_limit(self.cf, real)
        nodes = c45.with_full_cuts(nodes, columns)
        candidates = find_candidates(cases, population, nodes, limit, self.quirks)
        lengths = rule_lengths(candidates, *question_lengths(cases, shares, real))
        rng = check_random_state(self.random_state)
        chosen = select_rules(candidates, lengths, population, rng)
        order, default = order_rules(candidates, chosen, population)
        kept = kernels.drop_harmful(
            candidates.covers[order], candidates.outcomes[order], default, classes, shares
        )
        order = order[kept]
        nothing = np.empty(0, dtype=np.int32)
        clauses = clauses_of(candidates.branches, [*(candidates.conditions[r] for r in order), nothing])
        outcomes = np.append(candidates.outcomes[order], default).astype(np.intp)
        n_classes = self.classes_.size
        self._model = ClauseList(clauses, outcomes, self._ask(columns), classes, n_classes, shares)
        self.errors_ = candidates.errors[order].astype(np.float64)
        self.n_rules_ = int(order.size)
        self.default_ = self.classes_[default]

    def to_text(self) -> str:
        """Write the rules in order, each with the training cases that it decides and its errors among them."""
        *rules, _ = self.rules()
        lines = [*map(str, rules), f"otherwise {self.default_}"]
        return "\n".join(f"{line} ({self._model.cases(r)})" for r, line in enumerate(lines))

    def rules(self) -> list[Rule]:
        """Give the rules in order; the first that holds decides. The last is the default, which always holds."""
        check_is_fitted(self)
        model = self._model
        return model.clauses.rules(model.outcomes, self.columns_, self.classes_.tolist())

    def theory(self) -> RuleList:
        """Describe the rules in the form whose length in bits is defined."""
        *rules, default = self.rules()
        return RuleList(tuple(rules), tuple(self.classes_.tolist()), default.outcome)
