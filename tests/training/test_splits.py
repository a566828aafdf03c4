"""Laws of splits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.groups import read_groups
from fivefold.study import Folds, Holdout
from fivefold.training.splits import draw_planned, read_splits, split_by_class

CLASSES = st.lists(st.integers(0, 3), min_size=6, max_size=60).map(np.array)
SHARES = st.sampled_from(["1/2", "2/3", "1/3", "0.7", "0.25"])


@given(CLASSES, SHARES, st.booleans(), st.integers(0, 5))
def test_holdout_takes_the_whole_part_of_the_share(y, share, stratified, number):
    recipe = Holdout(6, share, stratified).recipes()[number]
    train, test = draw_planned(recipe, y, 1, "data")
    assert sorted([*train, *test]) == list(range(y.size))
    assert train.size == int(Fraction(share) * y.size)
    if stratified:
        for label in np.unique(y):
            wanted = Fraction(share) * int((y == label).sum())
            assert abs((y[train] == label).sum() - wanted) < 1


@given(CLASSES, st.integers(2, 6), st.booleans())
def test_folds_test_every_case_once(y, folds, stratified):
    parts = [draw_planned(recipe, y, 1, "data") for recipe in Folds(folds, 2, stratified).recipes()]
    for repeat in (parts[:folds], parts[folds:]):
        assert sorted(np.concatenate([test for _, test in repeat])) == list(range(y.size))
        sizes = [test.size for _, test in repeat]
        assert max(sizes) - min(sizes) <= 1
        if stratified:
            for label in np.unique(y):
                counts = [(y[test] == label).sum() for _, test in repeat]
                assert max(counts) - min(counts) <= 1


def test_splits_differ_by_seed_data_and_number_and_by_nothing_else():
    y = np.arange(40) % 3
    recipes = Holdout(2).recipes()
    first = draw_planned(recipes[0], y, 1, "a")[0].tolist()
    assert draw_planned(dict(recipes[0]), y, 1, "a")[0].tolist() == first
    others = [(recipes[1], 1, "a"), (recipes[0], 2, "a"), (recipes[0], 1, "b")]
    assert all(draw_planned(recipe, y, seed, data)[0].tolist() != first for recipe, seed, data in others)
    assert sorted(first) != first  # in random order, as the codes read them one by one


def test_every_case_is_drawn_equally_often():
    y = np.zeros(30, dtype=int)
    counts = sum(
        np.isin(np.arange(30), draw_planned(recipe, y, 0, "a")[0]).astype(int)
        for recipe in Holdout(2000, "1/3").recipes()
    )
    # 2000 draws with chance 1/3: standard error 21; 30 cases, so five standard errors
    assert np.abs(counts - 2000 / 3).max() < 5 * np.sqrt(2000 * 2 / 9)


@pytest.mark.parametrize("train", [0, 1, 1.5, "half", "1/0", None])
def test_shares_that_cannot_be(train):
    with pytest.raises(InputError, match="train to be a share"):
        Holdout(train=train)


def test_other_options_that_cannot_be():
    with pytest.raises(InputError, match="n_splits to be at least 2"):
        Folds(1)
    with pytest.raises(InputTypeError, match="repeats"):
        Holdout(n_repeats=2.5)
    with pytest.raises(InputError, match="cases on both sides"):
        draw_planned(Holdout(1, 0.1).recipes()[0], np.array([0, 1]), 0, "a")


@pytest.mark.parametrize("sizes", [(10, 10, 10, 10), (30, 5, 5, 2), (1, 1, 1, 40, 1, 1)])
def test_of_four_groups_two_are_asked_and_one_teaches(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    for seed in range(10):
        learnt, asked, _ = split_by_class(
            np.arange(codes.size) % 2, 1 / 3, seed, read_groups(codes, codes.size)
        )
        assert len(set(codes[asked])) >= 2
        assert len(set(codes[learnt])) >= 1
        assert not set(codes[asked]) & set(codes[learnt])


def test_a_mask_of_other_length_than_the_table_is_refused():
    y, rng = np.arange(6) % 2, np.random.default_rng(0)
    mask = np.arange(6) < 4
    ((train, test),) = read_splits([(mask, ~mask)], y, None, rng).pairs
    assert (train.tolist(), test.tolist()) == ([0, 1, 2, 3], [4, 5])
    with pytest.raises(InputError, match="rows from 0 to 5"):
        read_splits([(mask[:4], [4, 5])], y, None, rng)
