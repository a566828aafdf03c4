"""Parsimonious discrimination: classes told apart with as few features as possible."""

from fivefold.learners.discrimination.estimator import ParsimoniousDiscrimination

__all__ = ["ParsimoniousDiscrimination"]
