"""A fitted tree or graph in words; joins have names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fivefold.data.conditions import Term
from fivefold.inputs.columns import Column
from fivefold.learners.mml._kernels import JOIN
from fivefold.learners.trees.nodes import LEAF, Nodes
from fivefold.learners.trees.tree_text import branch_term

_INDENT = "|   "


def graph_text(nodes: Nodes, columns: Sequence[Column], answers: Sequence[str]) -> str:
    """Write a graph, one line a branch; below the tree of the root a tree for each join.

    Parameters
    ----------
    nodes : Nodes
        The graph; without joins it is a tree.
    columns : sequence of Column
        The attributes.
    answers : sequence of str
        What to write at each node that is a leaf.
    """
    targets = sorted({int(nodes.child[node]) for node in range(nodes.kind.size) if nodes.kind[node] == JOIN})
    names = {target: _name(place) for place, target in enumerate(targets)}
    ends = list(answers)
    for node in range(nodes.kind.size):
        if nodes.kind[node] == JOIN:
            ends[node] = f"join {names[int(nodes.child[node])]}"
    lines = list(_tree_lines(nodes, columns, ends, 0, ""))
    meeting = _meeting(nodes, columns, names)
    for target in targets:
        lead = f"join {names[target]}, where {'; or '.join(meeting[target])}:"
        lines += _tree_lines(nodes, columns, ends, target, lead)
    return "\n".join(lines)


def _name(place: int) -> str:
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def _tree_lines(
    nodes: Nodes, columns: Sequence[Column], ends: Sequence[str], root: int, lead: str
) -> Iterator[str]:
    extra = 1 if lead else 0
    for node, terms in _paths(nodes, columns, root):
        is_test = _is_test(nodes, node)
        condition = f"{terms[-1]}:" if terms else lead
        words = [] if is_test else [ends[node]]
        line = " ".join([*([condition] if condition else []), *words])
        if line:
            yield _INDENT * max(0, len(terms) - 1 + (extra if terms else 0)) + line


def _meeting(nodes: Nodes, columns: Sequence[Column], names: dict[int, str]) -> dict[int, list[str]]:
    """Write for each join the conditions under which a case comes there."""
    found: dict[int, list[str]] = {target: [] for target in names}
    for root in (0, *names):
        for node, terms in _paths(nodes, columns, root):
            if nodes.kind[node] == JOIN:
                above = [names[root]] if root in names else []
                found[int(nodes.child[node])].append(" and ".join([*above, *map(str, terms)]))
    return found


def _paths(nodes: Nodes, columns: Sequence[Column], root: int) -> Iterator[tuple[int, tuple[Term, ...]]]:
    """Go through the nodes of one tree, each before its branches, with the conditions that lead to each."""
    waiting: list[tuple[int, tuple[Term, ...]]] = [(root, ())]
    while waiting:
        node, terms = waiting.pop()
        yield node, terms
        if _is_test(nodes, node):
            for v in reversed(range(nodes.forks[node])):
                child = int(nodes.child[node]) + v
                waiting.append((child, (*terms, branch_term(nodes, node, v, columns))))


def _is_test(nodes: Nodes, node: int) -> bool:
    return bool(nodes.kind[node] not in (LEAF, JOIN))
