"""Cases as bits."""
