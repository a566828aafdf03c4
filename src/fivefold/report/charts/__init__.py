"""Charts of a summary: reliability, bits saved, accuracy against bits, and borders.

Every chart is a pure function of the summary that `fivefold.report.summarise` gives. The default theme suits a
notebook or a PNG; the page draws the same charts with `theme.PAGE`, whose colours its style sheet fills in.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
