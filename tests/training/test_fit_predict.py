"""Rows of any table, seeds, and classes that a model has not seen."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.ensemble import StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedGroupKFold,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import fivefold as ff
from fivefold.errors import InputError, InputTypeError
from fivefold.learners.labels import NumberedClasses
from fivefold.training.class_alignment import align_columns, labels_at
from fivefold.training.fit_predict import take_rows
from fivefold.training.seeds import derive_seed, seeded
from fivefold.training.splits import FoldSplits, Resamples, groups_for

NUMBERS = np.arange(12.0).reshape(6, 2)
ROWS = np.array([5, 0, 0, 3])
TABLES = {
    "array": NUMBERS,
    "list": NUMBERS.tolist(),
    "pandas": pd.DataFrame(NUMBERS, index=list("fedcba")),
    "polars": pl.DataFrame(NUMBERS),
    "pyarrow": pa.table({"a": NUMBERS[:, 0], "b": NUMBERS[:, 1]}),
    "sparse": sparse.csr_array(NUMBERS),
}


@pytest.mark.parametrize("kind", TABLES)
def test_rows_are_taken_in_the_kind_of_table_that_came_in(kind):
    table = TABLES[kind]
    taken = take_rows(table, ROWS)
    assert type(taken) is type(table)
    plain = taken.to_pandas() if kind == "pyarrow" else taken.toarray() if kind == "sparse" else taken
    assert np.asarray(plain).tolist() == NUMBERS[ROWS].tolist()


def test_only_seeds_that_are_none_are_set():
    free = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    assert seeded(free, 7, by_name=False)[-1].random_state == 7
    assert seeded(free, 7)[-1].random_state == derive_seed(7, "decisiontreeclassifier__random_state")
    assert seeded(free, None)[-1].random_state is None
    assert free[-1].random_state is None
    assert seeded(DecisionTreeClassifier(random_state=3), 7).random_state == 3


def test_splitters_inside_of_models_deal_alike_each_time():
    X, y = np.arange(40.0).reshape(20, 2), np.tile([0, 1], 10)
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=KFold(2, shuffle=True))
    deals = [seeded(search, seed).cv for seed in (7, 7, 8)]
    first, again, other = ([test.tolist() for _, test in deal.split(X, y)] for deal in deals)
    assert first == again != other
    assert search.cv.random_state is None
    assert seeded(GridSearchCV(DecisionTreeClassifier(), {}, cv=KFold(2)), 7).cv.random_state is None
    noise = np.random.default_rng(0).normal(size=(20, 3))
    estimates = [ff.truth.estimate_error(GaussianNB(), noise, y, cv=ShuffleSplit(9)) for _ in range(2)]
    assert estimates[0].scores.tolist() == estimates[1].scores.tolist()


@pytest.mark.parametrize("column", [list, pd.Series, pl.Series, np.array], ids=lambda kind: kind.__module__)
def test_a_column_of_texts_is_learned_from_and_known_again(column):
    y = np.tile(["egg", "spam"], 30)
    texts = [f"{word} {number}" for number, word in enumerate(y)]
    learner = make_pipeline(CountVectorizer(), MultinomialNB())
    assert ff.truth.estimate_error(learner, column(texts), y).value < 0.1
    comparison = ff.truth.compare(
        learner, learner, texts, y, n_repeats=1, X_test=column(texts[:20]), y_test=y[:20]
    )
    assert "all 20 cases of X_test are in X" in comparison.warnings[0]


def test_what_predicts_only_once_it_is_fitted_can_be_judged():
    X, y = np.arange(60.0).reshape(30, 2), np.tile(["a", "b"], 15)
    stacked = StackingClassifier([("tree", DecisionTreeClassifier(max_depth=1))], cv=2)
    assert not hasattr(stacked, "predict")
    for model in (stacked, make_pipeline(StandardScaler(), stacked)):
        assert 0 <= ff.truth.estimate_error(model, X, y, n_splits=3).value <= 1
        assert ff.evaluate({"stacked": model}, X, y, views=["bits"]).n_cases == 10
    with pytest.raises(InputTypeError, match="without predict"):
        ff.truth.estimate_error(make_pipeline(StandardScaler()), X, y)
    with pytest.raises(InputTypeError, match="refit=True"):
        ff.evaluate({"search": GridSearchCV(stacked, {}, refit=False)}, X, y)


class OfOnesOwn:
    """Halves that must know the groups of the rows, which the second column of the table says, too."""

    def get_n_splits(self, *told, **named):
        return 2

    def split(self, X, y, groups):
        assert np.array_equal(
            np.unique(X[:, 1], return_inverse=True)[1], np.unique(groups, return_inverse=True)[1]
        )
        return GroupKFold(2).split(X, y, groups)


def grown(cv):
    return GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}, cv=cv)


SEARCHES = {
    "groups": grown(GroupKFold(3)),
    "own": grown(OfOnesOwn()),
    "pipeline": make_pipeline("passthrough", make_pipeline("passthrough", grown(OfOnesOwn()))),
    "numbered": NumberedClasses(grown(OfOnesOwn())),
    "guard": ff.slices.SliceGuard(DecisionTreeClassifier(max_depth=2), cv=GroupKFold(2)),
    "guarded": ff.slices.SliceGuard(grown(GroupKFold(2)), cv=3),
    "plain": grown(KFold(2)),  # whose warning about groups would be an error here
    "number": grown(2),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_searches_that_deal_groups_are_told_those_of_their_training_cases(name):
    search, who = SEARCHES[name], np.arange(90) // 3
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=90), who])
    y = np.where(X[:, 0] + rng.normal(size=90) / 2 > 0, "yes", "no")
    estimate = ff.truth.estimate_error(
        search, X, y, groups=who, n_splits=3, interval="nested-cv", nested_repeats=1
    )
    assert estimate.interval.low < estimate.value < estimate.interval.high
    ff.truth.estimate_error(search, X, y, groups=who, method="632+", n_resamples=2)
    options = {"n_splits": 3, "n_repeats": 1, "test_size": 0.3, "groups": who}
    assert ff.truth.compare(search, GaussianNB(), X, y, **options).mcnemar.n >= 27
    assert len(ff.truth.error_by_size(search, X, y, groups=who, n_splits=3, n_repeats=1).sizes) == 3
    assert ff.evaluate(search, X, y, groups=who, views=["truth"], budget=0).n_cases == 30
    assert ff.slices.SliceGuard(search, fallback=search, cv=2).fit(X, y, groups=who).predict(X).size == 90


def test_where_no_groups_are_known_a_search_is_told_none():
    assert groups_for(SEARCHES["own"], None) == {}
    assert groups_for(make_pipeline(StandardScaler()), None) == {}


DEALERS = [GroupKFold(4), StratifiedGroupKFold(4), GroupShuffleSplit(2), LeaveOneGroupOut()]


@pytest.mark.parametrize("cv", DEALERS, ids=lambda cv: type(cv).__name__)
@pytest.mark.parametrize("guarded", [False, True])
def test_a_search_that_deals_groups_says_what_groups_it_lacks(cv, guarded):
    search = ff.slices.SliceGuard(grown(cv), cv=2) if guarded else make_pipeline("passthrough", grown(cv))
    X, y = np.random.default_rng(0).normal(size=(90, 2)), np.array(["yes", "no", "no"] * 30)
    needs = f"expected groups= for {type(cv).__name__}, which deals whole groups; got none"
    with pytest.raises(InputError, match=needs):
        ff.evaluate(search, X, y, views=["truth"], budget=0)
    with pytest.raises(InputError, match=needs):
        ff.truth.estimate_error(search, X, y, n_splits=2)
    least = 2 if isinstance(cv, GroupShuffleSplit | LeaveOneGroupOut) else 4
    if guarded or least > 2:  # a search alone always has two groups to learn from
        with pytest.raises(
            InputError, match=rf"at least {least} groups for {type(cv).__name__}; got \d among"
        ):
            ff.evaluate(search, X, y, views=["truth"], budget=0, groups=np.arange(90) % 4)


def test_classes_that_a_model_does_not_know_have_columns_of_zeros():
    classes = np.array(["a", "b", "c", "d"])
    aligned = align_columns(np.array([[0.25, 0.75]]), np.array(["b", "d"], dtype=object), classes)
    assert aligned.tolist() == [[0.0, 0.25, 0.0, 0.75]]
    with pytest.raises(InputError, match="'e'"):
        align_columns(np.ones((1, 1)), ["e"], classes)


def test_no_answer_is_none():
    assert labels_at(np.array([1, -1, 0]), np.array(["a", "b"])).tolist() == ["b", None, "a"]


def test_folds_and_resamples_agree_with_their_counts():
    for splits in (
        FoldSplits(np.array([[0, 1, 2, -1], [2, 1, 0, -1]]), [(0,), (1,), (0, 2)]),
        Resamples(np.array([[2, 0, 1, 1], [1, 1, 1, 1]]), out_of_bag=True),
    ):
        places = range(len(splits))
        counts, asked = splits.counts_and_asked(places)
        for place in places:
            assert np.repeat(np.arange(4), counts[place]).tolist() == splits.train(place).tolist()
            assert np.flatnonzero(asked[place]).tolist() == splits.test(place).tolist()
            assert not (counts[place] > 0)[asked[place]].any()
