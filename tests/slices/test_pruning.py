"""Each pruning rule loses nothing that it must not lose: true of every specialisation there is."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from fivefold.slices import significance
from fivefold.slices.contrast_search import layered_alpha

from . import reference


@st.composite
def nested_counts(draw):
    """Group sizes, the counts of a conjunction and those of a specialisation."""
    sizes = np.array(draw(st.lists(st.integers(1, 300), min_size=2, max_size=5)))
    counts = np.array([draw(st.integers(0, int(size))) for size in sizes])
    fewer = np.array([draw(st.integers(0, int(count))) for count in counts])
    return sizes, counts[None], fewer[None]


@given(nested_counts(), st.floats(1e-6, 0.5))
def test_rule_a_what_is_too_rare_has_no_large_specialisation(case, more):
    sizes, counts, fewer = case
    delta = (counts / sizes).max() + more
    assert significance.too_rare(counts, sizes, delta)[0]
    assert significance.support_difference(fewer, sizes)[0] < delta


@given(nested_counts())
def test_rule_b_what_is_untestable_stays_so(case):
    sizes, counts, fewer = case
    most = (
        4.9 * sizes.sum() / sizes.min()
    )  # so many cases in all leave fewer than 5 to be expected in one group
    counts = np.floor(counts * min(1.0, most / max(1, counts.sum()))).astype(int)
    fewer = np.minimum(fewer, counts)
    assert significance.untestable(counts.sum(axis=1), sizes)[0]
    assert (fewer.sum() * sizes / sizes.sum()).min() < 5


@given(nested_counts(), st.floats(1e-9, 0.2))
def test_rule_c_no_specialisation_passes_the_bound(case, alpha):
    sizes, counts, fewer = case
    bound = significance.pearson_bound(counts, sizes)[0]
    assert significance.pearson(fewer, sizes)[0] <= bound * (1 + 1e-9) + 1e-9
    if significance.never_significant(counts, sizes, alpha)[0]:
        assert significance.tail(significance.pearson(fewer, sizes), sizes.size - 1)[0] > alpha * (1 - 1e-9)


def test_rule_c_is_as_tight_as_a_bound_from_counts_can_be():
    sizes, counts = np.array([20, 9, 13]), np.array([[6, 3, 5]])
    best = max(
        significance.pearson(np.array([[a, b, c]]), sizes)[0]
        for a in range(7)
        for b in range(4)
        for c in range(6)
    )
    assert significance.pearson_bound(counts, sizes)[0] == pytest.approx(best)


@given(st.integers(0, 10_000))
def test_rule_d_an_identical_set_has_a_shorter_twin_of_every_specialisation(seed):
    rng = np.random.default_rng(seed)
    part, other, more = rng.random((3, 60)) < 0.6
    other = other | part
    whole = part & other
    assert significance.identical(np.array([whole.sum()]), np.array([part.sum()]))[0]
    assert np.array_equal(whole & more, part & more)


@given(nested_counts())
def test_rule_e_what_lies_in_one_group_stays_there(case):
    sizes, counts, fewer = case
    counts, fewer = counts * (np.arange(sizes.size) == 0), fewer * (np.arange(sizes.size) == 0)
    assert significance.fixed_relation(counts)[0]
    assert (fewer > 0).sum() <= 1
    # and it only shrinks: neither its difference nor its statistic can grow
    assert (
        significance.support_difference(fewer, sizes)[0] <= significance.support_difference(counts, sizes)[0]
    )
    assert significance.pearson(fewer, sizes)[0] <= significance.pearson(counts, sizes)[0] + 1e-9


@given(nested_counts(), st.floats(1e-6, 0.5))
def test_what_is_never_large_is_not_so_under_any_labels(case, more):
    sizes, counts, _ = case
    delta = counts.sum() / sizes.min() + more
    assert significance.never_large(counts.sum(axis=1), sizes, delta)[0]
    assert significance.support_difference(counts, sizes)[0] < delta


@given(nested_counts())
def test_pearson_and_its_tail_are_those_of_scipy(case):
    sizes, counts, _ = case
    assume(0 < counts.sum() < sizes.sum())
    scipy = stats.chi2_contingency([counts[0], sizes - counts[0]], correction=False)
    statistic = significance.pearson(counts, sizes)
    assert statistic[0] == pytest.approx(scipy.statistic)
    assert significance.tail(statistic, sizes.size - 1)[0] == pytest.approx(scipy.pvalue)
    assert reference.pearson(counts[0], sizes) == pytest.approx((scipy.statistic, scipy.pvalue))


def test_the_levels_spend_no_more_than_alpha():
    spent, before = 0.0, 0.05
    for length, n_candidates in enumerate([40, 700, 100, 3], start=1):
        after = layered_alpha(0.05, length, n_candidates, before)
        assert after <= before
        spent, before = spent + after * n_candidates, after
    assert spent <= 0.05


@given(nested_counts())
def test_the_exact_test_is_the_hypergeometric_tail(case):
    from fivefold.slices._kernels import exact_p_values

    sizes, counts, _ = case
    assert exact_p_values(counts, sizes)[0] == pytest.approx(reference.exact(counts[0], sizes), rel=1e-9)


def test_the_exact_test_in_far_tails_and_large_tables():
    from fivefold.slices._kernels import exact_p_values

    sizes = np.array([1_500_000, 8_500_000])
    counts = np.array([[1200, 4000], [150_000, 850_000], [151_500, 848_500]])
    told = exact_p_values(counts, sizes)
    law = [stats.hypergeom(10_000_000, 1_500_000, n) for n in counts.sum(axis=1)]
    assert told[0] == pytest.approx(2 * law[0].sf(1199), rel=1e-5)
    assert told[2] == pytest.approx(2 * law[2].sf(151_499), rel=1e-5)
    assert told[1] == pytest.approx(1.0, abs=0.01)
