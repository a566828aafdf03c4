from itertools import product
from math import inf, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.learners import NaiveBayes, SuperParent

from .classic_cases import frame_of, tables, tennis


def _exclusive_or():
    rows = [(*case, str(case[0] ^ case[1])) for case in product([0, 1], repeat=3)] * 3
    rows += [(0, 0, 0, "1"), (1, 0, 1, "0")]
    frame = pl.DataFrame(rows, schema=["a", "b", "c", "class"], orient="row")
    return frame.select(pl.col("a", "b", "c").cast(pl.String)), frame["class"].to_list()


def test_exclusive_or():
    X, y = _exclusive_or()
    folds = [[i] for i in range(len(y))]

    def score(parents):
        return _correct(X.rows(), y, folds, parents, [2, 2, 2], 1, 1)

    assert score([None, None, None]) == 2
    assert [score([None, 0, 0]), score([1, None, 1]), score([2, 2, None])] == [24, 24, 0]
    model = SuperParent(class_m=1).fit(X, y)
    assert model.arcs_ == (("a", "b"),)
    assert model.parents_ == {"b": "a"}
    assert model.accuracy_ == 24 / 26


# the definition, case by case


def _value_share(rows, classes, case, label, a, parent, size, m):
    if parent is not None and case[parent] is None:
        parent = None
    inside = [
        row[a]
        for row, c in zip(rows, classes, strict=True)
        if c == label and row[a] is not None and (parent is None or row[parent] == case[parent])
    ]
    if len(inside) + m == 0:
        return 1 / size
    return (inside.count(case[a]) + m / size) / (len(inside) + m)


def _log_joint(rows, classes, case, label, parents, sizes, m, class_m, n_classes):
    shares = [classes.count(label) + class_m / n_classes]
    for a, parent in enumerate(parents):
        if case[a] is not None and sizes[a]:
            shares.append(_value_share(rows, classes, case, label, a, parent, sizes[a], m))
    return sum(log(share) if share else -inf for share in shares)


def _judge(train, case, parents, sizes, m, class_m, labels):
    rows, classes = train
    logs = [_log_joint(rows, classes, case, c, parents, sizes, m, class_m, len(labels)) for c in labels]
    return next(
        c for c, value in zip(labels, logs, strict=True) if value > max(logs) - 1e-9 or max(logs) == -inf
    )


def _correct(rows, y, folds, parents, sizes, m, class_m):
    labels, right = sorted(set(y)), 0
    for fold in folds:
        others = [i for i in range(len(y)) if i not in fold]
        train = [rows[i] for i in others], [y[i] for i in others]
        right += sum(_judge(train, rows[i], parents, sizes, m, class_m, labels) == y[i] for i in fold)
    return right


def _search(score, n):
    def root(parents, a):
        while parents[a] is not None:
            a = parents[a]
        return a

    def adopt(parents, parent, children):
        return [parent if a in children else p for a, p in enumerate(parents)]

    parents, arcs = [None] * n, []
    best = score(parents)
    while parents.count(None) > 1:
        able = {
            a: [o for o in range(n) if parents[o] is None and o not in (a, root(parents, a))]
            for a in range(n)
        }
        chosen = max(range(n), key=lambda a: score(adopt(parents, a, able[a])))
        child = max(able[chosen], key=lambda o: score(adopt(parents, chosen, [o])))
        if score(adopt(parents, chosen, [child])) <= best:
            break
        parents = adopt(parents, chosen, [child])
        best = score(parents)
        arcs.append((chosen, child))
    return arcs, best


NOMINAL = tables(max_rows=14, max_columns=4, kinds=("nominal",))
SETTINGS = st.sampled_from([(1, 0), (1, 1), (0, 0), (2.5, 0.5)])


def _network(table, folds, m, class_m):
    """Give the arcs and the accuracy of the network that the search finds, by the definition."""
    train, y, _ = table
    rows, names = list(zip(*train.values(), strict=True)), list(train)
    sizes = [len(set(column) - {None}) for column in train.values()]
    arcs, best = _search(lambda parents: _correct(rows, y, folds, parents, sizes, m, class_m), len(train))
    return tuple((names[p], names[a]) for p, a in arcs), best / len(y)


@given(NOMINAL, SETTINGS)
def test_leaving_one_out_finds_the_network_of_the_definition(table, setting):
    train, y, _ = table
    arcs, accuracy = _network(table, [[i] for i in range(len(y))], *setting)
    model = SuperParent(m=setting[0], class_m=setting[1]).fit(frame_of(train), y)
    assert model.arcs_ == arcs
    assert model.accuracy_ == pytest.approx(accuracy)


@given(NOMINAL, st.integers(2, 4), st.integers(0, 3))
def test_folds_find_the_network_of_the_definition(table, n_folds, seed):
    train, y, _ = table
    order = np.random.default_rng(seed).permutation(len(y))
    order = sorted(order.tolist(), key=lambda i: y[i])
    arcs, accuracy = _network(table, [order[first::n_folds] for first in range(n_folds)], 1, 0)
    model = SuperParent(cv=n_folds, random_state=seed).fit(frame_of(train), y)
    assert model.arcs_ == arcs
    assert model.accuracy_ == pytest.approx(accuracy)


@given(NOMINAL)
def test_probabilities_are_those_of_the_network(table):
    train, y, test = table
    model = SuperParent().fit(frame_of(train), y)
    names, rows = list(train), list(zip(*train.values(), strict=True))
    parents = [names.index(model.parents_[name]) if name in model.parents_ else None for name in names]
    sizes = [len(set(column) - {None}) for column in train.values()]
    cases = [
        tuple(v if v in train[name] else None for name, v in zip(names, row, strict=True))
        for row in zip(*test.values(), strict=True)
    ]
    logs = [
        [_log_joint(rows, y, case, c, parents, sizes, 1, 0, len(set(y))) for c in sorted(set(y))]
        for case in cases
    ]
    joint = np.exp(np.array(logs) - np.max(logs, axis=1, keepdims=True))
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(frame_of(test)), expected, rtol=1e-8)


def test_no_circles():
    # every column is the class, up to other errors: each could be the parent of each
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    X = np.where(rng.random((60, 5)) < 0.3, 1 - y[:, np.newaxis], y[:, np.newaxis]).astype(str)
    for cv in ("loo", 2, 3):
        parents = SuperParent(cv=cv, random_state=0).fit(X, y).parents_
        for name in parents:
            above = [name]
            while above[-1] in parents:
                above.append(parents[above[-1]])
                assert above[-1] not in above[:-1]


def test_without_arcs_it_is_naive_bayes():
    X, y = tennis()
    X = X[:, :1]
    np.testing.assert_allclose(
        SuperParent().fit(X, y).predict_proba(X), NaiveBayes().fit(X, y).predict_proba(X)
    )


def test_numbers_are_cut_by_the_training_cases():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0.3).astype(int)
    model = SuperParent().fit(X[:100], y[:100])
    assert model.cut_points_ == NaiveBayes().fit(X[:100], y[:100]).cut_points_
    assert model.score(X[100:], y[100:]) > 0.9


def test_folds_depend_on_the_seed_alone():
    X, y = _exclusive_or()
    first, second = (SuperParent(cv=3, random_state=4).fit(X, y) for _ in range(2))
    assert first.arcs_ == second.arcs_
    assert first.accuracy_ == second.accuracy_


def test_text_and_lack_of_theory():
    X, y = _exclusive_or()
    model = SuperParent().fit(X, y)
    assert model.to_text().splitlines() == [
        "0 0.5, 1 0.5",
        "each attribute depends on the class, and",
        "b on a",
    ]
    assert not hasattr(model, "rules")
    assert ff.bits.theory_length(model, X) is None


def test_too_many_values():
    n = 8000
    X = pl.DataFrame({"id": [f"case {i}" for i in range(n)], "again": [f"case {i}" for i in range(n)]})
    with pytest.raises(InputError, match=r"fewer values; got .* up to 8000 values.*leave out columns"):
        SuperParent().fit(X, [i % 2 for i in range(n)])


def test_bad_cv():
    X, y = tennis()
    with pytest.raises(InputError, match=r"cv, if not a number,.*'ten'"):
        SuperParent(cv="ten").fit(X, y)
    with pytest.raises(InputError, match="cv to be at least 2; got 1"):
        SuperParent(cv=1).fit(X, y)
    with pytest.raises(InputTypeError, match=r"cv to be a whole number; got 2\.5"):
        SuperParent(cv=2.5).fit(X, y)
