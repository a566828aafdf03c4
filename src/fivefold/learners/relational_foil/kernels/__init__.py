"""Compiled loops of relational FOIL: bindings, and the literals that are tried on them."""
