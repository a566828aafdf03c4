"""The 1R cells of Table 2 of Cleary, Legg and Witten (1996): 25 half splits, percent correct and Sf.

Their 1R was trained with missing as a value, and gave no answer to a case whose value is missing. Two cells are
left out. HD: 70.5 % there, 73 % here, for a reason that is not known. LA: their 1R met more missing values than
this file has.
"""

import numpy as np
import pytest

import fivefold as ff
from fivefold.learners import OneR

PUBLISHED = {
    "BC": (68.4, -4.1),
    "CH": (67.9, 132.2),
    "G2": (72.0, 9.0),
    "GL": (49.6, 14.3),
    "HE": (71.4, 1.3),
    "HO": (81.1, 50.6),
    "HY": (89.5, 181.3),
    "IR": (93.1, 85.3),
    "LY": (71.4, 13.9),
    "MU": (98.5, 3603.9),
    "SO": (78.5, 19.4),
    "V1": (85.7, 91.0),
}


def _run(code, rng):
    table = ff.data.load(code)
    y = np.asarray(table.y)
    classes = np.unique(y)
    order = rng.permutation(y.size)
    train, test = order[: y.size // 2], order[y.size // 2 :]
    # Holte took 3 for his two smallest data sets
    model = OneR(small=3 if code == "SO" else 6).fit(table.X[train], y[train])
    sets = np.zeros((test.size, classes.size), dtype=bool)
    sets[:, np.isin(classes, model.classes_)] = model.predict_sets(table.X[test], missing_test="fails")
    right = sets[np.arange(test.size), np.searchsorted(classes, y[test])]
    return 100 * right.mean(), ff.bits.significance(y[test], sets, classes=classes.tolist(), code="frequency")


@pytest.mark.published
@pytest.mark.slow
@pytest.mark.parametrize("code", sorted(PUBLISHED))
def test_table_2(code):
    rng = np.random.default_rng(1996)
    runs = np.array([_run(code, rng) for _ in range(25)])
    # both means come from 25 random splits; the printed one is rounded as well
    error = np.sqrt(2 * runs.var(axis=0, ddof=1) / len(runs)) + 0.05
    distance = (runs.mean(axis=0) - PUBLISHED[code]) / error
    assert np.abs(distance).max() < 3, f"{runs.mean(axis=0)}, {distance} standard errors from the paper"
