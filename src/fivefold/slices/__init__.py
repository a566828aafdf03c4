"""Slices: where a model errs and where two models differ, in conjunctions that a person can read."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
