"""Memory and time of `fivefold report` on a file of many rows, beside polars only reading the same file.

Run as `python -m benchmarks.report_rows [ROWS]`; ROWS is 10 million by default. Each measured command is a process
of its own, so that its peak is its own too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GIGABYTE = 1e9
ALLOWED = 4.0  # gigabytes beyond the input
FIVEFOLD = str(Path(sys.executable).with_name("fivefold"))

WRITE = """
import sys
import numpy as np
import polars as pl
path, n = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
chance = rng.random(n)
label = np.array(["cat", "dog"])
colours = np.array(["red", "green", "blue", "black", "white"])
pl.DataFrame({
    "y": label[(rng.random(n) < chance).astype(int)],
    "a": label[(chance > 0.5).astype(int)],
    "a:cat": (1 - chance).round(4),
    "a:dog": 1 - (1 - chance).round(4),
    "b": label[rng.integers(2, size=n)],
    "weight": rng.normal(size=n).round(3),
    "colour": colours[rng.integers(5, size=n)],
}).write_csv(path, float_precision=4)
"""
READ = "import sys, polars as pl; print(pl.read_csv(sys.argv[1]).estimated_size())"


def measured(words: list[str]) -> tuple[float, float, str]:
    """Run a command; give its seconds, its peak in gigabytes and what it printed."""
    start = time.perf_counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words[:2]} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024 / GIGABYTE, told


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "predictions.csv")
        subprocess.run([sys.executable, "-c", WRITE, path, str(rows)], check=True)
        size = path.stat().st_size / GIGABYTE
        _, empty, _ = measured([sys.executable, "-c", "import fivefold.cli.report, polars"])
        read_seconds, read_peak, frame = measured([sys.executable, "-c", READ, str(path)])
        print(f"{rows:,} rows, file {size:.2f} GB, as a frame {int(frame) / GIGABYTE:.2f} GB")
        print(
            f"  {'polars.read_csv':<28} {read_seconds:7.1f} s   peak {read_peak:5.2f} GB   (idle {empty:.2f} GB)"
        )
        options = ["-t", "y", "-p", "a", "-p", "b", "--probability-prefix", "a=a:"]
        for name, more in {
            "fivefold report": [],
            "fivefold report --html": ["--html", f"{folder}/r.html"],
        }.items():
            seconds, peak, _ = measured([FIVEFOLD, "report", str(path), *options, "--json", *more])
            beyond = peak - size
            verdict = "within" if beyond <= ALLOWED else "BEYOND"
            print(
                f"  {name:<28} {seconds:7.1f} s   peak {peak:5.2f} GB   {beyond:5.2f} GB beyond the input: "
                f"{verdict} {ALLOWED:.0f} GB; {seconds / read_seconds:.0f} x polars.read_csv"
            )


if __name__ == "__main__":
    main()
