"""The task behind plans: train a learner on a split and look at what it says about the other cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fivefold.study.codec import digest, encode
from fivefold.study.job import task
from fivefold.study.trial import last_trial
from fivefold.study.views import measure

TASK = "evaluate"


@task(TASK, version=1)
def evaluate(params: Mapping[str, Any], seed: int) -> Mapping[str, Any]:
    """Give the numbers of one view of one trial.

    Parameters
    ----------
    params : mapping
        ``data`` (the fingerprint of a shared table), ``learner`` (an estimator), ``split`` (a recipe) and
        ``view`` (its kind and options).
    seed : int
        The study's seed.
    """
    data, learner, split = params["data"], params["learner"], params["split"]
    name = digest(encode([data, learner, split, seed]))
    return measure(last_trial(name, data, learner, split, seed), **params["view"])
