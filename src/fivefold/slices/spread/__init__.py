"""Cases that are spread over the partitions of a Dask DataFrame: each counts its own, and counts are added."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
