"""Papers: every table and figure of the five papers, re-run beside the published numbers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
