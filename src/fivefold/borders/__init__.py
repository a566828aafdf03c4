"""Borders: how large a model's borders are, and how far from them its cases stand."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
