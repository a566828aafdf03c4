"""Tasks for the tests, in a module of their own so that worker processes can import them."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from fivefold.study import Job, generator, task


def write_down(text):
    """Append a line to the log, in one write, so that lines of several processes do not mix."""
    if "STUDY_TEST_LOG" in os.environ:
        handle = os.open(os.environ["STUDY_TEST_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(handle, f"{text}\n".encode())
        os.close(handle)


@task("test.draw")
def draw(params, seed):
    write_down(params["i"])
    time.sleep(float(os.environ.get("STUDY_TEST_SLEEP", "0")))
    numbers = generator(seed, params["i"]).normal(size=params["size"])
    return {"first": numbers[0], "all": numbers, "i": params["i"]}


@task("test.odd")
def odd(params, seed):
    if params["i"] % 2:
        raise ArithmeticError(f"{params['i']} is odd")
    return {"half": params["i"] / 2}


@task("test.repair")
def repair(params, seed):
    if not Path(params["flag"]).exists():
        raise FileNotFoundError("not yet")
    return {"found": 1}


@task("test.deadly")
def deadly(params, seed):
    if params["i"] == params["bad"] and not Path(params["flag"]).exists():
        if params["once"]:
            Path(params["flag"]).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"i": params["i"]}


@task("test.threads")
def threads(params, seed):
    from threadpoolctl import threadpool_info

    np.linalg.norm(np.ones((20, 20)) @ np.ones((20, 20)))
    return {"most": max(pool["num_threads"] for pool in threadpool_info())}


def draws(n, size=3):
    return [Job("test.draw", {"i": i, "size": size}, seed=7, labels={"i": i}) for i in range(n)]
