"""The compiled trees against slow ones that are written from the description."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fivefold.learners import C45Tree
from fivefold.learners.trees._c45_double import extra_errors

from . import c45_reference as reference
from .classic_cases import DECLARED, frame_of, tables


def table_of(train, y, weights, **options):
    """Make the reference's table of columns that are named for their kind."""
    rows = [list(row) for row in zip(*train.values(), strict=True)]
    names = sorted(set(y))
    values = [list(DECLARED.categories) if name.startswith("nominal") else None for name in train]
    return reference.Table(rows, [names.index(c) for c in y], len(names), values, weights=weights, **options)


def uneven_weights(n, seed):
    # Weights make ties rare: only tests that divide the cases alike are equally good.
    return np.random.default_rng(seed).uniform(0.5, 1.5, size=n) * 2


@pytest.mark.parametrize("prune", [False, True])
@given(
    tables(), st.integers(0, 1000), st.sampled_from([1, 2, 4]), st.sampled_from(["release8", "paper", False])
)
def test_weighted_trees_are_those_of_the_description(prune, data, seed, min_cases, penalty):
    train, y, test = data
    weights = uneven_weights(len(y), seed)
    model = C45Tree(prune=prune, min_cases=min_cases, cut_penalty=penalty, dtype="float64")
    model.fit(frame_of(train, DECLARED), y, sample_weight=weights)
    table = table_of(train, y, weights.tolist(), min_cases=min_cases, penalty=penalty)
    members = list(enumerate(weights.tolist()))
    tree, _ = reference.grow(table, members)
    assume(table.margin > 1e-9)
    if prune:
        reference.prune(table, tree, members)
    expected = [reference.probabilities(table, tree, row) for row in zip(*test.values(), strict=True)]
    np.testing.assert_allclose(model.predict_proba(frame_of(test, DECLARED)), expected, atol=1e-9)


@given(st.floats(0.001, 1), st.floats(0.6, 500), st.floats(0, 1))
def test_extra_errors_follow_the_formula(cf, n, share):
    e = share * n
    limit = np.array([cf, reference.deviate_squared(cf)])
    assert extra_errors(n, e, limit) == pytest.approx(reference.extra_errors(n, e, cf), rel=1e-9, abs=1e-9)


def test_a_numeric_attribute_without_known_values_is_never_tested():
    X = pl.DataFrame({"a": [None] * 6, "b": [1.0, 1, 1, 2, 2, 2]}, schema={"a": pl.Float64, "b": pl.Float64})
    assert C45Tree(prune=False).fit(X, list("uuuvvv")).to_text() == "b <= 1: u (3)\nb > 1: v (3)"


def test_without_a_penalty_a_cut_is_taken_that_the_penalty_would_forbid():
    # By hand: the best of five cuts leaves 3 to 1 on both sides: 1 - H(1/4) = 0.189 bits; lg 5 / 8 = 0.290.
    X, y = pl.DataFrame({"x": [1.0, 2, 3, 4, 5, 6, 7, 8]}), list("uvuuvvuv")
    assert C45Tree(prune=False).fit(X, y).n_nodes_ == 1
    assert C45Tree(prune=False, cut_penalty="paper").fit(X, y).n_nodes_ == 1
    free = C45Tree(prune=False, cut_penalty=False).fit(X, y)
    assert free.to_text().splitlines()[0].startswith("x <= 4:")
