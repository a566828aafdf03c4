"""Error estimates against scikit-learn's own loops over the same fits."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import interleaved, show
from fivefold.learners import Foil
from fivefold.truth import estimate_error

ROWS, COLUMNS = 100, 50


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (ROWS, COLUMNS)).astype(bool)
    y = (X[:, 1] & X[:, 2]) | (~X[:, 0] & X[:, 5] & X[:, 6])
    real = rng.normal(size=(ROWS, 5))

    def ours(learner: object, table: object, **options: object) -> object:
        return lambda: estimate_error(learner, table, y, random_state=0, **options)

    def peer(learner: object, table: object, folds: object) -> object:
        return lambda: cross_val_score(learner, table, y, cv=folds)

    tree = DecisionTreeClassifier(random_state=0)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=0)
    jobs = {
        "tree, leave-one-out": (
            ours(tree, X, method="loo"),
            peer(tree, X, LeaveOneOut()),
        ),
        "tree, 5 x 10 folds": (
            ours(tree, X, n_repeats=5),
            peer(tree, X, folds),
        ),
        "1-nn, leave-one-out": (
            ours(KNeighborsClassifier(1), real, method="loo"),
            peer(KNeighborsClassifier(1), real, LeaveOneOut()),
        ),
        "Bernoulli Bayes, leave-one-out": (
            ours(BernoulliNB(), X, method="loo"),
            peer(BernoulliNB(), X, LeaveOneOut()),
        ),
        "FOIL, leave-one-out": (
            ours(Foil(target=True), X, method="loo"),
            peer(Foil(target=True), X, LeaveOneOut()),
        ),
    }
    for title, (mine, theirs) in jobs.items():
        show(
            f"{title}, {ROWS} x {COLUMNS}",
            interleaved({"estimate_error": mine, "cross_val_score": theirs}),
            "cross_val_score",
        )


if __name__ == "__main__":
    main()
