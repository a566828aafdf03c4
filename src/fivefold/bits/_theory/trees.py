"""The code of a decision tree."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fivefold.bits._theory.ledger import HINT, ClassCoder, Ledger, no_word
from fivefold.bits._theory.questions import Questions
from fivefold.data.conditions import category_code
from fivefold.errors import InputError, show
from fivefold.formulas.adaptive import AdaptiveCoder
from fivefold.formulas.integers import log2_binomial, log2_proper_halvings
from fivefold.inputs.columns import Column
from fivefold.learners._nodes import Leaf, Node, NominalEquals, NominalMultiway, NumericSplit, Split
from fivefold.learners.theories import DecisionTree

LEAF, INTERNAL = 0, 1


def code_tree(tree: DecisionTree, columns: Sequence[Column]) -> Ledger:
    """Price a tree, node by node, each before its branches."""
    return _TreeCoder(tree, columns).run()


class _TreeCoder:
    def __init__(self, tree: DecisionTree, columns: Sequence[Column]) -> None:
        self.tree = tree
        self.placed = tree.missing == "placed"
        self.questions = Questions(columns, missing_is_a_value=self.placed)
        self.ledger = Ledger()
        self.node_type = AdaptiveCoder(2)
        self.attribute = AdaptiveCoder(len(columns))
        self.leaf_class = ClassCoder(tree.classes)
        leaves = [node for node in tree.nodes() if isinstance(node, Leaf)]
        self.set_valued = any(len(leaf.classes) != 1 for leaf in leaves)
        self.leaf_size = AdaptiveCoder(len(tree.classes) + 1)

    def run(self) -> Ledger:
        waiting = [(self.tree.root, self.questions.rows)]
        while waiting:
            node, rows = waiting.pop()
            waiting.extend(reversed(self._code_node(node, rows)))
        return self.ledger

    def _code_node(self, node: Node, rows: NDArray[np.intp]) -> list[tuple[Node, NDArray[np.intp]]]:
        node, parts = self._reach(node, rows)
        varying = self.questions.varying(rows)
        if varying.any():
            symbol = LEAF if isinstance(node, Leaf) else INTERNAL
            self.ledger.structure += self.node_type.cost(symbol)
        if isinstance(node, Leaf):
            self._code_leaf(node)
            return []
        place = self.questions.place(node.column)
        self.ledger.attributes += self.attribute.cost(place, varying)
        codes = self.questions.codes[rows, place]
        self.ledger.values += self._cut_cost(node, codes)
        return self._in_order(node, parts, place)

    def _reach(self, node: Node, rows: NDArray[np.intp]) -> tuple[Node, list[NDArray[np.intp]]]:
        # A test that all questions pass the same way cannot be seen in their answers and is not sent.
        while not isinstance(node, Leaf):
            column = self.questions.column(node.column)
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
            if category_code(self.questions.column(node.column), node.value) not in known:
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
        return sorted(sent, key=lambda branch: self.questions.lowest(branch[1], place))

    def _code_leaf(self, leaf: Leaf) -> None:
        self.ledger.size += 1
        if self.set_valued:
            size = len(leaf.classes)
            self.ledger.classes += self.leaf_size.cost(size)
            self.ledger.classes += log2_binomial(len(self.tree.classes), size)
        else:
            self.ledger.classes += self.leaf_class.cost(leaf.classes[0])
