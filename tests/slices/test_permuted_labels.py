"""Permuted labels: a uniformly random permutation, and the same one however the cases are spread."""

import numpy as np
import pytest
from scipy import stats

from fivefold.data.bitsets import pack
from fivefold.errors import InputError
from fivefold.slices import items
from fivefold.slices._kernels import fill_random
from fivefold.slices.items import PackedItems, find_wholes, lay_out, permute_labels

from .tables import packed_labels


def as_flags(words, spans, n_groups):
    """Read the labels of the spans back: one row for each draw, a group number for each case."""
    bits = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little").astype(bool)
    told = np.full((words.shape[0], int((spans[:, 1] - spans[:, 0]).sum())), n_groups - 1)
    place = 0
    for low, high, bit in spans:
        for group in range(n_groups - 1):
            held = bits[:, group, bit : bit + high - low]
            told[:, place : place + high - low][held] = group
        place += high - low
    return told


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(items, "BLOCK_CASES", 10)


def draw(sizes, draws, seed):
    sizes = np.array(sizes)
    layout = lay_out(np.repeat(np.arange(sizes.size), sizes), sizes.size)
    labels = permute_labels(np.random.default_rng(seed), draws, sizes)
    spans = layout.spans()
    return labels, spans, as_flags(packed_labels(labels, spans, layout.n_words), spans, sizes.size)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("sizes", [(3, 4), (17, 30), (5, 60, 9), (100, 1), (10, 10)])
def test_every_draw_is_a_permutation(sizes):
    _, _, told = draw(sizes, 20, 0)
    for row in told:
        assert np.bincount(row, minlength=len(sizes)).tolist() == list(sizes)
    assert len({tuple(row) for row in told}) > 1


@pytest.mark.usefixtures("small_blocks")
def test_the_same_whoever_holds_the_cases():
    sizes = (25, 48, 11)
    labels, _, whole = draw(sizes, 5, 1)
    starts = np.cumsum(sizes) - sizes
    # three holders with some cases of each group, one of them with none of the last
    shares = np.array([[10, 0, 5], [0, 48, 6], [15, 0, 0]])
    before = np.cumsum(shares, axis=0) - shares
    for share, gone in zip(shares, before, strict=True):
        layout = lay_out(np.repeat(np.arange(3), share), 3)
        spans = layout.spans(starts + gone)
        told = as_flags(packed_labels(labels, spans, layout.n_words), spans, 3)
        rows = np.concatenate([np.arange(low, high) for low, high, _ in spans])
        np.testing.assert_array_equal(told, whole[:, rows])


@pytest.mark.usefixtures("small_blocks")
def test_any_two_cases_are_as_likely_to_share_a_label_as_any_other_two():
    # 25 cases in blocks of ten: pairs within a block, and across blocks
    sizes, draws = (9, 16), 5_000
    _, _, told = draw(sizes, draws, 0)
    first = told == 0
    chance = sizes[0] / 25
    for case in range(25):
        assert stats.binomtest(int(first[:, case].sum()), draws, chance).pvalue > 1e-4
    both = chance * (sizes[0] - 1) / 24
    for one, other in [(0, 1), (0, 9), (0, 10), (3, 24), (12, 13), (19, 20), (20, 24)]:
        together = int((first[:, one] & first[:, other]).sum())
        assert stats.binomtest(together, draws, both).pvalue > 1e-4


def test_numpy_cannot_deal_a_billion_labels():
    with pytest.raises(InputError, match="layered"):
        permute_labels(np.random.default_rng(0), 1, np.array([600_000_000, 400_000_000]))


def test_random_words_are_those_of_philox():
    # known answers of Salmon and others' Random123, philox4x32 with ten rounds
    words = np.empty(4, dtype=np.uint32)
    fill_random(np.zeros(2, dtype=np.uint32), 0, 0, words)
    assert [f"{word:08x}" for word in words] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


@pytest.mark.parametrize(("n_cases", "n_labels"), [(70, 3), (2_000, 600), (40_000, 40)])
def test_counts_are_those_of_every_case_and_label(n_cases, n_labels):
    rng = np.random.default_rng(n_cases)
    codes = np.array([rng.choice(4, n_cases, p=p) for p in ([0.9, 0.06, 0.03, 0.01], [0.4, 0.3, 0.2, 0.1])])
    terms = np.concatenate([codes[0] == np.arange(4)[:, np.newaxis], codes[1] == np.arange(4)[:, np.newaxis]])
    terms = np.concatenate([terms, rng.random((3, n_cases)) < [[0.5], [0.97], [1.0]]])
    labels = rng.random((n_labels, n_cases)) < rng.random((n_labels, 1))
    # in any order, some with all their parts and some with none
    sets = [[t, -1, -1] for t in range(11)] + [[0, 4, -1], [0, 8, -1], [0, 4, 8], [0, 4, 9], [1, 5, 10]]
    sets = rng.permutation(np.array(sets, dtype=np.int32))
    both = np.array([terms[row[row >= 0]].all(axis=0) for row in sets])
    layout = lay_out(np.zeros(n_cases, dtype=np.uint8), 1)
    counter = PackedItems((), np.zeros(0, dtype=np.int32), 0, layout.sizes, pack(terms), layout)
    counts = counter._count_windows(sets, [(pack(labels), 0)], n_labels, both.sum(axis=1), n_cases)
    both = np.vstack([both, np.ones(n_cases, dtype=bool)])
    np.testing.assert_array_equal(counts, both.astype(np.int64) @ labels.T.astype(np.int64))


def test_a_conjunction_is_counted_by_the_fewest_cases_that_tell():
    # of 100 cases: a 90, b 30, a and b 25 (5 more than b alone), a, b and c 2
    sets = np.array([[0, 1, -1], [0, 1, 2], [0, -1, -1], [1, -1, -1]], dtype=np.int32)
    wholes, lacking, most = find_wholes(sets, np.array([25, 2, 90, 30]), 100)
    # without a: b; itself; without a: all cases; itself
    assert wholes.tolist() == [3, -1, 4, -1]
    assert lacking.tolist() == [0, -1, 0, -1]
    assert most == 30


def test_labels_follow_the_law_of_permutations_in_each_case():
    # three groups, the largest first, in the middle and last: as many with the label as its share
    for sizes in ((60, 20, 10), (20, 60, 10), (10, 20, 60)):
        _, _, told = draw(sizes, 2_000, 3)
        for group, size in enumerate(sizes):
            seen = (told == group).sum(axis=0)
            assert stats.chisquare(seen).pvalue > 1e-4
            assert seen.sum() == 2_000 * size
