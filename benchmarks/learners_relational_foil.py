"""Seconds of relational FOIL on classic tasks, beside those of the program that the variable FOIL6 names."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from time import perf_counter

from benchmarks.timing import interleaved, show
from fivefold.learners.relational_foil import RelationalFoil, Relations


def _file(types: list[str], relations: dict[str, list[tuple[object, ...]]]) -> str:
    blocks = [
        "\n".join([head, *(",".join(map(str, row)) for row in rows), "."]) for head, rows in relations.items()
    ]
    return "\n".join([*types, "", *blocks]) + "\n"


def ackermann() -> str:
    rows = [(0, i, i + 1) for i in range(20)] + [(1, i, i + 2) for i in range(19)]
    rows += [(2, i, 2 * i + 3) for i in range(9)] + [(3, 0, 5), (3, 1, 13), (4, 0, 13)]
    types = ["*N: *0,*1," + ",".join(map(str, range(2, 21))) + "."]
    return _file(types, {"ack(N,N,N) ##-": rows, "*succ(N,N)": [(i, i + 1) for i in range(20)]})


def plus(n: int = 10) -> str:
    rows = [(a, b, a + b) for a in range(n + 1) for b in range(n + 1 - a)]
    types = ["N: *0," + ",".join(map(str, range(1, n + 1))) + "."]
    return _file(types, {"plus(N,N,N)": rows, "*succ(N,N)": [(i, i + 1) for i in range(n)]})


def quicksort() -> str:
    every = [items for n in range(5) for items in permutations((0, 1, 2, 3), n)]

    def name(items: tuple[int, ...] | list[int]) -> str:
        return f"[{''.join(map(str, items))}]"

    types = ["E: 0,1,2,3.", "L: *" + ",".join(map(name, every)) + "."]
    parts = [(name(own), own[0], name(own[1:])) for own in every if own]
    joined = [(name(own[:i]), name(own[i:]), name(own)) for own in every for i in range(len(own) + 1)]
    split = [
        (e, name(own), name([x for x in own if x < e]), name([x for x in own if x > e]))
        for own in every
        for e in range(4)
        if e not in own
    ]
    return _file(
        types,
        {
            "*append(L,L,L) ##-/--#": joined,
            "*components(L,E,L) #--/-##": parts,
            "sort(L,L) #-": [(name(own), name(sorted(own))) for own in every],
            "*partition(E,L,L,L) ##--": split,
        },
    )


def main() -> None:
    program = os.environ.get("FOIL6")
    for task, text in {"plus": plus(), "Ackermann": ackermann(), "quicksort": quicksort()}.items():
        relations = Relations.parse(text)
        RelationalFoil().fit(relations)  # compiled code is loaded before the clock starts
        runs: dict[str, Callable[[], object]] = {
            "RelationalFoil": lambda own=relations: RelationalFoil().fit(own)
        }
        if program is None:
            start = perf_counter()
            runs["RelationalFoil"]()
            print(f"{task:<12} {perf_counter() - start:8.3f} s (set FOIL6 to the program to compare with it)")
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "task.d"
            path.write_text(text)
            runs["FOIL 6.4"] = lambda own=path: subprocess.run(
                [program, "-v0"], input=own.read_text(), text=True, capture_output=True, check=True
            )
            show(task, interleaved(runs), "FOIL 6.4")


if __name__ == "__main__":
    main()
