from math import isclose

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.utils.estimator_checks import check_estimator

import fivefold as ff
from fivefold.data.conditions import Above, AtMost, Equals, Rule, Within
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners import Induct, RippleDownTree, RuleList, RuleSet, chance_of_rule
from fivefold.learners.rules.chance import Chance

from . import rule_reference as reference
from .classic_cases import frame_of, golf, lenses, tables

STATISTICS = st.sampled_from(["binomial", "hypergeometric"])
SEARCHES = st.sampled_from(["prism", "min_r"])
MAX_R = st.sampled_from([0.05, 0.3, 1.0])


def _rule(terms, label):
    return Rule(tuple(Equals(*term.split("=")) for term in terms.split()), label)


def _measures(model):
    return [(one.rule, one.correct, one.covered, round(one.r, 4)) for one in model.measured_rules_]


# the measure


@pytest.mark.parametrize(
    ("p", "t", "wanted", "binomial", "hypergeometric"),
    [
        (2, 2, 4, 0.027778, 0.021739),
        (4, 6, 4, 0.008702, 0.001412),
        (4, 12, 4, 0.125178, 0.046584),
        (12, 12, 15, 0.003553, 0.000168),
    ],
)
def test_lens_measures(p, t, wanted, binomial, hypergeometric):
    assert chance_of_rule(p, t, wanted, 24) == pytest.approx(binomial, abs=5e-7)
    assert chance_of_rule(p, t, wanted, 24, statistic="hypergeometric") == pytest.approx(
        hypergeometric, abs=5e-7
    )


@pytest.mark.parametrize(
    ("statistic", "wanted", "counts", "expected"),
    [
        ("binomial", 4, [(4, 24), (4, 12), (4, 6), (3, 3)], [0.58449, 0.12518, 0.00870, 0.00463]),
        ("hypergeometric", 4, [(4, 24), (4, 12), (4, 6), (3, 3)], [1, 0.0466, 0.0014, 0.0020]),
        ("binomial", 5, [(5, 24), (5, 12), (5, 6), (3, 3)], [0.58027, 0.08415, 0.00195, 0.00904]),
    ],
)
def test_lens_prefixes(statistic, wanted, counts, expected):
    found = [chance_of_rule(p, t, wanted, 24, statistic=statistic) for p, t in counts]
    np.testing.assert_allclose(found, expected, atol=5e-5 if statistic == "hypergeometric" else 6e-6)


@st.composite
def draws(draw, most=80):
    total = draw(st.integers(1, most))
    wanted, covered = draw(st.integers(0, total)), draw(st.integers(0, total))
    correct = draw(st.integers(max(0, covered - total + wanted), min(covered, wanted)))
    return correct, covered, wanted, total


@given(draws(), STATISTICS)
def test_measure_is_exact(drawn, statistic):
    expected = float(reference.tail(*drawn, statistic))
    assert isclose(chance_of_rule(*drawn, statistic=statistic), expected, rel_tol=1e-11)


@given(draws(most=20_000), STATISTICS)
def test_measure_agrees_with_scipy(drawn, statistic):
    p, t, wanted, total = drawn
    r = chance_of_rule(p, t, wanted, total, statistic=statistic)
    if statistic == "binomial":
        expected = stats.binom(t, wanted / total).sf(p - 1)
    else:
        expected = stats.hypergeom(total, wanted, t).sf(p - 1)
    if expected > 1e-250:
        assert np.log(r) == pytest.approx(np.log(expected), rel=1e-6, abs=1e-7)
    else:
        assert r < 1e-249


def test_measures_too_small_for_a_float_are_still_compared():
    logs = Chance.for_cases(100_000, "binomial").logs(
        np.array([5_000, 4_000]), np.array([5_000, 4_000]), 20_000, 100_000
    )
    np.testing.assert_allclose(logs, [5_000 * np.log(0.2), 4_000 * np.log(0.2)], rtol=1e-12)
    assert np.exp(logs).tolist() == [0, 0]


@pytest.mark.parametrize("numbers", [(3, 2, 4, 24), (1, 2, 0, 24), (0, 25, 4, 24), (0, 22, 4, 24)])
def test_impossible_counts(numbers):
    with pytest.raises(InputError, match=f"{numbers[0]} correct of {numbers[1]} covered"):
        chance_of_rule(*numbers)


# the rules of the lenses


def test_lenses_class_by_class():
    model = Induct(max_r=1).fit(*lenses())
    hard = _rule("astigmatism=yes tears=normal prescription=myope", "hard")
    young = _rule("age=young astigmatism=yes tears=normal", "hard")
    assert _measures(model)[:2] == [(hard, 3, 3, 0.0046), (young, 1, 1, 0.0476)]
    none = [one for one in model.measured_rules_ if one.rule.outcome == "none"]
    assert [round(one.r, 4) for one in none] == [0.0036, 0.25, 0.1818, 0.1]
    assert none[0].rule == _rule("tears=reduced", "none")
    assert _measures(model)[6:] == [(_rule("astigmatism=no tears=normal", "soft"), 5, 6, 0.0019)]


def test_without_replacement_drops_one_term_more():
    model = Induct(statistic="hypergeometric").fit(*lenses())
    assert _measures(model)[0] == (_rule("astigmatism=yes tears=normal", "hard"), 4, 6, 0.0014)
    assert [one.rule.outcome for one in model.measured_rules_].count("hard") == 1


def test_lenses_with_exceptions():
    X, y = lenses()
    model = Induct(form="ripple", max_r=1).fit(X, y)
    assert _measures(model) == [
        (_rule("astigmatism=no tears=normal", "soft"), 5, 6, 0.0019),
        (_rule("age=presb prescription=myope", "none"), 1, 1, 0.1667),
        (_rule("tears=normal prescription=myope", "hard"), 3, 3, 0.0110),
        (_rule("tears=normal age=young", "hard"), 1, 1, 0.0667),
    ]
    tree = model.theory().root
    assert (tree.terms, tree.outcome) == ((), "none")
    soft = tree.exception
    assert soft.exception.outcome == "none"
    assert soft.exception.otherwise is None
    assert soft.otherwise.otherwise.terms == model.measured_rules_[3].rule.terms
    assert model.predict(X).tolist() == y


def test_lenses_with_significant_exceptions_only():
    model = Induct(form="ripple").fit(*lenses())
    assert str(model).splitlines() == [
        "always none (24/9)",
        "|   except if astigmatism = no and tears = normal then soft (6/1, r = 0.00195)",
        "|   else if tears = normal and prescription = myope then hard (3, r = 0.011)",
    ]
    assert (model.get_params()["max_r"], Induct(form="ripple", max_r=0.05).fit(*lenses()).rules()) == (
        None,
        model.rules(),
    )


def test_lenses_in_a_list():
    X, y = lenses()
    model = Induct(form="list").fit(X, y)
    assert [one.rule for one in model.measured_rules_] == [
        _rule("astigmatism=no tears=normal", "soft"),
        _rule("tears=normal prescription=myope", "hard"),
        _rule("tears=normal age=young", "hard"),
    ]
    assert str(model).splitlines()[-1] == "otherwise none (14)"
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[1 / 17, 15 / 17, 1 / 17]])


# against the definition


def _check_measures(model, expected):
    found = [(one.rule.outcome, one.covered, one.correct) for one in model.measured_rules_]
    assert found == [(label, covered, correct) for _, label, covered, correct, _ in expected]
    np.testing.assert_allclose(
        [one.r for one in model.measured_rules_], [float(one[4]) for one in expected], rtol=1e-9
    )


@given(tables(max_rows=25), STATISTICS, SEARCHES, MAX_R)
def test_classes_agree_with_the_definition(table, statistic, search, max_r):
    train, y, test = table
    rows, new = reference.rows_of(train), reference.rows_of(test)
    expected = reference.Induct(rows, y, statistic, search, max_r).dnf()
    model = Induct(statistic=statistic, search=search, max_r=max_r).fit(frame_of(train), y)
    _check_measures(model, expected)
    fired = [[reference.covers(row, one[0]) for one in expected] for row in rows]
    answers = reference.Answers(fired, [one[1] for one in expected], y, model.classes_.tolist())
    fired = [[reference.covers(row, one[0]) for one in expected] for row in new]
    X = frame_of(test)
    assert model.predict_sets(X).tolist() == [
        [c in answers.set(own) for c in model.classes_.tolist()] for own in fired
    ]
    assert model.predict(X).tolist() == [answers.choice(own) for own in fired]
    np.testing.assert_allclose(model.predict_proba(X), [answers.probabilities(own) for own in fired])


def _check_ordered(model, answer, y, rows, test):
    """`answer` gives the class of a case and the place where it is decided."""
    X, new, labels = frame_of(test), reference.rows_of(test), model.classes_.tolist()
    said = [answer(row)[0] for row in new]
    assert model.predict(X).tolist() == said
    assert model.predict_sets(X).tolist() == [[c == own for c in labels] for own in said]
    ends = [answer(row)[1] for row in rows]
    shares = []
    for row in new:
        alike = [label for end, label in zip(ends, y, strict=True) if end == answer(row)[1]]
        shares.append([(alike.count(c) + 1) / (len(alike) + len(labels)) for c in labels])
    np.testing.assert_allclose(model.predict_proba(X), shares)


@given(tables(max_rows=25), STATISTICS, SEARCHES, MAX_R)
def test_lists_agree_with_the_definition(table, statistic, search, max_r):
    train, y, test = table
    rows = reference.rows_of(train)
    expected, default = reference.Induct(rows, y, statistic, search, max_r).list()
    model = Induct(form="list", statistic=statistic, search=search, max_r=max_r).fit(frame_of(train), y)
    _check_measures(model, expected)

    def answer(row):
        held = [(one[1], place) for place, one in enumerate(expected) if reference.covers(row, one[0])]
        return (*held, (default, len(expected)))[0]

    _check_ordered(model, answer, y, rows, test)


@given(tables(max_rows=25), STATISTICS, SEARCHES, MAX_R)
def test_exceptions_agree_with_the_definition(table, statistic, search, max_r):
    train, y, test = table
    rows = reference.rows_of(train)
    tree, default = reference.Induct(rows, y, statistic, search, max_r).ripple()
    model = Induct(form="ripple", statistic=statistic, search=search, max_r=max_r).fit(frame_of(train), y)
    _check_measures(model, reference.flat(tree))
    _check_ordered(model, lambda row: reference.walk(tree, default, row), y, rows, test)


# laws


@given(tables(), st.sampled_from(["list", "ripple"]))
def test_the_first_rule_that_holds_decides(table, form):
    train, y, test = table
    model = Induct(form=form, max_r=1).fit(frame_of(train), y)
    columns = read_columns(frame_of(test), like=model.columns_)
    holds = np.array([rule.holds(columns) for rule in model.rules()])
    said = [model.rules()[place].outcome for place in holds.argmax(axis=0)]
    assert model.predict(frame_of(test)).tolist() == said


@given(tables(), SEARCHES)
def test_a_list_says_the_most_probable_class(table, search):
    train, y, test = table
    model = Induct(form="list", search=search).fit(frame_of(train), y)
    likely = model.predict_proba(frame_of(test)).argmax(axis=1)
    assert model.predict(frame_of(test)).tolist() == model.classes_[likely].tolist()


@given(tables())
def test_the_rules_of_a_set_speak_together(table):
    train, y, test = table
    model = Induct().fit(frame_of(train), y)
    columns = read_columns(frame_of(test), like=model.columns_)
    sets = model.predict_sets(frame_of(test))
    for c, label in enumerate(model.classes_.tolist()):
        spoken = [rule.holds(columns) for rule in model.rules() if rule.outcome == label]
        np.testing.assert_array_equal(sets[:, c], np.any([np.zeros(len(sets), bool), *spoken], axis=0))


@given(tables(), st.sampled_from(["dnf", "list", "ripple"]), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(table, form, random):
    train, y, _ = table
    order = list(range(len(y)))
    random.shuffle(order)
    one = Induct(form=form, max_r=1).fit(frame_of(train), y)
    two = Induct(form=form, max_r=1).fit(frame_of(train)[order], [y[i] for i in order])
    assert str(one) == str(two)


@given(tables(), st.sampled_from(["dnf", "list", "ripple"]))
def test_a_theory_with_a_length(table, form):
    train, y, _ = table
    model = Induct(form=form, max_r=1).fit(frame_of(train), y)
    kinds = {"dnf": RuleSet, "list": RuleList, "ripple": RippleDownTree}
    assert isinstance(model.theory(), kinds[form])
    assert ff.bits.theory_length(model, frame_of(train)) > 0


def test_two_cuts_of_a_column_are_one_term():
    X = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]})
    y = ["n", "n", "n", "y", "y", "y", "n", "n", "n"]
    model = Induct(form="ripple", max_r=1).fit(X, y)
    assert model.rules() == [Rule((Within("x", 3.5, 6.5),), "y"), Rule((), "n")]


def test_golf():
    X, y = golf()
    model = Induct(form="list", search="min_r", max_r=0.1).fit(X, y)
    for rule in model.rules():
        for term in rule.terms:
            assert isinstance(
                term, Equals if term.column in ("outlook", "windy") else AtMost | Above | Within
            )
    assert Induct(form="list").fit(X, y).score(X, y) == 1


def test_a_term_that_all_cases_meet_is_not_added():
    X = pl.DataFrame({"same": ["s"] * 4, "a": ["p", "p", "q", "q"]})
    model = Induct(max_r=1).fit(X, ["u", "u", "v", "v"])
    assert [rule.terms for rule in model.rules()] == [(Equals("a", "p"),), (Equals("a", "q"),)]


@pytest.mark.parametrize("form", ["dnf", "list", "ripple"])
def test_one_class_and_one_case(form):
    X, _ = lenses()
    for cases in (X, X[:1]):
        model = Induct(form=form).fit(cases, ["one"] * len(cases))
        assert model.measured_rules_ == ()
        assert model.predict(cases).tolist() == ["one"] * len(cases)
        assert model.predict_sets(cases).any() == (form != "dnf")
        np.testing.assert_array_equal(model.predict_proba(cases), 1)


@pytest.mark.parametrize("form", ["dnf", "list", "ripple"])
def test_nothing_is_known(form):
    X, y = lenses()
    model = Induct(form=form).fit(X, y)
    blind = pl.DataFrame({name: [None] for name in X.columns}, schema=X.schema)
    assert model.predict(blind).tolist() == ["none"]
    assert model.predict_sets(blind, missing_test="fails").tolist() == [[False, form != "dnf", False]]


def test_a_long_chain_of_rules():
    n = 3000
    X = pl.DataFrame({"x": np.arange(n, dtype=float)})
    y = np.arange(n) % 2
    model = Induct(form="ripple", max_r=1).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.9
    assert len(str(model).splitlines()) == len(model.measured_rules_) + 1
    assert sum(1 for _ in model.theory().nodes()) == len(model.measured_rules_) + 1


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"form": "rdr"}, InputError, "form to be one of 'dnf', 'list', 'ripple'; got 'rdr'"),
        (
            {"statistic": "chi2"},
            InputError,
            "statistic to be one of 'binomial', 'hypergeometric'; got 'chi2'",
        ),
        ({"search": "beam"}, InputError, "search to be one of 'prism', 'min_r'; got 'beam'"),
        ({"max_r": 2}, InputError, "max_r to lie between 0 and 1; got 2"),
        ({"max_r": "5%"}, InputTypeError, "max_r to be a number; got '5%'"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        Induct(**options).fit(*lenses())


@pytest.mark.slow
@pytest.mark.parametrize("form", ["list", "ripple"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_checks_of_the_other_forms(form):
    check_estimator(Induct(form=form), on_fail="raise")
