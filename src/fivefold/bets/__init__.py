"""Bets: what would a gambler win on a model's probabilities, and how well calibrated are they?"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
