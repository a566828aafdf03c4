from __future__ import annotations

import numpy as np
import pytest

from fivefold.data.bitsets import WAYS, count_columns, count_common, pack, unpack, ways


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_counting_agrees_with_numpy_at_every_length(way: str) -> None:
    if way not in ways():
        pytest.skip(f"this processor has no {way}")
    rng = np.random.default_rng(0)
    for n in range(301):
        # one word beyond, all ones, must not be counted; an odd start is not aligned
        a, b = rng.integers(0, 2**64, size=(2, n + 2), dtype=np.uint64)
        a[-1] = b[-1] = ~np.uint64(0)
        assert count_common(a[1:-1], b[1:-1], way) == np.bitwise_count(a[1:-1] & b[1:-1]).sum()


@pytest.mark.parametrize("way", ways())
@pytest.mark.parametrize("n", [1, 16, 124, 125, 300])
def test_sets_of_everything_and_of_nothing(way: str, n: int) -> None:
    full = np.full(n, ~np.uint64(0))
    assert count_common(full, full, way) == 64 * n
    assert count_common(full, np.zeros_like(full), way) == 0


def test_the_way_in_use_is_the_last() -> None:
    assert ways() == WAYS[: len(ways())]
    a, b = np.random.default_rng(1).integers(0, 2**64, size=(2, 77), dtype=np.uint64)
    a.setflags(write=False)
    assert count_common(a, b) == count_common(a, b, ways()[-1]) == count_common(b, a, "portable")


def test_sets_of_unequal_length_are_refused() -> None:
    a = np.zeros(3, dtype=np.uint64)
    with pytest.raises(ValueError, match="equal length; got 3 and 2"):
        count_common(a, a[:2])


@pytest.mark.parametrize("way", ways())
@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.9, 1.0])
@pytest.mark.parametrize(("n_words", "n_sets"), [(1, 1), (3, 512), (40, 65), (257, 300)])
def test_columns_are_counted_as_one_by_one(way, share, n_words, n_sets):
    rng = np.random.default_rng(n_words)
    members = pack(rng.random((1, 64 * n_words)) < share)[0]
    labels = pack(rng.random((n_sets, 64 * n_words)) < rng.random((n_sets, 1)))
    np.testing.assert_array_equal(
        count_columns(members, labels, way), (unpack(labels) & unpack(members)).sum(axis=1)
    )
