"""Minimum message length: trees as in Wallace and Patrick, and decision graphs as in Oliver."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
