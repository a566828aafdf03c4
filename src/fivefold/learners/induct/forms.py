"""What is made of clauses: rules for each class, a list of rules, or rules with exceptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fivefold.learners.induct.searching import Found, Search
from fivefold.learners.prism.clauses import Clause, both
from fivefold.learners.prism.pool import Pool

NONE = -1


def rules_of_classes(search: Search, pool: Pool) -> list[Found]:
    """Learn rules for one class after the other, each class from all cases."""
    return [found for outcome in range(search.n_classes) for found in _rules_for(search, pool, outcome)]


def _rules_for(search: Search, pool: Pool, outcome: int) -> Iterator[Found]:
    while found := search.best(pool, [outcome]):
        yield found
        pool = pool.failing(found.terms)
        if not search.counts(pool)[outcome]:
            return


def list_of_rules(search: Search, pool: Pool) -> tuple[list[Found], int]:
    """Learn rules in order, and the class of the cases that are left, for which there is no good clause."""
    rules: list[Found] = []
    while found := search.best(pool, np.flatnonzero(search.counts(pool)).tolist(), as_majority=True):
        rules.append(found)
        pool = pool.failing(found.terms)
    # a clause leaves some case over, as each of its terms excludes one
    return rules, int(np.argmax(search.counts(pool)))


@dataclass(frozen=True, eq=False)
class Exceptions:
    """Rules with exceptions, each before its exceptions and these before what is otherwise.

    Parameters
    ----------
    rules : sequence of Found
        The rules.
    exception, otherwise : list of int
        For each rule the first one that is looked at where it holds, and where it does not; -1 for none.
    default : int
        The class of cases for which no rule holds.
    """

    rules: Sequence[Found]
    exception: Sequence[int]
    otherwise: Sequence[int]
    default: int

    def in_order(self) -> Iterator[tuple[int, Clause]]:
        """Give the rules, each with the clauses that lead to it, so that the first that holds decides."""
        waiting: list[tuple[int, Clause, bool]] = [(0, {}, False)] if self.rules else []
        while waiting:
            place, above, seen = waiting.pop()
            own = both(above, self.rules[place].clause)
            if seen:
                yield place, own
                continue
            after = [
                (self.otherwise[place], above, False),
                (place, above, True),
                (self.exception[place], own, False),
            ]
            waiting += [step for step in after if step[0] != NONE]


def rules_with_exceptions(search: Search, pool: Pool) -> Exceptions:
    """Learn a rule, exceptions to it from the cases that it covers, and further rules from the others."""
    default = int(np.argmax(search.counts(pool)))
    rules: list[Found] = []
    links: dict[str, list[int]] = {"exception": [], "otherwise": []}
    waiting: list[tuple[Pool, int, str, int]] = [(pool, default, "", NONE)]
    while waiting:
        cases, given, branch, parent = waiting.pop()
        present = np.flatnonzero(search.counts(cases))
        found = search.best(cases, present[present != given].tolist())
        if found is None:
            continue
        place = len(rules)
        rules.append(found)
        for places in links.values():
            places.append(NONE)
        if branch:
            links[branch][parent] = place
        waiting += [
            (cases.failing(found.terms), given, "otherwise", place),
            (cases.meeting(found.terms), found.outcome, "exception", place),
        ]
    return Exceptions(rules, links["exception"], links["otherwise"], default)
