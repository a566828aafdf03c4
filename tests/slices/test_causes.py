"""What was proven is explained by few causes; how well, is measured in tests/statistical/test_causes.py."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from fivefold.errors import InputError
from fivefold.slices import Stucco, find_differences, find_errors, find_scores
from fivefold.slices._kernels import compare_within

WEAK = "subject = math and time = late"


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 4000
    columns = {
        "subject": ["math", "art", "music"],
        "time": ["early", "noon", "late"],
        "noise": ["a", "b", "c", "d"],
    }
    X = pl.DataFrame({name: rng.choice(values, n) for name, values in columns.items()})
    weak = ((X["subject"] == "math") & (X["time"] == "late")).to_numpy()
    return X, rng.random(n) >= np.where(weak, 0.35, 0.1)


def find(table, **options):
    X, right = table
    return find_errors(X, np.ones(len(X), dtype=int), right.astype(int), include_target=False, **options)


def test_a_pair_is_the_cause_and_its_parts_hang_under_it(table):
    found = find(table)
    assert [part.conditions for part in found] == [WEAK]
    assert found[0].n_explained == len(found.explained) == len(found.explained_by(0)) > 3
    parts = {part.conditions: part for part in found.explained}
    assert {"subject = math", "time = late"} <= set(parts)
    assert all(part.because_of == WEAK for part in parts.values())
    assert f"because of {WEAK}" in parts["time = late"].sentence
    effects = [abs(part.effect_size) for part in found.explained]
    assert effects == sorted(effects, reverse=True)
    assert len(found.explained_by(0, most=2)) == 2
    assert f"1 slice found in 4,000 cases (average {found.rate:.1%}); {len(found.explained)} more" in str(
        found
    )
    assert " deviate because of it" in str(found)
    assert found.to_dict()["slices"][0]["explains"][0]["conditions"] == found.explained[0].conditions


def test_all_that_was_proven_is_a_cause_or_explained(table):
    for correction in ("layered", "westfall-young"):
        whole = find(table, summary="none", correction=correction, n_permutations=99)
        causes = find(table, correction=correction, n_permutations=99)
        proven = {part.terms for part in whole}
        assert proven == {part.terms for part in (*causes, *causes.explained)}
        assert causes[0].conditions == WEAK
        assert whole.explained == whole.explained_by(0) == ()


def test_what_names_the_truth_comes_last_and_hides_nothing(table):
    X, _ = table
    rng = np.random.default_rng(4)
    weak = ((X["subject"] == "math") & (X["time"] == "late")).to_numpy()
    truth = (rng.random(len(X)) < 0.3).astype(int)
    wrong = rng.random(len(X)) < np.where(truth == 1, 0.5, 0.04) + 0.25 * weak
    found = find_errors(X, truth, np.where(wrong, 1 - truth, truth), target="y")
    assert [part.conditions for part in found] == [WEAK, "y = 1"]
    assert [part.conditions for part in found.deployable()] == [WEAK]
    whole = find_errors(X, truth, np.where(wrong, 1 - truth, truth), target="y", summary="none")
    assert {part.terms for part in whole} == {part.terms for part in (*found, *found.explained)}
    late = {part.conditions: part.because_of for part in found.explained}
    assert late["time = late"] == late["subject = math"] == WEAK
    assert late["y = 0"] == "y = 1"


def test_parts_of_what_was_proven_have_causes_of_their_own(table):
    found = find(table)
    better = found._keep(lambda _, difference: difference > 0)
    assert len(better) > 0
    assert all(part.difference > 0 for part in (*better, *better.explained))
    assert len(found.worse()) == 1
    assert len(found.worse(by=0.5)) == 0


def test_two_causes_and_one_inside_another():
    rng = np.random.default_rng(1)
    n = 20_000
    X = pl.DataFrame({name: rng.choice(list("pqr"), n) for name in ("a", "b", "c", "d")})
    chance = 0.05 + 0.15 * (X["a"] == "p").to_numpy() + 0.15 * (X["b"] == "q").to_numpy()
    inner = ((X["a"] == "p") & (X["c"] == "r")).to_numpy()
    y_true, right = np.ones(n, dtype=int), rng.random(n)
    two = find_errors(X, y_true, (right >= chance).astype(int), include_target=False)
    assert {part.conditions for part in two} == {"a = p", "b = q"}
    three = find_errors(X, y_true, (right >= chance + 0.3 * inner).astype(int), include_target=False)
    assert {part.conditions for part in three} == {"a = p", "b = q", "a = p and c = r"}


def test_differences_scores_and_engines_have_causes(table):
    X, right = table
    apart = find_differences(X, np.ones(len(X), dtype=int), right.astype(int), y_true=right.astype(int))
    assert [part.conditions for part in apart] == [WEAK]
    assert all(part.who_is_right is not None for part in (*apart, *apart.explained))
    loss = np.random.default_rng(2).normal(size=len(X)) - 3.0 * right
    for test in ("permutation", "rank"):
        scores = find_scores(X, loss, test=test, n_permutations=99)
        assert [part.conditions for part in scores] == [WEAK]
        assert {part.because_of for part in scores.explained} == {WEAK}
    engine = Proposals([part.terms for part in find(table, summary="none")])
    proposed = find(table, engine=engine, random_state=0)
    assert [part.conditions for part in proposed] == [WEAK]
    assert len(find(table, engine=engine, random_state=0, summary="none")) == 1 + len(proposed.explained)


class Proposals:
    """An engine that knows what to propose."""

    def __init__(self, conjunctions):
        self.conjunctions = conjunctions

    def propose(self, columns, agree):
        return self.conjunctions


def test_groups_of_any_number_have_causes(table):
    X, right = table
    groups = np.where(right, np.random.default_rng(3).integers(1, 3, len(X)), 0)
    assert [str(part).partition(":")[0] for part in Stucco().find(X, groups).shown] == [WEAK]


def test_what_is_shown_must_be_known():
    with pytest.raises(InputError, match="summary"):
        Stucco(summary="short")


def test_in_one_cell_the_statistic_is_the_likelihood_ratio():
    rng = np.random.default_rng(4)
    for n_groups in (2, 3):
        sizes = rng.integers(50, 200, n_groups)
        counts = rng.integers(1, sizes - 1, (20, n_groups))[:, None]
        excess, statistic = compare_within(counts, sizes[None], np.zeros(1, dtype=np.int64), 1)
        for row, gap, told in zip(counts[:, 0], excess, statistic, strict=True):
            test = stats.chi2_contingency([row, sizes - row], correction=False, lambda_="log-likelihood")
            assert gap == pytest.approx(row - test.expected_freq[0])
            # Cochran, Mantel and Haenszel have N - 1 in place of N
            n = sizes.sum()
            assert told == pytest.approx(test.statistic * (n - 1) / n)


def test_cells_may_be_one_or_left_out():
    rng = np.random.default_rng(5)
    totals = rng.integers(50, 200, (4, 2))
    counts = rng.integers(0, 50, (10, 4, 2))
    merged = np.array([0, 1, 1, -1])
    told = compare_within(counts, totals, merged, 2)
    together = np.stack([counts[:, 0], counts[:, 1] + counts[:, 2]], axis=1)
    expected = compare_within(together, np.stack([totals[0], totals[1] + totals[2]]), np.arange(2), 2)
    for left, right in zip(told, expected, strict=True):
        np.testing.assert_allclose(left, right)


def test_a_difference_between_cells_is_none_within_them():
    # the slice has more of the cell with more errors, and in each cell the cell's own share
    totals = np.array([[50, 50], [10, 90]])
    counts = np.array([[[40, 40], [2, 18]]])
    excess, statistic = compare_within(counts, totals, np.arange(2), 2)
    assert excess == pytest.approx(np.zeros((1, 2)))
    assert statistic == pytest.approx(0.0)


def test_bitsets_that_were_let_go_are_packed_again(monkeypatch):
    rng = np.random.default_rng(8)
    X = pl.DataFrame({name: rng.choice(list("abc"), 3_000) for name in "uvw"} | {"x": rng.normal(size=3_000)})
    y = rng.choice(["no", "yes"], 3_000, p=[0.8, 0.2])
    wrong = rng.random(3_000) < 0.05 + 0.3 * (y == "yes") + 0.2 * (X["u"] == "a").to_numpy()
    answers = np.where(wrong, np.where(y == "yes", "no", "yes"), y)
    kept = find_errors(X, y, answers, correction="layered")
    monkeypatch.setattr("fivefold.slices.find.MOST_KEPT_PACKED", 0)
    let_go = find_errors(X, y, answers, correction="layered")
    assert let_go.proven.explain.__self__.cells is None
    assert let_go.to_dict() == kept.to_dict()
    assert let_go.deployable().to_dict() == kept.deployable().to_dict()
    assert len(kept.deployable()) < len(kept)
