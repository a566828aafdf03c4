"""The estimator of parsimonious discrimination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fivefold.data.conditions import Rule, Term
from fivefold.errors import InputError, show
from fivefold.inputs.columns import CategoricalFeatures, Column
from fivefold.inputs.options import fraction, positive_int
from fivefold.learners.discrimination.contrasts import Ranges, class_pairs, ranges_of
from fivefold.learners.discrimination.covers import minimal_covers
from fivefold.learners.discrimination.derived import Feature, columns_as_features, combined
from fivefold.learners.discrimination.profiles import choose_profiles
from fivefold.learners.discrimination.sayings import say, term_of
from fivefold.learners.firing import FiringLearner
from fivefold.learners.rule_answers import RuleAnswers
from fivefold.learners.theories import RuleSet


class ParsimoniousDiscrimination(FiringLearner):
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
    categorical_features : "from_dtype", array-like or None
        Which columns are nominal: by default those of type category, text, object and bool.

    Attributes
    ----------
    classes_ : ndarray
        The classes in sorted order.
    columns_ : tuple of Column
        The attributes, without their values.
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

    features_: tuple[str, ...]
    feature_sets_: tuple[tuple[str, ...], ...]
    profiles_: dict[Any, tuple[str, ...]]
    contrasters_: dict[tuple[Any, Any], tuple[str, ...]]
    uncontrasted_: tuple[tuple[Any, Any], ...]

    def __init__(
        self,
        *,
        max_overlap: float = 0.0,
        max_combined: int = 1,
        open_ranges: bool = False,
        max_features: int | None = None,
        max_sets: int = 1000,
        categorical_features: CategoricalFeatures = "from_dtype",
    ) -> None:
        self.max_overlap = max_overlap
        self.max_combined = max_combined
        self.open_ranges = open_ranges
        self.max_features = max_features
        self.max_sets = max_sets
        self.categorical_features = categorical_features

    def _learn(
        self, columns: Sequence[Column], classes: NDArray[np.int32], weights: NDArray[np.float64] | None
    ) -> None:
        n_classes, max_sets = self.classes_.size, positive_int(self.max_sets, "max_sets")
        limit = None if self.max_features is None else positive_int(self.max_features, "max_features")
        candidates = self._candidates(columns, classes)
        ranges = [own for _, own in candidates]
        masks = [own.mask for own in ranges]
        sets = minimal_covers(masks, max_covers=max_sets, max_size=limit)
        choice = choose_profiles(sets, masks, n_classes, max_sets)
        self._used = [(candidates[place][0], ranges[place]) for place in choice.features]
        at = {place: k for k, place in enumerate(choice.features)}
        self._profiles = [[at[place] for place in profile] for profile in choice.profiles]
        self._name(ranges, sets)
        outcomes = np.arange(n_classes, dtype=np.int32)
        self._answers = RuleAnswers.learn(self._fired(columns), outcomes, classes, n_classes)

    def _candidates(
        self, columns: Sequence[Column], classes: NDArray[np.int32]
    ) -> list[tuple[Feature, Ranges]]:
        """Give the columns, and as many levels of combinations as it takes to contrast all pairs."""
        n_classes, overlap = self.classes_.size, fraction(self.max_overlap, "max_overlap")
        most = positive_int(self.max_combined, "max_combined")
        if most > 3:
            raise InputError("max_combined to be 1, 2 or 3", show(self.max_combined))
        found = [
            (feature, ranges_of(feature.read(columns), classes, n_classes, overlap))
            for feature in columns_as_features(len(columns))
        ]
        for level in range(2, most + 1):
            left = ~_union(ranges for _, ranges in found) & ((1 << len(class_pairs(n_classes))) - 1)
            for feature in combined(level, columns) if left else ():
                column = feature.read(columns)
                known = ~np.logical_or.reduce([columns[place].missing for place in feature.places])
                if not column.missing[known].any():  # defined for all cases, unlike a division by zero
                    ranges = ranges_of(column, classes, n_classes, overlap)
                    found += [(feature, ranges)] if ranges.mask & left else []
        return found

    def _name(self, ranges: Sequence[Ranges], sets: Sequence[tuple[int, ...]]) -> None:
        names, labels = [own.feature.name for own in ranges], self.classes_.tolist()
        self.features_ = tuple(own.feature.name for _, own in self._used)
        self.feature_sets_ = tuple(tuple(names[place] for place in one) for one in sets)
        self.profiles_ = {
            label: tuple(self.features_[k] for k in profile)
            for label, profile in zip(labels, self._profiles, strict=True)
        }
        self.contrasters_ = {
            (labels[one], labels[other]): tuple(
                own.feature.name for own in ranges if own.contrasts[one, other]
            )
            for one, other in class_pairs(len(labels))
        }
        self.uncontrasted_ = tuple(pair for pair, own in self.contrasters_.items() if not own)

    def _terms(self, outcome: int) -> list[Term]:
        return [term_of(self._used[k][1], outcome, bool(self.open_ranges)) for k in self._profiles[outcome]]

    def _fired(self, columns: Sequence[Column]) -> NDArray[np.bool_]:
        features = [feature.read(columns) for feature, _ in self._used]
        fired = np.ones((self.classes_.size, len(columns[0])), dtype=bool)
        for outcome, profile in enumerate(self._profiles):
            for k, term in zip(profile, self._terms(outcome), strict=True):
                fired[outcome] &= term.holds([features[k]])
        return fired

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # classes that overlap in every feature are not told apart at all
        tags.classifier_tags.poor_score = True
        return tags

    def to_text(self) -> str:
        """Write the chosen features, the profile of each class, and the classes that are not told apart."""
        check_is_fitted(self)
        columns = ", ".join(column.name for column in self.columns_)
        lines = [f"told apart by {', '.join(self.features_) or f'none of {columns}'}"]
        for outcome, label in enumerate(self.classes_.tolist()):
            said = [
                say(self._used[k][1], outcome, term)
                for k, term in zip(self._profiles[outcome], self._terms(outcome), strict=True)
            ]
            lines.append(f"{label}: {' and '.join(said) or 'anything'}")
        lines += [f"not told apart: {one} and {other}" for one, other in self.uncontrasted_]
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


def _union(ranges: Any) -> int:
    union = 0
    for own in ranges:
        union |= own.mask
    return union
