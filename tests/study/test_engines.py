"""Every engine and number of workers gives the same results, bit for bit, and outlives its workers."""

import os
import signal
import threading
import time

import pytest

from fivefold.errors import InputError
from fivefold.study import EngineError, Holdout, Job, Study, make_plan
from fivefold.study.engines import ProcessEngine, WorkerDiedError
from fivefold.study.study import make_units

PLAN = {
    "data": ["IR", "LA"],
    "estimators": {
        "1r": {},
        "logistic": {"class": "sklearn.linear_model.LogisticRegression", "encode": True},
        "forest": {
            "class": "sklearn.ensemble.RandomForestClassifier",
            "params": {"n_estimators": 3},
            "encode": True,
        },
    },
    "splits": Holdout(2, train="2/3"),
}


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    study = make_plan("plan", **PLAN).study(tmp_path_factory.mktemp("serial") / "plan.study")
    assert study.run(engine="serial").complete
    return study.frame()


@pytest.mark.parametrize(
    ("engine", "workers"),
    [
        pytest.param("joblib", 1, marks=pytest.mark.slow),
        ("joblib", 2),
        pytest.param("joblib", 3, marks=pytest.mark.slow),
        ("dask", 1),
    ],
)
def test_all_engines_agree_bit_for_bit(engine, workers, here, tmp_path):
    study = make_plan("plan", **PLAN).study(tmp_path / "plan.study")
    assert study.run(engine=engine, n_jobs=workers).complete
    # text of floats is exact, so that this compares bits, also of infinities
    assert study.frame().write_csv() == here.write_csv()


@pytest.mark.parametrize("engine", ["serial", "joblib"])
def test_tasks_have_one_thread(engine, tasks, tmp_path):
    study = Study("threads", [Job("test.threads", {"i": i}) for i in range(4)], tmp_path / "t.study")
    study.run(engine=engine, n_jobs=2)
    assert study.frame()["most"].to_list() == [1] * 4


# loky's own thread may stumble over the worker that it has just taken from its list
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("once", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_job_that_kills_its_worker(once, tasks, tmp_path):
    params = {"bad": 11, "once": once, "flag": str(tmp_path / "flag")}
    jobs = [Job("test.deadly", {"i": i, **params}, labels={"i": i}) for i in range(30)]
    study = Study("deadly", jobs, tmp_path / "deadly.study")
    status = study.run(n_jobs=2)
    failed = {record.labels["i"]: record.error for record in study.failures()}
    assert (status.finished, status.failed, status.open) == (30 - len(failed), len(failed), 0)
    assert set(failed) == (set() if once else {11})
    assert all("died" in error for error in failed.values())


def test_work_for_a_pool_that_has_just_broken_is_lost_like_the_rest(tasks, tmp_path):
    params = {"i": 1, "bad": 1, "once": False, "flag": str(tmp_path / "flag")}
    units = make_units([Job("test.deadly", params)])
    engine = ProcessEngine(1, {})
    try:
        flights = [engine.submit(units)]
        while not engine.wait(flights, 1.0):
            pass
        flights.append(engine.submit(units))
        for flight in flights:
            with pytest.raises(WorkerDiedError):
                engine.take(flight)
        assert engine.recover(flights) == set(flights)
    finally:
        engine.close()


@pytest.mark.slow
def test_a_dask_worker_that_is_killed(tasks, tmp_path, monkeypatch, log):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("STUDY_TEST_SLEEP", "0.05")
    study = Study("draws", tasks.draws(80), tmp_path / "dask.study")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        victim = next(iter(cluster.workers.values())).process.pid

        def kill():
            while sum(log().values()) < 20:
                time.sleep(0.01)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        status = study.run(engine="dask", address=cluster.scheduler_address)
        killer.join()
    assert status.complete
    assert status.failed == 0
    monkeypatch.setenv("STUDY_TEST_SLEEP", "0")
    alone = Study("draws", tasks.draws(80), tmp_path / "alone.study")
    alone.run(engine="serial")
    assert study.frame().equals(alone.frame())


def test_a_dask_cluster_that_is_not_there(tasks, tmp_path, monkeypatch):
    monkeypatch.setattr("fivefold.study.engines._CONNECT_SECONDS", 0.5)
    study = Study("draws", tasks.draws(2), tmp_path / "dask.study")
    with pytest.raises(EngineError, match="scheduler that answers"):
        study.run(engine="dask", address="tcp://127.0.0.1:1")
    assert study.status().open == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "spark"}, "engine to be one of 'joblib', 'dask', 'serial'"),
        ({"engine": "joblib", "address": "tcp://x:1"}, "address with engine 'dask' only"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_engines_that_cannot_be(options, message, tasks, tmp_path):
    with pytest.raises(InputError, match=message):
        Study("draws", tasks.draws(2), tmp_path / "x.study").run(**options)
    assert not (tmp_path / "x.study").exists()
