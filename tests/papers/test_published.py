"""The transcribed tables against what the papers and the specification say of them in other places."""

import numpy as np

from fivefold.papers.cleary1996 import published as cleary
from fivefold.papers.korb2001 import published as korb


def test_every_cell_of_table_2_is_there():
    assert len(cleary.CORRECT.numbers) == len(cleary.SIGNIFICANCE.numbers) == 16 * 7
    assert cleary.CORRECT["CH", "C4.5 pruned"].value == 99.2
    assert cleary.SIGNIFICANCE["SE", "Induct-ripple"].value == 338.6
    assert np.isnan(cleary.SIGNIFICANCE["VO", "FOIL"].value)


def test_one_triple_of_correlations_is_impossible():
    # a correlation matrix has no negative determinant; the paper's sign for BC and C4.5 is a misprint
    odd = []
    for place in korb.REWARD_ACCURACY:
        a, b, c = (
            t[place].value
            for t in (korb.REWARD_ACCURACY, korb.REWARD_MISCALIBRATION, korb.ACCURACY_MISCALIBRATION)
        )
        # rounding to three digits may take up to about 0.003 from a determinant of zero
        if 1 + 2 * a * b * c - a * a - b * b - c * c < -0.005:
            odd.append(place)
    assert odd == [("BC", "C4.5")]


def test_training_sizes_are_two_thirds_rounded_down():
    for data in korb.DATA:
        train, test = (int(korb.PROPERTIES[data, c].value) for c in ("training cases", "test cases"))
        assert train == 2 * (train + test) // 3
