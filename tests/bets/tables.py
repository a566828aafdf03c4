"""True classes and stated probabilities for hypothesis."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

# coarse grids make ties, ones and zeros likely, which smooth draws never do
coarse = st.integers(0, 8).map(lambda k: k / 8)
fine = st.floats(0, 1, allow_subnormal=True)
inner = st.floats(0.01, 0.99)
anything = st.one_of(coarse, fine)


@st.composite
def two_classes(draw, p=anything, min_size=2, max_size=48):
    """Truth in {0, 1} and the probability of class 1."""
    cases = draw(st.lists(st.tuples(st.integers(0, 1), p), min_size=min_size, max_size=max_size))
    return np.array([y for y, _ in cases]), np.array([stated for _, stated in cases], dtype=float)


@st.composite
def many_classes(draw, positive=False, min_classes=3, max_classes=6, min_size=2, max_size=24):
    """Truth and an (n, k) matrix whose rows sum to one."""
    k = draw(st.integers(min_classes, max_classes))
    share = st.integers(1 if positive else 0, 6)
    row = st.lists(share, min_size=k, max_size=k).filter(any)
    cases = draw(st.lists(st.tuples(st.integers(0, k - 1), row), min_size=min_size, max_size=max_size))
    shares = np.array([row_shares for _, row_shares in cases], dtype=float)
    return np.array([y for y, _ in cases]), shares / shares.sum(axis=1, keepdims=True)


@st.composite
def weights_for(draw, n):
    """Whole-number weights, some of them zero but not all."""
    weights = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    assume(weights.any())
    return weights
