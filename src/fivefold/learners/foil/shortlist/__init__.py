"""The best literals of a state, and the places to come back to."""
