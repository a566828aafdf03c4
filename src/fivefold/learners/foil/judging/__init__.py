"""What a literal is worth, and whether it is noted or listed."""
