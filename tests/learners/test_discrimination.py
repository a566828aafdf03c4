from fractions import Fraction
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import fivefold as ff
from fivefold.data.conditions import Equals, OneOf, Rule, Within
from fivefold.errors import InputError, InputTypeError
from fivefold.inputs.columns import read_columns
from fivefold.learners import ParsimoniousDiscrimination, RuleSet
from fivefold.learners.rules.discrimination import minimal_covers, most_uniform

from .classic_cases import frame_of, lenses, tables

ANIMALS = pl.DataFrame(
    {
        "legs": [4, 4, 2, 0],
        "fur": ["y", "y", "n", "n"],
        "barks": ["y", "n", "n", "n"],
        "flies": ["n", "n", "y", "n"],
    }
)
NAMES = ["dog", "cat", "bird", "fish"]


def test_animals():
    model = ParsimoniousDiscrimination().fit(ANIMALS, NAMES)
    assert model.contrasters_ == {
        ("cat", "dog"): ("barks",),
        ("bird", "dog"): ("legs", "fur", "barks", "flies"),
        ("dog", "fish"): ("legs", "fur", "barks"),
        ("bird", "cat"): ("legs", "fur", "flies"),
        ("cat", "fish"): ("legs", "fur"),
        ("bird", "fish"): ("legs", "flies"),
    }
    assert model.feature_sets_ == (("legs", "barks"),)
    assert model.profiles_ == {
        "dog": ("barks",),
        "cat": ("legs", "barks"),
        "bird": ("legs",),
        "fish": ("legs",),
    }
    assert str(model).splitlines()[1:] == [
        "bird: legs = 2",
        "cat: legs = 4 and barks = n",
        "dog: barks = y",
        "fish: legs = 0",
    ]
    assert model.uncontrasted_ == ()
    assert model.predict(ANIMALS).tolist() == NAMES


def test_animals_of_other_kinds():
    model = ParsimoniousDiscrimination().fit(ANIMALS, NAMES)
    others = ANIMALS[[0, 0, 0]].with_columns(legs=pl.Series([3, None, 2]))
    # three-legged or not: it barks; a barking biped is a bird as well
    assert [model.classes_[row].tolist() for row in model.predict_sets(others)] == [
        ["dog"],
        ["dog"],
        ["bird", "dog"],
    ]


# the search, against trying everything


@st.composite
def covers(draw):
    n = draw(st.integers(1, 9))
    return draw(st.lists(st.integers(0, 2**n - 1), min_size=1, max_size=7))


def _brute_covers(masks):
    union = 0
    for mask in masks:
        union |= mask
    for size in range(len(masks) + 1):
        found = []
        for places in combinations(range(len(masks)), size):
            reached = 0
            for place in places:
                reached |= masks[place]
            found += [places] if reached == union else []
        if found:
            return found
    raise AssertionError


@given(covers())
def test_all_smallest_covers_in_order(masks):
    expected = _brute_covers(masks)
    assert minimal_covers(masks, max_covers=10_000) == expected
    assert minimal_covers(masks, max_covers=2) == expected[:2]


def test_a_cover_of_many():
    # every pair of 12 features has an element of its own: all but one feature are needed
    masks = [0] * 12
    for element, pair in enumerate(combinations(range(12), 2)):
        for place in pair:
            masks[place] |= 1 << element
    found = minimal_covers(masks, max_covers=100)
    assert found == list(combinations(range(12), 11))


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True), max_size=6))
def test_most_uniform_profiles(letters):
    alternatives = [sorted((ord(letter),) for letter in own) for own in letters]

    def alike(profiles):
        return sum(one == other for one, other in combinations(profiles, 2))

    every = sorted(product(*alternatives))
    best = max(map(alike, every))
    assert most_uniform(alternatives) == next(one for one in every if alike(one) == best)


# contrasts and profiles, by definition


def _known(train, y, name, label):
    return [v for v, c in zip(train[name], y, strict=True) if c == label and v is not None]


def _contrasts(train, y, name, one, other, overlap):
    values, others = _known(train, y, name, one), _known(train, y, name, other)
    if not values or not others:
        return False
    if name.startswith("numeric"):
        low, high = max(min(values), min(others)), min(max(values), max(others))
        doubtful = sum(low <= v <= high for v in values + others)
    else:
        doubtful = sum(v in others for v in values) + sum(v in values for v in others)
    return Fraction(doubtful, len(values) + len(others)) <= Fraction(str(overlap))


def _fits(train, y, profile, label, case):
    def fit(name):
        values, own = _known(train, y, name, label), case[name]
        if own is None:
            return False
        return min(values) <= own <= max(values) if name.startswith("numeric") else own in values

    return all(fit(name) for name in profile)


def _smallest(names, needed):
    """All smallest sets of names, in order, of which one is in each of the needed sets."""
    for size in range(len(names) + 1):
        found = [own for own in combinations(names, size) if all(set(own) & one for one in needed)]
        if found:
            return found
    raise AssertionError


def _best_profiles(sets, contrasters, labels):
    """Try all smallest sets and all combinations of smallest profiles."""
    options = []
    for place, chosen in enumerate(sets):
        alternatives = [
            _smallest(chosen, [names & set(chosen) for pair, names in contrasters.items() if c in pair])
            for c in labels
        ]
        for profiles in product(*alternatives):
            alike = sum(one == other for one, other in combinations(profiles, 2))
            order = [[chosen.index(name) for name in own] for own in profiles]
            options.append((sum(map(len, profiles)), -alike, place, order, chosen, profiles))
    return min(options)[4:]


@given(tables(max_rows=10, max_columns=4), st.sampled_from([0, 0.2, 0.5]))
def test_agrees_with_trying_everything(table, overlap):
    train, y, test = table
    labels, names = sorted(set(y)), list(train)
    model = ParsimoniousDiscrimination(max_overlap=overlap).fit(frame_of(train), y)
    contrasters = {
        (one, other): tuple(name for name in names if _contrasts(train, y, name, one, other, overlap))
        for one, other in combinations(labels, 2)
    }
    assert model.contrasters_ == contrasters
    told = {pair: set(own) for pair, own in contrasters.items() if own}
    assert model.uncontrasted_ == tuple(pair for pair in contrasters if pair not in told)
    sets = _smallest(names, list(told.values()))
    assert model.feature_sets_ == tuple(sets)
    chosen, profiles = _best_profiles(sets, told, labels)
    assert model.features_ == chosen
    assert model.profiles_ == dict(zip(labels, profiles, strict=True))
    cases = [dict(zip(test, row, strict=True)) for row in zip(*test.values(), strict=True)]
    assert model.predict_sets(frame_of(test)).tolist() == [
        [_fits(train, y, profile, c, case) for c, profile in zip(labels, profiles, strict=True)]
        for case in cases
    ]


@given(tables())
def test_complete_cases_fit_their_own_class(table):
    train, y, _ = table
    X = frame_of(train)
    for options in ({}, {"open_ranges": True}):
        model = ParsimoniousDiscrimination(**options).fit(X, y)
        own = model.predict_sets(X)[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        asked = [[v is not None for v in train[name]] for name in model.features_]
        assert own[np.all(asked, axis=0) if asked else slice(None)].all()


@given(tables())
def test_without_overlap_contrasted_classes_do_not_answer_together(table):
    train, y, _ = table
    X = frame_of(train)
    for open_ranges in (False, True):
        model = ParsimoniousDiscrimination(open_ranges=open_ranges).fit(X, y)
        sets, labels = model.predict_sets(X), model.classes_.tolist()
        for one, other in set(combinations(labels, 2)) - set(model.uncontrasted_):
            both = sets[:, labels.index(one)] & sets[:, labels.index(other)]
            truth = np.array(y)[both]
            # a case of either class fits at most its own profile
            assert not set(truth.tolist()) & {one, other}


@given(tables())
def test_rules_say_what_is_predicted(table):
    train, y, test = table
    model = ParsimoniousDiscrimination(open_ranges=True).fit(frame_of(train), y)
    columns = read_columns(frame_of(test), like=model.columns_)
    holds = np.array([rule.holds(columns) for rule in model.rules()]).T
    np.testing.assert_array_equal(model.predict_sets(frame_of(test)), holds)
    assert isinstance(model.theory(), RuleSet)


# ranges


def test_ranges_end_at_their_numbers_or_midway():
    X = pl.DataFrame({"x": [1.0, 2.0, 5.0, 6.0, 9.0]})
    y = ["a", "a", "b", "b", "c"]
    closed = ParsimoniousDiscrimination().fit(X, y)
    assert str(closed).splitlines()[1:] == ["a: 1 <= x <= 2", "b: 5 <= x <= 6", "c: x = 9"]
    new = pl.DataFrame({"x": [0.0, 1.0, 3.5, 3.6, 7.5, 10.0]})
    assert closed.predict_sets(new).any(axis=1).tolist() == [False, True, False, False, False, False]
    wide = ParsimoniousDiscrimination(open_ranges=True).fit(X, y)
    assert str(wide).splitlines()[1:] == ["a: x <= 3.5", "b: 3.5 < x <= 7.5", "c: x > 7.5"]
    assert wide.predict(new).tolist() == ["a", "a", "a", "b", "b", "c"]


def test_a_range_does_not_widen_towards_one_that_overlaps():
    x = [*np.linspace(0, 1, 20), 1.0, *np.linspace(1, 2, 19), 5.0]
    y = ["a"] * 20 + ["b"] * 20 + ["c"]
    model = ParsimoniousDiscrimination(open_ranges=True, max_overlap=0.1).fit(pl.DataFrame({"x": x}), y)
    assert model.uncontrasted_ == ()
    assert model.rules()[0].terms == (Within("x", -5e-324, 1.0),)
    assert model.rules()[2].terms == (Within("x", 3.5, np.inf),)


def test_several_values():
    X = pl.DataFrame({"colour": ["red", "blue", "green", None]})
    model = ParsimoniousDiscrimination().fit(X, ["a", "a", "b", "a"])
    assert model.rules() == [
        Rule((OneOf("colour", ("blue", "red")),), "a"),
        Rule((Equals("colour", "green"),), "b"),
    ]
    assert model.predict_sets(pl.DataFrame({"colour": ["red", None, "mauve"]})).tolist() == [
        [True, False],
        [False, False],
        [False, False],
    ]


# features made of several columns


def test_exclusive_or_takes_two_columns():
    X = pl.DataFrame({"a": [True, True, False, False], "b": [True, False, True, False]})
    y = ["even", "odd", "odd", "even"]
    plain = ParsimoniousDiscrimination().fit(X, y)
    assert plain.uncontrasted_ == (("even", "odd"),)
    assert plain.predict_sets(X).all()
    model = ParsimoniousDiscrimination(max_combined=2).fit(X, y)
    assert model.features_ == ("(a equals b)",)
    assert model.predict(X).tolist() == y
    assert model.theory() is None
    assert ff.bits.theory_length(model, X) is None


def test_parity_takes_three_columns():
    rows = list(product([False, True], repeat=3))
    X = pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")
    y = [sum(row) % 2 for row in rows]
    assert ParsimoniousDiscrimination(max_combined=2).fit(X, y).uncontrasted_ == ((0, 1),)
    model = ParsimoniousDiscrimination(max_combined=3).fit(X, y)
    assert model.features_ == ("((a equals b) equals c)",)
    assert model.predict(X).tolist() == y


@pytest.mark.parametrize("operator", ["+", "-", "*", "/"])
def test_arithmetic(operator):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 3, size=(2, 200))
    made = {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[operator]
    middle = np.median(made)
    apart = abs(made - middle) > 0.05 * (made.max() - made.min())
    X, y = pl.DataFrame({"a": a[apart], "b": b[apart]}), made[apart] > middle
    model = ParsimoniousDiscrimination(max_combined=2).fit(X, y)
    assert f"(a {operator} b)" in {name for (name,) in model.feature_sets_}
    assert (model.predict(X) == y).all()


def test_a_division_by_zero_makes_no_feature():
    X = pl.DataFrame({"a": [1.0, 2.0, 4.0, 8.0], "b": [1.0, 2.0, 0.0, 4.0]})
    y = ["same", "same", "other", "other"]
    model = ParsimoniousDiscrimination(max_combined=2).fit(X, y)
    assert "(a / b)" not in {name for names in model.contrasters_.values() for name in names}
    ratio = ParsimoniousDiscrimination(max_combined=2).fit(
        pl.DataFrame({"a": [1.0, 4.0, 2.0, 9.0], "b": [1.0, 4.0, 1.0, 3.0]}), y
    )
    assert ratio.features_ == ("(a - b)",) or "/" in ratio.features_[0]
    new = pl.DataFrame({"a": [5.0, None], "b": [0.0, 1.0]})
    assert not ratio.predict_sets(new)[1].any()


def test_words_of_logic_name_the_value():
    X = pl.DataFrame({"fur": ["n", "n", "y", "y"], "wet": [False, True, False, True]})
    model = ParsimoniousDiscrimination(max_combined=2).fit(X, ["dry", "dry", "dry", "seal"])
    assert model.features_ == ("(fur = y and wet)",)
    assert str(model).splitlines()[1:] == ["dry: (fur = y and wet) = False", "seal: (fur = y and wet) = True"]


def test_columns_are_not_combined_without_need():
    model = ParsimoniousDiscrimination(max_combined=3).fit(ANIMALS, NAMES)
    assert model.features_ == ("legs", "barks")


# edges


def test_iris():
    X, y = load_iris(return_X_y=True)
    model = ParsimoniousDiscrimination().fit(X, y)
    assert model.uncontrasted_ == ((1, 2),)
    assert len(model.features_) == 1
    assert ParsimoniousDiscrimination(max_overlap=0.4).fit(X, y).uncontrasted_ == ()


def test_one_class_fits_everything():
    X, _ = lenses()
    model = ParsimoniousDiscrimination().fit(X, ["one"] * 24)
    assert model.predict_sets(X).all()
    assert str(model) == "told apart by none of age, prescription, astigmatism, tears\none: anything"


def test_values_that_a_class_lacks_do_not_contrast_it():
    X = pl.DataFrame({"x": [1.0, None, None]})
    model = ParsimoniousDiscrimination().fit(X, ["a", "b", "b"])
    assert model.uncontrasted_ == (("a", "b"),)


def test_length_in_bits():
    assert ff.bits.theory_length(ParsimoniousDiscrimination().fit(ANIMALS, NAMES), ANIMALS) > 0


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_features": 1}, InputError, "at most 1 features that contrast every pair"),
        ({"max_features": 0}, InputError, "max_features to be at least 1; got 0"),
        ({"max_sets": 0}, InputError, "max_sets to be at least 1"),
        ({"max_overlap": 1.5}, InputError, "max_overlap to lie between 0 and 1; got 1.5"),
        ({"max_combined": 4}, InputError, "max_combined to be 1, 2 or 3; got 4"),
        ({"max_combined": "two"}, InputTypeError, "max_combined to be a whole number; got 'two'"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        ParsimoniousDiscrimination(**options).fit(ANIMALS, NAMES)
