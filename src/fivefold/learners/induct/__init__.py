"""Gaines's INDUCT: PRISM's rules, kept as general as chance allows."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
