"""Compiled loops of the geometry."""
