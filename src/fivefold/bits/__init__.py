"""Bits: how much did a model really learn, when it may answer with one class, several or none?"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
