"""Slices of Parquet files on a cluster of two workers, the sharp test included, and the memory that they need.

Run as `python -m benchmarks.slices_dask [rows] [permutations]`: 10000000 and 99 by default; 100000000 is the full
size, 0 leaves the sharp test out. Rows are samples of Adult's test cases with a tenth of the cells drawn anew,
written to a temporary folder in files of a million rows. Each worker is a process with one thread and 2 GB; one
that needed more would be stopped, and the search would fail. Seconds of the processor count workers and caller.
The result of the first file is compared with the one in memory, bit for bit.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import polars as pl
from distributed import Client, LocalCluster

from benchmarks.slices import BINS, LEAST, adult, enlarged
from fivefold.slices import find_errors

AT_ONCE = 1_000_000
MEMORY = "2GB"


def write(folder: Path, n: int) -> None:
    X, agree = adult()
    for number, first in enumerate(range(0, n, AT_ONCE)):
        part, flags = enlarged(X, agree, min(AT_ONCE, n - first), seed=number)
        labels = {"truth": pl.Series(np.ones(len(part), np.int8)), "said": pl.Series(flags.astype(np.int8))}
        part.with_columns(**labels).write_parquet(folder / f"part-{number:04}.parquet")


def find(frame: Any, n_permutations: int) -> Any:
    correction = "westfall-young" if n_permutations else "layered"
    return find_errors(
        frame,
        "truth",
        "said",
        bins=BINS,
        include_target=False,
        min_support_difference=LEAST,
        correction=correction,
        n_permutations=max(n_permutations, 1),
        progress=False,
    )


class Watch(threading.Thread):
    """Remember the most memory that a worker ever took."""

    def __init__(self, client: Client) -> None:
        super().__init__(daemon=True)
        self.client, self.most, self.done = client, 0.0, False

    def run(self) -> None:
        while not self.done:
            for worker in self.client.scheduler_info(n_workers=-1)["workers"].values():
                self.most = max(self.most, worker["metrics"]["memory"] / 1e9)
            time.sleep(0.2)


def processor_seconds(client: Client) -> float:
    return time.process_time() + sum(client.run(time.process_time).values())


def measure(client: Client, files: list[Path], n_permutations: int) -> Any:
    watch, start, before = Watch(client), time.perf_counter(), processor_seconds(client)
    watch.start()
    slices = find(dd.read_parquet([str(file) for file in files]), n_permutations)
    watch.done = True
    kind = f"westfall-young, {n_permutations} permutations" if n_permutations else "layered"
    print(
        f"  {len(files):>4} files, {kind:<35} {time.perf_counter() - start:8.1f} s "
        f"({processor_seconds(client) - before:.0f} of the processor), at most {watch.most:.2f} GB a worker; "
        f"{slices.tests.total:,} tests, {len(slices)} causes",
        flush=True,
    )
    return slices


def main(n: int, n_permutations: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, n)
        files = sorted(folder.iterdir())
        print(f"{n:,} rows, {sum(file.stat().st_size for file in files) / 1e9:.2f} GB of Parquet", flush=True)
        with (
            LocalCluster(
                n_workers=2, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=None
            ) as cluster,
            Client(cluster) as client,
        ):
            local = find(dd.read_parquet(str(files[0])).compute(), n_permutations)
            assert measure(client, files[:1], n_permutations).slices == local.slices
            measure(client, files, 0)
            if n_permutations:
                measure(client, files, n_permutations)


if __name__ == "__main__":
    main(*(int(word) for word in (*sys.argv[1:], *("10000000", "99")[len(sys.argv) - 1 :])))
