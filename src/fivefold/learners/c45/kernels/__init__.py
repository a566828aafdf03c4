"""Compiled loops of c45, one idea a file."""
