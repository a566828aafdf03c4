"""Whatever an estimator is trained on and asked about, it answers for every case or refuses clearly."""

from random import Random

import pytest
from hypothesis import settings

from fivefold.learners import OneR

from .entries import ESTIMATORS, PUBLIC, odd
from .law import obey
from .odd_values import MOST_ROWS, frames

CALLS = settings().max_examples
# RelationalFoil learns from relations, not from a table
FROM_TABLES = [name for name in ESTIMATORS if name != "learners.RelationalFoil"]
NEEDED = {"data.CutPoints": {"cuts": {"a": [0.5]}}, "slices.SliceGuard": {"estimator": OneR()}}


@pytest.mark.parametrize("name", FROM_TABLES)
def test_estimator(name):
    for number in range(CALLS):
        rng = Random(f"{name} {number}")
        n = rng.randint(0, MOST_ROWS)
        X, y = frames(rng, n), odd(rng, "y", n)
        asked = X if rng.random() < 0.5 else frames(rng, 3)
        try:
            fit_and_ask(PUBLIC[name](**NEEDED.get(name, {})), X, y, asked)
        except BaseException as error:
            error.add_note(f"This was call {number}: {X!r:.2000}, {y!r:.2000}, asked about {asked!r:.2000}.")
            raise


def fit_and_ask(estimator, X, y, asked):
    model = obey(estimator.fit, X, y)
    if model is None:
        return
    for method in ("predict", "predict_proba", "predict_sets", "transform"):
        if hasattr(model, method):
            answers = obey(getattr(model, method), asked)
            assert asked is not X or (answers is not None and len(answers) == len(X))
