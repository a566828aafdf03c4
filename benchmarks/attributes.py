"""A million texts of 20 words and as many ISO times: what it takes to make attributes of them and search these.

Run as `python -m benchmarks.attributes [rows]`. The peer counts words by scikit-learn's CountVectorizer and keeps
the 100 most frequent: words alone, without length, digits, scripts and phrases. Times are those of the processor.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
from sklearn.feature_extraction.text import CountVectorizer

import fivefold as ff
from benchmarks.timing import peak_megabytes
from fivefold.slices.attributes import read_attributes

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def make(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    vocabulary = np.array([a + b + c for a in LETTERS for b in LETTERS for c in LETTERS[:8]])
    weights = 1 / np.arange(1, vocabulary.size + 1)
    words = vocabulary[rng.choice(vocabulary.size, (min(rows, 50_000), 20), p=weights / weights.sum())]
    texts = pl.DataFrame(words).select(pl.concat_str(pl.all(), separator=" ")).to_series()
    numbers = pl.Series(rng.integers(0, 10**9, rows)).cast(pl.String)
    prompts = pl.select(pl.concat_str(texts.gather(np.arange(rows) % len(texts)), numbers, separator=" "))
    seconds = pl.Series(rng.integers(1_700_000_000, 1_750_000_000, rows) * 1_000_000)
    when = seconds.cast(pl.Datetime("us")).dt.strftime("%Y-%m-%dT%H:%M:%S")
    return pl.DataFrame({"prompt": prompts.to_series(), "when": when, "kind": rng.choice(["a", "b"], rows)})


def main(rows: int = 1_000_000) -> None:
    X = make(rows)
    rng = np.random.default_rng(1)
    y_pred = np.where(rng.random(rows) < 0.1, "wrong", "right")
    calls: dict[str, Callable[[], Any]] = {
        "attributes of the texts": lambda: read_attributes(X.select("prompt", "kind")),
        "attributes of the times": lambda: read_attributes(X.select("when", "kind")),
        "find_errors with up to two conditions": lambda: ff.slices.find_errors(
            X, np.full(rows, "right"), y_pred, include_target=False, max_terms=2
        ),
        "CountVectorizer, words of the texts alone": lambda: CountVectorizer(
            max_features=100, binary=True
        ).fit_transform(X["prompt"].to_list()),
    }
    for name, call in calls.items():
        start = time.process_time()
        call()
        seconds = time.process_time() - start
        print(f"  {name:<44} {seconds:8.2f} s, at most {peak_megabytes():6,.0f} MB so far", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
