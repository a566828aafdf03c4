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


class CaseViews:
    """The arrays of a `TrainingTable`, which case stands at each position, and the fraction of it there now.

    `unit` says that each case weighs 1.
    """

    def __init__(self, cases: TrainingTable, items: Ints, weights: Floats) -> None:
        self.values, self.codes, self.classes, self.numeric = cases[:4]
        self.place, self.forks, self.distinct, self.edges, self.n_classes = cases[4:]
        self.items, self.weight, self.unit = items, weights[items], (weights == 1).all()


class Tree:
    """The `Nodes` of a tree that is being made, and the stack of those whose branches are being worked on.

    A node on the stack has the cases at positions `start` … `stop` - 1, those with unknown values before
    `known`. They are in branch `branch` with `factor` of their weight; `unit` says that all cases weigh 1.
    """

    def __init__(self, nodes: Nodes, depth: int) -> None:
        self.kind, self.leaf, self.attribute, self.child, self.forks = nodes[:5]
        self.cut, self.items, self.errors, self.counts, self.used = nodes[5:]
        self.node, self.start, self.stop, self.known, self.branch = np.zeros((5, depth), dtype=np.int32)
        self.unit = np.zeros(depth, dtype=np.bool_)
        self.known_weight, self.factor = np.zeros((2, depth), dtype=nodes.items.dtype)


class Scores:
    """What evaluates a node: `GrowthOptions`, a table of branch by class, and what each attribute got.

    A test is measured against the information `base` of the `known` cases, and by the rate of the others.
    """

    def __init__(self, cases: TrainingTable, options: GrowthOptions) -> None:
        self.min_cases, self.many, self.all_many, self.penalty = options[:4]
        self.average_weight, self.code_weight = options[4:]
        n, n_attributes, dtype = cases.classes.size, cases.forks.size, cases.values.dtype
        rows = max(4, int(cases.forks.max()) + 1)
        self.frequency = np.empty((rows, cases.n_classes), dtype=dtype)
        self.sizes = np.empty(rows, dtype=dtype)
        self.keys, self.trial_gain = np.empty((2, n), dtype=dtype)
        self.trial_at = np.empty(n, dtype=np.int32)
        self.gain, self.info, self.bar = np.zeros((3, n_attributes), dtype=dtype)
        self.tested = np.zeros(n_attributes, dtype=np.bool_)
        self.base = self.known = self.unknown_rate = 0.0
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

    def __init__(self, nodes: Nodes, values: Floats, codes: Ints, place: Ints) -> None:
        self.kind, _, self.attribute, self.child, self.forks, self.cut, self.items = nodes[:7]
        self.values, self.codes, self.place = values, codes, place


def exchange(cases: CaseViews, a: int, b: int) -> None:
    """Exchange the cases at positions a and b with their weights."""
    cases.items[a], cases.items[b] = cases.items[b], cases.items[a]
    cases.weight[a], cases.weight[b] = cases.weight[b], cases.weight[a]


def weight_between(cases: CaseViews, start: int, stop: int, unit: bool) -> Any:
    """Give the weight of the cases at positions start … stop - 1; `unit` says that each weighs 1."""
    if unit:
        return real(stop - start)
    total = real(0)
    for i in range(start, stop):
        total = real(total + cases.weight[i])
    return total


def group_unknown(cases: CaseViews, a: int, start: int, stop: int) -> int:
    """Bring the cases that no branch of a test on `a` takes to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        if cases.forks[a] == 3:
            return end
        for i in range(start, stop):
            if isnan(cases.values[row, cases.items[i]]):
                exchange(cases, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, cases.items[i]] == 0:
                exchange(cases, end, i)
                end += 1
    return end


def group_branch(cases: CaseViews, a: int, cut: float, v: int, start: int, stop: int) -> int:
    """Bring the cases of branch `v` of a test on `a` to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        for i in range(start, stop):
            value = cases.values[row, cases.items[i]]
            if value <= cut if v == 1 else (value > cut if v == 2 else isnan(value)):
                exchange(cases, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, cases.items[i]] == v:
                exchange(cases, end, i)
                end += 1
    return end


def sort_by_key(scores: Scores, cases: CaseViews, start: int, stop: int) -> None:
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
                _sort_by_heap(scores, cases, low, high)
                break
            lower, middle = _partition(scores, cases, low, high)
            # The longer side waits, so that the stack never holds more than lg n sides.
            if lower - low < high - middle - 1:
                lows[depth], highs[depth] = middle + 1, high
                high = lower
            else:
                lows[depth], highs[depth] = low, lower
                low = middle + 1
            depth += 1


def _swap(scores: Scores, cases: CaseViews, a: int, b: int) -> None:
    scores.keys[a], scores.keys[b] = scores.keys[b], scores.keys[a]
    exchange(cases, a, b)


def _partition(scores: Scores, cases: CaseViews, low: int, high: int) -> tuple[int, int]:
    pivot = scores.keys[high]
    middle = low
    for i in range(low, high):
        if scores.keys[i] <= pivot:
            _swap(scores, cases, middle, i)
            middle += 1
    lower = middle - 1
    for i in range(lower, low - 1, -1):
        if scores.keys[i] == pivot:
            _swap(scores, cases, lower, i)
            lower -= 1
    _swap(scores, cases, middle, high)
    return lower, middle


def _sort_by_heap(scores: Scores, cases: CaseViews, low: int, high: int) -> None:
    n = high - low + 1
    for root in range(n // 2 - 1, -1, -1):
        _sift_down(scores, cases, low, root, n)
    for last in range(n - 1, 0, -1):
        _swap(scores, cases, low, low + last)
        _sift_down(scores, cases, low, 0, last)


def _sift_down(scores: Scores, cases: CaseViews, low: int, root: int, n: int) -> None:
    child = 2 * root + 1
    while child < n:
        if child + 1 < n and scores.keys[low + child] < scores.keys[low + child + 1]:
            child += 1
        if scores.keys[low + root] >= scores.keys[low + child]:
            return
        _swap(scores, cases, low + root, low + child)
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


def information_gain(scores: Scores, rows: int) -> Any:
    """Give (1 - unknown rate) (base - mean information of rows 1 … rows - 1 of the value by class table)."""
    after = real(0)
    for v in range(1, rows):
        after = real(after + class_information(scores, v))
    return real(real(real(1) - scores.unknown_rate) * real(scores.base - real(after / scores.known)))


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


def clear_row(counts: Floats, row: int) -> None:
    """Set a row of class counts to 0."""
    for c in range(counts.shape[1]):
        counts[row, c] = 0


def row_sum(counts: Floats, row: int) -> Any:
    """Sum the class counts of a row."""
    total = real(0)
    for c in range(counts.shape[1]):
        total = real(total + counts[row, c])
    return total


def count_values(cases: CaseViews, scores: Scores, a: int, start: int, stop: int) -> None:
    """Fill the value by class table of a nominal attribute, and the branch sizes, unknown values first."""
    row = cases.place[a]
    clear_frequency(scores, cases.forks[a] + 1)
    for i in range(start, stop):
        item = cases.items[i]
        scores.frequency[cases.codes[row, item], cases.classes[item]] += cases.weight[i]
    for v in range(cases.forks[a] + 1):
        scores.sizes[v] = 0
        for c in range(cases.n_classes):
            scores.sizes[v] += scores.frequency[v, c]


def choose(cases: CaseViews, scores: Scores, start: int, stop: int, total: Any, unit: bool) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none."""
    possible, average = 0, real(0)
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -EPSILON
        if cases.numeric[a]:
            _score_numeric(cases, scores, a, start, stop, unit)
        elif not scores.tested[a]:
            _score_nominal(cases, scores, a, start, stop, total, unit)
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
    cases: CaseViews, scores: Scores, a: int, start: int, stop: int, total: Any, unit: bool
) -> None:
    forks = cases.forks[a]
    count_values(cases, scores, a, start, stop)
    if total <= scores.sizes[0]:
        return
    known = real(total - scores.sizes[0])
    if enough_branches(scores, forks + 1):
        scores.unknown_rate = real(scores.sizes[0] / weight_between(cases, start, stop, unit))
        scores.base, scores.known = known_base_information(scores, forks + 1, known), known
        scores.gain[a] = information_gain(scores, forks + 1)
        scores.info[a] = real(branch_information(scores, forks + 1) / total)


def _score_numeric(cases: CaseViews, scores: Scores, a: int, start: int, stop: int, unit: bool) -> None:
    total = weight_between(cases, start, stop, unit)
    clear_frequency(scores, 4)
    first = _unknown_to_front(cases, scores, a, start, stop)
    scores.sizes[0] = row_sum(scores.frequency, 0)
    known = real(total - scores.sizes[0])
    if known < 2 * scores.min_cases:
        return
    sort_by_key(scores, cases, first, stop)
    for i in range(first, stop):
        scores.frequency[2, cases.classes[cases.items[i]]] += cases.weight[i]
    if cases.forks[a] == 3:
        # Unknown is an outcome like the others: it counts in the base and after the test.
        copy_row(scores.frequency, 0, scores.frequency, 3)
        scores.unknown_rate, scores.known = real(0), total
        scores.base = known_base_information(scores, 4, total)
    else:
        scores.unknown_rate, scores.known = real(1.0 - real(known / total)), known
        scores.base = real(class_information(scores, 2) / known)
    tries = _try_cuts(cases, scores, cases.forks[a], first, stop, known)
    trials = tries
    if scores.penalty != 1:
        trials = _distinct_keys(scores, first, stop) - 1 if scores.penalty == 2 else 0
    _keep_best_cut(scores, cases, a, tries, trials, first, known, total)


def _unknown_to_front(cases: CaseViews, scores: Scores, a: int, start: int, stop: int) -> int:
    row = cases.place[a]
    first = start
    for i in range(start, stop):
        item = cases.items[i]
        value = cases.values[row, item]
        if isnan(value):
            scores.frequency[0, cases.classes[item]] += cases.weight[i]
            exchange(cases, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
    return first


def _try_cuts(cases: CaseViews, scores: Scores, forks: int, first: int, stop: int, known: Any) -> int:
    smallest = _smallest_side(known, cases.n_classes, scores.min_cases)
    greatest = real(known - smallest)
    tries, low = 0, real(0)
    for i in range(first, stop - 1):
        c = cases.classes[cases.items[i]]
        low = real(low + cases.weight[i])
        scores.frequency[1, c] += cases.weight[i]
        scores.frequency[2, c] -= cases.weight[i]
        if low < smallest:
            continue
        if low > greatest:
            break
        if scores.keys[i] < scores.keys[i + 1] - 1e-5:
            gain = real(-EPSILON)
            if low >= scores.min_cases and real(known - low) >= scores.min_cases:
                gain = information_gain(scores, forks + 1)
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
    scores: Scores, cases: CaseViews, a: int, tries: int, trials: int, first: int, known: Any, total: Any
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
    scores.sizes[1] = weight_between(cases, first, at + 1, False)
    scores.sizes[2] = known - scores.sizes[1]
    scores.info[a] = real(branch_information(scores, 3) / total)


def push(tree: Tree, depth: int, node: int, start: int, stop: int, unit: bool) -> None:
    """Put a node on the stack, with the cases at start … stop - 1."""
    tree.node[depth], tree.start[depth], tree.stop[depth], tree.unit[depth] = node, start, stop, unit


def _open(cases: CaseViews, scores: Scores, tree: Tree, depth: int) -> bool:
    """Describe the node at the top of the stack and choose its test; tell whether it has one."""
    node, start, stop, unit = tree.node[depth], tree.start[depth], tree.stop[depth], tree.unit[depth]
    total = weight_between(cases, start, stop, unit)
    best = count_classes(cases, start, stop, tree.counts, node, 0)
    tree.kind[node], tree.leaf[node], tree.items[node] = LEAF, best, total
    tree.errors[node] = total - tree.counts[node, best]
    if tree.counts[node, best] == total or total < 2 * scores.min_cases:
        return False
    a = choose(cases, scores, start, stop, total, unit)
    if a < 0:
        return False
    set_test(cases, scores, tree, node, a)
    return make_branches(cases, scores, tree, depth, total)


def set_test(cases: CaseViews, scores: Scores, tree: Tree, node: int, a: int) -> None:
    """Make a node test attribute `a`, with the cut that it was scored for."""
    tree.attribute[node], tree.forks[node] = a, cases.forks[a]
    tree.kind[node] = NUMERIC if cases.numeric[a] else NOMINAL
    if cases.numeric[a]:
        tree.cut[node] = greatest_value_below(cases, a, scores.bar[a])


def make_branches(cases: CaseViews, scores: Scores, tree: Tree, depth: int, total: Any) -> bool:
    """Make an empty leaf of each branch, and set cases with unknown values apart; tell whether there was room."""
    node, start = tree.node[depth], tree.start[depth]
    a, first, after = tree.attribute[node], tree.used[0], tree.used[0] + tree.forks[node]
    if after > tree.kind.shape[0]:
        tree.used[0] = -1
        return False
    tree.child[node], tree.used[0] = first, after
    for child in range(first, after):
        tree.kind[child], tree.leaf[child] = LEAF, tree.leaf[node]
        tree.items[child], tree.errors[child] = 0, 0
        copy_row(tree.counts, node, tree.counts, child)
    scores.tested[a] = not cases.numeric[a]
    known = group_unknown(cases, a, start, tree.stop[depth])
    tree.known[depth], tree.branch[depth] = known, 0
    unit = tree.unit[depth] and known == start
    tree.known_weight[depth] = total - weight_between(cases, start, known, unit)
    return True


def count_classes(cases: CaseViews, start: int, stop: int, counts: Floats, row: int, favourite: int) -> int:
    """Count the classes of the cases at start … stop - 1; give the commonest, `favourite` in a tie."""
    clear_row(counts, row)
    for i in range(start, stop):
        counts[row, cases.classes[cases.items[i]]] += cases.weight[i]
    best = favourite
    for c in range(counts.shape[1]):
        if counts[row, c] > counts[row, best]:
            best = c
    return best


def copy_row(source: Floats, row: int, target: Floats, at: int) -> None:
    """Copy a row of class counts."""
    for c in range(source.shape[1]):
        target[at, c] = source[row, c]


def greatest_value_below(cases: CaseViews, a: int, bar: Any) -> Any:
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


def enter_branch(cases: CaseViews, tree: Tree, depth: int) -> bool:
    """Put the next branch that has cases on the stack; tell whether there is one."""
    node, start, known = tree.node[depth], tree.start[depth], tree.known[depth]
    unit = tree.unit[depth] and known == start
    a, cut = tree.attribute[node], tree.cut[node]
    while tree.branch[depth] < tree.forks[node]:
        tree.branch[depth] += 1
        end = group_branch(cases, a, cut, tree.branch[depth], known, tree.stop[depth])
        if end > known:
            tree.factor[depth] = weight_between(cases, known, end, unit) / tree.known_weight[depth]
            for i in range(start, known):
                cases.weight[i] *= tree.factor[depth]
            push(tree, depth + 1, tree.child[node] + tree.branch[depth] - 1, start, end, unit)
            return True
    return False


def leave_branch(cases: CaseViews, tree: Tree, depth: int) -> None:
    """Give the cases with unknown values back the weight that they had before the branch."""
    start, known = tree.start[depth], tree.known[depth]
    if known > start:
        group_unknown(cases, tree.attribute[tree.node[depth]], start, tree.stop[depth + 1])
        for i in range(start, known):
            cases.weight[i] /= tree.factor[depth]


def _collapse(tree: Tree, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are no fewer than its own."""
    as_leaf, errors = tree.errors[node], real(0)
    for child in range(tree.child[node], tree.child[node] + tree.forks[node]):
        errors = real(errors + tree.errors[child])
    tree.errors[node] = errors
    if errors >= as_leaf - EPSILON:
        tree.kind[node] = LEAF
        tree.used[0] = tree.child[node]


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


def _begin(cases: CaseViews, tree: Tree, estimates: Estimates, depth: int) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop, unit = tree.node[depth], tree.start[depth], tree.stop[depth], tree.unit[depth]
    total = weight_between(cases, start, stop, unit)
    best = count_classes(cases, start, stop, estimates.counts, 0, tree.leaf[node])
    errors = real(total - estimates.counts[0, best])
    estimates.as_leaf[depth] = errors + extra_errors(total, errors, estimates.limit)
    if estimates.update[depth]:
        tree.items[node], tree.leaf[node] = total, best
        copy_row(estimates.counts, 0, tree.counts, node)
        tree.errors[node] = estimates.as_leaf[depth]
    if tree.kind[node] == LEAF:
        estimates.as_tree[depth] = estimates.as_leaf[depth]
        return True
    known = group_unknown(cases, tree.attribute[node], start, stop)
    tree.known[depth], tree.branch[depth] = known, 0
    tree.known_weight[depth] = weight_between(cases, known, stop, unit)
    estimates.phase[depth], estimates.as_tree[depth] = BRANCHES, 0
    estimates.largest[depth], estimates.largest_factor[depth] = -1, 0
    return False


def _descend(cases: CaseViews, tree: Tree, estimates: Estimates, depth: int) -> bool:
    """Put what is to be estimated next below a node on the stack; tell whether there is anything."""
    phase, update = estimates.phase[depth], estimates.update[depth]
    if phase == BRANCHES:
        if enter_branch(cases, tree, depth):
            estimates.update[depth + 1] = update
            if tree.factor[depth] >= estimates.largest_factor[depth]:
                estimates.largest[depth] = tree.node[depth + 1]
                estimates.largest_factor[depth] = tree.factor[depth]
            return True
        if not update:
            return False
        if estimates.largest[depth] < 0:
            _make_leaf(tree, estimates, tree.node[depth], depth)
            return False
        estimates.phase[depth] = LARGEST
    elif phase == RAISE:
        estimates.phase[depth] = RAISED
    else:
        return False
    estimates.update[depth + 1] = phase == RAISE
    push(tree, depth + 1, estimates.largest[depth], tree.start[depth], tree.stop[depth], tree.unit[depth])
    return True


def _receive(cases: CaseViews, tree: Tree, estimates: Estimates, depth: int) -> None:
    """Take what was found below a node: a branch's estimate, the largest branch's, or the raised branch."""
    node, below, phase = tree.node[depth], estimates.as_tree[depth + 1], estimates.phase[depth]
    if phase == BRANCHES:
        estimates.as_tree[depth] += below
        leave_branch(cases, tree, depth)
    elif phase == LARGEST:
        as_leaf, most = estimates.as_leaf[depth], estimates.as_tree[depth] + SLACK
        estimates.phase[depth] = DONE
        if as_leaf <= below + SLACK and as_leaf <= most:
            _make_leaf(tree, estimates, node, depth)
        elif below <= most:
            estimates.phase[depth] = RAISE
        else:
            tree.errors[node] = estimates.as_tree[depth]
    elif phase == RAISED:
        estimates.phase[depth] = DONE
        estimates.as_tree[depth] = below
        _copy_node(tree, estimates.largest[depth], node)


def _make_leaf(tree: Tree, estimates: Estimates, node: int, depth: int) -> None:
    tree.kind[node] = LEAF
    tree.errors[node] = estimates.as_tree[depth] = estimates.as_leaf[depth]


def _copy_node(tree: Tree, source: int, target: int) -> None:
    tree.kind[target], tree.leaf[target] = tree.kind[source], tree.leaf[source]
    tree.attribute[target], tree.cut[target] = tree.attribute[source], tree.cut[source]
    tree.child[target], tree.forks[target] = tree.child[source], tree.forks[source]
    tree.items[target], tree.errors[target] = tree.items[source], tree.errors[source]
    copy_row(tree.counts, source, tree.counts, target)


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


def add_class_weights(
    tree: Descent, shares: Floats, wholes: Floats, sums: Floats, waiting: Ints, parts: Floats
) -> None:
    """Add each case's class weights; a case with an unknown value goes down every branch in part.

    Parts of a case wait at the nodes `waiting`.
    """
    with cython.nogil:
        for i in range(sums.shape[0]):
            waiting[0], parts[0], depth = 0, real(1), 1
            while depth:
                depth -= 1
                node, part = waiting[depth], parts[depth]
                while tree.kind[node] != LEAF:
                    v = branch_of(tree, node, i)
                    if v == 0:
                        break
                    node = tree.child[node] + v - 1
                if tree.kind[node] == LEAF:
                    for c in range(sums.shape[1]):
                        sums[i, c] += real(part * shares[node, c]) / wholes[node]
                    continue
                for v in range(tree.forks[node], 0, -1):
                    child = tree.child[node] + v - 1
                    if tree.items[child] > 0:
                        waiting[depth] = child
                        parts[depth] = real(part * tree.items[child]) / tree.items[node]
                        depth += 1


# What Python calls.


def grow(table: TrainingTable, items: Ints, weights: Floats, options: GrowthOptions, nodes: Nodes) -> None:
    """Grow the tree of all cases into `nodes`; `items` is the order of the cases, and is changed."""
    cases, scores, tree = (
        CaseViews(table, items, weights),
        Scores(table, options),
        Tree(nodes, tree_depth(table)),
    )
    depth, entered = -1, True
    with cython.nogil:
        tree.used[0] = 1
        push(tree, 0, 0, 0, cases.items.shape[0], cases.unit)
        while depth >= 0 or entered:
            if entered and _open(cases, scores, tree, depth + 1):
                depth += 1
            elif tree.used[0] < 0:
                break
            elif depth >= 0:
                leave_branch(cases, tree, depth)
            entered = depth >= 0 and enter_branch(cases, tree, depth)
            if depth >= 0 and not entered:
                scores.tested[tree.attribute[tree.node[depth]]] = False
                _collapse(tree, tree.node[depth])
                depth -= 1


def prune(table: TrainingTable, items: Ints, weights: Floats, nodes: Nodes, limit: Floats) -> None:
    """Prune the tree in place, on all cases in the order `items`, which is changed."""
    cases, tree = CaseViews(table, items, weights), Tree(nodes, tree_depth(table))
    estimates = Estimates(tree_depth(table), table.n_classes, limit)
    depth, entered = -1, True
    with cython.nogil:
        push(tree, 0, 0, 0, cases.items.shape[0], cases.unit)
        estimates.update[0] = True
        while depth >= 0 or entered:
            if entered:
                depth += 1
                if not _begin(cases, tree, estimates, depth):
                    entered = _descend(cases, tree, estimates, depth)
                    continue
            depth -= 1
            entered = False
            if depth >= 0:
                _receive(cases, tree, estimates, depth)
                entered = _descend(cases, tree, estimates, depth)


def class_weights(
    nodes: Nodes, shares: Floats, wholes: Floats, values: Floats, codes: Ints, place: Ints
) -> Floats:
    """Give each case's class weights; the class probabilities of a leaf are its `shares` over its `wholes`."""
    sums = np.zeros((values.shape[1], shares.shape[1]), dtype=shares.dtype)
    waiting, parts = np.empty(wholes.size + 1, dtype=np.int32), np.empty(wholes.size + 1, dtype=wholes.dtype)
    add_class_weights(Descent(nodes, values, codes, place), shares, wholes, sums, waiting, parts)
    return sums


def leaves_reached(nodes: Nodes, values: Floats, codes: Ints, place: Ints) -> Ints:
    """Give the leaf that each case reaches, or -1 where a test on an unknown value stops it."""
    tree, leaves = Descent(nodes, values, codes, place), np.empty(values.shape[1], dtype=np.int32)
    with cython.nogil:
        for i in range(leaves.shape[0]):
            node = 0
            while node >= 0 and tree.kind[node] != LEAF:
                v = branch_of(tree, node, i)
                node = tree.child[node] + v - 1 if v else -1
            leaves[i] = node
    return np.asarray(leaves)
