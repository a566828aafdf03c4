"""Streams of true classes and answers for hypothesis."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def streams(draw, max_classes=6, max_cases=40, sizes=None):
    """Number of classes, true classes and sets of class positions; ``sizes`` limits the sets' sizes."""
    n = draw(st.integers(2, max_classes))
    subsets = [{k for k in range(n) if mask >> k & 1} for mask in range(2**n)]
    allowed = [answer for answer in subsets if sizes is None or len(answer) in sizes(n)]
    # the empty set and the full one are one subset each, and the most peculiar ones
    rare = [answer for answer in allowed if len(answer) in (0, n)] * (len(allowed) // n)
    cases = draw(
        st.lists(
            st.tuples(st.integers(0, n - 1), st.sampled_from([*allowed, *rare])),
            min_size=1,
            max_size=max_cases,
        )
    )
    return n, [y for y, _ in cases], [answer for _, answer in cases]


def as_matrix(sets, n):
    matrix = np.zeros((len(sets), n), dtype=bool)
    for row, answer in enumerate(sets):
        matrix[row, list(answer)] = True
    return matrix
