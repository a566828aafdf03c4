"""What a card does, done by numpy: the same operations as `cuda_kernels.cu`, to test what is built on them."""

import numpy as np

from fivefold.data.bitsets import unpack
from fivefold.slices import items
from fivefold.slices._kernels import fill_random
from fivefold.slices.cuda import Card, _blocks_within, _ranges


class StandIn(Card):
    def __init__(self, free_bytes=1 << 40):
        self.xp, self.free = np, free_bytes

    name = "a card of numpy's"

    @property
    def free_bytes(self):
        return self.free

    def count(self, bits, others, prefixes, starts, last, blocks):
        parents = np.repeat(np.arange(len(prefixes)), np.diff(starts))
        both = self._common(bits, prefixes)[parents] & others[last]
        counts = np.zeros((last.size, int(blocks[-1, 0]) + 1), dtype=np.int64)
        for group, low, end in blocks:
            counts[:, group] += np.bitwise_count(both[:, low:end]).sum(axis=1, dtype=np.int64)
        return counts

    @staticmethod
    def _common(bits, sets):
        common = np.full((len(sets), bits.shape[1]), ~np.uint64(0))
        for column in sets.T:
            common &= np.where((column >= 0)[:, None], bits[column], ~np.uint64(0))
        return common

    def spread(self, bits, sets, first, width):
        return unpack(self._common(bits, sets)[:, first : first + width]).astype(np.int8)

    def multiply(self, members, labels, counts):
        counts[:, : len(labels)] += members.astype(np.int32) @ labels.T.astype(np.int32)

    def deal(self, labels, spans, first_bit, labels_of):
        blocks = _blocks_within(spans, first_bit, labels_of.shape[1])
        n_cases, size, n_labels = labels.splits[0].sum(), items.BLOCK_CASES, labels.splits.shape[2] - 1
        for row, ranges in enumerate(_ranges(labels.splits[:, blocks])):
            for block, (low, high, spare) in enumerate(ranges.tolist(), start=blocks.start):
                cases = np.arange(block * size, min((block + 1) * size, n_cases))
                words = np.empty(4 * cases.size + 256, dtype=np.uint32)
                fill_random(labels.key, row // n_labels, block, words)
                taken = dealt(words, cases.size, high, spare) ^ dealt(words, cases.size, low, spare)
                for start, end, bit in spans:
                    bits = bit + cases - start - first_bit
                    here = (start <= cases) & (cases < end) & (bits >= 0) & (bits < labels_of.shape[1])
                    labels_of[row, bits[here]] = taken[here]

    def ratios(self, counts, inside, allowance, sizes, table, difference, draws):
        seen = counts[:, : draws * (sizes.size - 1)].reshape(len(counts), draws, -1).astype(np.int64)
        seen = np.concatenate([seen, (inside[:, None] - seen.sum(axis=2))[:, :, None]], axis=2)
        value = np.zeros(seen.shape[:2])
        for group, size in enumerate(sizes):
            value += table[seen[:, :, group]] + table[size - seen[:, :, group]] - table[size]
        value += (table[sizes.sum()] - table[inside] - table[sizes.sum() - inside])[:, None]
        value = np.maximum(2.0 * value, 0.0) + allowance[:, None]
        return np.where(np.ptp(seen / sizes, axis=2) >= difference, value, -value)

    def reach(self, values, observed):
        most = np.maximum.accumulate(np.maximum(values, 0.0), axis=0)
        return (most >= observed[:, None]).sum(axis=1), np.abs(values).max(axis=0)

    def add_members(self, bits, sets, numbers):
        sums = np.zeros((len(sets), numbers.shape[1]))
        for place, members in enumerate(unpack(self._common(bits, sets))):
            for case in np.flatnonzero(members):
                sums[place] += numbers[case]
        return sums


def dealt(words, n, steps, spare):
    """Say which of n cases the first steps take, all steps at once."""
    if steps in (0, n):
        return np.full(n, steps == n)
    step, refused = np.arange(steps, dtype=np.uint64), []
    left = np.uint64(n) - step
    while True:
        places = np.setdiff1d(np.arange(steps + len(refused)), refused)
        product = words[places].astype(np.uint64) * left
        low, before = product & np.uint64(0xFFFFFFFF), np.searchsorted(refused, places)
        strange = np.flatnonzero((low < (np.uint64(1 << 32) - left) % left) & (before < spare))
        if not strange.size:
            break
        refused.append(int(places[strange[0]]))
    to, step = (step + (product >> np.uint64(32))).astype(np.int64), step.astype(np.int64)
    last = np.zeros(n, dtype=np.int64)
    np.maximum.at(last, to[to != step], step[to != step] + 1)
    at = np.arange(steps, n)
    while last[at].any():
        at = np.where(last[at] > 0, last[at] - 1, at)
    taken = np.ones(n, dtype=bool)
    taken[at] = False
    return taken
