"""Clauses on new cases."""
