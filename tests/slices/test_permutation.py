"""Westfall and Young's test against a plain version with other permutations."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import xlogy

from fivefold.errors import InputError
from fivefold.slices import Stucco, find_errors, find_scores

from . import reference
from .tables import as_frame, as_terms, random_table


def likelihood_ratios(counts, sizes):
    """The likelihood-ratio statistic of many tables; the last axis of `counts` are the groups."""
    inside, total = counts.sum(axis=-1, keepdims=True), sizes.sum()
    tables = np.stack([counts, sizes - counts], axis=-2)
    expected = np.stack([inside * sizes / total, (total - inside) * sizes / total], axis=-2)
    return 2 * (xlogy(tables, tables) - xlogy(tables, expected)).sum(axis=(-2, -1))


def test_the_statistic_is_that_of_scipy():
    sizes = np.array([40, 25, 60])
    for counts in ([3, 9, 20], [0, 25, 1]):
        scipy = stats.chi2_contingency(
            [counts, sizes - counts], correction=False, lambda_="log-likelihood"
        ).statistic
        assert likelihood_ratios(np.array(counts), sizes) == pytest.approx(scipy)


def by_definition(table, groups, delta, draws, rng):
    """Adjusted p-values of all single and double terms that are testable and not the twin of a part."""
    sizes = np.bincount(groups)
    masks = reference.masks_of(table)
    family = {}
    for first in masks:
        for second in masks:
            terms = (first,) if first == second else (first, second)
            if first > second or (len(terms) == 2 and first[0] == second[0]):
                continue
            rows = reference.rows_of(masks, terms)
            twin = any(rows.sum() == masks[term].sum() for term in terms) and len(terms) == 2
            testable = rows.sum() * sizes.min() / sizes.sum() >= 2 and rows.sum() / sizes.min() >= delta
            if testable and not twin and rows.sum() < rows.size:
                family[terms] = rows
    n_tests = np.bincount([len(terms) for terms in family], minlength=3)
    highest = max(np.log(2**length * n_tests[length]) for length in (1, 2))
    # the labels as they are, then as chance deals them
    labels = np.stack([groups, *(rng.permutation(groups) for _ in range(draws))])
    statistics = {}
    for terms, rows in family.items():
        counts = np.stack([(labels[:, rows] == group).sum(axis=1) for group in range(sizes.size)], axis=1)
        large = np.ptp(counts / sizes, axis=1) >= delta
        allowance = 2 * (highest - np.log(2 ** len(terms) * n_tests[len(terms)]))
        statistics[terms] = np.where(large, likelihood_ratios(counts, sizes) + allowance, 0.0)
    order = sorted(family, key=lambda terms: statistics[terms][0])
    reached, most = {}, np.zeros(draws)
    for terms in order:
        most = np.maximum(most, statistics[terms][1:])
        reached[terms] = (most >= statistics[terms][0] * (1 - 1e-12)).sum()
    adjusted, worst = {}, 0.0
    for terms in reversed(order):
        worst = max(worst, (1 + reached[terms]) / (draws + 1))
        adjusted[terms] = worst
    return adjusted, n_tests[1:].tolist()


@pytest.mark.parametrize(("n_groups", "delta"), [(2, 0.0), (2, 0.08), (3, 0.05)])
def test_adjusted_p_values_are_those_of_the_definition(n_groups, delta):
    table, groups = random_table(11, n=200, n_columns=3, n_groups=n_groups, signal=0.6)
    draws = 2000
    told = Stucco(
        alpha=0.9,
        min_support_difference=delta,
        max_terms=2,
        correction="westfall-young",
        n_permutations=4000,
        random_state=0,
    ).find(as_frame(table), groups)
    expected, n_tests = by_definition(table, groups, delta, draws, np.random.default_rng(1))
    assert list(told.n_tests) == n_tests
    assert len(told) > 3
    assert min(one.adjusted_p_value for one in told) < 0.1
    for one in told:
        p = expected[as_terms(one)]
        assert one.adjusted_p_value == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / draws) + 0.01)


def test_the_same_seed_gives_the_same_p_values_and_none_is_below_one_in_the_permutations():
    table, groups = random_table(2, n=500, signal=1.0)
    miner = Stucco(correction="westfall-young", n_permutations=99, random_state=5)
    first, second = (list(miner.find(as_frame(table), groups)) for _ in range(2))
    assert first == second
    assert min(one.adjusted_p_value for one in first) == pytest.approx(1 / 100)


def test_what_is_too_small_to_report_spends_nothing():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 6, size=(4000, 6))
    groups = (rng.random(4000) < np.where(table[:, 0] == 0, 0.45, 0.20)).astype(int)
    adjusted = {}
    for delta in (0.0, 0.06):
        told = Stucco(
            alpha=0.9,
            correction="westfall-young",
            min_support_difference=delta,
            random_state=0,
            n_permutations=500,
        ).find(as_frame(table), groups)
        adjusted[delta] = next(o.adjusted_p_value for o in told if as_terms(o) == ((0, 0),))
    assert adjusted[0.06] <= adjusted[0.0]


def test_what_permutations_prove_passes_the_exact_test_too():
    """Where errors are few, the likelihood ratio of a slice without any is larger than its evidence."""
    rng = np.random.default_rng(5)
    alone = guarded = 0
    for _ in range(12):
        table = rng.integers(0, 3, (700, 5))
        wrong = rng.random(700) < np.where(table[:, 0] == 0, 0.004, 0.045)
        options = {"include_target": False, "correction": "westfall-young", "summary": "none"}
        asked = (as_frame(table), np.zeros(700, dtype=int), wrong.astype(int))
        found = find_errors(*asked, **options, n_permutations=199)
        sizes = np.array([found.n_cases - found.n_agree, found.n_agree])
        for part in found:
            counts = np.array([part.n - part.n_agree, part.n_agree])
            tails = stats.hypergeom(sizes.sum(), sizes[0], part.n)
            exact = 2 * min(tails.cdf(counts[0]), tails.sf(counts[0] - 1))
            assert exact <= found.tests.alphas[len(part.terms) - 1] * (1 + 1e-9)
        guarded += len(found)
        alone += len(find_errors(*asked, **options, n_permutations=199, test="chi2"))
    assert 0 < guarded < alone


@pytest.mark.parametrize(
    ("options", "n_permutations"),
    [
        ({}, 999),
        ({"alpha": 0.005}, 2000),  # ten permutations at least may pass by chance
        ({"alpha": 1e-4}, 0),
        ({"summary": "paper"}, 0),
        ({"groups": np.arange(600) // 4}, 0),
    ],
)
def test_auto_permutes_where_that_is_the_better_test(options, n_permutations, monkeypatch):
    table, groups = random_table(3, n=600, n_columns=4, n_groups=2, signal=0.6)
    frame, right = as_frame(table), np.zeros(600, dtype=int)
    named = {"correction": "westfall-young", "n_permutations": n_permutations}
    if not n_permutations:
        named = {"correction": "layered"}
    found = find_errors(frame, right, groups, include_target=False, **options)
    same = find_errors(frame, right, groups, include_target=False, **options, **named)
    assert found.tests == same.tests
    assert found.slices == same.slices
    assert found.tests.n_permutations == n_permutations
    monkeypatch.setattr("fivefold.slices.contrast_search.MOST_LABELS", 20_000_000)
    assert find_errors(frame, right, groups, include_target=False, **options).tests.correction == "layered"


@pytest.mark.parametrize("correction", ["auto", "layered", "westfall-young"])
def test_too_many_combinations_are_left_out_with_a_word(correction, monkeypatch):
    """Of 500 cases and 200 columns, 190 million conditions in threes took more than 23 gigabytes."""
    table, right = random_table(3, n=600, n_columns=6, n_groups=2, signal=0.6)
    frame, answers = as_frame(table), np.zeros(600, dtype=int)
    options = {"include_target": False, "correction": correction}
    whole = find_errors(frame, answers, right, **options)
    assert len(whole.tests.n_tests) == 3
    monkeypatch.setattr("fivefold.slices.contrast_search.MOST_CANDIDATES", whole.tests.n_tests[1] * 2)
    found = find_errors(frame, answers, right, **options)
    assert found.note == "Combinations of 3 conditions were too many to be searched."
    pairs = find_errors(frame, answers, right, max_terms=2, **options)
    assert found.slices == pairs.slices
    assert found.tests == pairs.tests
    assert not pairs.note
    with pytest.raises(InputError, match=r"combinations of 3 conditions; got more\. Hint: drop columns"):
        find_scores(frame, right + 0.5)


@pytest.mark.parametrize("kind", ["errors", "grouped", "scores"])
def test_an_early_end_changes_no_verdict(kind, monkeypatch):
    """Nothing is found early only where all permutations find nothing; all else is the same bit for bit."""
    monkeypatch.setattr("fivefold.slices.contrast_search.DRAWS_AT_ONCE", 10)
    monkeypatch.setattr("fivefold.slices.score_search.DRAWS_AT_ONCE", 10)

    def find(seed):
        rng = np.random.default_rng(seed)
        table, planted = rng.integers(0, 3, size=(150, 3)), seed % 3 == 0
        wrong = rng.random(150) < np.where(planted & (table[:, 0] == 0), 0.45, 0.2)
        options = {"n_permutations": 119, "max_terms": 2, "summary": "none", "alpha": (0.05, 0.3)[seed % 2]}
        if kind == "scores":
            return find_scores(as_frame(table), wrong + rng.random(150), **options)
        groups = np.arange(150) // 2 if kind == "grouped" else None
        options |= {"include_target": False, "correction": "westfall-young", "test": "chi2", "groups": groups}
        return find_errors(as_frame(table), np.zeros(150, dtype=int), wrong.astype(int), **options)

    early = [find(seed) for seed in range(40)]
    monkeypatch.setattr("fivefold.slices.significance.nothing_left", lambda *_: False)
    whole = [find(seed) for seed in range(40)]
    n_early = 0
    for ended, full in zip(early, whole, strict=True):
        assert full.tests.n_permutations == 119
        assert ended.slices == full.slices
        if ended.tests.n_permutations == 119:
            assert ended.tests == full.tests
        else:
            assert not full
            n_early += 1
    assert n_early > 10
    assert sum(map(bool, whole)) > 5


def test_the_same_permutations_are_made_by_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("fivefold.slices.contrast_search.DRAWS_AT_ONCE", 10)
    table, _ = random_table(5, n=300)
    right, wrong = np.zeros(300, dtype=int), np.random.default_rng(1).random(300) < 0.3
    options = {"correction": "westfall-young", "include_target": False}
    one, three = (find_errors(as_frame(table), right, wrong.astype(int), n_jobs=n, **options) for n in (1, 3))
    assert one.tests == three.tests
    assert one.tests.n_permutations < 999
