"""How hard hypothesis searches, and which of the slow and long tests run."""

import cProfile
import os
import signal
import zlib

import pytest
from hypothesis import HealthCheck, settings

SLOW_SHARE = 24

# A shell ignores Ctrl-C for what it starts in the background, and so would the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Every core has a test process; "all cores" starts workers in none of them. Tests of workers ask for two.
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

# A busy machine is no fault of the example that met it.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("ci", max_examples=25, derandomize=True, **_PATIENT)
settings.register_profile("thorough", max_examples=1000, **_PATIENT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def count_calls():
    """Count the functions that are called, or those `of` some name: seconds tell what else the machine does."""

    def count(call, of=""):
        with cProfile.Profile() as profile:
            call()
        return sum(entry.callcount for entry in profile.getstats() if of in str(entry.code))

    return count


def pytest_addoption(parser):
    parser.addoption(
        "--all", action="store_true", help="run every slow and long test, not a sample of the slow ones"
    )


def pytest_collection_modifyitems(config, items):
    if config.getoption("--all"):
        return
    passed_over = pytest.mark.skip(reason=f"slow: one in {SLOW_SHARE} runs without --all")
    too_long = pytest.mark.skip(reason="long: runs with --all")
    for item in items:
        if "long" in item.keywords:
            item.add_marker(too_long)
        elif "slow" in item.keywords and zlib.crc32(item.nodeid.encode()) % SLOW_SHARE:
            item.add_marker(passed_over)
