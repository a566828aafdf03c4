"""What a card does, done by numpy: the same operations as `cuda_kernels.cu`, to test what is built on them."""

from types import SimpleNamespace

import numpy as np

from fivefold.data.bitsets import unpack
from fivefold.slices._kernels import fill_random
from fivefold.slices.cuda import BLOCK_WORDS, Card


class StandIn(Card):
    def __init__(self, free_bytes=1 << 40):
        self.xp, self.free = SimpleNamespace(**vars(np), asnumpy=np.asarray), free_bytes

    name = "a card of numpy's"

    @property
    def free_bytes(self):
        return self.free

    def count(self, bits, others, sets, starts, last, layout):
        parents = np.repeat(np.arange(len(sets)), np.diff(starts))
        both = self._common(bits, sets)[parents] & others[last]
        counts = np.zeros((last.size, layout.sizes.size), dtype=np.int64)
        for group, low, end in layout.blocks(BLOCK_WORDS):
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

    def deal(self, key, block, splits, places, labels):
        flags, inside = np.zeros((*labels.shape[:2], 64 * labels.shape[2]), dtype=bool), places >= 0
        words = np.empty(4 * places.size + 256, dtype=np.uint32)
        for draw, split in enumerate(splits.tolist()):
            fill_random(key, draw, block, words)
            largest, first = int(np.argmax(split)), 0
            n_steps = places.size - split[largest]
            spare = 64 - n_steps % 4
            # the largest group comes last and needs no steps
            for label in sorted(range(len(split)), key=lambda label: (label == largest, label)):
                end = first + split[label]
                if label < labels.shape[1]:
                    taken = dealt(words, places.size, end, spare) ^ dealt(words, places.size, first, spare)
                    flags[draw, label, places[inside]] = taken[inside]
                first = end
        labels[:] = np.packbits(flags, axis=2, bitorder="little").view(np.uint64)


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
