from .answers import AnswerSummary, summarise_answers
from .codes import code_length, null_code_length, significance
from .curve import expected_set_gain, expected_significance
from .encode import Encoding, encode
from .gain import DescriptionGain, description_gain
from .theory import TheoryLength, describe_theory, theory_length

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
