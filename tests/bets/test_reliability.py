"""Cells and miscalibration against brute force, for both rules about ties."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.bets.calibration import Events, make_cells
from fivefold.errors import InputError

from . import reference
from .tables import many_classes, two_classes


def selected(truth, stated):
    rows = np.column_stack([1 - stated, stated]) if stated.ndim == 1 else stated
    return [
        (row[k], y == k) for y, row in zip(truth, rows.tolist(), strict=True) for k in [reference.select(row)]
    ]


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*arguments, **options)


CUTS = {"together": reference.keep_ties_together, "paper": reference.cut_in_row_order}


@pytest.mark.parametrize("ties", CUTS)
@given(st.one_of(two_classes(max_size=90), many_classes(max_size=90)), st.integers(2, 12))
def test_miscalibration_by_brute_force(ties, table, least):
    truth, stated = table
    classes = range(2 if stated.ndim == 1 else stated.shape[1])
    cells = CUTS[ties](selected(truth, stated), least)
    result = quietly(
        ff.bets.reliability, truth, stated, classes=classes, min_cases=least, ties=ties, n_resamples=1
    )
    np.testing.assert_array_equal(result.cases, [len(cell) for cell in cells])
    np.testing.assert_array_equal(result.hits, [sum(f for _, f in cell) for cell in cells])
    np.testing.assert_allclose(result.stated, [np.mean([p for p, _ in cell]) for cell in cells], atol=1e-12)
    assert result.miscalibration == pytest.approx(reference.miscalibration(cells), abs=1e-9)
    assert result.rms == pytest.approx(reference.rms(cells), abs=1e-9)
    alone = quietly(ff.bets.miscalibration, truth, stated, classes=classes, min_cases=least, ties=ties)
    assert alone == result.miscalibration


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=120), st.integers(2, 12))
def test_together_never_separates_equals_and_has_enough_in_every_cell(pairs, least):
    p = np.array([k / 6 for k, _ in pairs])
    cells = make_cells(Events(p, np.array([f for _, f in pairs])), least, "together")
    assert cells.ends[-1] == p.size
    assert np.all(cells.cases >= min(least, p.size))
    inner = cells.ends[:-1]
    assert np.all(cells.p[inner - 1] < cells.p[inner])


@pytest.mark.parametrize(
    ("n", "sizes"),
    [(2, [2]), (9, [9]), (10, [10]), (19, [19]), (20, [10, 10]), (29, [10, 19]), (30, [10] * 3)],
)
@pytest.mark.parametrize("ties", CUTS)
def test_leftover_joins_the_last_cell(n, sizes, ties):
    truth = np.arange(n) % 2
    result = ff.bets.reliability(truth, np.linspace(0.6, 0.9, n), event=1, ties=ties, n_resamples=1)
    assert result.cases.tolist() == sizes


def test_by_hand():
    # one cell of four at .9, half of them right: each is .4 off; 4 x .16 / 3
    result = ff.bets.reliability([1, 1, 0, 0], [0.9] * 4)
    assert result.miscalibration == pytest.approx(np.sqrt(0.64 / 3))
    assert result.rms == pytest.approx(0.4)
    assert result.signed == pytest.approx(0.4)


def test_it_is_a_sum_over_cells():
    once = ff.bets.miscalibration([1, 0] * 10, [0.9] * 20)
    p = np.repeat([0.9, 0.91, 0.92, 0.93], 20)
    four = ff.bets.miscalibration([1, 0] * 40, p)
    assert four == pytest.approx(once * 2, rel=0.06)


def tied(share, n=200):
    """A share of the cases at one probability, which lies across cuts, the others all different."""
    p = np.linspace(0.6, 0.99, n)
    p[20 : 20 + round(share * n)] = p[20]
    return np.arange(n) % 2, p


def test_paper_ties_warn_when_more_than_a_tenth_is_tied_across_a_cut():
    with pytest.warns(UserWarning, match=r"13% of the cases .* ties='paper' .* order of the rows"):
        ff.bets.miscalibration(*tied(0.13), ties="paper")


def test_paper_ties_keep_quiet_otherwise():
    ff.bets.miscalibration(*tied(0.075), ties="paper")  # warnings are errors here
    # ties that fill whole cells are not cut through
    ff.bets.miscalibration([1, 0] * 20, np.repeat([0.6, 0.7, 0.8, 0.9], 10), ties="paper")


def test_paper_ties_hang_on_the_order_of_rows_and_together_does_not():
    # a stump with one leaf: sorted by class the cells are pure and look uncalibrated
    truth, stated = np.array([1] * 100 + [0] * 100), np.full(200, 0.5)
    mixed = np.random.default_rng(0).permutation(200)
    for rows, ties, value in (
        (np.arange(200), "paper", np.sqrt(20 * 10 * 0.25 / 9)),
        (np.arange(200), "together", 0.0),
        (mixed, "together", 0.0),
    ):
        result = quietly(ff.bets.miscalibration, truth[rows], stated[rows], ties=ties)
        assert result == pytest.approx(value, abs=1e-12)
    shuffled = quietly(ff.bets.miscalibration, truth[mixed], stated[mixed], ties="paper")
    assert 0 < shuffled < 1.5


@given(many_classes())
def test_a_fixed_event_is_judged_by_its_own_column(table):
    truth, stated = table
    k = stated.shape[1]
    for label in range(k):
        result = ff.bets.reliability(truth, stated, classes=range(k), event=label, n_resamples=1)
        cells = reference.keep_ties_together(list(zip(stated[:, label], truth == label, strict=True)))
        assert result.miscalibration == pytest.approx(reference.miscalibration(cells), abs=1e-9)
        assert result.signed == pytest.approx(np.mean(stated[:, label] - (truth == label)), abs=1e-12)


@given(two_classes())
def test_signed_confidence_is_the_mean_gap(table):
    truth, stated = table
    gaps = [p - f for p, f in selected(truth, stated)]
    assert ff.bets.signed_confidence(truth, stated, classes=[0, 1]) == pytest.approx(np.mean(gaps), abs=1e-12)


def test_advice_names_the_direction():
    always = np.array([1] * 60 + [0] * 40)
    assert "over-confident" in ff.bets.reliability(always, [0.95] * 100).advice
    assert "under-confident" in ff.bets.reliability([1] * 98 + [0] * 2, [0.6] * 100).advice
    assert "neither" in ff.bets.reliability(always, [0.6] * 100).advice


def test_one_case_has_no_calibration():
    with pytest.raises(InputError, match="at least 2 cases; got 1"):
        ff.bets.miscalibration([1], [0.5], classes=[0, 1])


@pytest.mark.parametrize("option", [{"min_cases": 1}, {"ties": "split"}, {"event": "no such class"}])
def test_unknown_options_are_shown(option):
    with pytest.raises(InputError, match=str(next(iter(option.values())))):
        ff.bets.miscalibration([0, 1], [0.5, 0.6], **option)


def test_the_same_seed_gives_the_same_floor():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=300)
    truth = (rng.uniform(size=300) < p).astype(int)
    floors = [ff.bets.reliability(truth, p, n_resamples=50, random_state=seed).floor for seed in (3, 3, 4)]
    assert floors[0] == floors[1] != floors[2]


def test_probabilities_of_0_and_1_that_all_came_true_are_calibrated_in_groups_too():
    happened = np.array([0, 1] * 20)
    test = ff.bets.calibration_test(happened, happened.astype(float), groups=np.arange(40) % 8)
    assert test.p_value == 1


def test_a_value_that_parts_the_outcomes_leaves_no_slope_and_a_finite_test():
    test = ff.bets.calibration_test([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
    assert np.isnan(test.worst.slope)
    assert 0 < test.worst.likelihood_ratio_p_value < 1
    assert 0 < test.p_value <= 1


def test_intercept_and_slope_are_those_of_logistic_regression():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(1)
    odds = rng.normal(size=300)
    happened = rng.random(300) < 1 / (1 + np.exp(-0.5 - 0.7 * odds))
    test = ff.bets.calibration_test(happened, 1 / (1 + np.exp(-odds)))
    line = LogisticRegression(C=1e9, tol=1e-9).fit(odds[:, np.newaxis], happened)
    assert test.worst.slope == pytest.approx(line.coef_[0, 0], rel=1e-3)
    assert test.worst.shift < 0
    assert test.p_value < 0.01


def test_the_test_of_two_classes_does_not_care_how_they_are_given():
    rng = np.random.default_rng(2)
    p = rng.uniform(size=80)
    happened = (rng.random(80) < p).astype(int)
    one, two = (ff.bets.calibration_test(happened, prob) for prob in (p, np.column_stack([1 - p, p])))
    assert one.p_value == two.p_value
    assert len(one.classes) == 1


def test_neither_the_order_of_cases_nor_that_of_classes_changes_the_test():
    rng = np.random.default_rng(3)
    p = rng.dirichlet([3, 1, 1, 0.5], 200)
    truth = (p.cumsum(axis=1)[:, :-1] < rng.random((200, 1))).sum(axis=1)
    stated = p**1.2 / (p**1.2).sum(axis=1, keepdims=True)
    rows, places = rng.permutation(200), np.array([2, 0, 3, 1])
    one = ff.bets.calibration_test(truth, stated)
    other = ff.bets.calibration_test(np.argsort(places)[truth][rows], stated[rows][:, places])
    assert one.p_value == other.p_value
    assert [one.classes[place].p_value for place in places] == [judged.p_value for judged in other.classes]
    event, chance = (truth == 0).astype(int), stated[:, 0]
    flipped = ff.bets.calibration_test(1 - event, 1 - chance)
    assert ff.bets.calibration_test(event, chance).p_value == flipped.p_value


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p**2 / (p**2 + (1 - p) ** 2), "Its probabilities of 1 are too extreme"),
        (lambda p: 0.9 * p, "It states 45.6% for 1 on average, but 49.9% happened"),
        (lambda p: np.where(p < 0.7, 0, p), "What happened had been given probability 0 (p < 0.0001"),
        (lambda p: p, "no miscalibration beyond chance"),
    ],
)
def test_the_test_says_what_is_wrong(change, said):
    rng = np.random.default_rng(4)
    p = rng.uniform(size=2000)
    test = ff.bets.calibration_test((rng.random(2000) < p).astype(int), change(p))
    assert said in str(test)
    assert (test.p_value == 0) == (test.worst.p_value == 0) == ("probability 0" in said)
