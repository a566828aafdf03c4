"""FOIL on relations: definitions of relations in terms of others and of themselves."""
