"""The scatter experiment of Bailey and Elkan in full, and its parts against the plain way to do them."""

from __future__ import annotations

import itertools
import time

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from benchmarks.timing import interleaved, show
from fivefold.data import concept
from fivefold.learners import Foil
from fivefold.truth import estimate_error, simulate

CONCEPTS = ("dnf1_star", "dnf2", "dnf3", "dnf4")
FOIL = Foil(target=True, info="paper", pruning=False)
FITS = 1 + 100 + 50


def scatter(n_repeats: int, n_jobs: int | None = None) -> None:
    for name in CONCEPTS:
        simulate(FOIL, name, 100, methods=("loo", "632"), n_repeats=n_repeats, n_jobs=n_jobs, random_state=0)


def enumerated(known, model) -> float:
    """Compare model and concept for all values of the attributes that either mentions, as the paper does."""
    mentioned = {int(term.column[1:]) for rule in model.rules() for term in rule.terms}
    places = sorted(mentioned | {place for clause in known.clauses for place, _ in clause})
    X = np.zeros((1 << len(places), known.n_attributes), dtype=bool)
    X[:, places] = list(itertools.product([False, True], repeat=len(places)))
    truth, said = known.label(X), model.predict(X)
    return (np.mean(~said[truth]) + np.mean(said[~truth])) / 2


def main() -> None:
    known = concept("dnf1_star")
    sets = [known.sample(100, seed) for seed in range(10)]
    models = [clone(FOIL).fit(X, y) for X, y in sets]
    seconds = interleaved(
        {
            "exact": lambda: [known.true_error(model) for model in models],
            "enumerated": lambda: [enumerated(known, model) for model in models],
            "simulated, 20,000 cases": lambda: [known.true_error(model, max_states=0) for model in models],
        }
    )
    show("true error of 10 fitted models", seconds, "enumerated")
    print(f"  {1000 * seconds['exact'] / 10:.2f} ms for one exact error")

    X, y = sets[0]
    seconds = interleaved(
        {
            "estimate_error": lambda: estimate_error(FOIL, X, y, method="loo"),
            "cross_val_predict": lambda: cross_val_predict(FOIL, X, y, cv=LeaveOneOut()),
        }
    )
    show("leave-one-out of 100 cases", seconds, "cross_val_predict")

    for n_jobs in (None, 2):
        start, cpu = time.perf_counter(), time.process_time()
        scatter(100, n_jobs)
        taken, used = time.perf_counter() - start, time.process_time() - cpu
        fits = len(CONCEPTS) * 100 * FITS
        print(
            f"\nscatter experiment, n_jobs={n_jobs}: {fits:,} fits and 400 true errors in {taken:.1f} s",
            end="",
        )
        print(f" ({used:.1f} s of this process)")


if __name__ == "__main__":
    main()
