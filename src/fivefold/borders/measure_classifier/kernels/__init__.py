"""Loops of the measure-based learner, written out for the compiler."""
