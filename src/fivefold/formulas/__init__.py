"""Formulas: arrays and numbers in, arrays and numbers out; no tables, no models, no options to check."""
