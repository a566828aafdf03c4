"""The best cut of a numeric attribute."""
