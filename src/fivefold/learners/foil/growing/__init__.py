"""Clauses, literal by literal."""
