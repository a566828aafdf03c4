"""Every kernel from eight threads at once: the same results as alone, on arrays that all threads share."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
import pytest

import fivefold as ff
from fivefold.data import bitsets
from fivefold.data.cut_points import mdlp_cuts

THREADS = 8

_RNG = np.random.default_rng(5)
N = 150
X = pl.DataFrame(
    {
        "size": _RNG.normal(size=N).round(1),
        "age": _RNG.integers(18, 70, N).astype(float),
        "colour": _RNG.choice(["red", "green", "blue"], N),
        "shape": _RNG.choice(["round", "square"], N),
    }
)
Y = np.where(_RNG.random(N) < 0.2, _RNG.choice(["yes", "no"], N), np.where(X["size"] > 0, "yes", "no"))
ANSWERS = np.where((X["colour"] == "red").to_numpy() & (_RNG.random(N) < 0.9), Y[::-1], Y)
STATED = np.clip(_RNG.normal(0.5 + 0.3 * (X["colour"] == "blue").to_numpy(), 0.2), 0.01, 0.99)
SETS = _RNG.random((N, 2)) < 0.6
PLANE = _RNG.normal(size=(60, 2))
SIDE = (PLANE[:, 0] * PLANE[:, 1] > 0).astype(int)
WORDS = _RNG.integers(0, 2**63, 500, dtype=np.uint64)
LEARNERS = [
    *("OneR", "DecisionStump", "ID3", "C45Tree", "C45Rules", "C5Rules", "Foil", "Prism", "Induct", "MMLTree"),
    *("MMLGraph", "NaiveBayes", "SuperParent", "ParsimoniousDiscrimination"),
]


def _learner(name: str) -> Callable[[], Any]:
    return lambda: getattr(ff.learners, name)().fit(X, Y).predict(X).tolist()


def _slices(found: Any) -> Any:
    return [(str(item), item.n, item.p_value) for item in found]


CALLS: dict[str, Callable[[], Any]] = {
    **{name: _learner(name) for name in LEARNERS},
    "bitsets": lambda: bitsets.count_common(WORDS, WORDS[::-1].copy()),
    "codes": lambda: [
        ff.bits.code_length(Y, ANSWERS, code=code) for code in ("laplace", "constant", "mixture")
    ],
    "sets": lambda: list(ff.bits.encode(Y, SETS).per_example),
    "reward": lambda: ff.bets.information_reward(Y, STATED),
    "reliability": lambda: ff.bets.reliability(Y, STATED).rms,
    "labels": lambda: ff.bets.auc(Y, STATED),
    "discretise": lambda: mdlp_cuts(X["size"].to_numpy(), (Y == "yes").astype(np.int32)).tolist(),
    "slices": lambda: _slices(ff.slices.find_errors(X, Y, ANSWERS, n_jobs=1)),
    "scores": lambda: _slices(ff.slices.find_scores(X, STATED)),
    "error": lambda: ff.truth.estimate_error(ff.learners.NaiveBayes(), X, Y, random_state=0).value,
    "neighbours": lambda: ff.truth.estimate_error(_neighbours(), PLANE, SIDE, method="loo").value,
    "borders": lambda: ff.borders.measure(ff.learners.C45Tree().fit(PLANE, SIDE), PLANE, SIDE).value,
    "measure": lambda: _measure_classifier().tolist(),
}


def _neighbours() -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(3)


def _measure_classifier() -> Any:
    model = ff.borders.MeasureClassifier(max_proposals=200, resolution=20, random_state=0, progress=False)
    return model.fit(PLANE, SIDE).predict(PLANE)


@pytest.mark.parametrize("name", CALLS)
def test_eight_threads_get_what_a_single_one_gets(name: str) -> None:
    call = CALLS[name]
    alone = call()
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda _: call(), range(THREADS)))
    assert all(result == alone for result in together)


def test_all_kernels_at_once() -> None:
    alone = {name: call() for name, call in CALLS.items()}
    names = [name for name in CALLS for _ in range(2)]
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda name: CALLS[name](), names))
    assert all(result == alone[name] for name, result in zip(names, together, strict=True))
