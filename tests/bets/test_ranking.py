"""AUC and lift by counting pairs and tops; both are blind to calibration."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.errors import InputError

from . import reference
from .tables import many_classes, two_classes


@given(two_classes(), st.data())
def test_auc_by_counting_pairs(table, data):
    truth, p = table
    assume(0 < truth.sum() < truth.size)
    result = ff.bets.auc(truth, p, classes=[0, 1])
    assert result == pytest.approx(reference.area(p[truth == 1].tolist(), p[truth == 0].tolist()))
    weights = np.array(data.draw(st.lists(st.integers(1, 4), min_size=p.size, max_size=p.size)))
    weighted = reference.area(
        p[truth == 1].tolist(),
        p[truth == 0].tolist(),
        weights[truth == 1].tolist(),
        weights[truth == 0].tolist(),
    )
    assert ff.bets.auc(truth, p, classes=[0, 1], sample_weight=weights) == pytest.approx(weighted)


@given(many_classes())
def test_auc_of_many_classes_is_the_mean_over_those_that_occur(table):
    truth, stated = table
    assume(np.unique(truth).size > 1)
    areas = [
        reference.area(stated[truth == k, k].tolist(), stated[truth != k, k].tolist())
        for k in np.unique(truth)
    ]
    assert ff.bets.auc(truth, stated, classes=range(stated.shape[1])) == pytest.approx(np.mean(areas))


@given(two_classes(p=st.floats(0.02, 0.98)))
def test_squared_odds_leave_the_ranking_alone_and_cost_reward(table):
    truth, p = table
    assume(0 < truth.sum() < truth.size)
    squared = p**2 / (p**2 + (1 - p) ** 2)
    assume(np.unique(squared).size == np.unique(p).size)
    assert ff.bets.auc(truth, squared, classes=[0, 1]) == pytest.approx(ff.bets.auc(truth, p, classes=[0, 1]))
    assert ff.bets.lift(truth, squared, classes=[0, 1]) == pytest.approx(
        ff.bets.lift(truth, p, classes=[0, 1])
    )
    # where the stated probabilities are right, the expected reward falls
    honest = np.mean(p * (1 + np.log2(p)) + (1 - p) * (1 + np.log2(1 - p)))
    boastful = np.mean(p * (1 + np.log2(squared)) + (1 - p) * (1 + np.log2(1 - squared)))
    assert boastful <= honest + 1e-12


def lift_by_hand(truth, p, top):
    """Mean over all ways to break ties: expected share of the event among the ``top`` highest."""
    order = np.sort(np.unique(p))[::-1]
    left, hits = top, 0.0
    for value in order:
        group = truth[p == value]
        taken = min(left, group.size)
        hits += taken * group.mean()
        left -= taken
    return hits / top / truth.mean()


@given(two_classes(), st.sampled_from([0.01, 0.1, 0.25, 0.5, 0.77, 1.0]))
def test_lift_by_hand(table, depth):
    truth, p = table
    assume(truth.any())
    top = max(1, int(np.ceil(round(depth * truth.size, 9))))
    assert ff.bets.lift(truth, p, classes=[0, 1], depth=depth) == pytest.approx(lift_by_hand(truth, p, top))


@given(two_classes(min_size=5))
def test_lift_of_everything_is_one(table):
    truth, p = table
    assume(truth.any())
    curve = ff.bets.lift_curve(truth, p, classes=[0, 1], points=5)
    assert curve.lift[-1] == pytest.approx(1)
    assert curve.depth.tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert curve.lift.max() <= 1 / truth.mean() + 1e-9


def test_a_tiny_depth_takes_one_case():
    assert ff.bets.lift([0, 1, 0, 1], [0.1, 0.9, 0.2, 0.3], depth=1e-12) == 2


@pytest.mark.parametrize("depth", [0.0, -0.1, 1.5, float("nan")])
def test_depth_must_be_a_share(depth):
    with pytest.raises(InputError, match=str(depth)):
        ff.bets.lift([0, 1], [0.1, 0.9], depth=depth)


def test_an_event_that_never_happens_has_no_lift():
    with pytest.raises(InputError, match=r"0\.0% of cases"):
        ff.bets.lift([0, 0], [0.1, 0.9], classes=[0, 1])


@pytest.mark.parametrize("weights", [None, [1, 1, 0]])
def test_one_class_cannot_be_ranked(weights):
    truth = [0, 0, 0] if weights is None else [0, 0, 1]
    with pytest.raises(InputError, match="only 0"):
        ff.bets.auc(truth, [0.1, 0.9, 0.4], classes=[0, 1], sample_weight=weights)
    with pytest.raises(InputError, match="one outcome"):
        ff.bets.roc([0, 0, 0], [0.1, 0.9, 0.4], classes=[0, 1])
