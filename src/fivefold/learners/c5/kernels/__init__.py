"""Compiled loops of c5, one idea a file."""
