"""Learners for which many refits can be had at once: the same answers, found faster.

A fast path is a function that takes the learner and the cases and gives None where it does not apply, or a
function from training sets and a range of them to the answers after each: the classes of the asked rows, or None
for a training set on which the fast computation cannot be sure to agree with the learner to the last case. Those
sets are left to the learner itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from fivefold.truth.cases import Cases, Codes
from fivefold.truth.training_sets import TrainingSets

Answerer: TypeAlias = Callable[[TrainingSets, range], list[Codes | None]]
FastPath: TypeAlias = Callable[[Any, Cases], Answerer | None]


def fast_path(learner: Any, cases: Cases) -> Answerer | None:
    """Give the fast way for this learner on these cases; None if there is none.

    Only the very type counts: a subclass may have changed anything.
    """
    path = registry().get(type(learner))
    quick = None if path is None else path(learner, cases)
    if quick is None:
        return None

    def answer(sets: TrainingSets, places: range) -> list[Codes | None]:
        found = quick(sets, places)
        return [_constant(cases, sets, place, one) for place, one in zip(places, found, strict=True)]

    return answer


def _constant(cases: Cases, sets: TrainingSets, place: int, found: Codes | None) -> Codes | None:
    """Answer with the only class of a training set that has one."""
    rows = sets.train(place)
    if rows.size == 0:
        return None
    present = cases.codes[rows]
    if np.any(present != present[0]):
        return found
    return np.full(sets.test(place).size, present[0], dtype=np.int32)


@cache
def registry() -> dict[type, FastPath]:
    """Give the fast path of each type of learner that has one."""
    from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    from fivefold.learners.bayes.naive_bayes import NaiveBayes
    from fivefold.learners.foil.estimator import Foil
    from fivefold.truth.fast import bayes, foil, neighbours, normal_bayes

    return {
        Foil: foil.concepts,
        KNeighborsClassifier: neighbours.votes,
        NaiveBayes: bayes.own,
        BernoulliNB: bayes.bernoulli,
        CategoricalNB: bayes.categorical,
        GaussianNB: normal_bayes.gaussian,
    }
