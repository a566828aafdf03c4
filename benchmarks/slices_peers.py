"""Other slice finders on a table of codes; run by the Python of an environment that holds the one named.

Arguments: the finder, a file of numpy arrays (codes, agree), and the least number of cases. Prints JSON: the least
seconds of a run, and how many conjunctions it gave.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np


def pysubgroup(codes: Any, agree: Any, least: int) -> Callable[[], int]:
    import pandas as pd
    import pysubgroup as ps

    frame = pd.DataFrame(codes.astype(str), columns=[f"c{i}" for i in range(codes.shape[1])]).assign(
        agree=agree
    )

    def find() -> int:
        task = ps.SubgroupDiscoveryTask(
            frame,
            ps.BinaryTarget("agree", True),
            ps.create_nominal_selectors(frame, ignore=["agree"]),
            result_set_size=20_000,
            depth=3,
            qf=ps.WRAccQF(),
            constraints=[ps.MinSupportConstraint(least)],
        )
        return len(ps.Apriori().execute(task).results)

    return find


def sliceline(codes: Any, agree: Any, least: int) -> Callable[[], int]:
    from sliceline.slicefinder import Slicefinder

    def find() -> int:
        finder = Slicefinder(alpha=0.95, k=10, max_l=3, min_sup=least, verbose=False)
        return len(finder.fit(codes + 2, (~agree).astype(float)).top_slices_)

    return find


def divexplorer(codes: Any, agree: Any, least: int) -> Callable[[], int]:
    import pandas as pd
    from divexplorer import DivergenceExplorer

    frame = pd.DataFrame(codes.astype(str), columns=[f"c{i}" for i in range(codes.shape[1])])
    frame = frame.assign(error=(~agree).astype(int))

    def find() -> int:
        found = DivergenceExplorer(frame).get_pattern_divergence(
            min_support=least / len(frame), boolean_outcomes=["error"]
        )
        return len(found)

    return find


def main(name: str, file: str, least: int) -> None:
    with np.load(file) as held:
        codes, agree = held["codes"].astype(np.int64), held["agree"]
    find = {"pysubgroup": pysubgroup, "sliceline": sliceline, "divexplorer": divexplorer}[name](
        codes, agree, least
    )
    seconds, found = float("inf"), 0
    for _ in range(2 if len(codes) < 100_000 else 1):
        start = time.perf_counter()
        found = find()
        seconds = min(seconds, time.perf_counter() - start)
    print(json.dumps({"seconds": seconds, "found": found}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
