from .codes import (
    AnswerSummary,
    CaseBits,
    Encoding,
    NullCaseBits,
    code_length,
    code_length_details,
    encode,
    null_code_length,
    null_code_length_details,
    significance,
    significance_details,
    summarise_answers,
)
from .coverage import HeldTruth, SetCoverage, set_coverage
from .curve import expected_set_gain, expected_significance
from .evidence import ChanceTest, chance_test
from .theory import DescriptionGain, description_gain, theory_length, theory_length_details
from .theory_codes import TheoryLength

__all__ = [
    "AnswerSummary",
    "CaseBits",
    "ChanceTest",
    "DescriptionGain",
    "Encoding",
    "HeldTruth",
    "NullCaseBits",
    "SetCoverage",
    "TheoryLength",
    "chance_test",
    "code_length",
    "code_length_details",
    "description_gain",
    "encode",
    "expected_set_gain",
    "expected_significance",
    "null_code_length",
    "null_code_length_details",
    "set_coverage",
    "significance",
    "significance_details",
    "summarise_answers",
    "theory_length",
    "theory_length_details",
]
