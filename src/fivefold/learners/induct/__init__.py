"""Gaines's INDUCT: PRISM's rules, kept as general as chance allows."""

from fivefold.learners.induct.estimator import Induct
from fivefold.learners.induct.significance import chance_of_rule

__all__ = ["Induct", "chance_of_rule"]
