"""Keogh and Pazzani's SuperParent: naive Bayes with arcs between attributes."""

from fivefold.learners.super_parent.estimator import SuperParent

__all__ = ["SuperParent"]
