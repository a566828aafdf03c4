"""What each known data set must look like, who made it, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from fivefold.errors import InputError, show

LICENCE = "CC BY 4.0 (UCI Machine Learning Repository)"

_ONCOLOGY = "M. Zwitter and M. Soklic, Institute of Oncology, University Medical Centre, Ljubljana"
_DETRANO = "R. Detrano, V.A. Medical Center, Long Beach and Cleveland Clinic Foundation"
_QUINLAN = "R. Quinlan, Garavan Institute"
_SCHLIMMER_VOTES = "J. Schlimmer, from the Congressional Quarterly Almanac"
_ADULT = "B. Becker and R. Kohavi"

_GLASS_NUMERIC = ("RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe")
_HEART_NUMERIC = ("age", "trestbps", "chol", "thalach", "oldpeak")
_THYROID_NUMERIC = ("age", "TSH", "T3", "TT4", "T4U", "FTI", "TBG")
_THYROID_MISSING = {
    "age": 446,
    "sex": 73,
    "TSH": 468,
    "T3": 695,
    "TT4": 249,
    "T4U": 248,
    "FTI": 247,
    "TBG": 2903,
}
_ADULT_NUMERIC = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


@dataclass(frozen=True, slots=True)
class SetDescription:
    """What a data set is and must look like.

    Parameters
    ----------
    code : str
        Its name for ``load``.
    title : str
        Its name for people.
    file : str
        The file that holds it in a folder of one's own (``FIVEFOLD_DATA``) and in the cache.
    rows, attributes : int
        The number of cases, and of columns beside the class.
    numeric : tuple of str
        The numeric attributes; all others are nominal.
    class_counts : mapping of str to int
        The classes and how many cases each has.
    missing : int
        The number of missing cells.
    creators : str
        Whom to name when using the data.
    uci : int
        The number of the data set in the UCI repository.
    openml : int or None
        The number of the same data at OpenML, sometimes under other value names.
    missing_by_attribute : mapping of str to int
        Missing cells of single attributes, where they are documented.
    note : str
        What to know before using it.
    licence : str
        The terms of use.

    Examples
    --------
    >>> describe("BC").title, round(describe("BC").default_accuracy, 3)
    ('Breast Cancer (Ljubljana)', 0.703)
    """

    code: str
    title: str
    file: str
    rows: int
    attributes: int
    numeric: tuple[str, ...]
    class_counts: Mapping[str, int]
    missing: int
    creators: str
    uci: int
    openml: int | None = None
    missing_by_attribute: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    licence: str = LICENCE

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, sorted."""
        return tuple(sorted(self.class_counts))

    @property
    def default_accuracy(self) -> float:
        """The share of the largest class."""
        return max(self.class_counts.values()) / self.rows


_SETS = (
    SetDescription(
        "BC", "Breast Cancer (Ljubljana)", "BC-breast-cancer.csv", 286, 9, (),
        {"no-recurrence-events": 201, "recurrence-events": 85}, 9, _ONCOLOGY, 14, 13,
        {"node-caps": 8, "breast-quad": 1},
    ),
    SetDescription(
        "CH", "Chess (King-Rook vs. King-Pawn)", "CH-kr-vs-kp.csv", 3196, 36, (),
        {"nowin": 1527, "won": 1669}, 0, "A. Shapiro", 22, 3,
    ),
    SetDescription(
        "G2", "Glass Identification, float against non-float windows", "G2-glass-float.csv", 163, 9,
        _GLASS_NUMERIC, {"float_processed": 87, "non_float_processed": 76}, 0, "B. German", 42, 40675,
        note="GL's types 1 and 3 (float processed) against type 2.",
    ),
    SetDescription(
        "GL", "Glass Identification", "GL-glass.csv", 214, 9, _GLASS_NUMERIC,
        {
            "building_windows_float_processed": 70, "building_windows_non_float_processed": 76,
            "containers": 13, "headlamps": 29, "tableware": 9, "vehicle_windows_float_processed": 17,
        },
        0, "B. German", 42, 41,
    ),
    SetDescription(
        "HD", "Heart Disease (Cleveland)", "HD-heart-disease.csv", 303, 13, _HEART_NUMERIC,
        {"absence": 164, "presence": 139}, 6, _DETRANO, 45, None, {"ca": 4, "thal": 2},
        "Today's UCI file; Holte (1993) used an older copy, HD-holte.",
    ),
    SetDescription(
        "HD-holte", "Heart Disease (Cleveland), older copy", "HD-heart-disease-holte.csv", 303, 13,
        _HEART_NUMERIC, {"absence": 165, "presence": 138}, 7, _DETRANO, 45, 49, {"ca": 5, "thal": 2},
        "HD without its row 185 and with its row 303 twice: the copy behind the published figures.",
    ),
    SetDescription(
        "HE", "Hepatitis", "HE-hepatitis.csv", 155, 19,
        ("AGE", "BILIRUBIN", "ALK_PHOSPHATE", "SGOT", "ALBUMIN", "PROTIME"),
        {"DIE": 32, "LIVE": 123}, 167, "G. Gong", 46, 55,
        {
            "STEROID": 1, "FATIGUE": 1, "MALAISE": 1, "ANOREXIA": 1, "LIVER_BIG": 10, "LIVER_FIRM": 11,
            "SPLEEN_PALPABLE": 5, "SPIDERS": 5, "ASCITES": 5, "VARICES": 5, "BILIRUBIN": 6,
            "ALK_PHOSPHATE": 29, "SGOT": 4, "ALBUMIN": 16, "PROTIME": 67,
        },
        "The nominal attributes keep the codes 1 and 2, to which the source gives no key.",
    ),
    SetDescription(
        "HO", "Horse Colic", "HO-horse-colic.csv", 368, 22,
        (
            "rectal_temperature", "pulse", "respiratory_rate", "nasogastric_reflux_PH",
            "packed_cell_volume", "total_protein", "abdomcentesis_total_protein",
        ),
        {"no": 136, "yes": 232}, 1927, "M. McLeish and M. Cecile", 47, 25,
        note="The class is the surgical lesion; training and test file joined in this order.",
    ),
    SetDescription(
        "HY", "Thyroid Disease, hypothyroid", "HY-hypothyroid.csv", 3163, 25, _THYROID_NUMERIC,
        {"hypothyroid": 151, "negative": 3012}, 5329, _QUINLAN, 102, None, _THYROID_MISSING,
    ),
    SetDescription(
        "IR", "Iris", "IR-iris.csv", 150, 4, ("sepal_length", "sepal_width", "petal_length", "petal_width"),
        {"Iris-setosa": 50, "Iris-versicolor": 50, "Iris-virginica": 50}, 0, "R. A. Fisher", 53, 61,
        note="UCI's file, which differs from Fisher's paper in rows 35 and 38.",
    ),
    SetDescription(
        "LA", "Labor Relations", "LA-labor.csv", 57, 16,
        (
            "duration", "wage_increase_first_year", "wage_increase_second_year",
            "wage_increase_third_year", "working_hours", "standby_pay", "shift_differential",
            "statutory_holidays",
        ),
        {"bad": 20, "good": 37}, 326, "Labour Canada, donor S. Matwin", 56, 4,
    ),
    SetDescription(
        "LY", "Lymphography", "LY-lymphography.csv", 148, 18, ("lym_nodes_dimin", "lym_nodes_enlar"),
        {"fibrosis": 4, "malign lymph": 61, "metastases": 81, "normal find": 2}, 0, _ONCOLOGY, 63, 10,
    ),
    SetDescription(
        "MU", "Mushroom", "MU-mushroom.csv", 8124, 22, (), {"edible": 4208, "poisonous": 3916}, 2480,
        "J. Schlimmer, from the Audubon Society Field Guide", 73, 24, {"stalk-root": 2480},
    ),
    SetDescription(
        "SE", "Thyroid Disease, sick-euthyroid", "SE-sick-euthyroid.csv", 3163, 25, _THYROID_NUMERIC,
        {"negative": 2870, "sick-euthyroid": 293}, 5329, _QUINLAN, 102, None, _THYROID_MISSING,
    ),
    SetDescription(
        "SO", "Soybean (Small)", "SO-soybean-small.csv", 47, 35, (),
        {
            "charcoal-rot": 10, "diaporthe-stem-canker": 10, "phytophthora-rot": 17,
            "rhizoctonia-root-rot": 10,
        },
        0, "R. S. Michalski, donor D. Fisher", 91,
    ),
    SetDescription(
        "V1", "Congressional Voting Records without physician-fee-freeze",
        "V1-vote-without-physician-fee-freeze.csv", 435, 15, (), {"democrat": 267, "republican": 168}, 381,
        _SCHLIMMER_VOTES, 105, note="VO without its best attribute. Missing means neither yea nor nay.",
    ),
    SetDescription(
        "VO", "Congressional Voting Records", "VO-vote.csv", 435, 16, (),
        {"democrat": 267, "republican": 168}, 392, _SCHLIMMER_VOTES, 105, 56,
        {"export-administration-act-south-africa": 104},
        "Missing means neither yea nor nay, not unknown.",
    ),
    SetDescription(
        "adult-train", "Adult (census income), training part", "adult-train.csv.gz", 32561, 14, _ADULT_NUMERIC,
        {"<=50K": 24720, ">50K": 7841}, 4262, _ADULT, 2,
    ),
    SetDescription(
        "adult-test", "Adult (census income), test part", "adult-test.csv.gz", 16281, 14, _ADULT_NUMERIC,
        {"<=50K": 12435, ">50K": 3846}, 2203, _ADULT, 2,
    ),
)  # fmt: skip

CATALOGUE: Mapping[str, SetDescription] = MappingProxyType({known.code: known for known in _SETS})


def names() -> list[str]:
    """Give the codes of the data sets that ``load`` knows.

    Examples
    --------
    >>> names()[:4]
    ['BC', 'CH', 'G2', 'GL']
    """
    return list(CATALOGUE)


def describe(code: str) -> SetDescription:
    """Say what a data set is: its size, classes, missing cells, creators and licence.

    Examples
    --------
    >>> describe("MU").rows, describe("MU").missing_by_attribute
    (8124, {'stalk-root': 2480})
    """
    if not isinstance(code, str) or code not in CATALOGUE:
        raise InputError("the code of a known data set", show(code), f"one of {', '.join(CATALOGUE)}")
    return CATALOGUE[code]
