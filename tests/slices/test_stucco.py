"""The miner against its definition."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.data.conditions import IsMissing, Within
from fivefold.errors import InputError, InputTypeError
from fivefold.slices import Stucco

from . import reference
from .tables import as_frame, as_terms, random_table


@given(
    seed=st.integers(0, 10_000),
    n_groups=st.integers(2, 4),
    missing=st.sampled_from([0.0, 0.15]),
    delta=st.sampled_from([0.0, 0.02, 0.1]),
    test=st.sampled_from(["guarded", "chi2"]),
    max_terms=st.integers(1, 3),
)
def test_it_finds_and_shows_exactly_what_the_definition_says(seed, n_groups, missing, delta, test, max_terms):
    table, groups = random_table(seed, n_groups=n_groups, missing=missing)
    miner = Stucco(alpha=0.2, min_support_difference=delta, max_terms=max_terms, test=test, summary="paper")
    told = miner.find(as_frame(table), groups)
    found, shown, levels = reference.stucco(
        table, groups, alpha=0.2, delta=delta, max_terms=max_terms, guarded=test == "guarded"
    )
    assert {as_terms(one): one.counts for one in told} == {k: tuple(v) for k, v in found.items()}
    assert {as_terms(one) for one in told.shown} == shown
    assert told.n_tests == tuple(n_candidates for n_candidates, _ in levels)
    assert told.alphas == pytest.approx([alpha for _, alpha in levels])


def test_the_numbers_of_a_set_are_those_of_its_rows():
    table, groups = random_table(4, n=1000, n_groups=3, missing=0.1, signal=1.0)
    told = Stucco(min_support_difference=0.0).find(as_frame(table), groups)
    masks, sizes = reference.masks_of(table), np.bincount(groups)
    assert len(told) > 3
    for one in told:
        counts = reference.counts_of(masks, as_terms(one), groups, 3)
        statistic, p_value = reference.pearson(counts, sizes)
        assert one.counts == tuple(counts)
        assert one.supports == pytest.approx(tuple(counts / sizes))
        assert one.difference == pytest.approx(np.ptp(counts / sizes))
        assert one.statistic == pytest.approx(statistic)
        assert one.p_value == pytest.approx(p_value)
        alpha_l = told.alphas[len(one.terms) - 1]
        guarded = max(p_value, reference.exact(counts, sizes))
        assert one.adjusted_p_value == pytest.approx(guarded * 0.05 / alpha_l)


def test_order_by_length_then_chi_square():
    table, groups = random_table(7, n=2000)
    told = Stucco(min_support_difference=0.0).find(as_frame(table), groups)
    order = [(len(one.terms), -one.statistic) for one in told]
    assert order == sorted(order)
    assert len({length for length, _ in order}) > 1


@pytest.mark.parametrize("correction", ["layered", "westfall-young"])
def test_neither_rows_columns_libraries_nor_threads_change_the_findings(correction):
    table, groups = random_table(5, n=3000, missing=0.05, signal=1.0)
    frame = as_frame(table)
    miner = {"correction": correction, "random_state": 3, "n_permutations": 200}

    def found(X, y, **more):
        return {
            (as_terms(one), one.counts, one.shown)
            for one in Stucco(**miner, **more).find(X, y)
            if one.p_value < 1e-6  # other rows have other permutations, which matters near alpha
        }

    first = found(frame, groups)
    shuffled = np.random.default_rng(0).permutation(len(groups))
    assert len(first) > 3
    assert found(frame[shuffled], groups[shuffled]) == first
    assert found(frame.select(frame.columns[::-1]), groups) == first
    assert found(frame.to_pandas(), pd.Series(groups)) == first
    assert found(frame, pl.Series([f"group {g}" for g in groups])) == first
    exactly = Stucco(**miner).find(frame, groups)
    assert list(Stucco(**miner, n_jobs=2).find(frame, groups)) == list(exactly)


def test_threads_count_the_same_when_there_is_enough_to_share(monkeypatch):
    monkeypatch.setattr("fivefold.slices.items.FEW_WORDS", 0)
    monkeypatch.setattr("fivefold.slices.items.BLOCK_WORDS", 3)
    table, groups = random_table(5, n=3000, missing=0.05)
    one, many = (Stucco(n_jobs=jobs).find(as_frame(table), groups) for jobs in (1, 3))
    assert list(one) == list(many)


def test_intervals_partition_the_known_values():
    rng = np.random.default_rng(0)
    age = rng.normal(40, 10, size=2000)
    age[:50] = np.nan
    groups = np.where(age > 52, "old", "not")
    X = pl.DataFrame({"age": age})
    told = Stucco(bins={"age": [30, 52]}).find(X, groups)
    assert [str(one.terms[0]) for one in told] == ["age > 52", "30 < age <= 52", "age <= 30"]
    assert told[0].counts == (0, int((age > 52).sum()))
    quartiles = Stucco(min_support_difference=0.0, alpha=0.9).find(X, groups)
    sizes = [sum(one.counts) for one in quartiles]
    assert all(isinstance(one.terms[0], Within) for one in quartiles)
    # at the quartiles but for rounding, which moves at most one case in a hundred at each end
    assert max(sizes) - min(sizes) <= 0.04 * 1950
    assert sum(sizes) == 1950
    halves = Stucco(bins=2).find(X, groups)
    assert len(halves) == 2


def test_missing_is_a_term_only_on_request():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 2, size=1000)
    number = np.where((groups == 1) & (rng.random(1000) < 0.5), np.nan, rng.random(1000))
    text = [None if g and i % 2 else "a" for i, g in enumerate(groups)]
    X = pl.DataFrame({"number": pl.Series(number, nan_to_null=True), "text": text})
    asked = Stucco(missing_as_value=True).find(X, groups)
    missing = {
        one.terms[0].column: one
        for one in asked
        if isinstance(one.terms[0], IsMissing) and len(one.terms) == 1
    }
    assert missing["number"].counts == (0, int(np.isnan(number).sum()))
    assert missing["text"].counts == (0, sum(value is None for value in text))
    assert not any(isinstance(term, IsMissing) for one in Stucco().find(X, groups) for term in one.terms)


def test_mdlp_warns_that_it_spends_the_test():
    rng = np.random.default_rng(0)
    x = rng.random(500)
    with pytest.warns(UserWarning, match="mdlp.*looks at the labels"):
        told = Stucco(bins="mdlp").find(pl.DataFrame({"x": x}), x > 0.6)
    (cut,) = {round(one.terms[0].high, 1) for one in told if one.terms[0].low == -np.inf}
    assert cut == 0.6


def test_a_column_of_identifiers_is_neither_found_nor_fatal():
    n = 20_000
    X = pl.DataFrame({"id": [f"case {i}" for i in range(n)], "sex": ["f", "m"] * (n // 2)})
    told = Stucco().find(X, np.arange(n) % 2)
    assert [str(one.terms[0]) for one in told] == ["sex = f", "sex = m"]


def test_a_constant_column_and_a_copy_say_nothing_new():
    groups = np.random.default_rng(0).integers(0, 2, size=400)
    X = pl.DataFrame({"a": groups.astype(str), "b": groups.astype(str), "c": ["same"] * 400})
    told = Stucco().find(X, groups)
    assert {one.text for one in told} == {"a = 0", "a = 1", "b = 0", "b = 1"}


def test_no_term_is_common_enough_to_be_tested():
    told = Stucco(correction="westfall-young").find([["a"], ["b"], ["c"]], [0, 0, 1])
    assert len(told) == 0
    assert len(Stucco().find([["a"], ["b"], ["c"]], [0, 0, 1])) == 0


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"alpha": 0.0}, InputError, "alpha"),
        ({"alpha": "5%"}, InputTypeError, "alpha"),
        ({"min_support_difference": 2}, InputError, "between 0 and 1"),
        ({"max_terms": 0}, InputError, "max_terms"),
        ({"max_terms": 9}, InputError, "at most 8"),
        ({"correction": "fdr"}, InputError, "layered"),
        ({"test": "g2"}, InputError, "guarded"),
        ({"bins": "deciles"}, InputError, "deciles"),
        ({"bins": {"b": [1]}}, InputError, "not a column"),
        ({"bins": {"a": [2, 1]}}, InputError, "ascending"),
        ({"bins": 1}, InputError, "bins"),
        ({"n_jobs": 0}, InputError, "n_jobs"),
        ({"n_permutations": 0}, InputError, "n_permutations"),
        ({"correction": "westfall-young", "alpha": 0.0005}, InputError, "at least 1,999"),
    ],
)
def test_options_that_cannot_be_used(options, error, words):
    X = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(error, match=words):
        Stucco(**options).find(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("groups", "words"),
    [([0, 1, 0], "one row for each"), ([0, None, 0, 1], "none in row 1"), ([1, 1, 1, 1], "two")],
)
def test_groups_that_cannot_be_used(groups, words):
    X = pl.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(InputError, match=words):
        Stucco().find(X, groups)
