"""Whatever an estimator is trained on and asked about, it answers for every case or refuses clearly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fivefold.learners import OneR

from .entries import ESTIMATORS, PUBLIC, odd
from .law import obey
from .odd_values import MOST_ROWS, frames

SHARE = 4
# RelationalFoil learns from relations, not from a table
FROM_TABLES = [name for name in ESTIMATORS if name != "learners.RelationalFoil"]
NEEDED = {"data.CutPoints": {"cuts": {"a": [0.5]}}, "slices.SliceGuard": {"estimator": OneR()}}


@pytest.mark.parametrize("name", FROM_TABLES)
@settings(max_examples=max(1, settings().max_examples // SHARE))
@given(data=st.data())
def test_estimator(name, data):
    n = data.draw(st.integers(0, MOST_ROWS))
    X, y = data.draw(frames(n)), data.draw(odd("y", n))
    model = obey(PUBLIC[name](**NEEDED.get(name, {})).fit, X, y)
    if model is None:
        return
    asked = data.draw(st.sampled_from([X]) | frames(3))
    for method in ("predict", "predict_proba", "predict_sets", "transform"):
        if hasattr(model, method):
            answers = obey(getattr(model, method), asked)
            assert asked is not X or (answers is not None and len(answers) == len(X))
