"""Literals and clauses that are not needed."""
