"""Sets of cases as words of 64 bits."""
