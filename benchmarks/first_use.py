"""What the first use costs: every learner, view and command, in fresh processes with cold and with warm caches.

Nothing is compiled when Fivefold is used, so cold and warm are alike; a second call in the same process is cheaper
by what the first imports (scikit-learn, polars). Run as `python -m benchmarks.first_use [--beside PYTHON]`: the
interpreter of another environment, say that of an older Fivefold, whose figures stand in the same table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 0.5
CALL = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
started = time.process_time()
import numpy as np
import fivefold as ff
SETUP
imported = time.process_time()
call = lambda: CALL
seconds = []
for _ in range(2):
    before = time.process_time()
    call()
    seconds.append(time.process_time() - before)
print(json.dumps([imported - started, *seconds]))
"""
VO = 'table = ff.data.load("VO")\nX, y = table.X, table.y\n'
ANSWERS = VO + "said = y[::-1]\nstated = np.linspace(0.01, 0.99, len(y))\n"
SORTED = VO + (
    "numbers = np.random.default_rng(0).normal(size=(200, 2))\nsigns = (numbers.sum(axis=1) > 0).astype(int)\n"
)
VIEWS = {
    "data.load": ("", 'ff.data.load("VO")'),
    "bits.significance": (ANSWERS, "ff.bits.significance(y, said)"),
    "bits.encode": (ANSWERS, "ff.bits.encode(y, said, code='mixture')"),
    "bets.information_reward": (ANSWERS, "ff.bets.information_reward(y, stated)"),
    "bets.reliability": (ANSWERS, "ff.bets.reliability(y, stated)"),
    "truth.estimate_error": (VO, "ff.truth.estimate_error(ff.learners.NaiveBayes(), X, y, method='cv')"),
    "truth.compare": (VO, "ff.truth.compare(ff.learners.OneR(), ff.learners.NaiveBayes(), X, y)"),
    "slices.find_errors": (ANSWERS, "ff.slices.find_errors(X, y, said)"),
    "slices.find_scores": (ANSWERS, "ff.slices.find_scores(X, stated)"),
    "borders.measure": (
        SORTED,
        "ff.borders.measure(ff.learners.C45Tree().fit(numbers, signs), numbers, signs)",
    ),
    "evaluate": (VO, "ff.evaluate({'tree': ff.learners.C45Tree(), 'bayes': ff.learners.NaiveBayes()}, X, y)"),
}
COMMANDS = {
    "fivefold --help": ["--help"],
    "fivefold learners": ["learners"],
    "fivefold data list": ["data", "list"],
    "fivefold slices": ["slices", "cases.csv", "-t", "y", "-p", "a"],
    "fivefold diff": ["diff", "cases.csv", "-t", "y", "-p", "a", "-p", "b"],
    "fivefold report": ["report", "cases.csv", "-t", "y", "-p", "a", "-p", "b"],
    "fivefold report, 4 learners": [
        "report",
        "vo.csv",
        "-t",
        "class",
        *["-m", "1r", "-m", "c45", "-m", "c5rules", "-m", "foil"],
    ],
    "fivefold foil": ["foil", "family.d"],
}
CASES = "y,a,b,size,colour\n" + "cat,cat,cat,1.5,red\ndog,dog,cat,2.5,blue\ncat,dog,cat,2.0,red\n" * 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", default=None, help="the interpreter of another environment")
    beside = parser.parse_args().beside
    pythons = [sys.executable, *([beside] if beside else [])]
    print(f"\nfirst use: CPU seconds of all cores; a cold cache may cost {LIMIT} s more than a warm one")
    for name, (setup, call) in {**VIEWS, **learners()}.items():
        print(line(name, [library_call(python, setup, call) for python in pythons]), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for name, words in COMMANDS.items():
            print(line(name, [command_line(python, words, folder) for python in pythons]), flush=True)


def learners() -> dict[str, tuple[str, str]]:
    """Fit and ask every learner that takes a table."""
    import fivefold as ff

    names = [name for name in ff.learners.__all__ if hasattr(getattr(ff.learners, name), "predict")]
    call = "ff.learners.{}().fit(X, y).predict(X)"
    return {name: (VO, call.format(name)) for name in names if name != "RelationalFoil"}


def library_call(python: str, setup: str, call: str) -> dict[str, float]:
    """Give the CPU seconds of a first call with an empty cache, of one with a warm cache, and of a second call."""
    code = CALL.replace("SETUP", setup).replace("CALL", call, 1)
    with tempfile.TemporaryDirectory() as cache:
        (_, cold, _), (_, warm, again) = (
            json.loads(run([python, "-c", code], cache).splitlines()[-1]) for _ in range(2)
        )
    return {"cold": cold, "warm": warm, "again": again}


def command_line(python: str, words: list[str], folder: str) -> dict[str, float]:
    """Give the CPU seconds of a command with empty caches, and of the same command again."""
    command = [str(Path(python).with_name("fivefold")), *words]
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (children_seconds(command, cache, folder) for _ in range(2))
    return {"cold": cold, "warm": warm}


def children_seconds(command: list[str], cache: str, folder: str) -> float:
    before = os.times()
    run(command, cache, folder)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def run(command: list[str], cache: str, folder: str | None = None) -> str:
    settings = {**os.environ, "NUMBA_CACHE_DIR": cache, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=settings, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)[:300]} ended with {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def prepare(folder: Path) -> None:
    """Write the tables that the commands read."""
    import fivefold as ff

    (folder / "cases.csv").write_text(CASES, encoding="utf-8")
    (folder / "family.d").write_text(FAMILY, encoding="utf-8")
    table = ff.data.load("VO")
    table.X.with_columns(**{"class": table.y}).write_csv(folder / "vo.csv")


FAMILY = """person: ann, bob, cid, dan, eve.
parent(person, person)
ann, bob
bob, cid
bob, dan
dan, eve
.
grand(person, person) ##
ann, cid
ann, dan
bob, eve
.
"""


def line(name: str, figures: list[dict[str, float]]) -> str:
    shown = "   ".join(f"{what} {seconds:6.2f}" for figure in figures for what, seconds in figure.items())
    late = figures[0]["cold"] - figures[0]["warm"] > LIMIT
    return f"  {name:<28} {shown}{'   above the limit' if late else ''}"


if __name__ == "__main__":
    main()
