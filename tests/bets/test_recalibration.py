"""Recalibration: judged on unseen cases only, and recommended only where it helps."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

import fivefold as ff
from fivefold.bets.recalibration import METHODS, fit_map
from fivefold.errors import InputError, InputTypeError


def draw(n, seed, sharpen=1.0):
    """Outcomes of known chances, and the chances stated with their odds raised to a power."""
    rng = np.random.default_rng(seed)
    chance = rng.uniform(0.02, 0.98, size=n)
    truth = (rng.uniform(size=n) < chance).astype(int)
    return truth, chance**sharpen / (chance**sharpen + (1 - chance) ** sharpen)


def draw_many(n, k, seed, sharpen):
    rng = np.random.default_rng(seed)
    chance = rng.dirichlet(np.ones(k), size=n)
    truth = (chance.cumsum(axis=1) < rng.uniform(size=(n, 1))).sum(axis=1)
    stated = chance**sharpen
    return truth, stated / stated.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("sharpen", [3.0, 0.3])
def test_what_was_lost_to_wrong_odds_is_recovered(sharpen):
    truth, stated = draw(2000, 0, sharpen)
    result = ff.bets.recalibrate(truth, stated)
    honest = ff.bets.information_reward(*draw(2000, 0))
    lost = honest - ff.bets.information_reward(truth, stated)
    assert result.best is not None
    assert result.best.gain == pytest.approx(lost, abs=0.03)
    by_name = {tried.method: tried for tried in result.maps}
    assert list(by_name) == ["as given", *METHODS]
    # one power of the odds is exactly what temperature and sigmoid can undo
    assert by_name["temperature"].gain == pytest.approx(lost, abs=0.02)
    assert by_name["sigmoid"].gain == pytest.approx(lost, abs=0.02)
    # 200 cells of ten cases owe 0.07 bits a case to chance
    assert by_name["histogram"].gain > 0.3 * lost
    assert result.gain == pytest.approx(lost, abs=0.03)
    assert "wins" in str(result)


def test_many_classes_are_recovered_too():
    truth, stated = draw_many(1500, 3, 1, 3.0)
    result = ff.bets.recalibrate(truth, stated, methods=["temperature", "histogram"])
    assert result.best.method == "temperature"
    for tried in result.maps:
        np.testing.assert_allclose(tried.probabilities.sum(axis=1), 1)


def test_honest_probabilities_are_kept():
    result = ff.bets.recalibrate(*draw(1000, 2))
    assert result.best is None
    assert "keep the probabilities" in str(result)
    assert result.maps[0].gain == 0


def test_gain_is_the_difference_of_rewards():
    truth, stated = draw(1000, 3, 2.0)
    result = ff.bets.recalibrate(truth, stated, methods=["sigmoid"], n_splits=4)
    given, sigmoid = result.maps
    assert given.log_reward == pytest.approx(ff.bets.information_reward(truth, stated, multiclass="log"))
    assert sigmoid.gain == pytest.approx(sigmoid.log_reward - given.log_reward, abs=1e-12)
    assert given.brier == pytest.approx(ff.bets.brier_score(truth, stated))
    assert given.area == pytest.approx(ff.bets.auc(truth, stated))


def test_no_case_is_judged_by_a_map_that_has_seen_it():
    # pure noise with all-different probabilities: a map that had seen the outcomes would find a pattern
    rng = np.random.default_rng(4)
    truth, stated = rng.integers(2, size=400), rng.uniform(0.45, 0.55, size=400)
    result = ff.bets.recalibrate(truth, stated, methods=["isotonic", "histogram"])
    assert all(tried.gain < 0.02 for tried in result.maps)
    assert result.lost > 0.01  # the fit to its own cases does find one, as its description warns


def test_probabilities_that_ruled_out_what_happened_are_not_recommended():
    truth, stated = draw(400, 5)
    stated[0] = 1 - truth[0]
    result = ff.bets.recalibrate(truth, stated, methods=["sigmoid", "temperature"])
    assert result.maps[0].log_reward == -np.inf
    assert result.best is not None
    assert np.isfinite(result.best.log_reward)


def test_a_map_that_ruins_is_not_recommended():
    truth, stated = draw(60, 6)
    result = ff.bets.recalibrate(truth, stated, methods=["isotonic"])
    assert result.maps[1].gain == -np.inf
    assert result.best is None
    assert result.method == "as given"
    assert result.interval[0] <= result.gain == 0 < result.interval[1]


def test_a_map_that_states_0_when_fitted_to_all_cases_is_never_chosen():
    # the lowest case alone would be called impossible by the map of all cases, and by none of a fold
    happened = np.array([0, 1, 1, 0, 1] + [1, 0] * 500 + [0, 1, 0])
    stated = np.linspace(0.3, 0.7, happened.size)
    found = ff.bets.recalibrate(happened, stated, methods=["isotonic"], random_state=2)
    assert found.maps[1].probabilities.min() > 0
    assert (found.method, found.gain) == ("as given", 0.0)


def test_folds_do_not_tell_how_often_each_class_comes():
    # of one stated number nothing can be won but the share of the class, which equal folds would give away
    gains = []
    for seed in range(60):
        truth = np.random.default_rng(seed).random(100) < 0.4
        gains.append(ff.bets.recalibrate(truth, np.full(100, 0.4), methods=["histogram"]).gain)
    # one fitted number loses 1 / (2 n ln 2) bits a case, of four in five cases a quarter more
    assert np.mean(gains) == pytest.approx(-1.25 / (200 * np.log(2)), abs=0.006)


def test_the_same_seed_gives_the_same_folds():
    truth, stated = draw(200, 7, 2.0)
    a, b, c = (
        ff.bets.recalibrate(truth, stated, methods=["sigmoid"], random_state=seed).maps[1].probabilities
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("digits", [1, 15])
def test_the_order_of_the_rows_does_not_matter(grouped, digits):
    truth, stated = draw(300, 12, 1.4)
    stated = np.clip(stated.round(digits), 0.05, 0.95)
    groups = np.arange(300) // 6 if grouped else None
    first = ff.bets.recalibrate(truth, stated, groups=groups)
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(300)
        moved = ff.bets.recalibrate(truth[rows], stated[rows], groups=groups[rows] if grouped else None)
        np.testing.assert_allclose([moved.gain, *moved.interval], [first.gain, *first.interval], atol=1e-6)


def test_the_gain_is_steadier_than_that_of_one_deal():
    spread = []
    for sample in range(6):
        truth, stated = draw(300, 20 + sample, 1.4)
        found = [
            ff.bets.recalibrate(truth, stated, methods=["temperature"], random_state=i) for i in range(9)
        ]
        first = [ff.bets.information_reward(truth, each.maps[1].probabilities) for each in found]
        spread.append((np.var(first), np.var([each.gain for each in found])))
    once, twice = np.mean(spread, axis=0)
    assert twice < 0.8 * once  # of two independent deals it is half


def test_a_ruined_map_does_not_spoil_the_others():
    truth, stated = draw(120, 6, 3.0)
    result = ff.bets.recalibrate(truth, stated, methods=["isotonic", "temperature"])
    assert result.maps[1].gain == -np.inf
    assert result.best.method == "temperature"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [2, 4])
def test_maps_give_distributions_and_do_not_change_their_input(method, k):
    truth, stated = draw_many(300, k, 8, 2.0)
    before = stated.copy()
    mapped = fit_map(method, stated, truth.astype(np.int32))(stated)
    np.testing.assert_array_equal(stated, before)
    assert mapped.shape == stated.shape
    assert np.all(mapped >= 0)
    np.testing.assert_allclose(mapped.sum(axis=1), 1)


def test_isotonic_map_is_scikit_learns_on_probabilities():
    truth, stated = draw(300, 9, 2.0)
    both = np.column_stack([1 - stated, stated])
    mapped = fit_map("isotonic", both, truth.astype(np.int32))(both)[:, 1]
    expected = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(stated, truth).predict(stated)
    np.testing.assert_allclose(mapped, expected, atol=1e-6)


class Stated(ClassifierMixin, BaseEstimator):
    """A classifier whose input is what another one stated."""

    def __init__(self, k):
        self.k = k

    def fit(self, X, y):
        self.classes_ = np.arange(self.k)
        return self

    def decision_function(self, X):
        logs = np.log(X + 1e-12)
        return logs[:, 1] - logs[:, 0] if self.k == 2 else logs

    def predict(self, X):
        return np.argmax(X, axis=1)


@pytest.mark.parametrize("method", ["sigmoid", "temperature"])
@pytest.mark.parametrize("sharpen", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize(("n", "k"), [(40, 2), (2000, 2), (60, 4), (2000, 4)])
def test_maps_are_scikit_learns_on_log_odds(method, sharpen, n, k):
    truth, stated = draw_many(n, k, 3, sharpen)
    truth[:k] = np.arange(k)
    everything = np.arange(n)
    theirs = CalibratedClassifierCV(
        FrozenEstimator(Stated(k).fit(stated, truth)), method=method, cv=[(everything, everything)]
    ).fit(stated, truth)
    # where all was stated alike, nothing is known of what was never stated
    new = np.concatenate([stated, np.eye(k)]) if sharpen else stated
    ours = fit_map(method, stated, truth.astype(np.int32))(new)
    np.testing.assert_allclose(ours, theirs.predict_proba(new), atol=1e-5)


def test_histogram_map_by_hand():
    # two cells of ten: 3 of 10 happen at .2, 8 of 10 at .7
    p = np.repeat([0.2, 0.7], 10)
    truth = np.array([1] * 3 + [0] * 7 + [1] * 8 + [0] * 2, dtype=np.int32)
    mapped = fit_map("histogram", np.column_stack([1 - p, p]), truth)
    new = np.array([0.0, 0.2, 0.449, 0.451, 1.0])
    result = mapped(np.column_stack([1 - new, new]))[:, 1]
    np.testing.assert_allclose(result, [4 / 12, 4 / 12, 4 / 12, 9 / 12, 9 / 12])


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"methods": ["magic"]}, "magic"),
        ({"n_splits": 1}, "1"),
        ({"n_splits": 60}, "at least 60 cases of every class"),
    ],
)
def test_bad_options_are_shown(options, shown):
    with pytest.raises(InputError, match=shown):
        ff.bets.recalibrate(*draw(100, 0), **options)


def test_small_maps_do_not_wait_for_threads(monkeypatch):
    from threadpoolctl import threadpool_info

    threads = []

    def watched(method, prob, truth):
        threads.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return lambda new: new

    monkeypatch.setattr("fivefold.bets.recalibration.fit_map", watched)
    ff.bets.recalibrate([0, 1] * 20, [0.3, 0.6] * 20, methods=["sigmoid"])
    assert set(threads) == {1}


def test_what_saves_from_ruin_is_said_without_a_gain():
    p = np.tile([0.9, 0.1, 0.8, 0.2], 50)
    truth = p > 0.5
    p[0], truth[0] = 0.0, True
    result = str(ff.bets.recalibrate(truth, p, methods=["histogram"]))
    assert result.startswith("histogram saves from ruin")


@pytest.mark.parametrize("method", METHODS)
def test_a_class_without_cases_keeps_what_it_was_given(method):
    truth, stated = draw_many(300, 4, 1, 2.0)
    seen = truth != 3
    mapped = fit_map(method, stated[seen], truth[seen].astype(np.int32))(stated)
    np.testing.assert_allclose(mapped.sum(axis=1), 1.0)
    np.testing.assert_array_equal(mapped[:, 3], stated[:, 3])
    # among the others the map is the one that is fitted without that class
    shares = stated[:, :3] / stated[:, :3].sum(axis=1, keepdims=True)
    alone = fit_map(method, shares[seen], truth[seen].astype(np.int32))(shares)
    np.testing.assert_allclose(mapped[:, :3] / (1 - stated[:, 3:]), alone, rtol=1e-9)


@pytest.mark.parametrize("alone", [[3], [2, 3]])
def test_rounded_probabilities_of_classes_that_one_group_has_alone_are_judged(alone):
    rng = np.random.default_rng(0)
    stated = rng.dirichlet(np.ones(4), 200).round(2)
    assert np.abs(stated.sum(axis=1) - 1).max() > 0.005
    groups = np.arange(200) // 20
    truth = np.where(groups == 4, rng.choice(alone, 200), rng.choice(min(alone), 200))
    truth[:20] = np.arange(20) % min(alone)
    truth[80:100] = np.resize(alone, 20)
    judged = ff.bets.recalibrate(truth, stated, classes=range(4), groups=groups)
    assert all(np.isfinite(tried.brier) for tried in judged.maps)


def test_one_class_alone_leaves_everything_as_it_is():
    _, stated = draw_many(20, 3, 2, 1.0)
    mapped = fit_map("temperature", stated, np.ones(20, dtype=np.int32))(stated)
    np.testing.assert_array_equal(mapped, stated)


@pytest.mark.parametrize("cases", [5, 6])
def test_five_cases_of_each_class_are_enough_for_five_folds(cases):
    rng = np.random.default_rng(0)
    result = ff.bets.recalibrate(np.repeat([0, 1], cases), rng.uniform(0.05, 0.95, 2 * cases))
    assert len(result.maps) == 1 + len(METHODS)


def test_nothing_is_subtracted_from_ruin():
    truth = np.repeat([0, 1], 20)
    stated = np.where(truth == 1, 0.9, 0.1)
    stated[::10] = 1 - (truth[::10] == 1)  # certain and wrong, in every fold
    result = ff.bets.recalibrate(truth, stated, methods=["isotonic", "histogram"])
    assert np.isnan([result.gain, *result.interval, *(tried.gain for tried in result.maps)]).all()
    assert result.best.method == "histogram"


def test_the_gain_counts_the_choice_of_the_map():
    truth, stated = draw(500, 11, 2.0)
    result = ff.bets.recalibrate(truth, stated)
    best = max(tried.gain for tried in result.maps if tried.probabilities.min() > 0)
    assert result.gain == pytest.approx(best, abs=0.02)
    assert result.interval[0] < result.gain < result.interval[1]


@pytest.mark.parametrize("method", METHODS)
def test_in_order_each_case_is_recalibrated_by_those_before_it_alone(method):
    truth, stated = draw_many(75, 3, 5, 2.0)
    again = ff.bets.recalibrate_in_order(truth, stated, method=method, first=8)
    for row in (0, 7, 8, 15, 16, 63, 64, 74):
        known = 8 * 2 ** int(np.log2(row / 8)) if row >= 8 else 0
        by_hand = (
            fit_map(method, stated[:known], truth[:known].astype(np.int32))(stated[[row]])
            if known
            else stated
        )
        np.testing.assert_allclose(again[row], by_hand[0 if known else row])
    late = np.where(np.arange(75) >= 32, (truth + 1) % 3, truth)
    np.testing.assert_array_equal(
        ff.bets.recalibrate_in_order(late, stated, method=method, first=8)[:64], again[:64]
    )


def test_in_order_boasts_are_taken_back_and_honest_chances_hardly_touched():
    gains = {}
    for sharpen in (1.0, 3.0):
        truth, stated = draw(2000, 3, sharpen)
        again = ff.bets.recalibrate_in_order(truth, stated)
        assert again.shape == stated.shape
        gains[sharpen] = ff.bets.information_reward(truth, again) - ff.bets.information_reward(truth, stated)
    assert gains[3.0] > 0.1
    assert abs(gains[1.0]) < 0.01
    both = np.column_stack([1 - stated, stated])
    np.testing.assert_allclose(ff.bets.recalibrate_in_order(truth, both)[:, 1], again)
    np.testing.assert_array_equal(ff.bets.recalibrate_in_order(truth[:9], stated[:9]), stated[:9])


@pytest.mark.parametrize("options", [{"method": "platt"}, {"first": 1}, {"first": 2.5}])
def test_in_order_odd_options_are_refused(options):
    with pytest.raises((InputError, InputTypeError)):
        ff.bets.recalibrate_in_order([0, 1] * 10, [0.2, 0.7] * 10, **options)
