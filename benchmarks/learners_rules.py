"""PRISM, INDUCT and parsimonious discrimination on bundled sets, against scikit-learn's tree on the same cases.

Run as `python -m benchmarks.learners_rules`. The tree gets codes of categories, made beforehand; the rule learners
read the frames as they are. Times include checking and reading the input.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from benchmarks.timing import interleaved, show
from fivefold.learners import Induct, ParsimoniousDiscrimination, Prism
from fivefold.learners.rules.discrimination import minimal_covers

TREE = "scikit-learn's tree on codes"


def main() -> None:
    for name in ("CH", "HY", "MU"):
        table = ff.data.load(name)
        seconds = interleaved(_fits(table.X, table.y))
        show(f"fit {name}: {table.X.shape[0]} x {table.X.shape[1]}", seconds, TREE)
    _many_small_fits()
    _predictions()
    _large()
    _covers()


def _fits(X: Any, y: Any) -> dict[str, Callable[[], Any]]:
    codes = _codes(X)
    return {
        TREE: lambda: DecisionTreeClassifier(criterion="entropy").fit(codes, y),
        "Prism": lambda: Prism().fit(X, y),
        "ParsimoniousDiscrimination": lambda: ParsimoniousDiscrimination().fit(X, y),
    } | {
        f"Induct {form} {search}": lambda form=form, search=search: Induct(form=form, search=search).fit(X, y)
        for form in ("dnf", "list", "ripple")
        for search in ("prism", "min_r")
    }


def _codes(X: Any) -> Any:
    encoder = OrdinalEncoder(encoded_missing_value=-1)
    return encoder.fit_transform(X.to_pandas() if hasattr(X, "to_pandas") else X)


def _many_small_fits() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((100, 50)) < 0.5
    y = X[:, 0] & X[:, 1] & ~X[:, 2] | X[:, 3] & ~X[:, 4]
    seconds = interleaved(
        {
            TREE: lambda: [DecisionTreeClassifier(criterion="entropy").fit(X, y) for _ in range(100)],
            "Prism": lambda: [Prism().fit(X, y) for _ in range(100)],
            "Induct dnf": lambda: [Induct().fit(X, y) for _ in range(100)],
            "Induct ripple": lambda: [Induct(form="ripple").fit(X, y) for _ in range(100)],
        }
    )
    show("100 fits of 100 x 50 truth values", seconds, TREE)


def _predictions() -> None:
    table = ff.data.load("CH")
    models = {"Prism": Prism(), "Induct dnf": Induct(), "Induct list": Induct(form="list")}
    rows = np.tile(np.arange(len(table.y)), 32)
    X = table.X.iloc[rows] if hasattr(table.X, "iloc") else table.X[rows]
    fitted = {name: model.fit(table.X, table.y) for name, model in models.items()}
    tree = DecisionTreeClassifier().fit(_codes(table.X), table.y)
    codes = _codes(X)
    seconds = interleaved(
        {name: lambda model=model: model.predict(X) for name, model in fitted.items()}
        | {TREE: lambda: tree.predict(codes)}
    )
    show(f"predict {len(rows):,} rows of CH", seconds, TREE)


def _large() -> None:
    table = ff.data.load("adult-train")
    print(f"\nfit Adult: {table.X.shape[0]} x {table.X.shape[1]}, once")
    for name, fit in _fits(table.X, table.y).items():
        start = time.perf_counter()
        fit()
        print(f"  {name:<44} {time.perf_counter() - start:8.3f} s")


def _covers() -> None:
    rng = np.random.default_rng(0)
    print("\nsmallest covers of 435 pairs (30 classes), each contrasted by a feature with probability 0.3")
    for n_features in (20, 30, 40):
        told = rng.random((n_features, 435)) < 0.3
        masks = [int.from_bytes(np.packbits(own).tobytes(), "little") for own in told]
        start = time.perf_counter()
        found = minimal_covers(masks, max_covers=1000)
        taken = time.perf_counter() - start
        print(f"  {n_features} features: {len(found)} of size {len(found[0])}, {taken:.3f} s", flush=True)


if __name__ == "__main__":
    main()
