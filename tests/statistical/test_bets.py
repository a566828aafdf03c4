"""Claims about chance, tested by simulation."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import fivefold as ff
from fivefold.bets import calibration
from fivefold.bets.recalibration import fit_map
from fivefold.formulas import mean_p_value

pytestmark = pytest.mark.statistical


def reliability(chances, happened, **options):
    return ff.bets.reliability(happened.astype(int), chances, classes=[0, 1], event=1, **options)


def p_values(chances, runs, n_resamples, seed, min_cases=10):
    """P-values of the noise floor for outcomes that follow the stated probabilities."""
    rng = np.random.default_rng(seed)
    return np.array(
        [
            reliability(
                chances,
                rng.uniform(size=chances.size) < chances,
                min_cases=min_cases,
                n_resamples=n_resamples,
                random_state=rng,
            ).floor.p_value
            for _ in range(runs)
        ]
    )


SPREADS = {
    "uniform": lambda rng: rng.uniform(size=200),
    "near certain": lambda rng: rng.beta(8, 1, size=200),
    "few values": lambda rng: rng.integers(1, 6, size=200) / 6,
    "small": lambda rng: rng.uniform(size=25),
}


@pytest.mark.parametrize("spread", SPREADS)
def test_p_values_are_uniform_for_honest_probabilities(spread):
    chances = SPREADS[spread](np.random.default_rng(1))
    result = p_values(chances, runs=400, n_resamples=199, seed=2)
    # outcomes are discrete, so equality is not to be had: never more small p-values than promised ...
    for level in (0.01, 0.05, 0.1, 0.25, 0.5):
        assert stats.binomtest(int(np.sum(result <= level)), 400, level, "greater").pvalue > 0.001
    # ... and not so few that the test is useless
    assert np.mean(result <= 0.5) > 0.35


@pytest.mark.slow
def test_p_values_of_the_normal_law_are_uniform_and_agree_with_redrawing(monkeypatch):
    chances = np.random.default_rng(3).uniform(size=10_000)
    redrawn = p_values(chances, runs=60, n_resamples=200, seed=4)
    monkeypatch.setattr(calibration, "MANY_CELLS", 500)
    rng = np.random.default_rng(4)
    floors = []
    for _ in range(400):
        happened = rng.uniform(size=chances.size) < chances
        floors.append(reliability(chances, happened).floor)
    result = np.array([floor.p_value for floor in floors])
    assert all(floor.draws == 0 for floor in floors)
    assert stats.kstest(result, "uniform").pvalue > 0.001
    assert stats.ks_2samp(result, redrawn).pvalue > 0.001


def test_the_normal_floor_has_the_mean_and_quantile_of_the_simulated_one(monkeypatch):
    rng = np.random.default_rng(5)
    chances = rng.beta(2, 1, size=20_000)
    happened = rng.uniform(size=chances.size) < chances
    simulated = reliability(chances, happened, n_resamples=3000).floor
    monkeypatch.setattr(calibration, "MANY_CELLS", 500)
    normal = reliability(chances, happened).floor
    assert normal.mean == pytest.approx(simulated.mean, rel=0.002)
    assert normal.q95 == pytest.approx(simulated.q95, rel=0.004)


def test_the_floor_has_power_against_boasting():
    rng = np.random.default_rng(6)
    for _ in range(20):
        chances = rng.uniform(size=500)
        happened = (rng.uniform(size=500) < chances).astype(int)
        boastful = chances**2.5 / (chances**2.5 + (1 - chances) ** 2.5)
        result = ff.bets.reliability(happened, boastful, n_resamples=200)
        assert result.floor.p_value < 0.05
        assert result.advice.startswith("over-confident")


def logistic(odds):
    return 1 / (1 + np.exp(-odds))


WORLDS = {
    "rare, and said rarer": lambda rng, n: (np.full(n, 0.01), np.full(n, 0.001)),
    "rare of many sizes, boastful": lambda rng, n: boast(rng.normal(-4.5, 1.5, n), 1.5),
    "balanced, boastful": lambda rng, n: boast(rng.normal(0, 1.5, n), 1.3),
    "ties, calibrated": lambda rng, n: boast(rng.integers(-3, 4, n).astype(float), 1.0),
}


def boast(odds, factor):
    return logistic(odds), logistic(factor * odds)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("n", "runs"),
    [(30, 120), (100, 120), *(pytest.param(n, 1000, marks=pytest.mark.slow) for n in (30, 50, 100, 400))],
)
def test_intervals_of_rewards_cover_what_was_not_seen_yet(world, n, runs):
    rng = np.random.default_rng(7)
    chance, stated = WORLDS[world](rng, 200_000)
    expectation = np.mean(1 + chance * np.log2(stated) + (1 - chance) * np.log2(1 - stated))
    covered = 0
    for _ in range(runs):
        chance, stated = WORLDS[world](rng, n)
        happened = (rng.random(n) < chance).astype(int)
        low, high = ff.bets.information_reward_details(happened, stated, classes=[0, 1]).interval
        covered += low <= expectation <= high
        assert low < high
    # 95 % are promised; fewer than that by more than a binomial accident of one in a thousand fail
    assert stats.binomtest(covered, runs, 0.95, "less").pvalue > 0.001


def test_weighted_rewards_have_intervals_that_cover():
    rng = np.random.default_rng(8)
    runs, covered = 150, 0
    chance, stated = boast(rng.normal(0, 1.5, 200_000), 1.3)
    worth = 1 + chance * np.log2(stated) + (1 - chance) * np.log2(1 - stated)
    expectation = np.average(worth, weights=0.5 + stated)
    for _ in range(runs):
        chance, stated = boast(rng.normal(0, 1.5, 200), 1.3)
        happened = (rng.random(200) < chance).astype(int)
        rewards = ff.bets.information_reward_details(happened, stated, sample_weight=0.5 + stated)
        covered += rewards.interval[0] <= expectation <= rewards.interval[1]
    assert stats.binomtest(covered, runs, 0.95, "less").pvalue > 0.001


@pytest.mark.parametrize(
    ("n", "runs"), [(50, 200), *(pytest.param(n, 2000, marks=pytest.mark.slow) for n in (30, 50, 100, 300))]
)
def test_boasting_that_was_not_punished_yet_proves_nothing(n, runs):
    # one event in a hundred; one model says so, the other says one in a thousand and is worse by 0.02 bits a case
    rng = np.random.default_rng(9)
    honest, boastful = (np.log2([1 - p, p]) for p in (0.01, 0.001))
    difference = boastful - honest
    proven = 0
    for _ in range(runs):
        gains = difference[(rng.random(n) < 0.01).astype(int)]
        proven += gains.mean() > 0 and mean_p_value(gains, difference.min(), difference.max()) < 0.05
    # a proof that points the wrong way may come in one sample of 40
    assert stats.binomtest(proven, runs, 0.025, "greater").pvalue > 0.001


def test_two_rewards_that_differ_are_told_apart():
    # logits half as large again lose 0.026 bits a case, which the normal test proves in 96 of 100 samples
    rng = np.random.default_rng(10)
    proven = 0
    for _ in range(40):
        odds = rng.normal(0, 2, 2000)
        happened = rng.random(2000) < logistic(odds)
        gains = np.log2(logistic(np.where(happened, odds, -odds))) - np.log2(
            logistic(1.5 * np.where(happened, odds, -odds))
        )
        reach = np.log2(logistic(np.abs(odds))) - np.log2(logistic(1.5 * np.abs(odds)))
        fall = np.log2(logistic(-np.abs(odds))) - np.log2(logistic(-1.5 * np.abs(odds)))
        proven += mean_p_value(gains, min(reach.min(), fall.min()), max(reach.max(), fall.max())) < 0.05
    assert proven >= 28


@pytest.mark.long
def test_a_forest_with_another_seed_is_not_better_and_views_do_not_disagree():
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier

    claims = 0
    for seed in range(20):
        X, y = make_classification(400, 8, flip_y=0.1, random_state=seed)
        forests = {
            name: RandomForestClassifier(30, random_state=place).fit(X[:200], y[:200])
            for place, name in enumerate(("one", "two"))
        }
        found = ff.evaluate(forests, X[:200], y[:200], X_test=X[200:], y_test=y[200:], views=["bits", "bets"])
        claims += any(pair.proven for pair in found.comparisons if pair.view == "bets")
        assert all(finding.view != "views" for finding in found.findings)
        assert "without limit" not in found.verdict()
    assert stats.binomtest(claims, 20, 0.05, "greater").pvalue > 0.001


CALIBRATED = {
    "rare, one value": lambda rng: np.full(40, 0.02),
    "rare, many values": lambda rng: logistic(rng.normal(-4, 1.5, 150)),
    "nearly certain": lambda rng: logistic(rng.normal(0, 6, 150)),
    "ties": lambda rng: rng.integers(1, 6, 120) / 6,
    "five cases": lambda rng: rng.uniform(size=5),
}


@pytest.mark.parametrize("spread", CALIBRATED)
@pytest.mark.parametrize("runs", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_right_probabilities_are_called_wrong_in_5_of_100_samples(spread, runs):
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(runs):
        chance = CALIBRATED[spread](rng)
        happened = (rng.random(chance.size) < chance).astype(int)
        test = ff.bets.calibration_test(happened, chance, classes=[0, 1], n_resamples=199, random_state=rng)
        alarms += test.p_value <= 0.05
    assert stats.binomtest(alarms, runs, 0.05, "greater").pvalue > 0.001


@pytest.mark.parametrize("runs", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_right_probabilities_of_many_classes_are_called_wrong_in_5_of_100_samples(runs):
    rng = np.random.default_rng(12)
    alarms = np.zeros(2)
    for _ in range(runs):
        chance = rng.dirichlet([5, 1, 0.5, 0.2], size=200)
        truth = (chance.cumsum(axis=1)[:, :-1] < rng.uniform(size=(200, 1))).sum(axis=1)
        test = ff.bets.calibration_test(truth, chance, classes=range(4), n_resamples=199, random_state=rng)
        alarms += [test.p_value <= 0.05, test.worst.p_value <= 0.05]
    assert stats.binomtest(int(alarms.max()), runs, 0.05, "greater").pvalue > 0.001


@pytest.mark.parametrize(
    ("k", "n", "runs"),
    [(200, 400, 25), *(pytest.param(k, n, 100, marks=pytest.mark.slow) for k, n in ((50, 500), (200, 600)))],
)
def test_right_probabilities_of_classes_with_few_cases_are_called_wrong_in_5_of_100_samples(k, n, runs):
    # drawn by the normal law, sums of three cases a class had called 43 of 100 samples of 200 classes wrong
    rng = np.random.default_rng(17)
    alarms = np.zeros(2)
    for _ in range(runs):
        chance = rng.dirichlet(np.full(k, 0.05), size=n)
        truth = np.minimum((chance.cumsum(axis=1) < rng.uniform(size=(n, 1))).sum(axis=1), k - 1)
        test = ff.bets.calibration_test(truth, chance, classes=range(k), n_resamples=199, random_state=rng)
        alarms += [test.p_value <= 0.05, test.worst.p_value <= 0.05]
    assert stats.binomtest(int(alarms.max()), runs, 0.05, "greater").pvalue > 0.001


def many_classes(rng, n, k, factor, one, spread=1.5):
    """Give chances and what is stated: log-odds times a factor, and of one class more."""
    odds = rng.normal(0, spread, (n, k))
    stated = factor * odds + one * (np.arange(k) == 1)
    return (np.exp(side) / np.exp(side).sum(axis=1, keepdims=True) for side in (odds, stated))


# which way all classes are wrong in common; None where one of them is
@pytest.mark.parametrize(
    ("n", "k", "factor", "one", "common"),
    [(600, 10, 1.25, 0, 1), (600, 10, 0.8, 0, -1), (400, 4, 1.4, 0, 1), (700, 6, 1.0, 0.7, None)],
)
@pytest.mark.parametrize("runs", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_what_is_wrong_with_many_classes_is_named(n, k, factor, one, common, runs):
    rng = np.random.default_rng(15)
    judged = named = 0
    for _ in range(runs):
        chance, stated = many_classes(rng, n, k, factor, one)
        truth = (chance.cumsum(axis=1)[:, :-1] < rng.uniform(size=(n, 1))).sum(axis=1)
        test = ff.bets.calibration_test(truth, stated, classes=range(k), n_resamples=199, random_state=rng)
        if test.p_value < 0.05:
            judged += 1
            right = test.worst.event == 1 if common is None else (test.too_extreme or 0) * common > 0
            named += right and (test.too_extreme is None) == (common is None)
    assert judged >= runs / 2
    # of 60 samples of each kind all were named rightly, and 52 of 56 of five classes times 1.3
    assert named >= stats.binom.ppf(0.001, judged, 0.9)


@pytest.mark.parametrize("runs", [20, pytest.param(80, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("factor", "way"), [(0.62, "timid"), (1.55, "extreme")])
def test_what_is_wrong_around_the_share_of_events_is_named(factor, way, runs):
    # right on average; seen from one half, rare events that are off around their share are hardly off at all
    rng, sample = np.random.default_rng(18), np.random.default_rng(0).normal(size=100_000)
    judged = named = 0
    for middle, spread, n in ((-1, 0.8, 800), (-2.2, 1, 1200), (-3, 1, 2000)):
        chance = logistic(middle + spread * sample).mean()
        start = brentq(lambda odds: logistic(odds + factor * spread * sample).mean() - chance, -12, 3)  # noqa: B023
        for _ in range(runs):
            odds = spread * rng.normal(size=n)
            happened = rng.random(n) < logistic(middle + odds)
            stated = logistic(start + factor * odds)
            test = ff.bets.calibration_test(happened, stated, n_resamples=199, random_state=rng)
            judged += test.p_value < 0.05
            named += test.p_value < 0.05 and test.sentence("").startswith(
                f"Its probabilities of True are too {way}"
            )
    assert judged >= runs
    # by the log-odds around one half alone, of the timid ones 64 % were named so
    assert named >= stats.binom.ppf(0.001, judged, 0.9)


def spiegelhalter(p, happened):
    z = np.sum((happened - p) * (1 - 2 * p)) / np.sqrt(np.sum((1 - 2 * p) ** 2 * p * (1 - p)))
    return 2 * stats.norm.sf(abs(z))


WRONG = {
    "over-confident": lambda rng: boast(rng.normal(0, 1.6, 500), 1.3),
    "over-confident, rare": lambda rng: boast(rng.normal(-3, 1.2, 300), 1.3),
    "shifted": lambda rng: (chance := rng.uniform(0.02, 0.9, 1500), chance + 0.03),
    "bent": lambda rng: (chance := rng.uniform(0.02, 0.98, 500), chance**1.25),
    "bent twice": lambda rng: (
        chance := rng.uniform(0.1, 0.9, 1500),
        chance + 0.06 * np.sin(4 * np.pi * chance),
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("runs", [80, pytest.param(500, marks=pytest.mark.slow)])
def test_the_power_is_near_that_of_the_better_of_two_known_tests(wrong, runs):
    rng = np.random.default_rng(13)
    found = np.zeros(3)
    for _ in range(runs):
        chance, stated = WRONG[wrong](rng)
        happened = rng.random(chance.size) < chance
        test = ff.bets.calibration_test(happened, stated, n_resamples=199, random_state=rng)
        rivals = test.worst.likelihood_ratio_p_value, spiegelhalter(stated, happened)
        found += [test.p_value <= 0.05, *(p_value <= 0.05 for p_value in rivals)]
    ours, *rivals = found / runs
    # each rival knows one way of being wrong; a test of all ways pays a few points for that (measured: at most 5);
    # the two are told apart by about a tenth of the samples
    assert ours >= max(rivals) - 0.06 - 2 * np.sqrt(0.1 / runs)
    assert ours > 0.5


@pytest.mark.slow
def test_boasting_is_seen_about_as_often_as_by_the_test_that_looks_for_it_alone():
    # as far off either way, more is wrong with what is too extreme: most forecasts that are wrong are boastful
    rng, found = np.random.default_rng(16), np.zeros(2)
    for odds in (
        lambda: rng.normal(0, 2, 500),
        lambda: rng.standard_t(3, 600),
        lambda: rng.laplace(0, 1.3, 900),
    ):
        for _ in range(400):
            chance, stated = boast(odds(), 1.27)
            happened = rng.random(chance.size) < chance
            test = ff.bets.calibration_test(happened, stated, n_resamples=199, random_state=rng)
            found += [test.p_value <= 0.05, spiegelhalter(stated, happened) <= 0.05]
    # alike for boasting and timidity it was 3 points below in such worlds; samples differ by 1
    assert found[0] / 1200 > found[1] / 1200 - 0.02


def test_no_test_whatever_comes_within_five_points_of_both_specialists():
    """Why the power is a few points below: for large samples the scores of shift and slope are two normal numbers.

    One specialist looks at the first alone, the other at both alike. The likelihood ratio of a mixture of ways of
    being wrong has the most power on average over it, so that any test loses as much in at least one of them.
    """
    axis = np.linspace(-8, 8, 129)
    x, y = (side.ravel() for side in np.meshgrid(axis, axis))
    density = lambda along, across: stats.norm.pdf(x - along) * stats.norm.pdf(y - across) / 64  # noqa: E731
    ways, shares = [(2.2, 0.0)], [0.65]
    for angle in np.radians([65, 75, 85, 90]):
        ways += [(size * np.cos(angle), size * np.sin(angle)) for size in (2.2, 2.8)]
        shares += [0.065, 0.0225]
    either = [
        (density(a, b) + density(a, -b) + density(-a, b) + density(-a, -b)) / 4 for a, b in ways
    ]  # to both sides
    first = [stats.norm.sf(1.96 - a) + stats.norm.cdf(-1.96 - a) for a, _ in ways]
    both = [stats.ncx2.sf(stats.chi2.isf(0.05, 2), 2, a**2 + b**2) for a, b in ways]
    order = np.argsort(-(shares @ np.array(either)) / density(0, 0))
    rejected = order[: np.searchsorted(np.cumsum(density(0, 0)[order]), 0.05) + 1]
    best = shares @ np.array(either)[:, rejected].sum(axis=1)
    assert shares @ np.maximum(first, both) - best > 0.05


def test_signed_confidence_keeps_to_its_standard_error():
    rng = np.random.default_rng(8)
    chances = rng.uniform(0.5, 1.0, size=400)
    scores = []
    for _ in range(1000):
        result = reliability(chances, rng.uniform(size=400) < chances, n_resamples=1)
        scores.append(result.signed / result.signed_standard_error)
    assert stats.kstest(scores, "norm").pvalue > 0.001
    assert np.mean(np.abs(scores) > 1.96) == pytest.approx(0.05, abs=0.025)


@pytest.mark.parametrize("k", [2, 4])
def test_on_average_no_other_bet_beats_the_truth(k):
    rng = np.random.default_rng(9)
    n = 20_000
    chances = rng.dirichlet(np.ones(k), size=n)
    truth = (chances.cumsum(axis=1)[:, :-1] < rng.uniform(size=(n, 1))).sum(axis=1)
    honest = ff.bets.information_reward(truth, chances, multiclass="log")
    for power in (0.5, 0.8, 1.25, 2.0):
        bent = chances**power
        other = ff.bets.information_reward_details(
            truth, bent / bent.sum(axis=1, keepdims=True), multiclass="log"
        )
        assert honest > other.mean
    blurred = 0.9 * chances + 0.1 * rng.dirichlet(np.ones(k), size=n)
    assert honest > ff.bets.information_reward(truth, blurred, multiclass="log")


def test_debiased_calibration_error_is_unbiased_before_its_root():
    # the plain squared error over bins is above zero for honest probabilities; the correction takes it off
    rng = np.random.default_rng(10)
    chances = np.repeat([0.15, 0.35, 0.55, 0.75, 0.95], 40)
    positive = 0
    plain = []
    for _ in range(400):
        happened = (rng.uniform(size=200) < chances).astype(int)
        options = {"event": 1, "classes": [0, 1], "n_bins": 5}
        positive += ff.bets.debiased_calibration_error(happened, chances, **options) > 0
        plain.append(ff.bets.expected_calibration_error(happened, chances, strategy="mass", **options))
    assert np.mean(plain) > 0.03
    # a sum of five centred squares less their mean: above zero somewhat less than half of the time
    assert 0.3 < positive / 400 < 0.5


def false_recommendations(draw, runs, **options):
    recommended = 0
    for seed in range(runs):
        truth, stated = draw(np.random.default_rng(seed))
        recommended += ff.bets.recalibrate(truth, stated, **options).best is not None
    return recommended


def honest_pair(rng, n):
    chance = rng.uniform(0.05, 0.95, size=n)
    return (rng.uniform(size=n) < chance).astype(int), chance


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 400])
def test_honest_probabilities_are_seldom_told_to_recalibrate(n):
    # four maps are tried at 5 % each; together they must not recommend more often than one would
    runs = 50
    recommended = false_recommendations(lambda rng: honest_pair(rng, n), runs)
    assert stats.binomtest(recommended, runs, 0.05, "greater").pvalue > 0.01


def test_a_single_map_keeps_to_its_rate_too():
    recommended = false_recommendations(lambda rng: honest_pair(rng, 150), 60, methods=["histogram"])
    assert stats.binomtest(recommended, 60, 0.05, "greater").pvalue > 0.01


def odds_of(classes, spread, factor, one=0.0):
    """Give a world of log-odds: chances, and what is stated: the log-odds times a factor, of one class more."""

    def draw(rng, n):
        return *many_classes(rng, n, classes, factor, one, spread), None

    return draw


def of_an_event(draw):
    def both(rng, n):
        chance, stated = draw(rng, n)
        return np.column_stack([1 - chance, chance]), np.column_stack([1 - stated, stated]), None

    return both


def customers(rng, n):
    """Ten rows a customer, who differ more than what is stated says."""
    codes = np.arange(n) // 10
    odds = rng.normal(0, 1.5, n)
    chance = logistic(odds + rng.normal(0, 0.8, n)[codes])
    return *of_an_event(lambda *_: (chance, logistic(odds)))(rng, n)[:2], codes


GAINS = {
    "calibrated": (200, of_an_event(lambda rng, n: boast(rng.normal(0, 1.5, n), 1.0))),
    "boastful": (200, of_an_event(lambda rng, n: boast(rng.normal(0, 1.5, n), 1.8))),
    "one digit": (250, of_an_event(lambda rng, n: (c := rng.uniform(0.06, 0.94, n), np.round(c, 1)))),
    "rare": (800, of_an_event(lambda rng, n: boast(rng.normal(-4, 1, n), 1.2))),
    "eight classes": (400, odds_of(8, 1.2, 1.0)),
    "twelve classes, boastful": (600, odds_of(12, 1.0, 1.2)),
    # maps of four fifths of the cases win less than that of all: the interval of their gain alone held 90 %
    "twelve classes, one too high": (700, odds_of(12, 1.5, 1.0, 1.2)),
    "customers": (600, customers),
}


def gain_of_new_cases(found, truth, stated, chances, new):
    """What the map to keep, fitted to all cases, wins on cases of known chances."""
    if found.method == "as given":
        return 0.0
    return np.mean(np.sum(chances * np.log2(fit_map(found.method, stated, truth)(new) / new), axis=1))


@pytest.mark.parametrize(
    ("world", "runs"),
    [
        *((world, 15) for world in ("calibrated", "boastful", "customers")),
        *(pytest.param(world, 300, marks=pytest.mark.long) for world in GAINS),
    ],
)
def test_the_interval_of_the_gain_of_recalibration_covers_what_new_cases_bring(world, runs):
    n, draw = GAINS[world]
    rng, covered, wrongly_said = np.random.default_rng(14), 0, 0
    chances, new, _ = draw(rng, 20_000)
    for _ in range(runs):
        here, stated, groups = draw(rng, n)
        truth = (here.cumsum(axis=1)[:, :-1] < rng.random((n, 1))).sum(axis=1).astype(np.int32)
        found = ff.bets.recalibrate(truth, stated, classes=range(here.shape[1]), groups=groups)
        gain = gain_of_new_cases(found, truth, stated, chances, new)
        covered += found.interval[0] <= gain <= found.interval[1]
        wrongly_said += found.best is not None and gain <= 0
        assert found.interval[0] < found.interval[1]
    assert stats.binomtest(covered, runs, 0.95, "less").pvalue > 0.001
    assert stats.binomtest(wrongly_said, runs, 0.025, "greater").pvalue > 0.001
