"""Bits: how much did a model really learn, when it may answer with one class, several or none?"""

from fivefold.bits.answers import AnswerSummary, summarise_answers
from fivefold.bits.codes import code_length, null_code_length, significance
from fivefold.bits.curve import expected_set_gain, expected_significance
from fivefold.bits.encode import Encoding, encode
from fivefold.bits.gain import DescriptionGain, description_gain
from fivefold.bits.theory import TheoryLength, describe_theory, theory_length

__all__ = [
    "AnswerSummary",
    "DescriptionGain",
    "Encoding",
    "TheoryLength",
    "code_length",
    "describe_theory",
    "description_gain",
    "encode",
    "expected_set_gain",
    "expected_significance",
    "null_code_length",
    "significance",
    "summarise_answers",
    "theory_length",
]
