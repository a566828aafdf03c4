"""All smallest sets of features that together contrast every pair, by branch and bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from fivefold.errors import InputError


def minimal_covers(
    masks: Sequence[int], *, max_covers: int, max_size: int | None = None
) -> list[tuple[int, ...]]:
    """Find all smallest sets of masks whose union is the union of all.

    Parameters
    ----------
    masks : sequence of int
        What each member covers, as the bits of a whole number.
    max_covers : int
        No more than so many sets are given.
    max_size : int, optional
        The greatest size to look for.

    Returns
    -------
    list of tuple of int
        Places in `masks`, in lexicographic order.

    Examples
    --------
    >>> minimal_covers([0b011, 0b110, 0b101], max_covers=10)
    [(0, 1), (0, 2), (1, 2)]
    """
    search = _Search(masks)
    size = 0
    while not search.coverable(search.everything, size, 0):
        size += 1
        if max_size is not None and size > max_size:
            raise InputError(
                f"at most {max_size} features that contrast every pair (max_features)",
                "a task that takes more",
                "raise max_features, or allow some overlap with max_overlap",
            )
    return list(islice(search.covers(size), max_covers))


class _Search:
    def __init__(self, masks: Sequence[int]) -> None:
        self.masks = masks
        union = 0
        for mask in masks:
            union |= mask
        self._holders = _hardest(masks, union)
        self.everything = sum(1 << element for element in self._holders)
        self._known: dict[tuple[int, int, int], bool] = {}

    def covers(self, size: int) -> Iterator[tuple[int, ...]]:
        """Give all covers of the least size, which must be `size`."""
        yield from self._extend((), self.everything, size)

    def _extend(self, chosen: tuple[int, ...], left: int, size: int) -> Iterator[tuple[int, ...]]:
        if not size:
            yield chosen
            return
        for place in range(chosen[-1] + 1 if chosen else 0, len(self.masks)):
            rest = left & ~self.masks[place]
            if rest != left and self.coverable(rest, size - 1, place + 1):
                yield from self._extend((*chosen, place), rest, size - 1)

    def coverable(self, left: int, size: int, start: int) -> bool:
        """Tell whether `size` masks from the place `start` on cover what is left."""
        if not left:
            return True
        if (
            not size
            or max(((m & left).bit_count() for m in self.masks[start:]), default=0) * size < left.bit_count()
        ):
            return False
        key = left, size, start
        if key not in self._known:
            element = next(e for e in self._holders if left >> e & 1)
            self._known[key] = any(
                self.coverable(left & ~self.masks[place], size - 1, start)
                for place in self._holders[element]
                if place >= start
            )
        return self._known[key]


def _hardest(masks: Sequence[int], union: int) -> dict[int, tuple[int, ...]]:
    """Give for each element the masks that hold it, fewest first, without elements that follow from others."""
    holders = [
        (element, tuple(place for place, mask in enumerate(masks) if mask >> element & 1))
        for element in range(union.bit_length())
        if union >> element & 1
    ]
    kept: dict[int, tuple[int, ...]] = {}
    for element, places in sorted(holders, key=lambda pair: len(pair[1])):
        # whatever covers an element with fewer holders covers this one too
        if not any(set(fewer) <= set(places) for fewer in kept.values()):
            kept[element] = places
    return kept
