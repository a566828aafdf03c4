"""The engine for cards, on a card of numpy's: the same bits as on the processor, through the same interface.

`python -m benchmarks.slices_cuda` compares the kernels of a real card with the processor in the same way.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from fivefold.errors import InputError
from fivefold.slices import Stucco, cuda, find_differences, find_errors, find_scores, items
from fivefold.slices._kernels import deal_block, deal_labels, fill_random
from fivefold.slices.items import lay_out, permute_labels

from .card import StandIn, dealt
from .tables import as_frame, packed_labels, random_table


@pytest.fixture
def card(monkeypatch):
    card = StandIn()
    monkeypatch.setattr(cuda, "find_card", lambda: card)
    return card


def cases(seed, n=3_000):
    rng = np.random.default_rng(seed)
    table, _ = random_table(seed, n=n, n_columns=5)
    X = as_frame(table).with_columns(age=rng.random(n))
    truth = rng.integers(0, 2, n)
    wrong = rng.random(n) < np.where((table[:, 0] == 1) & (table[:, 3] == 2), 0.5, 0.2)
    return X, truth, truth ^ wrong


def same(there, here):
    assert len(here) > 0
    assert there.slices == here.slices
    assert there.tests == here.tests
    assert there.explained == here.explained


@pytest.mark.parametrize("n", [1, 2, 9, 64, 1_000])
def test_all_steps_at_once_deal_as_one_after_another(n):
    rng = np.random.default_rng(n)
    for seed in range(40):
        steps = int(rng.integers(0, n // 2 + 1))
        words = np.empty(4 * ((steps + 64) // 4), dtype=np.uint32)
        fill_random(np.array([seed, 1], dtype=np.uint32), 0, 0, words)
        # words that are refused, so that all that follow are shifted, up to the last that may be
        for place in rng.integers(0, steps + 1, size=rng.integers(0, 5)):
            words[place : place + rng.integers(1, 70)] = 0
        split, bits = np.array([steps, n - steps]), np.zeros((1, -(-n // 64)), dtype=np.uint64)
        places = np.arange(n, dtype=np.int32)
        deal_labels(words, split, places, np.empty_like(places), bits)
        flags = np.unpackbits(bits[0].view(np.uint8), bitorder="little")[:n].astype(bool)
        spare = words.size - steps
        if 2 * steps == n:  # the first of equals is the largest: the other is dealt, and this is the rest
            flags = ~flags
        padded = np.concatenate([words, words])
        np.testing.assert_array_equal(dealt(padded, n, steps, spare), flags)


@pytest.mark.parametrize(
    "sizes", [(300, 700), (700, 300), (500, 500), (1, 999), (200, 500, 300), (90, 5, 5, 900)]
)
@pytest.mark.parametrize("block", [64, 100, 65_536])
def test_labels_of_any_part_are_those_of_the_processor(card, monkeypatch, sizes, block):
    monkeypatch.setattr(items, "BLOCK_CASES", block)
    sizes = np.array(sizes)
    layout = lay_out(np.repeat(np.arange(sizes.size), sizes), sizes.size)
    labels = permute_labels(np.random.default_rng(0), 7, sizes)
    spans = layout.spans()
    # also of cases of which only some are here
    for part in (spans, np.column_stack([spans[:, 0] + sizes // 3, spans[:, 1:]])):
        here, there = (packed_labels(labels, part, layout.n_words, deal) for deal in (deal_block, card.deal))
        np.testing.assert_array_equal(there, here)


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("correction", ["layered", "westfall-young"])
@pytest.mark.parametrize("clustered", [False, True])
def test_errors_are_the_same(monkeypatch, correction, clustered):
    # several rounds of labels and of conjunctions, in several blocks of cases
    monkeypatch.setattr(cuda, "SET_BYTES", 64 * 1_000)
    monkeypatch.setattr(items, "BLOCK_CASES", 1_000)
    groups = np.arange(3_000) // 3 if clustered else None
    options = {"correction": correction, "n_permutations": 99, "groups": groups, "max_terms": 2}
    here, there = (find_errors(*cases(1), **options, device=device) for device in ("cpu", "cuda"))
    same(there, here)
    assert "a card of numpy's" in there.note
    assert "card" not in here.note


@pytest.mark.usefixtures("card")
def test_differences_and_contrasts_of_three_groups_are_the_same():
    X, truth, answers = cases(2)
    other = np.roll(answers, 1)
    options = {"correction": "westfall-young", "n_permutations": 99, "max_terms": 2}
    here, there = (
        find_differences(
            X, answers, other, y_true=truth, min_support_difference=0.0, alpha=0.5, device=d, **options
        )
        for d in ("cpu", "cuda")
    )
    assert there.slices == here.slices
    table, groups = random_table(4, n=2_000, n_groups=3)
    sets = [Stucco(**options, device=device).find(as_frame(table), groups).sets for device in ("cpu", "cuda")]
    assert len(sets[0]) > 0
    assert sets[0] == sets[1]


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize("clustered", [False, True])
def test_scores_are_the_same(clustered):
    X, truth, answers = cases(3, n=600)
    loss = np.random.default_rng(3).gamma(1.0 + (truth != answers))
    groups = np.arange(600) // 3 if clustered else None
    here, there = (
        find_scores(X, loss, n_permutations=40, max_terms=2, alpha=0.5, groups=groups, device=device)
        for device in ("cpu", "cuda")
    )
    same(there, here)


@pytest.mark.usefixtures("card")
def test_statistics_beyond_the_tables_are_the_same(monkeypatch):
    options = {"correction": "westfall-young", "n_permutations": 99, "max_terms": 2}
    here = find_errors(*cases(5), **options)
    monkeypatch.setattr("fivefold.slices.significance.LARGEST_TABLE", 500)
    same(find_errors(*cases(5), **options, device="cuda"), find_errors(*cases(5), **options))
    monkeypatch.setattr(cuda, "LARGEST_TABLE", 2_000)
    monkeypatch.setattr(cuda.ItemsOnCard, "_ratios", None)
    same(find_errors(*cases(5), **options, device="cuda"), find_errors(*cases(5), **options))
    assert len(here) > 0


def test_auto_takes_the_card_where_it_pays(card, monkeypatch):
    few = cases(1, n=300)
    assert "card" not in find_errors(*few, device="auto").note
    monkeypatch.setattr(cuda, "MANY_CASES", 300)
    assert "card" in find_errors(*few, device="auto").note
    monkeypatch.setattr(card, "free", 1_000_000)
    assert "card" not in find_errors(*few, device="auto").note
    with pytest.raises(InputError, match="GB free on a card of numpy's"):
        find_errors(*few, device="cuda")


def test_what_is_not_there_is_said(card, monkeypatch):
    with pytest.raises(InputError, match="'cpu', 'cuda', 'auto'"):
        find_errors(*cases(1), device="cud")
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"a": list("xyxy"), "t": [0, 1, 0, 1]}), npartitions=2)
    with pytest.raises(InputError, match="Dask"):
        find_errors(frame, "t", "t", device="cuda")
    monkeypatch.undo()
    cuda.find_card.cache_clear()
    monkeypatch.setattr(cuda, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"fivefold\[cuda\]"):
        find_errors(pl.DataFrame({"a": ["x", "y"]}), [0, 1], [1, 1], device="cuda")
