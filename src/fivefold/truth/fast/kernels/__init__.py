"""Compiled loops over training sets."""
