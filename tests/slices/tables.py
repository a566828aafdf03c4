"""Random tables of codes with groups, some of them related."""

import numpy as np
import polars as pl

from fivefold.slices._kernels import deal_block


def random_table(seed, n=400, n_columns=4, n_values=3, n_groups=2, missing=0.0, signal=0.6):
    """Give codes (-1 is missing) and groups; a column may copy another, and groups may follow a conjunction."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, n_values, size=(n, n_columns))
    table[:, 1] = np.where(rng.random(n) < 0.5, table[:, 0], table[:, 1])
    if seed % 3 == 0:
        table[:, 2] = table[:, 1] % 2
    groups = rng.integers(0, n_groups, size=n)
    chosen = (table[:, 0] == 1) & (table[:, n_columns - 1] == 0)
    groups[chosen & (rng.random(n) < signal)] = 0
    table[rng.random(table.shape) < missing] = -1
    return table, groups


def as_frame(table):
    """Write codes as texts in named columns."""
    return pl.DataFrame(
        {
            f"c{number}": pl.Series([None if code < 0 else f"v{code}" for code in column], dtype=pl.String)
            for number, column in enumerate(table.T)
        }
    )


def as_terms(contrast_set):
    """Read a contrast set back as (column, code) pairs."""
    return tuple(sorted((int(term.column[1:]), int(term.value[1:])) for term in contrast_set.terms))


def packed_labels(labels, spans, n_words, deal=deal_block):
    """Put the windows of permuted labels together: (draws, groups but the last, words)."""
    draws, _, n_groups = labels.splits.shape
    whole = np.zeros((draws * (n_groups - 1), n_words), dtype=np.uint64)
    for part, first in labels.windows(spans, deal, np):
        assert not (whole[:, first : first + part.shape[1]] & part).any()
        whole[:, first : first + part.shape[1]] |= part
    return whole.reshape(draws, n_groups - 1, n_words)
