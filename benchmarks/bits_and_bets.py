"""Ten million predictions: bits and bets against scikit-learn, netcal and uncertainty-calibration.

Run as `python benchmarks/bits_and_bets.py [rows]`. Peers that are not installed are left out, and said so.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import brier_score_loss, log_loss

import fivefold as ff
from benchmarks.timing import interleaved, peak_megabytes, show


def main(rows: int = 10_000_000) -> None:
    rng = np.random.default_rng(0)
    prob = rng.random(rows)
    truth = (rng.random(rows) < prob).astype(np.int64)
    said = (prob > 0.5).astype(np.int64)
    both = np.column_stack([1 - prob, prob])
    _memory(rows, truth, said, prob, both)
    print(f"{rows:,} predictions of two classes, least of 3 runs taking turns")
    seconds = interleaved(_ours(truth, said, prob, both) | _peers(truth, prob, both))
    show("against scikit-learn's log_loss", seconds, "sklearn log_loss")
    if "netcal ECE" in seconds:
        calibrated = {k: v for k, v in seconds.items() if "ECE" in k or "calibration" in k}
        show("calibration, against netcal's ECE", calibrated, "netcal ECE")
    _noise_floor(truth[:20_000], prob[:20_000])


def _noise_floor(truth: Any, prob: Any) -> None:
    """Each outcome is drawn 1,000 times: how much longer than to draw the numbers alone?"""
    rng, drawn = np.random.default_rng(0), np.empty(prob.size)
    calls = {
        "numpy draws the numbers": lambda: [rng.random(out=drawn) for _ in range(1000)],
        "fivefold reliability": lambda: ff.bets.reliability(truth, prob),
    }
    show(f"noise floor of {prob.size:,} predictions", interleaved(calls), "numpy draws the numbers")


def _memory(rows: int, truth: Any, said: Any, prob: Any, both: Any) -> None:
    """Memory beyond the input, as a multiple of the input; first, while the peak is the input's own."""
    small = slice(0, 1000)
    for call in _ours(truth[small], said[small], prob[small], both[small]).values():
        call()
    print(f"{'memory above the input, in multiples of it':<50}")
    calls: dict[str, tuple[Callable[[], Any], int]] = {
        "bits.significance": (lambda: ff.bits.significance(truth, said), truth.nbytes + said.nbytes),
        "bets.information_reward": (
            lambda: ff.bets.information_reward(truth, both),
            truth.nbytes + both.nbytes,
        ),
        "bets.miscalibration": (lambda: ff.bets.miscalibration(truth, prob), truth.nbytes + prob.nbytes),
    }
    for name, (call, size) in calls.items():
        before = peak_megabytes()
        call()
        print(f"  {name:<44} {max(0.0, peak_megabytes() - before) / (size / 2**20):6.2f} x")


def _ours(truth: Any, said: Any, prob: Any, both: Any) -> dict[str, Callable[[], Any]]:
    return {
        "fivefold significance (frequency code)": lambda: ff.bits.significance(truth, said),
        "fivefold significance (mixture code)": lambda: ff.bits.significance(truth, said, code="mixture"),
        "fivefold information_reward (n, 2)": lambda: ff.bets.information_reward(truth, both),
        "fivefold information_reward (n,)": lambda: ff.bets.information_reward(truth, prob),
        "fivefold brier_score": lambda: ff.bets.brier_score(truth, prob),
        "fivefold miscalibration": lambda: ff.bets.miscalibration(truth, prob),
        "fivefold expected_calibration_error (ECE)": lambda: ff.bets.expected_calibration_error(truth, prob),
    }


def _peers(truth: Any, prob: Any, both: Any) -> dict[str, Callable[[], Any]]:
    peers: dict[str, Callable[[], Any]] = {
        "sklearn log_loss": lambda: log_loss(truth, both),
        "sklearn brier_score_loss": lambda: brier_score_loss(truth, prob),
    }
    if importlib.util.find_spec("netcal"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from netcal.metrics import ECE

        peers["netcal ECE"] = lambda: ECE(bins=15).measure(prob, truth)
    else:
        print("netcal is not installed: left out")
    if importlib.util.find_spec("calibration"):
        import calibration

        peers["uncertainty-calibration"] = lambda: calibration.get_ece(prob, truth)
    else:
        print("uncertainty-calibration is not installed: left out")
    return peers


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
