"""Predictions: what a model said about known cases, checked once."""

from fivefold.predictions.predictions import Predictions
from fivefold.predictions.table import predictions_from_table

__all__ = ["Predictions", "predictions_from_table"]
