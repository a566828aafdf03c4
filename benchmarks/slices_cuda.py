"""Slices on a graphics card: the same as on the processor, bit for bit, and how long each part takes.

Run as `python -m benchmarks.slices_cuda [rows ...]` on a machine with a card; 16281 1000000 10000000 by default.
Every result is compared with the processor's first (of more than a million rows the counts of all conjunctions,
and those in 16 permutations), and any difference ends the run. The times are medians of five, with the cases on
the card; bringing them there, and the table of logarithms, is told apart. Then a billion rows are counted: the
largest table, many times over, whose counts must be as many times as large. At last the first call of fresh
processes is timed on the card, its start included, and on all cores: where the lines cross, `device="auto"` should
change (MANY_DEALT and MANY_CASES in `fivefold.slices.cuda`). With the word `crossing` that alone is done.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.slices import BINS, LEAST, adult, coded, enlarged, whole
from fivefold.slices import Stucco, find_differences, find_errors, find_scores
from fivefold.slices.contrast_search import (
    Family,
    Pruner,
    SearchOptions,
    blind_pruner,
    gather,
    search,
    westfall_young,
)
from fivefold.slices.cuda import MANY_CASES, MANY_DEALT, ItemsOnCard, find_card, to_card
from fivefold.slices.items import Layout, PackedItems, lay_out, pack_items, permute_labels

COMPARED = 1_000_000
BILLION = 1_000_000_000


def median(call: Callable[[], Any], repeats: int = 5) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def fetch(items: ItemsOnCard) -> None:
    """Bring the bits and the table of logarithms to the card, anew."""
    for name in ("counted_bits", "_table"):
        items.__dict__.pop(name, None)
        getattr(items, name)
    items.card.xp.cuda.Device().synchronize()


def family_of(items: PackedItems, options: SearchOptions) -> Family:
    pruner = blind_pruner(items, options.min_support_difference)
    levels = search(items, options, pruner)
    return gather(levels, [np.flatnonzero(pruner(level)) for level in levels])


def check(X: Any, agree: np.ndarray, here: PackedItems, there: ItemsOnCard, options: SearchOptions) -> Family:
    family = family_of(here, options)
    found = family_of(there, options)
    assert np.array_equal(family.sets, found.sets)
    assert np.array_equal(family.counts, found.counts)
    if len(agree) > COMPARED:
        # the counts of all conjunctions, in as many permutations as the processor counts in some seconds
        asked = (
            family.sets,
            permute_labels(np.random.default_rng(1), 16, here.sizes),
            family.counts.sum(axis=1),
        )
        assert np.array_equal(here.count_permuted(*asked), there.count_permuted(*asked))
        return family
    for correction in ("layered", "westfall-young"):
        slices = [whole(X, agree, correction=correction, device=device)() for device in ("cpu", "cuda")]
        assert slices[0].slices == slices[1].slices
        assert slices[0].explained == slices[1].explained
        assert slices[0].tests == slices[1].tests
    return family


def check_others(X: Any, agree: np.ndarray) -> None:
    """Compare what else a card counts: groups of cases, two models, three groups, numbers."""
    n, rng = len(agree), np.random.default_rng(0)
    options = {"bins": BINS, "correction": "westfall-young", "n_permutations": 199}
    other = agree ^ (rng.random(n) < np.where(X["age"] > 45, 0.3, 0.1))
    calls = {
        "cases that belong together": partial(
            find_errors, X, np.ones(n, bool), agree, groups=np.arange(n) // 3, **options
        ),
        "two models": partial(find_differences, X, agree, other, y_true=agree, **options),
        "numbers": partial(find_scores, X, rng.gamma(2.0 - agree), bins=BINS, n_permutations=99),
    }
    for name, call in calls.items():
        here, there = call(device="cpu", n_jobs=-1), call(device="cuda", n_jobs=2)
        assert (here.slices, here.tests) == (there.slices, there.tests), name
        assert here.explained == there.explained, name
        print(f"{n:>14,} rows {name}: the same {len(here)} slices", flush=True)
    here, there = (
        Stucco(device=device, **options).find(X, np.arange(n) % 3 + agree) for device in ("cpu", "cuda")
    )
    assert here.sets == there.sets
    print(f"{n:>14,} rows four groups: the same {len(here)} contrasts", flush=True)


def measure_scores(X: Any, agree: np.ndarray) -> None:
    loss = np.random.default_rng(0).gamma(2.0 - agree)
    find, seconds, found = partial(find_scores, X, loss, bins=BINS, n_jobs=-1), [], []
    for device in ("cuda", "cpu"):
        start = time.perf_counter()
        found.append(find(device=device).slices)
        seconds.append(time.perf_counter() - start)
    assert found[0] == found[1]
    print(
        f"{len(agree):>14,} rows, find_scores: the card {seconds[0]:.2f} s, all cores {seconds[1]:.2f} s",
        flush=True,
    )


def measure(X: Any, agree: np.ndarray) -> ItemsOnCard:
    options = SearchOptions(min_support_difference=LEAST, correction="westfall-young", n_jobs=2)
    layout, n = lay_out(agree, 2), len(agree)
    here = pack_items(coded(X), agree, layout, 5.0 * n / layout.sizes.min(), 2)
    there = to_card(here, "cuda", 0)
    assert isinstance(there, ItemsOnCard)
    family = check(X, agree, here, there, options)
    brought = median(lambda: fetch(there), 3)
    pruner = blind_pruner(here, LEAST)
    counting = median(lambda: search(there, options, pruner))
    permuting = median(lambda: westfall_young(there, family, options, np.random.default_rng(0)))
    slow = [median(lambda: search(here, replace(options, n_jobs=-1), pruner), 1), float("nan")]
    if n <= COMPARED:
        slow[1] = median(
            lambda: westfall_young(here, family, replace(options, n_jobs=-1), np.random.default_rng(0)), 1
        )
    print(
        f"{n:>14,} rows {family.lengths.size:>7,} conjunctions: to the card {brought:.3f} s; "
        f"counting {counting:.4f} s (all cores {slow[0]:.3f}); "
        f"999 permutations {permuting:.4f} s (all cores {slow[1]:.2f})",
        flush=True,
    )
    return there


def frequent(items: PackedItems) -> Pruner:
    least = LEAST * items.sizes.sum()
    return lambda level: level.inside >= least


def count_billion(items: ItemsOnCard) -> None:
    """Count the cases so many times over that they are a billion; the counts must be as many times as large."""
    xp, words, copies = items.card.xp, items.layout.first_words, BILLION // int(items.sizes.sum())
    layout = Layout(copies * items.sizes, copies * words)
    many = replace(items, sizes=layout.sizes, layout=layout)
    bits = xp.empty((len(items.bits), layout.n_words), dtype=np.uint64)
    for low, high in pairwise(words):
        bits[:, copies * low : copies * high] = xp.tile(items.counted_bits[:, low:high], (1, copies))
    many.__dict__["counted_bits"] = bits
    options, found = SearchOptions(), []
    few = search(items, options, frequent(items))
    seconds = median(lambda: found.append(search(many, options, frequent(many))), 3)
    for level, larger in zip(few, found[-1], strict=True):
        assert np.array_equal(copies * level.counts, larger.counts)
    n_counted = sum(level.inside.size for level in found[-1])
    print(f"{many.sizes.sum():>14,} rows {n_counted:>7,} conjunctions: counting {seconds:.3f} s")


def first_call(device: str, correction: str, n: int) -> float:
    """Time a call, the first of this process."""
    call = whole(*enlarged(*adult(), n), correction=correction, device=device)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def fresh(*words: object) -> float:
    command = [sys.executable, "-m", "benchmarks.slices_cuda", "once", *map(str, words)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def find_crossing(correction: str, sizes: list[int]) -> float:
    """Give the number of rows from which the card is faster, start included; inf if it never is."""
    before, crossing = (0.0, 1.0), float("inf")
    for n in sizes:
        card, cores = (min(fresh(device, correction, n) for _ in range(2)) for device in ("cuda", "cpu"))
        print(
            f"{n:>14,} rows, {correction}: first call on the card {card:.2f} s, cores {cores:.2f} s",
            flush=True,
        )
        if card < cores and crossing == float("inf"):
            # between two sizes the logarithm of the ratio is taken for a line
            low, high = np.log(before[1]), np.log(cores / card)
            share = -low / (high - low) if before[0] else 1.0
            crossing = float(np.exp((1 - share) * np.log(before[0] or n) + share * np.log(n)))
        before = (float(n), cores / card)
    return crossing


def measure_crossing() -> None:
    permuted = find_crossing("westfall-young", [16_281, 65_000, 250_000, 1_000_000, 4_000_000])
    print(f"MANY_DEALT should be about {999 * permuted:.2g} (cases times permutations), is {MANY_DEALT:.2g}")
    counted = find_crossing("layered", [1_000_000, 4_000_000, 16_000_000, 64_000_000])
    print(f"MANY_CASES should be about {counted:.2g}, is {MANY_CASES:.2g}")


def main(words: list[str]) -> None:
    if words[:1] == ["once"]:
        print(first_call(words[1], words[2], int(words[3])))
        return
    if words != ["crossing"]:
        compare([int(word) for word in words])
    measure_crossing()


def compare(sizes: list[int]) -> None:
    card = find_card()
    print(f"{card.name}, CuPy {card.xp.__version__}")
    X, agree = adult()
    check_others(X, agree)
    for n in (len(agree), COMPARED):
        measure_scores(*enlarged(X, agree, n))
    for n in sizes or [16_281, COMPARED, 10_000_000]:
        items = measure(*enlarged(X, agree, n))
    count_billion(items)


if __name__ == "__main__":
    main(sys.argv[1:])
