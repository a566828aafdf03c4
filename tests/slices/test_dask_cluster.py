"""A real cluster of two worker processes, one of which is killed in the middle of a search."""

import os
import signal
import time

import pandas as pd
import pytest

from fivefold.data import load
from fivefold.slices import dask_tables, find_errors, find_scores

dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

PATIENCE = 120.0
SHARP = {"correction": "westfall-young", "n_permutations": 99, "summary": "none"}
# what is searched, and which method of the items counts what is dealt out anew, or whose signs are turned
SEARCHES = {
    "layered": ({"correction": "layered"}, ""),
    "layered families": ({"correction": "layered", "groups": "family", "summary": "none"}, ""),
    "permuted": (SHARP, "count_permuted"),
    "permuted families": ({**SHARP, "groups": "family"}, "add_by_cluster"),
    "scores": ({"n_permutations": 99}, "add_dealt"),
    "scores of families": ({"n_permutations": 49, "groups": "family", "summary": "none"}, "add_by_cluster"),
}
DEALT = [name for name, (_, method) in SEARCHES.items() if method]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def votes():
    """Votes and a rule of thumb that errs in places, three times over with other rows each time."""
    table = load("VO")
    frame = pd.DataFrame({name: table.X[name].to_list() for name in table.X.columns[6:]})
    frame["party"] = table.y
    frame["guess"] = frame["crime"].map({"y": "republican", "n": "democrat"}).fillna("democrat")
    frame = pd.concat([frame.sample(frac=0.8, random_state=seed) for seed in range(3)], ignore_index=True)
    frame["age"] = frame.index % 71 / 7
    frame["family"] = frame.index * 7919 % len(frame) // 5
    return frame


def search(frame, name):
    options = {
        "max_terms": 2,
        "min_support_difference": 0.05,
        "random_state": 0,
        "progress": False,
        **SEARCHES[name][0],
    }
    if "groups" not in options:
        frame = frame.drop(columns="family")
    if not name.startswith("scores"):
        return find_errors(frame, "party", "guess", **options)
    loss = (frame["party"] != frame["guess"]).astype(float) + frame["age"] / 20
    return find_scores(frame.drop(columns=["party", "guess", "age"]), loss, **options)


def same(spread, local):
    assert len(local) > 0
    assert spread.slices == local.slices
    assert spread.tests == local.tests


@pytest.mark.parametrize("name", SEARCHES)
def test_two_worker_processes_give_the_local_result(client, votes, name):
    assert len({*client.run(os.getpid).values(), os.getpid()}) == 3
    same(search(dd.from_pandas(votes, npartitions=6), name), search(votes, name))


@pytest.mark.parametrize("name", DEALT)
def test_a_worker_that_dies_in_the_middle_changes_nothing(client, votes, name, monkeypatch):
    client.wait_for_workers(1, timeout=PATIENCE)
    killed, method = [], SEARCHES[name][1]
    count = getattr(dask_tables.ItemsOnWorkers, method)

    def kill_and_count(items, *given):
        if not killed:
            bits = {task.key for task in items.packed}
            victim = next(worker for worker, keys in client.has_what().items() if bits & set(keys))
            killed.append(client.run(os.getpid, workers=[victim])[victim])
            os.kill(killed[0], signal.SIGKILL)
        return count(items, *given)

    monkeypatch.setattr(dask_tables.ItemsOnWorkers, method, kill_and_count)
    same(search(dd.from_pandas(votes, npartitions=6), name), search(votes, name))
    deadline = time.monotonic() + PATIENCE
    while killed[0] in client.run(os.getpid).values() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert killed[0] not in client.run(os.getpid).values()


def test_rows_are_kept_only_where_the_workers_have_memory(client, votes, monkeypatch):
    assert dask_tables._memory() == sum(
        client.run(lambda dask_worker: dask_worker.memory_manager.memory_limit).values()
    )
    monkeypatch.setattr(dask_tables, "KEPT_SHARE", 1e-9)
    same(search(dd.from_pandas(votes, npartitions=6), "layered"), search(votes, "layered"))
