"""Quinlan's FOIL: clauses for the classes of a table, and for relations."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
