"""Compiled loops of slices, one idea a file."""
