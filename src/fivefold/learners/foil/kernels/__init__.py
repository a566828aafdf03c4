"""Compiled loops of propositional FOIL, one idea a file; relational FOIL shares those that score and list."""
