"""The compiled loops of C4.5 trees.

Ordering cases, choosing tests, growing, pruning, and sending cases down.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from fivefold.learners.trees.nodes import (
    LEAF,
    NOMINAL,
    NUMERIC,
    Frames,
    GrowthOptions,
    Nodes,
    Order,
    TrainingTable,
)


@numba.njit(cache=True, error_model="numpy")
def exchange(order: Order, a: int, b: int) -> None:
    """Exchange the cases at positions a and b with their weights."""
    order.items[a], order.items[b] = order.items[b], order.items[a]
    order.weight[a], order.weight[b] = order.weight[b], order.weight[a]


@numba.njit(cache=True, error_model="numpy")
def weight_between(order: Order, start: int, stop: int, unit: bool) -> Any:
    """Give the weight of the cases at positions start … stop - 1; `unit` says that each weighs 1."""
    real = order.weight.dtype.type
    if unit:
        return real(stop - start)
    total = real(0)
    for i in range(start, stop):
        total = real(total + order.weight[i])
    return total


@numba.njit(cache=True, error_model="numpy")
def group_unknown(cases: TrainingTable, order: Order, a: int, start: int, stop: int) -> int:
    """Bring the cases that no branch of a test on `a` takes to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        if cases.forks[a] == 3:
            return end
        for i in range(start, stop):
            if np.isnan(cases.values[row, order.items[i]]):
                exchange(order, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, order.items[i]] == 0:
                exchange(order, end, i)
                end += 1
    return end


@numba.njit(cache=True, error_model="numpy")
def group_branch(
    cases: TrainingTable, order: Order, a: int, cut: float, v: int, start: int, stop: int
) -> int:
    """Bring the cases of branch `v` of a test on `a` to the front; give the end of their stretch."""
    row = cases.place[a]
    end = start
    if cases.numeric[a]:
        for i in range(start, stop):
            value = cases.values[row, order.items[i]]
            if value <= cut if v == 1 else (value > cut if v == 2 else np.isnan(value)):
                exchange(order, end, i)
                end += 1
    else:
        for i in range(start, stop):
            if cases.codes[row, order.items[i]] == v:
                exchange(order, end, i)
                end += 1
    return end


@numba.njit(cache=True, error_model="numpy")
def sort_by_key(keys: NDArray[Any], order: Order, start: int, stop: int) -> None:
    """Sort positions start … stop - 1 by their keys, which are moved along with the cases."""
    stack = np.empty((64, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1], depth = start, stop - 1, 1
    budget = 64 * (stop - start) + 1_000_000
    while depth:
        depth -= 1
        low, high = stack[depth, 0], stack[depth, 1]
        while low < high:
            budget -= high - low
            if budget < 0:
                _sort_by_heap(keys, order, low, high)
                break
            lower, middle = _partition(keys, order, low, high)
            # The longer side waits, so that the stack never holds more than lg n sides.
            if lower - low < high - middle - 1:
                stack[depth, 0], stack[depth, 1] = middle + 1, high
                high = lower
            else:
                stack[depth, 0], stack[depth, 1] = low, lower
                low = middle + 1
            depth += 1


@numba.njit(cache=True, error_model="numpy")
def _swap(keys: NDArray[Any], order: Order, a: int, b: int) -> None:
    keys[a], keys[b] = keys[b], keys[a]
    exchange(order, a, b)


@numba.njit(cache=True, error_model="numpy")
def _partition(keys: NDArray[Any], order: Order, low: int, high: int) -> tuple[int, int]:
    pivot = keys[high]
    middle = low
    for i in range(low, high):
        if keys[i] <= pivot:
            _swap(keys, order, middle, i)
            middle += 1
    lower = middle - 1
    for i in range(lower, low - 1, -1):
        if keys[i] == pivot:
            _swap(keys, order, lower, i)
            lower -= 1
    _swap(keys, order, middle, high)
    return lower, middle


@numba.njit(cache=True, error_model="numpy")
def _sort_by_heap(keys: NDArray[Any], order: Order, low: int, high: int) -> None:
    n = high - low + 1
    for root in range(n // 2 - 1, -1, -1):
        _sift_down(keys, order, low, root, n)
    for last in range(n - 1, 0, -1):
        _swap(keys, order, low, low + last)
        _sift_down(keys, order, low, 0, last)


@numba.njit(cache=True, error_model="numpy")
def _sift_down(keys: NDArray[Any], order: Order, low: int, root: int, n: int) -> None:
    child = 2 * root + 1
    while child < n:
        if child + 1 < n and keys[low + child] < keys[low + child + 1]:
            child += 1
        if keys[low + root] >= keys[low + child]:
            return
        _swap(keys, order, low + root, low + child)
        root, child = child, 2 * child + 1


LN2 = math.log(2.0)
EPSILON = 1e-3


@numba.njit(cache=True, error_model="numpy")
def n_log_n(n: float, table: NDArray[np.float64]) -> Any:
    """Give n lg n, from the table where n is a whole number that it holds."""
    if n <= 0:
        return 0.0
    whole = np.int64(n)
    if whole == n and whole < table.shape[0]:
        return table[whole]
    wide = np.float64(n)  # numba takes the logarithm of a 32-bit number in 32 bits
    return wide * (math.log(wide) / LN2)


@numba.njit(cache=True, error_model="numpy")
def n_log_n_table(size: int) -> NDArray[np.float64]:
    """Tabulate n lg n for n = 0 … size - 1."""
    table = np.zeros(size)
    for n in range(1, size):
        table[n] = n * (math.log(n) / LN2)
    return table


@numba.njit(cache=True, error_model="numpy")
def total_information(counts: NDArray[Any], table: NDArray[np.float64]) -> Any:
    """Give the information of a whole distribution of counts: N lg N - sum of n lg n."""
    real = counts.dtype.type
    terms, total = real(0), real(0)
    for n in counts:
        terms = real(terms + n_log_n(n, table))
        total = real(total + n)
    return real(n_log_n(total, table) - terms)


@numba.njit(cache=True, error_model="numpy")
def known_base_information(frequency: NDArray[Any], known: float, table: NDArray[np.float64]) -> Any:
    """Give the mean class information of the cases in rows 1, 2, … of a value by class table."""
    real = frequency.dtype.type
    terms = 0.0
    for c in range(frequency.shape[1]):
        n = real(0)
        for v in range(1, frequency.shape[0]):
            n = real(n + frequency[v, c])
        terms += n_log_n(n, table)
    return real((n_log_n(known, table) - terms) / known)


@numba.njit(cache=True, error_model="numpy")
def information_gain(
    base: float,
    unknown_rate: float,
    frequency: NDArray[Any],
    known: float,
    table: NDArray[np.float64],
) -> Any:
    """Give (1 - unknown rate) (base - mean information of rows 1, 2, … of a value by class table)."""
    real = frequency.dtype.type
    after = real(0)
    for v in range(1, frequency.shape[0]):
        after = real(after + total_information(frequency[v], table))
    return real(real(real(1) - unknown_rate) * real(base - real(after / known)))


@numba.njit(cache=True, error_model="numpy")
def enough_branches(sizes: NDArray[Any], min_cases: float) -> bool:
    """Tell whether at least two of the branches 1, 2, … hold `min_cases` cases."""
    large = 0
    for v in range(1, sizes.shape[0]):
        if sizes[v] >= min_cases:
            large += 1
    return large >= 2


class Scores(NamedTuple):
    """Work space for the evaluation of a node: a table of branch by class, and what each attribute got."""

    frequency: NDArray[Any]
    sizes: NDArray[Any]
    keys: NDArray[Any]
    trial_gain: NDArray[Any]
    trial_at: NDArray[np.int32]
    gain: NDArray[Any]
    info: NDArray[Any]
    bar: NDArray[Any]
    tested: NDArray[np.bool_]
    table: NDArray[np.float64]


@numba.njit(cache=True, error_model="numpy")
def choose(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    options: GrowthOptions,
    start: int,
    stop: int,
    total: Any,
    unit: bool,
) -> int:
    """Evaluate every attribute on the cases at start … stop - 1; give the best one, or -1 for none."""
    real = order.weight.dtype.type
    possible, average = 0, real(0)
    for a in range(cases.forks.shape[0]):
        scores.gain[a] = -EPSILON
        if cases.numeric[a]:
            _score_numeric(cases, order, scores, options, a, start, stop, unit)
        elif not scores.tested[a]:
            _score_nominal(cases, order, scores, options, a, start, stop, total, unit)
        few = cases.numeric[a] or cases.forks[a] < options.many
        if scores.gain[a] > -EPSILON and (few or options.all_many):
            possible += 1
            average = real(average + scores.gain[a])
    return _best_ratio(scores, real(average / real(possible)) if possible else real(1e6))


@numba.njit(cache=True, error_model="numpy")
def _best_ratio(scores: Scores, average: Any) -> int:
    real = scores.gain.dtype.type
    best, best_worth = -1, real(-EPSILON)
    for a in range(scores.gain.shape[0]):
        gain, info = scores.gain[a], scores.info[a]
        if gain > -EPSILON and gain >= average - EPSILON and info > EPSILON:
            worth = real(gain / info)
            if worth > best_worth:
                best, best_worth = a, worth
    return best


@numba.njit(cache=True, error_model="numpy")
def _score_nominal(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    options: GrowthOptions,
    a: int,
    start: int,
    stop: int,
    total: Any,
    unit: bool,
) -> None:
    real = order.weight.dtype.type
    forks, row = cases.forks[a], cases.place[a]
    frequency, sizes = scores.frequency[: forks + 1], scores.sizes[: forks + 1]
    frequency[:] = 0
    for i in range(start, stop):
        item = order.items[i]
        frequency[cases.codes[row, item], cases.classes[item]] += order.weight[i]
    for v in range(forks + 1):
        sizes[v] = 0
        for c in range(cases.n_classes):
            sizes[v] += frequency[v, c]
    if total <= sizes[0]:
        return
    known = real(total - sizes[0])
    if enough_branches(sizes, options.min_cases):
        unknown_rate = real(sizes[0] / weight_between(order, start, stop, unit))
        base = known_base_information(frequency, known, scores.table)
        scores.gain[a] = information_gain(base, unknown_rate, frequency, known, scores.table)
        scores.info[a] = real(total_information(sizes, scores.table) / total)


@numba.njit(cache=True, error_model="numpy")
def _score_numeric(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    options: GrowthOptions,
    a: int,
    start: int,
    stop: int,
    unit: bool,
) -> None:
    real = order.weight.dtype.type
    total = weight_between(order, start, stop, unit)
    frequency, sizes = scores.frequency[:4], scores.sizes[:3]
    frequency[:] = 0
    first = _unknown_to_front(cases, order, scores, a, start, stop)
    sizes[0] = 0
    for c in range(cases.n_classes):
        sizes[0] += frequency[0, c]
    known = real(total - sizes[0])
    if known < 2 * options.min_cases:
        return
    sort_by_key(scores.keys, order, first, stop)
    for i in range(first, stop):
        frequency[2, cases.classes[order.items[i]]] += order.weight[i]
    if cases.forks[a] == 3:
        # Unknown is an outcome like the others: it counts in the base and after the test.
        frequency[3] = frequency[0]
        unknown_rate, among = real(0), total
        base = known_base_information(frequency, total, scores.table)
    else:
        unknown_rate, among = real(1.0 - np.float64(real(known / total))), known
        base = real(total_information(frequency[2], scores.table) / known)
    forks = cases.forks[a]
    tries = _try_cuts(cases, order, scores, options, forks, first, stop, known, among, base, unknown_rate)
    trials = tries if not options.paper_penalty else _distinct_keys(scores.keys, first, stop) - 1
    _keep_best_cut(scores, order, a, tries, trials, first, known, total)


@numba.njit(cache=True, error_model="numpy")
def _unknown_to_front(
    cases: TrainingTable, order: Order, scores: Scores, a: int, start: int, stop: int
) -> int:
    row = cases.place[a]
    first = start
    for i in range(start, stop):
        item = order.items[i]
        value = cases.values[row, item]
        if np.isnan(value):
            scores.frequency[0, cases.classes[item]] += order.weight[i]
            exchange(order, first, i)
            scores.keys[i] = scores.keys[first]
            first += 1
        else:
            scores.keys[i] = value
    return first


@numba.njit(cache=True, error_model="numpy")
def _try_cuts(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    options: GrowthOptions,
    forks: int,
    first: int,
    stop: int,
    known: Any,
    among: Any,
    base: Any,
    unknown_rate: Any,
) -> int:
    real = order.weight.dtype.type
    frequency = scores.frequency[: forks + 1]
    smallest = _smallest_side(known, cases.n_classes, options.min_cases, real)
    greatest = real(known - smallest)
    tries, low = 0, real(0)
    for i in range(first, stop - 1):
        c = cases.classes[order.items[i]]
        low = real(low + order.weight[i])
        frequency[1, c] += order.weight[i]
        frequency[2, c] -= order.weight[i]
        if low < smallest:
            continue
        if low > greatest:
            break
        if scores.keys[i] < np.float64(scores.keys[i + 1]) - 1e-5:
            gain = real(-EPSILON)
            if low >= options.min_cases and real(known - low) >= options.min_cases:
                gain = information_gain(base, unknown_rate, frequency, among, scores.table)
            scores.trial_gain[tries], scores.trial_at[tries] = gain, i
            tries += 1
    return tries


@numba.njit(cache=True, error_model="numpy")
def _smallest_side(known: Any, n_classes: int, min_cases: float, real: Any) -> Any:
    side = real(0.10 * known / n_classes)
    if side <= min_cases:
        return real(min_cases)
    return real(25) if side > 25 else side


@numba.njit(cache=True, error_model="numpy")
def _distinct_keys(keys: NDArray[Any], first: int, stop: int) -> int:
    different = 1
    for i in range(first + 1, stop):
        if keys[i] > keys[i - 1]:
            different += 1
    return different


@numba.njit(cache=True, error_model="numpy")
def _keep_best_cut(
    scores: Scores, order: Order, a: int, tries: int, trials: int, first: int, known: Any, total: Any
) -> None:
    real = order.weight.dtype.type
    penalty = real(math.log(trials) / LN2 / total) if trials > 0 else real(0)
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
    scores.sizes[1] = weight_between(order, first, at + 1, False)
    scores.sizes[2] = known - scores.sizes[1]
    scores.info[a] = real(total_information(scores.sizes[:3], scores.table) / total)


@numba.njit(cache=True, error_model="numpy")
def grow(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    options: GrowthOptions,
    nodes: Nodes,
    frames: Frames,
    unit: bool,
) -> None:
    """Grow the tree of all cases into `nodes`; `unit` says that each case weighs 1."""
    nodes.used[0] = 1
    frames.node[0], frames.start[0], frames.stop[0], frames.unit[0] = 0, 0, order.items.shape[0], unit
    depth, entered = -1, True
    while depth >= 0 or entered:
        if entered and _open(cases, order, scores, options, nodes, frames, depth + 1):
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


@numba.njit(cache=True, error_model="numpy")
def _open(
    cases: TrainingTable,
    order: Order,
    scores: Scores,
    options: GrowthOptions,
    nodes: Nodes,
    frames: Frames,
    depth: int,
) -> bool:
    """Describe the node of a frame and choose its test; tell whether it has one."""
    node, start, stop, unit = frames.node[depth], frames.start[depth], frames.stop[depth], frames.unit[depth]
    total = weight_between(order, start, stop, unit)
    best = count_classes(cases, order, start, stop, nodes.counts[node], 0)
    nodes.kind[node], nodes.leaf[node], nodes.items[node] = LEAF, best, total
    nodes.errors[node] = total - nodes.counts[node, best]
    if nodes.counts[node, best] == total or total < 2 * options.min_cases:
        return False
    a = choose(cases, order, scores, options, start, stop, total, unit)
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


@numba.njit(cache=True, error_model="numpy")
def divide(cases: TrainingTable, order: Order, a: int, frames: Frames, depth: int, total: Any) -> None:
    """Set the cases with unknown values of `a` apart in a frame, and weigh the others."""
    start = frames.start[depth]
    known = group_unknown(cases, order, a, start, frames.stop[depth])
    frames.known[depth], frames.branch[depth] = known, 0
    unit = frames.unit[depth] and known == start
    frames.known_weight[depth] = total - weight_between(order, start, known, unit)


@numba.njit(cache=True, error_model="numpy")
def count_classes(
    cases: TrainingTable, order: Order, start: int, stop: int, counts: NDArray[Any], favourite: int
) -> int:
    """Count the classes of the cases at start … stop - 1; give the commonest, `favourite` in a tie."""
    counts[:] = 0
    for i in range(start, stop):
        counts[cases.classes[order.items[i]]] += order.weight[i]
    best = favourite
    for c in range(counts.shape[0]):
        if counts[c] > counts[best]:
            best = c
    return best


@numba.njit(cache=True, error_model="numpy")
def greatest_value_below(cases: TrainingTable, a: int, bar: Any) -> Any:
    """Give the greatest value of a numeric attribute in all training data that is at most `bar`."""
    row = cases.place[a]
    low, high = cases.edges[row], cases.edges[row + 1]
    return cases.distinct[low + np.searchsorted(cases.distinct[low:high], bar, side="right") - 1]


@numba.njit(cache=True, error_model="numpy")
def enter_branch(cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, depth: int) -> bool:
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


@numba.njit(cache=True, error_model="numpy")
def _empty_leaf(nodes: Nodes, parent: int, child: int) -> None:
    nodes.kind[child], nodes.leaf[child] = LEAF, nodes.leaf[parent]
    nodes.items[child], nodes.errors[child] = 0, 0
    nodes.counts[child] = nodes.counts[parent]


@numba.njit(cache=True, error_model="numpy")
def leave_branch(cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, depth: int) -> None:
    """Give the cases with unknown values back the weight that they had before the branch."""
    start, known = frames.start[depth], frames.known[depth]
    if known > start:
        group_unknown(cases, order, nodes.attribute[frames.node[depth]], start, frames.stop[depth + 1])
        for i in range(start, known):
            order.weight[i] /= frames.factor[depth]


@numba.njit(cache=True, error_model="numpy")
def _collapse(nodes: Nodes, node: int) -> None:
    """Sum the errors of the branches; make the node a leaf again where they are no fewer than its own."""
    real = nodes.errors.dtype.type
    as_leaf, errors = nodes.errors[node], real(0)
    for child in range(nodes.child[node], nodes.child[node] + nodes.forks[node]):
        errors = real(errors + nodes.errors[child])
    nodes.errors[node] = errors
    if errors >= np.float64(as_leaf) - EPSILON:
        nodes.kind[node] = LEAF
        nodes.used[0] = nodes.child[node]


SLACK = 0.1
BRANCHES, LARGEST, RAISE, RAISED, DONE = 0, 1, 2, 3, 4


class Estimates(NamedTuple):
    """What is known of each open node: the phase it is in, its errors as a leaf and as a tree.

    `counts` is one row of class counts to work with; `limit` holds CF and the squared normal deviate.
    """

    phase: NDArray[np.int32]
    largest: NDArray[np.int32]
    update: NDArray[np.bool_]
    largest_factor: NDArray[Any]
    as_leaf: NDArray[Any]
    as_tree: NDArray[Any]
    counts: NDArray[Any]
    limit: NDArray[Any]


@numba.njit(cache=True, error_model="numpy")
def extra_errors(n: Any, e: Any, limit: NDArray[Any]) -> Any:
    """Give the errors to add to `e` errors in `n` cases for the upper limit at the confidence level."""
    real = limit.dtype.type
    if e >= 0.9999:
        return _extra_beyond_one(n, e, limit)
    none = real(n * (1 - math.exp(math.log(np.float64(limit[0])) / n)))
    if e < 1e-6:
        return none
    single = _extra_beyond_one(n, real(1), limit)
    return real(none + real(e * real(single - none)))


@numba.njit(cache=True, error_model="numpy")
def _extra_beyond_one(n: Any, e: Any, limit: NDArray[Any]) -> Any:
    real = limit.dtype.type
    z2 = limit[1]
    h = np.float64(e) + 0.5
    if h >= n:
        return real(0.67 * (n - e))
    p = real((h + z2 / 2 + math.sqrt(z2 * (h * (1 - h / n) + z2 / 4))) / (n + z2))
    return real(real(n * p) - e)


@numba.njit(cache=True, error_model="numpy")
def prune(
    cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, unit: bool
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


@numba.njit(cache=True, error_model="numpy")
def _begin(
    cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
) -> bool:
    """Estimate the errors of a node as a leaf; tell whether that is all, as it is one."""
    node, start, stop, unit = frames.node[depth], frames.start[depth], frames.stop[depth], frames.unit[depth]
    real = order.weight.dtype.type
    total = weight_between(order, start, stop, unit)
    best = count_classes(cases, order, start, stop, estimates.counts, nodes.leaf[node])
    errors = real(total - estimates.counts[best])
    estimates.as_leaf[depth] = errors + extra_errors(total, errors, estimates.limit)
    if estimates.update[depth]:
        nodes.items[node], nodes.leaf[node] = total, best
        nodes.counts[node] = estimates.counts
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


@numba.njit(cache=True, error_model="numpy")
def _descend(
    cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
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


@numba.njit(cache=True, error_model="numpy")
def _enter_branch(
    cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
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


@numba.njit(cache=True, error_model="numpy")
def _receive(
    cases: TrainingTable, order: Order, nodes: Nodes, frames: Frames, estimates: Estimates, depth: int
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


@numba.njit(cache=True, error_model="numpy")
def _make_leaf(nodes: Nodes, estimates: Estimates, node: int, depth: int) -> None:
    nodes.kind[node] = LEAF
    nodes.errors[node] = estimates.as_tree[depth] = estimates.as_leaf[depth]


@numba.njit(cache=True, error_model="numpy")
def _copy_node(nodes: Nodes, source: int, target: int) -> None:
    nodes.kind[target], nodes.leaf[target] = nodes.kind[source], nodes.leaf[source]
    nodes.attribute[target], nodes.cut[target] = nodes.attribute[source], nodes.cut[source]
    nodes.child[target], nodes.forks[target] = nodes.child[source], nodes.forks[source]
    nodes.items[target], nodes.errors[target] = nodes.items[source], nodes.errors[source]
    nodes.counts[target] = nodes.counts[source]


@numba.njit(cache=True, error_model="numpy")
def reachable(nodes: Nodes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """List the nodes that pruning left, level by level, and where in the list the children of each begin."""
    listed = np.zeros(nodes.used[0], dtype=np.int32)
    child = np.zeros(nodes.used[0], dtype=np.int32)
    n_listed = 1
    for place in range(listed.shape[0]):
        if place == n_listed:
            break
        node = listed[place]
        if nodes.kind[node] != LEAF:
            child[place] = n_listed
            for v in range(nodes.forks[node]):
                listed[n_listed] = nodes.child[node] + v
                n_listed += 1
    return listed[:n_listed], child[:n_listed]


@numba.njit(cache=True, error_model="numpy")
def branch_of(
    nodes: Nodes, node: int, row: int, values: NDArray[np.float64], codes: NDArray[np.int32], place: Any
) -> int:
    """Give the branch, counted from 1, that a case takes at a node; 0 where its value is unknown."""
    at = place[nodes.attribute[node]]
    if nodes.kind[node] != NUMERIC:
        v = codes[at, row]
        return v if v <= nodes.forks[node] else 0
    value = values[at, row]
    if np.isnan(value):
        return 3 if nodes.forks[node] == 3 else 0
    return 1 if value <= nodes.cut[node] else 2


@numba.njit(cache=True, error_model="numpy")
def class_weights(
    nodes: Nodes,
    shares: NDArray[Any],
    wholes: NDArray[Any],
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    place: NDArray[np.int32],
    n: int,
) -> NDArray[Any]:
    """Give each case's class weights; a case with an unknown value goes down every branch in part.

    The class probabilities of a leaf are its row of `shares` divided by its `wholes`.
    """
    real = nodes.items.dtype.type
    sums = np.zeros((n, shares.shape[1]), dtype=shares.dtype)
    waiting = np.empty(nodes.kind.shape[0] + 1, dtype=np.int32)
    parts = np.empty(nodes.kind.shape[0] + 1, dtype=nodes.items.dtype)
    for i in range(n):
        waiting[0], parts[0], depth = 0, real(1), 1
        while depth:
            depth -= 1
            node, part = waiting[depth], parts[depth]
            while nodes.kind[node] != LEAF:
                v = branch_of(nodes, node, i, values, codes, place)
                if v == 0:
                    break
                node = nodes.child[node] + v - 1
            if nodes.kind[node] == LEAF:
                for c in range(shares.shape[1]):
                    sums[i, c] += real(part * shares[node, c]) / wholes[node]
                continue
            for v in range(nodes.forks[node], 0, -1):
                child = nodes.child[node] + v - 1
                if nodes.items[child] > 0:
                    waiting[depth] = child
                    parts[depth] = real(part * nodes.items[child]) / nodes.items[node]
                    depth += 1
    return sums


@numba.njit(cache=True, error_model="numpy")
def leaves_reached(
    nodes: Nodes,
    values: NDArray[np.float64],
    codes: NDArray[np.int32],
    place: NDArray[np.int32],
    n: int,
) -> NDArray[np.int32]:
    """Give the leaf that each case reaches, or -1 where a test on an unknown value stops it."""
    leaves = np.empty(n, dtype=np.int32)
    for i in range(n):
        node = 0
        while node >= 0 and nodes.kind[node] != LEAF:
            v = branch_of(nodes, node, i, values, codes, place)
            node = nodes.child[node] + v - 1 if v else -1
        leaves[i] = node
    return leaves
