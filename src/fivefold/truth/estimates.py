"""Several estimates of error from one training set, with no fit made twice."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.truth.estimate_error import estimate_error
from fivefold.truth.methods import Methods, Recipe

# all made of the same two numbers, the error out of bag and the error of resubstitution
FAMILY = ("bootstrap", "632", "632+")


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Give randomness that depends on the seed and the purpose alone, and not on what else is asked."""
    return np.random.default_rng([seed, zlib.crc32(purpose.encode())])


def estimate_all(
    learner: Any, X: NDArray[np.bool_], y: NDArray[np.bool_], methods: Methods, seed: int
) -> dict[str, float]:
    """Estimate the error in each way; the bootstrap and its mixtures share their resamples."""
    made: dict[str, dict[str, float]] = {}
    found = {}
    for label, recipe in methods.items():
        name, key = _source(recipe)
        if key not in made:
            made[key] = _make(learner, X, y, name, recipe, stream(seed, key))
        found[label] = made[key][recipe.method]
    return found


def _source(recipe: Recipe) -> tuple[str, str]:
    """Give the method that is run for a recipe, and what tells runs apart."""
    shared = recipe.method in FAMILY and set(recipe.options) <= {"n_resamples"}
    name = "632+" if shared else recipe.method
    return name, f"{name} {sorted(recipe.options.items())}"


def _make(
    learner: Any, X: Any, y: Any, name: str, recipe: Recipe, rng: np.random.Generator
) -> dict[str, float]:
    options = dict(recipe.options)
    if name in ("632", "632+"):
        # only the number counts here, and the check costs as many fits again
        options.setdefault("check_duplicates", False)
    made = estimate_error(learner, X, y, method=name, random_state=rng, **options)
    if name != "632+":
        return {name: made.value}
    inside, outside = made.parts["resubstitution"], made.parts["bootstrap"]
    return {"bootstrap": outside, "632": 0.368 * inside + 0.632 * outside, "632+": made.value}
