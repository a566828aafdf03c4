"""Checks at the border: what comes in is checked once here and trusted afterwards."""

from fivefold.checks.answers import as_answers
from fivefold.checks.labels import ClassCodes, encode_truth, infer_classes
from fivefold.checks.options import one_of, positive_int
from fivefold.checks.probabilities import as_probabilities
from fivefold.checks.randomness import as_generator
from fivefold.checks.weights import as_weights, refuse_weights

__all__ = [
    "ClassCodes",
    "as_answers",
    "as_generator",
    "as_probabilities",
    "as_weights",
    "encode_truth",
    "infer_classes",
    "one_of",
    "positive_int",
    "refuse_weights",
]
