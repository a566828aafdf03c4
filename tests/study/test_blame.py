"""Who is blamed for a dead worker, who is waited for, and which results are out of date."""

import json
import os
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

from fivefold.cli import main
from fivefold.errors import InputError, InputTypeError
from fivefold.study import Holdout, StoreWarning, Study, make_plan
from fivefold.study.engines import EngineWarning, ProcessEngine, WorkerDiedError, work
from fivefold.study.store import LEASE_SECONDS, Owner, Store, me
from fivefold.study.study import Runner, make_units


class Cemetery:
    """An engine in which the flights with these numbers end with the death of a worker."""

    workers = 2
    deaths = ProcessEngine.deaths

    def __init__(self, deadly):
        self.deadly, self.flights = deadly, []

    def submit(self, units, alone=False):
        future = Future()
        future.number, future.units = len(self.flights), units
        self.flights.append((alone, [order.key for unit in units for order in unit]))
        return future

    def wait(self, futures, seconds):
        return set(futures)

    def take(self, future):
        if self.deadly(future.number, future.units):
            raise WorkerDiedError
        return work(future.units)

    def recover(self, futures):
        return set(futures)


def run(tasks, path, engine, n=6):
    jobs = tasks.draws(n)
    study = Study("draws", jobs, path)
    with Store(path) as store:
        store.plan("draws", jobs)
        store.begin({})
        Runner(store, engine, make_units(jobs), lambda states: None).run(lambda: None)
        store.end()
    return study


def test_two_dead_workers_are_nobodys_fault(tasks, tmp_path):
    """One dies in company, the next over a job that runs alone: it gets another try."""
    engine = Cemetery(lambda number, units: number in (0, 2))
    study = run(tasks, tmp_path / "draws.study", engine)
    assert study.status().complete
    assert [alone for alone, keys in engine.flights].count(True) >= 2


def test_a_job_that_always_kills_is_blamed_alone(tasks, tmp_path):
    deadly = tasks.draws(6)[4].key
    engine = Cemetery(lambda number, units: any(order.key == deadly for unit in units for order in unit))
    study = run(tasks, tmp_path / "draws.study", engine)
    (failure,) = study.failures()
    assert failure.labels == {"i": 4}
    assert "--retry-failed" in failure.error
    assert engine.flights.count((True, [deadly])) == 2


# loky's own thread may stumble over the worker that it has just taken from its list
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the process table of Linux")
def test_kills_from_outside_fail_nothing(tasks, tmp_path, monkeypatch, log):
    monkeypatch.setenv("STUDY_TEST_SLEEP", "0.05")
    study = Study("draws", tasks.draws(40), tmp_path / "draws.study")

    def kill():
        for goal in (4, 10, 16):
            while sum(log().values()) < goal:
                time.sleep(0.01)
            for worker in workers()[:1]:
                os.kill(worker, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    status = study.run(n_jobs=2)
    killer.join()
    assert (status.finished, status.failed) == (40, 0)


def workers():
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    pids = [int(pid) for pid in children.read_text().split()]
    return [pid for pid in pids if "popen_loky" in _command(pid)]


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def test_a_cluster_without_workers_is_told_and_waited_for(tasks, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("fivefold.study.engines._ABSENT_SECONDS", 0.5)
    monkeypatch.setattr("fivefold.study.engines._COUNT_SECONDS", 0.1)
    study = Study("draws", tasks.draws(3), tmp_path / "dask.study")
    with distributed.LocalCluster(
        n_workers=0, processes=False, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        rescue = threading.Timer(2.0, lambda: cluster.scale(1))
        rescue.start()
        with pytest.warns(EngineWarning, match=r"no Dask worker has been at .* for \d+ s; waiting"):
            status = study.run(engine="dask", address=cluster.scheduler_address)
        rescue.join()
    assert status.complete


@pytest.mark.parametrize("ahead", [0.0, 86_400.0])
def test_a_dead_run_elsewhere_blocks_no_longer_than_the_lease(tasks, tmp_path, monkeypatch, ahead):
    """Its clock may be a day ahead: only what changes is alive."""
    jobs, mine, path = tasks.draws(2), me(), tmp_path / "claims.study"
    keys = {job.key for job in jobs}
    with Store(path) as store, Store(path) as other:
        store.plan("draws", jobs)
        monkeypatch.setattr("fivefold.study.store.me", lambda: Owner("far away", 1, ""))
        other.begin({})
        assert other.exchange([], list(keys))[0] == keys
        monkeypatch.setattr("fivefold.study.store.me", lambda: mine)
        store.begin({})

        def beat():
            connection = sqlite3.connect(path)
            connection.execute(
                "UPDATE runs SET heartbeat = ? WHERE id = 1", (time.time() + ahead + beats[0],)
            )
            connection.commit()
            connection.close()
            beats[0] += 10.0

        beats, clock = [0.0], [time.monotonic()]
        monkeypatch.setattr(time, "monotonic", lambda: clock[0])
        for _ in range(3):
            beat()
            assert store.exchange([], list(keys))[1] == keys
            clock[0] += LEASE_SECONDS - 1
        clock[0] += 2
        assert store.exchange([], list(keys))[0] == keys
        store.end()
        other.end()


LEARNER = """
from sklearn.naive_bayes import GaussianNB


class Own(GaussianNB):
    def predict(self, X):
        return [{answer!r}] * len(X)
"""
PLAN = """
data = ["IR"]
splits = { n_repeats = 2 }
views = ["accuracy"]
estimators.own = { class = "edited_learner.Own" }
"""


@pytest.fixture
def command(monkeypatch, capsys):
    def call(*words):
        monkeypatch.setattr("sys.argv", ["fivefold", "study", *map(str, words)])
        try:
            main.run()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    return call


def test_an_edited_learner_is_another_learner(tmp_path, monkeypatch, command):
    monkeypatch.syspath_prepend(tmp_path)
    plan, source = tmp_path / "p.toml", tmp_path / "edited_learner.py"
    plan.write_text(PLAN, encoding="utf-8")
    shown = []
    for answer in ("Iris-setosa", "nobody", "Iris-setosa"):
        source.write_text(LEARNER.format(answer=answer), encoding="utf-8")
        sys.modules.pop("edited_learner", None)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        code, *_ = command("run", plan, "--engine", "serial")
        assert code == 0
        shown.append(json.loads(command("show", plan, "--json")[1])["views"][0]["rows"][0]["numbers"])
    assert shown[1]["accuracy"]["mean"] == 0.0
    assert shown[0] == shown[2] != shown[1]


def test_a_version_in_the_plan_is_part_of_the_job():
    def keys(**options):
        estimators = {"tree": {"class": "sklearn.tree.DecisionTreeClassifier", **options}}
        plan = make_plan("p", data=["IR"], estimators=estimators, splits=Holdout(1), views=["accuracy"])
        return [job.key for job in plan.jobs()]

    assert keys() != keys(version=1) != keys(version="1")
    assert keys(version=2) == keys(version=2)
    with pytest.raises(InputTypeError, match="the version of estimator 'tree'"):
        keys(version=[1])


def test_keys_of_library_learners_are_what_they_were():
    """Stored results of years stay valid: nothing about the machine is in the key."""
    plan = make_plan("p", data=["IR"], estimators=["1r"], splits=Holdout(1), views=["accuracy"])
    assert "code" not in plan.jobs()[0].encoded["learner"]


def test_results_of_other_versions_are_told_and_done_anew_on_request(tasks, tmp_path, log):
    study = Study("draws", tasks.draws(4), tmp_path / "draws.study")
    study.run(engine="serial")
    good, begun = study.frame(), log()
    connection = sqlite3.connect(study.path)
    connection.execute("UPDATE runs SET versions = json_set(versions, '$.numpy', '1.0')")
    connection.commit()
    connection.close()
    with pytest.warns(StoreWarning, match=r"4 of 4 results were made by other versions \(numpy 1\.0, now "):
        assert study.frame().equals(good)
    assert study.status().stale == 4
    assert study.run(engine="serial").stale == 4
    assert log() == begun
    assert study.run(engine="serial", recompute="stale").stale == 0
    assert sum((log() - begun).values()) == 4
    assert study.frame().equals(good)
    with pytest.raises(InputError, match="recompute to be one of 'stale'"):
        study.run(recompute="old")
