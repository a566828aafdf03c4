"""Fivefold: what accuracy hides about a classifier, in five views of a model."""

import lazy_loader

from fivefold.registry import hand_over

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.1.0.dev0"


def _load_metrics() -> None:
    from fivefold.bets import calibration, calibration_error, ranking, scores  # noqa: F401
    from fivefold.bits import codes  # noqa: F401


hand_over(_load_metrics)
