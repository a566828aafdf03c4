"""The log-linear models of the summary stage against statsmodels and against closed forms."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm

from fivefold.slices._kernels import fit_margins

MARGINS = {
    2: [[1, 2]],
    3: [[1, 2, 4], [3, 4], [3, 6], [3, 5, 6]],
    4: [[1, 2, 4, 8], [3, 5, 6, 8], [7, 8], [7, 11, 13, 14], [3, 12]],
}


def by_regression(table, margins):
    """Poisson regression on all products of terms within a margin: the same model, fitted by Newton's method."""
    cells = np.arange(table.size)
    parts = {part for margin in margins for part in range(1, margin + 1) if part & margin == part}
    design = np.column_stack([np.ones(table.size), *[(cells & part) == part for part in sorted(parts)]])
    fit = sm.GLM(table, design.astype(float), family=sm.families.Poisson()).fit(tol=1e-14, maxiter=200)
    return fit.fittedvalues


@pytest.mark.parametrize(("k", "margins"), [(k, m) for k, some in MARGINS.items() for m in some])
def test_proportional_fitting_agrees_with_statsmodels(k, margins):
    rng = np.random.default_rng(k)
    table = rng.integers(3, 200, size=2**k).astype(float)
    fitted = fit_margins(table, np.array(margins))
    assert fitted == pytest.approx(by_regression(table, margins), rel=1e-6)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_fitted_tables_keep_their_margins(k):
    table = np.random.default_rng(k).integers(0, 50, size=2**k).astype(float)
    margins = [sum(1 << i for i in pair) for pair in combinations(range(k), 2)] if k > 2 else [1, 2]
    fitted = fit_margins(table, np.array(margins))
    cells = np.arange(2**k)
    for margin in margins:
        for corner in {int(cell & margin) for cell in cells}:
            chosen = (cells & margin) == corner
            assert fitted[chosen].sum() == pytest.approx(table[chosen].sum(), abs=1e-6)


def test_independent_terms_multiply():
    table = np.array([40.0, 10.0, 30.0, 20.0])
    assert fit_margins(table, np.array([1, 2]))[3] == pytest.approx(100 * 0.3 * 0.5)


def test_an_empty_group_has_empty_cells():
    assert fit_margins(np.zeros(4), np.array([1, 2])).tolist() == [0.0] * 4
