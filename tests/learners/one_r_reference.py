"""1R as its definition says it, one step after the other, without arrays."""

from collections import Counter


class ReferenceOneR:
    """Columns are lists with None for missing; those of floats are numeric."""

    def __init__(self, columns, y, weights=None, small=6):
        self.small = small
        self.classes = sorted(set(y))
        cases = [(label, 1.0 if weights is None else weights[i]) for i, label in enumerate(y)]
        self.all = self._tally(cases)
        self.rules = {name: self._rule(values, cases) for name, values in columns.items()}
        self.correct = {name: self._correct(rule) for name, rule in self.rules.items()}
        self.name = max(columns, key=lambda name: self.correct[name])  # max keeps the first of equals
        self.cuts, self.cells = self.rules[self.name]

    @staticmethod
    def _tally(cases):
        tally = Counter()
        for label, weight in cases:
            tally[label] += weight
        return tally

    @staticmethod
    def _leader(tally):
        best = [label for label, count in tally.items() if count == max(tally.values())]
        return best[0] if len(best) == 1 else None

    def _rule(self, values, cases):
        known = [value for value in values if value is not None]
        numeric = all(isinstance(value, float) for value in known)
        cuts = self._cuts(values, cases) if numeric else None
        cells = {}
        for value, case in zip(values, cases, strict=True):
            cells.setdefault(self._cell(value, cuts), []).append(case)
        return cuts, {cell: self._tally(inside) for cell, inside in cells.items()}

    def _cuts(self, values, cases):
        groups = {}
        for value, case in zip(values, cases, strict=True):
            if value is not None:
                groups.setdefault(value, []).append(case)
        cuts, so_far, last = [], Counter(), None
        for value in sorted(groups):
            group = self._tally(groups[value])
            if last is not None and self._closes(so_far, group):
                cuts.append((last + value) / 2)
                so_far = Counter()
            so_far, last = so_far + group, value
        return cuts

    def _closes(self, so_far, group):
        mine, theirs = self._leader(so_far), self._leader(group)
        if theirs is None or mine is None or mine == theirs:
            return False
        return so_far[mine] > self.small

    @staticmethod
    def _cell(value, cuts):
        if value is None:
            return "missing"
        return value if cuts is None else sum(value >= cut for cut in cuts)

    def _correct(self, rule):
        return sum(max(tally.values()) for tally in rule[1].values())

    def answer(self, value):
        """Give the class counts that speak for a value of the chosen attribute."""
        cell = self._cell(value, self.cuts)
        if cell not in self.cells and self.cuts is None:
            cell = "missing"  # an unknown category
        return self.cells.get(cell, self.all)

    def probabilities(self, value, alpha=0.0):
        tally = self.answer(value)
        total = sum(tally.values()) + alpha * len(self.classes)
        return [(tally[label] + alpha) / total for label in self.classes]

    def predict(self, value):
        tally = self.answer(value)
        return max(self.classes, key=lambda label: tally[label])
