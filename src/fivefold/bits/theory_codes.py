"""The codes of theories: how trees and rules are sent to one who knows the questions, bit by bit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fivefold.data.conditions import (
    Above,
    AtMost,
    Equals,
    IsMissing,
    NotEquals,
    OneOf,
    Term,
    Within,
    category_code,
    find_column,
    numeric_values,
)
from fivefold.errors import InputError, show
from fivefold.formulas import (
    AdaptiveCoder,
    log2_arrangements,
    log2_binomial,
    log2_proper_halvings,
    universal_integer_length,
)
from fivefold.inputs.columns import Column
from fivefold.learners.theories import (
    DecisionTree,
    Leaf,
    Node,
    NominalCells,
    NominalEquals,
    NominalMultiway,
    NumericCells,
    NumericSplit,
    RippleDownNode,
    RippleDownTree,
    RuleList,
    RuleSet,
    SingleAttributeRule,
    Split,
    Theory,
)
from fivefold.results import LOWER, Result

HINT = "pass the questions that the model was fitted on"
LEAF, INTERNAL = 0, 1
STOP, CONTINUE = 0, 1
ABSENT, PRESENT = 0, 1
FIRST, SECOND = 0, 1  # the operators: = and <=, != and >
_NO_VALUE = np.iinfo(np.int32).max
_PARTS = ("structure", "attributes", "values", "classes", "counts", "refund")


@dataclass(frozen=True)
class TheoryLength(Result, title="Description length of the theory", unit="bits", direction=LOWER):
    """The bits of a theory by what they are spent on.

    Parameters
    ----------
    kind : str
        What sort of theory it is.
    size : int
        The number of leaves, rules or cells that were sent.
    structure : float
        Where branches and rules end, and what is there at all.
    attributes : float
        Which attributes are tested.
    values : float
        Which cuts, values and operators they are tested with.
    classes : float
        Which classes are answered.
    counts : float
        How many rules or intervals there are.
    refund : float
        Zero or less: what was paid for an order that has no meaning.
    unsent : int
        Branches, conditions, rules and cells that make no difference to any of the questions, so that
        nothing was sent for them. None on the questions that a model was fitted on, as a rule.
    """

    kind: str
    size: int
    structure: float
    attributes: float
    values: float
    classes: float
    counts: float
    refund: float
    unsent: int

    @property
    def total(self) -> float:
        """All bits together."""
        return self.structure + self.attributes + self.values + self.classes + self.counts + self.refund

    @property
    def value(self) -> float:
        """The same."""
        return self.total

    def columns(self) -> Mapping[str, Any]:
        """Give the parts, one a row."""
        return {"part": list(_PARTS), "bits": [getattr(self, part) for part in _PARTS]}

    def __str__(self) -> str:
        spent = ", ".join(f"{part} {getattr(self, part):.1f}" for part in _PARTS if getattr(self, part))
        unsent = f"; parts that touch no question and are not sent: {self.unsent}" if self.unsent else ""
        return f"{self.total:.1f} bits for a {self.kind} of size {self.size}: {spent}{unsent}"


def code_theory(theory: Theory, columns: Sequence[Column]) -> TheoryLength | None:
    """Price a theory for one who knows the questions; None if it says something that its code has no words for."""
    try:
        if isinstance(theory, DecisionTree):
            kind, ledger = "decision tree", _TreeCoder(theory, columns).run()
        elif isinstance(theory, RuleSet | RuleList):
            kind = "rule set" if isinstance(theory, RuleSet) else "rule list"
            ledger = _code_rules(theory, columns)
        elif isinstance(theory, RippleDownTree):
            kind, ledger = "ripple-down tree", _code_ripple_down(theory, columns)
        else:
            kind, ledger = "single-attribute rule", _code_single_attribute_rule(theory, columns)
    except NoCodeError:
        return None
    return TheoryLength(kind=kind, **vars(ledger))


class NoCodeError(Exception):
    """A theory says something that its code has no words for, whatever the questions are."""


@dataclass
class Ledger:
    """The bits spent so far."""

    structure: float = 0.0
    attributes: float = 0.0
    values: float = 0.0
    classes: float = 0.0
    counts: float = 0.0
    refund: float = 0.0
    unsent: int = 0
    size: int = 0


def no_word(test: str, column: str) -> InputError:
    """Make the error for a test that splits the given questions in a way the code cannot name."""
    return InputError(f"questions that have values on both sides of {test}", f"those of {show(column)}", HINT)


def distinct_values(column: Column) -> NDArray[np.float64]:
    """Give the different known numbers of a numeric column in order."""
    return np.unique(column.values[~column.missing])


def _ranks(column: Column) -> NDArray[np.int32]:
    if column.categories is not None:
        return np.asarray(column.values, dtype=np.int32)
    ranks = np.searchsorted(distinct_values(column), column.values).astype(np.int32)
    ranks[column.missing] = -1
    return ranks


class _TreeCoder:
    def __init__(self, tree: DecisionTree, columns: Sequence[Column]) -> None:
        if not columns or not len(columns[0]):
            raise InputError("at least one question", f"{len(columns)} columns without rows")
        self.tree, self.placed, self.ledger = tree, tree.missing == "placed", Ledger()
        self.columns = {column.name: column for column in columns}
        self.places = {column.name: place for place, column in enumerate(columns)}
        # all values as ranks, so that it is quick to see which columns still vary among some rows
        self.codes = np.column_stack([_ranks(column) for column in columns])
        self.known = np.where(self.codes < 0, _NO_VALUE, self.codes)
        self.node_type = AdaptiveCoder(2)
        self.attribute = AdaptiveCoder(len(columns))
        self.leaf_class = AdaptiveCoder(len(tree.classes))
        leaves = [node for node in tree.nodes() if isinstance(node, Leaf)]
        self.set_valued = any(len(leaf.classes) != 1 for leaf in leaves)
        self.leaf_size = AdaptiveCoder(len(tree.classes) + 1)

    def run(self) -> Ledger:
        waiting = [(self.tree.root, np.arange(len(self.codes)))]
        while waiting:
            node, rows = waiting.pop()
            waiting.extend(reversed(self._code_node(node, rows)))
        return self.ledger

    def _code_node(self, node: Node, rows: NDArray[np.intp]) -> list[tuple[Node, NDArray[np.intp]]]:
        node, parts = self._reach(node, rows)
        least = (self.codes if self.placed else self.known)[rows].min(axis=0)
        varying = least < self.codes[rows].max(axis=0)
        if varying.any():
            self.ledger.structure += self.node_type.cost(LEAF if isinstance(node, Leaf) else INTERNAL)
        if isinstance(node, Leaf):
            self._code_leaf(node)
            return []
        place = self.places[node.column]
        self.ledger.attributes += self.attribute.cost(place, varying)
        self.ledger.values += self._cut_cost(node, self.codes[rows, place])
        return self._in_order(node, parts, place)

    def _reach(self, node: Node, rows: NDArray[np.intp]) -> tuple[Node, list[NDArray[np.intp]]]:
        # A test that all questions pass the same way cannot be seen in their answers and is not sent.
        while not isinstance(node, Leaf):
            column = find_column(self.columns, node.column)
            self._check_missing_branch(node, column, rows)
            parts = node.route(column, rows)
            taken = [place for place, part in enumerate(parts) if part.size]
            self.ledger.unsent += len(parts) - len(taken)
            if not taken:
                raise InputError(
                    f"known values of {show(node.column)} at every test of it", "only missing ones", HINT
                )
            if len(taken) > 1:
                return node, parts
            node = node.branches[taken[0]]
        return node, []

    def _check_missing_branch(self, node: Split, column: Column, rows: NDArray[np.intp]) -> None:
        if (
            self.placed
            and isinstance(node, NominalMultiway)
            and node.missing is None
            and (column.values[rows] < 0).any()
        ):
            raise InputError(
                f"a branch for missing values at a test of {show(node.column)}", "a tree without one there"
            )

    def _cut_cost(self, node: Split, codes: NDArray[np.int32]) -> float:
        if isinstance(node, NominalMultiway):
            return 0.0
        known = np.unique(codes[codes >= 0])
        missing = self.placed and bool((codes < 0).any())
        if isinstance(node, NumericSplit):
            # with missing values: each gap with them on either side, or all known values on one side
            return math.log2(2 * known.size - 1 if missing else known.size - 1)
        if isinstance(node, NominalEquals):
            if category_code(self.columns[node.column], node.value) not in known:
                raise no_word(f"{node.column} = {node.value}", node.column)
            return math.log2(known.size) + missing
        return log2_proper_halvings(known.size + missing)

    def _in_order(
        self, node: Split, parts: list[NDArray[np.intp]], place: int
    ) -> list[tuple[Node, NDArray[np.intp]]]:
        # The receiver must know which branch comes first: that of the lowest known value, missing ones last.
        # "= v" has its own order, since v itself is sent.
        sent = [(child, part) for child, part in zip(node.branches, parts, strict=True) if part.size]
        if isinstance(node, NominalEquals):
            return sent
        return sorted(sent, key=lambda branch: self.known[branch[1], place].min())

    def _code_leaf(self, leaf: Leaf) -> None:
        self.ledger.size += 1
        if self.set_valued:
            size = len(leaf.classes)
            self.ledger.classes += self.leaf_size.cost(size)
            self.ledger.classes += log2_binomial(len(self.tree.classes), size)
        else:
            self.ledger.classes += self.leaf_class.cost(self.tree.classes.index(leaf.classes[0]))


class Word(NamedTuple):
    """One condition: which column, which operator, and which of the column's values or gaps."""

    place: int
    operator: int
    choice: int


class NeverHoldsError(Exception):
    """A condition that holds for none of the questions and has no word."""


class Vocabulary:
    """The words that the questions allow."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = {column.name: column for column in columns}
        self._places = {column.name: place for place, column in enumerate(columns)}
        self._distinct = {c.name: distinct_values(c) for c in columns if c.categories is None}
        self.nominal = np.array([column.categories is not None for column in columns])
        # numeric: the gaps between values; nominal: the values
        self.choices = [
            len(self._distinct[c.name]) - 1 if c.categories is None else len(c.categories) for c in columns
        ]
        least = np.where(self.nominal, 2, 1)
        self.usable: NDArray[np.bool_] = np.asarray(self.choices) >= least

    def words(self, terms: Sequence[Term]) -> tuple[list[Word], int]:
        """Write a conjunction in words, and count the conditions that need none because they always hold."""
        found = [self._word(simple) for term in terms for simple in self._simple(term)]
        words = [word for word in found if word is not None]
        return words, len(found) - len(words)

    def _simple(self, term: Term) -> list[Term]:
        if isinstance(term, IsMissing):
            raise NoCodeError
        if isinstance(term, OneOf):
            return self._one_of(term)
        if isinstance(term, Within):
            low = [Above(term.column, term.low)] if math.isfinite(term.low) else []
            high = [AtMost(term.column, term.high)] if math.isfinite(term.high) else []
            return [*low, *high] or self._known(term)
        return [term]

    def _one_of(self, term: OneOf) -> list[Term]:
        column = find_column(self._columns, term.column)
        codes = {category_code(column, value) for value in term.values} - {-2}
        categories = column.categories or ()
        others = [value for code, value in enumerate(categories) if code not in codes]
        if not codes:
            raise NeverHoldsError
        if len(codes) == 1:
            return [Equals(term.column, categories[codes.pop()])]
        if not others:
            return self._known(term)
        if len(others) == 1:
            return [NotEquals(term.column, others[0])]
        raise NoCodeError

    def _word(self, term: Term) -> Word | None:
        column = find_column(self._columns, term.column)
        place = self._places[term.column]
        if isinstance(term, AtMost | Above):
            numeric_values(column)
            distinct = self._distinct[term.column]
            below = int(np.searchsorted(distinct, term.cut, side="right"))
            upwards = isinstance(term, Above)
            if below == (len(distinct) if upwards else 0):
                raise NeverHoldsError
            if below in (0, len(distinct)):
                self._known(term)
                return None
            return Word(place, SECOND if upwards else FIRST, below - 1)
        if isinstance(term, Equals | NotEquals):
            return self._nominal_word(term, column, place)
        raise NoCodeError

    def _nominal_word(self, term: Equals | NotEquals, column: Column, place: int) -> Word | None:
        code = category_code(column, term.value)
        if self.usable[place] and code >= 0:
            return Word(place, FIRST if isinstance(term, Equals) else SECOND, code)
        if (code >= 0) != isinstance(term, Equals):
            raise NeverHoldsError
        self._known(term)
        return None

    def _known(self, term: Term) -> list[Term]:
        # The condition holds for every known value: it says nothing, unless it tells known from missing.
        if find_column(self._columns, term.column).missing.any():
            raise no_word(str(term), term.column)
        return []


def _code_rules(theory: RuleSet | RuleList, columns: Sequence[Column]) -> Ledger:
    vocabulary, ledger, classes = Vocabulary(columns), Ledger(), theory.classes
    read = [(_read(rule.terms, vocabulary, ledger), classes.index(rule.outcome)) for rule in theory.rules]
    rules = [(words, label) for words, label in read if words is not None]
    if isinstance(theory, RuleSet):
        # The order is refunded as if all orders cost the same. They do not: a nominal column that a rule has used
        # up makes the rest of the rule cheaper, the more so the commoner the column is. An order by length favours
        # no column, and longest first wastes least, since then all columns are still about equally common.
        rules.sort(key=lambda rule: (-len(rule[0]), sorted(rule[0]), rule[1]))
        sorts = Counter((tuple(sorted(words)), label) for words, label in rules)
        ledger.refund -= log2_arrangements(sorts.values())
    coder = _ConditionCoder(vocabulary, ledger, [words for words, _ in rules])
    outcome = AdaptiveCoder(len(classes))
    ledger.size = len(rules)
    ledger.counts += universal_integer_length(len(rules) + 1)
    for words, label in rules:
        coder.code(words)
        if isinstance(theory, RuleList) or theory.target is None:
            ledger.classes += outcome.cost(label)
    ledger.structure += 1.0
    if theory.default is not None:
        ledger.classes += outcome.cost(classes.index(theory.default))
    return ledger


def _code_ripple_down(theory: RippleDownTree, columns: Sequence[Column]) -> Ledger:
    vocabulary, ledger = Vocabulary(columns), Ledger()
    read = {id(node): _read(node.terms, vocabulary, ledger) for node in theory.nodes()}
    coder = _ConditionCoder(vocabulary, ledger, [words for words in read.values() if words is not None])
    outcome = AdaptiveCoder(len(theory.classes))
    flags = {"exception": AdaptiveCoder(2), "otherwise": AdaptiveCoder(2)}

    def settle(node: RippleDownNode | None) -> RippleDownNode | None:
        while node is not None and read[id(node)] is None:
            node = node.otherwise
        return node

    root = settle(theory.root)
    if root is None:
        raise InputError("a rule that holds for one of the questions", "none in the theory", HINT)
    waiting: list[tuple[str, RippleDownNode]] = [("rule", root)]
    while waiting:
        part, node = waiting.pop()
        if part == "rule":
            ledger.size += 1
            coder.code(read[id(node)] or [])
            ledger.classes += outcome.cost(theory.classes.index(node.outcome))
            waiting += [("otherwise", node), ("exception", node)]
            continue
        after = settle(node.exception if part == "exception" else node.otherwise)
        ledger.structure += flags[part].cost(ABSENT if after is None else PRESENT)
        if after is not None:
            waiting.append(("rule", after))
    return ledger


def _read(terms: Sequence[Term], vocabulary: Vocabulary, ledger: Ledger) -> list[Word] | None:
    try:
        words, unsent = vocabulary.words(terms)
    except NeverHoldsError:
        ledger.unsent += 1
        return None
    ledger.unsent += unsent
    return words


class _ConditionCoder:
    def __init__(self, vocabulary: Vocabulary, ledger: Ledger, rules: Iterable[list[Word]]) -> None:
        self.vocabulary, self.ledger = vocabulary, ledger
        self.flag = AdaptiveCoder(2)
        self.attribute = AdaptiveCoder(len(vocabulary.choices))
        self.operators = {True: AdaptiveCoder(2), False: AdaptiveCoder(2)}
        # Two exclusions of values of one nominal column make sense. Whether rules may do so is part of the
        # kind of theory, which the receiver knows.
        uses = [Counter(word.place for word in words if vocabulary.nominal[word.place]) for words in rules]
        self.once = all(count == 1 for used in uses for count in used.values())

    def code(self, words: list[Word]) -> None:
        allowed = self.vocabulary.usable.copy()
        ledger, is_nominal = self.ledger, self.vocabulary.nominal
        # the order is refunded, so it must cost no less than the others: common columns are used up last
        for word in sorted(words, key=lambda w: (is_nominal[w.place], self.attribute.weight(w.place), w)):
            nominal = bool(is_nominal[word.place])
            ledger.structure += self.flag.cost(CONTINUE)
            ledger.attributes += self.attribute.cost(word.place, allowed)
            ledger.values += self.operators[nominal].cost(word.operator)
            ledger.values += math.log2(self.vocabulary.choices[word.place])
            if nominal and self.once:
                allowed[word.place] = False
        if allowed.any():
            ledger.structure += self.flag.cost(STOP)
        ledger.refund -= log2_arrangements(Counter(words).values())


def _code_single_attribute_rule(rule: SingleAttributeRule, columns: Sequence[Column]) -> Ledger:
    column = find_column(columns, rule.column)
    ledger = Ledger(attributes=math.log2(len(columns)))
    coder = AdaptiveCoder(len(rule.classes))
    cells = rule.cells
    if isinstance(cells, NominalCells):
        _code_nominal(cells, column, rule, coder, ledger)
    else:
        _code_numeric(cells, column, rule, coder, ledger)
    if column.missing.any():
        ledger.structure += 1.0
        if rule.missing is not None:
            ledger.classes += coder.cost(rule.classes.index(rule.missing))
            ledger.size += 1
    elif rule.missing is not None:
        ledger.unsent += 1
    return ledger


def _code_nominal(
    cells: NominalCells, column: Column, rule: SingleAttributeRule, coder: AdaptiveCoder, ledger: Ledger
) -> None:
    outcomes = {category_code(column, value): label for value, label in cells.outcomes}
    taken = np.unique(column.values[column.values >= 0]).tolist()
    for code in taken:
        if code not in outcomes:
            raise InputError(
                f"a class for every value of {show(column.name)}",
                f"none for {show((column.categories or ())[code])}",
                HINT,
            )
        ledger.classes += coder.cost(rule.classes.index(outcomes[code]))
    ledger.size = len(taken)
    ledger.unsent += len(cells.outcomes) - len(taken)


def _code_numeric(
    cells: NumericCells, column: Column, rule: SingleAttributeRule, coder: AdaptiveCoder, ledger: Ledger
) -> None:
    distinct = distinct_values(column) if numeric_values(column).size else np.empty(0)
    if not distinct.size:  # no question has a known value, so there are no cells to send
        ledger.unsent += len(cells.outcomes)
        return
    labels = [cells.outcomes[i] for i in np.searchsorted(cells.cuts, distinct, side="left").tolist()]
    merged = [label for i, label in enumerate(labels) if i == 0 or label != labels[i - 1]]
    ledger.counts += universal_integer_length(len(merged))
    ledger.values += log2_binomial(distinct.size - 1, len(merged) - 1)
    allowed = np.ones(len(rule.classes), dtype=bool)
    for label in merged:
        symbol = rule.classes.index(label)
        ledger.classes += coder.cost(symbol, allowed)
        allowed = np.arange(allowed.size) != symbol
    ledger.size = len(merged)
    ledger.unsent += len(cells.outcomes) - len(merged)
