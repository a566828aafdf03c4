"""Two learners, two rules: each test against its definition and an independent peer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import integrate, stats
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.truth import compare, compare_counts, corrected_t, correlated_bayes, mcnemar
from fivefold.truth.comparison import luck_of_halves

RNG = np.random.default_rng(11)
X = RNG.normal(size=(80, 3))
Y = np.array(["no", "yes"])[(X[:, 0] + RNG.normal(size=80) > 0).astype(int)]
NUMBERS = st.lists(st.floats(-1, 1).map(lambda v: round(v, 3)), min_size=3, max_size=30)


@given(NUMBERS, st.sampled_from([2, 5, 10]))
def test_the_corrected_t_by_its_formula(differences, k):
    found = corrected_t(differences, test_share=1 / k)
    d, j = np.array(differences), len(differences)
    if np.ptp(d) < 1e-9:
        return
    t = d.mean() / np.sqrt((1 / j + 1 / (k - 1)) * d.var(ddof=1))
    assert found.t == pytest.approx(t)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), j - 1))
    inside = found.low <= 0 <= found.high
    assert inside == (found.p_value >= 0.05) or found.p_value == pytest.approx(0.05)


@given(NUMBERS, st.sampled_from([2, 5, 10]), st.floats(0, 50))
def test_luck_makes_no_difference_surer(differences, k, luck):
    d = np.array(differences)
    if np.ptp(d) < 1e-9:
        return
    plain, found = (corrected_t(d, test_share=1 / k, luck=more) for more in (0.0, luck))
    assert found.p_value >= plain.p_value
    if (1 + luck) / k > 1 / d.size + 1 / (k - 1):
        assert found.standard_error == pytest.approx(np.sqrt((1 + luck) / k * d.var(ddof=1)))
        assert 1 <= found.df <= plain.df
    else:
        assert found == plain
    bayes = correlated_bayes(d, test_share=1 / k, luck=luck)
    assert (bayes.scale, bayes.df) == (found.standard_error, found.df)


@pytest.mark.parametrize(("apart", "taught"), [(1.0, 0.0), (1.0, 1.0), (0.5, 1.5), (1.0, -0.4)])
def test_the_luck_of_halves_is_what_cases_teach_over_what_they_are(apart, taught):
    rng, n, found = np.random.default_rng(5), 300, []
    for _ in range(20):
        # each case has a gap of its own and moves that of all others, some of it both ways
        own = rng.normal(size=n)
        teaches = taught * own + apart * rng.normal(size=n)
        learnt = np.array([np.isin(np.arange(n), rng.permutation(n)[: n // 2]) for _ in range(60)])
        gaps = np.where(learnt, 0, own + (learnt @ (teaches - teaches.mean()))[:, None] / (n / 2))
        found.append(luck_of_halves(gaps, 1.0 * ~learnt))
    expected = (taught**2 + apart**2) + 2 * taught
    # 20 samples of 300 cases with 60 halves; never below 0
    assert np.mean(found) == pytest.approx(expected, abs=0.15 + 0.1 * expected)


def test_groups_of_one_case_are_cases_to_the_luck_of_halves():
    rng = np.random.default_rng(1)
    asked = 1.0 * rng.integers(0, 2, (10, 40))
    gaps = asked * rng.integers(-1, 2, (10, 40))
    assert luck_of_halves(3 * gaps, 3 * asked) == pytest.approx(luck_of_halves(gaps, asked))
    assert luck_of_halves(0 * gaps, asked) == 0.0


def test_learners_that_need_more_than_half_of_the_cases_are_compared_by_folds_alone():
    found = compare(KNeighborsClassifier(60), DummyClassifier(), X, Y, n_repeats=1, random_state=0)
    assert found.luck is None
    assert any("half of the cases" in warning for warning in found.warnings)
    assert found.corrected == corrected_t(found.differences, test_share=0.1)


def test_few_groups_leave_few_degrees_of_freedom():
    d = [0.1, 0.2, 0.15, 0.12, 0.3, 0.18]
    plain, found = (corrected_t(d, test_share=1 / 3, freedom=most) for most in (None, 2))
    assert (found.df, found.t, found.standard_error) == (2, plain.t, plain.standard_error)
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.t, 2))
    assert found.p_value > plain.p_value
    assert correlated_bayes(d, test_share=1 / 3, freedom=2).df == 2
    assert corrected_t([0.1] * 6, test_share=1 / 3, freedom=2).p_value == pytest.approx(2 * 0.5**3)
    with pytest.raises(InputError, match="freedom"):
        corrected_t(d, test_share=1 / 3, freedom=0)


def test_with_hardly_any_test_cases_it_is_the_plain_t_test():
    d = RNG.normal(0.1, 1, 20)
    plain = stats.ttest_1samp(d, 0)
    found = corrected_t(d, test_share=1e-12)
    assert (found.t, found.p_value) == pytest.approx((plain.statistic, plain.pvalue))


def test_differences_without_spread():
    assert corrected_t([0.0, 0.0, 0.0], test_share=0.1).p_value == 1.0
    alike = correlated_bayes([0.0] * 3, test_share=0.1)
    assert (alike.p_below, alike.p_equivalent, alike.p_above) == (0.0, 1.0, 0.0)
    # equal but for rounding, as two folds of few cases often are: the folds of one deal have one sign
    found = corrected_t([0.1, 0.3 - 0.2], test_share=0.5)
    assert found.p_value == pytest.approx(0.5)
    assert found.low < 0 < found.high
    assert correlated_bayes([0.1, 0.1], test_share=0.5).p_above < 0.8
    assert corrected_t([-0.1] * 20, test_share=0.1).p_value == pytest.approx(2 * 0.5**10)
    assert corrected_t([1.0] * 2000, test_share=1 / 2000).p_value < 1e-100


def test_two_folds_that_agree_are_no_proof():
    rng, runs, proofs = np.random.default_rng(0), 400, 0
    for _ in range(runs):
        # the rules differ in 5 % of 60 cases, for either of them as often
        gaps = rng.choice([-1, 0, 1], (2, 30), p=[0.025, 0.95, 0.025]).mean(axis=1)
        proofs += corrected_t(gaps, test_share=0.5).p_value < 0.05
    assert stats.binomtest(proofs, runs, 0.05, "greater").pvalue > 0.001


@given(NUMBERS, st.sampled_from([2, 5, 10]), st.sampled_from([0.0, 0.01, 0.2]))
def test_the_bayesian_test_is_the_area_under_its_posterior(differences, k, rope):
    d, j = np.array(differences), len(differences)
    if np.ptp(d) < 1e-2:
        return
    found = correlated_bayes(differences, test_share=1 / k, rope=rope)
    rho = 1 / k
    scale = d.std(ddof=1) * np.sqrt(1 / j + rho / (1 - rho))

    def density(v):
        return stats.t.pdf((v - d.mean()) / scale, j - 1) / scale

    inside = integrate.quad(density, -rope, rope)[0] if rope else 0.0
    assert found.p_equivalent == pytest.approx(inside, abs=1e-6)
    assert found.p_below + found.p_equivalent + found.p_above == pytest.approx(1)
    assert found.p_above == pytest.approx(stats.t.sf((rope - d.mean()) / scale, j - 1))


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 5), st.integers(1, 5))
def test_mcnemar_as_in_statsmodels(b, c, both_wrong, both_right):
    truth = ["t"] * (b + c + both_wrong + both_right)
    first = ["f"] * b + ["t"] * c + ["f"] * both_wrong + ["t"] * both_right
    second = ["t"] * b + ["f"] * c + ["f"] * both_wrong + ["t"] * both_right
    found = mcnemar(truth, first, second)
    assert (found.only_a_wrong, found.only_b_wrong) == (b, c)
    assert (found.both_wrong, found.both_right, found.n) == (both_wrong, both_right, len(truth))
    table = [[both_right, c], [b, both_wrong]]
    assert found.p_value == pytest.approx(peer_mcnemar(table, exact=True).pvalue)
    assert found.difference == pytest.approx((b - c) / len(truth))


def test_no_answer_is_a_wrong_answer_of_its_own():
    found = mcnemar([0, 1, 1], [None, 1, 0], [0, None, None])
    assert (found.only_a_wrong, found.only_b_wrong, found.both_wrong, found.both_right) == (1, 1, 1, 0)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (([0, 1], [0, 1], [0]), InputError),
        (([0, None], [0, 1], [0, 1]), InputError),
        (([0, 1], ["0", "1"], [0, 1]), InputTypeError),
        (([], [], []), InputError),
    ],
)
def test_mcnemar_refuses(given, error):
    with pytest.raises(error):
        mcnemar(*given)


@pytest.mark.published
def test_the_papers_example_is_not_significant():
    # Bailey and Elkan (1993), section 5: 129 right and 12 wrong against 121 and 20, quoted as significant
    found = compare_counts(129, 12, 121, 20)
    peer = stats.chi2_contingency([[129, 12], [121, 20]], correction=False)
    yates = stats.chi2_contingency([[129, 12], [121, 20]], correction=True)
    assert found.chi_square == pytest.approx(2.256, abs=5e-4)
    assert found.p_value == pytest.approx(0.133, abs=5e-4)
    assert (found.chi_square, found.p_value) == pytest.approx((peer.statistic, peer.pvalue))
    assert (found.yates, found.yates_p_value) == pytest.approx((yates.statistic, yates.pvalue))
    assert round(found.yates, 3) == 1.727
    assert "not the algorithms" in found.warnings[0]
    # the twelve errors may all be among the twenty, or none of them
    assert found.paired_p_values == pytest.approx(
        (stats.binomtest(0, 8).pvalue, stats.binomtest(12, 32).pvalue)
    )


@given(*[st.integers(0, 30)] * 4)
def test_counts_as_in_scipy(a, b, c, d):
    if a + b == 0 or c + d == 0:
        with pytest.raises(InputError):
            compare_counts(a, b, c, d)
        return
    found = compare_counts(a, b, c, d)
    assert (found.paired_p_values is None) == (a + b != c + d)
    if a + c == 0 or b + d == 0:
        assert found.p_value == 1.0
        return
    for correction, value in ((False, found.chi_square), (True, found.yates)):
        peer = stats.chi2_contingency([[a, b], [c, d]], correction=correction).statistic
        assert value == pytest.approx(peer, abs=1e-9)


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 12))
def test_the_range_of_paired_p_values_by_trying_every_overlap(n, wrong_a, wrong_b):
    wrong_a, wrong_b = min(wrong_a, n), min(wrong_b, n)
    tried = [
        stats.binomtest(wrong_a - both, wrong_a + wrong_b - 2 * both).pvalue
        if wrong_a + wrong_b > 2 * both
        else 1.0
        for both in range(max(0, wrong_a + wrong_b - n), min(wrong_a, wrong_b) + 1)
    ]
    found = compare_counts(n - wrong_a, wrong_a, n - wrong_b, wrong_b)
    assert found.paired_p_values == pytest.approx((min(tried), max(tried)))


def test_folds_are_shared_and_the_same_as_scikit_learns():
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    tree, bayes = DecisionTreeClassifier(random_state=0), GaussianNB()
    peer = cross_val_score(bayes, X, Y, cv=folds) - cross_val_score(tree, X, Y, cv=folds)
    found = compare(tree, bayes, X, Y, cv=folds)
    assert np.allclose(found.differences, peer)
    assert found.corrected == corrected_t(peer, test_share=0.2, luck=found.luck)
    assert found.difference == pytest.approx(found.value_a - found.value_b)


def test_an_estimator_against_itself_is_no_different():
    found = compare(GaussianNB(), GaussianNB(), X, Y, n_repeats=2, test_size=0.3, random_state=0)
    assert found.corrected.p_value == 1.0
    assert found.bayes.p_equivalent == 1.0
    assert found.mcnemar.p_value == 1.0
    assert found.names == ("GaussianNB (first)", "GaussianNB (second)")
    assert found.rows_needed().n_rows is None


def test_two_rules_are_compared_by_their_labels_whatever_is_measured_in_the_folds():
    tree, bayes = DecisionTreeClassifier(max_depth=2, random_state=0), GaussianNB()
    options = {"n_repeats": 1, "test_size": 0.3, "random_state": 0}
    rules = [
        compare(tree, bayes, X, Y, metric=metric, **options).mcnemar
        for metric in ("error", "accuracy", ff.bets.brier_score)
    ]
    assert rules[0].n == 24
    assert rules[0] == rules[1] == rules[2]


def test_exchanging_the_learners_exchanges_the_result():
    tree, bayes = DecisionTreeClassifier(random_state=0), GaussianNB()
    there = compare(tree, bayes, X, Y, n_repeats=2, test_size=25, random_state=4)
    back = compare(bayes, tree, X, Y, n_repeats=2, test_size=25, random_state=4)
    assert there.difference == pytest.approx(-back.difference)
    assert there.corrected.p_value == pytest.approx(back.corrected.p_value)
    assert there.p_first_better == pytest.approx(back.p_second_better)
    assert there.mcnemar.only_a_wrong == back.mcnemar.only_b_wrong


def test_the_better_learner_is_the_better_one_whichever_way_the_metric_runs():
    y = (X[:, 0] > 0).astype(int)
    good, bad = GaussianNB(), DummyClassifier()
    by_error = compare(good, bad, X, y, n_repeats=2, random_state=0)
    by_accuracy = compare(good, bad, X, y, n_repeats=2, metric="accuracy", random_state=0)
    by_bits = compare(good, bad, X, y, n_repeats=2, metric=ff.bets.log_score, random_state=0)
    for found in (by_error, by_accuracy, by_bits):
        assert found.p_first_better > 0.99
        assert found.corrected.p_value < 0.01
    assert by_error.difference == pytest.approx(-by_accuracy.difference)


def test_given_test_cases_are_asked_of_rules_learnt_from_all_others():
    found = compare(
        GaussianNB(), KNeighborsClassifier(1), X[:50], Y[:50], X_test=X[50:], y_test=Y[50:], n_repeats=1
    )
    first = GaussianNB().fit(X[:50], Y[:50]).predict(X[50:])
    second = KNeighborsClassifier(1).fit(X[:50], Y[:50]).predict(X[50:])
    assert found.mcnemar == mcnemar(Y[50:], first, second)
    assert any("not the algorithms" in sentence for sentence in found.warnings)
    assert found.rows_needed().n_tested == 30


def test_without_test_cases_there_is_no_test_of_two_rules():
    found = compare(GaussianNB(), DummyClassifier(), X, Y, n_repeats=1, random_state=0)
    assert found.mcnemar is None
    assert not any("not the algorithms" in sentence for sentence in found.warnings)
    with pytest.raises(InputError, match="X_test"):
        found.rows_needed()


def test_it_says_which_question_each_test_answers():
    found = compare(GaussianNB(), DummyClassifier(), X, Y, n_repeats=1, test_size=0.3, random_state=0)
    frame = found.frame()
    assert frame["test"].to_list() == ["CorrectedT", "CorrelatedBayes", "McNemar"]
    assert all(question.endswith("?") for question in frame["question"])
    assert "\n" not in str(found)


def test_the_number_of_jobs_changes_nothing():
    learners = DecisionTreeClassifier(splitter="random"), DecisionTreeClassifier(max_depth=1)
    with parallel_config(backend="threading"):
        one, two = (
            compare(*learners, X, Y, n_repeats=1, test_size=0.3, random_state=0, n_jobs=n_jobs)
            for n_jobs in (1, 2)
        )
    assert (one.differences == two.differences).all()
    assert one.mcnemar == two.mcnemar


@pytest.mark.parametrize(
    ("test", "words"), [(X[:30], "not a test: all 30"), (np.vstack([X[:20], -X]), "20 of the 100")]
)
def test_test_cases_that_are_training_cases_are_told_first(test, words):
    truth = np.resize(Y, len(test))
    found = compare(GaussianNB(), DummyClassifier(), X, Y, n_repeats=1, X_test=test, y_test=truth)
    assert words in found.warnings[0]


def test_new_test_cases_are_no_alarm():
    found = compare(GaussianNB(), DummyClassifier(), X, Y, n_repeats=1, X_test=X + 1, y_test=Y)
    assert not any("are in X" in warning for warning in found.warnings)


def test_pipelines_are_named_by_their_last_step():
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    made = make_pipeline(StandardScaler(), GaussianNB())
    found = compare(made, DummyClassifier(), X, y, n_splits=2, n_repeats=1, random_state=0)
    assert found.names == ("GaussianNB", "DummyClassifier")
