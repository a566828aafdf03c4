"""Learners that look at one attribute, or at all as if independent."""
