"""Run a broad set of public calls, write every number they give, and compare two such files to the last bit.

    python tools/compare_results.py record before.json      # in one checkout (PYTHONPATH=src)
    python tools/compare_results.py record after.json       # in another
    python tools/compare_results.py compare before.json after.json

Arguments are given by position and options are looked up in each function's signature, so that a renamed parameter
does not stop a comparison; fields that only one side has are counted apart from values that differ.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import inspect
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

Calls = Iterator[tuple[str, Callable[[], Any]]]
RENAMED = {
    "y_pred": ("predicted",),
    "n_splits": ("n_folds", "folds"),
    "n_resamples": ("draws", "orderings", "n_permutations"),
}


def with_options(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call with those options that the function has, under the names that it gives them."""
    known = inspect.signature(function).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    given = {}
    for name, value in options.items():
        names = [name, *RENAMED.get(name, ())]
        given[next((n for n in names if n in known), name)] = value
    if not open_ended:
        given = {name: value for name, value in given.items() if name in known}
    return function(*args, **given)


# -------------------------------------------------------------------------------- what is written down


def plain(value: Any, depth: int = 0) -> Any:
    """Write a result as JSON: floats by their bits, long arrays by their hash, objects by their public fields."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | np.floating):
        return "nan" if np.isnan(value) else float(value).hex()
    if isinstance(value, np.ndarray | np.integer | np.bool_):
        return _array(np.asarray(value)) if np.ndim(value) else value.item()
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth) for key, item in value.items()}
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else _object(value, depth)


def _array(value: np.ndarray[Any, Any]) -> Any:
    if value.size <= 64 or value.dtype.kind not in "fiub":
        return [plain(item) for item in value.ravel().tolist()]
    kind = "f" if value.dtype.kind == "f" else "i"
    numbers = np.ascontiguousarray(value, dtype=np.float64 if kind == "f" else np.int64)
    return f"{value.shape} {kind} {hashlib.sha256(numbers.tobytes()).hexdigest()[:24]}"


def _object(value: Any, depth: int) -> Any:
    if isinstance(value, pl.DataFrame):
        return {name: plain(value[name].to_numpy()) for name in value.columns}
    if dataclasses.is_dataclass(value) and depth < 4:
        names = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
        properties = [name for name, kind in inspect.getmembers(type(value)) if isinstance(kind, property)]
        return {
            name: plain(item, depth + 1)
            for name in dict.fromkeys([*names, *properties])
            if not name.startswith("_") and not callable(item := getattr(value, name))
        }
    if isinstance(value, list | tuple) or (hasattr(value, "__len__") and hasattr(value, "__getitem__")):
        return [plain(item, depth + 1) for item in value]
    return f"a {type(value).__name__}"


# ----------------------------------------------------------------------------------------- what is run


def _answers(n: int = 400, seed: int = 0) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    classes = np.array(["ape", "bee", "cat"])
    truth = classes[rng.choice(3, n, p=[0.6, 0.3, 0.1])]
    labels = np.where(rng.random(n) < 0.7, truth, classes[rng.integers(0, 3, n)])
    matrix = (labels[:, None] == classes) | (rng.random((n, 3)) < 0.2)
    y_prob = rng.dirichlet([1, 1, 1], n) * 0.5 + 0.5 * (truth[:, None] == classes)
    return truth, labels, matrix, y_prob


def bits(ff: Any) -> Calls:
    truth, labels, matrix, _ = _answers()
    for code in ("laplace", "constant", "frequency", "corrected", "mixture"):
        for name, answer in (("labels", labels), ("matrix", matrix)):
            yield f"code_length {code} {name}", lambda c=code, a=answer: ff.bits.code_length(truth, a, code=c)
            yield (
                f"significance {code} {name}",
                lambda c=code, a=answer: ff.bits.significance(truth, a, code=c),
            )
        yield f"null {code}", lambda c=code: ff.bits.null_code_length(truth, code=c)
        yield (
            f"encode {code}",
            lambda c=code: ff.bits.encode(truth, matrix, code=c, orderings=5, random_state=3),
        )
    yield "expected", lambda: [ff.bits.expected_significance(200, 0.6, a / 20) for a in range(10, 21)]
    yield "expected set", lambda: ff.bits.expected_set_gain(5, 2, 0.8)
    yield "summarise", lambda: ff.bits.summarise_answers(truth, matrix)


def bets(ff: Any) -> Calls:
    truth, _, _, y_prob = _answers()
    pair = (truth == "bee").astype(int)
    event = np.clip(y_prob[:, 1], 0.001, 0.999)
    metrics = "information_reward miscalibration brier_score log_score auc expected_calibration_error "
    metrics += "debiased_calibration_error entropy_gain kononenko_bratko_score signed_confidence"
    for name in metrics.split():
        yield f"{name} many", lambda n=name: getattr(ff.bets, n)(truth, y_prob)
        yield f"{name} two", lambda n=name: getattr(ff.bets, n)(pair, event)
    for name in (
        "reliability",
        "brier_decomposition",
        "log_score_decomposition",
        "corp_decomposition",
        "roc",
    ):
        yield name, lambda n=name: getattr(ff.bets, n)(pair, event)
    yield "lift", lambda: [ff.bets.lift(pair, event, depth=d) for d in (0.05, 0.1, 0.5)]
    yield "lift curve", lambda: ff.bets.lift_curve(pair, event)
    yield "recalibrate", lambda: ff.bets.recalibrate(pair, event)
    yield "kl", lambda: ff.bets.kl_distance([0.2, 0.3, 0.5], [0.3, 0.3, 0.4])


LEARNERS = [
    "OneR",
    "DecisionStump",
    "ID3",
    "C45Tree",
    "C45Rules",
    "C5Rules",
    "Foil",
    "Prism",
    "Induct",
    "ParsimoniousDiscrimination",
    "MMLTree",
    "MMLGraph",
    "NaiveBayes",
    "SuperParent",
]


def learners(ff: Any) -> Calls:
    for code in ("BC", "G2", "GL", "HE", "HO", "IR", "LA", "LY", "VO"):
        for name in LEARNERS:
            if (name == "ID3" and code in ("HE", "HO")) or (
                name == "ParsimoniousDiscrimination" and code != "IR"
            ):
                continue
            yield f"{name} on {code}", lambda c=code, n=name: _fit(ff, c, getattr(ff.learners, n)())
        yield f"Ripple on {code}", lambda c=code: _fit(ff, c, ff.learners.Induct(form="ripple"))
        yield f"unpruned on {code}", lambda c=code: _fit(ff, c, ff.learners.C45Tree(prune=False))


def _fit(ff: Any, code: str, model: Any) -> Any:
    table = ff.data.load(code)
    rows = np.random.default_rng(5).permutation(table.n_rows)
    half = table.n_rows // 2
    X, y = table.to_polars().select(list(table.kinds)), np.asarray(table.y)
    model.fit(X[rows[:half]], y[rows[:half]])
    asked = X[rows[half:]]
    out = {"text": str(model), "predict": list(map(str, model.predict(asked)))}
    if hasattr(model, "predict_proba"):
        out["probabilities"] = plain(model.predict_proba(asked))
    if hasattr(model, "predict_sets"):
        out["sets"] = plain(model.predict_sets(asked))
    out["theory"] = plain(ff.bits.theory_length(model, X[rows[:half]]))
    return out


def truth(ff: Any) -> Calls:
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    irises = ff.data.load("IR")
    X, y = irises.to_polars().select(list(irises.kinds)).to_numpy(), np.asarray(irises.y)
    votes = ff.data.load("VO")
    tree = DecisionTreeClassifier(max_depth=3)
    for method in ("resubstitution", "holdout", "cv", "loo", "bootstrap", "632", "632+"):
        for name, model in (("tree", tree), ("knn", KNeighborsClassifier(3))):
            yield (
                f"estimate {method} {name}",
                lambda m=method, e=model: ff.truth.estimate_error(e, X, y, method=m, random_state=4),
            )
        if method != "632+":
            yield (
                f"estimate {method} NaiveBayes",
                lambda m=method: ff.truth.estimate_error(
                    ff.learners.NaiveBayes(), votes.X, votes.y, method=m, random_state=4
                ),
            )
    yield (
        "compare",
        lambda: ff.truth.compare(tree, KNeighborsClassifier(3), X, y, n_repeats=3, random_state=1),
    )
    yield "duplicates", lambda: ff.truth.duplicate_sensitivity(tree, X, y, n_resamples=10, random_state=1)
    foil = ff.learners.Foil(target=True)
    yield (
        "simulate",
        lambda: ff.truth.simulate(foil, "dnf2", 60, methods=("loo", "632"), n_repeats=5, random_state=2),
    )
    yield (
        "curve",
        lambda: ff.truth.learning_curve(tree, "dnf1", [30, 60], n_repeats=2, n_test=2000, random_state=2),
    )
    yield (
        "multisets",
        lambda: ff.truth.multiset_errors(foil, "dnf1", 50, n_repeats=2, n_resamples=5, random_state=2),
    )
    yield (
        "rows",
        lambda: [ff.truth.rows_needed_to_compare(9, 20, 300), ff.truth.rows_needed_for_difference(0.1, 0.4)],
    )
    yield "counts", lambda: ff.truth.compare_counts(80, 20, 90, 10)
    counts = np.random.default_rng(0).multinomial(150, [1 / 150] * 150, size=4)
    yield "refits", lambda: ff.truth.predict_after_refits(tree, X, y, counts, random_state=1)
    for name in ("dnf1", "dnf3"):
        yield f"concept {name}", lambda n=name: ff.data.concept(n).sample(50, random_state=1)


def slices(ff: Any) -> Calls:
    table = ff.data.load("adult-test")
    train = ff.data.load("adult-train")
    model = ff.learners.NaiveBayes().fit(train.X, train.y)
    other = ff.learners.OneR().fit(train.X, train.y)
    first, second = model.predict(table.X), other.predict(table.X)
    errors, differences = ff.slices.find_errors, ff.slices.find_differences
    for correction in ("layered", "westfall-young"):
        yield (
            f"errors {correction}",
            lambda c=correction: _slices(
                with_options(errors, table.X, table.y, first, correction=c, random_state=0)
            ),
        )
    for engine in ("c5", "discrimination"):
        yield (
            f"errors {engine}",
            lambda e=engine: _slices(errors(table.X, table.y, first, engine=e, random_state=0)),
        )
    for bins in (2, "quantile", {"age": [25.0, 45.0]}):
        yield (
            f"errors bins {bins}",
            lambda b=bins: _slices(errors(table.X, table.y, first, bins=b, max_terms=2)),
        )
    yield (
        "held back",
        lambda: _slices(with_options(errors, table.X, table.y, first, hold_back=0.3, random_state=0)),
    )
    yield "differences", lambda: _slices(differences(table.X, first, second, y_true=table.y))
    scores = (first == np.asarray(table.y)) * 1.0 + np.random.default_rng(0).random(len(first))
    yield (
        "scores",
        lambda: _slices(with_options(ff.slices.find_scores, table.X, scores, n_resamples=99, random_state=0)),
    )
    yield "groups", lambda: ff.slices.Stucco().find(table.X, table.y).columns()


def _slices(found: Any) -> Any:
    skipped = ("terms", "held_back", "who_is_right", "sentence", "query")
    rows = []
    for row in found:
        fields = {
            f.name: plain(getattr(row, f.name)) for f in dataclasses.fields(row) if f.name not in skipped
        }
        rows.append({**fields, "sql": row.to_sql(), "sentence": row.sentence})
    return {"n": len(rows), "slices": rows}


def borders(ff: Any) -> Calls:
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    irises = ff.data.load("IR")
    X = irises.to_polars().select("petal_length", "petal_width").to_numpy()
    y = np.asarray(irises.y)
    models = [
        DecisionTreeClassifier(max_depth=3, random_state=0),
        KNeighborsClassifier(10),
        LogisticRegression(),
        SVC(),
    ]
    for model in models:
        name = type(model).__name__
        yield f"measure {name}", lambda m=model: ff.borders.measure(m.fit(X, y), X, y)
        yield f"distance {name}", lambda m=model: ff.borders.border_distance(m.fit(X, y), X, y)
    yield (
        "learner",
        lambda: ff.borders.MeasureClassifier(random_state=0).fit(X[::3], y[::3]).predict(X).tolist(),
    )


def whole(ff: Any) -> Calls:
    table = ff.data.load("adult-test").to_pandas().head(3000)
    target = table.columns[-1]
    rng = np.random.default_rng(0)
    kinds = sorted(table[target].unique())
    table["a"] = np.where(rng.random(len(table)) < 0.8, table[target], kinds[0])
    table["b"] = np.where(rng.random(len(table)) < 0.75, table[target], kinds[1])
    table[f"a:{kinds[1]}"] = rng.random(len(table))
    table[f"a:{kinds[0]}"] = 1 - table[f"a:{kinds[1]}"]

    def judged() -> Any:
        found = ff.evaluate_predictions(
            table,
            target=target,
            predictions=["a", "b"],
            probabilities={"a": {kinds[0]: f"a:{kinds[0]}", kinds[1]: f"a:{kinds[1]}"}},
        )
        return _flat(json.loads(found.to_json()))

    def learned() -> Any:
        votes = ff.data.load("VO")
        models = {"1R": ff.learners.OneR(), "FOIL": ff.learners.Foil()}
        return _flat(json.loads(ff.evaluate(models, votes.X, votes.y, random_state=0).to_json()))

    yield "predictions", judged
    yield "models", learned


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    """Flatten JSON; lists of plain values stay together."""
    if isinstance(value, dict):
        return {k: v for key, item in value.items() for k, v in _flat(item, f"{path}/{key}").items()}
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return {k: v for i, item in enumerate(value) for k, v in _flat(item, f"{path}/{i}").items()}
    return {path: value}


def commands(ff: Any) -> Calls:
    runs = {
        "data list": ["data", "list"],
        "data show": ["data", "show", "VO"],
        "learners": ["learners"],
        "papers": ["papers", "list"],
    }
    for name, arguments in runs.items():
        yield name, lambda a=arguments: _command(a)
    yield "study", _study


def _command(arguments: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "from fivefold.cli.main import run; run()", *arguments],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def _study() -> str:
    plan = Path(__file__).parents[1] / "examples" / "study.toml"
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "bits.study")
        ran = _command(["study", "run", str(plan), "--store", store])
        shown = _command(["study", "show", store, "--view", "bits"])
    return ran.splitlines()[0] + shown


PARTS = {f.__name__: f for f in (bits, bets, learners, truth, slices, borders, whole, commands)}


# -------------------------------------------------------------------------------------------- the tool


def record(path: str, parts: list[str]) -> None:
    import fivefold as ff

    out: dict[str, Any] = {}
    for part in parts or PARTS:
        for name, call in PARTS[part](ff):
            try:
                out[f"{part}: {name}"] = plain(call())
            except Exception as problem:  # a call that fails is a result too, and is compared
                out[f"{part}: {name}"] = f"raised {type(problem).__name__}: {problem}"
            print(f"{part}: {name}", file=sys.stderr)
    Path(path).write_text(json.dumps(out, indent=1, sort_keys=True), encoding="utf-8")


def compare(before: str, after: str) -> int:
    old, new = (json.loads(Path(path).read_text(encoding="utf-8")) for path in (before, after))
    same = different = alone = 0
    for name in sorted(old.keys() | new.keys()):
        a, b = (_flat(side[name]) if name in side else None for side in (old, new))
        if a is None or b is None:
            alone += 1
            print(f"only {'before' if b is None else 'after'}: {name}")
            continue
        changed = [key for key in a.keys() & b.keys() if a[key] != b[key]]
        same += len(a.keys() & b.keys()) - len(changed)
        different += len(changed)
        for key in sorted(changed)[:5]:
            print(f"DIFFERENT {name} {key}\n    {str(a[key])[:300]}\n    {str(b[key])[:300]}")
        for side, others in (("before", a.keys() - b.keys()), ("after", b.keys() - a.keys())):
            alone += len(others)
            if others:
                print(f"only {side}: {name}: {', '.join(sorted(others)[:8])}")
    print(f"{same} values are the same to the last bit, {different} differ, {alone} are on one side only")
    return int(different > 0)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("record")
    verb.add_argument("path")
    verb.add_argument("--part", action="append", choices=sorted(PARTS), default=[])
    verb = verbs.add_parser("compare")
    verb.add_argument("before")
    verb.add_argument("after")
    given = parser.parse_args()
    if given.verb == "record":
        record(given.path, given.part)
        return 0
    return compare(given.before, given.after)


if __name__ == "__main__":
    sys.exit(main())
