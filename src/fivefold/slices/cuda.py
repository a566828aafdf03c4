"""Counting on a graphics card (CUDA): the same counts and the same permutations as on the processor, bit for bit.

The sets of cases of all terms lie on the card. Conjunctions are counted by AND and popcount. Under permuted
labels, conjunctions and labels become bytes, some cases at a time, and the card's matrix units multiply them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fivefold.errors import InputError
from fivefold.slices import items as packing
from fivefold.slices._kernels import Bits, Counts, Numbers, fill_times_log
from fivefold.slices.contrast_search import times_log
from fivefold.slices.items import PackedCells, PackedItems, PermutedLabels, Reached

Sets = NDArray[np.int32]

# words of one block of `count_extensions`: eight for each of 32 lanes
BLOCK_WORDS = 256
# bytes on the card for labels, and for conjunctions, at a time
LABEL_BYTES, SET_BYTES = 1 << 30, 1 << 29
# of more cases the logarithms do not fit on every card, and statistics are computed here
LARGEST_TABLE = 1 << 26
# from so many cases times permutations, or cases alone, the first call on an H200 beat 16 cores, start included
MANY_DEALT, MANY_CASES = 120_000_000, 1_500_000


class Card:
    """A card: its arrays and the kernels of `cuda_kernels.cu`."""

    def __init__(self) -> None:
        self.xp = import_module("cupy")
        source = files("fivefold.slices").joinpath("cuda_kernels.cu").read_text(encoding="utf-8")
        # fused multiplication would round otherwise than the processor
        self._module = self.xp.RawModule(code=source, options=("--fmad=false",))

    @property
    def name(self) -> str:
        """What its maker calls it."""
        return str(self.xp.cuda.runtime.getDeviceProperties(self.xp.cuda.Device().id)["name"].decode())

    @property
    def free_bytes(self) -> int:
        """Memory that is not taken."""
        return int(self.xp.cuda.Device().mem_info[0] + self.xp.get_default_memory_pool().free_bytes())

    def launch(self, kernel: str, grid: tuple[int, ...], threads: int, *given: Any, shared: int = 0) -> None:
        """Run a kernel; whole numbers and arrays are given as it declares them."""
        function = self._module.get_function(kernel)
        if shared:
            function.max_dynamic_shared_size_bytes = shared
        function(grid, (threads,), given, shared_mem=shared)

    def count(self, bits: Any, others: Any, prefixes: Sets, starts: Counts, last: Sets, blocks: Any) -> Any:
        """Count each prefix with each of its further sets, those of `last` from `starts` on, in each group."""
        xp, n_groups = self.xp, int(blocks[-1, 0]) + 1
        counts = xp.zeros((last.size, n_groups), dtype=np.int64)
        whole = [xp.asarray(array) for array in (prefixes, starts, last, blocks)]
        n_prefixes, length = map(np.int32, prefixes.shape)
        grid = len(blocks), max(1, min(2048 // len(blocks), -(-len(prefixes) // 8)))
        given = bits, others, np.int64(bits.shape[1]), whole[0], length, n_prefixes, *whole[1:]
        self.launch("count_extensions", grid, 256, *given, np.int32(n_groups), counts)
        return counts

    def spread(self, bits: Any, sets: Any, first: int, width: int) -> Any:
        """Write conjunctions as bytes, one for each case of some words."""
        n_sets, length = sets.shape
        spread = self.xp.empty((n_sets, 64 * width), dtype=np.int8)
        numbers = np.int64(bits.shape[1]), sets, np.int32(length), np.int32(n_sets), np.int64(first)
        grid = -(-4 * width // 256), min(n_sets, 65_535)
        self.launch("spread", grid, 256, bits, *numbers, np.int32(width), spread)
        return spread

    def multiply(self, members: Any, labels: Any, counts: Any) -> None:
        """Add to counts (sets, labels) the cases that each set of bytes shares with each row of labels."""
        cublas, one = self.xp.cuda.cublas, np.ones(1, dtype=np.int32)
        n_cases = members.shape[1]
        scale, eight, thirty_two, in_whole_numbers = one.ctypes.data, 3, 10, 72
        cublas.gemmEx(
            *(self.xp.cuda.device.get_cublas_handle(), cublas.CUBLAS_OP_T, cublas.CUBLAS_OP_N),
            *(labels.shape[0], members.shape[0], n_cases, scale),
            *(labels.data.ptr, eight, labels.strides[0], members.data.ptr, eight, n_cases),
            *(scale, counts.data.ptr, thirty_two, counts.shape[1], in_whole_numbers, -1),
        )

    def deal(self, labels: PermutedLabels, spans: Counts, first_bit: int, labels_of: Any) -> None:
        """Write the labels of some cases, those of the bits from the first on, as rows of bytes."""
        blocks = _blocks_within(spans, first_bit, labels_of.shape[1])
        ranges = self.xp.asarray(_ranges(labels.splits[:, blocks]))
        n_rows, n_labels, size = ranges.shape[0], labels.splits.shape[2] - 1, packing.BLOCK_CASES
        taken, last = 4 * (size // 32 + 1), 4 * (size // 2 + 1)
        fits = taken + last + 512 <= self.xp.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
        grid = n_rows * ranges.shape[1] if fits else min(n_rows * ranges.shape[1], 512)
        outside = np.uintp(0) if fits else self.xp.empty(grid * last // 4, dtype=np.uint32)
        self.launch(
            "deal",
            (grid,),
            1024,
            *(*labels.key, ranges, np.int32(n_rows), np.int32(n_labels), np.int32(blocks.start)),
            *(np.int32(ranges.shape[1]), np.int64(labels.splits[0].sum()), np.int32(size)),
            *(self.xp.asarray(spans), np.int32(len(spans)), np.int64(first_bit)),
            *(np.int64(labels_of.shape[1]), outside, labels_of),
            shared=taken + last if fits else taken,
        )

    def ratios(
        self, counts: Any, inside: Any, allowance: Any, sizes: Any, table: Any, difference: float, draws: int
    ) -> Any:
        """Give the statistic of each conjunction in each draw; negative where it is not large enough."""
        values = self.xp.empty((counts.shape[0], draws))
        grid = -(-draws // 128), min(max(counts.shape[0], 1), 65_535)
        numbers = inside, allowance, sizes, np.int32(sizes.size), table, np.float64(difference)
        shape = np.int32(counts.shape[0]), np.int32(draws)
        self.launch("ratios", grid, 128, counts, np.int32(counts.shape[1]), *numbers, *shape, values)
        return values

    def reach(self, values: Any, observed: Any) -> tuple[Any, Any]:
        """Count the draws that reach each statistic by any up to it; also give the maximum of each draw."""
        n_sets, draws = values.shape
        reached, maxima = self.xp.zeros(n_sets, dtype=np.int64), self.xp.empty(draws)
        shape = np.int32(n_sets), np.int32(draws)
        self.launch("reach", (-(-draws // 32),), 32, values, observed, *shape, reached, maxima)
        return reached, maxima

    def add_members(self, bits: Any, sets: Any, numbers: Any) -> Any:
        """Add up the numbers of the cases of each conjunction, column by column (up to 32), in their order."""
        n_sets, length = sets.shape
        sums = self.xp.empty((n_sets, numbers.shape[1]))
        shape = np.int32(length), np.int32(n_sets)
        given = bits, np.int64(bits.shape[1]), sets, *shape, numbers, np.int32(numbers.shape[1])
        self.launch("add_members", (-(-n_sets // 8),), 256, *given, sums)
        return sums


def _blocks_within(spans: Counts, first_bit: int, width: int) -> slice:
    """Give the blocks of cases whose bits lie in a part of all bits."""
    lows = np.maximum(spans[:, 0], spans[:, 0] + first_bit - spans[:, 2])
    ends = np.minimum(spans[:, 1], spans[:, 0] + first_bit + width - spans[:, 2])
    some = lows < ends
    return slice(
        int(lows[some].min()) // packing.BLOCK_CASES, -(-int(ends[some].max()) // packing.BLOCK_CASES)
    )


def _ranges(splits: NDArray[np.int64]) -> NDArray[np.int32]:
    """Give, for each draw and group but the last, and each block, the steps that deal its label, and spare words.

    Labels are dealt in the order of groups, without the largest one, which has all cases behind the last step.
    """
    n_groups, n_cases = splits.shape[2], splits.sum(axis=2, keepdims=True)
    largest = np.arange(n_groups) == splits.argmax(axis=2)[:, :, np.newaxis]
    dealt = np.where(largest, 0, splits)
    ends = np.cumsum(dealt, axis=2)
    steps = ends[:, :, -1:]
    low, high = np.where(largest, steps, ends - dealt), np.where(largest, n_cases, ends)
    spare = np.broadcast_to(4 * ((steps + 64) // 4) - steps, low.shape)
    ranges = np.stack([low, high, spare], axis=3)[:, :, :-1].transpose(0, 2, 1, 3)
    return np.ascontiguousarray(ranges, dtype=np.int32).reshape(-1, splits.shape[1], 3)


@dataclass(frozen=True, eq=False)
class ItemsOnCard(PackedItems):
    """Terms whose sets of cases also lie on a card.

    card: Its kernels.
    """

    card: Card = field(kw_only=True)

    @property
    def counted_on(self) -> str:
        """The name of the card."""
        return self.card.name

    @cached_property
    def bits_there(self) -> Any:
        """The bits, on the card."""
        return self.card.xp.asarray(self.bits)

    @cached_property
    def blocks(self) -> Counts:
        """The words in blocks (group, first word, end)."""
        return self.layout.blocks(BLOCK_WORDS)

    @cached_property
    def _table(self) -> Any:
        """All x log x that counts can need, as the processor has them."""
        known = times_log(int(self.sizes.sum()))
        table = np.concatenate([known, np.empty(int(self.sizes.sum()) + 1 - known.size)])
        fill_times_log(table, known.size)
        return self.card.xp.asarray(table)

    @cached_property
    def _lock(self) -> Lock:
        return Lock()

    def count_terms(self) -> NDArray[np.int64]:
        """Count the cases of every single term in every group."""
        every = np.arange(len(self.terms), dtype=np.int32)
        return self.count_extensions(every[:, np.newaxis], np.arange(every.size + 1), every, 1)

    def count_extensions(self, prefixes: Sets, starts: Counts, last: Sets, threads: int) -> Counts:
        """Count on the card."""
        return self.fetch(self.count_in(self.bits_there, prefixes, starts, last))

    def count_in(self, others: Any, prefixes: Sets, starts: Counts, last: Sets) -> Any:
        """Count each prefix with each of its further sets, which lie on the card too."""
        if not last.size:
            return np.zeros((0, self.sizes.size), dtype=np.int64)
        return self.card.count(self.bits_there, others, prefixes, starts, last, self.blocks)

    def fetch(self, array: Any) -> NDArray[Any]:
        """Fetch an array from the card."""
        return np.asarray(array if isinstance(array, np.ndarray) else self.card.xp.asnumpy(array))

    def _count_windows(
        self, sets: Sets, windows: Iterable[tuple[Bits, int]], n_labels: int, inside: Counts, total: int
    ) -> Sets:
        """Count conjunctions, and all cases, in sets of labels, which come in one window here."""
        ((labels, _),) = windows
        there, rows = self.card.xp.asarray(labels), self.card.xp.arange(n_labels, dtype=np.int32)[:, None]
        counts = self._multiply(sets, n_labels, lambda low, width: self.card.spread(there, rows, low, width))
        everything = np.bitwise_count(labels).sum(axis=1, dtype=np.int32)
        return np.vstack([self.fetch(counts)[:, :n_labels], everything])

    def count_permuted(
        self, sets: Sets, labels: PermutedLabels, inside: Counts, firsts: Counts | None = None
    ) -> Sets:
        """Count conjunctions under permuted labels, which are dealt on the card."""
        draws, _, n_groups = labels.splits.shape
        counts = self.fetch(self._count_dealt(sets, labels))[:, : draws * (n_groups - 1)]
        return np.ascontiguousarray(counts).reshape(-1, draws, n_groups - 1)

    def _count_dealt(self, sets: Sets, labels: PermutedLabels) -> Any:
        spans, n_rows = self.layout.spans(), labels.splits.shape[0] * (labels.splits.shape[2] - 1)

        def deal(low: int, width: int) -> Any:
            dealt = self.card.xp.zeros((-(-n_rows // 16) * 16, 64 * width), dtype=np.int8)
            self.card.deal(labels, spans, 64 * low, dealt)
            return dealt

        return self._multiply(sets, n_rows, deal)

    def _multiply(self, sets: Sets, n_rows: int, labels_of: Any) -> Any:
        """Count conjunctions in rows of labels, which are made for some words at a time."""
        card, n_words = self.card, self.layout.n_words
        there, columns = card.xp.asarray(sets), -(-n_rows // 16) * 16
        counts = card.xp.zeros((len(sets), columns), dtype=np.int32)
        far, near = max(1, LABEL_BYTES // (64 * columns)), max(1, SET_BYTES // (64 * len(sets)))
        for low in range(0, n_words, far):
            labels = labels_of(low, min(far, n_words - low))
            for first in range(low, min(low + far, n_words), near):
                width = min(near, low + far - first, n_words - first)
                part = labels[:, 64 * (first - low) : 64 * (first - low + width)]
                card.multiply(card.spread(self.bits_there, there, first, width), part, counts)
        return counts

    def count_reached(self, sets: Sets, labels: PermutedLabels, inside: Counts, *of: Any) -> Reached:
        """Count the permutations that reach each statistic without fetching a count, as far as tables go."""
        # one at a time: another thread draws the next permutations meanwhile
        with self._lock:
            if self.sizes.sum() >= LARGEST_TABLE or not len(sets):
                return super().count_reached(sets, labels, inside, *of)
            card, (observed, allowance, _, difference) = self.card, of
            there = card.xp.asarray(inside), card.xp.asarray(allowance), card.xp.asarray(self.sizes)
            counts = self._count_dealt(sets, labels)
            values = card.ratios(counts, *there, self._table, difference, labels.splits.shape[0])
            reached, maxima = card.reach(values, card.xp.asarray(observed))
            return self.fetch(reached), self.fetch(maxima)

    def add_numbers(self, sets: Sets, numbers: Numbers) -> Numbers:
        """Add up columns of numbers over the cases of each conjunction, on the card."""
        with self._lock:
            there = self.card.xp.asarray(sets), self.card.xp.asarray(numbers)
            return self.fetch(self.card.add_members(self.bits_there, *there))

    def cells(self, numbers: Numbers | None = None) -> PackedCells:
        """Put all cases into one cell; those that have numbers stay with the processor."""
        if numbers is not None:
            return super().cells(numbers)
        return CellsOnCard(self, self.card.xp.asarray(self.layout.everything()))


@dataclass(frozen=True, eq=False)
class CellsOnCard(PackedCells):
    """Cells whose bits lie on a card."""

    items: ItemsOnCard
    bits: Any

    def split(self, terms: Sets, which: NDArray[np.intp]) -> Self:
        """Cut some of the cells by a conjunction; their parts inside of it become new cells, after the others."""
        inside, xp = self.items.bits_there[int(terms[0])], self.items.card.xp
        for term in terms[1:].tolist():
            inside = inside & self.items.bits_there[term]
        bits = xp.concatenate([self.bits, self.bits[which] & inside])
        bits[which] &= ~inside
        return replace(self, bits=bits)

    def totals(self, first: int = 0) -> NDArray[Any]:
        """Count the cases of each cell, from the first on, in each group."""
        every = np.arange(len(self.bits) - first, dtype=np.int32)
        bits, blocks = self.bits[first:], self.items.blocks
        starts = np.arange(every.size + 1)
        return self.items.fetch(self.items.card.count(bits, bits, every[:, None], starts, every, blocks))

    def count(self, sets: Sets, first: int = 0) -> NDArray[Any]:
        """Count the cases of each conjunction in each cell, from the first on, and each group."""
        n_cells = len(self.bits) - first
        last = np.tile(np.arange(n_cells, dtype=np.int32), len(sets))
        starts = np.arange(len(sets) + 1) * n_cells
        counts = self.items.count_in(self.bits[first:], np.ascontiguousarray(sets), starts, last)
        return self.items.fetch(counts).reshape(len(sets), n_cells, self.items.sizes.size)


@cache
def find_card() -> Card:
    """Give the card that there is; complain if there is none."""
    if find_spec("cupy") is None:
        raise InputError(
            "CuPy for device='cuda'", "none installed", "pip install 'fivefold[cuda]', or device='cpu'"
        )
    runtime = import_module("cupy").cuda.runtime
    try:
        n_cards, problem = runtime.getDeviceCount(), "none"
    except runtime.CUDARuntimeError as error:
        n_cards, problem = 0, str(error)
    if not n_cards:
        raise InputError("a card that CUDA can use, for device='cuda'", problem, "device='cpu' needs none")
    return Card()


def to_card(items: PackedItems, device: str, draws: int, numbers: int = 0) -> PackedItems:
    """Put items onto the card, if that was asked for, or left open ("auto") and it pays; with room for numbers."""
    n_cases, auto = int(items.sizes.sum()), device == "auto"
    if auto and n_cases < MANY_CASES and n_cases * draws < MANY_DEALT:
        return items
    try:
        card = find_card()
    except InputError:
        if auto:
            return items
        raise
    needed, free = items.bits.nbytes + 2 * (LABEL_BYTES + SET_BYTES) + 8 * numbers, card.free_bytes
    if needed <= free:
        return ItemsOnCard(**{each.name: getattr(items, each.name) for each in fields(items)}, card=card)
    if auto:
        return items
    raise InputError(
        f"{needed / 2**30:.1f} GB of memory on the card",
        f"{free / 2**30:.1f} GB free on {card.name}",
        "device='cpu' has the memory of the machine",
    )
