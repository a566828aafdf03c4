"""The experiment of Andersson, Davidsson and Lindén: seven classifiers on the petals of iris, measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fivefold.borders.border_measure import measure
from fivefold.borders.sizes import border_segments
from fivefold.papers.andersson1999.models import MAKERS, OPTIONS, RANDOM, petals, trained
from fivefold.papers.settings import Settings
from fivefold.papers.splits import known_as
from fivefold.study.job import Job, task

N_SEEDS = 10
_QUICK_SEEDS = 3


def jobs(settings: Settings) -> list[Job]:
    """Give a job for each classifier, and for each seed of those that draw numbers."""
    seeds = _QUICK_SEEDS if settings.quick else N_SEEDS
    return [_job(settings, name, place) for name in MAKERS for place in range(seeds if name in RANDOM else 1)]


def _job(settings: Settings, name: str, place: int) -> Job:
    params = {"model": name, "options": dict(OPTIONS.get(name, {})), "rows": known_as("IR")}
    return Job("andersson1999.measure", params, settings.seed * 1000 + place, {"model": name, "seed": place})


@task("andersson1999.measure")
def judge(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Train a classifier, measure it, and keep its borders and regions for the figures."""
    X, y = petals()
    model = trained(params["model"], seed)
    told = measure(model, X, y, **params["options"])
    return {
        "fit": told.fit,
        "similarity_right": told.similarity_right,
        "similarity_wrong": told.similarity_wrong,
        "border_size": told.border_size,
        "measure": told.value,
        "method": str(told.method),
        "segments": _segments(model, told.window, params["options"]),
    }


def _segments(model: Any, window: Any, options: Mapping[str, str]) -> list[list[float]]:
    found, _ = border_segments(model, window, **options)
    return [[round(float(value), 5) for value in segment.ravel()] for segment in found.ends]
