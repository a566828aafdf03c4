"""The compiled loops of C5.0's trees: choosing tests, growing, pruning, and simplifying as a whole."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees._c45_kernels import (
    LN2,
    Scores,
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
    total_information,
    weight_between,
)
from fivefold.learners.trees.nodes import LEAF, NOMINAL, NUMERIC, Frames, Nodes, Order, TrainingTable

EPSILON = 1e-4
CLOSE = 0.999


class Thresholds(NamedTuple):
    """What a test needs: cases in two branches, and gain.

    The least gain is `average_weight` times the average gain plus `code_weight` times the bits to name one of
    the possible tests, by case. `many` is the number of values from which on there are too many.
    """

    min_cases: float
    average_weight: float
    code_weight: float
    many: float
    all_many: bool


@numba.njit(cache=True, error_model="numpy")
def choose(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    start: int,
    stop: int,
    counts: Any,
) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none."""
    total = counts.sum()
    base = total_information(counts, scores.table) / total
    possible, average = 0, 0.0
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -1.0
        if cases.numeric[a]:
            _score_numeric(cases, order, scores, thresholds.min_cases, a, start, stop, total, base)
        elif not scores.tested[a]:
            _score_nominal(cases, order, scores, thresholds.min_cases, a, start, stop, total, base)
        few = cases.numeric[a] or cases.forks[a] + 1 < thresholds.many
        if scores.gain[a] >= EPSILON and (few or thresholds.all_many):
            possible += 1
            average += scores.gain[a]
        else:
            scores.gain[a] = -1.0
    if not possible:
        return -1
    naming = math.log(possible) / LN2 / total
    least = thresholds.average_weight * average / possible + thresholds.code_weight * naming
    return _best_ratio(cases, scores, least)


@numba.njit(cache=True, error_model="numpy")
def _best_ratio(cases: TrainingTable, scores: Scores, least: float) -> int:
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


@numba.njit(cache=True, error_model="numpy")
def _score_nominal(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    min_cases: float,
    a: int,
    start: int,
    stop: int,
    total: float,
    base: float,
) -> None:
    forks, row = cases.forks[a], cases.place[a]
    frequency, sizes = scores.frequency[: forks + 1], scores.sizes[: forks + 1]
    frequency[:] = 0.0
    for i in range(start, stop):
        item = order.items[i]
        frequency[cases.codes[row, item], cases.classes[item]] += order.weight[i]
    for v in range(forks + 1):
        sizes[v] = frequency[v].sum()
    if not enough_branches(sizes, min_cases):
        return
    known, after = total - sizes[0], 0.0
    if sizes[0] > 0:
        base = total_information(frequency[1:].sum(axis=0), scores.table) / known
    for v in range(1, forks + 1):
        after += total_information(frequency[v], scores.table)
    scores.gain[a] = max(0.0, (1 - sizes[0] / total) * (base - after / known))
    scores.info[a] = total_information(sizes, scores.table) / total


@numba.njit(cache=True, error_model="numpy")
def _score_numeric(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    min_cases: float,
    a: int,
    start: int,
    stop: int,
    total: float,
    base: float,
) -> None:
    first = _known_from(cases, order, scores, a, start, stop)
    high, sizes = scores.frequency[2], scores.sizes[:3]
    known = high.sum()
    if known < 2 * min_cases:
        return
    if first > start:
        base = total_information(high, scores.table) / known
    smallest = max(min(0.1 * known / cases.n_classes, 25.0), min_cases)
    sort_by_key(scores.keys, order, first, stop)
    at, after, tries, sizes[1] = _best_cut(cases, order, scores, first, stop, smallest, known)
    gain = known / total * (base - after / known)
    if at < 0 or gain <= 0:
        return
    gap = scores.keys[at + 1] - scores.keys[at]
    interval = (scores.keys[stop - 1] - scores.keys[first]) / gap
    gain -= math.log(min(interval, tries)) / LN2 / total
    if gain > 0:
        sizes[0], sizes[2] = total - known, known - sizes[1]
        scores.gain[a] = gain
        scores.info[a] = total_information(sizes, scores.table) / total
        scores.bar[a] = 0.5 * (scores.keys[at] + scores.keys[at + 1])
        if scores.bar[a] >= scores.keys[at + 1]:
            scores.bar[a] = scores.keys[at]


@numba.njit(cache=True, error_model="numpy")
def _known_from(cases: TrainingTable, order: Order, scores: Scores, a: int, start: int, stop: int) -> int:
    """Bring cases with unknown values to the front; count the classes of the others in row 2."""
    row, first = cases.place[a], start
    scores.frequency[1:3] = 0.0
    for i in range(start, stop):
        value = cases.values[row, order.items[i]]
        if np.isnan(value):
            exchange(order, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
            scores.frequency[2, cases.classes[order.items[i]]] += order.weight[i]
    return first


@numba.njit(cache=True, error_model="numpy")
def _best_cut(
    cases: TrainingTable, order: Order, scores: Scores, first: int, stop: int, smallest: float, known: float
) -> tuple[int, float, int, float]:
    """Give the place of the best cut, the information after it, the cuts tried, and the weight below it."""
    low, high = scores.frequency[1], scores.frequency[2]
    best, least, tries, below, best_below = -1, np.inf, 0, 0.0, 0.0
    for i in range(first, stop - 1):
        c = cases.classes[order.items[i]]
        below += order.weight[i]
        low[c] += order.weight[i]
        high[c] -= order.weight[i]
        if scores.keys[i] == scores.keys[i + 1] or below < smallest - 1e-5:
            continue
        if known - below < smallest - 1e-9:
            break
        tries += 1
        after = total_information(low, scores.table) + total_information(high, scores.table)
        if after < least:
            best, least, best_below = i, after, below
    return best, least, tries, best_below


@numba.njit(cache=True, error_model="numpy")
def grow(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    nodes: Nodes,
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


@numba.njit(cache=True, error_model="numpy")
def _open(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    thresholds: Thresholds,
    nodes: Nodes,
    frames: Frames,
    depth: int,
    keep: bool,
) -> bool:
    """Describe the node of a frame and choose its test; tell whether it has one."""
    node, start, stop = frames.node[depth], frames.start[depth], frames.stop[depth]
    best = count_classes(cases, order, start, stop, nodes.counts[node], 0)
    total = nodes.counts[node].sum()
    nodes.leaf[node], nodes.items[node] = best, total
    nodes.errors[node] = total - nodes.counts[node, best]
    if not keep:
        nodes.kind[node] = LEAF
        if nodes.counts[node, best] >= CLOSE * total or total < 2 * thresholds.min_cases:
            return False
        a = choose(cases, order, scores, thresholds, start, stop, nodes.counts[node])
        if a < 0:
            return False
        nodes.attribute[node], nodes.forks[node] = a, cases.forks[a]
        nodes.kind[node] = NUMERIC if cases.numeric[a] else NOMINAL
        nodes.cut[node] = greatest_value_below(cases, a, scores.bar[a]) if cases.numeric[a] else 0.0
    return _make_branches(cases, order, scores, nodes, frames, depth, total)


@numba.njit(cache=True, error_model="numpy")
def _make_branches(
    cases: TrainingTable, order: Order, scores: Scores, nodes: Nodes, frames: Frames, depth: int, total: Any
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


@numba.njit(cache=True, error_model="numpy")
def _collapse(nodes: Nodes, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are hardly fewer than its own."""
    errors = 0.0
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        errors += nodes.errors[child]
    if errors >= CLOSE * nodes.errors[node]:
        nodes.kind[node] = LEAF
        nodes.used[0] = nodes.child[node]
    else:
        nodes.errors[node] = errors


SLACK = 0.1
LARGE_SHARE = 0.1
NEARLY_ALL = 0.95
BRANCHES, LARGEST, RAISED, DONE = 0, 1, 2, 3


class Estimates(NamedTuple):
    """What is known of each open node: the phase it is in, its errors as a leaf and as a tree.

    `pool` collects the classes of its small branches. `limit` holds CF and the squared normal deviate, `scale`
    the weights that costs give to the cases of each class.
    """

    phase: NDArray[np.int32]
    largest: NDArray[np.int32]
    update: NDArray[np.bool_]
    regrow: NDArray[np.bool_]
    as_leaf: NDArray[np.float64]
    as_tree: NDArray[np.float64]
    pool: NDArray[np.float64]
    counts: NDArray[np.float64]
    limit: NDArray[np.float64]
    scale: NDArray[np.float64]


class Garden(NamedTuple):
    """What growing needs besides cases and nodes."""

    scores: Scores
    thresholds: Thresholds
    frames: Frames


@numba.njit(cache=True, error_model="numpy")
def upper_extra(n: float, e: float, best: int, limit: Any, scale: Any) -> Any:
    """Give the extra errors of a leaf; counts that costs have weighted are unweighted for it."""
    if scale.shape[0] == 0:
        return _extra(n, e, limit)
    right, wrong = (n - e) / scale[best], e / scale[1 - best]
    return scale[1 - best] * _extra(right + wrong, wrong, limit)


@numba.njit(cache=True, error_model="numpy")
def _extra(n: float, e: float, limit: Any) -> Any:
    if n <= 1 and e >= 1e-6:
        return 0.67 * (n - e)
    return extra_errors(n, e, limit)


@numba.njit(cache=True, error_model="numpy")
def prune(
    cases: TrainingTable,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
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


@numba.njit(cache=True, error_model="numpy")
def _begin(
    cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop = frames.node[depth], frames.start[depth], frames.stop[depth]
    best = count_classes(cases, order, start, stop, estimates.counts, 0)
    total = estimates.counts.sum()
    errors = total - estimates.counts[best]
    as_leaf = errors + upper_extra(total, errors, best, estimates.limit, estimates.scale)
    estimates.as_leaf[depth] = as_leaf
    if estimates.update[depth]:
        nodes.items[node], nodes.leaf[node] = total, best
        nodes.counts[node] = estimates.counts
    if nodes.kind[node] == LEAF:
        estimates.as_tree[depth] = nodes.errors[node] = as_leaf
        return True
    known = group_unknown(cases, order, nodes.attribute[node], start, stop)
    frames.known[depth], frames.branch[depth] = known, 0
    frames.known_weight[depth] = weight_between(order, known, stop, False)
    estimates.phase[depth], estimates.as_tree[depth] = BRANCHES, 0.0
    estimates.pool[depth] = 0.0
    return False


@numba.njit(cache=True, error_model="numpy")
def _descend(
    cases: TrainingTable,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
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


@numba.njit(cache=True, error_model="numpy")
def _whole_node_above(frames: Frames, depth: int, node: int) -> None:
    frames.node[depth + 1], frames.unit[depth + 1] = node, frames.unit[depth]
    frames.start[depth + 1], frames.stop[depth + 1] = frames.start[depth], frames.stop[depth]


@numba.njit(cache=True, error_model="numpy")
def _enter_branch(
    cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
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


@numba.njit(cache=True, error_model="numpy")
def _add_pool(estimates: Estimates, depth: int) -> None:
    """Estimate the errors of the small branches together."""
    pool = estimates.pool[depth]
    total = pool.sum()
    if total > 0:
        best = int(np.argmax(pool))
        errors = total - pool[best]
        extra = upper_extra(total, errors, best, estimates.limit, estimates.scale)
        estimates.as_tree[depth] += errors + extra


@numba.njit(cache=True, error_model="numpy")
def _largest_branch(cases: TrainingTable, nodes: Nodes, node: int) -> int:
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


@numba.njit(cache=True, error_model="numpy")
def _receive(
    cases: TrainingTable,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
    garden: Garden,
    depth: int,
) -> None:
    """Take what was found below a node: a branch's estimate, the largest branch's, or the raised branch."""
    node, below, phase = frames.node[depth], estimates.as_tree[depth + 1], estimates.phase[depth]
    if phase == BRANCHES:
        _leave_branch(cases, order, nodes, frames, estimates, garden.thresholds.min_cases, depth, below)
    elif phase == LARGEST:
        _decide(nodes, estimates, node, depth, below)
        if estimates.phase[depth] == RAISED:
            _raise(cases, order, nodes, frames, estimates, garden, depth)
    else:
        estimates.phase[depth] = DONE
        estimates.as_tree[depth] = below


@numba.njit(cache=True, error_model="numpy")
def _leave_branch(
    cases: TrainingTable,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
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


@numba.njit(cache=True, error_model="numpy")
def _decide(nodes: Nodes, estimates: Estimates, node: int, depth: int, as_branch: float) -> None:
    leaf, tree = estimates.as_leaf[depth], estimates.as_tree[depth]
    estimates.phase[depth] = DONE
    if leaf <= as_branch + SLACK and leaf <= tree + SLACK:
        nodes.kind[node] = LEAF
        estimates.as_tree[depth] = leaf
    elif as_branch <= tree + SLACK:
        estimates.phase[depth] = RAISED
    nodes.errors[node] = estimates.as_tree[depth]


@numba.njit(cache=True, error_model="numpy")
def _raise(
    cases: TrainingTable,
    order: Order,
    nodes: Nodes,
    frames: Frames,
    estimates: Estimates,
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
        scores, thresholds = garden.scores, garden.thresholds
        grow(cases, order, scores, thresholds, nodes, garden.frames, node, start, stop, unit)
    estimates.update[depth + 1], estimates.regrow[depth + 1] = True, False
    _whole_node_above(frames, depth, node)


@numba.njit(cache=True, error_model="numpy")
def simplify(nodes: Nodes, base_errors: float, n_cases: float) -> None:
    """Prune by cost complexity; `base_errors` are the tree's errors in the training data.

    Every node must stand before its children.
    """
    allowance = np.sqrt(base_errors * (1 - base_errors / n_cases))
    while allowance > 0:
        errors, leaves = _errors_and_leaves(nodes)
        chosen, spent = _cheapest(nodes, errors, leaves, allowance)
        if not chosen.any() or spent > allowance:
            return
        for node in range(chosen.shape[0]):
            if chosen[node]:
                nodes.kind[node] = LEAF
                allowance -= nodes.items[node] - nodes.counts[node, nodes.leaf[node]] - errors[node]


@numba.njit(cache=True, error_model="numpy")
def _errors_and_leaves(nodes: Nodes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    n = nodes.used[0]
    errors, leaves = np.zeros(n), np.zeros(n, dtype=np.int64)
    for node in range(n - 1, -1, -1):
        if nodes.kind[node] == LEAF:
            if nodes.items[node] > 1e-3:
                errors[node] = nodes.items[node] - nodes.counts[node, nodes.leaf[node]]
                leaves[node] = 1
            continue
        for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
            errors[node] += errors[child]
            leaves[node] += leaves[child]
    return errors, leaves


@numba.njit(cache=True, error_model="numpy")
def _cheapest(nodes: Nodes, errors: Any, leaves: Any, allowance: float) -> tuple[NDArray[np.bool_], float]:
    """Find the subtrees with the least extra errors by leaf; of those within each other the outermost."""
    n = nodes.used[0]
    extra, price = np.full(n, np.inf), np.full(n, np.inf)
    reached, inside = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    reached[0] = True
    for node in range(n):
        if reached[node] and nodes.kind[node] != LEAF:
            extra[node] = nodes.items[node] - nodes.counts[node, nodes.leaf[node]] - errors[node]
            if extra[node] <= allowance and leaves[node] > 1:
                price[node] = extra[node] / (leaves[node] - 1)
            for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
                reached[child] = nodes.items[child] > 0.1
    least, spent = price.min(), 0.0
    chosen = np.zeros(n, dtype=np.bool_)
    for node in range(n):
        if not reached[node] or nodes.kind[node] == LEAF:
            continue
        chosen[node] = not inside[node] and price[node] == least and least < np.inf
        spent += extra[node] if chosen[node] else 0.0
        for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
            inside[child] = inside[node] or chosen[node]
    return chosen, spent
