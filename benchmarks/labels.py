"""A million labels of each kind: what they take to read, and what they cost `find_errors`, beside whole numbers.

Run as `python -m benchmarks.labels [rows]`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import fivefold as ff
from benchmarks.timing import interleaved, show
from fivefold.inputs.answers import as_answers

CLASSES = ("benign", "malignant", "unknown")


def main(rows: int = 1_000_000) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(len(CLASSES), size=rows)
    answers = np.where(rng.random(rows) < 0.9, truth, rng.integers(len(CLASSES), size=rows))
    labels = {kind: (make(truth), make(answers)) for kind, make in KINDS.items()}
    calls: dict[str, Callable[[], Any]] = {
        kind: lambda pair=pair: as_answers(*pair) for kind, pair in labels.items()
    }
    show(f"reading {rows:,} true classes and answers", interleaved(calls), "whole numbers")
    X = pl.DataFrame({f"x{j}": rng.integers(4, size=rows).astype(str) for j in range(3)})
    X = X.with_columns(pl.all().cast(pl.Enum(list("0123"))))
    calls = {kind: lambda pair=pair: ff.slices.find_errors(X, *pair) for kind, pair in labels.items()}
    show(f"find_errors in {rows:,} rows of three nominal columns", interleaved(calls), "whole numbers")


def _texts(codes: Any) -> Any:
    return np.array(CLASSES)[codes]


KINDS: dict[str, Callable[[Any], Any]] = {
    "whole numbers": lambda codes: codes,
    "numpy text": _texts,
    "numpy objects, one for each class": lambda codes: np.array(CLASSES, dtype=object)[codes],
    "numpy objects, one for each row": lambda codes: _texts(codes).astype(object),
    "list of texts": lambda codes: np.array(CLASSES, dtype=object)[codes].tolist(),
    "pandas str": lambda codes: pd.Series(_texts(codes)),
    "pandas object": lambda codes: pd.Series(np.array(CLASSES, dtype=object)[codes], dtype=object),
    "pandas category": lambda codes: pd.Series(pd.Categorical.from_codes(codes, categories=CLASSES)),
    "polars String": lambda codes: pl.Series(np.array(CLASSES, dtype=object)[codes].tolist()),
    "polars Categorical": lambda codes: pl.Series(_texts(codes).tolist(), dtype=pl.Categorical),
    "pyarrow string": lambda codes: pa.chunked_array([pa.array(_texts(codes).tolist())]),
}


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
