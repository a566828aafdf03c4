"""C4.5rules written from its description: slow, in double precision, on cases of weight one."""

from itertools import compress, product
from math import inf, lgamma, log, log2

from . import c45_reference as reference


def leaf_paths(node, path=()):
    """Give the conditions (attribute, cut, branch) that lead to each leaf with at least one case."""
    if node.attribute is None:
        if node.items >= 1:
            yield path, node.leaf
        return
    for v, branch in enumerate(node.branches):
        yield from leaf_paths(branch, (*path, (node.attribute, node.cut, v)))


def meets(table, i, condition):
    a, cut, v = condition
    value = table.rows[i][a]
    if value is None:
        return False
    return (value <= cut) == (v == 0) if cut is not None else table.values[a].index(value) == v


def covered(table, conditions):
    return {i for i in range(len(table.rows)) if all(meets(table, i, c) for c in conditions)}


def rates(table, conditions, target):
    cases = covered(table, conditions)
    if not cases:
        return default_error(table, target), 0.0
    wrong = sum(table.classes[i] != target for i in cases)
    return (wrong + reference.extra_errors(len(cases), wrong, table.cf)) / len(cases), wrong / len(cases)


def default_error(table, target):
    return 1 - (table.classes.count(target) + 1) / (len(table.rows) + 2)


def generalise(table, path, target):
    conditions = list(path)
    while conditions:
        upper, actual = rates(table, conditions, target)
        without = [rates(table, conditions[:d] + conditions[d + 1 :], target) for d in range(len(conditions))]
        if not any(u <= upper or a <= actual for u, a in without):
            good = covered(table, conditions) and upper < default_error(table, target)
            return (conditions, upper) if good else None
        lowest = min(u for u, _ in without)
        del conditions[max(d for d, (u, _) in enumerate(without) if u == lowest)]
    return None


def candidates(table, tree):
    """Give rules (conditions, class) with their errors, in the order in which they are met."""
    found = {}
    for path, target in leaf_paths(tree):
        rule = generalise(table, path, target)
        if rule:
            key = (frozenset(rule[0]), target)
            found[key] = max(rule[1], found.get(key, 0.0))
    return found


def code_lengths(table):
    n = len(table.rows)
    lengths = []
    for a, values in enumerate(table.values):
        known = [row[a] for row in table.rows if row[a] is not None]
        if values is not None:
            lengths.append(sum(known.count(v) / n * log2(n / known.count(v)) for v in set(known)))
        else:
            different = len(set(known)) + (len(known) < n)
            lengths.append(1 + 0.5 * log2(different) if different > 1 else 0)
    total = sum(lengths)
    return lengths, -sum(c / total * log2(c / total) for c in lengths if c)


def lg_factorial(k):
    return lgamma(k + 1) / log(2)


def biased(n, e, x):
    if x <= 1e-6:
        return 0 if e == 0 else 1e6
    if x >= n - 1e-6:
        return 0 if e == n else 1e6
    return -e * log2(x / n) - (n - e) * log2(1 - x / n)


def rule_length(table, conditions):
    lengths, naming = code_lengths(table)
    k = len(conditions)
    return sum(naming + lengths[a] for a, _, _ in conditions) + log2(k) - lg_factorial(k)


def subset_length(table, rules, target):
    """Give the bits of rules, each with its length and the cases that it covers, and of their exceptions."""
    bits = sum(length for length, _ in rules) - lg_factorial(len(rules))
    fired = set().union(*(cases for _, cases in rules))
    n, f = len(table.rows), len(fired)
    false = sum(table.classes[i] != target for i in fired)
    missed = table.classes.count(target) - (f - false)
    middle = (false + missed) / 2
    first, second = (middle, missed) if f > n / 2 else (false, middle)
    return 0.5 * bits + log2(n) + biased(f, false, first) + biased(n - f, missed, second)


def measured(table, rules):
    return [(rule_length(table, conditions), covered(table, conditions)) for conditions, _ in rules]


def best_subset(table, rules, target):
    """Try all subsets; give the best, and by how much it is better than any that covers other cases."""
    scored = []
    lengths_and_cases = measured(table, rules)
    for flags in product([False, True], repeat=len(rules)):
        length = subset_length(table, list(compress(lengths_and_cases, flags)), target)
        scored.append((length, list(compress(rules, flags))))
    scored.sort(key=lambda pair: pair[0])
    margin = scored[1][0] - scored[0][0] if len(scored) > 1 else inf
    return scored[0][1], margin


def rule_list(table, tree):
    """Give the final rules in order, the default class, and the closest choice between subsets."""
    found = candidates(table, tree)
    fires = [rule for rule in found if found[rule] <= 0.7]
    chosen, margin = {}, inf
    for c in range(table.n_classes):
        chosen[c], gap = best_subset(table, [rule for rule in fires if rule[1] == c], c)
        margin = min(margin, gap)
    left, order = set(range(len(table.rows))), []
    while chosen:
        wrong = {c: false_positives(table, rules, c, left) for c, rules in chosen.items()}
        c = min(chosen, key=lambda c: (wrong[c], c))
        rules = sorted(chosen.pop(c), key=found.get)
        order += rules
        left -= set().union(*(covered(table, conditions) for conditions, _ in rules))
    uncovered = [sum(table.classes[i] == c for i in left) for c in range(table.n_classes)]
    default = max(range(table.n_classes), key=lambda c: (uncovered[c], table.classes.count(c), -c))
    return without_harmful(table, order, default), default, margin


def false_positives(table, rules, c, left):
    fired = set().union(*(covered(table, conditions) for conditions, _ in rules))
    return sum(table.classes[i] != c for i in fired & left)


def without_harmful(table, rules, default):
    cover = {rule: covered(table, rule[0]) for rule in rules}
    for rule in rules:
        advantage = 0
        for i in cover[rule]:
            firing = [other for other in rules if i in cover[other]]
            if firing[0] != rule:
                continue
            alternative = firing[1][1] if len(firing) > 1 else default
            if alternative != rule[1]:
                advantage += (table.classes[i] == rule[1]) - (table.classes[i] == alternative)
        if advantage < 0:
            return without_harmful(table, [other for other in rules if other != rule], default)
    return rules
