"""Parsimonious discrimination: classes told apart with as few features as possible."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
