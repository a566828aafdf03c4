"""The truth view: the numbers of the estimators, what is left out and why, repeated cases, rows needed."""

from __future__ import annotations

from itertools import count

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.stats import binom, binomtest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.data import Table
from fivefold.evaluation import Importance, evaluate_models
from fivefold.evaluation.bits_view import share_interval
from fivefold.evaluation.truth_view import Budget
from fivefold.training.repeats import find_seen, row_keys


def noisy(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + rng.normal(scale=0.6, size=n) > 0, "a", "b")


def test_the_error_is_that_of_the_answers_with_an_exact_interval():
    table = pl.DataFrame({"y": ["a"] * 40 + ["b"] * 40, "m": ["a"] * 70 + ["b"] * 8 + ["a|b", ""]})
    truth = ff.evaluate_predictions(table, target="y", predictions=["m"]).models[0].truth
    assert (truth.n_wrong, truth.n_cases) == (32, 80)
    limits = binomtest(32, 80).proportion_ci(0.95, method="exact")
    assert truth.interval == pytest.approx((limits.low, limits.high))


@pytest.mark.parametrize("n", [20, 100, 500])
def test_the_interval_of_an_error_holds_it_also_where_hardly_any_is_met(n):
    """Wilson's held an error of 0.17 / n in 84 % of samples."""
    limits = np.array([share_interval(wrong, n) for wrong in range(n + 1)])
    for error in np.append(np.linspace(0.02, 3, 150) / n, np.linspace(0.01, 0.5, 50)):
        held = (limits[:, 0] <= error) & (error <= limits[:, 1])
        assert binom.pmf(np.flatnonzero(held), n, error).sum() >= 0.95


def test_cases_without_an_answer_are_not_called_wrong():
    table = pl.DataFrame({"y": ["a", "b"] * 40, "m": ["a", "b"] * 30 + [None] * 19 + ["a"], "k": ["a"] * 80})
    found = ff.evaluate_predictions(table, target="y", predictions=["m", "k"])
    said = " ".join(finding.sentence for finding in found.findings if finding.view == "truth")
    assert "m: not right on 20 of 80 cases (in 19 it names no class), 25.0% " in said
    assert "k: wrong on 40 of 80 cases, 50.0% " in said
    assert "m alone is not right on 10 of 80 cases" in said
    evidence = found.models[0].truth.finding().evidence
    assert (evidence["wrong"], evidence["no_class_named"]) == (1, 19)


def test_the_estimate_is_the_one_that_anyone_can_ask_for():
    X, y = noisy()
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    model = ff.evaluate(tree, X, y, random_state=4).models[0]
    learned = np.setdiff1d(np.arange(len(y)), model.predictions.rows)
    options = {"n_splits": 5, "interval": "nested-cv", "nested_repeats": 10, "random_state": 4}
    direct = ff.truth.estimate_error(tree, X[learned], y[learned], **options)
    assert model.truth.learner_error == direct.best_guess
    assert model.truth.learner_interval == (direct.interval.low, direct.interval.high)
    assert model.truth.note == ""


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by 10 ms whenever it is read, on every machine alike."""
    ticks = count()
    for module in ("models", "truth_view"):
        monkeypatch.setattr(f"fivefold.evaluation.{module}.perf_counter", lambda: 0.01 * next(ticks))


@pytest.mark.usefixtures("clock")
def test_what_would_take_too_long_is_left_out_and_nothing_else_changes():
    X, y = noisy(120)
    stump = DecisionTreeClassifier(max_depth=1)
    whole = ff.evaluate(stump, X, y, views=["truth"]).models[0].truth
    assert whole.note == ""
    curve = ff.evaluate(stump, X, y, budget=0.2).models[0].truth
    assert curve.by_size.errors == whole.by_size.errors
    assert curve.estimate.value == whole.estimate.value
    assert curve.learner_interval is None
    assert curve.note == "the 245 fits of nested cross-validation would take about 0.49 s, with 0.2 s left"
    plain = ff.evaluate(stump, X, y, budget=0.08).models[0].truth
    assert plain.estimate.value == whole.estimate.value
    assert plain.by_size is None
    assert not any("No time" in note for note in ff.evaluate(stump, X, y, budget=float("inf")).notes)
    hurried = ff.evaluate(stump, X, y, budget=0)
    assert any(note.startswith("No time for all fits of DecisionTreeClassifier: ") for note in hurried.notes)
    nothing = hurried.models[0].truth
    assert nothing.learner_error is None
    assert nothing.note == "the 5 fits of cross-validation would take about 0.05 s, with 0 s left"


def test_a_cheap_model_leaves_its_time_to_the_others():
    budget = Budget(30.0, 3)
    assert budget.share() == 10
    budget.spend(1)
    assert budget.share() == 14.5
    budget.spend(40)
    assert budget.share() == 1, "fits that take no time are made, however busy the machine was"
    assert Budget(0.0, 3).share() == 0


@pytest.mark.parametrize("budget", [-1, float("nan"), "long", True])
def test_a_budget_is_a_number_of_seconds(budget):
    with pytest.raises((ff.errors.InputError, ff.errors.InputTypeError), match="budget to be"):
        ff.evaluate(DecisionTreeClassifier(), *noisy(60), budget=budget)


def test_a_learner_that_fails_in_some_fold_is_judged_all_the_same():
    class Demanding(DecisionTreeClassifier):
        def fit(self, X, y):
            if len(y) < 100:
                raise RuntimeError("fewer than 100 cases")
            return super().fit(X, y)

    X, y = noisy()
    models = {"demanding": Demanding(random_state=0), "tree": DecisionTreeClassifier(random_state=0)}
    views = ff.evaluate(models, X, y, random_state=0).models
    assert views[0].truth.estimate is None
    assert "RuntimeError from Demanding on a set of 80 rows" in views[0].truth.note
    assert views[1].truth.estimate is not None


def test_too_few_cases_leave_a_reason():
    X, y = noisy(6)
    truth = ff.evaluate(DecisionTreeClassifier(), X, y, views=["truth"]).models[0].truth
    assert truth.learner_error is None
    assert "cross-validation needs" in truth.note


def test_few_groups_leave_out_the_interval_and_not_the_error():
    X, y = noisy(80)
    truth = (
        ff.evaluate(DecisionTreeClassifier(), X, y, groups=np.arange(80) % 8, views=["truth"]).models[0].truth
    )
    assert truth.learner_error is not None
    assert truth.learner_interval is None
    needs = "at least 3 folds, and twice as many groups as folds, but got 5 folds of 5 groups"
    assert f"no interval: nested cross-validation needs {needs}." in truth.finding().sentence


values = st.one_of(st.none(), st.sampled_from(["x", "y", "", "1"]))
numbers = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.0, 2.5, 1e300]))
rows = st.lists(st.tuples(values, numbers), min_size=1, max_size=12)


@given(rows, rows)
def test_keys_are_equal_where_rows_are(one, two):
    frames = [
        pl.DataFrame(part, schema={"a": pl.String, "b": pl.Float64}, orient="row") for part in (one, two)
    ]
    keys = row_keys(*frames)
    for i, first in enumerate(one):
        for j, second in enumerate(two):
            assert (keys[0][i] == keys[1][j]) == (first == second)


DISGUISES = {
    "single precision": lambda X: X.astype(np.float32),
    "three decimals": lambda X: X.round(3),
    "written with %.6g": lambda X: np.array([[float(f"{number:.6g}") for number in row] for row in X]),
    "one column rounded": lambda X: np.column_stack([X[:, :2], X[:, 2].round(1)]),
    "scaled to and fro": lambda X: (X - 7.3) / 3.7 * 3.7 + 7.3,
    "objects": lambda X: pd.DataFrame(X, dtype=object),
    "categories": lambda X: pd.DataFrame(X).astype("category"),
    "sparse": csr_matrix,
    "sparse in single precision": lambda X: csr_matrix(X.astype(np.float32)),
    "sparse columns": lambda X: pd.DataFrame(X).astype(pd.SparseDtype(float)),
    "columns in another order": lambda X: pl.DataFrame(X, schema=["a", "b", "c"]).select("c", "a", "b"),
    "texts": lambda X: [" ".join(map(str, row)) for row in X.tolist()],
    "dates": lambda X: pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(
        pl.from_epoch((1e9 + 1e6 * pl.col("a")).cast(pl.Int64))
    ),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_cases_are_known_again_in_disguise_and_new_ones_are_not(disguise):
    X = np.random.default_rng(0).normal(size=(300, 3))
    learned, asked, new = X[:200], X[100:200], X[200:]
    if disguise in ("texts", "dates"):
        learned = DISGUISES[disguise](learned)
    elif disguise.startswith("columns"):
        learned = pl.DataFrame(learned, schema=["a", "b", "c"])
    seen, p_value = find_seen(DISGUISES[disguise](asked), learned)
    assert seen.all()
    assert p_value < 1e-6
    assert not find_seen(DISGUISES[disguise](new), learned)[0].any()
    assert find_seen(learned[100:], DISGUISES[disguise](X[:200]))[0].all()


def test_rows_of_dates_are_known_again_below_numbered_columns():
    learned = pd.DataFrame({1: np.arange(50.0), 0: pd.date_range("2026-01-01", periods=50)})
    assert find_seen(learned[[0, 1]].iloc[30:], learned)[0].all()


def test_truth_values_are_known_again_as_numbers():
    learned = np.random.default_rng(0).random((200, 20)) < 0.5
    for asked in (learned[150:].astype(int), pl.DataFrame(learned[150:].astype(float))):
        assert find_seen(asked, learned)[0].all()


def test_whole_numbers_that_differ_in_their_last_digit_are_not_the_same():
    ids = np.arange(2**50, 2**50 + 100.0)[:, np.newaxis]
    assert not find_seen(ids[::2], ids[1::2])[0].any()


def test_repeated_cases_are_counted_and_the_errors_without_them_said():
    X, y = noisy()
    copied = np.concatenate([X, X])
    labels = np.concatenate([y, y])
    models = {"memory": DecisionTreeClassifier()}
    found = ff.evaluate(models, copied, labels, views=["truth"], random_state=0)
    (told,) = [each for each in found.findings if "equal a training case" in each.sentence]
    rows = found.models[0].predictions.rows
    seen = np.isin(rows % 150, np.setdiff1d(np.arange(300), rows) % 150)
    assert told.evidence["repeated"] == seen.sum()
    wrong = ~found.models[0].right[~seen]
    assert told.evidence["errors_on_new_cases"]["memory"] == pytest.approx(wrong.mean())
    said = (
        f"{seen.mean():.0%} of the test cases equal a training case; memory errs on {wrong.mean():.1%} of the"
    )
    assert any(warning.sentence.startswith(said) for warning in found.scorecard.warnings)
    alike = ff.evaluate(DecisionTreeClassifier(max_depth=1), copied, labels, views=["truth"], random_state=0)
    assert not any("equal a training case" in warning.sentence for warning in alike.scorecard.warnings)


def test_no_repeated_case_no_finding():
    X, y = noisy()
    found = ff.evaluate(DecisionTreeClassifier(max_depth=1), X, y, views=["truth"], random_state=0)
    assert "equal a training case" not in found.verdict()


def said(name, truth, wrong):
    answers = np.where(np.isin(np.arange(len(truth)), wrong), "z", truth)
    return ff.Predictions.from_answers(truth, answers, classes=["a", "b", "z"], name=name)


@pytest.mark.parametrize("n_models", [2, 4])
def test_rows_that_would_settle_it_are_those_of_mcnemar_at_the_level_of_the_verdict(n_models):
    truth = np.array(["a", "b"] * 70 + ["a"])
    one, two = said("one", truth, range(6)), said("two", truth, range(6, 20))
    worse = [said(f"worse {number}", truth, range(60)) for number in range(n_models - 2)]
    found = evaluate_models([one, two, *worse])
    (told,) = [each for each in found.findings if "Telling them apart would take" in each.sentence]
    level = told.evidence["level"]
    # two views, whose tests go together: more than the tests of one and at most those of both
    assert 1 < 0.05 / level / (n_models * (n_models - 1) // 2) < 2.1
    direct = ff.truth.rows_needed_to_compare(6, 14, 141, alpha=level)
    assert told.evidence["rows_needed"] == direct.n_rows
    assert told.evidence["rows_needed_at_least"] == direct.interval[0]
    assert told.sentence.endswith("as here. If they are equal, no number would do.")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (16, "by 0.04 points (95% interval +0.02 to +0.07)"),
        (3, "if they truly differ by 0.007 points, as here"),
    ],
)
def test_small_differences_are_not_written_as_0(more, told):
    truth = np.array(["a", "b"] * 20_000)
    found = evaluate_models([said("one", truth, range(100)), said("two", truth, range(100 + more))])
    assert told in " ".join(finding.sentence for finding in found.findings)


def test_a_proven_difference_needs_no_more_rows():
    truth = np.array(["a", "b"] * 70)
    found = evaluate_models([said("one", truth, []), said("two", truth, range(30))])
    assert "There are enough cases to call one more accurate than two" in found.verdict()
    same = evaluate_models([said("one", truth, [1]), said("two", truth, [2])])
    assert "cases. If they are equal, no number would do." in same.verdict()
    # that as few as 37 would do is no news to one who has 140
    near = evaluate_models([said("one", truth, range(30)), said("two", truth, range(15, 55))])
    assert "Telling them apart would take about " in near.verdict()
    assert "at least" not in near.verdict()


def test_sets_that_hold_the_truth_are_not_counted_as_wrong():
    truth = np.array(["a", "b"] * 50)
    sets = [{label, "c"} for label in truth]
    both = [ff.Predictions.from_answers(truth, sets, classes=["a", "b", "c"], name=name) for name in "mn"]
    found = evaluate_models(both)
    assert "alone is wrong" not in found.verdict()
    evidence = found.models[0].truth.finding().evidence
    assert (evidence["truth_missed"], evidence["right_alone"], evidence["n_cases"]) == (0, 0, 100)
    assert "wrong" not in evidence
    assert found.scorecard.headline.sentence == "m and n cannot be told apart by bits on 100 cases."


def test_intervals_that_exclude_each_other_are_an_alarm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    y = np.where(X[:, 0] > 0, "a", "b")
    model = DecisionTreeClassifier(max_depth=1)
    found = ff.evaluate(model, X, y, X_test=X + 5, y_test=y, views=["truth"], random_state=0)
    truth = found.models[0].truth
    assert truth.at_odds
    assert "contradict each other" in truth.finding().sentence


def test_learners_of_the_command_line_are_cross_validated_too():
    from fivefold.evaluation.models import hold_out

    table = ff.data.load("VO")
    assert isinstance(table, Table)
    found = hold_out({"1r": ff.learners.OneR()}, table, random_state=0)
    judged = evaluate_models([each.predictions for each in found], trained=found).models[0]
    assert judged.truth.n_trained == len(found[0].y)
    assert judged.truth.estimate.interval is not None


def test_sets_that_hold_the_truth_are_not_called_wrong():
    truth = np.array(["a", "b", "c", "d"] * 30)
    sets = [{label, "a"} for label in truth[:-2]] + [{"b"}, {"b", "c"}]
    view = evaluate_models([ff.Predictions.from_answers(truth, sets, name="sets")]).models[0].truth
    assert view.wrong == (2, 120)
    assert view.n_wrong == 120 - 30
    assert view.finding().sentence.startswith(
        "sets: its sets hold the truth in 98.3% of 120 cases (95% interval 94.1%"
    )


def test_slices_of_sets_say_that_right_means_the_truth_and_no_other_class():
    rng = np.random.default_rng(0)
    truth, hard = rng.choice(list("abc"), 600), rng.random(600) < 0.3
    answers = {"sets": np.where(hard, "a|b|c", truth), "silent": np.where(hard, "", truth)}
    table = pl.DataFrame({"y": truth, "kind": np.where(hard, "hard", "easy"), **answers})
    found = ff.evaluate_predictions(table, target="y", predictions=["sets", "silent"])
    said = {model.name: model.slices.worst.sentence for model in found.models}
    warned = [str(each) for each in found.scorecard.warnings if "where kind = hard" in str(each)]
    assert warned == ["sets names the truth alone 71 points less often where kind = hard."]
    for sentence in said.values():
        assert f"There it names the truth and no other class on 0 of {hard.sum()} cases" in sentence


def first(found):
    return found.findings[0]


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.parametrize("n_test", [4, 150])
def test_test_cases_that_are_all_training_cases_are_the_first_finding(fitted, kind, n_test):
    X, y = noisy()
    model = DecisionTreeClassifier(random_state=0)
    model = model.fit(X, y) if fitted else model
    found = ff.evaluate(model, kind(X), y, X_test=kind(X[:n_test]), y_test=y[:n_test], views=["bits"])
    assert first(found).importance is Importance.NO_TEST
    assert f"not a test: all {n_test} test cases" in first(found).sentence
    assert '"no_test"' in found.to_json()


def test_repeats_are_natural_where_few_cases_differ():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 40)
    found = ff.evaluate(DecisionTreeClassifier(), X, X[:, 0], views=["truth"], random_state=0)
    assert first(found).importance > Importance.ALARM
    assert "as happens by chance" in found.verdict()


def test_copied_rows_among_the_test_cases_are_an_alarm():
    X, y = noisy()
    model = DecisionTreeClassifier(max_depth=2)
    found = ff.evaluate(model, X[:100], y[:100], X_test=X[80:], y_test=y[80:], views=["truth"])
    (leak,) = [each for each in found.findings if "more than chance explains" in each.sentence]
    assert leak.importance is Importance.ALARM
    assert leak.evidence["repeated"] == 20


@pytest.mark.parametrize("copied", [0, 1, 30])
def test_few_copies_in_a_large_test_are_counted_where_chance_does_not_explain_them(copied):
    X, y = np.random.default_rng(0).normal(size=(8000, 2)), np.arange(8000) % 2
    rows = np.append(np.arange(copied), np.arange(4000, 8000 - copied))
    test = {"X_test": X[rows], "y_test": y[rows], "views": ["truth"], "budget": 0}
    found = ff.evaluate(DecisionTreeClassifier(max_depth=2), X[:4000], y[:4000], **test)
    told = [each for each in found.findings if "equal a training case" in each.sentence]
    assert len(told) == (copied == 30)  # one may be a case that stands twice
    for leak in told:
        said = "30 of 4,000 test cases (0.8%) equal a training case in every attribute, more than chance explains"
        assert leak.sentence.startswith(said)
        assert leak.importance is Importance.VERDICT
        assert "known cases" in leak.claims


def test_test_cases_that_are_training_cases_are_not_said_to_be_unlike_them():
    X, y = noisy()
    found = ff.evaluate(DecisionTreeClassifier(random_state=0), X, y, X_test=X, y_test=y, views=["truth"])
    assert found.scorecard.headline.sentence.startswith("This is not a test: all")
    assert found.models[0].truth.at_odds
    assert not any("not like the training cases" in str(said) for said in found.scorecard.warnings)


def test_a_fitted_model_that_knows_the_cases_by_heart_is_named():
    X, y = noisy()
    tree = DecisionTreeClassifier(random_state=0)
    known = ff.evaluate(tree.fit(X, y), X, y, views=["truth"])
    assert first(known).importance is Importance.NO_TEST
    assert "it was trained on these, or on far more" in first(known).sentence
    fresh = ff.evaluate(tree.fit(X[:75], y[:75]), X[75:], y[75:], views=["truth"])
    assert "or on far more" not in fresh.verdict()
    frozen = ff.evaluate(FrozenEstimator(tree.fit(X, y)), X, y, views=["truth"])
    assert "or on far more" not in frozen.verdict()


def test_a_part_that_stays_fitted_in_clones_is_an_alarm_and_has_no_error_if_trained_anew():
    X, y = noisy()
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    calibrated = CalibratedClassifierCV(FrozenEstimator(tree), cv=2)
    known = ff.evaluate(calibrated, X, y, views=["truth"])
    assert first(known).importance is Importance.ALARM
    assert "came already fitted in part" in first(known).sentence
    assert "already fitted in part" in str(known.scorecard.warnings)
    assert known.models[0].truth.estimate is None
    assert "came already fitted" in str(ff.truth.estimate_error(calibrated, X, y, n_splits=3).warnings)
    anew = CalibratedClassifierCV(DecisionTreeClassifier(random_state=0), cv=2)
    assert "already fitted" not in ff.evaluate(anew, X, y, views=["bits"]).verdict()


def test_a_fitted_model_is_judged_by_clones_of_the_cases_given_beside_a_small_test():
    def chessboard(n, seed):
        X = np.random.default_rng(seed).random((n, 5))
        return X, ((3 * X[:, 0]).astype(int) + (3 * X[:, 1]).astype(int)) % 2

    (X, y), (X_test, y_test) = chessboard(600, 0), chessboard(50, 1)
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    fair = ff.evaluate(tree, X, y, X_test=X_test, y_test=y_test, views=["truth"])
    assert fair.models[0].truth.error <= 0.01
    assert "known cases" not in [claim for finding in fair.findings for claim in finding.claims]
    (X, y), (X_test, y_test) = noisy(150, 0), noisy(75, 1)
    tree.fit(np.vstack([X, X_test]), np.append(y, y_test))
    unfair = ff.evaluate(tree, X, y, X_test=X_test, y_test=y_test, views=["truth"])
    assert "it was trained on these, or on far more" in first(unfair).sentence


def test_groups_of_the_test_that_were_trained_on_are_said_at_first_sight():
    X, y = noisy()
    # two cases of each; of 35 to 39 two more in the test
    who = np.append(np.arange(100) // 2 % 40, np.arange(35, 60).repeat(2))
    table, model = pl.DataFrame(X).with_columns(who=pl.Series(who)), DecisionTreeClassifier(max_depth=2)
    options = {"X_test": table[100:], "y_test": y[100:], "views": ["truth"], "groups": "who"}
    found = ff.evaluate(model, table[:100], y[:100], **options)
    said = "5 of the 25 groups of who in the test have names of groups in the training"
    assert any(said in str(warning) for warning in found.scorecard.warnings)
    options["X_test"] = table[100:].with_columns(pl.col("who") + 100)
    assert "names of groups" not in ff.evaluate(model, table[:100], y[:100], **options).verdict()
    assert "names of groups" not in ff.evaluate(model, table, y, groups="who", views=["truth"]).verdict()
