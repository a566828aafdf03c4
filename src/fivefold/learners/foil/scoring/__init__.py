"""Information, gain and the cost of a clause."""
