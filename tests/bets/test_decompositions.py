"""Scores taken apart and put together again, exactly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

import fivefold as ff
from fivefold.errors import InputError

from .tables import coarse, inner, many_classes, two_classes


def together(parts):
    return parts.miscalibration - parts.discrimination + parts.uncertainty + parts.within


def events(truth, stated):
    """The selected class's probability and whether it was right."""
    chosen = stated.argmax(axis=1)
    return stated.max(axis=1), (truth == chosen).astype(float)


@given(two_classes(max_size=80), st.integers(2, 12))
def test_brier_identity(table, least):
    truth, p = table
    score = ff.bets.brier_score(truth, p, classes=[0, 1])
    for parts in (
        ff.bets.brier_decomposition(truth, p, classes=[0, 1]),
        ff.bets.brier_decomposition(truth, p, classes=[0, 1], by="cells", min_cases=least),
    ):
        assert parts.score == pytest.approx(score, abs=1e-12)
        assert together(parts) == pytest.approx(parts.score, abs=1e-12)
        assert parts.miscalibration >= 0
        assert parts.discrimination >= 0
        assert parts.uncertainty == pytest.approx(truth.mean() * (1 - truth.mean()))


@given(two_classes(p=coarse, max_size=80))
def test_brier_within_cells_vanishes_where_cells_are_distinct_values(table):
    truth, p = table
    parts = ff.bets.brier_decomposition(truth, p, classes=[0, 1])
    assert parts.within == 0
    # by hand over the distinct values
    rel = sum(np.mean(p == v) * (v - truth[p == v].mean()) ** 2 for v in np.unique(p))
    res = sum(np.mean(p == v) * (truth.mean() - truth[p == v].mean()) ** 2 for v in np.unique(p))
    assert (parts.miscalibration, parts.discrimination) == (pytest.approx(rel), pytest.approx(res))


@given(two_classes(p=st.one_of(inner, st.integers(1, 7).map(lambda k: k / 8)), max_size=80))
def test_log_score_identity(table):
    truth, p = table
    parts = ff.bets.log_score_decomposition(truth, p, classes=[0, 1])
    assert parts.score == pytest.approx(ff.bets.log_score(truth, p, classes=[0, 1]))
    assert together(parts) == pytest.approx(parts.score, abs=1e-10)
    assert parts.miscalibration >= -1e-12
    assert parts.discrimination >= -1e-12
    assert 0 <= parts.uncertainty <= 1


@given(two_classes(max_size=60))
def test_log_score_is_infinite_only_through_miscalibration(table):
    truth, p = table
    parts = ff.bets.log_score_decomposition(truth, p, classes=[0, 1])
    ruined = np.any((p == 1) & (truth == 0)) or np.any((p == 0) & (truth == 1))
    assert np.isinf(parts.score) == np.isinf(parts.miscalibration)
    assert np.isinf(parts.score) or not ruined
    assert np.isfinite(parts.discrimination)
    assert np.isfinite(parts.uncertainty)


@pytest.mark.parametrize("score", ["log", "brier"])
@given(two_classes(p=inner, max_size=60))
def test_corp_identity_and_signs(score, table):
    truth, p = table
    parts = ff.bets.corp_decomposition(truth, p, classes=[0, 1], score=score)
    assert together(parts) == pytest.approx(parts.score, abs=1e-10)
    # the isotonic fit beats both the stated values and the base rate, in either score
    assert parts.miscalibration >= -1e-10
    assert parts.discrimination >= -1e-10


@given(two_classes(p=st.one_of(coarse, st.integers(0, 500).map(lambda k: k / 500)), max_size=60))
def test_corp_uses_the_isotonic_fit(table):
    truth, p = table
    fitted = IsotonicRegression(y_min=0, y_max=1).fit(p, truth).predict(p)
    parts = ff.bets.corp_decomposition(truth, p, classes=[0, 1], score="brier")
    assert parts.miscalibration == pytest.approx(
        np.mean((p - truth) ** 2) - np.mean((fitted - truth) ** 2), abs=1e-9
    )


@given(many_classes(max_size=60))
def test_the_event_of_many_classes_is_the_selected_one(table):
    truth, stated = table
    p, f = events(truth, stated)
    k = stated.shape[1]
    for parts in (
        ff.bets.brier_decomposition(truth, stated, classes=range(k)),
        ff.bets.brier_decomposition(truth, stated, classes=range(k), event="selected", by="cells"),
    ):
        assert parts.score == pytest.approx(np.mean((p - f) ** 2))
        assert together(parts) == pytest.approx(parts.score, abs=1e-12)


@given(many_classes(max_size=40), st.data())
def test_an_event_may_be_any_class(table, data):
    truth, stated = table
    k = stated.shape[1]
    label = data.draw(st.integers(0, k - 1))
    parts = ff.bets.brier_decomposition(truth, stated, classes=range(k), event=label)
    assert parts.score == pytest.approx(np.mean((stated[:, label] - (truth == label)) ** 2))
    assert parts.uncertainty == pytest.approx(np.mean(truth == label) * np.mean(truth != label))


def test_a_probability_above_one_by_rounding_is_ruin_and_not_nan():
    stated = [[1.000001, 0.0], [1.000001, 0.0], [0.5, 0.5]]
    for decompose in (ff.bets.log_score_decomposition, ff.bets.corp_decomposition):
        assert decompose([0, 1, 0], stated, event=0).score == np.inf


@pytest.mark.parametrize(
    ("decompose", "option"),
    [(ff.bets.brier_decomposition, {"by": "bins"}), (ff.bets.corp_decomposition, {"score": "auc"})],
)
def test_unknown_options_are_shown(decompose, option):
    with pytest.raises(InputError, match=next(iter(option.values()))):
        decompose([0, 1], [0.2, 0.3], **option)
