"""Compiled loops of relational FOIL."""
