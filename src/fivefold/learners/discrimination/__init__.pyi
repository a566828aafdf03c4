from .estimator import ParsimoniousDiscrimination

__all__ = [
    "ParsimoniousDiscrimination",
]
