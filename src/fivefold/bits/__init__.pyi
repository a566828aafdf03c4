from .codes import (
    AnswerSummary,
    Encoding,
    code_length,
    encode,
    null_code_length,
    significance,
    summarise_answers,
)
from .curve import expected_set_gain, expected_significance
from .theory import DescriptionGain, TheoryLength, describe_theory, description_gain, theory_length

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
