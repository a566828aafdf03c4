"""Learners by the short names of the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fivefold import learners
from fivefold.errors import InputError, show


@dataclass(frozen=True)
class NamedLearner:
    """A learner as the command line knows it."""

    estimator: str
    title: str
    options: dict[str, Any] = field(default_factory=dict)


LEARNERS = {
    "1r": NamedLearner("OneR", "rule on a single attribute (Holte 1993)"),
    "stump": NamedLearner("DecisionStump", "1R with the probabilities of its cells"),
    "id3": NamedLearner("ID3", "decision tree without pruning (Quinlan 1986)"),
    "c45": NamedLearner("C45Tree", "decision tree, pruned (Quinlan 1993, release 8)"),
    "c45-unpruned": NamedLearner("C45Tree", "the same, unpruned", {"prune": False}),
    "c45rules": NamedLearner("C45Rules", "rules made from a C4.5 tree"),
    "c5rules": NamedLearner("C5Rules", "C5.0's rules"),
    "foil": NamedLearner("Foil", "clauses for each class (Quinlan 1990, FOIL 6.4)"),
    "prism": NamedLearner("Prism", "modular rules (Cendrowska 1987)"),
    "induct": NamedLearner("Induct", "rules unlikely to be chance, one set a class (Gaines 1991)"),
    "induct-list": NamedLearner("Induct", "the same as a list of rules", {"form": "list"}),
    "ripple": NamedLearner("Induct", "the same as ripple-down rules", {"form": "ripple"}),
    "mpd": NamedLearner("ParsimoniousDiscrimination", "fewest features that tell the classes apart"),
    "mml": NamedLearner("MMLTree", "tree of least message length (Wallace and Patrick 1993)"),
    "mmlgraph": NamedLearner("MMLGraph", "decision graph of least message length (Oliver 1993)"),
    "nb": NamedLearner("NaiveBayes", "naive Bayes (Mitchell 1997)"),
    "superparent": NamedLearner("SuperParent", "augmented naive Bayes (Keogh and Pazzani 1999)"),
}


def make_learner(name: str) -> Any:
    """Make an unfitted learner by its short name.

    Examples
    --------
    >>> make_learner("1r")
    OneR()
    """
    if name not in LEARNERS:
        raise InputError(f"a learner out of {', '.join(LEARNERS)}", show(name))
    named = LEARNERS[name]
    return getattr(learners, named.estimator)(**named.options)
