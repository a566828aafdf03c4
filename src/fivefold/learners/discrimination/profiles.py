"""The shortest profiles of the classes, as uniform as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import TypeAlias

from fivefold.learners.discrimination.contrasts import class_pairs
from fivefold.learners.discrimination.covers import minimal_covers

Features: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, order=True)
class Choice:
    """A set of features and the profile of each class, in the order of preference.

    Parameters
    ----------
    length : int
        The number of features of all profiles.
    unlike : int
        The number of pairs of classes whose profiles are of different features.
    features : tuple of int
        The features.
    profiles : tuple of tuple of int
        Those in the profile of each class.
    """

    length: int
    unlike: int
    features: Features
    profiles: tuple[Features, ...]


def choose_profiles(
    feature_sets: Sequence[Features], masks: Sequence[int], n_classes: int, max_sets: int
) -> Choice:
    """Find the shortest profiles, then the most uniform ones, then the first, over several sets of features."""
    return min(_best_for(features, masks, n_classes, max_sets) for features in feature_sets)


def _best_for(features: Features, masks: Sequence[int], n_classes: int, max_sets: int) -> Choice:
    alternatives = []
    for outcome in range(n_classes):
        own = _pairs_of(outcome, n_classes)
        covers = minimal_covers([masks[f] & own for f in features], max_covers=max_sets)
        alternatives.append([tuple(features[place] for place in cover) for cover in covers])
    profiles = most_uniform(alternatives)
    alike = sum(profiles[one] == profiles[other] for one, other in class_pairs(n_classes))
    length = sum(map(len, profiles))
    return Choice(length, comb(n_classes, 2) - alike, features, profiles)


def _pairs_of(outcome: int, n_classes: int) -> int:
    return sum(1 << place for place, pair in enumerate(class_pairs(n_classes)) if outcome in pair)


def most_uniform(alternatives: Sequence[Sequence[Features]]) -> tuple[Features, ...]:
    """Choose one alternative for each class, so that as many pairs of classes as possible have the same one.

    In the best choice the alternative that most classes have is taken by all that could: another class that moved
    to it would be like more classes than before. So it is enough to try each alternative as the one that takes
    all, and to go on with the other classes.

    Examples
    --------
    >>> most_uniform([[(0,), (1,)], [(1,)], [(1,), (2,)], [(2,)]])
    ((1,), (1,), (1,), (2,))
    """

    @cache
    def best(classes: frozenset[int]) -> tuple[int, tuple[Features, ...]]:
        """Give the number of pairs that are alike, negative, and the profiles of these classes in order."""
        takers = _takers(classes, alternatives)
        if not takers:
            return 0, tuple(min(alternatives[c]) for c in sorted(classes))
        found: tuple[int, tuple[Features, ...]] = (1, ())
        for profile, own in takers:
            rest = classes - own
            if -comb(len(own), 2) - _most_alike(rest, alternatives) > found[0]:
                continue
            unlike, others = best(rest)
            after = iter(others)
            profiles = tuple(profile if c in own else next(after) for c in sorted(classes))
            found = min(found, (unlike - comb(len(own), 2), profiles))
        return found

    return best(frozenset(range(len(alternatives))))[1]


def _takers(
    classes: frozenset[int], alternatives: Sequence[Sequence[Features]]
) -> list[tuple[Features, frozenset[int]]]:
    """Give the alternatives that several classes have, with these classes, most first."""
    having: dict[Features, set[int]] = {}
    for c in classes:
        for profile in alternatives[c]:
            having.setdefault(profile, set()).add(c)
    shared = [(profile, frozenset(own)) for profile, own in having.items() if len(own) > 1]
    return sorted(shared, key=lambda pair: (-len(pair[1]), pair[0]))


def _most_alike(classes: frozenset[int], alternatives: Sequence[Sequence[Features]]) -> int:
    """Bound the number of pairs that can be alike: groups as large as the largest, as often as there is room."""
    takers = _takers(classes, alternatives)
    largest = len(takers[0][1]) if takers else 1
    full, rest = divmod(len(classes), largest)
    return full * comb(largest, 2) + comb(rest, 2)
