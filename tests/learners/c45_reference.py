"""C4.5 trees written from their description: slow, recursive, in double precision, with weighted cases.

A case is a pair of a list of values, None for unknown, and a class; `weights` are kept apart. It shares
nothing with the compiled trees but the description.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, inf, log, log2, sqrt

EPSILON = 1e-3


@dataclass
class Node:
    counts: list
    leaf: int
    attribute: int | None = None
    cut: float | None = None
    branches: list = field(default_factory=list)

    @property
    def items(self):
        return sum(self.counts)


@dataclass
class Table:
    """Training cases; `values[a]` lists the values of a nominal attribute and is None for a numeric one.

    `margin` is the closest that any choice has been, between two tests, two cuts, or a test and a threshold.
    """

    rows: list
    classes: list
    n_classes: int
    values: list
    min_cases: float = 2
    cf: float = 0.25
    penalty: str | bool = "release8"
    weights: list = field(default_factory=list)
    margin: float = inf

    def note_choice(self, scores):
        first, second = sorted([-inf, -inf, *scores])[:-3:-1]
        self.margin = min(self.margin, first - second)

    def note_threshold(self, score, threshold):
        self.margin = min(self.margin, abs(score - threshold))


def information(counts):
    total = sum(counts)
    return -sum(n * log2(n / total) for n in counts if n > 0)


def class_counts(table, members):
    counts = [0.0] * table.n_classes
    for i, w in members:
        counts[table.classes[i]] += w
    return counts


def branch_of(node, value, values):
    if value is None:
        return None
    if node.cut is not None:
        return 0 if value <= node.cut else 1
    return values[node.attribute].index(value) if value in values[node.attribute] else None


def weight(members):
    return sum(w for _, w in members)


def gain_and_info(table, members, groups, unknown):
    """Give gain and split information of groups of known cases, or None if two are not large enough."""
    for group in groups:
        table.note_threshold(weight(group), table.min_cases)
    if sum(weight(g) >= table.min_cases for g in groups) < 2:
        return None
    total, known = weight(members), sum(weight(g) for g in groups)
    base = information(class_counts(table, [m for g in groups for m in g])) / known
    after = sum(information(class_counts(table, g)) for g in groups) / known
    gain = known / total * (base - after)
    return gain, information([weight(unknown), *(weight(g) for g in groups)]) / total


def evaluate(table, members, a):
    """Give (gain, info, cut) of the best test on an attribute, or None."""
    unknown = [m for m in members if table.rows[m[0]][a] is None]
    known = [m for m in members if table.rows[m[0]][a] is not None]
    if not known:
        return None
    if table.values[a] is not None:
        groups = [[m for m in known if table.rows[m[0]][a] == v] for v in table.values[a]]
        found = gain_and_info(table, members, groups, unknown)
        return found and (*found, None)
    return evaluate_cuts(table, members, a, known, unknown)


def evaluate_cuts(table, members, a, known, unknown):
    k, total = weight(known), weight(members)
    table.note_threshold(k, 2 * table.min_cases)
    if k < 2 * table.min_cases:
        return None
    smallest = min(max(0.1 * k / table.n_classes, table.min_cases), max(25, table.min_cases))
    distinct = sorted({table.rows[i][a] for i, _ in known})
    tried = []
    for low, high in pairwise(distinct):
        left = [m for m in known if table.rows[m[0]][a] <= low]
        table.note_threshold(weight(left), smallest)
        table.note_threshold(weight(left), k - smallest)
        if smallest <= weight(left) <= k - smallest:
            right = [m for m in known if table.rows[m[0]][a] > low]
            tried.append((gain_and_info(table, members, [left, right], unknown), (low + high) / 2))
    choices = len(distinct) - 1 if table.penalty == "paper" else len(tried) if table.penalty else 1
    table.note_choice([found[0] for found, _ in tried if found])
    best = None
    for found, middle in tried:
        if found:
            table.note_threshold(found[0] - log2(choices) / total, 0)
        if found and found[0] - log2(choices) / total > (best[0] if best else 0):
            best = (found[0] - log2(choices) / total, found[1], middle)
    if best is None:
        return None
    everywhere = [row[a] for row in table.rows if row[a] is not None and row[a] <= best[2]]
    return best[0], best[1], max(everywhere)


def grow(table, members, used=frozenset()):
    counts = class_counts(table, members)
    node = Node(counts, counts.index(max(counts)))
    total = weight(members)
    if max(counts) > total - 1e-9 or total < 2 * table.min_cases:
        return node, total - max(counts)
    test = choose(table, members, used)
    if test is None:
        return node, total - max(counts)
    node.attribute, node.cut = test
    taken = used if node.cut is not None else used | {node.attribute}
    errors = 0.0
    for part in divide(table, members, node):
        if part:
            branch, wrong = grow(table, part, taken)
            errors += wrong
        else:
            branch = Node([0.0] * table.n_classes, node.leaf)
        node.branches.append(branch)
    if errors >= total - max(counts) - EPSILON:
        node.attribute, node.cut, node.branches = None, None, []
    return node, errors


def choose(table, members, used):
    found = {a: evaluate(table, members, a) for a in range(len(table.values)) if a not in used}
    found = {a: f for a, f in found.items() if f and f[0] > -EPSILON}
    n = sum(table.weights)
    few = [a for a in range(len(table.values)) if table.values[a] is None or len(table.values[a]) < 0.3 * n]
    counted = [f[0] for a, f in found.items() if a in few or not few]
    average = sum(counted) / len(counted) if counted else inf
    able = {a: f for a, f in found.items() if f[0] >= average - EPSILON and f[1] > EPSILON}
    for gain, _, _ in found.values():
        table.note_threshold(gain, average - EPSILON)
    table.note_choice([gain / info for gain, info, _ in able.values()])
    best, best_worth = None, -EPSILON
    for a, (gain, info, cut) in able.items():
        if gain / info > best_worth:
            best, best_worth = (a, cut), gain / info
    return best


def divide(table, members, node):
    """Give the cases of each branch: those with a known value, and a share of the others."""
    n_branches = 2 if node.cut is not None else len(table.values[node.attribute])
    parts, unknown = [[] for _ in range(n_branches)], []
    for i, w in members:
        v = branch_of(node, table.rows[i][node.attribute], table.values)
        (unknown if v is None else parts[v]).append((i, w))
    known = sum(weight(part) for part in parts)
    return [part and part + [(i, w * weight(part) / known) for i, w in unknown] for part in parts]


def deviate_squared(cf):
    points = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
    z = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00]
    i = next(i for i, p in enumerate(points) if cf <= p)
    return (z[i - 1] + (z[i] - z[i - 1]) * (cf - points[i - 1]) / (points[i] - points[i - 1])) ** 2


def extra_errors(n, e, cf=0.25):
    z2 = deviate_squared(cf)
    if e < 1e-6:
        return n * (1 - exp(log(cf) / n))
    if e < 0.9999:
        none = extra_errors(n, 0, cf)
        return none + e * (extra_errors(n, 1, cf) - none)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    h = e + 0.5
    return n * (h + z2 / 2 + sqrt(z2 * (h * (1 - h / n) + z2 / 4))) / (n + z2) - e


def prune(table, node, members, update=True):
    """Prune in place; give the estimated errors."""
    counts = class_counts(table, members)
    best = node.leaf if counts[node.leaf] == max(counts) else counts.index(max(counts))
    wrong = weight(members) - counts[best]
    as_leaf = wrong + extra_errors(weight(members), wrong, table.cf)
    if update:
        node.counts, node.leaf = counts, best
    if node.attribute is None:
        return as_leaf
    as_tree, largest, most = 0.0, None, 0.0
    for branch, part in zip(node.branches, divide(table, members, node), strict=True):
        if part:
            known = [m for m in part if table.rows[m[0]][node.attribute] is not None]
            if weight(known) >= most:
                largest, most = branch, weight(known)
            as_tree += prune(table, branch, part, update)
    if not update:
        return as_tree
    if largest is not None:
        raised = prune(table, largest, members, update=False)
    if largest is None or (as_leaf <= raised + 0.1 and as_leaf <= as_tree + 0.1):
        node.attribute, node.cut, node.branches = None, None, []
        return as_leaf
    if raised <= as_tree + 0.1:
        as_tree = prune(table, largest, members)
        node.__dict__.update(largest.__dict__)
    return as_tree


def probabilities(table, node, row):
    sums = [0.0] * table.n_classes
    add_probabilities(table, node, row, 1.0, sums)
    return sums


def add_probabilities(table, node, row, share, sums):
    if node.attribute is None:
        for c in range(table.n_classes):
            sums[c] += share * (node.counts[c] / node.items if node.items else c == node.leaf)
        return
    v = branch_of(node, row[node.attribute], table.values)
    if v is not None:
        add_probabilities(table, node.branches[v], row, share, sums)
        return
    for branch in node.branches:
        add_probabilities(table, branch, row, share * branch.items / node.items, sums)
