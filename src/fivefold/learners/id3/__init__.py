"""Quinlan's ID3: an unpruned tree by information gain."""

from fivefold.learners.id3.estimator import ID3

__all__ = ["ID3"]
