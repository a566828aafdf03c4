"""All literals that a clause could have next."""
