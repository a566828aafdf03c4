"""What a metric is called, its unit and its direction; and how every result shows itself."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
