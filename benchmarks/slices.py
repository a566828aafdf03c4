"""Slices of Adult's test cases, 16 thousand to ten million of them, beside other slice finders.

Run as `python -m benchmarks.slices [rows ...]`; 16281 1000000 by default, 10000000 needs about 5 GB. The larger
tables are samples of Adult with a tenth of the cells drawn anew from their column, so that rows are not copies of
each other. Peers that are not installed are left out, and said so. For orientation, measured on two cores with
three terms and a minimum count of one per cent: pysubgroup 1.26 s and 10-46 s (16 thousand and one million rows),
DivExplorer 2.9 s and 20 s, SliceLine 6 s and out of memory.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from benchmarks.timing import best_of, interleaved, peak_megabytes, show
from fivefold.data import load
from fivefold.data.columns import read_columns
from fivefold.slices.bins import cut_points
from fivefold.slices.find_errors import find_errors
from fivefold.slices.items import code_column, pack_items
from fivefold.slices.layout import lay_out
from fivefold.slices.search import paper_pruner, search

BINS = {
    "age": [25, 35, 45, 55],
    "hours-per-week": [20, 39, 45, 60],
    "capital-gain": [0, 3500, 7500, 10000],
    "capital-loss": [0, 1000, 1500, 2000],
}
LEAST = 0.01


def adult() -> tuple[pl.DataFrame, np.ndarray]:
    table = load("adult-test")
    X = table.X.drop("fnlwgt", "education-num")
    salary = pl.Series("salary", np.asarray(table.y).astype(str)).cast(pl.Enum(sorted(set(table.y))))
    # a rule of thumb stands in for a model: where it errs depends on the attributes
    rich = (X["marital-status"] == "Married-civ-spouse") & (X["age"] > 35) | (X["capital-gain"] > 5000)
    agree = rich.to_numpy() == (np.asarray(table.y) == ">50K")
    return X.with_columns(salary), agree


def enlarged(X: pl.DataFrame, agree: np.ndarray, n: int, seed: int = 0) -> tuple[pl.DataFrame, np.ndarray]:
    if n == len(X):
        return X, agree
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(X), size=n)
    columns = []
    for column in X:
        places = rows.copy()
        anew = np.flatnonzero(rng.random(n) < 0.1)
        places[anew] = rng.integers(0, len(X), size=anew.size)
        columns.append(column.gather(places))
    return pl.DataFrame(columns), agree[rows]


def count_only(X: pl.DataFrame, agree: np.ndarray) -> Callable[[], Any]:
    columns = read_columns(X)
    cuts = cut_points(columns, BINS)
    layout = lay_out(agree, 2)
    coded = [code_column(column, cuts, False) for column in columns]

    def count() -> Any:
        items = pack_items(coded, layout, 0.01 * len(agree), 2)
        return search(items, 0.05, 3, paper_pruner(layout.sizes, LEAST), 2)

    return count


def whole(X: pl.DataFrame, agree: np.ndarray) -> Callable[[], Any]:
    truth = pl.Series("truth", np.ones(len(agree), dtype=np.int8))
    said = pl.Series("said", agree.astype(np.int8))

    def call() -> Any:
        return find_errors(
            X, truth, said, bins=BINS, include_target=False, min_support_difference=LEAST, n_jobs=2
        )

    return call


def peers(X: pl.DataFrame, agree: np.ndarray) -> dict[str, Callable[[], Any]]:
    if importlib.util.find_spec("pysubgroup") is None:
        print("pysubgroup is not installed: left out")
        return {}
    import pysubgroup as ps

    coded = {c.name: c for c in read_columns(X)}
    cuts = cut_points(tuple(coded.values()), BINS)
    frame = pl.DataFrame(
        {name: code_column(column, cuts, False).codes for name, column in coded.items()}
    ).to_pandas()
    frame = frame.astype(str).assign(agree=agree)
    task = ps.SubgroupDiscoveryTask(
        frame,
        ps.BinaryTarget("agree", True),
        ps.create_nominal_selectors(frame, ignore=["agree"]),
        result_set_size=10_000,
        depth=3,
        qf=ps.WRAccQF(),
        constraints=[ps.MinSupportConstraint(LEAST * len(agree))],
    )
    return {"pysubgroup (Apriori)": lambda: ps.Apriori().execute(task)}


def main(sizes: list[int]) -> None:
    X, agree = adult()
    for n in sizes:
        large, right = enlarged(X, agree, n)
        ours = {
            "find_errors, whole": whole(large, right),
            "packing and counting alone": count_only(large, right),
        }
        found = ours["find_errors, whole"]()
        print(f"\n{n:,} rows: {found.tests.total:,} tests, {len(found)} slices shown")
        calls = ours | (peers(large, right) if n < 100_000 else {})
        repeats = 5 if n < 100_000 else 2
        show(f"{n:,} rows", interleaved(calls, repeats), "find_errors, whole")
        if n < 100_000:
            permuted = best_of(
                lambda X=large, right=right: find_errors(
                    X,
                    np.ones(len(right), dtype=int),
                    right.astype(int),
                    bins=BINS,
                    include_target=False,
                    correction="westfall-young",
                    random_state=0,
                    n_jobs=2,
                ),
                1,
            )
            print(f"  {'find_errors, westfall-young (999)':<44} {permuted:8.3f} s")
    print(f"\npeak memory {peak_megabytes():,.0f} MB")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [16_281, 1_000_000])
