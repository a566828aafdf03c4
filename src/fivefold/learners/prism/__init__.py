"""Cendrowska's PRISM: modular rules for one class after the other."""

from fivefold.learners.prism.estimator import Prism

__all__ = ["Prism"]
