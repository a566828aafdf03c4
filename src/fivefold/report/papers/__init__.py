"""Re-run papers as text, Markdown, JSON and one HTML page."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
