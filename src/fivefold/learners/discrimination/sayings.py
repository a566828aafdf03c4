"""What a feature is like in a class, as a term and in words."""

from __future__ import annotations

from itertools import compress
from math import inf, nextafter
from typing import Any

import numpy as np

from fivefold.data.conditions import Equals, OneOf, Term, Within
from fivefold.data.discretise import midpoint
from fivefold.learners.discrimination.contrasts import Ranges


def term_of(ranges: Ranges, outcome: int, open_ranges: bool) -> Term:
    """Give the term that the cases of a class meet: one of its values, or a number in its range."""
    feature = ranges.feature
    if feature.categories is not None:
        categories: tuple[Any, ...] = feature.categories
        values = tuple(compress(categories, ranges.seen[:, outcome]))
        return Equals(feature.name, values[0]) if len(values) == 1 else OneOf(feature.name, values)
    if open_ranges:
        return Within(feature.name, *_open_ends(ranges, outcome))
    return Within(feature.name, *_closed_ends(ranges, outcome))


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


def say(ranges: Ranges, outcome: int, term: Term) -> str:
    """Write a term; a closed range with its own ends."""
    if isinstance(term, Within) and (term.low, term.high) == _closed_ends(ranges, outcome):
        low, high = f"{ranges.low[outcome]:.15g}", f"{ranges.high[outcome]:.15g}"
        return f"{term.column} = {low}" if low == high else f"{low} <= {term.column} <= {high}"
    return str(term)
