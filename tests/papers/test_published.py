import numpy as np

from fivefold.papers import cleary1996 as cleary


def test_every_cell_of_table_2_is_there():
    assert len(cleary.CORRECT.numbers) == len(cleary.SIGNIFICANCE.numbers) == 16 * 7
    assert cleary.CORRECT["CH", "C4.5 pruned"].value == 99.2
    assert cleary.SIGNIFICANCE["SE", "Induct-ripple"].value == 338.6
    assert np.isnan(cleary.SIGNIFICANCE["VO", "FOIL"].value)
