"""Learners by the short names of the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fivefold import learners
from fivefold.errors import InputError, show
from fivefold.inputs.options import close_names


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
    "c45-unpruned": NamedLearner("C45Tree", "C4.5 decision tree, unpruned", {"prune": False}),
    "c45rules": NamedLearner("C45Rules", "rules made from a C4.5 tree"),
    "c5rules": NamedLearner("C5Rules", "C5.0's rules"),
    "foil": NamedLearner("Foil", "clauses for each class (Quinlan 1990, FOIL 6.4)"),
    "prism": NamedLearner("Prism", "modular rules (Cendrowska 1987)"),
    "induct": NamedLearner("Induct", "rules unlikely to be chance, one set a class (Gaines 1991)"),
    "induct-list": NamedLearner("Induct", "Induct's rules as a list: the first that holds", {"form": "list"}),
    "ripple": NamedLearner("Induct", "Induct's ripple-down rules, with exceptions", {"form": "ripple"}),
    "mpd": NamedLearner("ParsimoniousDiscrimination", "fewest features that tell the classes apart"),
    "mml": NamedLearner("MMLTree", "tree of least message length (Wallace and Patrick 1993)"),
    "mmlgraph": NamedLearner("MMLGraph", "decision graph of least message length (Oliver 1993)"),
    "nb": NamedLearner("NaiveBayes", "naive Bayes (Mitchell 1997)"),
    "superparent": NamedLearner("SuperParent", "augmented naive Bayes (Keogh and Pazzani 1999)"),
}


_EVERYDAY = {"c50": "c5rules", "c5": "c5rules", "j48": "c45", "bayes": "nb", "rippledown": "ripple"}


def learner_name(name: str) -> str:
    """Give the short name of a learner by that, by its class or by what people call it, in any case.

    Examples
    --------
    >>> learner_name("C4.5"), learner_name("NaiveBayes")
    ('c45', 'nb')
    """
    plain = {_plain(short): short for short in LEARNERS}
    plain |= {_plain(named.estimator): short for short, named in reversed(LEARNERS.items())}
    found = {**_EVERYDAY, **plain}.get(_plain(name)) if isinstance(name, str) else None
    if found is None:
        raise InputError(f"a learner, one of {', '.join(LEARNERS)}", show(name), close_names(name, LEARNERS))
    return found


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def make_learner(name: str) -> Any:
    """Make an unfitted learner by its short name.

    Examples
    --------
    >>> make_learner("1r")
    OneR()
    """
    named = LEARNERS[learner_name(name)]
    return getattr(learners, named.estimator)(**named.options)
