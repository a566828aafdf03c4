"""What Bay and Pazzani (2000) print."""

from __future__ import annotations

from dataclasses import dataclass

from fivefold.papers.printed import Number, Printed

QUERIES = ("MC4 errors", "1NN vs 5NN", "NB vs SP")
ENGINES = ("C5", "S")

SUMMARY = Printed.read(
    "Table 4",
    "properties of the rule sets",
    "",
    tuple(f"{query}, {engine}" for query in QUERIES for engine in ENGINES),
    """
rules 52 143 685 123 46 192
median_effect 44 148 2 64 38 115
mean_size 2.9 2.0 3.8 2.1 2.6 2.6
stability 0.25 0.54 0.05 0.48 0.24 0.40
""",
)

# Section 5: cases of the 16,281 on which the model is right, or the two models agree.
AGREE = {"MC4 errors": Number(13811.0), "1NN vs 5NN": Number(14996.0), "NB vs SP": Number(0.86, 2)}
N_CASES = 16_281


@dataclass(frozen=True)
class PrintedRule:
    """A printed rule: its conditions, the difference in points, and the effect in cases."""

    conditions: str
    difference: Number
    effect: Number

    @classmethod
    def read(cls, line: str) -> PrintedRule:
        """Read ``conditions | difference | effect``."""
        conditions, difference, effect = (part.strip() for part in line.split("|"))
        return cls(conditions, Number(float(difference)), Number(float(effect)))


def _rules(text: str) -> tuple[PrintedRule, ...]:
    return tuple(PrintedRule.read(line) for line in text.strip().splitlines())


OCCUPATIONS = _rules("""
occupation=Craft-repair | -15 | -307
occupation=Other-service | 12 | 192
occupation=Exec-managerial | 3 | 51
occupation=Prof-specialty | 4 | 75
occupation=Handlers-cleaners | 11 | 79
occupation=Machine-op-inspct | 4 | 44
occupation=Adm-clerical | 5 | 82
occupation=Farming-fishing | -8 | -38
occupation=Transport-moving | -18 | -136
""")

STUCCO_RULES = _rules("""
salary=>50K & capital-gain=0 | -35 | -1059
marital-status=Married-civ-spouse & sex=Male | -13 | -836
salary=>50K & relationship=Husband | -21 | -623
age=(25,35] & salary=>50K | -37 | -290
hours-per-week=(45,60] & relationship=Husband | -14 | -244
age=(45,55] & salary=>50K | -21 | -222
education=Some-college & salary=>50K & capital-loss=0 | -34 | -205
occupation=Craft-repair & relationship=Husband | -15 | -182
occupation=Exec-managerial & relationship=Husband | -15 | -154
education=Bachelors | -5 | -134
age=(55,inf] & relationship=Husband | -10 | -123
hours-per-week=(45,60] & salary=<=50K & marital-status=Married-civ-spouse | -14 | -105
race=White | -1 | -97
occupation=Adm-clerical & marital-status=Married-civ-spouse | -17 | -89
capital-gain=(3500,7500] & salary=<=50K | -36 | -71
education=Bachelors & salary=<=50K | -4 | -62
education=Masters & marital-status=Married-civ-spouse | -9 | -50
marital-status=Never-married & salary=<=50K | 15 | 787
sex=Female | 8 | 423
marital-status=Divorced & salary=<=50K | 15 | 301
marital-status=Divorced | 8 | 176
occupation=Adm-clerical | 5 | 84
education=Masters & salary=>50K & marital-status=Married-civ-spouse | 15 | 59
occupation=Machine-op-inspct | 5 | 46
salary=>50K | -26 | -1013
marital-status=Married-civ-spouse | -13 | -925
""")

_SHORT_C5_RULES = _rules("""
capital-gain=0 & salary=>50K | -35 | -1059
education=Bachelors & marital-status=Married-civ-spouse & capital-gain=0 & salary=<=50K | -53 | -223
marital-status=Never-married & capital-gain=0 & salary=>50K | -85 | -145
education=Masters & marital-status=Married-civ-spouse & capital-gain=0 & salary=<=50K | -85 | -107
age=(45,55] & education=Some-college & marital-status=Married-civ-spouse & salary=<=50K | -45 | -62
capital-gain=(0,3500] & salary=>50K | -85 | -44
marital-status=Widowed & capital-gain=0 & salary=>50K | -85 | -25
education=Doctorate & marital-status=Married-civ-spouse & capital-gain=0 & salary=<=50K | -85 | -18
marital-status=Married-AF-spouse & salary=<=50K | -55 | -6
education=Doctorate & salary=>50K | -2 | -2
education=HS-grad & capital-gain=0 & salary=<=50K | 15 | 623
age=(-inf,25] & education=Some-college & salary=<=50K | 15 | 166
age=(25,35] & education=Some-college & capital-gain=0 & salary=<=50K | 14 | 96
education=11th & capital-gain=0 & salary=<=50K | 15 | 89
marital-status=Separated & salary=<=50K | 15 | 72
education=10th & capital-gain=0 & salary=<=50K | 14 | 59
occupation=Farming-fishing & capital-gain=0 & salary=<=50K | 13 | 54
education=7th-8th & capital-gain=0 & salary=<=50K | 15 | 41
education=9th & capital-gain=0 & salary=<=50K | 15 | 33
marital-status=Married-spouse-absent & salary=<=50K | 15 | 27
capital-gain=(7500,10000] & salary=>50K | 15 | 25
capital-gain=(3500,7500] & salary=>50K | 5 | 11
education=Bachelors & occupation=Other-service & salary=<=50K | 15 | 11
education=Prof-school & salary=>50K | 3 | 5
""")
C5_RULES = (
    *_SHORT_C5_RULES,
    PrintedRule(
        "education=Bachelors & marital-status=Married-civ-spouse & occupation=Exec-managerial & capital-gain=0 "
        "& salary=>50K",
        Number(13.0),
        Number(31.0),
    ),
)
