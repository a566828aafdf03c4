"""The message of trees and graphs, and the searches, written slowly and plainly from the description."""

import itertools
import math

EPSILON = 1e-8


class Table:
    """Rows of values, None where missing; `values` has the categories of each attribute, or None for numbers."""

    def __init__(
        self, rows, classes, n_classes, values, weights=None, alpha=1.0, root="n", cut_code="hierarchical"
    ):
        self.rows, self.classes, self.n_classes, self.values = rows, classes, n_classes, values
        self.weights = [1.0] * len(rows) if weights is None else weights
        self.alpha, self.root, self.cut_code = alpha, root, cut_code

    def everyone(self):
        return dict(enumerate(self.weights))

    def all_attributes(self):
        return frozenset(range(len(self.values)))

    def counts(self, members):
        counts = [0.0] * self.n_classes
        for row, weight in members.items():
            counts[self.classes[row]] += weight
        return counts


class Node:
    """A leaf, until it gets an attribute and branches, or a target to join."""

    def __init__(self):
        self.attribute = self.cut = self.branches = self.target = None


def leaf_bits(counts, alpha):
    n, m = sum(counts), len(counts)
    nats = math.lgamma(n + m * alpha) - math.lgamma(m * alpha)
    return (nats - sum(math.lgamma(c + alpha) - math.lgamma(alpha) for c in counts)) / math.log(2)


def cut_bits(rank, m, cut_code):
    """Go through the levels of cuts until this one is met."""
    if cut_code == "uniform":
        return math.log2(m - 1)
    for level in itertools.count():
        if rank in [j * m // 2 ** (level + 1) for j in range(1, 2 ** (level + 1), 2)]:
            return 2 * level + 1
    return None


def root_probability_of_leaf(table, n):
    if n == 0:
        return 1.0
    if table.root == "n+1":
        return 1 / (n + 1)
    return 1 / n if n > 1 else 1 / 2


def distinct(table, members, a):
    return sorted({table.rows[row][a] for row in members} - {None})


def branch_of(table, a, cut, value):
    """Give the branch of a value; None if it is missing or was never declared."""
    if value is None:
        return None
    if table.values[a] is None:
        return 0 if value <= cut else 1
    return table.values[a].index(value) if value in table.values[a] else None


def part(table, members, a, cut):
    """Give the members of each branch."""
    n_branches = 2 if table.values[a] is None else len(table.values[a])
    branches = [{} for _ in range(n_branches)]
    lost = {}
    for row, weight in members.items():
        b = branch_of(table, a, cut, table.rows[row][a])
        (lost if b is None else branches[b])[row] = weight
    known = [sum(branch.values()) for branch in branches]
    for branch, weight in zip(branches, known, strict=True):
        if weight > 0:
            branch.update({row: w * weight / sum(known) for row, w in lost.items()})
    return branches


def tests_at(table, members, usable):
    """Give all tests that send known cases down more than one branch, with the bits of their cuts."""
    for a in sorted(usable):
        values = distinct(table, members, a)
        if len(values) < 2:
            continue
        if table.values[a] is not None:
            yield a, None, 0.0
            continue
        for rank in range(1, len(values)):
            yield a, values[rank - 1], cut_bits(rank, len(values), table.cut_code)


def below(table, usable, a):
    return usable if table.values[a] is None else usable - {a}


# The message of a whole graph


class Message:
    """The parts of a message."""

    def __init__(self):
        self.structure = self.attributes = self.cuts = self.leaves = self.ends = self.joins = 0.0
        self.members = {}

    @property
    def total(self):
        return self.structure + self.attributes + self.cuts + self.leaves + self.ends + self.joins


def message(table, root, is_graph):
    """Send the tree of the root, then batch by batch the trees below joins that are complete."""
    sent = Message()
    kinds = []
    expected = join_sizes(root)
    arrived = {}
    old = []
    batch = [(root, table.everyone(), table.all_attributes())]
    while batch:
        new = []
        for node, members, usable in batch:
            p = root_probability_of_leaf(table, len(usable))
            send_node(table, sent, kinds, node, members, usable, p, new)
        for end, members, usable in new:
            arrived.setdefault(end.target, []).append((end, members, usable))
        done = [target for target, ends in arrived.items() if len(ends) == expected[target]]
        sent.joins += pattern_bits([end for end, _, _ in new], old, done)
        old = [end for end in [*old, *(end for end, _, _ in new)] if end.target not in done]
        batch = [(target, *meet(arrived.pop(target))) for target in done]
    if is_graph:
        for place, kind in enumerate(kinds):
            sent.ends -= math.log2((kinds[:place].count(kind) + 1) / (place + 2))
    return sent


def send_node(table, sent, kinds, node, members, usable, p_end, joins):
    sent.members[node] = members
    if node.branches is None:
        sent.structure -= math.log2(p_end)
        kinds.append("leaf" if node.target is None else "join")
        if node.target is None:
            sent.leaves += leaf_bits(table.counts(members), table.alpha)
        else:
            joins.append((node, members, usable))
        return
    sent.structure -= math.log2(1 - p_end)
    sent.attributes += math.log2(len(usable))
    if node.cut is not None:
        values = distinct(table, members, node.attribute)
        sent.cuts += cut_bits(values.index(node.cut) + 1, len(values), table.cut_code)
    b = len(node.branches)
    parts = part(table, members, node.attribute, node.cut)
    for child, own in zip(node.branches, parts, strict=True):
        send_node(table, sent, kinds, child, own, below(table, usable, node.attribute), (b - 1) / b, joins)


def join_sizes(root):
    """Count the ends of every join."""
    sizes = {}
    seen, waiting = set(), [root]
    while waiting:
        node = waiting.pop()
        if node.target is not None:
            sizes[node.target] = sizes.get(node.target, 0) + 1
        for other in [*(node.branches or []), *([node.target] if node.target else [])]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return sizes


def meet(ends):
    pooled, usable = {}, frozenset()
    for _, members, own in ends:
        usable |= own
        for row, weight in members.items():
            pooled[row] = pooled.get(row, 0.0) + weight
    return pooled, usable


def pattern_bits(new, old, done):
    n, q, m = len(new), len(old), len(done)
    if n == 0:
        return 0.0
    j = [sum(end.target is target for end in [*new, *old]) for target in done]
    x = [sum(end.target is target for end in new) for target in done]
    p, y = n + q - sum(j), n - sum(x)
    ways = sum(
        n - sum(some) in range(p + 1) for some in itertools.product(*(range(1, size + 1) for size in j))
    )
    which_new = math.factorial(n) // math.factorial(y)
    which_old = math.factorial(q) // math.factorial(p - y)
    for size, fresh in zip(j, x, strict=True):
        which_new //= math.factorial(fresh)
        which_old //= math.factorial(size - fresh)
    return (
        math.log2(math.floor(min(n, (n + q) / 2)))
        + math.log2(math.comb(n + q - m, m))
        + math.log2(ways)
        + math.log2(which_new * which_old)
    )


# Searches for trees


def leaf_cost(table, members, p_end):
    return leaf_bits(table.counts(members), table.alpha) - math.log2(p_end)


def best_tree(table, members, usable, p_end, levels=math.inf):
    """Give the cost and the tree of the best one with at most so many levels of tests, by trying them all."""
    best, tree = leaf_cost(table, members, p_end), Node()
    if levels == 0:
        return best, tree
    for cost, a, cut in subtrees(table, members, usable, p_end, levels):
        if cost < best - EPSILON:
            best, tree = cost, Node()
            tree.attribute, tree.cut = a, cut
    if tree.attribute is not None:
        rest = below(table, usable, tree.attribute)
        parts = part(table, members, tree.attribute, tree.cut)
        b = len(parts)
        tree.branches = [best_tree(table, own, rest, (b - 1) / b, levels - 1)[1] for own in parts]
    return best, tree


def subtrees(table, members, usable, p_end, levels):
    """Price all first tests, each followed by the best below; of one attribute the cheapest cuts come first."""
    tests = sorted(tests_at(table, members, usable), key=lambda test: (test[0], test[2]))
    for a, cut, bits in tests:
        parts = part(table, members, a, cut)
        b = len(parts)
        rest = below(table, usable, a)
        under = sum(best_tree(table, own, rest, (b - 1) / b, levels - 1)[0] for own in parts)
        yield math.log2(len(usable)) + bits + under - math.log2(1 - p_end), a, cut


def grow(table, members, usable, p_end, lookahead):
    """Take the first test of the best candidate, while that is shorter than a leaf."""
    tree = best_tree(table, members, usable, p_end, lookahead)[1]
    if tree.attribute is not None:
        rest, parts = below(table, usable, tree.attribute), part(table, members, tree.attribute, tree.cut)
        b = len(parts)
        tree.branches = [grow(table, own, rest, (b - 1) / b, lookahead) for own in parts]
    return tree


def grown_tree(table, lookahead=1):
    attributes = table.all_attributes()
    p_end = root_probability_of_leaf(table, len(attributes))
    return grow(table, table.everyone(), attributes, p_end, lookahead)


def shortest_tree(table):
    attributes = table.all_attributes()
    return best_tree(table, table.everyone(), attributes, root_probability_of_leaf(table, len(attributes)))


# The search for graphs: every single change is made, measured by the whole message, and undone


def search_graph(table):
    root = Node()
    leaves = [root]
    now = message(table, root, is_graph=True)
    while True:
        change, length = best_change(table, root, leaves, now)
        if change is None:
            return root
        removed, added = change()
        leaves = [leaf for leaf in leaves if leaf not in removed] + added
        now = message(table, root, is_graph=True)
        assert math.isclose(now.total, length)


def best_change(table, root, leaves, now):
    best, chosen = now.total, None
    for leaf in leaves:
        usable = usable_at(table, root, leaf)
        tests = sorted(tests_at(table, now.members[leaf], usable), key=lambda test: (test[0], test[2]))
        for a, cut, _ in tests:
            length = try_out(table, root, lambda leaf=leaf, a=a, cut=cut: split(table, leaf, a, cut))
            if length < best - EPSILON:
                best, chosen = length, lambda leaf=leaf, a=a, cut=cut: split(table, leaf, a, cut)
    for pair in itertools.combinations(leaves, 2):
        length = try_out(table, root, lambda pair=pair: join(pair))
        if length < best - EPSILON:
            best, chosen = length, lambda pair=pair: join(pair)
    return chosen, best


def split(table, leaf, a, cut):
    leaf.attribute, leaf.cut = a, cut
    leaf.branches = [Node() for _ in range(2 if table.values[a] is None else len(table.values[a]))]
    return [leaf], leaf.branches


def join(pair):
    target = Node()
    for leaf in pair:
        leaf.target = target
    return list(pair), [target]


def try_out(table, root, change):
    changed, _ = change()
    length = message(table, root, is_graph=True).total
    for node in changed:
        node.attribute = node.cut = node.branches = node.target = None
    return length


def usable_at(table, root, wanted):
    """Give the attributes that are not tested on all ways to a node."""
    reachable = frozenset()
    waiting = [(root, table.all_attributes())]
    while waiting:
        node, usable = waiting.pop()
        if node is wanted:
            reachable |= usable
        elif node.target is not None:
            waiting.append((node.target, usable))
        else:
            for child in node.branches or []:
                waiting.append((child, below(table, usable, node.attribute)))
    return reachable


# Answers


def probabilities(table, root, row, empty="parent"):
    """Send a case down every branch that it may take, and add up what the leaves say."""
    sent = message(table, root, is_graph=True)
    arrived = {}
    shares = [0.0] * table.n_classes

    def visit(node, weight, above):
        members = sent.members[node]
        counts = table.counts(members)
        own = counts if any(counts) or empty == "uniform" else above
        if node.target is not None:
            arrived.setdefault(node.target, []).append((weight, own))
        elif node.branches is None:
            say(shares, table, own, weight)
        else:
            b = branch_of(table, node.attribute, node.cut, row[node.attribute])
            sizes = [sum(sent.members[child].values()) for child in node.branches]
            for place, child in enumerate(node.branches):
                share = sizes[place] / sum(sizes) if b is None else float(place == b)
                visit(child, weight * share, own)

    visit(root, 1.0, [0.0] * table.n_classes)
    expected = join_sizes(root)
    while arrived:
        target = next(t for t, ends in arrived.items() if len(ends) == expected[t])
        ends = arrived.pop(target)
        above = [sum(own[c] for _, own in ends) for c in range(table.n_classes)]
        visit(target, sum(weight for weight, _ in ends), above)
    return shares


def say(shares, table, counts, weight):
    total = sum(counts) + table.alpha * table.n_classes
    for c in range(table.n_classes):
        shares[c] += weight * (counts[c] + table.alpha) / total
