"""The expected calibration error by brute force, and its bias."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fivefold as ff
from fivefold.errors import InputError, InputTypeError

from . import reference
from .tables import many_classes, two_classes, weights_for


@given(two_classes(), st.sampled_from([1, 2, 4, 8, 10, 15]))
def test_equal_width_by_brute_force(table, n_bins):
    truth, p = table
    result = ff.bets.expected_calibration_error(truth, p, classes=[0, 1], n_bins=n_bins, event=1)
    pairs = list(zip(p.tolist(), truth.tolist(), strict=True))
    edges = np.linspace(0, 1, n_bins + 1)
    if not np.isin(p, edges[1:-1]).any():  # where 1/b is not exact, both ways to write an edge are right
        assert result == pytest.approx(reference.expected_calibration_error(pairs, n_bins), abs=1e-12)


@given(many_classes())
def test_one_bin_is_the_absolute_signed_confidence(table):
    truth, stated = table
    k = stated.shape[1]
    result = ff.bets.expected_calibration_error(truth, stated, classes=range(k), n_bins=1)
    assert result == pytest.approx(abs(ff.bets.signed_confidence(truth, stated, classes=range(k))), abs=1e-12)


@given(st.data(), st.sampled_from(["width", "mass"]), st.integers(1, 6))
def test_whole_weights_repeat_cases(data, strategy, n_bins):
    truth, p = data.draw(two_classes(max_size=25))
    weights = data.draw(weights_for(p.size))
    options = {"classes": [0, 1], "n_bins": n_bins, "strategy": strategy}
    weighted = ff.bets.expected_calibration_error(truth, p, sample_weight=weights, **options)
    repeated = ff.bets.expected_calibration_error(np.repeat(truth, weights), np.repeat(p, weights), **options)
    assert weighted == pytest.approx(repeated, abs=1e-12)


@given(two_classes(max_size=80), st.integers(1, 8))
def test_mass_bins_keep_equals_together_and_are_not_too_large(table, n_bins):
    truth, p = table
    bins = ff.bets.expected_calibration_error_details(
        truth, p, classes=[0, 1], n_bins=n_bins, strategy="mass", event=1
    ).bins
    for value in np.unique(p):
        assert np.unique(bins[p == value]).size == 1
    counts = np.bincount(bins)
    largest_tie = np.unique(p, return_counts=True)[1].max()
    assert counts.max() <= np.ceil(p.size / n_bins) + largest_tie


def test_debiased_by_hand():
    # two bins of four: shares 3/4 and 1/4 at .9 and .1; squared gap .0225 less .1875/3 = .0625 in both
    truth, p = [1, 1, 1, 0, 0, 0, 0, 1], [0.9] * 4 + [0.1] * 4
    assert ff.bets.debiased_calibration_error(truth, p, event=1, n_bins=2) == 0
    # and shares 0 and 1: nothing to take off
    worst = ff.bets.debiased_calibration_error([0] * 4 + [1] * 4, p, event=1, n_bins=2)
    assert worst == pytest.approx(0.9)
    # shares 1/4 and 3/4 at .9 and .1: .4225 - .0625
    middling = ff.bets.debiased_calibration_error([1, 0, 0, 0, 0, 1, 1, 1], p, event=1, n_bins=2)
    assert middling == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("option", "error"),
    [({"n_bins": 0}, InputError), ({"n_bins": 1.5}, InputTypeError), ({"strategy": "kmeans"}, InputError)],
)
def test_unknown_options_are_shown(option, error):
    for measure in (ff.bets.expected_calibration_error, ff.bets.debiased_calibration_error):
        with pytest.raises(error, match=str(next(iter(option.values())))):
            measure([0, 1], [0.2, 0.3], **option)
