"""Time and memory of `fivefold report --html` on files of many rows: 20 columns, two models with probabilities.

Run as `python -m benchmarks.report_rows [ROWS …]`; 1, 5, 20 and 100 million rows by default. The files are made on
the fly, a million rows at a time. Each command is a process of its own, so that its peak is its own too; seconds
are those of the processor (user and system). A size that will not fit into memory is refused by the command
itself, and what it says is printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

GIGABYTE = 1e9
SIZES = (1_000_000, 5_000_000, 20_000_000, 100_000_000)
# what a report may take: seconds of the processor by rows
ALLOWED = {1_000_000: 15, 5_000_000: 45}
AT_ONCE = 1_000_000
FIVEFOLD = str(Path(sys.executable).with_name("fivefold"))
REPORT = ["report", "-t", "y", "-p", "a", "-p", "b", "--probability-prefix", "{}:", "--json", "--quiet"]


def rows(n: int, seed: int) -> pl.DataFrame:
    """Make some rows: 3 columns of labels, 4 of probabilities, 8 of numbers and 5 of words."""
    rng = np.random.default_rng(seed)
    label, words = np.array(["cat", "dog"]), np.array(["red", "green", "blue", "black", "white"])
    chance = rng.random(n)
    columns: dict[str, Any] = {"y": label[(rng.random(n) < chance).astype(int)]}
    for model, noise in (("a", 0.1), ("b", 0.25)):
        stated = np.clip(chance + noise * rng.normal(size=n), 0.001, 0.999).round(4)
        columns |= {model: label[(stated > 0.5).astype(int)]}
        columns |= {f"{model}:cat": 1 - stated, f"{model}:dog": stated}
    columns |= {f"number{j}": rng.normal(size=n).round(3) for j in range(6)}
    columns |= {f"colour{j}": words[rng.integers(5, size=n)] for j in range(5)}
    return pl.DataFrame(columns | {"age": rng.integers(18, 90, size=n), "visits": rng.poisson(3, size=n)})


def write(path: Path, n: int) -> None:
    """Write a file piece by piece."""
    parts = []
    for place, first in enumerate(range(0, n, AT_ONCE)):
        parts.append(path.with_name(f"part{place}.parquet"))
        rows(min(AT_ONCE, n - first), place).write_parquet(parts[-1])
    scan = pl.scan_parquet(parts)
    scan.sink_parquet(path) if path.suffix == ".parquet" else scan.sink_csv(path, float_precision=4)
    for part in parts:
        part.unlink()


def measured(words: list[str]) -> tuple[int, float, float, float, str]:
    """Run a command; give its exit code, seconds of the processor and of the clock, peak, and complaint."""
    start = time.perf_counter()
    with (
        tempfile.TemporaryFile() as complaint,
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=complaint) as process,
    ):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        complaint.seek(0)
        told = complaint.read().decode().strip()
    seconds = usage.ru_utime + usage.ru_stime
    return process.returncode, seconds, time.perf_counter() - start, usage.ru_maxrss * 1024 / GIGABYTE, told


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or SIZES
    idle = measured([sys.executable, "-c", "import fivefold.evaluation.five_views, fivefold.report.page"])
    print(f"{'':<26} cpu seconds   wall   peak GB   (imports alone: {idle[1]:.1f} s, {idle[3]:.2f} GB)")
    for n in sizes:
        for ending in ("csv", "parquet") if n <= 5_000_000 else ("parquet",):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, f"predictions.{ending}")
                # by another process, for a command's peak is at least what the one that starts it once took
                maker = get_context("spawn").Process(target=write, args=(path, n))
                maker.start()
                maker.join()
                words = [FIVEFOLD, REPORT[0], str(path), *REPORT[1:], "--html", f"{folder}/report.html"]
                code, seconds, wall, peak, told = measured(words)
            name = f"{n:>11,} rows, {ending}"
            if code:
                print(f"{name:<26} refused: {told}")
                continue
            allowed = f"   allowed: {ALLOWED[n]} s" if n in ALLOWED else ""
            print(f"{name:<26} {seconds:11.1f} {wall:6.0f} {peak:9.2f}{allowed}", flush=True)


if __name__ == "__main__":
    main()
