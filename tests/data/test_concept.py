"""Known concepts: reading and writing, drawing, and judging."""

import itertools
import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fivefold as ff
from fivefold.data import Concept, concept
from fivefold.data.dnf_concepts import attribute_name, attribute_place
from fivefold.errors import InputError, InputTypeError

PROBABILITIES = {"dnf1": 0.6875, "dnf1_star": 0.75, "dnf2": 0.12109375, "dnf3": 0.0625, "dnf4": 0.3125}


def every_case(n_attributes):
    return np.array(list(itertools.product([False, True], repeat=n_attributes)))


def clauses(n_attributes):
    literals = st.dictionaries(st.integers(0, n_attributes - 1), st.booleans(), min_size=1, max_size=4)
    return st.lists(literals.map(lambda found: tuple(found.items())), min_size=1, max_size=5).map(tuple)


def is_constant(formula, n_attributes):
    truth = {
        any(all(case[a] == v for a, v in clause) for clause in formula) for case in every_case(n_attributes)
    }
    return len(truth) == 1


@st.composite
def concepts(draw, n_attributes=6, **options):
    formula = draw(clauses(n_attributes).filter(lambda found: not is_constant(found, n_attributes)))
    return Concept(formula, n_attributes, **options)


def slow_label(formula, X):
    return np.array([any(all(case[a] == v for a, v in clause) for clause in formula) for case in X])


@pytest.mark.parametrize("name", PROBABILITIES)
def test_the_concepts_of_the_paper(name):
    found = concept(name)
    assert (found.n_attributes, found.balance, found.noise) == (50, 0.5, 0)
    assert found.probability == PROBABILITIES[name]
    assert set(found.relevant) <= set("ABCDEFGH")


def test_the_printed_dnf1_is_simpler_than_it_looks():
    simple = Concept.parse("B | ~A C D | A ~D")
    assert concept("dnf1").true_error(simple).value == 0
    assert concept("dnf1_star").true_error(simple).value > 0.1


def test_the_slip_of_uniform_attributes_is_not_made():
    # under uniform bits h = B C ~D would be wrong with probability .0625, under the mixture with half of 1/15
    error = concept("dnf3").true_error(Concept.parse("B C ~D"))
    assert error.exact
    assert error.value == pytest.approx(0.5 * 0.0625 / (1 - 0.0625), abs=1e-15)
    assert (error.missed, error.false_alarms) == (0, pytest.approx(1 / 15))


@given(st.integers(0, 100_000))
def test_names_go_on_as_in_a_spreadsheet(place):
    assert attribute_place(attribute_name(place)) == place


def test_the_order_of_names():
    names = [attribute_name(place) for place in range(800)]
    assert names == sorted(names, key=lambda name: (len(name), name))
    assert names[25:28] == ["Z", "AA", "AB"]


@given(concepts())
def test_what_is_printed_is_read_as_the_same(known):
    assert Concept.parse(str(known), n_attributes=6) == known


def test_spaces_and_ampersands_do_not_matter():
    assert Concept.parse(" B&~ C|A ") == Concept.parse("B ~C | A")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty clause at position 0"),
        ("A | | B", "empty clause at position 3"),
        ("A B |", "empty clause at position 5"),
        ("A b", "'b' at position 2"),
        ("A + B", r"'\+' at position 2"),
        ("A ~", "'~' at position 2"),
        ("A C ~A", "'~A' again at position 4"),
        ("A AY", "from A to AX, as there are 50; got 'AY' at position 2"),
        ("A | ~A", "which always holds"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text, message):
    with pytest.raises(InputError, match=message):
        Concept.parse(text)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Concept.parse(5), InputTypeError, "a formula as text; got 5"),
        (lambda: concept("dnf5"), InputError, "'dnf5'"),
        (lambda: Concept(()), InputError, "never holds"),
        (lambda: Concept((((50, True),),)), InputError, "from 0 to 49; got 50"),
        (lambda: Concept((((1, True), (1, False)),)), InputError, "at most once"),
        (lambda: Concept.parse("A", balance=0.0), InputError, "balance"),
        (lambda: Concept.parse("A", noise=0.5), InputError, "noise below one half"),
        (lambda: Concept.parse("A", n_attributes=0), InputError, "n_attributes"),
        (lambda: concept("dnf3").sample(0), InputError, "n to be at least 1"),
        (lambda: concept("dnf3").label(np.zeros((2, 50))), InputTypeError, "use X == 1"),
        (lambda: concept("dnf3").label(np.zeros((2, 5), bool)), InputError, "50 attributes; got 5"),
        (lambda: concept("dnf3").true_error("B C"), InputTypeError, "a fitted classifier or a Concept"),
        (lambda: concept("dnf3").true_error(Concept.parse("B", n_attributes=5)), InputError, "one of 5"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


@given(concepts())
def test_probability_and_labels_by_enumeration(known):
    X = every_case(6)
    truth = slow_label(known.clauses, X)
    np.testing.assert_array_equal(known.label(X), truth)
    np.testing.assert_array_equal(known.predict(X), truth)
    assert known.probability == truth.mean()


@given(concepts(balance=0.3), st.integers(0, 2**32))
def test_cases_have_the_labels_of_the_concept(known, seed):
    X, y = known.sample(200, random_state=seed)
    assert X.shape == (200, 6)
    assert X.dtype == y.dtype == bool
    np.testing.assert_array_equal(known.label(X), y)
    again, _ = known.sample(200, random_state=seed)
    np.testing.assert_array_equal(X, again)


LONG = "A B C D E F | ~G H I J K | L M N ~O | P Q"  # 17 attributes: drawn by rejection and not from a table


@pytest.mark.parametrize("text", ["A B ~C | D", "A B C D", LONG])
@pytest.mark.parametrize("balance", [0.5, 0.1])
def test_cases_are_uniform_within_each_class(text, balance):
    known = Concept.parse(text, n_attributes=20, balance=balance)
    X, y = known.sample(40_000, random_state=0)
    assert stats.binomtest(int(y.sum()), y.size, balance).pvalue > 1e-4
    # all cases of a class are equally likely, so the first four attributes have the shares that all cases of the
    # class have, which a large uniform sample tells by itself
    uniform = np.random.default_rng(1).integers(0, 2, size=(400_000, 20)).astype(bool)
    for value in (False, True):
        of_class = uniform[known.label(uniform) == value]
        codes, drawn = (cases[:, :4] @ [8, 4, 2, 1] for cases in (of_class, X[y == value]))
        table = np.array([np.bincount(each, minlength=16) for each in (codes, drawn)])
        assert stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-4
        # the attributes that do not matter are fair and independent
        free = X[y == value][:, 17:] @ [4, 2, 1]
        assert stats.chisquare(np.bincount(free, minlength=8)).pvalue > 1e-4


def test_noise_turns_labels():
    known = Concept.parse("A B", n_attributes=3, noise=0.2)
    X, y = known.sample(20_000, random_state=0)
    assert stats.binomtest(int(np.sum(known.label(X) != y)), 20_000, 0.2).pvalue > 1e-4
    assert known.true_error(known).value == pytest.approx(0.2)
    half_wrong = Concept.parse("A", n_attributes=3)
    assert known.true_error(half_wrong).value == pytest.approx(0.2 + 0.6 * 0.5 * (1 / 3))


@given(concepts(), concepts())
def test_the_error_of_another_concept_by_enumeration(known, other):
    X = every_case(6)
    truth, said = known.label(X), other.label(X)
    error = known.true_error(other)
    assert error.exact
    assert error.missed == pytest.approx(np.mean(~said[truth]), abs=1e-12)
    assert error.false_alarms == pytest.approx(np.mean(said[~truth]), abs=1e-12)
    assert error.value == pytest.approx((error.missed + error.false_alarms) / 2)


def test_many_clauses_of_one_concept_stay_exact():
    # 24 clauses of 5 out of 40 attributes; the share of cases that they cover is told by a large sample
    rng = np.random.default_rng(0)
    clauses = tuple(
        tuple((int(place), bool(rng.integers(2))) for place in rng.choice(40, size=5, replace=False))
        for _ in range(24)
    )
    known, other = Concept.parse("A B | C ~D", n_attributes=40), Concept(clauses, 40)
    error, simulated = (known.true_error(other, max_states=most, random_state=0) for most in (50_000, 0))
    assert error.exact
    assert abs(error - simulated) < 4 * simulated.standard_error


def test_simulation_when_the_expansion_is_too_large():
    known, other = concept("dnf2"), concept("dnf4")
    exact = known.true_error(other)
    simulated = known.true_error(other, max_states=3, random_state=0)
    assert exact.exact
    assert not simulated.exact
    assert (exact.standard_error, simulated.n_cases) == (0, 20_000)
    assert abs(simulated.value - exact.value) < 4 * simulated.standard_error
    assert known.true_error(other, max_states=3, random_state=0) == simulated


def test_the_standard_error_is_that_of_the_simulation():
    known, other = (
        Concept.parse("A B", n_attributes=4, balance=0.2, noise=0.1),
        Concept.parse("A ~C", n_attributes=4),
    )
    runs = [known.true_error(other, max_states=0, n_cases=400, random_state=seed) for seed in range(400)]
    values = np.array([run.value for run in runs])
    told = np.mean([run.standard_error for run in runs])
    # the standard deviation of 400 values has a relative error of about 1 / sqrt(800) = 3.5%
    assert np.std(values, ddof=1) == pytest.approx(told, rel=0.15)
    assert abs(values.mean() - known.true_error(other).value) < 4 * told / 20


class Constant:
    """A model that always says the same."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, X):
        answers = np.empty(len(X), dtype=object)
        answers[:] = self.answer
        return answers


@pytest.mark.parametrize(("answer", "value"), [(True, 0.5), (False, 0.5), (0, 0.5), (None, 1), (np.nan, 1)])
def test_constant_answers(answer, value):
    assert concept("dnf3").true_error(Constant(answer)).value == value


def test_labels_that_are_no_truth_values_are_refused():
    with pytest.raises(InputError, match=r"True or False .* got 'yes'"):
        concept("dnf3").true_error(Constant("yes"))


class Liar:
    """A model whose answers depend on more than its rules."""

    n_features_in_ = 50

    def rules(self):
        return ff.learners.OneR().fit(*concept("dnf3").sample(50, random_state=0)).rules()

    def predict(self, X):
        return X[:, 20]


def test_rules_that_do_not_settle_the_answers_are_not_trusted():
    error = concept("dnf3").true_error(Liar(), random_state=0)
    assert not error.exact
    assert abs(error.value - 0.5) < 4 * error.standard_error


def test_models_of_named_columns():
    known = Concept.parse("A ~B | C", n_attributes=4)
    X, y = known.sample(60, random_state=0)
    frame = pl.DataFrame(X, schema=["one", "two", "three", "four"])
    named, bare = (ff.learners.C45Tree().fit(cases, y) for cases in (frame, X))
    assert known.true_error(named).exact
    assert known.true_error(named) == known.true_error(bare)
    bayes = ff.learners.NaiveBayes().fit(frame, y)
    assert not known.true_error(bayes, random_state=0).exact


def test_the_result_says_what_it_is():
    exact = concept("dnf3").true_error(Concept.parse("B C ~D"))
    assert str(exact) == "true error 3.333% (exact)"
    assert exact == exact.value == 1 / 30
    assert pickle.loads(pickle.dumps(exact)) == exact
    assert f"{exact:.3f}" == "0.033"
    assert exact.frame()["exact"].to_list() == [True]
    simulated = concept("dnf3").true_error(Constant(True), n_cases=101)
    assert simulated.n_cases == 102
    assert "simulated with 102 cases" in str(simulated)
