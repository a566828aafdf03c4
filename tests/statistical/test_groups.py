"""Rows that belong together: with `groups`, tests and intervals keep what they promise.

Worlds: outcomes of a group are drawn with the group's own rate (beta law of a given intra-class correlation), or
few groups are bad and all others perfect; groups are equal or unequal; columns describe the group or the row.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from scipy.special import expit
from scipy.stats import binom, binomtest, norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import fivefold as ff
from fivefold.errors import InputError
from fivefold.formulas import binomial_limits, mean_interval, mean_p_value, worth
from fivefold.inputs.groups import Groups
from fivefold.truth.rows_needed import groups_needed_to_compare


def _codes(sizes: str, n_groups: int, rng: np.random.Generator) -> np.ndarray:
    drawn = {
        "ten": np.full(n_groups, 10),
        "two": np.full(n_groups, 2),
        "spread": rng.integers(2, 51, n_groups),
        "skewed": 1 + rng.geometric(1 / 8, n_groups),
    }[sizes]
    return np.repeat(np.arange(n_groups), drawn)


def _wrong(codes: np.ndarray, rate: float, correlation: float | str, rng: np.random.Generator) -> np.ndarray:
    if correlation == "few bad":
        rates = np.where(rng.random(codes.max() + 1) < 0.1, 10 * rate, 0.0)
    else:
        scale = 1 / float(correlation) - 1
        rates = rng.beta(rate * scale, (1 - rate) * scale, codes.max() + 1)
    return rng.random(codes.size) < rates[codes]


def _attributes(codes: np.ndarray, level: str, rng: np.random.Generator) -> pl.DataFrame:
    """Six columns of noise, of the group, of the row, or three of each."""
    columns = {}
    for number in range(6):
        of_group = level == "group" or (level == "both" and number % 2 == 0)
        size = codes.max() + 1 if of_group else codes.size
        values = (
            rng.choice(list("abcd"), size, p=[0.5, 0.25, 0.15, 0.1]) if number < 3 else rng.normal(size=size)
        )
        columns[f"x{number}"] = values[codes] if of_group else values
    return pl.DataFrame(columns)


WORLDS = [
    ("ten", 100, 0.2, 0.2, "both"),
    ("two", 300, 0.1, 0.5, "both"),
    ("spread", 40, 0.2, 0.3, "group"),
    ("skewed", 120, 0.1, 0.3, "both"),
    ("ten", 60, 0.05, "few bad", "group"),
    ("spread", 25, 0.3, 0.5, "row"),
]


def _false_alarms(world: tuple, runs: int, **options: object) -> int:
    sizes, n_groups, rate, correlation, level = world
    alarms = 0
    for run in range(runs):
        rng = np.random.default_rng([run, WORLDS.index(world)])
        codes = _codes(sizes, n_groups, rng)
        wrong = _wrong(codes, rate, correlation, rng)
        X, truth = _attributes(codes, level, rng), rng.integers(0, 2, codes.size)
        found = ff.slices.find_errors(
            X, truth, truth ^ wrong, groups=codes, max_terms=2, include_target=False, **options
        )
        alarms += len(found) > 0
    return alarms


def _most(runs: int, rate: float = 0.05) -> int:
    """More alarms than this come once in a thousand tests if the rate is kept."""
    return int(binom.ppf(0.999, runs, rate))


@pytest.mark.statistical
@pytest.mark.parametrize("correction", ["westfall-young", "layered"])
def test_groups_raise_no_more_false_slices(correction: str) -> None:
    """Without `groups`, this world has a false slice in about a third of the tables."""
    runs = 25
    alarms = _false_alarms(WORLDS[0], runs, correction=correction, n_permutations=99)
    assert alarms <= _most(runs)


@pytest.mark.statistical
def test_slices_that_are_good_in_some_groups_and_bad_in_others_are_not_worse_on_average() -> None:
    """Each group confuses other classes; no class is harder in new groups. It was said in a quarter of tables."""
    runs, alarms = 60, 0
    for run in range(runs):
        rng = np.random.default_rng([run, 21])
        codes, kind = rng.choice(30, 600, p=rng.dirichlet(np.ones(30))), rng.integers(3, size=600)
        wrong = rng.random(600) < rng.choice([0.1, 0.5], (30, 3))[codes, kind]
        truth = rng.integers(0, 2, 600)
        X = pl.DataFrame({"kind": np.array(list("abc"))[kind], "noise": rng.choice(list("pqr"), 600)})
        found = ff.slices.find_errors(X, truth, truth ^ wrong, groups=codes, include_target=False)
        alarms += len(found) > 0
    assert alarms <= _most(runs)


@pytest.mark.statistical
def test_few_groups_of_most_rows_make_no_false_slices() -> None:
    """What sums over groups vary rests on these few, not on all. Before, 18 tables had a slice."""
    runs, alarms = 120, 0
    for run in range(runs):
        rng = np.random.default_rng([run, 24])
        shares = rng.pareto(1.5, 60) + 0.2
        codes, kind = rng.choice(60, 900, p=shares / shares.sum()), rng.integers(3, size=900)
        wrong = rng.random(900) < rng.choice([0.09, 0.66], (60, 3))[codes, kind]
        columns = {f"g{place}": rng.choice(list("uvwx"), 60)[codes] for place in range(2)}
        columns |= {f"r{place}": rng.choice(list("pqr"), 900) for place in range(2)}
        own = rng.integers(3, size=60)[codes]
        mixed = np.where(rng.random(900) < 0.6, own, rng.integers(3, size=900))
        columns |= {"kind": np.array(list("abc"))[kind], "mixed": np.array(list("def"))[mixed]}
        X = pl.DataFrame(columns | {"number": rng.normal(size=60)[codes] + rng.normal(size=900)})
        truth = np.zeros(900, dtype=int)
        found = ff.slices.find_errors(X, truth, wrong, groups=codes, include_target=False)
        alarms += len(found) > 0
    assert alarms <= _most(runs)


def _confused(run: int) -> tuple[pl.DataFrame, np.ndarray, np.ndarray]:
    """Draw 30 unequal groups, each of which has errors in kinds of its own, and their chances of an error."""
    rng = np.random.default_rng([run, 22])
    codes, kind = rng.choice(30, 600, p=rng.dirichlet(np.ones(30))), rng.integers(4, size=600)
    chance = rng.choice([0.1, 0.5], (30, 4))[codes, kind]
    noise = {"noise": rng.choice(list("pqr"), 600), "other": rng.choice(list("uvw"), 30)[codes]}
    return pl.DataFrame({"kind": np.array(list("abcd"))[kind]} | noise), codes, chance


@pytest.mark.statistical
@pytest.mark.parametrize("what", ["errors", "ranks"])
def test_turned_signs_allow_for_groups_that_err_each_in_kinds_of_their_own(what: str) -> None:
    """Groups dealt to each other keep what their rows have in common, but not by kind: 20 (by ranks 28) of 60."""
    runs, alarms = 60, 0
    for run in range(runs):
        (X, codes, chance), rng = _confused(run), np.random.default_rng([run, 23])
        options = {"groups": codes, "n_permutations": 199}
        if what == "errors":
            wrong, options = rng.random(600) < chance, options | {"correction": "westfall-young"}
            truth = np.zeros(600, dtype=int)
            alarms += len(ff.slices.find_errors(X, truth, wrong, include_target=False, **options)) > 0
        else:
            alarms += len(ff.slices.find_scores(X, rng.exponential(chance), test="rank", **options)) > 0
    assert alarms <= _most(runs)


@pytest.mark.statistical
def test_ranks_respect_groups_and_still_find_what_is_there() -> None:
    """Scores with outliers, more alike within groups; without `groups`, false slices are frequent."""
    rng, runs, alarms = np.random.default_rng(5), 15, 0
    options = {"test": "rank", "n_permutations": 99, "max_terms": 1}
    for _ in range(runs):
        codes = _codes("ten", 40, rng)
        scores = (rng.normal(size=40)[codes] + rng.normal(size=codes.size)) ** 3
        X = _attributes(codes, "group", rng)
        alarms += len(ff.slices.find_scores(X, scores, groups=codes, **options)) > 0
    assert alarms <= _most(runs)
    planted = X.with_columns(half=pl.Series(np.arange(codes.size) % 2).cast(pl.String))
    found = ff.slices.find_scores(planted, scores + 8 * (np.arange(codes.size) % 2), groups=codes, **options)
    assert [part.conditions for part in found] == ["half = 0"]
    assert "respect 40 groups" in found.note


@pytest.mark.long
@pytest.mark.statistical
@pytest.mark.parametrize("correction", ["westfall-young", "layered"])
@pytest.mark.parametrize("world", WORLDS)
def test_false_slices_of_groups_in_many_worlds(world: tuple, correction: str) -> None:
    runs = 200
    assert _false_alarms(world, runs, correction=correction, n_permutations=199) <= _most(runs)


@pytest.mark.statistical
def test_a_slice_within_groups_is_still_found() -> None:
    rng = np.random.default_rng(0)
    codes = _codes("ten", 120, rng)
    X = _attributes(codes, "both", rng).with_columns(kind=rng.choice(["x", "y", "z"], codes.size))
    worse = X["kind"].to_numpy() == "x"
    wrong = _wrong(codes, 0.15, 0.2, rng) | (worse & (rng.random(codes.size) < 0.25))
    truth = rng.integers(0, 2, codes.size)
    for correction in ("westfall-young", "layered"):
        found = ff.slices.find_errors(X, truth, truth ^ wrong, groups=codes, correction=correction)
        assert "kind = x" in found.worse()[0].conditions
        assert "respect 120 groups" in found.note
    scored = ff.slices.find_scores(X, wrong.astype(float), groups=codes)
    assert any("kind = x" in part.conditions for part in scored)


INTERVALS = [
    ("ten", 20, 0.2, 0.2),
    ("spread", 30, 0.05, 0.2),
    ("skewed", 25, 0.3, 0.1),
    ("ten", 30, 0.05, "few bad"),
    ("two", 100, 0.1, 0.5),
]


def _least(runs: int, rate: float = 0.93) -> int:
    """Fewer hits than this come once in a thousand tests if the rate is kept."""
    return int(binom.ppf(0.001, runs, rate))


def _intervals(world: tuple, runs: int) -> tuple[int, int, int]:
    """Count the intervals of an error, by worth and as a mean, that hold it; and false proofs."""
    sizes, n_groups, rate, correlation = world
    covered = covered_mean = proofs = 0
    for run in range(runs):
        rng = np.random.default_rng([run, n_groups])
        groups = Groups(_codes(sizes, n_groups, rng))
        wrong, other = (_wrong(groups.codes, rate, correlation, rng).astype(float) for _ in range(2))
        cases = worth(wrong, groups)
        low, high = binomial_limits(wrong.mean() * cases, cases)
        covered += low <= rate <= high
        low, high = mean_interval(wrong, 0.0, 1.0, groups=groups)
        covered_mean += low <= rate <= high
        proofs += mean_p_value(wrong - other, -1.0, 1.0, groups=groups) < 0.05
    return covered, covered_mean, proofs


@pytest.mark.statistical
@pytest.mark.parametrize("world", INTERVALS[:2])
def test_intervals_of_groups(world: tuple) -> None:
    """With intervals for independent cases, 77 % and 53 % of them hold the truth."""
    covered, covered_mean, proofs = _intervals(world, 60)
    assert covered >= _least(60)
    assert covered_mean >= _least(60)
    assert proofs <= _most(60)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("world", INTERVALS)
def test_intervals_of_groups_in_many_worlds(world: tuple) -> None:
    covered, covered_mean, proofs = _intervals(world, 400)
    assert covered >= _least(400)
    assert covered_mean >= _least(400)
    assert proofs <= _most(400)


def _alike(codes: np.ndarray, correlation: float, rng: np.random.Generator) -> np.ndarray:
    """Uniform numbers, more alike within groups; each is uniform by itself."""
    of_group = rng.normal(size=codes.max() + 1)[codes]
    return norm.cdf(np.sqrt(correlation) * of_group + np.sqrt(1 - correlation) * rng.normal(size=codes.size))


def _alarms(sizes: str, n_groups: int, centre: float, runs: int) -> tuple[int, int]:
    """Count calibrated forecasts that are called wrong, and answers without knowledge that are called learned."""
    miscalibrated = learned = 0
    for run in range(runs):
        rng = np.random.default_rng([run, n_groups])
        codes = _codes(sizes, n_groups, rng)
        stated = expit(centre + 0.6 * rng.normal(size=n_groups)[codes] + 0.8 * rng.normal(size=codes.size))
        happened = _alike(codes, 0.3, rng) < stated
        test = ff.bets.calibration_test(happened, stated, classes=[False, True], groups=codes, n_resamples=99)
        miscalibrated += test.p_value <= 0.05
        truth, answers = (_alike(codes, 0.4, rng) < share for share in (0.4, 0.5))
        chance = ff.bits.chance_test(truth, answers, groups=codes, n_resamples=99)
        learned += chance.p_value <= 0.05
    return miscalibrated, learned


@pytest.mark.statistical
def test_groups_raise_no_alarms_of_bets_and_bits() -> None:
    """Without `groups`, 45 % and 22 % of such samples raise an alarm."""
    assert max(_alarms("spread", 25, -2.0, 40)) <= _most(40)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(
    ("sizes", "n_groups", "centre"), [("ten", 40, 0.0), ("spread", 25, -2.0), ("two", 150, -3.0)]
)
def test_alarms_of_groups_in_many_worlds(sizes: str, n_groups: int, centre: float) -> None:
    assert max(_alarms(sizes, n_groups, centre, 300)) <= _most(300)


@pytest.mark.statistical
def test_a_large_group_does_not_drown_what_all_others_tell() -> None:
    """Sixty patients of one diagnosis each, 85 % recognised; one has half of the rows: it was never seen."""
    learned = wrong = 0
    for run in range(12):
        rng = np.random.default_rng([run, 31])
        patients = np.repeat(np.arange(60), [295, *[5] * 59])
        truth, dice = rng.integers(2, size=(2, 60))
        answers = np.where(rng.random(60) < 0.85, truth, 1 - truth)
        for said, is_dice in ((answers, False), (dice, True)):
            test = ff.bits.chance_test(truth[patients], said[patients], groups=patients)
            learned += not is_dice and test.p_value < 0.025
            wrong += is_dice and test.p_value < 0.025
    assert learned >= 11
    assert wrong <= _most(12, 0.025)


@pytest.mark.statistical
def test_areas_hold_where_one_group_has_half_of_the_cases() -> None:
    """How much one large group varies is known from the others, not from itself: before, 20 % did not hold it."""
    groups = np.repeat(np.arange(61), [300, *[5] * 60])
    held = 0
    for run in range(150):
        rng = np.random.default_rng([run, 32])
        truth = _alike(groups, 0.4, rng) < 0.5
        stated = expit(truth + norm.ppf(_alike(groups, 0.4, rng)) - 0.5)
        low, high = ff.bets.threshold_curve(truth, stated, groups=groups, points=10).area_interval
        held += low <= norm.cdf(1 / np.sqrt(2)) <= high
    assert held >= _least(150)


def _learnt(sizes: str, n_groups: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes that depend on a column and on the group, and a column by which groups can be told apart."""
    codes = _codes(sizes, n_groups, rng)
    X = rng.normal(size=(codes.size, 3))
    X[:, 1] = rng.normal(size=n_groups)[codes]
    hidden = 1.5 * X[:, 0] + 1.5 * rng.normal(size=n_groups)[codes] + 0.5 * rng.logistic(size=codes.size)
    return X, hidden > 0, codes


def _nested(sizes: str, n_groups: int, runs: int) -> int:
    covered = 0
    for run in range(runs):
        rng = np.random.default_rng([run, n_groups])
        X, y, codes = _learnt(sizes, n_groups, rng)
        X_new, y_new, _ = _learnt("ten", 1000, rng)
        truth = float(np.mean(GaussianNB().fit(X, y).predict(X_new) != y_new))
        options = {"n_splits": 5, "interval": "nested-cv", "nested_repeats": 3, "random_state": run}
        limits = ff.truth.estimate_error(GaussianNB(), X, y, groups=codes, **options).interval
        covered += limits.low <= truth <= limits.high
    return covered


@pytest.mark.statistical
def test_nested_intervals_speak_of_new_groups() -> None:
    assert _nested("spread", 20, 30) >= _least(30)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(("sizes", "n_groups"), [("ten", 24), ("spread", 20), ("skewed", 40)])
def test_nested_intervals_speak_of_new_groups_in_many_worlds(sizes: str, n_groups: int) -> None:
    assert _nested(sizes, n_groups, 250) >= _least(250)


@pytest.mark.parametrize("method", ["cv", "loo", "bootstrap", "632", "holdout"])
def test_no_method_learns_from_the_group_that_it_asks(method: str) -> None:
    """Each group has a class of its own kind of row: who has seen a row of it knows all."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(40), 6)
    place, y = rng.normal(size=(40, 4)), rng.integers(0, 2, 40)[codes]
    X = place[codes] + 0.01 * rng.normal(size=(codes.size, 4))
    memory = KNeighborsClassifier(1)
    told = ff.truth.estimate_error(memory, X, y, method=method).value
    whole = ff.truth.estimate_error(memory, X, y, method=method, groups=codes).value
    assert told < 0.02
    assert whole > (0.2 if method == "632" else 0.3)


def test_a_splitter_that_tears_groups_is_refused() -> None:
    rng = np.random.default_rng(0)
    codes, X, y = np.repeat(np.arange(20), 5), rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    with pytest.raises(InputError, match="leaves groups whole"):
        ff.truth.estimate_error(GaussianNB(), X, y, groups=codes, cv=StratifiedKFold(5))
    whole = ff.truth.estimate_error(GaussianNB(), X, y, groups=codes, cv=GroupKFold(5))
    assert whole.n_fits == 5
    with pytest.raises(InputError, match="no more folds than groups"):
        ff.truth.estimate_error(GaussianNB(), X, y, groups=codes, n_splits=25)
    compared = ff.truth.compare(
        GaussianNB(), KNeighborsClassifier(3), X, y, groups=codes, n_repeats=1, test_size=0.4
    )
    assert compared.mcnemar is not None
    with pytest.raises(InputError, match="groups_test beside groups"):
        ff.truth.compare(GaussianNB(), KNeighborsClassifier(3), X, y, groups=codes, X_test=X, y_test=y)


def test_rules_are_compared_by_the_groups_of_the_test_cases() -> None:
    rng = np.random.default_rng(2)
    X, y, codes = _learnt("ten", 60, rng)
    X_test, y_test, others = _learnt("ten", 60, rng)
    models = GaussianNB(), KNeighborsClassifier(3)
    test = {"X_test": X_test, "y_test": y_test, "n_repeats": 1}
    found = ff.truth.compare(*models, X, y, groups=codes, groups_test=others, **test)
    answers = [model.fit(X, y).predict(X_test) for model in models]
    assert found.mcnemar == ff.truth.mcnemar(y_test, *answers, groups=others)
    assert found.mcnemar.p_value != ff.truth.mcnemar(y_test, *answers).p_value
    tables = [
        pl.DataFrame({"who": who, **{f"x{i}": cases[:, i] for i in range(cases.shape[1])}})
        for cases, who in ((X, codes), (X_test, others))
    ]
    named = ff.truth.compare(*models, tables[0], y, groups="who", **(test | {"X_test": tables[1]}))
    assert named.mcnemar == found.mcnemar
    with pytest.raises(InputError, match="groups_test with X_test"):
        ff.truth.compare(*models, X, y, groups_test=others)


class NearestMean(ClassifierMixin, BaseEstimator):
    """The class whose mean is nearer, by one column."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: np.ndarray, y: np.ndarray) -> NearestMean:
        self.classes_ = np.unique(y)
        self.means_ = [X[y == c, self.column].mean() for c in self.classes_]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[np.abs(X[:, [self.column]] - self.means_).argmin(axis=1)]


@pytest.mark.parametrize(
    ("n_groups", "n_splits", "sizes", "runs"),
    [
        (3, 3, "equal", 150),
        pytest.param(4, 4, "equal", 600, marks=pytest.mark.long),
        pytest.param(6, 3, "equal", 600, marks=pytest.mark.long),
        pytest.param(12, 5, "pareto", 600, marks=pytest.mark.long),
    ],
)
def test_few_groups_remain_few_however_often_they_are_dealt(n_groups, n_splits, sizes, runs) -> None:
    rng, rejected, by_folds = np.random.default_rng(7), 0, 0
    for _ in range(runs):
        drawn = 15 * rng.pareto(1.5, n_groups) if sizes == "pareto" else np.full(n_groups, 20)
        codes = np.repeat(np.arange(n_groups), np.clip(drawn, 2, 200).astype(int))
        y = rng.integers(0, 2, codes.size)
        # each column tells as much, and both are shifted in each group
        X = rng.normal(size=(codes.size, 2)) + 0.9 * y[:, None] + 0.7 * rng.normal(size=(n_groups, 2))[codes]
        found = ff.truth.compare(NearestMean(0), NearestMean(1), X, y, groups=codes, n_splits=n_splits)
        rejected += found.corrected.p_value < 0.05
        folds = ff.truth.corrected_t(found.differences, test_share=1 / n_splits, luck=found.luck)
        by_folds += folds.p_value < 0.05
        assert found.corrected.df == found.bayes.df < n_groups
    assert binomtest(rejected, runs, 0.05, "greater").pvalue > 0.001
    # as many degrees of freedom as folds: 8 to 12 %
    assert by_folds > 1.5 * rejected


def _gaps(n_groups: int, rng: np.random.Generator) -> tuple[np.ndarray, Groups]:
    codes = _codes("ten", n_groups, rng)
    return _wrong(codes, 0.3, 0.3, rng).astype(float) - _wrong(codes, 0.2, 0.3, rng), Groups(codes)


def test_as_many_groups_as_are_named_have_the_power_that_is_promised() -> None:
    rng, runs = np.random.default_rng(11), 60
    needed = groups_needed_to_compare(*_gaps(20_000, rng))
    assert needed.unit == "groups"
    proofs = sum(
        mean_p_value(gaps, -1.0, 1.0, groups=groups) <= 0.05
        for gaps, groups in (_gaps(needed.n_rows, rng) for _ in range(runs))
    )
    # outside of these once in 500 times if the power is 80 %
    assert binom.ppf(0.001, runs, 0.8) <= proofs <= binom.ppf(0.999, runs, 0.8)
    ranges = [groups_needed_to_compare(*_gaps(50, rng)).interval for _ in range(runs)]
    held = sum(low <= needed.n_rows <= high for low, high in ranges)
    assert held >= binom.ppf(0.001, runs, 0.95)


def test_an_evaluation_says_how_many_groups_would_settle_it() -> None:
    gaps, groups = _gaps(30, np.random.default_rng(12))
    table = pl.DataFrame({"y": np.arange(gaps.size) % 2, "id": groups.codes}).with_columns(
        a=(pl.col("y") + pl.Series(gaps > 0)) % 2, b=(pl.col("y") + pl.Series(gaps < 0)) % 2
    )
    found = ff.evaluate_predictions(table, target="y", predictions=["a", "b"], groups="id")
    needed = groups_needed_to_compare(gaps, groups, found.comparisons[0].level)
    (about,) = re.findall(r"About ([\d,]+) groups would settle it", found.scorecard.headline.sentence)
    assert int(about.replace(",", "")) == pytest.approx(needed.n_rows, rel=0.05)
    told = next(finding for finding in found.findings if "groups_needed" in finding.evidence)
    assert told.evidence["groups_needed_at_least"] == needed.interval[0]


def test_an_evaluation_says_that_it_respects_groups() -> None:
    rng = np.random.default_rng(1)
    X, y, codes = _learnt("ten", 60, rng)
    table = pl.DataFrame({"who": codes + 500, **{f"x{i}": X[:, i] for i in range(3)}})
    models = {"nb": GaussianNB(), "near": KNeighborsClassifier(3)}
    grouped = ff.evaluate(models, table, y, groups="who", views=["bits", "bets", "slices"])
    assert "in whole groups. Tests and intervals respect 20 groups of who." in grouped.protocol
    assert all("who" not in part.conditions for model in grouped.models for part in model.slices.found)
    with pytest.raises(InputError, match="groups_test"):
        ff.evaluate(models, X, y, groups=codes, X_test=X, y_test=y)


def test_a_table_with_a_column_of_ids_is_warned_of() -> None:
    rng = np.random.default_rng(1)
    codes = _codes("ten", 100, rng)
    y = rng.integers(0, 2, codes.size)
    table = _attributes(codes, "row", rng).with_columns(
        who=pl.Series(codes + 500), y=pl.Series(y), m=pl.Series(y ^ _wrong(codes, 0.2, 0.3, rng))
    )
    plain = ff.evaluate_predictions(table, target="y", predictions=["m"])
    grouped = ff.evaluate_predictions(table, target="y", predictions=["m"], groups="who")
    assert any("groups='who'" in finding.sentence for finding in plain.findings)
    assert not any("similar outcomes" in finding.sentence for finding in grouped.findings)
    widths = [np.ptp(evaluation.models[0].bits.accuracy_interval) for evaluation in (plain, grouped)]
    assert 1.3 * widths[0] < widths[1]


def test_a_single_group_is_no_test() -> None:
    X, y, codes = _learnt("ten", 3, np.random.default_rng(0))
    with pytest.raises(InputError, match="two groups among the cases to be asked"):
        ff.evaluate({"nb": GaussianNB()}, X, y, groups=codes, views=["bits"])
    held_out = ff.truth.estimate_error(GaussianNB(), X, y, groups=codes, method="holdout")
    assert np.ptp((held_out.interval.low, held_out.interval.high)) > 0.9


@pytest.mark.statistical
def test_what_is_proven_by_turned_signs_is_not_told_beside_an_interval_that_holds_nothing():
    rng, proven = np.random.default_rng(5), 0
    for _ in range(40):
        codes = rng.integers(0, 60, 400)
        rates = np.clip(0.15 + 0.1 * rng.normal(size=60), 0.01, 0.99)[codes]
        X = _attributes(codes, "row", rng)
        wrong = rng.random(400) < rates + 0.15 * (X["x0"] == "a").to_numpy()
        options = {"include_target": False, "groups": codes, "summary": "none", "n_permutations": 199}
        found = ff.slices.find_errors(X, np.zeros(400, int), wrong, correction="westfall-young", **options)
        proven += len(found)
        # 5 of 23 had one that did
        assert not any(part.interval[0] <= 0 <= part.interval[1] for part in found)
    assert proven > 20


@pytest.mark.statistical
@pytest.mark.parametrize("share", [0.3, 0.6])
def test_intervals_of_slices_hold_the_truth_and_agree_with_the_tests(share):
    """A slice takes some rows of each group: what these have in common does not part it from the others."""
    rng = np.random.default_rng(11)
    covered, proven, at_odds = [], 0, 0
    for _ in range(40):
        codes = _codes("ten", 60, rng)
        inside = rng.random(codes.size) < share
        more = np.where(inside, 0.2, 0.0)
        wrong = _wrong(codes, 0.15, 0.3, rng) | (rng.random(codes.size) < more)
        X = pl.DataFrame(
            {"slice": np.where(inside, "in", "out"), "noise": rng.choice(list("abc"), codes.size)}
        )
        truth = np.zeros(codes.size, dtype=int)
        options = {"include_target": False, "groups": codes, "summary": "none"}
        found = ff.slices.find_errors(X, truth, wrong.astype(int), **options)
        parts = {part.conditions: part for part in found}
        proven += len(parts)
        at_odds += sum(part.interval[0] <= 0 <= part.interval[1] for part in parts.values())
        if "slice = in" in parts:
            low, high = parts["slice = in"].interval
            # 85 % are right without the slice's own errors, of which those that count are a fifth
            covered.append(low <= -0.85 * 0.2 * (1 - inside.mean()) <= high)
    assert len(covered) >= 20
    assert proven > at_odds == 0
    assert binom.cdf(sum(covered), len(covered), 0.95) > 0.001


def test_p_values_of_groups_do_not_depend_on_the_order_of_the_rows() -> None:
    """Those of chance had been .15 to .24 of the same cases."""
    rng = np.random.default_rng(1)
    codes, truth = rng.integers(0, 30, 300), rng.integers(0, 3, 300)
    answers = np.where(rng.random(300) < 0.1, truth, rng.integers(0, 3, 300))
    stated = rng.dirichlet(np.full(3, 60), 300)
    p_values = set()
    for order in (np.arange(300), rng.permutation(300), np.argsort(codes)):
        groups = codes[order]
        learned = ff.bits.chance_test(truth[order], answers[order], groups=groups, random_state=0)
        judged = ff.bets.calibration_test(truth[order], stated[order], groups=groups, random_state=0)
        p_values.add((learned, judged.p_value))
    assert len(p_values) == 1
