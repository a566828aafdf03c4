"""`kill -9`, Ctrl-C and several writers: nothing that is finished is lost, and nothing of it is done again."""

import os
import signal
import sqlite3

import pytest

from fivefold.study import Shelf, Study

N = 60


def rows(study):
    return study.frame().drop("key").rows()


def whole(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    finally:
        connection.close()


def claims(path):
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT count(*) FROM claims").fetchone()[0]
    finally:
        connection.close()


@pytest.fixture
def undisturbed(tasks, tmp_path, monkeypatch):
    monkeypatch.delenv("STUDY_TEST_LOG", raising=False)
    study = Study("draws", tasks.draws(N), tmp_path / "undisturbed.study")
    assert study.run(engine="serial").complete
    return rows(study)


@pytest.mark.parametrize(("engine", "workers"), [("serial", 1), ("joblib", 2)])
def test_kill_and_resume(engine, workers, undisturbed, tasks, tmp_path, log, start, finished, wait_for):
    store = tmp_path / "killed.study"
    process = start(store, engine, workers, N, sleep=0.15)
    wait_for(lambda: len(finished(store)) >= N // 4)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = finished(store)
    assert N // 4 <= len(kept) < N
    assert whole(store)

    study = Study("draws", tasks.draws(N), store)
    assert study.run(engine=engine, n_jobs=workers).complete
    assert rows(study) == undisturbed
    times = {job.key: log()[str(job.params["i"])] for job in study.jobs}
    assert {times[key] for key in kept} == {1}
    # What had been begun and not stored is done again: no more than the workers had in hand.
    assert set(times.values()) <= {1, 2}
    assert sum(times.values()) - N <= workers * 5


@pytest.mark.slow
def test_killed_again_and_again(undisturbed, tasks, tmp_path, log, start, finished, wait_for):
    store, kept = tmp_path / "killed.study", set()
    for _ in range(3):
        process = start(store, "joblib", 2, N, sleep=0.02)
        wait_for(lambda before=kept: len(finished(store)) > len(before))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert kept < finished(store)
        kept = finished(store)
    study = Study("draws", tasks.draws(N), store)
    study.run(engine="serial")
    assert rows(study) == undisturbed


@pytest.mark.parametrize(("engine", "workers"), [("serial", 1), ("joblib", 2)])
def test_ctrl_c_leaves_a_clean_file(
    engine, workers, undisturbed, tasks, tmp_path, log, start, finished, wait_for
):
    store = tmp_path / "stopped.study"
    process = start(store, engine, workers, N, sleep=0.5)  # so long that it cannot end before it is told to
    wait_for(lambda: len(finished(store)) >= 3)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: workers too
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in told
    assert [path.name for path in tmp_path.glob("stopped.study*")] == ["stopped.study"]
    assert whole(store)
    assert claims(store) == 0
    kept, begun = finished(store), log()
    study = Study("draws", tasks.draws(N), store)
    study.run(engine="serial")
    assert rows(study) == undisturbed
    for job in study.jobs:
        i = str(job.params["i"])
        assert log()[i] == begun[i] + (job.key not in kept)


def test_two_processes_share_the_work(undisturbed, tasks, tmp_path, log, start):
    store = tmp_path / "shared.study"
    both = [start(store, engine, 1, N, sleep=0.1) for engine in ("joblib", "serial")]
    for process in both:
        told, trouble = process.communicate(timeout=120)
        assert (process.returncode, trouble) == (0, "")
        assert f"{N} finished" in told
    assert set(log().values()) == {1}
    assert rows(Study("draws", tasks.draws(N), store)) == undisturbed
    connection = sqlite3.connect(store)
    shares = connection.execute("SELECT count(*) FROM timings GROUP BY run").fetchall()
    connection.close()
    assert len(shares) == 2


def test_the_living_take_over_from_the_dead(undisturbed, tasks, tmp_path, start, finished, wait_for):
    store = tmp_path / "shared.study"
    first = start(store, "serial", 1, N, sleep=0.1)
    wait_for(lambda: len(finished(store)) >= 2)
    second = start(store, "serial", 1, N, sleep=0.02)
    wait_for(lambda: Shelf(store).status().running >= 2)
    os.kill(first.pid, signal.SIGKILL)
    told, _ = second.communicate(timeout=60)
    assert f"{N} finished" in told
    assert rows(Study("draws", tasks.draws(N), store)) == undisturbed
