"""Fivefold: what accuracy hides about a classifier, in five views of a model."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.1.0.dev0"
