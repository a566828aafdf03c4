"""Holte's 1R: one attribute decides."""

from fivefold.learners.one_r.estimator import OneR

__all__ = ["OneR"]
