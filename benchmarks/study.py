"""What the study engine costs: jobs that do nothing, beside joblib alone, and small real fits beside a plain loop.

Run as `python -m benchmarks.study`. The milliseconds are those of one more job: starting processes is left out.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed

from fivefold.data import load
from fivefold.learners import NaiveBayes
from fivefold.study import Holdout, Job, Study, fingerprint, make_plan, task
from fivefold.training.splits import draw_planned

FEW, MANY = 500, 5500
LIMIT_MS = 2.0


@task("benchmark.nothing")
def nothing(params: Mapping[str, Any], seed: int) -> dict[str, Any]:
    return {"i": params["i"]}


def main() -> None:
    print(f"milliseconds for one more job that does nothing (limit {LIMIT_MS:g})")
    each = {
        "study, serial": lambda n: _study(n, "serial"),
        "study, joblib, 2 processes": lambda n: _study(n, "joblib"),
        "study, dask, 2 processes": lambda n: _study(n, "dask"),
        "joblib alone, 2 processes, nothing kept": _joblib_alone,
    }
    for name, call in each.items():
        print(f"  {name:<44} {_slope(call):8.3f} ms")
    _resume()
    _fits()


def _slope(call: Callable[[int], None]) -> float:
    """Milliseconds a job by the difference of a long and a short run, which start up alike."""
    return 1000 * (_seconds(lambda: call(MANY)) - _seconds(lambda: call(FEW))) / (MANY - FEW)


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _study(n: int, engine: str, path: Path | None = None) -> None:
    jobs = [Job("benchmark.nothing", {"i": i}, labels={"i": i}) for i in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        Study("nothing", jobs, path or Path(folder, "a.study")).run(engine=engine, n_jobs=2, progress=False)


def _joblib_alone(n: int) -> None:
    Parallel(n_jobs=2)(delayed(nothing)({"i": i}, 0) for i in range(n))


def _resume() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.study")
        _study(MANY, "serial", path)
        seconds = _seconds(lambda: _study(MANY, "serial", path))
    print(
        f"\nrunning a study of {MANY} finished jobs again: {seconds:.3f} s, {1000 * seconds / MANY:.3f} ms a job"
    )


def _fits() -> None:
    """200 fits of naive Bayes on LA: a study of them against a loop that does the same."""
    table, splits = load("LA"), Holdout(200)
    plan = make_plan("fits", data=[table], estimators=["nb"], splits=splits, views=["accuracy"])

    def loop() -> None:
        for recipe in splits.recipes():
            train, test = draw_planned(recipe, table.y, 0, fingerprint(table))
            model = NaiveBayes().fit(table.X[train], table.y[train])
            (model.predict(table.X[test]) == table.y[test]).mean()

    def study() -> None:
        with tempfile.TemporaryDirectory() as folder:
            plan.study(Path(folder, "a.study")).run(engine="serial", progress=False)

    alone, kept = _least_cpu(loop, study)
    print("\n200 fits of naive Bayes on LA in one process, processor time")
    print(f"  {'plain loop':<44} {alone:8.3f} s")
    print(f"  {'study':<44} {kept:8.3f} s   {1000 * (kept - alone) / 200:.2f} ms a job more")


def _least_cpu(*calls: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Least processor time of each, taking turns, after a run that warms up."""
    best = [float("inf")] * len(calls)
    for turn in range(repeats + 1):
        for i, call in enumerate(calls):
            start = time.process_time()
            call()
            if turn:
                best[i] = min(best[i], time.process_time() - start)
    return best


if __name__ == "__main__":
    main()
