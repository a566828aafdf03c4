"""Parsimonious discrimination: the fewest features that tell all classes apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from itertools import combinations, compress, islice
from math import comb, inf, nextafter
from operator import or_
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Equals, OneOf, Rule, Term, Within
from fivefold.data.cut_points import midpoint
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import fraction, positive_int
from fivefold.learners.base import Columns, Floats, Ints, Weights
from fivefold.learners.rule_answers import RuleAnswers
from fivefold.learners.rules.clauses import RuleLearner
from fivefold.learners.theories import RuleSet

Truth: TypeAlias = NDArray[np.bool_]
Features: TypeAlias = tuple[int, ...]

_ARITHMETIC: dict[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}
_LOGIC: dict[str, Callable[[Truth, Truth], Truth]] = {"and": np.logical_and, "or": np.logical_or}
_EQUAL = "equals"


@dataclass(frozen=True, eq=False)
class Ranges:
    """What a feature, whose values are left out, is like in each class.

    `seen` tells which values a nominal feature has, in rows, in which class, in columns; `low` and `high` are the
    least and the greatest number of a numeric one in each class, NaN where none is known. `contrasts` tells which
    classes the feature tells apart.
    """

    feature: Column
    seen: NDArray[np.bool_]
    low: Floats
    high: Floats
    contrasts: NDArray[np.bool_]

    @property
    def mask(self) -> int:
        """The contrasted pairs as the bits of a whole number, in the order of `class_pairs`."""
        pairs = self.contrasts[np.triu_indices(len(self.contrasts), 1)]
        return int.from_bytes(np.packbits(pairs, bitorder="little").tobytes(), "little")


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """Give all pairs of different classes in order."""
    return list(combinations(range(n_classes), 2))


def ranges_of(feature: Column, classes: Ints, n_classes: int, max_overlap: float) -> Ranges:
    """Look at the values of a feature in each class.

    A feature contrasts two classes if no more than `max_overlap` of their cases with a known value have one that
    may as well be of the other: a value that the other has too, or a number within the ranges of both.
    """
    if feature.categories is None:
        low, high = np.full((2, n_classes), np.nan)
        np.fmin.at(low, classes, feature.values)
        np.fmax.at(high, classes, feature.values)
        seen = np.empty((0, n_classes), dtype=bool)
        doubtful = _in_both_ranges(feature.values, classes, low, high)
        known = np.bincount(classes[~feature.missing], minlength=n_classes)
    else:
        n_values, present = len(feature.categories), ~feature.missing
        cells = feature.values[present] * n_classes + classes[present]
        counts = np.bincount(cells, minlength=n_values * n_classes).reshape(n_values, n_classes)
        low = high = np.empty(0)
        seen = counts > 0
        doubtful = counts.T @ seen
        known = counts.sum(axis=0)
    both = known[:, np.newaxis] + known
    known_in_both = (known[:, np.newaxis] > 0) & (known > 0)
    contrasts = known_in_both & ((doubtful + doubtful.T) / np.maximum(both, 1) <= max_overlap)
    np.fill_diagonal(contrasts, val=False)
    return Ranges(feature.schema(), seen, low, high, contrasts)


def _in_both_ranges(values: Floats, classes: Ints, low: Floats, high: Floats) -> NDArray[np.int64]:
    """Count for each class, in rows, its cases that lie within its range and that of another, in columns."""
    inside = np.zeros((low.size, low.size), dtype=np.int64)
    for c in range(low.size):
        own = np.sort(values[(classes == c) & ~np.isnan(values)])
        first = np.searchsorted(own, np.fmax(low, low[c]), side="left")
        last = np.searchsorted(own, np.fmin(high, high[c]), side="right")
        inside[c] = np.maximum(last - first, 0)
    return inside


@dataclass(frozen=True)
class Feature:
    """A column, or an operation on two features: `places` are the columns that it is made of."""

    places: tuple[int, ...]
    operator: str = ""
    parts: tuple[Feature, ...] = ()

    def read(self, columns: Columns) -> Column:
        """Give the feature of each case; an operation that has no result there gives a missing value."""
        if not self.parts:
            return columns[self.places[0]]
        left, right = (part.read(columns) for part in self.parts)
        name = f"({_operand(left, self.operator)} {self.operator} {_operand(right, self.operator)})"
        if self.operator in _ARITHMETIC:
            with np.errstate(all="ignore"):
                numbers = _ARITHMETIC[self.operator](left.values, right.values)
            return Column(name, "numeric", np.where(np.isfinite(numbers), numbers, np.nan), None)
        if self.operator == _EQUAL:
            truth = left.values == right.values
        else:
            truth = _LOGIC[self.operator](left.values == 1, right.values == 1)
        codes = np.where(left.missing | right.missing, -1, truth).astype(np.int32)
        return Column(name, "nominal", codes, (False, True))


def _operand(column: Column, operator: str) -> str:
    categories: tuple[Any, ...] | None = column.categories
    says_value = operator in _LOGIC and categories != (False, True)
    return f"{column.name} = {categories[1]}" if says_value and categories else column.name


def combined(level: int, columns: Columns) -> Iterator[Feature]:
    """Give the features made of two columns, or of such a feature and a third column."""
    single = [Feature((place,)) for place in range(len(columns))]
    if level == 2:
        for left, right in combinations(single, 2):
            yield from _operations(left, right, columns)
        return
    for pair in combined(2, columns):
        for other in single:
            if other.places[0] not in pair.places:
                yield from _operations(pair, other, columns)


def _operations(left: Feature, right: Feature, columns: Columns) -> Iterator[Feature]:
    places, parts = (*left.places, *right.places), (left, right)
    left_values, right_values = (_categories(part, columns) for part in parts)
    if left_values is None or right_values is None:
        if left_values is right_values:
            yield from (Feature(places, operator, parts) for operator in _ARITHMETIC)
            yield Feature(places, "/", (right, left))
        return
    if len(left_values) == len(right_values) == 2:
        yield from (Feature(places, operator, parts) for operator in _LOGIC)
    if left_values == right_values:
        yield Feature(places, _EQUAL, parts)


def _categories(feature: Feature, columns: Columns) -> tuple[object, ...] | None:
    if not feature.parts:
        return columns[feature.places[0]].categories
    return None if feature.operator in _ARITHMETIC else (False, True)


def minimal_covers(
    masks: Sequence[int], *, max_covers: int, max_size: int | None = None
) -> list[tuple[int, ...]]:
    """Find all smallest sets of masks whose union is the union of all, up to `max_covers` of them.

    A mask is what a member covers, as the bits of a whole number; sets are given as places in `masks`, in
    lexicographic order. It is an error if they have more than `max_size` members.

    Examples
    --------
    >>> minimal_covers([0b011, 0b110, 0b101], max_covers=10)
    [(0, 1), (0, 2), (1, 2)]
    """
    search = _Search(masks)
    size = 0
    while not search.coverable(search.everything, size, 0):
        size += 1
        if max_size is not None and size > max_size:
            raise InputError(
                f"at most {max_size} features that contrast every pair (max_features)",
                "a task that takes more",
                "raise max_features, or allow some overlap with max_overlap",
            )
    return list(islice(search.covers((), search.everything, size), max_covers))


class _Search:
    def __init__(self, masks: Sequence[int]) -> None:
        self.masks = masks
        self._holders = _hardest(masks, reduce(or_, masks, 0))
        self.everything = sum(1 << element for element in self._holders)
        self._known: dict[tuple[int, int, int], bool] = {}

    def covers(self, chosen: tuple[int, ...], left: int, size: int) -> Iterator[tuple[int, ...]]:
        """Add `size` masks, the least number that covers what is left, to those chosen in all ways."""
        if not size:
            yield chosen
            return
        for place in range(chosen[-1] + 1 if chosen else 0, len(self.masks)):
            rest = left & ~self.masks[place]
            if rest != left and self.coverable(rest, size - 1, place + 1):
                yield from self.covers((*chosen, place), rest, size - 1)

    def coverable(self, left: int, size: int, start: int) -> bool:
        """Tell whether `size` masks from the place `start` on cover what is left."""
        if not left:
            return True
        most = max(((mask & left).bit_count() for mask in self.masks[start:]), default=0) if size else 0
        if most * size < left.bit_count():
            return False
        key = left, size, start
        if key not in self._known:
            element = next(e for e in self._holders if left >> e & 1)
            self._known[key] = any(
                self.coverable(left & ~self.masks[place], size - 1, start)
                for place in self._holders[element]
                if place >= start
            )
        return self._known[key]


def _hardest(masks: Sequence[int], union: int) -> dict[int, tuple[int, ...]]:
    """Give for each element the masks that hold it, fewest first, without elements that follow from others."""
    holders = [
        (element, tuple(place for place, mask in enumerate(masks) if mask >> element & 1))
        for element in range(union.bit_length())
        if union >> element & 1
    ]
    kept: dict[int, tuple[int, ...]] = {}
    for element, places in sorted(holders, key=lambda pair: len(pair[1])):
        # whatever covers an element with fewer holders covers this one too
        if not any(set(fewer) <= set(places) for fewer in kept.values()):
            kept[element] = places
    return kept


def _best_for(
    features: Features, masks: Sequence[int], n_classes: int, max_sets: int
) -> tuple[int, int, Features, tuple[Features, ...]]:
    """Give the length of all profiles, how many pairs of them are of different features, features, profiles."""
    alternatives, pairs = [], class_pairs(n_classes)
    for outcome in range(n_classes):
        own = sum(1 << place for place, pair in enumerate(pairs) if outcome in pair)
        covers = minimal_covers([masks[f] & own for f in features], max_covers=max_sets)
        alternatives.append([tuple(features[place] for place in cover) for cover in covers])
    profiles = most_uniform(alternatives)
    unlike = sum(profiles[c] != profiles[d] for c, d in pairs)
    return sum(map(len, profiles)), unlike, features, profiles


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
        chosen: tuple[int, tuple[Features, ...]] = (1, ())
        for profile, own in takers:
            rest = classes - own
            if -comb(len(own), 2) - _most_alike(rest, alternatives) > chosen[0]:
                continue
            unlike, others = best(rest)
            after = iter(others)
            profiles = tuple(profile if c in own else next(after) for c in sorted(classes))
            chosen = min(chosen, (unlike - comb(len(own), 2), profiles))
        return chosen

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


def term_of(ranges: Ranges, outcome: int, open_ranges: bool) -> Term:
    """Give the term that the cases of a class meet: one of its values, or a number in its range."""
    feature = ranges.feature
    if feature.categories is not None:
        categories: tuple[Any, ...] = feature.categories
        values = tuple(compress(categories, ranges.seen[:, outcome]))
        return Equals(feature.name, values[0]) if len(values) == 1 else OneOf(feature.name, values)
    ends = _open_ends if open_ranges else _closed_ends
    return Within(feature.name, *ends(ranges, outcome))


def _closed_ends(ranges: Ranges, outcome: int) -> tuple[float, float]:
    # terms are open below: the greatest number below the least one keeps that inside
    return nextafter(float(ranges.low[outcome]), -inf), float(ranges.high[outcome])


def _open_ends(ranges: Ranges, outcome: int) -> tuple[float, float]:
    """Widen a range midway to the next contrasted class on either side; not towards one that overlaps with it."""
    own_low, own_high = float(ranges.low[outcome]), float(ranges.high[outcome])
    low, high = -inf, inf
    for other in np.flatnonzero(ranges.contrasts[outcome]):
        other_low, other_high = float(ranges.low[other]), float(ranges.high[other])
        if other_low > own_high:
            high = min(high, midpoint(own_high, other_low))
        elif other_high < own_low:
            low = max(low, midpoint(other_high, own_low))
        else:
            return _closed_ends(ranges, outcome)
    return low, high


def term_text(ranges: Ranges, outcome: int, term: Term) -> str:
    """Write a term; a closed range with its own ends."""
    if isinstance(term, Within) and (term.low, term.high) == _closed_ends(ranges, outcome):
        low, high = f"{ranges.low[outcome]:.15g}", f"{ranges.high[outcome]:.15g}"
        return f"{term.column} = {low}" if low == high else f"{low} <= {term.column} <= {high}"
    return str(term)


@dataclass(kw_only=True, eq=False, repr=False)
class ParsimoniousDiscrimination(RuleLearner):
    r"""Tell all classes apart with as few features as possible, and describe each by as few of them as possible.

    A feature *contrasts* two classes if they have no value in common or, for numbers, if their ranges do not
    overlap. Of all sets of features that contrast every pair,

    .. math:: \min_F |F| \quad\text{such that}\quad \forall\, C \ne D\ \exists f \in F: f \text{ contrasts } C, D,

    a smallest one is chosen by exact search, and for each class a *profile*: a smallest part of it that contrasts
    the class with all others, together with what its features are like in the class. Among the smallest sets the
    one with the shortest profiles is taken; among these the one where most pairs of classes have profiles of the
    same features; then the first in the order of columns.

    Parameters
    ----------
    max_overlap : float
        The share of the cases of two classes that may have a value of the other class, or a number in the range
        of both, for a feature that contrasts them.
    max_combined : {1, 2, 3}
        Of how many columns a feature may be made where no column contrasts two classes: ``a + b``, ``a - b``,
        ``a * b``, ``a / b`` of numbers, "and" and "or" of columns with two values, where the second in sorted
        order counts as true, and "equals" of columns with the same values. Larger ones are tried only for pairs
        that smaller ones leave.
    open_ranges : bool
        Whether the range of a class reaches midway to the next class that the feature contrasts with it, and
        without end if there is none. Otherwise it ends at its least and greatest number.
    max_features : int or None
        How many features may be used; more are an error. The search may take exponential time.
    max_sets : int
        How many of the smallest sets, and of the alternative profiles of each class, are looked at.
    categorical_features : as in `OneR`

    Attributes
    ----------
    classes_, columns_ : as in `OneR`
    features_ : tuple of str
        The chosen features.
    feature_sets_ : tuple of tuple of str
        All smallest sets of features, up to `max_sets`.
    profiles_ : dict of label to tuple of str
        The features in the profile of each class.
    contrasters_ : dict of (label, label) to tuple of str
        The features that contrast each pair of classes.
    uncontrasted_ : tuple of (label, label)
        The pairs that no feature contrasts. The profiles do not tell them apart.

    Notes
    -----
    Missing values are not looked at; a class without any known value of a feature is not contrasted by it.

    As a classifier, all classes answer whose profile a case fits: `predict_sets`. A missing or unknown value fits
    no profile that asks for it, so ``missing_test`` makes no difference. The profile of a class that no feature
    contrasts with any other is empty and fits every case. `predict` and `predict_proba` resolve sets as `Prism`
    does.

    References
    ----------
    R. E. Valdés-Pérez and V. Pericliev (1997). Maximally parsimonious discrimination: a generic task from
    linguistic discovery. AAAI-97, 515-520.

    Examples
    --------
    >>> import polars as pl
    >>> from fivefold.learners import ParsimoniousDiscrimination
    >>> animals = pl.DataFrame({
    ...     "legs": [4, 4, 2, 0],
    ...     "fur": ["y", "y", "n", "n"],
    ...     "barks": ["y", "n", "n", "n"],
    ...     "flies": ["n", "n", "y", "n"],
    ... })
    >>> model = ParsimoniousDiscrimination().fit(animals, ["dog", "cat", "bird", "fish"])
    >>> print(model)
    told apart by legs, barks
    bird: legs = 2
    cat: legs = 4 and barks = n
    dog: barks = y
    fish: legs = 0
    >>> model.contrasters_["cat", "fish"]
    ('legs', 'fur')
    """

    max_overlap: float = 0.0
    max_combined: int = 1
    open_ranges: bool = False
    max_features: int | None = None
    max_sets: int = 1000
    categorical_features: CategoricalFeatures = "from_dtype"
    _model: RuleAnswers = field(init=False)

    _poor_score = True  # classes that overlap in every feature are not told apart at all

    def _learn(self, columns: Columns, classes: Ints, weights: Weights) -> None:
        n_classes, max_sets = self.classes_.size, positive_int(self.max_sets, "max_sets")
        limit = None if self.max_features is None else positive_int(self.max_features, "max_features")
        candidates = self._candidates(columns, classes)
        ranges = [own for _, own in candidates]
        masks = [own.mask for own in ranges]
        sets = minimal_covers(masks, max_covers=max_sets, max_size=limit)
        # the shortest profiles, then the most uniform ones, then the first
        _, _, features, profiles = min(_best_for(some, masks, n_classes, max_sets) for some in sets)
        self._used = [candidates[place] for place in features]
        self._profiles = [[features.index(place) for place in profile] for profile in profiles]
        self._name(ranges, sets)
        outcomes = np.arange(n_classes, dtype=np.int32)
        self._model = RuleAnswers.learn(self._ask(columns), outcomes, classes, n_classes)

    def _candidates(self, columns: Columns, classes: Ints) -> list[tuple[Feature, Ranges]]:
        """Give the columns, and as many levels of combinations as it takes to contrast all pairs."""
        n_classes, overlap = self.classes_.size, fraction(self.max_overlap, "max_overlap")
        most = positive_int(self.max_combined, "max_combined")
        if most > 3:
            raise InputError("max_combined to be 1, 2 or 3", show(self.max_combined))
        candidates = [
            (Feature((place,)), ranges_of(column, classes, n_classes, overlap))
            for place, column in enumerate(columns)
        ]
        for level in range(2, most + 1):
            contrasted = reduce(or_, (ranges.mask for _, ranges in candidates))
            left = ~contrasted & ((1 << len(class_pairs(n_classes))) - 1)
            for feature in combined(level, columns) if left else ():
                column = feature.read(columns)
                known = ~np.logical_or.reduce([columns[place].missing for place in feature.places])
                if not column.missing[known].any():  # defined for all cases, unlike a division by zero
                    ranges = ranges_of(column, classes, n_classes, overlap)
                    candidates += [(feature, ranges)] if ranges.mask & left else []
        return candidates

    def _name(self, ranges: Sequence[Ranges], sets: Sequence[tuple[int, ...]]) -> None:
        names, labels = [own.feature.name for own in ranges], self.classes_.tolist()
        self.features_ = tuple(own.feature.name for _, own in self._used)
        self.feature_sets_ = tuple(tuple(names[place] for place in places) for places in sets)
        self.profiles_ = {
            label: tuple(self.features_[k] for k in profile)
            for label, profile in zip(labels, self._profiles, strict=True)
        }
        self.contrasters_ = {
            (labels[c], labels[d]): tuple(own.feature.name for own in ranges if own.contrasts[c, d])
            for c, d in class_pairs(len(labels))
        }
        self.uncontrasted_ = tuple(pair for pair, own in self.contrasters_.items() if not own)

    def _terms(self, outcome: int) -> list[Term]:
        return [term_of(self._used[k][1], outcome, bool(self.open_ranges)) for k in self._profiles[outcome]]

    def _ask(self, columns: Columns) -> NDArray[np.bool_]:
        features = [feature.read(columns) for feature, _ in self._used]
        fired = np.ones((self.classes_.size, len(columns[0])), dtype=bool)
        for outcome, profile in enumerate(self._profiles):
            for k, term in zip(profile, self._terms(outcome), strict=True):
                fired[outcome] &= term.holds([features[k]])
        return fired

    def to_text(self) -> str:
        """Write the chosen features, the profile of each class, and the classes that are not told apart."""
        check_is_fitted(self)
        columns = ", ".join(column.name for column in self.columns_)
        lines = [f"told apart by {', '.join(self.features_) or f'none of {columns}'}"]
        for outcome, label in enumerate(self.classes_.tolist()):
            terms = [
                term_text(self._used[k][1], outcome, term)
                for k, term in zip(self._profiles[outcome], self._terms(outcome), strict=True)
            ]
            lines.append(f"{label}: {' and '.join(terms) or 'anything'}")
        lines += [f"not told apart: {c} and {d}" for c, d in self.uncontrasted_]
        return "\n".join(lines)

    def rules(self) -> list[Rule]:
        """Give the profile of each class as a rule; all that hold for a case speak.

        A feature that is made of several columns is named in a term as if it were a column.
        """
        check_is_fitted(self)
        labels = self.classes_.tolist()
        return [Rule(tuple(self._terms(outcome)), label) for outcome, label in enumerate(labels)]

    def theory(self) -> RuleSet | None:
        """Describe the profiles in the form whose length in bits is defined; None for made features."""
        rules = tuple(self.rules())
        if any(feature.parts for feature, _ in self._used):
            return None
        return RuleSet(rules, tuple(self.classes_.tolist()))
