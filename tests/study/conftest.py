"""Studies in processes of their own, which can be killed."""

import importlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PATIENCE = 120


@pytest.fixture
def tasks(monkeypatch):
    """Give the tasks under a name by which worker processes can import them as well."""
    monkeypatch.syspath_prepend(HERE)
    return importlib.reload(importlib.import_module("study_tasks"))


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Count how often each job was begun, in whatever process."""
    path = tmp_path / "log.txt"
    monkeypatch.setenv("STUDY_TEST_LOG", str(path))
    return lambda: Counter(path.read_text().split()) if path.exists() else Counter()


@pytest.fixture
def start(monkeypatch):
    """Start `run_study.py` in a process group of its own; what is left of it is killed in the end."""
    started = []

    def call(*words, sleep=0.0, **options):
        environment = os.environ | {"PYTHONPATH": str(HERE), "STUDY_TEST_SLEEP": str(sleep)}
        process = subprocess.Popen(
            [sys.executable, str(HERE / "run_study.py"), *map(str, words)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        started.append(process)
        return process

    yield call
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def finished():
    """Give the keys that are finished in a file, whatever else goes on with it."""

    def keys(store):
        if not Path(store).exists():
            return set()
        connection = sqlite3.connect(store, timeout=30)
        try:
            return {key for (key,) in connection.execute("SELECT key FROM results WHERE state = 'finished'")}
        except sqlite3.OperationalError:  # its tables are not there yet
            return set()
        finally:
            connection.close()

    return keys


@pytest.fixture
def wait_for():
    def wait(condition):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            time.sleep(0.01)

    return wait
