"""Streams of true classes and answers for hypothesis."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def streams(draw, max_classes=6, max_cases=40, sizes=None):
    """Number of classes, true classes and sets of class positions; ``sizes`` limits the sets' sizes."""
    n = draw(st.integers(2, max_classes))
    allowed = [m for m in range(n + 1) if sizes is None or m in sizes(n)]
    label = st.integers(0, n - 1)
    answer = st.sampled_from(allowed).flatmap(
        lambda m: st.sets(label, min_size=m, max_size=m) if m < n else st.just(set(range(n)))
    )
    cases = draw(st.lists(st.tuples(label, answer), min_size=1, max_size=max_cases))
    return n, [y for y, _ in cases], [each for _, each in cases]


def as_matrix(sets, n):
    matrix = np.zeros((len(sets), n), dtype=bool)
    for row, answer in enumerate(sets):
        matrix[row, list(answer)] = True
    return matrix
