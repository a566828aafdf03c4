"""Definitions, clause by clause."""
