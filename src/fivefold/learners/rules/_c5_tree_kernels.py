"""The kernels of C5.0's trees: choosing tests, growing, pruning, and simplifying as a whole."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees.nodes import GrowthOptions, Nodes, TrainingTable, tree_depth

if not cython.compiled:
    from math import isnan, log, sqrt

    from fivefold.learners.trees import _c45_kernels as c45
    from fivefold.learners.trees._c45_kernels import CaseViews, Estimates, Scores, Tree
    from fivefold.learners.trees.nodes import LEAF

    INFINITY = np.inf
    BRANCHES, LARGEST, RAISED, DONE = 0, 1, 2, 3

Floats = NDArray[np.float64]

EPSILON = 1e-4
CLOSE = 0.999
SLACK = 0.1
LARGE_SHARE = 0.1
NEARLY_ALL = 0.95


class PruningEstimates(Estimates):
    """The estimates of C4.5, and whether a node may be grown anew below a branch that is raised.

    `pool` collects the classes of its small branches, `scale` has the weights that costs give to the cases of
    each class.
    """

    def __init__(self, depth: int, n_classes: int, limit: Floats, scale: Floats) -> None:
        super().__init__(depth, n_classes, limit)
        self.regrow, self.pool = np.zeros(depth, dtype=np.bool_), np.zeros((depth, n_classes))
        self.scale = scale


class Subtrees:
    """Work space of simplifying: errors and leaves below each node, and what making it a leaf costs."""

    def __init__(self, n: int) -> None:
        self.errors, self.extra, self.price = np.zeros((3, n))
        self.leaves = np.zeros(n, dtype=np.int64)
        self.reached, self.inside, self.chosen = np.zeros((3, n), dtype=np.bool_)


def choose(cases: CaseViews, scores: Scores, start: int, stop: int, total: float) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none.

    Their classes are counted in the first row of the branch by class table.
    """
    base = c45.class_information(scores, 0) / total
    possible, average = 0, 0.0
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -1.0
        if cases.numeric[a]:
            _score_numeric(cases, scores, a, start, stop, total, base)
        elif not scores.tested[a]:
            _score_nominal(cases, scores, a, start, stop, total, base)
        few = cases.numeric[a] or cases.forks[a] + 1 < scores.many
        if scores.gain[a] >= EPSILON and (few or scores.all_many):
            possible += 1
            average += scores.gain[a]
        else:
            scores.gain[a] = -1.0
    if not possible:
        return -1
    naming = log(possible) / c45.LN2 / total
    least = scores.average_weight * average / possible + scores.code_weight * naming
    return _best_ratio(cases, scores, least)


def _best_ratio(cases: CaseViews, scores: Scores, least: float) -> int:
    """Give the attribute with the best ratio; among close ones that with fewer branches, then more gain."""
    best, best_ratio, best_forks = -1, -EPSILON, 0
    for a in range(scores.gain.shape[0]):
        gain = scores.gain[a]
        if gain < 0 or gain < CLOSE * least or scores.info[a] <= 0:
            continue
        ratio = gain / scores.info[a]
        forks = 3 if cases.numeric[a] else max(3, cases.forks[a] + 1)
        close = best >= 0 and ratio > CLOSE * best_ratio
        simpler = forks < best_forks or (forks == best_forks and gain > scores.gain[best])
        if ratio > best_ratio or (close and simpler):
            best, best_ratio, best_forks = a, ratio, forks
    return best


def _score_nominal(
    cases: CaseViews, scores: Scores, a: int, start: int, stop: int, total: float, base: float
) -> None:
    forks = cases.forks[a]
    c45.count_values(cases, scores, a, start, stop)
    if not c45.enough_branches(scores, forks + 1):
        return
    known, after = total - scores.sizes[0], 0.0
    if scores.sizes[0] > 0:
        base = _known_information(scores, forks) / known
    for v in range(1, forks + 1):
        after += c45.class_information(scores, v)
    scores.gain[a] = max(0.0, (1 - scores.sizes[0] / total) * (base - after / known))
    scores.info[a] = c45.branch_information(scores, forks + 1) / total


def _known_information(scores: Scores, forks: int) -> Any:
    """Give the class information of all branches together, summed in the row of unknown values."""
    for c in range(scores.frequency.shape[1]):
        scores.frequency[0, c] = 0.0
        for v in range(1, forks + 1):
            scores.frequency[0, c] += scores.frequency[v, c]
    return c45.class_information(scores, 0)


def _score_numeric(
    cases: CaseViews, scores: Scores, a: int, start: int, stop: int, total: float, base: float
) -> None:
    first = _known_from(cases, scores, a, start, stop)
    known = c45.row_sum(scores.frequency, 2)
    if known < 2 * scores.min_cases:
        return
    if first > start:
        base = c45.class_information(scores, 2) / known
    smallest = max(min(0.1 * known / cases.n_classes, 25.0), scores.min_cases)
    c45.sort_by_key(scores, cases, first, stop)
    at, after, tries, below = _best_cut(cases, scores, first, stop, smallest, known)
    gain = known / total * (base - after / known)
    if at < 0 or gain <= 0:
        return
    gap = scores.keys[at + 1] - scores.keys[at]
    interval = (scores.keys[stop - 1] - scores.keys[first]) / gap
    gain -= log(min(interval, tries)) / c45.LN2 / total
    if gain > 0:
        scores.sizes[0], scores.sizes[1], scores.sizes[2] = total - known, below, known - below
        scores.gain[a] = gain
        scores.info[a] = c45.branch_information(scores, 3) / total
        scores.bar[a] = 0.5 * (scores.keys[at] + scores.keys[at + 1])
        if scores.bar[a] >= scores.keys[at + 1] or scores.bar[a] < scores.keys[at]:
            scores.bar[a] = scores.keys[at]


def _known_from(cases: CaseViews, scores: Scores, a: int, start: int, stop: int) -> int:
    """Bring cases with unknown values to the front; count the classes of the others in row 2."""
    row, first = cases.place[a], start
    c45.clear_frequency(scores, 3)
    for i in range(start, stop):
        value = cases.values[row, cases.items[i]]
        if isnan(value):
            c45.exchange(cases, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
            scores.frequency[2, cases.classes[cases.items[i]]] += cases.weight[i]
    return first


def _best_cut(
    cases: CaseViews, scores: Scores, first: int, stop: int, smallest: float, known: float
) -> tuple[int, float, int, float]:
    """Give the place of the best cut, the information after it, the cuts tried, and the weight below it."""
    best, least, tries, below, best_below = -1, INFINITY, 0, 0.0, 0.0
    for i in range(first, stop - 1):
        c = cases.classes[cases.items[i]]
        below += cases.weight[i]
        scores.frequency[1, c] += cases.weight[i]
        scores.frequency[2, c] -= cases.weight[i]
        if scores.keys[i] == scores.keys[i + 1] or below < smallest - 1e-5:
            continue
        if known - below < smallest - 1e-9:
            break
        tries += 1
        after = c45.class_information(scores, 1) + c45.class_information(scores, 2)
        if after < least:
            best, least, best_below = i, after, below
    return best, least, tries, best_below


def grow_below(
    cases: CaseViews, scores: Scores, tree: Tree, node: int, start: int, stop: int, unit: bool
) -> None:
    """Grow the tree below a node from the cases at start … stop - 1; a test that it has already is kept."""
    c45.push(tree, 0, node, start, stop, unit)
    keep = tree.kind[node] != LEAF
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered and _open(cases, scores, tree, depth + 1, keep and depth < 0):
            depth += 1
        elif tree.used[0] < 0:
            return
        elif depth >= 0:
            c45.leave_branch(cases, tree, depth)
        entered = depth >= 0 and c45.enter_branch(cases, tree, depth)
        if depth >= 0 and not entered:
            scores.tested[tree.attribute[tree.node[depth]]] = False
            if depth or not keep:
                _collapse(tree, tree.node[depth])
            depth -= 1


def _open(cases: CaseViews, scores: Scores, tree: Tree, depth: int, keep: bool) -> bool:
    """Describe the node at the top of the stack and choose its test; tell whether it has one."""
    node, start, stop = tree.node[depth], tree.start[depth], tree.stop[depth]
    best = c45.count_classes(cases, start, stop, tree.counts, node, 0)
    total = c45.row_sum(tree.counts, node)
    tree.leaf[node], tree.items[node] = best, total
    tree.errors[node] = total - tree.counts[node, best]
    if not keep:
        tree.kind[node] = LEAF
        if tree.counts[node, best] >= CLOSE * total or total < 2 * scores.min_cases:
            return False
        c45.copy_row(tree.counts, node, scores.frequency, 0)
        a = choose(cases, scores, start, stop, total)
        if a < 0:
            return False
        c45.set_test(cases, scores, tree, node, a)
    return c45.make_branches(cases, scores, tree, depth, total)


def _collapse(tree: Tree, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are hardly fewer than its own."""
    errors = 0.0
    for child in range(tree.child[node], tree.child[node] + tree.forks[node]):
        errors += tree.errors[child]
    if errors >= CLOSE * tree.errors[node]:
        tree.kind[node] = LEAF
        tree.used[0] = tree.child[node]
    else:
        tree.errors[node] = errors


def upper_extra(n: float, e: float, best: int, limit: Any, scale: Any) -> Any:
    """Give the extra errors of a leaf; counts that costs have weighted are unweighted for it."""
    if scale.shape[0] == 0:
        return _extra(n, e, limit)
    right, wrong = (n - e) / scale[best], e / scale[1 - best]
    return scale[1 - best] * _extra(right + wrong, wrong, limit)


def _extra(n: float, e: float, limit: Any) -> Any:
    if n <= 1 and e >= 1e-6:
        return 0.67 * (n - e)
    return c45.extra_errors(n, e, limit)


def prune_all(
    cases: CaseViews, scores: Scores, tree: Tree, regrowing: Tree, estimates: PruningEstimates
) -> None:
    """Prune the tree in place, on all cases; `regrowing` is the same tree with a stack for growing."""
    c45.push(tree, 0, 0, 0, cases.items.shape[0], cases.unit)
    estimates.update[0] = estimates.regrow[0] = True
    depth, entered = -1, True
    while (depth >= 0 or entered) and tree.used[0] > 0:
        if entered:
            depth += 1
            if not _begin(cases, tree, estimates, depth):
                entered = _descend(cases, tree, estimates, depth)
                continue
        depth -= 1
        entered = False
        if depth >= 0:
            _receive(cases, scores, tree, regrowing, estimates, depth)
            entered = _descend(cases, tree, estimates, depth)


def _begin(cases: CaseViews, tree: Tree, estimates: PruningEstimates, depth: int) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop = tree.node[depth], tree.start[depth], tree.stop[depth]
    best = c45.count_classes(cases, start, stop, estimates.counts, 0, 0)
    total = c45.row_sum(estimates.counts, 0)
    errors = total - estimates.counts[0, best]
    as_leaf = errors + upper_extra(total, errors, best, estimates.limit, estimates.scale)
    estimates.as_leaf[depth] = as_leaf
    if estimates.update[depth]:
        tree.items[node], tree.leaf[node] = total, best
        c45.copy_row(estimates.counts, 0, tree.counts, node)
    if tree.kind[node] == LEAF:
        estimates.as_tree[depth] = tree.errors[node] = as_leaf
        return True
    known = c45.group_unknown(cases, tree.attribute[node], start, stop)
    tree.known[depth], tree.branch[depth] = known, 0
    tree.known_weight[depth] = c45.weight_between(cases, known, stop, False)
    estimates.phase[depth], estimates.as_tree[depth] = BRANCHES, 0.0
    c45.clear_row(estimates.pool, depth)
    return False


def _descend(cases: CaseViews, tree: Tree, estimates: PruningEstimates, depth: int) -> bool:
    """Put what is to be estimated next below a node on the stack; tell whether there is anything."""
    node = tree.node[depth]
    if estimates.phase[depth] != BRANCHES:
        return bool(estimates.phase[depth] == RAISED)
    if c45.enter_branch(cases, tree, depth):
        estimates.update[depth + 1] = estimates.update[depth]
        estimates.regrow[depth + 1] = estimates.regrow[depth]
        return True
    _add_pool(estimates, depth)
    if not estimates.update[depth]:
        tree.errors[node] = estimates.as_tree[depth]
        return False
    largest = _largest_branch(cases, tree, node)
    if largest < 0:
        _decide(tree, estimates, node, depth, cases.items.shape[0] + 1.0)
        return False
    estimates.largest[depth], estimates.phase[depth] = largest, LARGEST
    estimates.update[depth + 1] = estimates.regrow[depth + 1] = False
    c45.push(tree, depth + 1, largest, tree.start[depth], tree.stop[depth], tree.unit[depth])
    return True


def _add_pool(estimates: PruningEstimates, depth: int) -> None:
    """Estimate the errors of the small branches together."""
    total, best = c45.row_sum(estimates.pool, depth), 0
    if total > 0:
        for c in range(estimates.pool.shape[1]):
            if estimates.pool[depth, c] > estimates.pool[depth, best]:
                best = c
        errors = total - estimates.pool[depth, best]
        extra = upper_extra(total, errors, best, estimates.limit, estimates.scale)
        estimates.as_tree[depth] += errors + extra


def _largest_branch(cases: CaseViews, tree: Tree, node: int) -> int:
    """Give the largest branch that might stand for its node; -1 if there is none.

    It is no leaf, has a tenth of the cases, and does not test the same numeric attribute.
    """
    largest = -1
    for child in range(tree.child[node], tree.child[node] + tree.forks[node]):
        if tree.kind[child] == LEAF or tree.items[child] < LARGE_SHARE * tree.items[node]:
            continue
        same = tree.attribute[child] == tree.attribute[node]
        if same and cases.numeric[tree.attribute[node]]:
            continue
        if largest < 0 or tree.items[child] > tree.items[largest]:
            largest = child
    return largest


def _receive(
    cases: CaseViews, scores: Scores, tree: Tree, regrowing: Tree, estimates: PruningEstimates, depth: int
) -> None:
    """Take what was found below a node: a branch's estimate, the largest branch's, or the raised branch."""
    below, phase = estimates.as_tree[depth + 1], estimates.phase[depth]
    if phase == BRANCHES:
        start, stop = tree.start[depth + 1], tree.stop[depth + 1]
        if c45.weight_between(cases, start, stop, False) < scores.min_cases:
            for i in range(start, stop):
                estimates.pool[depth, cases.classes[cases.items[i]]] += cases.weight[i]
        else:
            estimates.as_tree[depth] += below
        c45.leave_branch(cases, tree, depth)
    elif phase == LARGEST:
        _decide(tree, estimates, tree.node[depth], depth, below)
        if estimates.phase[depth] == RAISED:
            _raise(cases, scores, tree, regrowing, estimates, depth)
    else:
        estimates.phase[depth] = DONE
        estimates.as_tree[depth] = below


def _decide(tree: Tree, estimates: PruningEstimates, node: int, depth: int, as_branch: float) -> None:
    as_leaf, as_tree = estimates.as_leaf[depth], estimates.as_tree[depth]
    estimates.phase[depth] = DONE
    if as_leaf <= as_branch + SLACK and as_leaf <= as_tree + SLACK:
        tree.kind[node] = LEAF
        estimates.as_tree[depth] = as_leaf
    elif as_branch <= as_tree + SLACK:
        estimates.phase[depth] = RAISED
    tree.errors[node] = estimates.as_tree[depth]


def _raise(
    cases: CaseViews, scores: Scores, tree: Tree, regrowing: Tree, estimates: PruningEstimates, depth: int
) -> None:
    """Put the largest branch in the place of its node, and set it up to be estimated there."""
    node, branch = tree.node[depth], estimates.largest[depth]
    share = tree.items[branch] / tree.items[node]
    tree.kind[node], tree.attribute[node] = tree.kind[branch], tree.attribute[branch]
    tree.child[node], tree.forks[node] = tree.child[branch], tree.forks[branch]
    tree.cut[node] = tree.cut[branch]
    start, stop, unit = tree.start[depth], tree.stop[depth], tree.unit[depth]
    if estimates.regrow[depth] and share < NEARLY_ALL:
        grow_below(cases, scores, regrowing, node, start, stop, unit)
    estimates.update[depth + 1], estimates.regrow[depth + 1] = True, False
    c45.push(tree, depth + 1, node, start, stop, unit)


def own_errors(tree: Tree, node: int) -> float:
    """Give the errors of a node, were it a leaf."""
    return tree.items[node] - tree.counts[node, tree.leaf[node]]


def _sum_errors(tree: Tree, trees: Subtrees) -> None:
    """Count the errors and the leaves that have cases below each node."""
    for node in range(tree.used[0] - 1, -1, -1):
        trees.errors[node], trees.leaves[node] = 0.0, 0
        if tree.kind[node] != LEAF:
            for child in range(tree.child[node], tree.child[node] + tree.forks[node]):
                trees.errors[node] += trees.errors[child]
                trees.leaves[node] += trees.leaves[child]
        elif tree.items[node] > 1e-3:
            trees.errors[node], trees.leaves[node] = own_errors(tree, node), 1


def _price(tree: Tree, trees: Subtrees, allowance: float) -> None:
    """Work out the extra errors of each subtree that is reached, were it a leaf, and those by leaf."""
    for node in range(tree.used[0]):
        trees.reached[node] = node == 0
        trees.extra[node] = trees.price[node] = INFINITY
    for node in range(tree.used[0]):
        if trees.reached[node] and tree.kind[node] != LEAF:
            trees.extra[node] = own_errors(tree, node) - trees.errors[node]
            if trees.extra[node] <= allowance and trees.leaves[node] > 1:
                trees.price[node] = trees.extra[node] / (trees.leaves[node] - 1)
            for child in range(tree.child[node], tree.child[node] + tree.forks[node]):
                trees.reached[child] = tree.items[child] > 0.1


def _choose_cheapest(tree: Tree, trees: Subtrees) -> float:
    """Choose the cheapest subtrees, of those within each other the outermost; give their extra errors.

    Where there are none, those are infinite.
    """
    least, spent, any_chosen = INFINITY, 0.0, False
    for node in range(tree.used[0]):
        least = min(least, trees.price[node])
        trees.chosen[node] = trees.inside[node] = False
    for node in range(tree.used[0]):
        if not trees.reached[node] or tree.kind[node] == LEAF:
            continue
        if not trees.inside[node] and trees.price[node] == least and least < INFINITY:
            trees.chosen[node] = any_chosen = True
            spent += trees.extra[node]
        for child in range(tree.child[node], tree.child[node] + tree.forks[node]):
            trees.inside[child] = trees.inside[node] or trees.chosen[node]
    return spent if any_chosen else INFINITY


# What Python calls.


def grow_and_prune(
    table: TrainingTable, weights: Floats, options: GrowthOptions, limit: Floats, scale: Floats, nodes: Nodes
) -> None:
    """Grow a tree of all cases into `nodes` and prune it branch by branch; for `limit` and `scale` see above."""
    depth, items = tree_depth(table), np.arange(table.classes.size, dtype=np.int32)
    cases, scores = CaseViews(table, items, weights), Scores(table, options)
    growing, pruning = Tree(nodes, depth), Tree(nodes, depth)
    estimates = PruningEstimates(depth, table.n_classes, limit, scale)
    with cython.nogil:
        growing.used[0] = 1
        grow_below(cases, scores, growing, 0, 0, cases.items.shape[0], cases.unit)
        prune_all(cases, scores, pruning, growing, estimates)


def simplify(nodes: Nodes, base_errors: float, n_cases: float) -> None:
    """Prune by cost complexity, up to a standard error of the tree's errors in the training data, `base_errors`.

    Every node must stand before its children.
    """
    tree, trees = Tree(nodes, 0), Subtrees(int(nodes.used[0]))
    allowance = sqrt(base_errors * (1 - base_errors / n_cases))
    with cython.nogil:
        while allowance > 0:
            _sum_errors(tree, trees)
            _price(tree, trees, allowance)
            if _choose_cheapest(tree, trees) > allowance:
                break
            for node in range(tree.used[0]):
                if trees.chosen[node]:
                    tree.kind[node] = LEAF
                    allowance -= own_errors(tree, node) - trees.errors[node]
