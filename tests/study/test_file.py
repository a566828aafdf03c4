"""Files that cannot be used: a clear sentence, and nothing of what was there is changed."""

import os
import resource
import sqlite3
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from fivefold.errors import InputError
from fivefold.study import Shelf, StoreError, Study
from fivefold.study import store as study_file
from fivefold.study.store import APPLICATION_ID, LEASE_SECONDS, Owner, Store, me

NOBODY = 65534


@contextmanager
def without_privilege():
    """Root may write everywhere, so the test becomes nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder():
    """A folder that everybody can reach; pytest's own ones are private."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


def half_done(tasks, path):
    study = Study("draws", tasks.draws(5), path)
    study.run(engine="serial")
    return Study("draws", tasks.draws(10), path)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_read_only_file_and_folder(tasks, open_folder):
    path = open_folder / "results.study"
    study = half_done(tasks, path)
    path.chmod(0o444)
    open_folder.chmod(0o555)
    before = path.read_bytes()
    with without_privilege():
        with pytest.raises(StoreError, match=r"can be written.*permissions"):
            study.run(engine="serial")
        assert Shelf(path).status().finished == 5
    assert path.read_bytes() == before
    assert [path.name for path in open_folder.iterdir()] == ["results.study"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_folder_in_which_nothing_may_be_made(tasks, open_folder):
    open_folder.chmod(0o555)
    with without_privilege(), pytest.raises(StoreError, match="can be written"):
        Study("draws", tasks.draws(2), open_folder / "new.study").run(engine="serial")
    assert not list(open_folder.iterdir())


def test_full_disk(tasks, tmp_path, monkeypatch):
    path = tmp_path / "full.study"
    study = Study("draws", tasks.draws(40, size=500), path)
    connect = study_file.connect

    def small(where):
        connection = connect(where)
        connection.execute("PRAGMA max_page_count = 60")
        return connection

    monkeypatch.setattr("fivefold.study.store.connect", small)
    with pytest.raises(StoreError, match=r"room on the disk.*full.*is kept"):
        study.run(engine="serial")
    monkeypatch.undo()
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    # this very process goes on: its broken run does not keep its claims
    assert study.run(engine="serial").complete


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize(
    ("engine", "workers"), [("serial", 1), pytest.param("joblib", 2, marks=pytest.mark.slow)]
)
def test_disk_that_fills_up_on_the_way(engine, workers, tasks, tmp_path, start, finished, log):
    """No file of the process may grow beyond a limit: the system itself refuses the write."""
    path, limit = tmp_path / "full.study", 400_000
    jobs = tasks.draws(60, size=500)
    process = start(
        path, engine, workers, 60, 500, sleep=0.01,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "room on the disk" in complaint
    assert "Traceback" not in complaint
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
    kept, begun = finished(path), log()
    assert 0 < len(kept) < 60
    study = Study("draws", jobs, path)
    assert study.run(engine="serial").complete
    assert all(log()[str(job.params["i"])] == begun[str(job.params["i"])] for job in jobs if job.key in kept)


def test_files_of_others(tasks, tmp_path):
    text, other = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("These are notes, and they are longer than the header of a database would be. " * 9)
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (a)")
    connection.commit()
    connection.close()
    for path, message in ((text, "not a database"), (other, "another program")):
        before = path.read_bytes()
        for use in (lambda p: Study("draws", tasks.draws(2), p).run(engine="serial"), Shelf):
            with pytest.raises(StoreError, match=message):
                use(path)
        assert path.read_bytes() == before


def test_newer_format(tasks, tmp_path):
    study = half_done(tasks, tmp_path / "new.study")
    connection = sqlite3.connect(study.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    for use in (lambda: study.run(engine="serial"), lambda: Shelf(study.path)):
        with pytest.raises(StoreError, match=r"of format 99.*update fivefold"):
            use()


def test_damaged_file(tasks, tmp_path):
    path = tmp_path / "damaged.study"
    study = Study("draws", tasks.draws(60, size=200), path)
    study.run(engine="serial")
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 40] = b"\xff" * (4096 * 37)
    path.write_bytes(bytes(content))
    for use in (lambda: study.run(engine="serial"), lambda: Shelf(path).records()):
        with pytest.raises(StoreError, match="undamaged"):
            use()


def test_places_where_no_file_can_be(tasks, tmp_path):
    for path, message in ((tmp_path, "the folder"), (tmp_path / "no" / "x.study", "make the folder first")):
        with pytest.raises(InputError, match=message):
            Study("draws", tasks.draws(2), path).run(engine="serial")
    with pytest.raises(InputError, match="run the study first"):
        Shelf(tmp_path / "absent.study")


def test_our_mark_is_in_the_file(tasks, tmp_path):
    study = half_done(tasks, tmp_path / "ours.study")
    # bytes 68 to 71 of an SQLite file are the application's mark
    assert int.from_bytes(study.path.read_bytes()[68:72], "big") == APPLICATION_ID


def test_claims_of_the_living_and_of_the_dead(tasks, tmp_path, monkeypatch):
    jobs = tasks.draws(3)
    keys = [job.key for job in jobs]
    mine = me()
    with Store(tmp_path / "claims.study") as store, Store(tmp_path / "claims.study") as other:
        store.plan("draws", jobs)
        monkeypatch.setattr("fivefold.study.store.me", lambda: Owner("far away", 1, ""))
        other.begin({})
        monkeypatch.setattr("fivefold.study.store.me", lambda: mine)
        store.begin({})
        assert other.exchange([], keys[:2])[0] == set(keys[:2])
        assert store.exchange([], keys) == ({keys[2]}, set(keys[:2]), {})
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + LEASE_SECONDS + 1)
        assert store.exchange([], keys)[0] == set(keys)
        store.end()
        other.end()


def test_owners(monkeypatch):
    mine = me()
    assert mine.lives(0.0, 1e9)  # on this machine the process table knows better than the clock
    assert not Owner(mine.host, mine.pid, "another birth").lives(0.0, 0.0)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    assert not Owner(mine.host, child, "").lives(0.0, 0.0)
    assert Owner("far away", 1, "").lives(100.0, 100.0 + LEASE_SECONDS - 1)
    assert not Owner("far away", 1, "").lives(100.0, 100.0 + LEASE_SECONDS + 1)
