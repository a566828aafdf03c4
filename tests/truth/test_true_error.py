"""The exact error of every learner, against asking it about all cases there are."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

import fivefold as ff
from fivefold.data import Concept, concept
from fivefold.learners.base import Learner

WITH_RULES = {
    "foil": ff.learners.Foil,
    "foil, one concept": lambda: ff.learners.Foil(target=True),
    "foil, the other one": lambda: ff.learners.Foil(target=False),
    "foil, unpruned": lambda: ff.learners.Foil(target=True, pruning=False, info="paper", unknown="missing"),
    "prism": ff.learners.Prism,
    "induct": ff.learners.Induct,
    "induct, list": lambda: ff.learners.Induct(form="list"),
    "induct, ripple": lambda: ff.learners.Induct(form="ripple"),
    "c4.5 tree": ff.learners.C45Tree,
    "c4.5 tree, unpruned": lambda: ff.learners.C45Tree(prune=False),
    "c4.5 rules": ff.learners.C45Rules,
    "c5 rules": ff.learners.C5Rules,
    "id3": ff.learners.ID3,
    "id3, zero gains": lambda: ff.learners.ID3(allow_zero_gain=True),
    "one r": ff.learners.OneR,
    "stump": ff.learners.DecisionStump,
    "mml tree": ff.learners.MMLTree,
    "mml graph": ff.learners.MMLGraph,
    "discrimination": ff.learners.ParsimoniousDiscrimination,
    "discrimination, made features": lambda: ff.learners.ParsimoniousDiscrimination(max_combined=2),
    "sklearn tree": lambda: DecisionTreeClassifier(random_state=0),
    "sklearn tree, random": lambda: ExtraTreeClassifier(random_state=0),
}
WITHOUT_RULES = {
    "bayes": ff.learners.NaiveBayes,
    "super parent": ff.learners.SuperParent,
    "neighbours": lambda: KNeighborsClassifier(3),
    "forest": lambda: RandomForestClassifier(5, random_state=0),
}
FORMULAS = ["A B | ~C D", "A ~B C", "A | B C ~D", "A B | ~A ~B"]
N_ATTRIBUTES = 7
EVERY_CASE = np.array(list(itertools.product([False, True], repeat=N_ATTRIBUTES)))


def by_enumeration(known, model):
    truth, said = known.label(EVERY_CASE), model.predict(EVERY_CASE).astype(bool)
    share = known.balance * np.mean(~said[truth]) + (1 - known.balance) * np.mean(said[~truth])
    return known.noise + (1 - 2 * known.noise) * share


def fitted(learner, known, n, seed):
    X, y = known.sample(n, random_state=seed)
    return learner.fit(X, y)


def test_no_learner_is_forgotten():
    here = {type(make()) for make in (WITH_RULES | WITHOUT_RULES).values()}
    named = (getattr(ff.learners, name) for name in ff.learners.__all__)
    assert {kind for kind in named if isinstance(kind, type) and issubclass(kind, Learner)} <= here


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("name", WITH_RULES)
def test_exact_errors_equal_enumeration(name, formula):
    known = Concept.parse(formula, n_attributes=N_ATTRIBUTES, balance=0.4)
    noisy = Concept.parse(formula, n_attributes=N_ATTRIBUTES, noise=0.2)
    for each, n in itertools.product((known, noisy), (8, 30, 100)):
        model = fitted(WITH_RULES[name](), each, n, seed=n)
        error = each.true_error(model)
        assert error.exact or name == "discrimination, made features"
        assert error.value == pytest.approx(by_enumeration(each, model), abs=1e-12 + 4 * error.standard_error)


@pytest.mark.parametrize("name", WITHOUT_RULES)
def test_simulated_errors_are_near_enumeration(name):
    known = Concept.parse("A B | ~C D", n_attributes=N_ATTRIBUTES)
    model = fitted(WITHOUT_RULES[name](), known, 30, seed=0)
    error = known.true_error(model, random_state=0)
    assert not error.exact
    assert abs(error.value - by_enumeration(known, model)) <= 4 * error.standard_error


@pytest.mark.parametrize(
    "name", ["foil", "c4.5 rules", "c5 rules", "one r", "id3", "c4.5 tree", "sklearn tree"]
)
def test_numbers_instead_of_truth_values(name):
    known = Concept.parse("A B | ~C D", n_attributes=N_ATTRIBUTES)
    X, y = known.sample(60, random_state=0)
    model = WITH_RULES[name]()
    if "target" in model.get_params():
        model.set_params(target=1)
    model.fit(X.astype(float), y.astype(int))
    truth, said = known.label(EVERY_CASE), model.predict(EVERY_CASE.astype(float)) == 1
    expected = (np.mean(~said[truth]) + np.mean(said[~truth])) / 2
    error = known.true_error(model, random_state=0)
    assert error.value == pytest.approx(expected, abs=1e-12 + 4 * error.standard_error)


@pytest.mark.parametrize("name", ["foil", "prism", "induct", "c5 rules", "sklearn tree", "foil, one concept"])
def test_fifty_attributes_against_simulation(name):
    known = concept("dnf2")
    model = fitted(WITH_RULES[name](), known, 60, seed=1)
    exact, simulated = known.true_error(model), known.true_error(model, max_states=0, random_state=0)
    assert exact.exact
    assert not simulated.exact
    assert abs(exact.value - simulated.value) <= 4 * simulated.standard_error


@pytest.mark.parametrize("name", WITH_RULES)
def test_one_class_alone(name):
    known = concept("dnf3")
    X, y = known.sample(40, random_state=0)
    model = WITH_RULES[name]()
    if "target" in model.get_params():
        model.set_params(target=None)
    error = known.true_error(model.fit(X[y], y[y]))
    assert error.value == pytest.approx(0.5)
    assert error.missed == 0
