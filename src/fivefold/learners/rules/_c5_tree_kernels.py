"""The kernels of C5.0's trees: choosing tests, growing, pruning, and simplifying as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees.nodes import GrowthOptions, Nodes, TrainingTable, tree_depth

if not cython.compiled:
    from math import isnan, log, sqrt

    from fivefold.learners.trees._c45_kernels import (
        LN2,
        Frames,
        NodeViews,
        Order,
        Scores,
        TableViews,
        branch_information,
        class_information,
        copy_row,
        count_classes,
        divide,
        enough_branches,
        enter_branch,
        exchange,
        extra_errors,
        greatest_value_below,
        group_branch,
        group_unknown,
        leave_branch,
        sort_by_key,
        weight_between,
    )
    from fivefold.learners.trees.nodes import LEAF, NOMINAL, NUMERIC

    INFINITY = np.inf
    BRANCHES, LARGEST, RAISED, DONE = 0, 1, 2, 3

Floats = NDArray[np.float64]

EPSILON = 1e-4
CLOSE = 0.999
SLACK = 0.1
LARGE_SHARE = 0.1
NEARLY_ALL = 0.95


@dataclass(repr=False, eq=False)
class Thresholds:
    """What a test needs.

    The least gain is `average_weight` times the average gain plus `code_weight` times the bits to name one of
    the possible tests, by case.
    """

    options: GrowthOptions
    average_weight: float
    code_weight: float


class PruningEstimates:
    """What is known of each open node: the phase it is in, its errors as a leaf and as a tree.

    `pool` collects the classes of its small branches; `counts` is one row of class counts to work with. `limit`
    holds CF and the squared normal deviate, `scale` the weights that costs give to the cases of each class.
    """

    def __init__(self, depth: int, n_classes: int, limit: Floats, scale: Floats) -> None:
        self.phase, self.largest = np.zeros((2, depth), dtype=np.int32)
        self.update, self.regrow = np.zeros((2, depth), dtype=np.bool_)
        self.as_leaf, self.as_tree = np.zeros((2, depth))
        self.pool, self.counts = np.zeros((depth, n_classes)), np.zeros((1, n_classes))
        self.limit, self.scale = limit, scale


class Garden:
    """What growing needs besides cases and nodes."""

    def __init__(self, scores: Scores, thresholds: Thresholds, frames: Frames) -> None:
        self.scores, self.thresholds, self.frames = scores, thresholds, frames


class Subtrees:
    """Work space of simplifying: errors and leaves below each node, and what making it a leaf costs."""

    def __init__(self, n: int) -> None:
        self.errors, self.extra, self.price = np.zeros((3, n))
        self.leaves = np.zeros(n, dtype=np.int64)
        self.reached, self.inside, self.chosen = np.zeros((3, n), dtype=np.bool_)


def choose(
    cases: TableViews,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    start: int,
    stop: int,
    total: float,
) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none.

    Their classes are counted in the first row of the branch by class table.
    """
    base = class_information(scores, 0) / total
    possible, average = 0, 0.0
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -1.0
        if cases.numeric[a]:
            _score_numeric(cases, order, scores, a, start, stop, total, base)
        elif not scores.tested[a]:
            _score_nominal(cases, order, scores, a, start, stop, total, base)
        few = cases.numeric[a] or cases.forks[a] + 1 < scores.many
        if scores.gain[a] >= EPSILON and (few or scores.all_many):
            possible += 1
            average += scores.gain[a]
        else:
            scores.gain[a] = -1.0
    if not possible:
        return -1
    naming = log(possible) / LN2 / total
    least = thresholds.average_weight * average / possible + thresholds.code_weight * naming
    return _best_ratio(cases, scores, least)


def _best_ratio(cases: TableViews, scores: Scores, least: float) -> int:
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
    cases: TableViews,
    order: Order,
    scores: Scores,
    a: int,
    start: int,
    stop: int,
    total: float,
    base: float,
) -> None:
    forks, row = cases.forks[a], cases.place[a]
    for v in range(forks + 1):
        _clear_row(scores.frequency, v)
    for i in range(start, stop):
        item = order.items[i]
        scores.frequency[cases.codes[row, item], cases.classes[item]] += order.weight[i]
    for v in range(forks + 1):
        scores.sizes[v] = row_sum(scores.frequency, v)
    if not enough_branches(scores, forks + 1):
        return
    known, after = total - scores.sizes[0], 0.0
    if scores.sizes[0] > 0:
        base = _known_information(scores, forks) / known
    for v in range(1, forks + 1):
        after += class_information(scores, v)
    scores.gain[a] = max(0.0, (1 - scores.sizes[0] / total) * (base - after / known))
    scores.info[a] = branch_information(scores, forks + 1) / total


def _known_information(scores: Scores, forks: int) -> Any:
    """Give the class information of all branches together, summed in the row of unknown values."""
    _clear_row(scores.frequency, 0)
    for v in range(1, forks + 1):
        for c in range(scores.frequency.shape[1]):
            scores.frequency[0, c] += scores.frequency[v, c]
    return class_information(scores, 0)


def _clear_row(counts: Floats, row: int) -> None:
    for c in range(counts.shape[1]):
        counts[row, c] = 0.0


def row_sum(counts: Floats, row: int) -> float:
    """Sum the class counts of a row."""
    total = 0.0
    for c in range(counts.shape[1]):
        total += counts[row, c]
    return total


def _score_numeric(
    cases: TableViews,
    order: Order,
    scores: Scores,
    a: int,
    start: int,
    stop: int,
    total: float,
    base: float,
) -> None:
    first = _known_from(cases, order, scores, a, start, stop)
    known = row_sum(scores.frequency, 2)
    if known < 2 * scores.min_cases:
        return
    if first > start:
        base = class_information(scores, 2) / known
    smallest = max(min(0.1 * known / cases.n_classes, 25.0), scores.min_cases)
    sort_by_key(scores, order, first, stop)
    at, after, tries, below = _best_cut(cases, order, scores, first, stop, smallest, known)
    gain = known / total * (base - after / known)
    if at < 0 or gain <= 0:
        return
    gap = scores.keys[at + 1] - scores.keys[at]
    interval = (scores.keys[stop - 1] - scores.keys[first]) / gap
    gain -= log(min(interval, tries)) / LN2 / total
    if gain > 0:
        scores.sizes[0], scores.sizes[1], scores.sizes[2] = total - known, below, known - below
        scores.gain[a] = gain
        scores.info[a] = branch_information(scores, 3) / total
        scores.bar[a] = 0.5 * (scores.keys[at] + scores.keys[at + 1])
        if scores.bar[a] >= scores.keys[at + 1] or scores.bar[a] < scores.keys[at]:
            scores.bar[a] = scores.keys[at]


def _known_from(cases: TableViews, order: Order, scores: Scores, a: int, start: int, stop: int) -> int:
    """Bring cases with unknown values to the front; count the classes of the others in row 2."""
    row, first = cases.place[a], start
    _clear_row(scores.frequency, 1)
    _clear_row(scores.frequency, 2)
    for i in range(start, stop):
        value = cases.values[row, order.items[i]]
        if isnan(value):
            exchange(order, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
            scores.frequency[2, cases.classes[order.items[i]]] += order.weight[i]
    return first


def _best_cut(
    cases: TableViews, order: Order, scores: Scores, first: int, stop: int, smallest: float, known: float
) -> tuple[int, float, int, float]:
    """Give the place of the best cut, the information after it, the cuts tried, and the weight below it."""
    best, least, tries, below, best_below = -1, INFINITY, 0, 0.0, 0.0
    for i in range(first, stop - 1):
        c = cases.classes[order.items[i]]
        below += order.weight[i]
        scores.frequency[1, c] += order.weight[i]
        scores.frequency[2, c] -= order.weight[i]
        if scores.keys[i] == scores.keys[i + 1] or below < smallest - 1e-5:
            continue
        if known - below < smallest - 1e-9:
            break
        tries += 1
        after = class_information(scores, 1) + class_information(scores, 2)
        if after < least:
            best, least, best_below = i, after, below
    return best, least, tries, best_below


def grow_below(
    cases: TableViews,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    nodes: NodeViews,
    frames: Frames,
    node: int,
    start: int,
    stop: int,
    unit: bool,
) -> None:
    """Grow the tree below a node from the cases at start … stop - 1; a test that it has already is kept."""
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = node, start, stop, unit
    keep = nodes.kind[node] != LEAF
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered and _open(cases, order, scores, thresholds, nodes, frames, depth + 1, keep and depth < 0):
            depth += 1
        elif nodes.used[0] < 0:
            return
        elif depth >= 0:
            leave_branch(cases, order, nodes, frames, depth)
        entered = depth >= 0 and enter_branch(cases, order, nodes, frames, depth)
        if depth >= 0 and not entered:
            scores.tested[nodes.attribute[frames.node[depth]]] = False
            if depth or not keep:
                _collapse(nodes, frames.node[depth])
            depth -= 1


def _open(
    cases: TableViews,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    nodes: NodeViews,
    frames: Frames,
    depth: int,
    keep: bool,
) -> bool:
    """Describe the node of a frame and choose its test; tell whether it has one."""
    node, start, stop = frames.node[depth], frames.start[depth], frames.stop[depth]
    best = count_classes(cases, order, start, stop, nodes.counts, node, 0)
    total = row_sum(nodes.counts, node)
    nodes.leaf[node], nodes.items[node] = best, total
    nodes.errors[node] = total - nodes.counts[node, best]
    if not keep:
        nodes.kind[node] = LEAF
        if nodes.counts[node, best] >= CLOSE * total or total < 2 * scores.min_cases:
            return False
        copy_row(nodes.counts, node, scores.frequency, 0)
        a = choose(cases, order, scores, thresholds, start, stop, total)
        if a < 0:
            return False
        nodes.attribute[node], nodes.forks[node] = a, cases.forks[a]
        nodes.kind[node] = NUMERIC if cases.numeric[a] else NOMINAL
        nodes.cut[node] = greatest_value_below(cases, a, scores.bar[a]) if cases.numeric[a] else 0.0
    return _make_branches(cases, order, scores, nodes, frames, depth, total)


def _make_branches(
    cases: TableViews, order: Order, scores: Scores, nodes: NodeViews, frames: Frames, depth: int, total: Any
) -> bool:
    node = frames.node[depth]
    a = nodes.attribute[node]
    if nodes.used[0] + nodes.forks[node] > nodes.kind.shape[0]:
        nodes.used[0] = -1
        return False
    nodes.child[node] = nodes.used[0]
    nodes.used[0] += nodes.forks[node]
    scores.tested[a] = not cases.numeric[a]
    divide(cases, order, a, frames, depth, total)
    return True


def _collapse(nodes: NodeViews, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are hardly fewer than its own."""
    errors = 0.0
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        errors += nodes.errors[child]
    if errors >= CLOSE * nodes.errors[node]:
        nodes.kind[node] = LEAF
        nodes.used[0] = nodes.child[node]
    else:
        nodes.errors[node] = errors


def upper_extra(n: float, e: float, best: int, limit: Any, scale: Any) -> Any:
    """Give the extra errors of a leaf; counts that costs have weighted are unweighted for it."""
    if scale.shape[0] == 0:
        return _extra(n, e, limit)
    right, wrong = (n - e) / scale[best], e / scale[1 - best]
    return scale[1 - best] * _extra(right + wrong, wrong, limit)


def _extra(n: float, e: float, limit: Any) -> Any:
    if n <= 1 and e >= 1e-6:
        return 0.67 * (n - e)
    return extra_errors(n, e, limit)


def prune_all(
    cases: TableViews,
    order: Order,
    nodes: NodeViews,
    frames: Frames,
    estimates: PruningEstimates,
    garden: Garden,
    unit: bool,
) -> None:
    """Prune the tree in place, on all cases; `unit` says that each case weighs 1."""
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = 0, 0, order.items.shape[0], unit
    estimates.update[0] = estimates.regrow[0] = True
    depth, entered = -1, True
    while (depth >= 0 or entered) and nodes.used[0] > 0:
        if entered:
            depth += 1
            if not _begin(cases, order, nodes, frames, estimates, depth):
                entered = _descend(cases, order, nodes, frames, estimates, garden, depth)
                continue
        depth -= 1
        entered = False
        if depth >= 0:
            _receive(cases, order, nodes, frames, estimates, garden, depth)
            entered = _descend(cases, order, nodes, frames, estimates, garden, depth)


def _begin(
    cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, estimates: PruningEstimates, depth: int
) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop = frames.node[depth], frames.start[depth], frames.stop[depth]
    best = count_classes(cases, order, start, stop, estimates.counts, 0, 0)
    total = row_sum(estimates.counts, 0)
    errors = total - estimates.counts[0, best]
    as_leaf = errors + upper_extra(total, errors, best, estimates.limit, estimates.scale)
    estimates.as_leaf[depth] = as_leaf
    if estimates.update[depth]:
        nodes.items[node], nodes.leaf[node] = total, best
        copy_row(estimates.counts, 0, nodes.counts, node)
    if nodes.kind[node] == LEAF:
        estimates.as_tree[depth] = nodes.errors[node] = as_leaf
        return True
    known = group_unknown(cases, order, nodes.attribute[node], start, stop)
    frames.known[depth], frames.branch[depth] = known, 0
    frames.known_weight[depth] = weight_between(order, known, stop, False)
    estimates.phase[depth], estimates.as_tree[depth] = BRANCHES, 0.0
    _clear_row(estimates.pool, depth)
    return False


def _descend(
    cases: TableViews,
    order: Order,
    nodes: NodeViews,
    frames: Frames,
    estimates: PruningEstimates,
    garden: Garden,
    depth: int,
) -> bool:
    """Set up what is to be estimated next below a node as the frame above; tell whether there is anything."""
    node = frames.node[depth]
    if estimates.phase[depth] != BRANCHES:
        return bool(estimates.phase[depth] == RAISED)
    if _enter_branch(cases, order, nodes, frames, estimates, depth):
        return True
    _add_pool(estimates, depth)
    if not estimates.update[depth]:
        nodes.errors[node] = estimates.as_tree[depth]
        return False
    largest = _largest_branch(cases, nodes, node)
    if largest < 0:
        _decide(nodes, estimates, node, depth, order.items.shape[0] + 1.0)
        return False
    estimates.largest[depth], estimates.phase[depth] = largest, LARGEST
    estimates.update[depth + 1] = estimates.regrow[depth + 1] = False
    _whole_node_above(frames, depth, largest)
    return True


def _whole_node_above(frames: Frames, depth: int, node: int) -> None:
    frames.node[depth + 1], frames.unit[depth + 1] = node, frames.unit[depth]
    frames.start[depth + 1], frames.stop[depth + 1] = frames.start[depth], frames.stop[depth]


def _enter_branch(
    cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, estimates: PruningEstimates, depth: int
) -> bool:
    node, start, known = frames.node[depth], frames.start[depth], frames.known[depth]
    while frames.branch[depth] < nodes.forks[node]:
        frames.branch[depth] += 1
        v, a, cut = frames.branch[depth], nodes.attribute[node], nodes.cut[node]
        end = group_branch(cases, order, a, cut, v, known, frames.stop[depth])
        if end == known:
            continue
        frames.factor[depth] = weight_between(order, known, end, False) / frames.known_weight[depth]
        for i in range(start, known):
            order.weight[i] *= frames.factor[depth]
        frames.node[depth + 1] = nodes.child[node] + v - 1
        frames.unit[depth + 1] = frames.unit[depth] and known == start
        frames.start[depth + 1], frames.stop[depth + 1] = start, end
        estimates.update[depth + 1] = estimates.update[depth]
        estimates.regrow[depth + 1] = estimates.regrow[depth]
        return True
    return False


def _add_pool(estimates: PruningEstimates, depth: int) -> None:
    """Estimate the errors of the small branches together."""
    total, best = row_sum(estimates.pool, depth), 0
    if total > 0:
        for c in range(estimates.pool.shape[1]):
            if estimates.pool[depth, c] > estimates.pool[depth, best]:
                best = c
        errors = total - estimates.pool[depth, best]
        extra = upper_extra(total, errors, best, estimates.limit, estimates.scale)
        estimates.as_tree[depth] += errors + extra


def _largest_branch(cases: TableViews, nodes: NodeViews, node: int) -> int:
    """Give the largest branch that might stand for its node; -1 if there is none.

    It is no leaf, has a tenth of the cases, and does not test the same numeric attribute.
    """
    largest = -1
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        if nodes.kind[child] == LEAF or nodes.items[child] < LARGE_SHARE * nodes.items[node]:
            continue
        same = nodes.attribute[child] == nodes.attribute[node]
        if same and cases.numeric[nodes.attribute[node]]:
            continue
        if largest < 0 or nodes.items[child] > nodes.items[largest]:
            largest = child
    return largest


def _receive(
    cases: TableViews,
    order: Order,
    nodes: NodeViews,
    frames: Frames,
    estimates: PruningEstimates,
    garden: Garden,
    depth: int,
) -> None:
    """Take what was found below a node: a branch's estimate, the largest branch's, or the raised branch."""
    node, below, phase = frames.node[depth], estimates.as_tree[depth + 1], estimates.phase[depth]
    if phase == BRANCHES:
        _leave_branch(cases, order, nodes, frames, estimates, garden.scores.min_cases, depth, below)
    elif phase == LARGEST:
        _decide(nodes, estimates, node, depth, below)
        if estimates.phase[depth] == RAISED:
            _raise(cases, order, nodes, frames, estimates, garden, depth)
    else:
        estimates.phase[depth] = DONE
        estimates.as_tree[depth] = below


def _leave_branch(
    cases: TableViews,
    order: Order,
    nodes: NodeViews,
    frames: Frames,
    estimates: PruningEstimates,
    min_cases: float,
    depth: int,
    below: float,
) -> None:
    start, known, stop = frames.start[depth], frames.known[depth], frames.stop[depth + 1]
    if weight_between(order, start, stop, False) < min_cases:
        for i in range(start, stop):
            estimates.pool[depth, cases.classes[order.items[i]]] += order.weight[i]
    else:
        estimates.as_tree[depth] += below
    if known > start:
        group_unknown(cases, order, nodes.attribute[frames.node[depth]], start, stop)
        for i in range(start, known):
            order.weight[i] /= frames.factor[depth]


def _decide(nodes: NodeViews, estimates: PruningEstimates, node: int, depth: int, as_branch: float) -> None:
    leaf, tree = estimates.as_leaf[depth], estimates.as_tree[depth]
    estimates.phase[depth] = DONE
    if leaf <= as_branch + SLACK and leaf <= tree + SLACK:
        nodes.kind[node] = LEAF
        estimates.as_tree[depth] = leaf
    elif as_branch <= tree + SLACK:
        estimates.phase[depth] = RAISED
    nodes.errors[node] = estimates.as_tree[depth]


def _raise(
    cases: TableViews,
    order: Order,
    nodes: NodeViews,
    frames: Frames,
    estimates: PruningEstimates,
    garden: Garden,
    depth: int,
) -> None:
    """Put the largest branch in the place of its node, and set it up to be estimated there."""
    node, branch = frames.node[depth], estimates.largest[depth]
    share = nodes.items[branch] / nodes.items[node]
    nodes.kind[node], nodes.attribute[node] = nodes.kind[branch], nodes.attribute[branch]
    nodes.child[node], nodes.forks[node] = nodes.child[branch], nodes.forks[branch]
    nodes.cut[node] = nodes.cut[branch]
    if estimates.regrow[depth] and share < NEARLY_ALL:
        start, stop, unit = frames.start[depth], frames.stop[depth], frames.unit[depth]
        grow_below(
            cases, order, garden.scores, garden.thresholds, nodes, garden.frames, node, start, stop, unit
        )
    estimates.update[depth + 1], estimates.regrow[depth + 1] = True, False
    _whole_node_above(frames, depth, node)


def simplify_all(nodes: NodeViews, trees: Subtrees, allowance: float) -> None:
    """Prune by cost complexity; `allowance` is how many errors may be added."""
    while allowance > 0:
        _sum_errors(nodes, trees)
        _price(nodes, trees, allowance)
        if _choose_cheapest(nodes, trees) > allowance:
            return
        for node in range(nodes.used[0]):
            if trees.chosen[node]:
                nodes.kind[node] = LEAF
                allowance -= own_errors(nodes, node) - trees.errors[node]


def own_errors(nodes: NodeViews, node: int) -> float:
    """Give the errors of a node, were it a leaf."""
    return nodes.items[node] - nodes.counts[node, nodes.leaf[node]]


def _sum_errors(nodes: NodeViews, trees: Subtrees) -> None:
    """Count the errors and the leaves that have cases below each node."""
    for node in range(nodes.used[0] - 1, -1, -1):
        trees.errors[node], trees.leaves[node] = 0.0, 0
        if nodes.kind[node] != LEAF:
            for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
                trees.errors[node] += trees.errors[child]
                trees.leaves[node] += trees.leaves[child]
        elif nodes.items[node] > 1e-3:
            trees.errors[node], trees.leaves[node] = own_errors(nodes, node), 1


def _price(nodes: NodeViews, trees: Subtrees, allowance: float) -> None:
    """Work out the extra errors of each subtree that is reached, were it a leaf, and those by leaf."""
    for node in range(nodes.used[0]):
        trees.reached[node] = node == 0
        trees.extra[node] = trees.price[node] = INFINITY
    for node in range(nodes.used[0]):
        if trees.reached[node] and nodes.kind[node] != LEAF:
            trees.extra[node] = own_errors(nodes, node) - trees.errors[node]
            if trees.extra[node] <= allowance and trees.leaves[node] > 1:
                trees.price[node] = trees.extra[node] / (trees.leaves[node] - 1)
            for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
                trees.reached[child] = nodes.items[child] > 0.1


def _choose_cheapest(nodes: NodeViews, trees: Subtrees) -> float:
    """Choose the cheapest subtrees, of those within each other the outermost; give their extra errors.

    Where there are none, those are infinite.
    """
    least, spent, any_chosen = INFINITY, 0.0, False
    for node in range(nodes.used[0]):
        least = min(least, trees.price[node])
        trees.chosen[node] = trees.inside[node] = False
    for node in range(nodes.used[0]):
        if not trees.reached[node] or nodes.kind[node] == LEAF:
            continue
        if not trees.inside[node] and trees.price[node] == least and least < INFINITY:
            trees.chosen[node] = any_chosen = True
            spent += trees.extra[node]
        for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
            trees.inside[child] = trees.inside[node] or trees.chosen[node]
    return spent if any_chosen else INFINITY


# What Python calls.


def grow_and_prune(
    cases: TrainingTable, weights: Floats, thresholds: Thresholds, limit: Floats, scale: Floats, nodes: Nodes
) -> None:
    """Grow a tree of all cases into `nodes` and prune it branch by branch; for `limit` and `scale` see above."""
    depth, items = tree_depth(cases), np.arange(cases.classes.size, dtype=np.int32)
    table, order, tree = TableViews(cases), Order(items, weights), NodeViews(nodes)
    scores, growing, pruning = (
        Scores(cases, thresholds.options, weights.dtype),
        Frames(depth, weights.dtype),
        Frames(depth, weights.dtype),
    )
    garden = Garden(scores, thresholds, growing)
    estimates = PruningEstimates(depth, cases.n_classes, limit, scale)
    unit = cython.declare(cython.bint, (weights == 1).all())
    with cython.nogil:
        tree.used[0] = 1
        grow_below(table, order, scores, thresholds, tree, growing, 0, 0, order.items.shape[0], unit)
        prune_all(table, order, tree, pruning, estimates, garden, unit)


def simplify(nodes: Nodes, base_errors: float, n_cases: float) -> None:
    """Prune by cost complexity, up to a standard error of the tree's errors in the training data, `base_errors`.

    Every node must stand before its children.
    """
    tree, trees = NodeViews(nodes), Subtrees(int(nodes.used[0]))
    allowance = cython.declare(cython.double, sqrt(base_errors * (1 - base_errors / n_cases)))
    with cython.nogil:
        simplify_all(tree, trees, allowance)
