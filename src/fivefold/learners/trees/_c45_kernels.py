"""The kernels of C4.5 trees, compiled for each precision of counts: `_c45_single` and `_c45_double`.

Ordering cases, choosing tests, growing, pruning, and sending cases down.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees.nodes import GrowthOptions, Nodes, TrainingTable, tree_depth

if not cython.compiled:
    from math import exp, isnan, log, sqrt

    from fivefold.learners.trees.nodes import LEAF, NOMINAL, NUMERIC

    real = np.float64
    BRANCHES, LARGEST, RAISE, RAISED, DONE = 0, 1, 2, 3, 4

Floats = NDArray[Any]
Ints = NDArray[np.int32]

LN2 = log(2.0)
EPSILON = 1e-3
SLACK = 0.1
_TABLE_LIMIT = 1 << 20


class TableViews:
    """The arrays of a `TrainingTable`."""

    def __init__(self, cases: TrainingTable) -> None:
        self.values, self.codes, self.classes, self.numeric = cases[:4]
        self.place, self.forks, self.distinct, self.edges, self.n_classes = cases[4:]


class NodeViews:
    """The arrays of the `Nodes` of a tree that is being made."""

    def __init__(self, nodes: Nodes) -> None:
        self.kind, self.leaf, self.attribute, self.child, self.forks = nodes[:5]
        self.cut, self.items, self.errors, self.counts, self.used = nodes[5:]


class Order:
    """Which case stands at each position, and the fraction of it that is there now."""

    def __init__(self, items: Ints, weights: Floats) -> None:
        self.items, self.weight = items, weights[items]


class Frames:
    """The stack of nodes whose branches are being worked on: one entry for each level of the tree.

    A node has the cases at positions `start` … `stop` - 1, those with unknown values before `known`. They
    are in branch `branch` with `factor` of their weight; `unit` says that all cases weigh 1.
    """

    def __init__(self, depth: int, dtype: Any) -> None:
        self.node, self.start, self.stop, self.known, self.branch = np.zeros((5, depth), dtype=np.int32)
        self.unit = np.zeros(depth, dtype=np.bool_)
        self.known_weight, self.factor = np.zeros((2, depth), dtype=dtype)


class Scores:
    """What evaluates a node: `GrowthOptions`, a table of branch by class, and what each attribute got."""

    def __init__(self, cases: TrainingTable, options: GrowthOptions, dtype: Any) -> None:
        self.min_cases, self.many, self.all_many, self.penalty = options
        n, n_attributes = cases.classes.size, cases.forks.size
        rows = max(4, int(cases.forks.max()) + 1)
        self.frequency = np.empty((rows, cases.n_classes), dtype=dtype)
        self.sizes = np.empty(rows, dtype=dtype)
        self.keys, self.trial_gain = np.empty((2, n), dtype=dtype)
        self.trial_at = np.empty(n, dtype=np.int32)
        self.gain, self.info, self.bar = np.zeros((3, n_attributes), dtype=dtype)
        self.tested = np.zeros(n_attributes, dtype=np.bool_)
        self.n_log_n = np.zeros(min(n + 1, _TABLE_LIMIT))
        fill_n_log_n(self)


class Estimates:
    """What is known of each open node: the phase it is in, its errors as a leaf and as a tree.

    `counts` is one row of class counts to work with; `limit` holds CF and the squared normal deviate.
    """

    def __init__(self, depth: int, n_classes: int, limit: Floats) -> None:
        self.phase, self.largest = np.zeros((2, depth), dtype=np.int32)
        self.update = np.zeros(depth, dtype=np.bool_)
        self.largest_factor, self.as_leaf, self.as_tree = np.zeros((3, depth), dtype=limit.dtype)
        self.counts, self.limit = np.zeros((1, n_classes), dtype=limit.dtype), limit


class Descent:
    """What cases need of a tree on their way down, and their attributes, in full precision."""

    def __init__(self, nodes: Nodes, values: NDArray[np.float64], codes: Ints, place: Ints) -> None:
        self.kind, _, self.attribute, self.child, self.forks, self.cut, self.items = nodes[:7]
        self.values, self.codes, self.place = values, codes, place


class ClassWeights:
    """The class weights of each case, and room for the nodes where parts of a case wait.

    The class probabilities of a leaf are its row of `shares` divided by its `wholes`.
    """

    def __init__(self, sums: Floats, shares: Floats, wholes: Floats) -> None:
        self.sums, self.shares, self.wholes = sums, shares, wholes
        self.waiting = np.empty(wholes.size + 1, dtype=np.int32)
        self.parts = np.empty(wholes.size + 1, dtype=wholes.dtype)


def exchange(order: Order, a: int, b: int) -> None:
    """Exchange the cases at positions a and b with their weights."""
    order.items[a], order.items[b] = order.items[b], order.items[a]
    order.weight[a], order.weight[b] = order.weight[b], order.weight[a]


def weight_between(order: Order, start: int, stop: int, unit: bool) -> Any:
    """Give the weight of the cases at positions start … stop - 1; `unit` says that each weighs 1."""
    if unit:
        return real(stop - start)
    total = real(0)
    for i in range(start, stop):
        total = real(total + order.weight[i])
    return total


def group_unknown(cases: TableViews, order: Order, a: int, start: int, stop: int) -> int:
    """Bring the cases that no branch of a test on `a` takes to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        if cases.forks[a] == 3:
            return end
        for i in range(start, stop):
            if isnan(cases.values[row, order.items[i]]):
                exchange(order, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, order.items[i]] == 0:
                exchange(order, end, i)
                end += 1
    return end


def group_branch(cases: TableViews, order: Order, a: int, cut: float, v: int, start: int, stop: int) -> int:
    """Bring the cases of branch `v` of a test on `a` to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        for i in range(start, stop):
            value = cases.values[row, order.items[i]]
            if value <= cut if v == 1 else (value > cut if v == 2 else isnan(value)):
                exchange(order, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, order.items[i]] == v:
                exchange(order, end, i)
                end += 1
    return end


def sort_by_key(scores: Scores, order: Order, start: int, stop: int) -> None:
    """Sort positions start … stop - 1 by their keys, which are moved along with the cases."""
    lows: Any = cython.declare(cython.Py_ssize_t[64])
    highs: Any = cython.declare(cython.Py_ssize_t[64])
    lows[0], highs[0], depth = start, stop - 1, 1
    budget = 64 * (stop - start) + 1_000_000
    while depth:
        depth -= 1
        low, high = lows[depth], highs[depth]
        while low < high:
            budget -= high - low
            if budget < 0:
                _sort_by_heap(scores, order, low, high)
                break
            lower, middle = _partition(scores, order, low, high)
            # The longer side waits, so that the stack never holds more than lg n sides.
            if lower - low < high - middle - 1:
                lows[depth], highs[depth] = middle + 1, high
                high = lower
            else:
                lows[depth], highs[depth] = low, lower
                low = middle + 1
            depth += 1


def _swap(scores: Scores, order: Order, a: int, b: int) -> None:
    scores.keys[a], scores.keys[b] = scores.keys[b], scores.keys[a]
    exchange(order, a, b)


def _partition(scores: Scores, order: Order, low: int, high: int) -> tuple[int, int]:
    pivot = scores.keys[high]
    middle = low
    for i in range(low, high):
        if scores.keys[i] <= pivot:
            _swap(scores, order, middle, i)
            middle += 1
    lower = middle - 1
    for i in range(lower, low - 1, -1):
        if scores.keys[i] == pivot:
            _swap(scores, order, lower, i)
            lower -= 1
    _swap(scores, order, middle, high)
    return lower, middle


def _sort_by_heap(scores: Scores, order: Order, low: int, high: int) -> None:
    n = high - low + 1
    for root in range(n // 2 - 1, -1, -1):
        _sift_down(scores, order, low, root, n)
    for last in range(n - 1, 0, -1):
        _swap(scores, order, low, low + last)
        _sift_down(scores, order, low, 0, last)


def _sift_down(scores: Scores, order: Order, low: int, root: int, n: int) -> None:
    child = 2 * root + 1
    while child < n:
        if child + 1 < n and scores.keys[low + child] < scores.keys[low + child + 1]:
            child += 1
        if scores.keys[low + root] >= scores.keys[low + child]:
            return
        _swap(scores, order, low + root, low + child)
        root, child = child, 2 * child + 1


def n_log_n(n: float, scores: Scores) -> float:
    """Give n lg n, from the table where n is a whole number that it holds."""
    if n <= 0:
        return 0.0
    whole = int(n)
    if whole == n and whole < scores.n_log_n.shape[0]:
        return scores.n_log_n[whole]
    return n * (log(n) / LN2)


def fill_n_log_n(scores: Scores) -> None:
    """Tabulate n lg n for n = 1, 2, …"""
    for n in range(1, scores.n_log_n.shape[0]):
        scores.n_log_n[n] = n * (log(n) / LN2)


def class_information(scores: Scores, v: int) -> Any:
    """Give the information of row `v` of the value by class table: N lg N - sum of n lg n."""
    terms, total = real(0), real(0)
    for c in range(scores.frequency.shape[1]):
        n = scores.frequency[v, c]
        terms = real(terms + n_log_n(n, scores))
        total = real(total + n)
    return real(n_log_n(total, scores) - terms)


def branch_information(scores: Scores, rows: int) -> Any:
    """Give the information of the first `rows` branch sizes: N lg N - sum of n lg n."""
    terms, total = real(0), real(0)
    for v in range(rows):
        n = scores.sizes[v]
        terms = real(terms + n_log_n(n, scores))
        total = real(total + n)
    return real(n_log_n(total, scores) - terms)


def known_base_information(scores: Scores, rows: int, known: Any) -> Any:
    """Give the mean class information of the cases in rows 1 … rows - 1 of the value by class table."""
    terms = 0.0
    for c in range(scores.frequency.shape[1]):
        n = real(0)
        for v in range(1, rows):
            n = real(n + scores.frequency[v, c])
        terms += n_log_n(n, scores)
    return real((n_log_n(known, scores) - terms) / known)


def information_gain(scores: Scores, rows: int, base: Any, unknown_rate: Any, known: Any) -> Any:
    """Give (1 - unknown rate) (base - mean information of rows 1 … rows - 1 of the value by class table)."""
    after = real(0)
    for v in range(1, rows):
        after = real(after + class_information(scores, v))
    return real(real(real(1) - unknown_rate) * real(base - real(after / known)))


def enough_branches(scores: Scores, rows: int) -> bool:
    """Tell whether at least two of the branches 1 … rows - 1 hold enough cases."""
    large = 0
    for v in range(1, rows):
        if scores.sizes[v] >= scores.min_cases:
            large += 1
    return large >= 2


def clear_frequency(scores: Scores, rows: int) -> None:
    """Set the first rows of the value by class table to 0."""
    for v in range(rows):
        for c in range(scores.frequency.shape[1]):
            scores.frequency[v, c] = 0


def choose(
    cases: TableViews,
    order: Order,
    scores: Scores,
    start: int,
    stop: int,
    total: Any,
    unit: bool,
) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none."""
    possible, average = 0, real(0)
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -EPSILON
        if cases.numeric[a]:
            _score_numeric(cases, order, scores, a, start, stop, unit)
        elif not scores.tested[a]:
            _score_nominal(cases, order, scores, a, start, stop, total, unit)
        few = cases.numeric[a] or cases.forks[a] < scores.many
        if scores.gain[a] > -EPSILON and (few or scores.all_many):
            possible += 1
            average = real(average + scores.gain[a])
    return _best_ratio(scores, real(average / real(possible)) if possible else real(1e6))


def _best_ratio(scores: Scores, average: Any) -> int:
    best, best_worth = -1, real(-EPSILON)
    for a in range(scores.gain.shape[0]):
        gain, info = scores.gain[a], scores.info[a]
        if gain > -EPSILON and gain >= average - EPSILON and info > EPSILON:
            worth = real(gain / info)
            if worth > best_worth:
                best, best_worth = a, worth
    return best


def _score_nominal(
    cases: TableViews,
    order: Order,
    scores: Scores,
    a: int,
    start: int,
    stop: int,
    total: Any,
    unit: bool,
) -> None:
    forks, row = cases.forks[a], cases.place[a]
    clear_frequency(scores, forks + 1)
    for i in range(start, stop):
        item = order.items[i]
        scores.frequency[cases.codes[row, item], cases.classes[item]] += order.weight[i]
    for v in range(forks + 1):
        scores.sizes[v] = 0
        for c in range(cases.n_classes):
            scores.sizes[v] += scores.frequency[v, c]
    if total <= scores.sizes[0]:
        return
    known = real(total - scores.sizes[0])
    if enough_branches(scores, forks + 1):
        unknown_rate = real(scores.sizes[0] / weight_between(order, start, stop, unit))
        base = known_base_information(scores, forks + 1, known)
        scores.gain[a] = information_gain(scores, forks + 1, base, unknown_rate, known)
        scores.info[a] = real(branch_information(scores, forks + 1) / total)


def _score_numeric(
    cases: TableViews,
    order: Order,
    scores: Scores,
    a: int,
    start: int,
    stop: int,
    unit: bool,
) -> None:
    total = weight_between(order, start, stop, unit)
    clear_frequency(scores, 4)
    first = _unknown_to_front(cases, order, scores, a, start, stop)
    scores.sizes[0] = 0
    for c in range(cases.n_classes):
        scores.sizes[0] += scores.frequency[0, c]
    known = real(total - scores.sizes[0])
    if known < 2 * scores.min_cases:
        return
    sort_by_key(scores, order, first, stop)
    for i in range(first, stop):
        scores.frequency[2, cases.classes[order.items[i]]] += order.weight[i]
    if cases.forks[a] == 3:
        # Unknown is an outcome like the others: it counts in the base and after the test.
        for c in range(cases.n_classes):
            scores.frequency[3, c] = scores.frequency[0, c]
        unknown_rate, among = real(0), total
        base = known_base_information(scores, 4, total)
    else:
        unknown_rate, among = real(1.0 - real(known / total)), known
        base = real(class_information(scores, 2) / known)
    forks = cases.forks[a]
    tries = _try_cuts(cases, order, scores, forks, first, stop, known, among, base, unknown_rate)
    trials = tries
    if scores.penalty != 1:
        trials = _distinct_keys(scores, first, stop) - 1 if scores.penalty == 2 else 0
    _keep_best_cut(scores, order, a, tries, trials, first, known, total)


def _unknown_to_front(cases: TableViews, order: Order, scores: Scores, a: int, start: int, stop: int) -> int:
    row = cases.place[a]
    first = start
    for i in range(start, stop):
        item = order.items[i]
        value = cases.values[row, item]
        if isnan(value):
            scores.frequency[0, cases.classes[item]] += order.weight[i]
            exchange(order, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
    return first


def _try_cuts(
    cases: TableViews,
    order: Order,
    scores: Scores,
    forks: int,
    first: int,
    stop: int,
    known: Any,
    among: Any,
    base: Any,
    unknown_rate: Any,
) -> int:
    smallest = _smallest_side(known, cases.n_classes, scores.min_cases)
    greatest = real(known - smallest)
    tries, low = 0, real(0)
    for i in range(first, stop - 1):
        c = cases.classes[order.items[i]]
        low = real(low + order.weight[i])
        scores.frequency[1, c] += order.weight[i]
        scores.frequency[2, c] -= order.weight[i]
        if low < smallest:
            continue
        if low > greatest:
            break
        if scores.keys[i] < scores.keys[i + 1] - 1e-5:
            gain = real(-EPSILON)
            if low >= scores.min_cases and real(known - low) >= scores.min_cases:
                gain = information_gain(scores, forks + 1, base, unknown_rate, among)
            scores.trial_gain[tries], scores.trial_at[tries] = gain, i
            tries += 1
    return tries


def _smallest_side(known: Any, n_classes: int, min_cases: float) -> Any:
    side = real(0.10 * known / n_classes)
    if side <= min_cases:
        return real(min_cases)
    return real(25) if side > 25 else side


def _distinct_keys(scores: Scores, first: int, stop: int) -> int:
    different = 1
    for i in range(first + 1, stop):
        if scores.keys[i] > scores.keys[i - 1]:
            different += 1
    return different


def _keep_best_cut(
    scores: Scores, order: Order, a: int, tries: int, trials: int, first: int, known: Any, total: Any
) -> None:
    penalty = real(log(trials) / LN2 / total) if trials > 0 else real(0)
    best, best_value = -1, real(0)
    for t in range(tries):
        value = real(scores.trial_gain[t] - penalty)
        if value > best_value:
            best, best_value = t, value
    if best < 0:
        return
    at = scores.trial_at[best]
    scores.gain[a] = best_value
    scores.bar[a] = real(real(scores.keys[at] + scores.keys[at + 1]) / real(2))
    if scores.bar[a] < scores.keys[at] or scores.bar[a] > scores.keys[at + 1]:
        scores.bar[a] = scores.keys[at]  # the sum was beyond the largest number
    scores.sizes[1] = weight_between(order, first, at + 1, False)
    scores.sizes[2] = known - scores.sizes[1]
    scores.info[a] = real(branch_information(scores, 3) / total)


def grow_all(
    cases: TableViews,
    order: Order,
    scores: Scores,
    nodes: NodeViews,
    frames: Frames,
    unit: bool,
) -> None:
    """Grow the tree of all cases into `nodes`; `unit` says that each case weighs 1."""
    nodes.used[0] = 1
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = 0, 0, order.items.shape[0], unit
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered and _open(cases, order, scores, nodes, frames, depth + 1):
            depth += 1
        elif nodes.used[0] < 0:
            return
        elif depth >= 0:
            leave_branch(cases, order, nodes, frames, depth)
        entered = depth >= 0 and enter_branch(cases, order, nodes, frames, depth)
        if depth >= 0 and not entered:
            scores.tested[nodes.attribute[frames.node[depth]]] = False
            _collapse(nodes, frames.node[depth])
            depth -= 1


def _open(
    cases: TableViews,
    order: Order,
    scores: Scores,
    nodes: NodeViews,
    frames: Frames,
    depth: int,
) -> bool:
    """Describe the node of a frame and choose its test; tell whether it has one."""
    node, start, stop, unit = frames.node[depth], frames.start[depth], frames.stop[depth], frames.unit[depth]
    total = weight_between(order, start, stop, unit)
    best = count_classes(cases, order, start, stop, nodes.counts, node, 0)
    nodes.kind[node], nodes.leaf[node], nodes.items[node] = LEAF, best, total
    nodes.errors[node] = total - nodes.counts[node, best]
    if nodes.counts[node, best] == total or total < 2 * scores.min_cases:
        return False
    a = choose(cases, order, scores, start, stop, total, unit)
    if a < 0:
        return False
    nodes.attribute[node], nodes.forks[node] = a, cases.forks[a]
    nodes.child[node] = nodes.used[0]
    if nodes.used[0] + cases.forks[a] > nodes.kind.shape[0]:
        nodes.used[0] = -1
        return False
    nodes.used[0] += cases.forks[a]
    nodes.kind[node] = NUMERIC if cases.numeric[a] else NOMINAL
    if cases.numeric[a]:
        nodes.cut[node] = greatest_value_below(cases, a, scores.bar[a])
    scores.tested[a] = not cases.numeric[a]
    divide(cases, order, a, frames, depth, total)
    return True


def divide(cases: TableViews, order: Order, a: int, frames: Frames, depth: int, total: Any) -> None:
    """Set the cases with unknown values of `a` apart in a frame, and weigh the others."""
    start = frames.start[depth]
    known = group_unknown(cases, order, a, start, frames.stop[depth])
    frames.known[depth], frames.branch[depth] = known, 0
    unit = frames.unit[depth] and known == start
    frames.known_weight[depth] = total - weight_between(order, start, known, unit)


def count_classes(
    cases: TableViews, order: Order, start: int, stop: int, counts: Floats, row: int, favourite: int
) -> int:
    """Count the classes of the cases at start … stop - 1; give the commonest, `favourite` in a tie."""
    for c in range(counts.shape[1]):
        counts[row, c] = 0
    for i in range(start, stop):
        counts[row, cases.classes[order.items[i]]] += order.weight[i]
    best = favourite
    for c in range(counts.shape[1]):
        if counts[row, c] > counts[row, best]:
            best = c
    return best


def copy_row(source: Floats, row: int, target: Floats, at: int) -> None:
    """Copy a row of class counts."""
    for c in range(source.shape[1]):
        target[at, c] = source[row, c]


def greatest_value_below(cases: TableViews, a: int, bar: Any) -> Any:
    """Give the greatest value of a numeric attribute in all training data that is at most `bar`."""
    row = cases.place[a]
    low, high = cases.edges[row], cases.edges[row + 1]
    while low < high:
        middle = (low + high) // 2
        if cases.distinct[middle] <= bar:
            low = middle + 1
        else:
            high = middle
    return cases.distinct[low - 1]


def enter_branch(cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, depth: int) -> bool:
    """Set up the next branch that has cases as the frame above; tell whether there is one."""
    node, start, known = frames.node[depth], frames.start[depth], frames.known[depth]
    unit = frames.unit[depth] and known == start
    a, cut = nodes.attribute[node], nodes.cut[node]
    while frames.branch[depth] < nodes.forks[node]:
        frames.branch[depth] += 1
        child = nodes.child[node] + frames.branch[depth] - 1
        end = group_branch(cases, order, a, cut, frames.branch[depth], known, frames.stop[depth])
        if end == known:
            _empty_leaf(nodes, node, child)
            continue
        frames.factor[depth] = weight_between(order, known, end, unit) / frames.known_weight[depth]
        for i in range(start, known):
            order.weight[i] *= frames.factor[depth]
        frames.node[depth + 1], frames.unit[depth + 1] = child, unit
        frames.start[depth + 1], frames.stop[depth + 1] = start, end
        return True
    return False


def _empty_leaf(nodes: NodeViews, parent: int, child: int) -> None:
    nodes.kind[child], nodes.leaf[child] = LEAF, nodes.leaf[parent]
    nodes.items[child], nodes.errors[child] = 0, 0
    copy_row(nodes.counts, parent, nodes.counts, child)


def leave_branch(cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, depth: int) -> None:
    """Give the cases with unknown values back the weight that they had before the branch."""
    start, known = frames.start[depth], frames.known[depth]
    if known > start:
        group_unknown(cases, order, nodes.attribute[frames.node[depth]], start, frames.stop[depth + 1])
        for i in range(start, known):
            order.weight[i] /= frames.factor[depth]


def _collapse(nodes: NodeViews, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are no fewer than its own."""
    as_leaf, errors = nodes.errors[node], real(0)
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        errors = real(errors + nodes.errors[child])
    nodes.errors[node] = errors
    if errors >= as_leaf - EPSILON:
        nodes.kind[node] = LEAF
        nodes.used[0] = nodes.child[node]


def extra_errors(n: Any, e: Any, limit: Floats) -> Any:
    """Give the errors to add to `e` errors in `n` cases for the upper limit at the confidence level."""
    if e >= 0.9999:
        return _extra_beyond_one(n, e, limit)
    none = real(n * (1 - exp(log(limit[0]) / n)))
    if e < 1e-6:
        return none
    single = _extra_beyond_one(n, real(1), limit)
    return real(none + real(e * real(single - none)))


def _extra_beyond_one(n: Any, e: Any, limit: Floats) -> Any:
    z2 = limit[1]
    h = e + 0.5
    if h >= n:
        return real(0.67 * (n - e))
    p = real((h + z2 / 2 + sqrt(z2 * (h * (1 - h / n) + z2 / 4))) / (n + z2))
    return real(real(n * p) - e)


def prune_all(
    cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, estimates: Estimates, unit: bool
) -> None:
    """Prune the tree in place, on all cases; `unit` says that each case weighs 1."""
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = 0, 0, order.items.shape[0], unit
    estimates.update[0] = True
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered:
            depth += 1
            if not _begin(cases, order, nodes, frames, estimates, depth):
                entered = _descend(cases, order, nodes, frames, estimates, depth)
                continue
        depth -= 1
        entered = False
        if depth >= 0:
            _receive(cases, order, nodes, frames, estimates, depth)
            entered = _descend(cases, order, nodes, frames, estimates, depth)


def _begin(
    cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop, unit = frames.node[depth], frames.start[depth], frames.stop[depth], frames.unit[depth]
    total = weight_between(order, start, stop, unit)
    best = count_classes(cases, order, start, stop, estimates.counts, 0, nodes.leaf[node])
    errors = real(total - estimates.counts[0, best])
    estimates.as_leaf[depth] = errors + extra_errors(total, errors, estimates.limit)
    if estimates.update[depth]:
        nodes.items[node], nodes.leaf[node] = total, best
        copy_row(estimates.counts, 0, nodes.counts, node)
        nodes.errors[node] = estimates.as_leaf[depth]
    if nodes.kind[node] == LEAF:
        estimates.as_tree[depth] = estimates.as_leaf[depth]
        return True
    known = group_unknown(cases, order, nodes.attribute[node], start, stop)
    frames.known[depth], frames.branch[depth] = known, 0
    frames.known_weight[depth] = weight_between(order, known, stop, unit)
    estimates.phase[depth], estimates.as_tree[depth] = BRANCHES, 0
    estimates.largest[depth], estimates.largest_factor[depth] = -1, 0
    return False


def _descend(
    cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    """Set up what is to be estimated next below a node as the frame above; tell whether there is anything."""
    phase, update = estimates.phase[depth], estimates.update[depth]
    if phase == BRANCHES:
        if _enter_branch(cases, order, nodes, frames, estimates, depth):
            return True
        if not update:
            return False
        if estimates.largest[depth] < 0:
            _make_leaf(nodes, estimates, frames.node[depth], depth)
            return False
        estimates.phase[depth] = LARGEST
    elif phase == RAISE:
        estimates.phase[depth] = RAISED
    else:
        return False
    estimates.update[depth + 1] = phase == RAISE
    frames.node[depth + 1], frames.unit[depth + 1] = estimates.largest[depth], frames.unit[depth]
    frames.start[depth + 1], frames.stop[depth + 1] = frames.start[depth], frames.stop[depth]
    return True


def _enter_branch(
    cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    node, start, known = frames.node[depth], frames.start[depth], frames.known[depth]
    unit = frames.unit[depth] and known == start
    while frames.branch[depth] < nodes.forks[node]:
        frames.branch[depth] += 1
        v, a, cut = frames.branch[depth], nodes.attribute[node], nodes.cut[node]
        end = group_branch(cases, order, a, cut, v, known, frames.stop[depth])
        if end == known:
            continue
        frames.factor[depth] = weight_between(order, known, end, unit) / frames.known_weight[depth]
        child = nodes.child[node] + v - 1
        if frames.factor[depth] >= estimates.largest_factor[depth]:
            estimates.largest[depth], estimates.largest_factor[depth] = child, frames.factor[depth]
        for i in range(start, known):
            order.weight[i] *= frames.factor[depth]
        frames.node[depth + 1], frames.unit[depth + 1] = child, unit
        frames.start[depth + 1], frames.stop[depth + 1] = start, end
        estimates.update[depth + 1] = estimates.update[depth]
        return True
    return False


def _receive(
    cases: TableViews, order: Order, nodes: NodeViews, frames: Frames, estimates: Estimates, depth: int
) -> None:
    """Take what was found below a node: a branch's estimate, the largest branch's, or the raised branch."""
    node, below, phase = frames.node[depth], estimates.as_tree[depth + 1], estimates.phase[depth]
    if phase == BRANCHES:
        estimates.as_tree[depth] += below
        start, known = frames.start[depth], frames.known[depth]
        if known > start:
            group_unknown(cases, order, nodes.attribute[node], start, frames.stop[depth + 1])
            for i in range(start, known):
                order.weight[i] /= frames.factor[depth]
    elif phase == LARGEST:
        leaf, tree = estimates.as_leaf[depth], estimates.as_tree[depth] + SLACK
        estimates.phase[depth] = DONE
        if leaf <= below + SLACK and leaf <= tree:
            _make_leaf(nodes, estimates, node, depth)
        elif below <= tree:
            estimates.phase[depth] = RAISE
        else:
            nodes.errors[node] = estimates.as_tree[depth]
    elif phase == RAISED:
        estimates.phase[depth] = DONE
        estimates.as_tree[depth] = below
        _copy_node(nodes, estimates.largest[depth], node)


def _make_leaf(nodes: NodeViews, estimates: Estimates, node: int, depth: int) -> None:
    nodes.kind[node] = LEAF
    nodes.errors[node] = estimates.as_tree[depth] = estimates.as_leaf[depth]


def _copy_node(nodes: NodeViews, source: int, target: int) -> None:
    nodes.kind[target], nodes.leaf[target] = nodes.kind[source], nodes.leaf[source]
    nodes.attribute[target], nodes.cut[target] = nodes.attribute[source], nodes.cut[source]
    nodes.child[target], nodes.forks[target] = nodes.child[source], nodes.forks[source]
    nodes.items[target], nodes.errors[target] = nodes.items[source], nodes.errors[source]
    copy_row(nodes.counts, source, nodes.counts, target)


def list_reachable(nodes: NodeViews, listed: Ints, child: Ints) -> int:
    """List the nodes that pruning left and where in the list the children of each begin; give their number."""
    n_listed = 1
    with cython.nogil:
        for place in range(listed.shape[0]):
            if place == n_listed:
                break
            node = listed[place]
            if nodes.kind[node] != LEAF:
                child[place] = n_listed
                for v in range(nodes.forks[node]):
                    listed[n_listed] = nodes.child[node] + v
                    n_listed += 1
    return n_listed


def branch_of(tree: Descent, node: int, i: int) -> int:
    """Give the branch, counted from 1, that case `i` takes at a node; 0 where its value is unknown."""
    at = tree.place[tree.attribute[node]]
    if tree.kind[node] != NUMERIC:
        v = tree.codes[at, i]
        return v if v <= tree.forks[node] else 0
    value = tree.values[at, i]
    if isnan(value):
        return 3 if tree.forks[node] == 3 else 0
    return 1 if value <= tree.cut[node] else 2


def add_class_weights(tree: Descent, weights: ClassWeights) -> None:
    """Add each case's class weights; a case with an unknown value goes down every branch in part."""
    for i in range(weights.sums.shape[0]):
        weights.waiting[0], weights.parts[0], depth = 0, real(1), 1
        while depth:
            depth -= 1
            node, part = weights.waiting[depth], weights.parts[depth]
            while tree.kind[node] != LEAF:
                v = branch_of(tree, node, i)
                if v == 0:
                    break
                node = tree.child[node] + v - 1
            if tree.kind[node] == LEAF:
                for c in range(weights.sums.shape[1]):
                    weights.sums[i, c] += real(part * weights.shares[node, c]) / weights.wholes[node]
                continue
            for v in range(tree.forks[node], 0, -1):
                child = tree.child[node] + v - 1
                if tree.items[child] > 0:
                    weights.waiting[depth] = child
                    weights.parts[depth] = real(part * tree.items[child]) / tree.items[node]
                    depth += 1


def find_leaves(tree: Descent, leaves: Ints) -> None:
    """Write the leaf that each case reaches, or -1 where a test on an unknown value stops it."""
    with cython.nogil:
        for i in range(leaves.shape[0]):
            node = 0
            while node >= 0 and tree.kind[node] != LEAF:
                v = branch_of(tree, node, i)
                node = tree.child[node] + v - 1 if v else -1
            leaves[i] = node


# What Python calls.


def grow(cases: TrainingTable, items: Ints, weights: Floats, options: GrowthOptions, nodes: Nodes) -> None:
    """Grow the tree of all cases into `nodes`; `items` is the order of the cases, and is changed."""
    table, order, scores = TableViews(cases), Order(items, weights), Scores(cases, options, weights.dtype)
    tree, frames = NodeViews(nodes), Frames(tree_depth(cases), weights.dtype)
    unit = cython.declare(cython.bint, (weights == 1).all())
    with cython.nogil:
        grow_all(table, order, scores, tree, frames, unit)


def prune(cases: TrainingTable, items: Ints, weights: Floats, nodes: Nodes, limit: Floats) -> None:
    """Prune the tree in place, on all cases in the order `items`, which is changed."""
    depth = tree_depth(cases)
    table, order, tree = TableViews(cases), Order(items, weights), NodeViews(nodes)
    frames, estimates = Frames(depth, weights.dtype), Estimates(depth, cases.n_classes, limit)
    unit = cython.declare(cython.bint, (weights == 1).all())
    with cython.nogil:
        prune_all(table, order, tree, frames, estimates, unit)


def reachable(nodes: Nodes) -> tuple[Ints, Ints]:
    """List the nodes that pruning left, level by level, and where in the list the children of each begin."""
    listed, child = np.zeros((2, nodes.used[0]), dtype=np.int32)
    n_listed = list_reachable(NodeViews(nodes), listed, child)
    return listed[:n_listed], child[:n_listed]


def class_weights(
    nodes: Nodes,
    shares: Floats,
    wholes: Floats,
    values: NDArray[np.float64],
    codes: Ints,
    place: Ints,
    n: int,
) -> Floats:
    """Give each case's class weights; see `add_class_weights` and `ClassWeights`."""
    sums = np.zeros((n, shares.shape[1]), dtype=shares.dtype)
    tree, weights = Descent(nodes, values, codes, place), ClassWeights(sums, shares, wholes)
    with cython.nogil:
        add_class_weights(tree, weights)
    return sums


def leaves_reached(nodes: Nodes, values: NDArray[np.float64], codes: Ints, place: Ints, n: int) -> Ints:
    """Give the leaf that each case reaches, or -1 where a test on an unknown value stops it."""
    leaves = np.empty(n, dtype=np.int32)
    find_leaves(Descent(nodes, values, codes, place), leaves)
    return leaves
