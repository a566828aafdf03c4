"""Counting on a graphics card (CUDA): the same counts and the same permutations as on the processor, bit for bit.

The sets of cases of all terms lie on the card. Conjunctions are counted by AND and popcount. Where labels are
permuted or numbers added up, conjunctions become bytes, some cases at a time, and the matrix units multiply them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.slices import significance
from fivefold.slices._kernels import Counts, Numbers
from fivefold.slices.items import Layout, PackedItems, PermutedLabels, Reached, Sets

# words of one block of the kernel `count`: eight for each of 32 lanes
BLOCK_WORDS = 256
# bytes on the card for conjunctions and labels at a time
SET_BYTES = 1 << 30
# of more cases the logarithms do not fit on every card, and statistics are computed here
LARGEST_TABLE = 1 << 26
# from so many cases times permutations, or cases alone, the first call on an H200 beat 16 cores, start included
MANY_DEALT, MANY_CASES = 120_000_000, 1_500_000


class Card:
    """A card: its arrays and the kernels of `cuda_kernels.cu`."""

    def __init__(self) -> None:
        self.xp = import_module("cupy")
        source = files("fivefold.slices").joinpath("cuda_kernels.cu").read_text(encoding="utf-8")
        self._module = self.xp.RawModule(code=source)
        properties = self.xp.cuda.runtime.getDeviceProperties(self.xp.cuda.Device().id)
        self.name = str(properties["name"].decode())

    @property
    def free_bytes(self) -> int:
        """Memory that is not taken."""
        return int(self.xp.cuda.Device().mem_info[0] + self.xp.get_default_memory_pool().free_bytes())

    def _launch(self, kernel: str, grid: tuple[int, ...], threads: int, *given: Any, shared: int = 0) -> None:
        function = self._module.get_function(kernel)
        if shared:
            function.max_dynamic_shared_size_bytes = shared
        given = tuple(np.int64(value) if isinstance(value, int) else value for value in given)
        function(grid, (threads,), given, shared_mem=shared)

    def count(self, bits: Any, others: Any, sets: Sets, starts: Counts, last: Sets, layout: Layout) -> Any:
        """Count conjunctions with each of their further sets, those of `last` from `starts` on, in each group."""
        blocks, n_groups = layout.blocks(BLOCK_WORDS), layout.sizes.size
        counts = self.xp.zeros((last.size, n_groups), dtype=np.int64)
        there, *further = (self.xp.asarray(array) for array in (sets, starts, last, blocks))
        grid = len(blocks), max(1, min(2048 // len(blocks), -(-len(sets) // 8)))
        given = bits, others, bits.shape[1], there, *sets.shape, *further, n_groups, counts
        self._launch("count", grid, 256, *given)
        return counts

    def spread(self, bits: Any, sets: Any, first: int, width: int) -> Any:
        """Write conjunctions as bytes, one for each case of some words."""
        spread = self.xp.empty((len(sets), 64 * width), dtype=np.int8)
        grid = -(-4 * width // 256), min(len(sets), 65_535)
        self._launch("spread", grid, 256, bits, bits.shape[1], sets, *sets.shape, first, width, spread)
        return spread

    def multiply(self, members: Any, labels: Any, counts: Any) -> None:
        """Add to counts (sets, labels) the cases that each set of bytes shares with each row of labels."""
        cublas, one, n_cases = self.xp.cuda.cublas, np.ones(1, dtype=np.int32), members.shape[1]
        scale, eight, thirty_two, in_whole_numbers = one.ctypes.data, 3, 10, 72
        cublas.gemmEx(
            *(self.xp.cuda.device.get_cublas_handle(), cublas.CUBLAS_OP_T, cublas.CUBLAS_OP_N),
            *(labels.shape[0], members.shape[0], n_cases, scale),
            *(labels.data.ptr, eight, n_cases, members.data.ptr, eight, n_cases),
            *(scale, counts.data.ptr, thirty_two, counts.shape[1], in_whole_numbers, -1),
        )

    def deal(self, key: NDArray[np.uint32], block: int, splits: Counts, places: Sets, labels: Any) -> None:
        """Deal the labels of a block's cases, as `deal_block` of the processor."""
        cases = np.full(64 * labels.shape[2], -1, dtype=np.int32)
        cases[places[places >= 0]] = np.flatnonzero(places >= 0)
        n, n_labels, n_rows = places.size, labels.shape[1], labels.shape[0] * labels.shape[1]
        taken, last = 4 * (n // 32 + 1), 4 * (n // 2 + 1)
        fits = taken + last + 512 <= self.xp.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
        outside = 0 if fits else self.xp.empty(n_rows * last // 4, dtype=np.uint32)
        given = *key, block, self.xp.asarray(splits), n_labels, n, self.xp.asarray(cases), cases.size
        self._launch("deal", (n_rows,), 1024, *given, outside, labels, shared=taken + (last if fits else 0))


@dataclass(frozen=True, eq=False)
class ItemsOnCard(PackedItems):
    """Terms whose sets of cases also lie on a card."""

    card: Card = field(kw_only=True)
    _lock: Lock = field(default_factory=Lock, init=False)

    @property
    def xp(self) -> Any:
        """The module of the card's arrays."""
        return self.card.xp

    @cached_property
    def counted_bits(self) -> Any:
        """The bits, on the card."""
        return self.xp.asarray(self.bits)

    @cached_property
    def _table(self) -> Any:
        return self.xp.asarray(significance.times_log(int(self.sizes.sum()), whole=True))

    def fetch(self, array: Any) -> NDArray[Any]:
        """Bring an array here from the card."""
        return np.ascontiguousarray(self.xp.asnumpy(array))

    def count_extensions(self, prefixes: Sets, starts: Counts, last: Sets, threads: int) -> Counts:
        """Count on the card."""
        bits = self.counted_bits
        return self.fetch(self.card.count(bits, bits, prefixes, starts, last, self.layout))

    def count_within(self, sets: Sets, cells: Any) -> Counts:
        """Count each conjunction in each cell, which lie on the card too."""
        last = np.tile(np.arange(len(cells), dtype=np.int32), len(sets))
        starts = np.arange(len(sets) + 1) * len(cells)
        counts = self.card.count(self.counted_bits, cells, sets, starts, last, self.layout)
        return self.fetch(counts).reshape(len(sets), len(cells), self.sizes.size)

    def _windows(self, labels: PermutedLabels, firsts: Counts | None = None) -> Iterator[tuple[Any, int]]:
        return labels.windows(self.layout.spans(firsts), self.card.deal, self.xp)

    def _count_windows(self, sets: Sets, windows: Iterable[tuple[Any, int]], n_labels: int, *_: Any) -> Any:
        """Count conjunctions, and at last all cases, in sets of labels: products of matrices of bytes."""
        conjunctions = self.xp.asarray(np.pad(sets, ((0, 1), (0, 0)), constant_values=-1))
        # matrix units want sixteen at a time
        rows = self.xp.arange(-(-n_labels // 16) * 16, dtype=np.int32)[:, None] % n_labels
        counts = self.xp.zeros((len(conjunctions), len(rows)), dtype=np.int32)
        at_once = max(1, SET_BYTES // (64 * (len(conjunctions) + len(rows))))
        for labels, first in windows:
            for low in range(0, labels.shape[1], at_once):
                width = min(at_once, labels.shape[1] - low)
                members = self.card.spread(self.counted_bits, conjunctions, first + low, width)
                self.card.multiply(members, self.card.spread(labels, rows, low, width), counts)
        return counts[:, :n_labels]

    def count_reached(self, sets: Sets, labels: PermutedLabels, inside: Counts, *of: Any) -> Reached:
        """Count the permutations that reach each statistic without fetching a count, as far as tables go."""
        # one at a time: another thread draws the next permutations meanwhile
        with self._lock:
            if self.sizes.sum() >= LARGEST_TABLE or not len(sets):
                return super().count_reached(sets, labels, inside, *of)
            observed, allowance, _, difference = of
            draws, _, n_groups = labels.splits.shape
            counts = self._count_windows(sets, self._windows(labels), draws * (n_groups - 1))
            seen, asarray = counts[:-1].reshape(len(sets), draws, -1), self.xp.asarray
            values = self._ratios(seen, asarray(inside), asarray(allowance), difference)
            most, step = self.xp.maximum(values, 0.0), 1
            while step < len(most):
                most[step:] = self.xp.maximum(most[step:], most[:-step])
                step *= 2
            reached = (most >= asarray(observed)[:, None]).sum(axis=1)
            return self.fetch(reached), self.fetch(abs(values).max(axis=0))

    def _ratios(self, counts: Any, inside: Any, allowance: Any, difference: float) -> Any:
        """Give the statistic of each conjunction in each draw as the processor, negative if it is too small."""
        xp, table, total = self.xp, self._table, int(self.sizes.sum())
        last = inside[:, None] - counts.sum(axis=2)
        value, least, most = xp.zeros(last.shape), 2.0, -1.0
        for group, size in enumerate(self.sizes.tolist()):
            seen = counts[:, :, group] if group < counts.shape[2] else last
            value += table[seen] + table[size - seen] - table[size]
            least, most = xp.minimum(least, seen / size), xp.maximum(most, seen / size)
        value += (table[total] - table[inside] - table[total - inside])[:, None]
        value = xp.maximum(2.0 * value, 0.0) + allowance[:, None]
        return xp.where(most - least >= difference, value, -value)

    def add_within(self, bits: Any, sets: Sets, numbers: Numbers) -> Numbers:
        """Add up columns of numbers over conjunctions of sets on the card; on their grid sums are exact."""
        with self._lock:
            n_words, conjunctions = bits.shape[1], self.xp.asarray(sets)
            there, added = self.xp.asarray(numbers), self.xp.zeros((len(sets), numbers.shape[1]))
            at_once = max(1, SET_BYTES // (64 * 9 * max(len(sets), 1)))
            for low in range(0, n_words, at_once):
                some = there[64 * low : 64 * (low + at_once)]
                members = self.card.spread(bits, conjunctions, low, min(at_once, n_words - low))
                added += members[:, : len(some)].astype(np.float64) @ some
            return self.fetch(added)


@cache
def find_card() -> Card:
    """Give the card that there is; complain if there is none."""
    if find_spec("cupy") is None:
        hint = "pip install 'fivefold[cuda]', or device='cpu'"
        raise InputError("CuPy for device='cuda'", "none installed", hint)
    runtime = import_module("cupy").cuda.runtime
    try:
        problem = "" if runtime.getDeviceCount() else "none"
    except runtime.CUDARuntimeError as error:
        problem = str(error)
    if problem:
        raise InputError("a card that CUDA can use, for device='cuda'", problem, "device='cpu' needs none")
    return Card()


def to_card(items: PackedItems, device: str, draws: int, numbers: int = 0) -> PackedItems:
    """Put items onto the card, if that was asked for, or left open ("auto") and it pays; with room for numbers."""
    n_cases, auto = int(items.sizes.sum()), device == "auto"
    if auto and n_cases < MANY_CASES and n_cases * draws < MANY_DEALT:
        return items
    try:
        card = find_card()
        needed, free = items.bits.nbytes + 3 * SET_BYTES + 8 * numbers, card.free_bytes
        if needed > free:
            raise InputError(
                f"{needed / 2**30:.1f} GB of memory on the card",
                f"{free / 2**30:.1f} GB free on {card.name}",
                "device='cpu' has the memory of the machine",
            )
    except InputError:
        if auto:
            return items
        raise
    return ItemsOnCard(**vars(items) | {"card": card, "counted_on": card.name})
