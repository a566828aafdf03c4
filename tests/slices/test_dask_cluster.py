"""A real cluster of two worker processes, one of which is killed in the middle of a search."""

import os
import signal
import threading
import time

import pandas as pd
import pytest

from fivefold.data import load
from fivefold.slices import dask_tables, find_errors

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PATIENCE = 120.0


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def votes():
    """Votes and a rule of thumb that errs in places, ten times over with other rows each time."""
    table = load("VO")
    frame = pd.DataFrame({name: table.X[name].to_list() for name in table.X.columns})
    frame["party"] = table.y
    frame["guess"] = frame["crime"].map({"y": "republican", "n": "democrat"}).fillna("democrat")
    frame = pd.concat([frame.sample(frac=0.8, random_state=seed) for seed in range(10)], ignore_index=True)
    frame["age"] = frame.index % 71 / 7
    frame["family"] = frame.index * 7919 % len(frame) // 5
    return frame


def same(spread, local):
    assert len(local) > 5
    assert spread.slices == local.slices
    assert spread.tests == local.tests


@pytest.mark.parametrize("correction", ["layered", "westfall-young"])
@pytest.mark.parametrize("grouped", [False, True])
def test_two_worker_processes_give_the_local_result(client, votes, correction, grouped):
    assert len(set(client.run(os.getpid).values()) | {os.getpid()}) == 3
    options = {"correction": correction, "n_permutations": 99, "random_state": 0}
    options["max_terms"] = 3 if correction == "layered" else 2
    options["groups"] = "family" if grouped else None
    votes = votes if grouped else votes.drop(columns="family")
    frame = dd.from_pandas(votes, npartitions=6)
    spread = find_errors(frame, "party", "guess", **options)
    same(spread, find_errors(frame.compute(), "party", "guess", **options))


@pytest.mark.parametrize("groups", [None, "family"])
def test_a_worker_that_dies_in_the_middle_changes_nothing(client, votes, groups):
    options = {"correction": "westfall-young", "n_permutations": 1999, "random_state": 0, "max_terms": 2}
    options["groups"] = groups
    frame = dd.from_pandas(votes, npartitions=6)
    local = find_errors(frame.compute(), "party", "guess", **options)
    client.wait_for_workers(2, timeout=PATIENCE)
    found = []
    search = threading.Thread(target=lambda: found.append(find_errors(frame, "party", "guess", **options)))
    search.start()
    victim = _first_to_hold_bits(client)
    pid = client.run(os.getpid, workers=[victim])[victim]
    assert search.is_alive()
    os.kill(pid, signal.SIGKILL)
    search.join(PATIENCE)
    assert not search.is_alive()
    assert pid not in client.run(os.getpid).values()
    same(found[0], local)


def _first_to_hold_bits(client):
    """Wait until permutations are being counted on packed bits, and name a worker that holds some of them."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        counted = any("_count_" in key for keys in client.processing().values() for key in map(str, keys))
        for worker, keys in client.has_what().items():
            if counted and any("_pack-" in str(key) for key in keys):
                return worker
        time.sleep(0.01)
    raise AssertionError("no worker ever held bits")


def test_rows_are_kept_only_where_the_workers_have_memory(client, votes):
    assert dask_tables._memory() == sum(
        client.run(lambda dask_worker: dask_worker.memory_manager.memory_limit).values()
    )
    frame = dd.from_pandas(votes, npartitions=6)
    options = {"correction": "layered", "progress": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_tables, "KEPT_SHARE", 1e-9)
        spread = find_errors(frame, "party", "guess", **options)
    same(spread, find_errors(frame.compute(), "party", "guess", **options))
