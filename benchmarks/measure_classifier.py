"""The measure-based learner on the petals of the irises: how fast, and how good.

The peer is the same climb with the measure computed from scratch for every proposal, by compiled loops too; it
tries a twentieth of the proposals, and its seconds are scaled up.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.datasets import load_iris

from benchmarks.timing import interleaved, show
from fivefold.borders import MeasureClassifier, MeasureWeights, margin_similarity
from fivefold.borders.lattice import TriangleRegions
from fivefold.borders.measure_classifier import draw_rectangles

PROPOSALS = 6_000
FEWER = 20
SIDE = 60
TARGET_SECONDS = 2.0
PUBLISHED = 1.288


def petals() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    return X[:, 2:], y.astype(np.int32)


def measure_from_scratch(regions: TriangleRegions, points: np.ndarray, y: np.ndarray) -> float:
    """Compute the measure of regions that nothing is known about."""
    partition = regions.partition()
    answers = partition.answers(points)
    right = answers == y
    away = partition.distances(points, answers, np.where(right, -1, y).astype(np.int32))
    given = margin_similarity(np.where(right, away, -away), len(y) ** 0.5)
    gained, lost = given[right].sum() / len(y), -given[~right].sum() / len(y)
    return MeasureWeights().total(right.mean(), gained, lost, -partition.size().value)


def climb_from_scratch(X: np.ndarray, y: np.ndarray, proposals: int) -> float:
    points = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    regions = TriangleRegions(SIDE, -0.1, 1.2 / SIDE, np.zeros(4 * SIDE**2, dtype=np.int32))
    x, z = ((regions.corners().mean(axis=1) - regions.low) / regions.step).T
    best = measure_from_scratch(regions, points, y)
    for tilted, low, high, low2, high2, label in draw_rectangles(
        np.random.default_rng(0), proposals, SIDE, regions.step, 3, True
    ):
        one, other = (x + z, x - z) if tilted else (x, z)
        inside = (low < one) & (one < high) & (low2 < other) & (other < high2)
        painted = replace(regions, labels=np.where(inside, label, regions.labels).astype(np.int32))
        value = measure_from_scratch(painted, points, y)
        if value > best:
            best, regions = value, painted
    return best


def main() -> None:
    X, y = petals()
    seconds = interleaved(
        {
            f"incremental, {PROPOSALS:,} proposals": lambda: MeasureClassifier(
                random_state=0, max_proposals=PROPOSALS, patience=PROPOSALS, progress=False
            ).fit(X, y),
            "from scratch": lambda: climb_from_scratch(X, y, PROPOSALS // FEWER),
        }
    )
    seconds["from scratch"] *= FEWER
    show("Hill climbing on the petals of the irises", seconds, "from scratch")
    fast = min(seconds.values())
    print(f"  target: {TARGET_SECONDS} s, {'met' if fast < TARGET_SECONDS else 'MISSED'}")
    reached = [MeasureClassifier(random_state=seed, progress=False).fit(X, y).measure_ for seed in range(10)]
    print(
        f"\nMeasure reached by ten seeds (published {PUBLISHED}): {' '.join(f'{value:.4f}' for value in reached)}"
    )
    print(f"  at least {PUBLISHED}: {sum(value >= PUBLISHED for value in reached)} of 10")


if __name__ == "__main__":
    main()
