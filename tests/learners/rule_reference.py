"""PRISM, INDUCT and the answers of rules, slowly and in the words of their definitions."""

from fractions import Fraction
from itertools import pairwise
from math import comb


def rows_of(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def meets(row, condition):
    name, operator, value = condition
    own = row[name]
    if own is None:
        return False
    return {"=": own == value, "<=": operator == "<=" and own <= value, ">": operator == ">" and own > value}[
        operator
    ]


def covers(row, conditions):
    return all(meets(row, condition) for condition in conditions)


def conditions(rows, inside):
    """All conditions that can be made of the values of some cases, in order."""
    for name in rows[0]:
        values = sorted({rows[i][name] for i in inside} - {None})
        if name.startswith("numeric"):
            for low, high in pairwise(values):
                yield from ((name, operator, (low + high) / 2) for operator in ("<=", ">"))
        else:
            yield from ((name, "=", value) for value in values)


def first_best(options, key):
    return next(option for option in options if key(option) == max(map(key, options)))


def purity(option):
    _, kept, correct = option
    return Fraction(correct, len(kept)), correct


def counted(rows, y, inside, label, allowed):
    """Each allowed condition with the cases that meet it, and how many of these have the label."""
    found = []
    for condition in filter(allowed, conditions(rows, inside)):
        kept = [i for i in inside if meets(rows[i], condition)]
        found.append((condition, kept, sum(y[i] == label for i in kept)))
    return found


def prism(rows, y):
    """The rules as pairs of conditions and class."""
    rules = []
    for label in sorted(set(y)):
        left = list(range(len(y)))
        while any(y[i] == label for i in left):
            rule = _prism_rule(rows, y, left, label)
            if not rule and any(y[i] != label for i in left):
                break
            rules.append((rule, label))
            left = [i for i in left if not covers(rows[i], rule)]
    return rules


def _prism_rule(rows, y, left, label):
    rule, inside = [], left
    while any(y[i] != label for i in inside):
        used = {name for name, _, _ in rule}
        found = [
            one for one in counted(rows, y, inside, label, lambda c, used=used: c[0] not in used) if one[2]
        ]
        if not found:
            break
        condition, inside, _ = first_best(found, purity)
        rule.append(condition)
    return rule


def tail(p, t, wanted, total, statistic):
    """The probability that t draws hold at least p wanted cases."""
    if statistic == "binomial":
        q = Fraction(wanted, total)
        return sum(comb(t, i) * q**i * (1 - q) ** (t - i) for i in range(p, t + 1))
    ways = sum(comb(wanted, i) * comb(total - wanted, t - i) for i in range(p, min(t, wanted) + 1))
    return Fraction(ways, comb(total, t))


class Induct:
    """Clauses are (conditions, class, covered, correct, r)."""

    def __init__(self, rows, y, statistic="binomial", search="prism", max_r=1.0):
        self.rows, self.y, self.statistic, self.search, self.max_r = rows, y, statistic, search, max_r
        self.everything = list(range(len(y)))
        self.labels = sorted(set(y))

    def count(self, inside, label):
        return sum(self.y[i] == label for i in inside)

    def majority(self, inside):
        return max(self.labels, key=lambda label: (self.count(inside, label), -self.labels.index(label)))

    def clause(self, left, label):
        r = self._measure(left, label)
        path = [([], left, r(left))]
        while self.count(path[-1][1], label) < len(path[-1][1]):
            before, inside, now = path[-1]
            found = [
                one
                for one in counted(self.rows, self.y, inside, label, lambda _: True)
                if one[2] and len(one[1]) < len(inside)
            ]
            if self.search == "min_r":
                found = [one for one in found if r(one[1]) < now]
            if not found:
                break
            condition, kept, _ = first_best(
                found, lambda one, r=r: (-r(one[1]), one[2]) if self.search == "min_r" else purity(one)
            )
            path.append(([*before, condition], kept, r(kept)))
        while len(path) > 1 and path[-2][2] < path[-1][2]:
            path.pop()
        return path[-1]

    def _measure(self, left, label):
        wanted = self.count(left, label)
        return lambda inside: tail(self.count(inside, label), len(inside), wanted, len(left), self.statistic)

    def best(self, left, labels, *, as_majority=False):
        found = []
        for label in labels:
            rule, inside, r = self.clause(left, label)
            fits = not as_majority or self.majority(inside) == label
            if rule and fits and r <= Fraction(str(self.max_r)):
                found.append((rule, label, len(inside), self.count(inside, label), r))
        return first_best(found, lambda one: (-one[4], one[3])) if found else None

    def rest(self, left, rule):
        return [i for i in left if not covers(self.rows[i], rule)]

    def dnf(self):
        rules = []
        for label in self.labels:
            left = self.everything
            while self.count(left, label) and (found := self.best(left, [label])):
                rules.append(found)
                left = self.rest(left, found[0])
        return rules

    def list(self):
        rules, left = [], self.everything
        while found := self.best(left, self.labels, as_majority=True):
            rules.append(found)
            left = self.rest(left, found[0])
        return rules, self.majority(left)

    def ripple(self):
        default = self.majority(self.everything)
        return self._ripple(self.everything, default), default

    def _ripple(self, left, default):
        found = self.best(left, [c for c in self.labels if c != default and self.count(left, c)])
        if found is None:
            return None
        inside = [i for i in left if covers(self.rows[i], found[0])]
        return (found, self._ripple(inside, found[1]), self._ripple(self.rest(left, found[0]), default))


def walk(tree, default, row):
    """The answer of ripple-down rules, and where the walk ends."""
    answer, place = default, ""
    while tree is not None:
        found, exception, otherwise = tree
        if covers(row, found[0]):
            answer, tree, place = found[1], exception, f"{place}+"
        else:
            tree, place = otherwise, f"{place}-"
    return answer, place


def flat(tree):
    """The clauses of ripple-down rules, each before its exceptions and these before what is otherwise."""
    return [] if tree is None else [tree[0], *flat(tree[1]), *flat(tree[2])]


class Answers:
    """What rules without an order answer; `fired` are lists of booleans, one for each rule."""

    def __init__(self, fired, outcomes, y, labels):
        self.outcomes, self.labels, self.y, self.fired = outcomes, labels, y, fired

    def set(self, own):
        return {outcome for outcome, holds in zip(self.outcomes, own, strict=True) if holds}

    def _covered(self, rule):
        return [label for own, label in zip(self.fired, self.y, strict=True) if own[rule]]

    def decider(self, own):
        def key(rule):
            covered, outcome = self._covered(rule), self.outcomes[rule]
            precision = Fraction(covered.count(outcome) + 1, len(covered) + len(self.labels))
            return precision, len(covered), self.y.count(outcome), -self.labels.index(outcome)

        firing = [rule for rule, holds in enumerate(own) if holds]
        return max(firing, key=key) if firing else None

    def choice(self, own):
        decider = self.decider(own)
        if decider is None:
            return max(self.labels, key=lambda c: (self.y.count(c), -self.labels.index(c)))
        return self.outcomes[decider]

    def probabilities(self, own):
        answer = self.set(own)
        if not answer:
            return [self.y.count(c) / len(self.y) for c in self.labels]
        alike = [c for other, c in zip(self.fired, self.y, strict=True) if self.set(other) == answer]
        if len(answer) == 1 and alike:
            return self._smoothed(alike)
        return self._smoothed(self._covered(self.decider(own)))

    def _smoothed(self, found):
        return [(found.count(c) + 1) / (len(found) + len(self.labels)) for c in self.labels]
