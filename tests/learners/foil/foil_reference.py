"""Propositional FOIL in plain Python, case by case as its program reads them: slow, but easy to check by eye."""

import math
from dataclasses import dataclass, field

import numpy as np

f32 = np.float32
LN2 = 0.693147


def lg(x):
    return math.log(x) / LN2


def log2_factorials(n):
    """Sums that the program keeps in 32 bits; only for fewer than 1000 cases."""
    sums = [f32(0)]
    for i in range(1, n + 1):
        sums.append(f32(float(sums[-1]) + lg(i)))
    return [float(s) for s in sums]


@dataclass(frozen=True)
class Literal:
    """An attribute, an operator ("=", "!=", ">", "<=") and a value."""

    attribute: int
    operator: str
    value: object
    bits: float = field(default=0.0, compare=False)
    weak: int = field(default=0, compare=False)

    def holds(self, case):
        own = case[self.attribute]
        if own is None:
            return False
        return {
            "=": own == self.value,
            "!=": own != self.value,
            ">": self.operator == ">" and own > self.value,
            "<=": self.operator == "<=" and own <= self.value,
        }[self.operator]


@dataclass
class Listed:
    gain: float
    literal: Literal
    positive: int
    total: int


class Foil:
    """One class against the others: `cases` are tuples with None for missing, numbers already in 32 bits."""

    def __init__(self, cases, flags, numeric, *, negation=True, pruning=True, paper=False, min_accuracy=0.8):
        self.numeric, self.negation, self.pruning = numeric, negation, pruning
        self.add, self.min_accuracy = 0 if paper else 1, f32(min_accuracy)
        self.positive = [case for case, flag in zip(cases, flags, strict=True) if flag]
        self.negative = [case for case, flag in zip(cases, flags, strict=True) if not flag]
        self.world = len(cases)
        self.factorials = log2_factorials(self.world)
        self.constants = {
            a: sorted({case[a] for case in cases} - {None}) for a in range(len(numeric)) if not numeric[a]
        }

    def info(self, p, t):
        return f32(lg(t + self.add) - lg(p + self.add))

    def encode(self, covered):
        ways = self.factorials[self.world] - self.factorials[covered]
        return 1.1 * (lg(self.world) + (ways - self.factorials[self.world - covered]))

    def definition(self):
        self.left, self.against = list(self.positive), list(self.negative)
        clauses = []
        while self.left:
            clause = self.grow()
            if self.pruning:
                clause = self.trim(clause)
            p = sum(covers(clause, case) for case in self.left)
            n = sum(covers(clause, case) for case in self.negative)
            if not clause or p + 1e-3 < float(f32(self.min_accuracy * f32(p + n))):
                break
            clauses.append(clause)
            self.left = [case for case in self.left if not covers(clause, case)]
        return self.sift(clauses) if self.pruning else clauses

    def grow(self):
        self.points, recoveries, self.saved = [], 20, None
        clause, self.pos, self.neg = [], self.left, self.against
        while self.neg:
            listed, noted = self.examine(clause)
            if noted:
                self.saved = (
                    [*clause, noted.literal],
                    f32(noted.positive) / f32(noted.total),
                    noted.positive,
                )
            if listed:
                self.keep_alternatives(clause, listed)
                clause = [*clause, listed[0].literal]
                self.pos = [case for case in self.pos if clause[-1].holds(case)]
                self.neg = [case for case in self.neg if clause[-1].holds(case)]
            elif not self.saved and self.points and recoveries:
                recoveries -= 1
                _, clause = self.points.pop(0)
                self.pos = [case for case in self.left if covers(clause, case)]
                self.neg = [case for case in self.against if covers(clause, case)]
            else:
                break
        own = f32(len(self.pos)) / f32(len(self.pos) + len(self.neg))
        if self.saved:
            other, accuracy, cover = self.saved
            if (accuracy, cover, -cost(other)) > (own, len(self.pos), -cost(clause)):
                return other
        return clause

    def keep_alternatives(self, clause, listed):
        start = self.info(len(self.left), len(self.left) + len(self.negative))
        for other in listed[1:]:
            if other.gain >= f32(f32(0.8) * listed[0].gain):
                value = f32(f32(other.positive) * f32(start - self.info(other.positive, other.total)))
                place = len(self.points)
                while place and self.points[place - 1][0] < value:
                    place -= 1
                self.points.insert(place, (value, [*clause, other.literal]))
                del self.points[20:]

    def examine(self, clause):
        self.clause, self.listed, self.noted = clause, [], None
        self.spent = f32(0)
        for i, literal in enumerate(clause):
            self.spent = f32(self.spent + max(f32(float(literal.bits) - lg(i + 1.001)), f32(0)))
        self.weak = clause[-1].weak if clause else 0
        self.base = self.info(len(self.pos), len(self.pos) + len(self.neg))
        self.most = f32(f32(len(self.pos)) * self.base)
        bound = {literal.attribute for literal in clause if literal.operator == "="}
        tests = [(a, v) for a, values in self.constants.items() if a not in bound for v in values]
        numbers = [a for a, is_numeric in enumerate(self.numeric) if is_numeric]
        n_relations = bool(tests) + bool(numbers)
        for candidates, look in ((tests, self.look_at_test), (numbers, self.look_at_numbers)):
            if not candidates or (self.listed and self.listed[0].gain >= self.most):
                continue
            bits = f32(float(f32(lg(n_relations) + lg(len(candidates) + 1e-3))) + 1.0)
            credit = lg(len(clause) + 1.001)
            if float(bits) - credit <= f32(self.encode(len(self.pos)) - float(self.spent)):
                self.limit = f32(self.spent + max(f32(float(bits) - credit), f32(0)))
                for candidate in candidates:
                    look(candidate, bits)
        return self.listed, self.noted

    def look_at_test(self, test, bits):
        attribute, value = test
        useful = f32(self.useful())
        least = f32(float(f32(useful / self.base)) - 0.001) - 1e-3
        needed = self.least_saved()
        possible = [True, self.negation]
        seen = [0, 0]  # positives with the value, without it
        missing = 0
        for case in self.pos:
            if case[attribute] is None:
                missing += 1
                continue
            side = 0 if case[attribute] == value else 1
            other = 1 - side
            left = len(self.pos) - seen[side]
            seen[side] += 1
            if left < needed and len(self.pos) - seen[side] - missing < least:
                possible[other] = False
        for side in (0, 1):
            possible[side] &= self.encode(seen[side]) > self.limit
            if not seen[side]:
                possible[side] = False
        kept = [0, 0]
        for case in self.neg:
            if case[attribute] is None:
                continue
            side = 0 if case[attribute] == value else 1
            kept[side] += 1
            if seen[side]:
                difference = f32(self.base - f32(useful / f32(seen[side])))
                most = f32(float(f32(seen[side] + self.add)) * (math.exp(LN2 * float(difference)) - 1))
                possible[side] &= kept[side] <= float(most) + 1e-3
        self.judge(possible, seen, kept, [Literal(attribute, op, value, bits) for op in ("=", "!=")])

    def look_at_numbers(self, attribute, bits):
        # the program sorts its cases in place, and the order matters where nominal values are missing
        arrange(self.pos, attribute)
        arrange(self.neg, attribute)
        values = sorted({case[attribute] for case in [*self.pos, *self.neg]} - {None})
        classes = [
            {flag for side, flag in ((self.pos, 1), (self.neg, 0)) if any(c[attribute] == v for c in side)}
            for v in values
        ]
        best, chosen = None, None
        for i in range(len(values) - 1):
            if len(classes[i] | classes[i + 1]) < 2:
                continue
            seen, kept = self.parted(attribute, values[i])
            gain = max(self.gain(p, p + n) for p, n in zip(seen, kept, strict=True))
            if best is None or gain > best:
                best, chosen = gain, (values[i], seen, kept)
        if best is None or best < 0:
            return
        cut, seen, kept = chosen
        possible = [seen[side] > 0 and self.encode(seen[side]) > self.limit for side in (0, 1)]
        bits = f32(float(bits) + lg(len(values) - 1))
        self.judge(possible, seen, kept, [Literal(attribute, op, cut, bits) for op in (">", "<=")])

    def parted(self, attribute, cut):
        counts = []
        for side in (self.pos, self.neg):
            known = [case[attribute] for case in side if case[attribute] is not None]
            above = sum(value > cut for value in known)
            counts.append((above, len(known) - above))
        return counts

    def gain(self, p, t):
        return f32(f32(p) * f32(self.base - self.info(p, t))) if p else f32(0)

    def judge(self, possible, seen, kept, literals):
        if not any(possible):
            return
        start, ratio = len(self.left), f32(len(self.pos)) / f32(len(self.pos) + len(self.neg))
        totals = [p + n for p, n in zip(seen, kept, strict=True)]
        gains, weak = [f32(0), f32(0)], [True, True]
        for side in (0, 1):
            if possible[side]:
                whole = not kept[side] and seen[side] == start
                gains[side] = self.most if whole else self.gain(seen[side], totals[side])
                share = seen[side] / (totals[side] + 1e-3)
                weak[side] = totals[1 - side] == 0 or share <= 0.9999 * float(ratio)
        if self.weak >= 3 and all(weak):
            return
        self.note(possible, seen, totals, literals)
        for side in (0, 1):
            idle = self.saved is not None and not float(self.saved[1]) < 0.999 and weak[side]
            if float(gains[side]) > 1e-3 and not idle:
                own = literals[side]
                count = self.weak + 1 if weak[side] else 0
                literal = Literal(own.attribute, own.operator, own.value, own.bits, count)
                self.propose(Listed(gains[side], literal, seen[side], totals[side]), side == 0)

    def note(self, possible, seen, totals, literals):
        accuracy = [
            f32(p) / f32(t) if can else None for p, t, can in zip(seen, totals, possible, strict=True)
        ]
        side = 0 if possible[0] and (not possible[1] or accuracy[0] > accuracy[1]) else 1
        best, cover = (self.saved[1], self.saved[2]) if self.saved else (f32(0), 0)
        if self.noted:
            best, cover = f32(self.noted.positive) / f32(self.noted.total), self.noted.positive
        better = accuracy[side] > best or (accuracy[side] == best and seen[side] > cover)
        if float(accuracy[side]) >= float(self.min_accuracy) - 1e-3 and better:
            self.noted = Listed(f32(0), literals[side], seen[side], totals[side])

    def propose(self, new, unnegated):
        place = len(self.listed)
        while place:
            above = self.listed[place - 1]
            tied = new.gain == above.gain and unnegated and above.literal.operator in ("!=", "<=")
            if not (float(new.gain) > float(above.gain) + 1e-3 or tied):
                break
            place -= 1
        self.listed.insert(place, new)
        del self.listed[5:]

    def useful(self):
        best = float(f32(0.8)) * float(self.listed[0].gain) if self.listed else 0.0
        return best if len(self.listed) < 5 else max(best, float(self.listed[4].gain))

    def least_saved(self):
        if len(self.clause) >= 5:
            return len(self.positive)
        cover = self.noted.positive if self.noted else self.saved[2] if self.saved else 0
        return next(
            (c for c in range(cover + 1, self.world + 1) if self.encode(c) > self.limit), self.world + 1
        )

    def trim(self, clause):
        errors = sum(covers(clause, case) for case in self.negative)
        covered = [case for case in self.left if covers(clause, case)]
        asked = [literal for literal in clause if literal.operator == "="]
        rest = [literal for literal in clause if literal.operator != "="]
        bound = {literal.attribute for literal in asked}
        shared = [
            Literal(a, "=", covered[0][a])
            for a in self.constants
            if a not in bound and covered[0][a] is not None and len({case[a] for case in covered}) == 1
        ]
        clause = [*reversed(shared), *reversed(asked), *rest]
        for literal in reversed(list(clause)):
            shorter = [other for other in clause if other is not literal]
            if sum(covers(shorter, case) for case in self.negative) <= errors:
                clause = shorter
        return clause

    def sift(self, clauses):
        while True:
            unique = {
                own[0]
                for case in self.positive
                if len(own := [i for i, clause in enumerate(clauses) if covers(clause, case)]) == 1
            }
            idle = [i for i in range(len(clauses)) if i not in unique]
            if not idle:
                return clauses
            del clauses[idle[-1]]


def covers(clause, case):
    return all(literal.holds(case) for literal in clause)


def cost(clause):
    return sum(max(f32(float(literal.bits) - lg(i)), f32(0)) for i, literal in enumerate(clause, 1))


def arrange(cases, attribute):
    """Sort in place as the program does: missing first, then by halves about the middle case."""
    start = 0
    for i in range(len(cases)):
        if cases[i][attribute] is None:
            cases[start], cases[i] = cases[i], cases[start]
            start += 1
    sort_between(cases, start, len(cases) - 1, attribute)


def sort_between(cases, low, high, attribute):
    if low >= high:
        return
    pivot, middle = cases[(low + high) // 2][attribute], low
    for i in range(low, high + 1):
        if cases[i][attribute] < pivot:
            cases[middle], cases[i] = cases[i], cases[middle]
            middle += 1
    sort_between(cases, low, middle - 1, attribute)
    for i in range(middle, high + 1):
        if cases[i][attribute] == pivot:
            cases[middle], cases[i] = cases[i], cases[middle]
            middle += 1
    sort_between(cases, middle, high, attribute)
