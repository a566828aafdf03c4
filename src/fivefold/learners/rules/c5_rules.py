"""Rules as C5.0 makes them: a set of rules for all classes that vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.bitsets import unpack
from fivefold.data.conditions import Rule
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures
from fivefold.inputs.frames import as_numbers
from fivefold.inputs.options import yes_or_no
from fivefold.learners.base import Columns, Ints, WeightedLearner, Weights, cases_and_errors
from fivefold.learners.rules import _c5_rule_kernels as kernels
from fivefold.learners.rules._c5_tree_kernels import grow_and_prune, simplify
from fivefold.learners.rules._c45_kernels import Bits, Floats, inverted, listed
from fivefold.learners.rules.candidate_rules import (
    Branches,
    Population,
    by_attribute,
    clauses_of,
    log_factorials,
    population_of,
    tree_paths,
)
from fivefold.learners.theories import RuleSet
from fivefold.learners.trees import c45
from fivefold.learners.trees._c45_double import class_weights
from fivefold.learners.trees.nodes import LEAF, GrowthOptions, Nodes, TrainingTable, new_nodes

SMALL_PROBLEM, LARGE_PROBLEM = 500, 1000
CODE_WEIGHT = 0.9
LEAST_LIFT = 0.95
HIGHEST_RATE, RATE_IF_HIGHER = 0.5, 0.45


@dataclass(frozen=True, eq=False)
class Costs:
    """What errors cost, and what follows from it.

    `matrix` has in row p and column r what it costs to say class p where r is right, and is empty if every error
    costs one; `scale`, for two classes alone, how much the cases of each class weigh; `errors` what an error
    counts for rules, its last row for saying nothing.
    """

    matrix: Floats
    scale: Floats
    errors: Floats


def check_costs(costs: Any, n_classes: int) -> Floats:
    """Check a matrix of costs: [p, r] for saying class p where r is right; empty for None."""
    if costs is None:
        return np.empty((0, 0))
    matrix = as_numbers(costs, "costs").astype(np.float64)
    if matrix.shape != (n_classes, n_classes):
        raise InputError(
            f"costs with a row and a column for each of the {n_classes} classes", f"shape {matrix.shape}"
        )
    right = np.eye(n_classes, dtype=bool)
    bad = np.argwhere(~np.where(right, matrix == 0, np.isfinite(matrix) & (matrix > 0)))
    if bad.size:
        p, r = bad[0]
        raise InputError(
            "costs of zero for right answers and above zero for errors",
            f"{show(float(matrix[p, r]))} in row {p}, column {r}",
        )
    return matrix


def costs_for(matrix: Floats, sizes: Floats) -> Costs:
    """Work out what a matrix of costs means for training cases of which each class has the given weight.

    For two classes, cases are weighted by what an error on them costs, and their total stays the same; for
    more, errors are, by costs divided by the mean of one and the average cost.
    """
    k, total = sizes.size, float(sizes.sum())
    plain = np.vstack([1.0 - np.eye(k), np.ones(k)])
    if not matrix.size:
        return Costs(matrix, np.empty(0), plain)
    if k == 2:
        price = np.array([matrix[1, 0], matrix[0, 1]])
        return Costs(matrix, price * total / float((sizes * price).sum()), plain)
    shares = sizes / total
    others = shares[np.newaxis] / (1 - shares[:, np.newaxis])
    average = float((shares[:, np.newaxis] * others * matrix).sum())
    return Costs(matrix, np.empty(0), np.vstack([matrix / ((1 + average) / 2), np.ones(k)]))


def cheapest_class(counts: Floats, matrix: Floats) -> NDArray[np.intp]:
    """Give the class with the lowest expected cost for each row of counts, the commonest if errors cost one."""
    if not matrix.size:
        return np.asarray(np.argmax(counts, axis=1))
    return np.asarray(np.argmin(counts @ matrix.T, axis=1))


def growth_options(cases: TrainingTable, total: float, min_cases: float) -> GrowthOptions:
    """Set what a test needs by the number of cases in each class: average gain for few, a code for many."""
    by_class = int(total / cases.n_classes)
    share = min(max((by_class - SMALL_PROBLEM) / (LARGE_PROBLEM - SMALL_PROBLEM), 0.0), 1.0)
    many = 0.3 * total
    all_many = bool(np.all(~cases.numeric & (cases.forks + 1 >= many)))
    return GrowthOptions(min_cases, many, all_many, 1, 1.0 - share, CODE_WEIGHT * share)


def pruned_tree(
    cases: TrainingTable, weights: Floats, options: GrowthOptions, cf: float, scale: Floats
) -> Nodes:
    """Grow a tree and prune it branch by branch."""
    capacity, limit = 2 * cases.classes.size + 256, c45.error_limit(cf, np.float64)
    while True:
        nodes = new_nodes(capacity, cases.n_classes, np.float64)
        grow_and_prune(cases, weights, options, limit, scale, nodes)
        if nodes.used[0] > 0:
            return c45.reached_nodes(nodes)
        capacity *= 2


def leaf_errors(nodes: Nodes) -> float:
    """Sum the errors of the leaves."""
    leaves = (nodes.kind == LEAF) & (nodes.items > 1e-3)
    return float(_errors(nodes)[leaves].sum())


def _errors(nodes: Nodes) -> Floats:
    """Give the errors of each node, were it a leaf."""
    right = np.take_along_axis(nodes.counts, nodes.leaf[:, np.newaxis], axis=1)[:, 0]
    return np.asarray(nodes.items - right)


def _training_errors(nodes: Nodes, cases: TrainingTable, weights: Floats) -> float:
    tested = np.unique(nodes.attribute[nodes.kind != LEAF])
    if not any(_has_unknown(cases, int(a)) for a in tested):
        return leaf_errors(nodes)
    wholes = nodes.counts.sum(axis=1)
    shares = class_weights(nodes, nodes.counts, wholes, cases.values, cases.codes, cases.place)
    return float(weights[np.argmax(shares, axis=1) != cases.classes].sum())


def _has_unknown(cases: TrainingTable, a: int) -> bool:
    row = int(cases.place[a])
    return bool(np.isnan(cases.values[row]).any() if cases.numeric[a] else (cases.codes[row] == 0).any())


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rules to choose from.

    `covered` and `right` count cases without the weights that costs give them; `votes` are in thousandths.
    """

    branches: Branches
    conditions: list[Ints]
    outcomes: Ints
    covered: Floats
    right: Floats
    votes: NDArray[np.int64]
    covers: Bits


def find_candidates(
    cases: TrainingTable, population: Population, costs: Costs, own: Floats, nodes: Nodes, bits: Floats
) -> Candidates:
    """Make a rule of every node but the root; `own` are the weights of cases before costs."""
    branches, flat, starts, targets = tree_paths(cases, nodes, inner=True)
    plain = not costs.matrix.size or bool(costs.scale.size)
    prices = np.empty((0, 0)) if plain else np.ascontiguousarray(costs.errors[:-1])
    kept, pays = kernels.generalise(
        branches.met, population, flat, starts, targets, prices, bits[branches.attribute]
    )
    rules: dict[tuple[int, ...], Ints] = {}
    for p in np.flatnonzero(pays):
        span = slice(starts[p], starts[p + 1])
        chosen = by_attribute(branches, flat[span][kept[span]])
        rules.setdefault((int(targets[p]), *chosen.tolist()), chosen)
    outcomes = np.array([key[0] for key in rules], dtype=np.int32)
    return _with_votes(cases, branches, list(rules.values()), outcomes, own)


def _with_votes(
    cases: TrainingTable, branches: Branches, conditions: list[Ints], outcomes: Ints, own: Floats
) -> Candidates:
    n, k = cases.classes.size, cases.n_classes
    covers = np.zeros((len(conditions), branches.met.shape[1]), dtype=np.uint64)
    counts = np.zeros((len(conditions), k))
    for r, chosen in enumerate(conditions):
        covers[r] = np.bitwise_and.reduce(branches.met[chosen], axis=0)
        inside = unpack(covers[r])[:n]
        counts[r] = np.bincount(cases.classes[inside], weights=own[inside], minlength=k)
    covered, right = counts.sum(axis=1), counts[np.arange(len(conditions)), outcomes]
    prior = np.bincount(cases.classes, weights=own, minlength=k)[outcomes] / own.sum()
    useful = np.flatnonzero((right + 1) / ((covered + 2) * prior) >= LEAST_LIFT)
    votes = np.floor(1000 * (right + 1) / (covered + 2) + 0.5).astype(np.int64)
    measures: list[Any] = [measure[useful] for measure in (outcomes, covered, right, votes, covers)]
    return Candidates(branches, [conditions[r] for r in useful], *measures)


def question_bits(cases: TrainingTable) -> Floats:
    """Give the bits of a condition on each attribute: which attribute, and which value or cut of it."""
    n = cases.classes.size
    bits = np.full(cases.forks.size, np.log2(cases.forks.size))
    for a, place in enumerate(cases.place):
        if cases.numeric[a]:
            cuts = int(cases.edges[place + 1] - cases.edges[place]) - 1
            bits[a] += 1 + 0.5 * np.log2(cuts) if cuts > 1 else 0.0
        else:
            counts = np.bincount(cases.codes[place], minlength=int(cases.forks[a]) + 1)[1:]
            counts = counts[counts > 0]
            bits[a] += float((counts / n * np.log2(n / counts)).sum())
    return bits


def sift_rules(
    candidates: Candidates,
    bits: Floats,
    cases: TrainingTable,
    weights: Floats,
    costs: Costs,
    tree_errors: float,
    min_cases: float,
) -> NDArray[np.intp]:
    """Choose rules by the length of the message of the rules and the errors of their votes."""
    if not candidates.conditions:
        return np.empty(0, dtype=np.intp)
    k = cases.n_classes
    sizes = np.array([len(conditions) for conditions in candidates.conditions], dtype=np.int64)
    most = max(sizes.size, int(sizes.max()))
    log_factorial = log_factorials(most + 2, np.dtype(np.float64))
    lengths = np.array([bits[candidates.branches.attribute[c]].sum() for c in candidates.conditions])
    lengths = lengths + np.log2(sizes) - log_factorial[sizes]
    begin, covered = listed(candidates.covers)
    rules = (candidates.outcomes, candidates.votes, candidates.right, lengths)
    cover = (begin, covered, *inverted(begin, covered, cases.classes.size))
    ballot = kernels.Ballot(*rules, *cover, cases.classes, weights, costs.errors)
    included = kernels.first_theory(ballot, k, min_cases)
    kernels.climb(ballot, _prices(tree_errors, float(weights.sum()), k, log_factorial), included, k)
    chosen = np.flatnonzero(included)
    return chosen[np.lexsort((chosen, -candidates.votes[chosen], candidates.outcomes[chosen]))]


def _prices(errors: float, total: float, k: int, log_factorial: Floats) -> kernels.Prices:
    rate = (errors + k - 1) / (total + k)
    rate = RATE_IF_HIGHER if rate > HIGHEST_RATE else rate
    return kernels.Prices(-np.log2(rate), -np.log2(1 - rate), np.log2(k - 1), total, log_factorial)


def default_class(
    candidates: Candidates, chosen: NDArray[np.intp], cases: TrainingTable, weights: Floats, costs: Costs
) -> int:
    """Choose the class of cases without a rule: frequent among them, and frequent altogether."""
    n, k = cases.classes.size, cases.n_classes
    free = ~unpack(np.bitwise_or.reduce(candidates.covers[chosen], axis=0))[:n]
    left = np.bincount(cases.classes[free], weights=weights[free], minlength=k)
    shares = np.bincount(cases.classes, weights=weights, minlength=k) / weights.sum()
    scores = (left + 1) / (left.sum() + 1e-3 + 2) + shares
    matrix = np.empty((0, 0)) if costs.scale.size else costs.matrix
    return int(cheapest_class(scores[np.newaxis], matrix)[0])


@dataclass(kw_only=True, eq=False, repr=False)
class C5Rules(WeightedLearner):
    r"""Rules that vote, as Quinlan's C5.0, release 2.07, makes them.

    The path to every node of a pruned tree becomes a rule, which loses conditions as long as that does not
    raise its Laplace error, :math:`(e+1)/(n+2)` for :math:`e` errors in :math:`n` cases. Of all rules, those
    are kept that shorten the message

    .. math::

        0.23 \max\Bigl(0, \sum_r \text{bits}(r) - \lg R!\Bigr)
            + E \lg \frac{k-1}{q} + (N - E) \lg \frac1{1-q}

    of :math:`R` rules with :math:`E` errors in :math:`N` cases, where :math:`q` is the error rate of the tree.
    Every rule that holds votes for its class with its accuracy :math:`(n-e+1)/(n+2)`; the class with the
    greatest sum wins. A condition on a missing value is not met.

    Parameters
    ----------
    min_cases, cf : as in `C45Tree`
    global_pruning : bool
        Whether to prune the tree as a whole too, before rules are made from it; never done with costs.
    costs : array-like of shape (n_classes, n_classes), optional
        What it costs to answer with class p where r is right, in row p and column r; classes in sorted order.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
    default_ : label
        The class of cases for which no rule holds.
    votes_ : ndarray
        The vote of each rule.
    n_rules_ : int
        How many rules there are, without the default.

    Notes
    -----
    For two classes, costs become weights of cases; for more, they weigh errors. The probability of the winner
    is the larger of the vote of its most specific rule and the mean of its votes over all rules that hold, that
    of another class the smaller; they are divided by their sum. Where no rule holds, all classes are equal, and
    the answer is the default class.

    References
    ----------
    J. R. Quinlan. C5.0: an informal tutorial. RuleQuest Research.
    J. R. Quinlan (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import C5Rules
    >>> golf = pl.DataFrame({
    ...     "outlook": ["sunny", "sunny", "overcast", "rain", "rain", "rain", "overcast"],
    ...     "windy": [False, True, False, False, False, True, True],
    ... })
    >>> print(C5Rules().fit(golf, ["no", "no", "yes", "yes", "yes", "no", "yes"]))
    if outlook = sunny then no (2) [0.750]
    if outlook = overcast then yes (2) [0.750]
    default yes
    """

    min_cases: float = 2
    cf: float = 0.25
    global_pruning: bool = True
    costs: Any = None
    categorical_features: CategoricalFeatures = "from_dtype"

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        c45.check_pruning(self.min_cases, self.cf)
        yes_or_no(self.global_pruning, "global_pruning")
        matrix = check_costs(self.costs, self.classes_.size)
        own = np.ones(classes.size) if weights is None else weights
        cases = c45.make_training_table(columns, classes, self.classes_.size, np.float64)
        sizes = np.bincount(classes, weights=own, minlength=self.classes_.size)
        costs = costs_for(matrix, sizes.astype(np.float64))
        scaled = own * costs.scale[classes] if costs.scale.size else own
        min_cases = self.min_cases * float(costs.scale.min(initial=1.0))
        nodes = self._tree(cases, scaled, costs, min_cases)
        bits = question_bits(cases)
        candidates = find_candidates(cases, population_of(cases, scaled), costs, own, nodes, bits)
        errors = float(_errors(nodes)[0]) if matrix.size else leaf_errors(nodes)
        chosen = sift_rules(candidates, bits, cases, scaled, costs, errors, min_cases)
        self._keep(candidates, chosen, default_class(candidates, chosen, cases, scaled, costs))

    def _tree(self, cases: TrainingTable, weights: Floats, costs: Costs, min_cases: float) -> Nodes:
        options = growth_options(cases, float(weights.sum()), min_cases)
        nodes = pruned_tree(cases, weights, options, self.cf, costs.scale)
        if costs.matrix.size:
            counts = nodes.counts / costs.scale if costs.scale.size else nodes.counts
            leaf = cheapest_class(counts, costs.matrix).astype(np.int32)
            # An empty leaf keeps the counts of its parent, but is empty still.
            items = np.where(nodes.items > 0, counts.sum(axis=1), 0.0)
            return nodes._replace(counts=counts, items=items, leaf=leaf)
        if self.global_pruning:
            simplify(nodes, _training_errors(nodes, cases, weights), float(weights.sum()))
            nodes = c45.reached_nodes(nodes)
        return nodes

    def _keep(self, candidates: Candidates, chosen: NDArray[np.intp], default: int) -> None:
        self._clauses = clauses_of(candidates.branches, [candidates.conditions[r] for r in chosen])
        self._outcomes = candidates.outcomes[chosen]
        self._covered, self._right = candidates.covered[chosen], candidates.right[chosen]
        self._default = default
        self.votes_ = candidates.votes[chosen] / 1000
        self.n_rules_ = int(chosen.size)
        self.default_ = self.classes_[default]

    def _count(self, columns: Columns) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Give the sum of votes for each class, the vote of its most specific rule, and the number of rules."""
        values = np.array([column.values for column in columns], dtype=np.float64)
        rules = self._outcomes, self.votes_, self._covered, self.classes_.size
        return kernels.count_votes(self._clauses, values, *rules)

    def _choices(self, columns: Columns) -> NDArray[np.intp]:
        return self._winners(self._count(columns)[0])

    def _winners(self, sums: Floats) -> NDArray[np.intp]:
        best = np.argmax(sums, axis=1)
        tied = sums[:, self._default] == sums.max(axis=1)
        return np.where(tied, self._default, best)

    def _probabilities(self, columns: Columns) -> Floats:
        sums, specific, fired = self._count(columns)
        winners, rows = self._winners(sums), np.arange(len(sums))
        means = sums / np.maximum(fired, 1)[:, np.newaxis]
        shares = np.minimum(means, specific)
        shares[rows, winners] = np.maximum(means, specific)[rows, winners]
        shares[fired == 0] = 1.0
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def to_text(self) -> str:
        """Write the rules, each with its training cases, its errors among them, and its vote."""
        check_is_fitted(self)
        measures = zip(self.rules(), self._covered, self._right, self.votes_, strict=True)
        lines = [f"{rule} ({cases_and_errors(n, right)}) [{vote:.3f}]" for rule, n, right, vote in measures]
        return "\n".join([*lines, f"default {self.default_}"])

    def rules(self) -> list[Rule]:
        """Give the rules, which vote; by class, and by falling vote within a class."""
        check_is_fitted(self)
        return self._clauses.rules(self._outcomes, self.columns_, self.classes_.tolist())

    def theory(self) -> RuleSet:
        """Describe the rules in the form whose length in bits is defined."""
        classes = tuple(self.classes_.tolist())
        return RuleSet(tuple(self.rules()), classes, classes[self._default])
