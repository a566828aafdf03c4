"""ID3 as its definition says it: nested tuples and plain lists."""

from collections import Counter
from itertools import pairwise
from math import inf, log2

EPSILON = 1e-12


class ReferenceID3:
    """Columns are lists with None for missing; those named "numeric…" hold floats."""

    def __init__(self, columns, y, allow_zero_gain=True):
        self.columns, self.y, self.allow_zero_gain = columns, y, allow_zero_gain
        self.classes = sorted(set(y))
        self.values = {name: sorted({v for v in column if v is not None}) for name, column in columns.items()}
        self.root = self._grow(list(range(len(y))), [n for n in columns if not n.startswith("numeric")])

    def _entropy(self, rows):
        return -sum(n / len(rows) * log2(n / len(rows)) for n in Counter(self.y[i] for i in rows).values())

    def _gain(self, rows, parts):
        after = sum(len(part) / len(rows) * self._entropy(part) for part in parts if part)
        return self._entropy(rows) - after

    def _nominal(self, rows, name):
        return {v: [i for i in rows if self.columns[name][i] == v] for v in [*self.values[name], None]}

    def _numeric(self, rows, name, cut):
        parts = {True: [], False: []}
        for i in rows:
            if self.columns[name][i] is not None:
                parts[self.columns[name][i] <= cut].append(i)
        larger = len(parts[True]) >= len(parts[False])
        parts[larger] += [i for i in rows if self.columns[name][i] is None]
        return parts, larger

    def _candidates(self, rows, unused):
        for name in self.columns:
            if name.startswith("numeric"):
                known = sorted({self.columns[name][i] for i in rows} - {None})
                for low, high in pairwise(known):
                    parts, larger = self._numeric(rows, name, (low + high) / 2)
                    yield name, (low + high) / 2, parts, larger
            elif name in unused:
                yield name, None, self._nominal(rows, name), None

    def _grow(self, rows, unused):
        counts = Counter(self.y[i] for i in rows)
        leaf = ("leaf", counts)
        if len(counts) == 1:
            return leaf
        best, best_gain = None, -inf
        for candidate in self._candidates(rows, unused):
            parts = [part for part in candidate[2].values() if part]
            gain = self._gain(rows, parts)
            if len(parts) > 1 and gain > best_gain + EPSILON:
                best, best_gain = candidate, gain
        if best is None or (best_gain <= EPSILON and not self.allow_zero_gain):
            return leaf
        name, cut, parts, larger = best
        left = [other for other in unused if other != name]
        children = {value: self._grow(part, left) for value, part in parts.items() if part}
        return ("test", counts, name, cut, larger, children)

    def answer(self, case, missing_fails=False):
        """Give the class counts that speak for a case; None if a test fails."""
        node = self.root
        while node[0] == "test":
            _, counts, name, cut, larger, children = node
            value = case[name]
            unseen = cut is None and value not in self.values[name]
            if missing_fails and (value is None or unseen):
                return None
            branch = value if cut is None else larger if value is None else value <= cut
            if branch not in children:
                return counts
            node = children[branch]
        return node[1]
