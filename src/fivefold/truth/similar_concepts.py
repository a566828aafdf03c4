"""Concepts that are like a user's data: as many attributes, as balanced, and as hard for the learner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from fivefold.data.dnf_concepts import Concept
from fivefold.errors import InputError
from fivefold.truth.repeats import draw_seeds, estimate_once, share_out

# clauses, and attributes in each: from what one glance finds to what a few hundred cases cannot show
EASY = ((1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (1, 4))
HARD = ((3, 2), (4, 3), (2, 4), (4, 4), (6, 4))
NOISE_SHARES = (0.25, 0.5, 0.9)  # of the error; a learner that fits noise errs more often than labels do
HIGHEST_NOISE = 0.45
PILOT_REPEATS = 6
PILOT_CASES = 2_000


@dataclass(frozen=True)
class Likeness:
    """What the concepts should share with the data.

    Parameters
    ----------
    n : int
        Cases.
    n_columns, n_bits : int
        Columns, and the bits that they hold: the fewest and the most boolean attributes.
    balance : float
        The share of the largest class.
    difficulty : float
        The learner's error, as estimated from the data.
    """

    n: int
    n_columns: int
    n_bits: int
    balance: float
    difficulty: float


@dataclass(frozen=True)
class Candidate:
    """A concept and the learner's mean true error on a few training sets of it."""

    concept: Concept
    true_error: float


def find_similar(
    learner: Any,
    like: Likeness,
    n_concepts: int,
    *,
    n_jobs: int | None,
    rng: np.random.Generator,
) -> list[Candidate]:
    """Find concepts on which the learner errs about as often as on the data.

    A learner may err because the concept is hard or because labels are noisy, and estimates fare differently in
    the two worlds. So concepts without noise and with it take turns, the nearest first. Real columns say the same
    thing twice and are not all irrelevant, so that there may be fewer attributes than the columns have bits.
    """
    clean = list(_draw(like, EASY + HARD, (0.0,), rng))
    noisy = list(_draw(like, EASY, NOISE_SHARES, rng))
    run = partial(_try_out, learner, like.n)
    seeds = [draw_seeds(PILOT_REPEATS, rng) for _ in clean + noisy]
    tried = share_out(run, zip(clean + noisy, seeds, strict=True), n_jobs)
    worlds = (
        sorted(part, key=lambda found: abs(found.true_error - like.difficulty))
        for part in (tried[: len(clean)], tried[len(clean) :])
    )
    ranked = [found for pair in zip(*worlds, strict=False) for found in pair]
    if n_concepts > len(ranked):
        raise InputError(f"n_concepts of at most {len(ranked)} for such data", f"{n_concepts}")
    return ranked[:n_concepts]


def _draw(
    like: Likeness,
    shapes: Sequence[tuple[int, int]],
    noise_shares: Sequence[float],
    rng: np.random.Generator,
) -> Iterator[Concept]:
    widths = dict.fromkeys((like.n_columns, like.n_bits))
    for share, width, (n_clauses, n_literals) in product(noise_shares, widths, shapes):
        if n_literals <= width and (n_clauses == 1 or n_literals < width):
            noise = min(share * like.difficulty, HIGHEST_NOISE)
            yield _draw_one(n_clauses, n_literals, width, like.balance, noise, rng)


def _draw_one(
    n_clauses: int, n_literals: int, width: int, balance: float, noise: float, rng: np.random.Generator
) -> Concept:
    """Draw clauses until they are no tautology."""
    while True:
        clauses = tuple(_clause(n_literals, width, rng) for _ in range(n_clauses))
        try:
            return Concept(clauses, width, balance, noise)
        except InputError:
            continue


def _clause(n_literals: int, n_attributes: int, rng: np.random.Generator) -> tuple[tuple[int, bool], ...]:
    places = np.sort(rng.choice(n_attributes, size=n_literals, replace=False)).tolist()
    return tuple((place, bool(rng.integers(2))) for place in places)


def _try_out(learner: Any, n: int, trial: tuple[Concept, list[int]]) -> Candidate:
    known, seeds = trial
    errors = [estimate_once(learner, known, n, {}, PILOT_CASES, seed).truth.value for seed in seeds]
    return Candidate(known, float(np.mean(errors)))
