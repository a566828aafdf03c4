"""The least that counting costs: a plain loop over packed bits in C, with no search around it."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fivefold.data.bitsets


@cache
def loops() -> ctypes.CDLL:
    """Compile slices_floor.c for this very processor; ctypes lets other threads run while it is called."""
    source = Path(__file__).with_suffix(".c")
    headers = Path(fivefold.data.bitsets.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "floor.so"
        flags = ["-O3", "-march=native", "-shared", "-fPIC", f"-I{headers}"]
        subprocess.run(["cc", *flags, str(source), "-o", str(library)], check=True)
        made = ctypes.CDLL(str(library))
    made.count.restype = ctypes.c_int64
    return made


def call(function: Any, *arguments: Any) -> Any:
    return function(
        *[
            value.ctypes if isinstance(value, np.ndarray) else ctypes.c_int64(int(value))
            for value in arguments
        ]
    )


def floor(
    codes: NDArray[np.int8], agree: NDArray[np.bool_], least: int, threads: int = 2
) -> Callable[[], Any]:
    """Pack and count in two threads."""
    widths = codes.max(axis=1) + 1
    firsts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    totals = [
        np.bincount(column[column >= 0], minlength=width) for column, width in zip(codes, widths, strict=True)
    ]
    kept = np.flatnonzero(np.concatenate(totals) >= least)
    column_of = np.repeat(np.arange(len(codes)), widths)[kept]
    wrong, right = (
        np.pad(part, ((0, 0), (0, -part.shape[1] % 64)), constant_values=-1)
        for part in (codes[:, ~agree], codes[:, agree])
    )
    ordered, split = np.ascontiguousarray(np.hstack([wrong, right])), wrong.shape[1] // 64
    n_rows, words, middle = ordered.shape[1], ordered.shape[1] // 64, len(codes) // 2

    def measured() -> int:
        bits = np.zeros((int(firsts[-1]), words), dtype=np.uint64)

        def pack(ends: tuple[int, int]) -> None:
            call(loops().pack, ordered, firsts, *ends, n_rows, words, bits)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(pack, [(0, middle), (middle, len(codes))]))
            sets = np.ascontiguousarray(bits[kept])

            def count(first: int) -> int:
                numbers = len(sets), words, split, least, first, threads
                return int(call(loops().count, sets, column_of, *numbers))

            return sum(pool.map(count, range(threads)))

    loops()
    return measured
