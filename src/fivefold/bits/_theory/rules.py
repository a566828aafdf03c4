"""The codes of rule sets, rule lists and ripple-down trees."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from fivefold.bits._theory.ledger import HINT, ClassCoder, Ledger
from fivefold.bits._theory.vocabulary import NeverHoldsError, Vocabulary, Word
from fivefold.data.conditions import Rule, Term
from fivefold.errors import InputError
from fivefold.formulas.adaptive import AdaptiveCoder
from fivefold.formulas.integers import log2_arrangements, universal_integer_length
from fivefold.inputs.columns import Column
from fivefold.learners._nodes import Label
from fivefold.learners.theories import RippleDownNode, RippleDownTree, RuleList, RuleSet

STOP, CONTINUE = 0, 1
ABSENT, PRESENT = 0, 1
Conditions: TypeAlias = list[Word]


def code_rule_set(theory: RuleSet, columns: Sequence[Column]) -> Ledger:
    """Price rules without an order."""
    vocabulary, ledger = Vocabulary(columns), Ledger()
    rules = _read_rules(theory.rules, vocabulary, ledger)
    # The order is refunded as if all orders cost the same. They do not: a nominal column that a rule has used up
    # makes the rest of the rule cheaper, the more so the commoner the column is. An order by length favours no
    # column, and longest first wastes least, since then all columns are still about equally common.
    rules.sort(key=lambda rule: (-len(rule[0]), sorted(rule[0]), theory.classes.index(rule[1])))
    sorts = Counter((tuple(sorted(words)), label) for words, label in rules)
    ledger.refund -= log2_arrangements(sorts.values())
    _code_rules(rules, theory.default, theory.classes, vocabulary, ledger, say_class=theory.target is None)
    return ledger


def code_rule_list(theory: RuleList, columns: Sequence[Column]) -> Ledger:
    """Price rules in order."""
    vocabulary, ledger = Vocabulary(columns), Ledger()
    rules = _read_rules(theory.rules, vocabulary, ledger)
    _code_rules(rules, theory.default, theory.classes, vocabulary, ledger, say_class=True)
    return ledger


def code_ripple_down(theory: RippleDownTree, columns: Sequence[Column]) -> Ledger:
    """Price rules with exceptions."""
    vocabulary, ledger = Vocabulary(columns), Ledger()
    read = {id(node): _read(node.terms, vocabulary, ledger) for node in theory.nodes()}
    coder = _ConditionCoder(vocabulary, ledger, [words for words in read.values() if words is not None])
    outcome = ClassCoder(theory.classes)
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
            ledger.classes += outcome.cost(node.outcome)
            waiting += [("otherwise", node), ("exception", node)]
            continue
        after = settle(node.exception if part == "exception" else node.otherwise)
        ledger.structure += flags[part].cost(ABSENT if after is None else PRESENT)
        if after is not None:
            waiting.append(("rule", after))
    return ledger


def _read_rules(
    rules: Sequence[Rule], vocabulary: Vocabulary, ledger: Ledger
) -> list[tuple[Conditions, Label]]:
    read = [(_read(rule.terms, vocabulary, ledger), rule.outcome) for rule in rules]
    return [(words, label) for words, label in read if words is not None]


def _read(terms: Sequence[Term], vocabulary: Vocabulary, ledger: Ledger) -> Conditions | None:
    try:
        words, unsent = vocabulary.words(terms)
    except NeverHoldsError:
        ledger.unsent += 1
        return None
    ledger.unsent += unsent
    return words


def _code_rules(
    rules: Sequence[tuple[Conditions, Label]],
    default: Label | None,
    classes: Sequence[Label],
    vocabulary: Vocabulary,
    ledger: Ledger,
    *,
    say_class: bool,
) -> None:
    coder = _ConditionCoder(vocabulary, ledger, [words for words, _ in rules])
    outcome = ClassCoder(classes)
    ledger.size = len(rules)
    ledger.counts += universal_integer_length(len(rules) + 1)
    for words, label in rules:
        coder.code(words)
        if say_class:
            ledger.classes += outcome.cost(label)
    ledger.structure += 1.0
    if default is not None:
        ledger.classes += outcome.cost(default)


class _ConditionCoder:
    def __init__(self, vocabulary: Vocabulary, ledger: Ledger, rules: Iterable[Conditions]) -> None:
        self.vocabulary = vocabulary
        self.ledger = ledger
        self.flag = AdaptiveCoder(2)
        self.attribute = AdaptiveCoder(len(vocabulary.choices))
        self.operators = {True: AdaptiveCoder(2), False: AdaptiveCoder(2)}
        # Two exclusions of values of one nominal column make sense. Whether rules may do so is part of the
        # kind of theory, which the receiver knows.
        self.once = not any(self._repeats(words) for words in rules)

    def code(self, words: Conditions) -> None:
        allowed = self.vocabulary.usable.copy()
        ledger = self.ledger
        for word in self._costliest_order(words):
            nominal = bool(self.vocabulary.nominal[word.place])
            ledger.structure += self.flag.cost(CONTINUE)
            ledger.attributes += self.attribute.cost(word.place, allowed)
            ledger.values += self.operators[nominal].cost(word.operator)
            ledger.values += math.log2(self.vocabulary.choices[word.place])
            if nominal and self.once:
                allowed[word.place] = False
        if allowed.any():
            ledger.structure += self.flag.cost(STOP)
        ledger.refund -= log2_arrangements(Counter(words).values())

    def _costliest_order(self, words: Conditions) -> Conditions:
        # The order is refunded, so it must cost no less than the others: common columns are used up last.
        nominal = self.vocabulary.nominal
        return sorted(words, key=lambda w: (nominal[w.place], self.attribute.weight(w.place), w))

    def _repeats(self, words: Conditions) -> bool:
        uses = Counter(word.place for word in words if self.vocabulary.nominal[word.place])
        return any(count > 1 for count in uses.values())
