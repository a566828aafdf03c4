"""Truth: how well will a learner do on new cases, and how far can an estimate of that be trusted?"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
