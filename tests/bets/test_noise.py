"""The noise floor: its two ways of computing agree with plain simulation."""

import numpy as np
import pytest
from hypothesis import given

import fivefold as ff
from fivefold.bets import _kernels, calibration
from fivefold.bets.calibration import Events, make_cells

from . import reference
from .tables import two_classes


def reliability(p, happened, **options):
    return ff.bets.reliability(happened.astype(int), p, classes=[0, 1], event=1, **options)


def redraw_by_hand(p, least, draws, rng):
    """Squared miscalibration of outcomes drawn anew, by the definition and without any algebra."""
    out = []
    for _ in range(draws):
        drawn = rng.uniform(size=p.size) < p
        pairs = list(zip(p.tolist(), drawn.tolist(), strict=True))
        out.append(reference.miscalibration(reference.keep_ties_together(pairs, least)) ** 2)
    return np.array(out)


@pytest.fixture(scope="module", params=["few ties", "long ties"])
def setting(request):
    rng = np.random.default_rng(3)
    tied = rng.integers(6, size=40) / 5 if request.param == "few ties" else rng.integers(1, 4, size=90) / 4
    p = np.concatenate([rng.uniform(size=40), tied])
    cells = make_cells(Events(p, rng.uniform(size=p.size) < p), 10, "together")
    spread = cells.squares - cells.cases * (cells.hits / cells.cases - cells.mean) ** 2
    return cells, spread, redraw_by_hand(p, 10, 3000, rng)


def test_redraw_has_the_law_of_the_definition(setting):
    cells, spread, by_hand = setting
    drawn = _kernels.redraw(cells.p, cells.ends, spread, 3000, np.random.default_rng(4))
    error = by_hand.std() / np.sqrt(3000)
    assert drawn.mean() == pytest.approx(by_hand.mean(), abs=5 * error)
    for share in (0.25, 0.5, 0.75, 0.95):
        assert np.mean(drawn <= np.quantile(by_hand, share)) == pytest.approx(share, abs=0.05)


def test_moments_are_exact(setting):
    cells, spread, by_hand = setting
    mean, variance = _kernels.redraw_moments(cells.p, cells.ends, spread)
    assert mean == pytest.approx(by_hand.mean(), abs=5 * by_hand.std() / np.sqrt(3000))
    assert variance == pytest.approx(by_hand.var(), rel=0.2)


def test_moments_by_listing_all_outcomes():
    p = np.array([0.1, 0.3, 0.35, 0.6, 0.8, 0.95])
    cells = make_cells(Events(p, p > 0.5), 3, "together")
    spread = cells.squares - cells.cases * (cells.hits / cells.cases - cells.mean) ** 2
    chances, values = [], []
    for code in range(2**6):
        outcome = (code >> np.arange(6)) & 1
        chances.append(np.prod(np.where(outcome == 1, p, 1 - p)))
        pairs = list(zip(p.tolist(), outcome.tolist(), strict=True))
        values.append(reference.miscalibration(reference.keep_ties_together(pairs, 3)) ** 2)
    mean = np.dot(chances, values)
    result = _kernels.redraw_moments(cells.p, cells.ends, spread)
    assert result[0] == pytest.approx(mean)
    assert result[1] == pytest.approx(np.dot(chances, (np.array(values) - mean) ** 2))


def test_many_cells_are_judged_by_the_normal_law(monkeypatch):
    rng = np.random.default_rng(5)
    p = rng.uniform(size=4000)
    happened = rng.uniform(size=4000) < p
    drawn = reliability(p, happened, n_resamples=2000).floor
    monkeypatch.setattr(calibration, "MANY_CELLS", 100)
    normal = reliability(p, happened).floor
    assert (drawn.draws, normal.draws) == (2000, 0)
    assert normal.mean == pytest.approx(drawn.mean, rel=0.01)
    assert normal.q95 == pytest.approx(drawn.q95, rel=0.01)
    assert normal.p_value == pytest.approx(drawn.p_value, abs=0.05)


@pytest.mark.parametrize("limit", [calibration.MANY_CELLS, 1])
def test_certain_and_right_is_what_chance_gives(monkeypatch, limit):
    # zeros and ones in one cell: nothing can vary, so nothing is surprising, whatever rounding says
    monkeypatch.setattr(calibration, "MANY_CELLS", limit)
    p = np.array([0.0] * 33 + [1.0] * 37)
    for least in (2, 7, 10, 34, 35):
        result = reliability(p, p == 1, min_cases=least)
        assert result.floor.p_value == 1
        assert result.floor.mean == pytest.approx(result.miscalibration)
    result = reliability(p, p == 0)
    assert result.floor.p_value < 0.01


@given(two_classes(max_size=60))
def test_p_value_is_a_probability(table):
    truth, p = table
    floor = reliability(p, truth == 1, n_resamples=19).floor
    impossible = np.any((p == 1) & (truth == 0)) or np.any((p == 0) & (truth == 1))
    assert floor.p_value == 0 if impossible else 1 / 20 <= floor.p_value <= 1
    assert floor.mean >= 0
    assert floor.q95 >= 0
