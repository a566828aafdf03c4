"""Bailey and Elkan (1993): the table of the scatter experiments, cell by cell, with new training sets.

100 training sets of 100 cases for each concept. A cell agrees if our mean and the printed one differ by less than
3.5 standard errors of their difference, which one of 12 equal cells would exceed in one of 180 experiments.
The learner is FOIL as the paper describes it: the gain of the 1990 paper, no pruning. The clause pruning of FOIL
6.4 gives other numbers (an error of about 10 % on dnf1_star).
"""

from functools import cache

import numpy as np
import pytest

from fivefold.learners import Foil
from fivefold.truth import simulate

pytestmark = [pytest.mark.published, pytest.mark.slow]

AGREE = 3.5
RUNS = 100
FOIL = Foil(target=True, info="paper", pruning=False)

# means and sample standard deviations in per cent: true error, leave-one-out, .632
PRINTED = {
    "dnf1": ((5.23, 8.35), (6.04, 6.53), (11.80, 3.24)),
    "dnf2": ((4.57, 7.95), (4.69, 5.42), (15.16, 3.12)),
    "dnf3": ((0.91, 3.08), (0.85, 1.61), (2.89, 1.58)),
    "dnf4": ((0.73, 2.56), (0.94, 1.71), (3.47, 1.41)),
}
MEASURES = ("true error", "loo", "632")
# the formula that is printed as dnf1 is not the one behind the numbers; dnf1_star is our conjecture
OURS = {"dnf1": "dnf1_star", "dnf2": "dnf2", "dnf3": "dnf3", "dnf4": "dnf4"}
# our .632 is lower: presumably their FOIL learnt worse from multisets
LOWER = {("dnf2", "632"), ("dnf4", "632")}


@cache
def runs(name):
    return simulate(FOIL, name, 100, methods=("loo", "632"), n_repeats=RUNS, random_state=0)


def values(name, measure):
    found = runs(name)
    return 100 * (found.true_error if measure == "true error" else found.estimates[measure])


def z_score(name, measure, printed):
    ours = values(name, measure)
    mean, spread = printed
    return (ours.mean() - mean) / np.sqrt((ours.var(ddof=1) + spread**2) / RUNS)


def agrees(name, measure, cell):
    z = z_score(name, measure, cell)
    if (name, measure) in LOWER:
        # .632 on dnf2 and dnf4: about 13.9 and 2.5 against 15.2 and 3.5
        return -10 < z < 0 and abs(values(name, measure).mean() - cell[0]) < 2.5
    return abs(z) < AGREE


@pytest.mark.parametrize("name", PRINTED)
def test_means_and_spreads_of_the_table(name):
    """All cells of a concept at once: they come from the same runs."""
    for measure, cell in zip(MEASURES, PRINTED[name], strict=True):
        assert agrees(OURS[name], measure, cell), measure
        # Errors are mostly 0 and sometimes large: a standard deviation of 100 such values has a relative standard
        # error of sqrt((kurtosis - 1) / 400), about 20 % at a kurtosis of 15, and so has the printed one.
        assert 1 / 2.2 < values(OURS[name], measure).std(ddof=1) / cell[1] < 2.2, measure


def test_the_printed_dnf1_does_not_give_the_printed_numbers():
    assert z_score("dnf1", "true error", PRINTED["dnf1"][0]) > AGREE


def pooled_correlation(measure):
    truth, told = (
        np.concatenate([values(name, each) for name in OURS.values()]) for each in ("true error", measure)
    )
    return np.corrcoef(truth, told)[0, 1]


def test_correlations_over_all_concepts():
    # printed: around 0.76, and close to zero; the latter holds within dnf2 and dnf3 but not over all concepts
    assert pooled_correlation("loo") == pytest.approx(0.76, abs=0.1)
    assert 0.25 < pooled_correlation("632") < 0.6
    for name in ("dnf2", "dnf3"):
        assert abs(runs(name).quality["632"].correlation) < 0.3


@pytest.mark.parametrize("name", OURS.values())
def test_what_the_paper_concludes_from_the_table(name):
    found = runs(name)
    loo, mixed = found.quality["loo"], found.quality["632"]
    assert abs(loo.bias) < 3.5 * loo.bias_standard_error
    assert mixed.bias > 3.5 * mixed.bias_standard_error
    assert found.true_spread > found.true_mean
    assert loo.correlation > mixed.correlation
