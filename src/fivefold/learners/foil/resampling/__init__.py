"""One concept for each resample of a boolean table."""
