"""Train four models on half of a bundled data set and write what they say about the other half.

The table has the columns that `fivefold report` reads: the truth, a column of answers for each model (one
class, several joined by "|", or nothing), columns of probabilities, and the attributes. Run it as

    python examples/write_predictions.py build/predictions.csv [HY]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff

SEED = 1


def encoder(table: ff.data.Table) -> Any:
    nominal = [name for name, kind in table.kinds.items() if kind == "nominal"]
    numeric = [name for name, kind in table.kinds.items() if kind == "numeric"]
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), nominal),
        (SimpleImputer(strategy="median"), numeric),
    )


def models(table: ff.data.Table) -> dict[str, Any]:
    return {
        "majority": DummyClassifier(strategy="most_frequent"),
        "tree": make_pipeline(encoder(table), DecisionTreeClassifier(random_state=SEED)),
        "bayes": make_pipeline(encoder(table), GaussianNB(var_smoothing=1e-3)),
        "boosting": HistGradientBoostingClassifier(random_state=SEED),
    }


def cautious(prob: np.ndarray, classes: np.ndarray, sure: float = 0.9) -> list[str]:
    """Answer with every class that is needed to be ``sure`` that the truth is among them."""
    order = np.argsort(-prob, axis=1)
    reached = np.cumsum(np.take_along_axis(prob, order, axis=1), axis=1)
    sizes = np.minimum((reached < sure).sum(axis=1) + 1, classes.size)
    return ["|".join(classes[row[:size]]) for row, size in zip(order, sizes, strict=True)]


def main(path: Path, code: str) -> None:
    table = ff.data.load(code)
    X_train, X_test, y_train, y_test = train_test_split(
        table.X, table.y, test_size=0.5, stratify=table.y, random_state=SEED
    )
    columns: dict[str, Any] = {"truth": y_test}
    for name, model in models(table).items():
        prob = model.fit(X_train, y_train).predict_proba(X_test)
        columns[name] = model.predict(X_test)
        if name != "majority":
            columns |= {f"{name}:{label}": prob[:, k] for k, label in enumerate(model.classes_)}
        if name == "boosting":
            columns["cautious"] = cautious(prob, model.classes_)
    path.parent.mkdir(parents=True, exist_ok=True)
    # the attributes stand beside the answers, so that slices can say where a model fails
    X_test.with_columns(**{name: pl.Series(values) for name, values in columns.items()}).write_csv(path)
    print(f"wrote {path}: {len(y_test)} cases of {table.name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "HY")
