"""Learners: classic algorithms as scikit-learn estimators, and the theories that they learn."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
